"""Find and read source maps on the disk."""

import os
from collections.abc import Iterator
from pathlib import Path

from mcpi.core.debugger.sources import source_maps

MAX_MAP_BYTES = 64 << 20
"""Maximum size of a source map in bytes; larger ones are skipped."""
MAX_FILES = 50_000
"""Maximum number of files to examine."""
_SKIPPED = {"node_modules", "bower_components", "__pycache__"}
_SCRIPTS = (".js", ".cjs")
_INLINE = b"//# sourceMappingURL=data:"


def read_map(path: Path) -> str | None:
    """Read a source map; return None if it is too large or cannot be read."""
    try:
        if path.stat().st_size > MAX_MAP_BYTES:
            return None
        return path.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return None


def is_mapped_source(folder: Path, path: str) -> bool:
    """Tell whether a source map under the folder has a source at this path, which need not exist."""
    generated = not path.endswith((*_SCRIPTS, ".mjs"))
    for file in _files(folder):
        if file.endswith(".map"):
            map_text = read_map(Path(file))
        elif generated and file.endswith(_SCRIPTS):
            map_text = _inline(file)
        else:
            continue
        if map_text is None or not source_maps.may_include(map_text, path):
            continue
        if source_maps.parse_source_map(map_text, file, path) is not None:
            return True
    return False


def _inline(file: str) -> str | None:
    """Return the source map at the end of a script, if there is one."""
    try:
        content = Path(file).read_bytes()
    except OSError:
        return None
    start = content.rfind(_INLINE)
    if start < 0:
        return None
    url = content[start:].partition(b"=")[2].split(None, 1)[0]
    return source_maps.decode_data_url(url.decode(errors="replace"))


def _files(folder: Path) -> Iterator[str]:
    """Yield the real paths of scripts and source maps under the folder, up to the limit."""
    try:
        real_folder = os.path.realpath(folder)
    except ValueError:
        return  # no file name can contain such characters
    seen = 0
    for root, folders, files in os.walk(real_folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and not name.startswith("."))
        seen += len(files)
        if seen > MAX_FILES:
            return
        for name in sorted(files):
            if name.endswith((".map", *_SCRIPTS)):
                yield f"{root.rstrip('/')}/{name}"
