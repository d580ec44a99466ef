"""Source maps on the disk."""

import os
from collections.abc import Iterator
from pathlib import Path

from mcpi.core.debugger import source_maps
from mcpi.core.debugger.debug_effects import GeneratedFile

LARGEST = 64 << 20
"""Bytes of a map; what is larger is nobody's source."""
MOST = 50_000
"""Entries of folders that are looked at."""
_SKIPPED = {"node_modules", "bower_components", "__pycache__"}
_SCRIPTS = (".js", ".cjs")
_INLINE = b"//# sourceMappingURL=data:"


def text(path: Path) -> str | None:
    """The text of a map, if it can be had."""
    try:
        if path.stat().st_size > LARGEST:
            return None
        return path.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return None


def survey(folder: Path, path: str) -> tuple[GeneratedFile, ...]:
    """What was generated from the file, as the maps under the folder have it.

    A CommonJS module runs as soon as it is loaded: whoever waits for its map comes too late.
    """
    generated = not path.endswith((*_SCRIPTS, ".mjs"))
    found: list[GeneratedFile] = []
    for file in _files(folder):
        if file.endswith(".map"):
            written = text(Path(file))
        elif generated and file.endswith(_SCRIPTS):
            written = _inline(file)
        else:
            continue
        if written is None or not source_maps.may_include(written, path):
            continue
        mapping = source_maps.parse_source_map(written, file, path)
        if mapping is not None:
            found.append(GeneratedFile(file.removesuffix(".map"), mapping))
    return tuple(found)


def _inline(file: str) -> str | None:
    """The map at the end of a script."""
    try:
        content = Path(file).read_bytes()
    except OSError:
        return None
    at = content.rfind(_INLINE)
    if at < 0:
        return None
    url = content[at:].partition(b"=")[2].split(None, 1)[0]
    return source_maps.decode_data_url(url.decode(errors="replace"))


def _files(folder: Path) -> Iterator[str]:
    """The files that may matter, with their real paths, up to a limit."""
    try:
        top = os.path.realpath(folder)
    except ValueError:
        return  # nothing has a name with such characters
    seen = 0
    for root, folders, files in os.walk(top):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and not name.startswith("."))
        seen += len(files)
        if seen > MOST:
            return
        for name in sorted(files):
            if name.endswith((".map", *_SCRIPTS)):
                yield f"{root.rstrip('/')}/{name}"
