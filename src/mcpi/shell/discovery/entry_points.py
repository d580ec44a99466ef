"""The lines in which installed packages name our plugins."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

GROUPS = {"mcpi": False, "mcpi.answers": False, "mcpi.methods": True, "mcpi.reports": True}
"""Whether the plugins of the group are loaded only for those who name them."""


class PluginEntry(NamedTuple):
    """One line of an entry point group."""

    name: str
    module: str
    distribution: str
    version: str
    named: bool = False
    """Whether it is loaded only for a method whose first part is its name."""


def entries(path: list[str]) -> Iterator[PluginEntry]:
    """The entry points of our groups on the path; importlib.metadata would cost as much as all of our imports."""
    seen: set[str] = set()
    for folder in path:
        for info in _infos(folder):
            name, _, version = info.name.removesuffix(".dist-info").rpartition("-")
            normal = name.lower().replace("_", "-")
            if normal in seen:
                continue
            seen.add(normal)
            for group, key, module in _lines(Path(info.path) / "entry_points.txt"):
                yield PluginEntry(key, module, normal, version, GROUPS[group])


def only_own(environment: Mapping[str, str]) -> bool:
    """Whether the user wants no plugins of others."""
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
            name, _, module = stripped.partition("=")
            yield section, name.strip(), module.partition(":")[0].strip()
