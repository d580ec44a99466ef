"""Read the entry points of installed packages that name plugins."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

METHODS, REPORTS = "mcpi.methods", "mcpi.reports"
"""The entry-point groups whose plugins are loaded only on demand."""
GROUPS = ("mcpi", "mcpi.answers", METHODS, REPORTS)


class PluginEntry(NamedTuple):
    """One line of an entry-point group."""

    name: str
    value: str
    """The module, or module:object, that is the plugin."""
    distribution: str
    version: str
    group: str = "mcpi"


def entries(path: list[str]) -> Iterator[PluginEntry]:
    """Read the entry points of mcpi's groups; importlib.metadata would take as long as all of mcpi's imports."""
    seen: set[str] = set()
    for folder in path:
        for info in _infos(folder):
            name, _, version = info.name.removesuffix(".dist-info").rpartition("-")
            normal = name.lower().replace("_", "-")
            if normal in seen:
                continue
            seen.add(normal)
            for group, key, value in _lines(Path(info.path) / "entry_points.txt"):
                yield PluginEntry(key, value, normal, version, group)


def only_own(environment: Mapping[str, str]) -> bool:
    """Tell whether third-party plugins are switched off."""
    return environment.get("MCPI_PLUGINS", "").lower() in {"off", "0", "none", "no"}


def _infos(folder: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder or ".") as found:
            return sorted((one for one in found if one.name.endswith(".dist-info")), key=lambda one: one.name)
    except OSError:
        return []


def _lines(file: Path) -> Iterator[tuple[str, str, str]]:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return
    section = ""
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("["):
            section = stripped.strip("[]")
        elif section in GROUPS and "=" in stripped and not stripped.startswith("#"):
            name, _, value = stripped.partition("=")
            # "module:object [extra]": extras have no meaning for plugins.
            yield section, name.strip(), value.partition("[")[0].strip()
