"""Plugins are found by entry point, and a broken one is set aside."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pluggy
from attrs import evolve

from mcpi.core.catalog import OWN, Catalog, Plugin, build
from mcpi.core.faults import Fault
from mcpi.core.flags import flags_of
from mcpi.core.frozen import frozen
from mcpi.plugins import spec

GROUP = "mcpi"


@frozen
class Entry:
    """One line of an entry point group."""

    name: str
    module: str
    distribution: str
    version: str


def entries(path: list[str]) -> Iterator[Entry]:
    """The entry points of our group on the path; importlib.metadata would cost as much as all of our imports."""
    seen: set[str] = set()
    for folder in path:
        for info in _infos(folder):
            name, _, version = info.name.removesuffix(".dist-info").rpartition("-")
            normal = name.lower().replace("_", "-")
            if normal in seen:
                continue
            seen.add(normal)
            for key, module in _lines(Path(info.path) / "entry_points.txt"):
                yield Entry(key, module, normal, version)


def _infos(folder: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder or ".") as found:
            return sorted((one for one in found if one.name.endswith(".dist-info")), key=lambda one: one.name)
    except OSError:
        return []


def _lines(file: Path) -> Iterator[tuple[str, str]]:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return
    section = ""
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("["):
            section = stripped.strip("[]")
        elif section == GROUP and "=" in stripped and not stripped.startswith("#"):
            name, _, module = stripped.partition("=")
            yield name.strip(), module.partition(":")[0].strip()


class Plugins:
    """The plugins that are installed, loaded one after the other."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Ours come first, so that nobody can take a name from them; the others in the order of their names."""
        self._manager = pluggy.PluginManager(spec.PROJECT)
        self._manager.add_hookspecs(spec)
        self._loaded: dict[str, Entry] = {}
        only_own = environment.get("MCPI_PLUGINS", "").lower() in {"off", "0", "none", "no"}
        found = sorted(entries(sys.path), key=lambda entry: (entry.distribution != OWN, entry.distribution, entry.name))
        wanted = [entry for entry in found if entry.distribution == OWN or not only_own]
        self.catalog: Catalog = build([self._load(entry) for entry in wanted], self._hints)

    def _load(self, entry: Entry) -> Plugin:
        """What the plugin offers; one that fails in any way is set aside."""
        name = entry.name if entry.name not in self._loaded else f"{entry.distribution}.{entry.name}"
        plugin = Plugin(name, entry.distribution, entry.version)
        try:
            self._manager.register(import_module(entry.module), name=name)
            self._manager.check_pending()
            plugin = evolve(
                plugin,
                methods=tuple(self._offer(name, "mcpi_methods")),
                responders=tuple(self._offer(name, "mcpi_responders")),
                outputs=tuple(self._offer(name, "mcpi_outputs")),
                tools=tuple(self._offer(name, "mcpi_tools")),
            )
            if entry.distribution != OWN:
                _check(plugin)
        except Exception as error:  # noqa: BLE001 - a plugin may fail in any way; ours must not
            if self._manager.has_plugin(name):
                self._manager.unregister(name=name)
            return Plugin(name, entry.distribution, entry.version, problem=f"{type(error).__name__}: {error}")
        self._loaded[name] = entry
        return plugin

    def _offer(self, name: str, hook: str, *given: object) -> Iterable[Any]:
        offer = getattr(self._manager.get_plugin(name), hook, None)
        return () if offer is None else offer(*given)

    def _hints(self, fault: Fault) -> tuple[str, ...]:
        """What the plugins say about a fault; one that cannot say it says so."""
        said: list[str] = []
        for name, entry in self._loaded.items():
            try:
                said += map(str, self._offer(name, "mcpi_hints", fault))
            except Exception as error:  # noqa: BLE001 - see above
                said.append(f"the plugin {name!r} of {entry.distribution} has no hint: {type(error).__name__}: {error}")
        return tuple(said)


def _check(plugin: Plugin) -> None:
    """The flags of what others offer can be read; else it fails here, and not where someone asks for help."""
    for args in (*(method.args for method in plugin.methods), *(responder.args for responder in plugin.responders)):
        flags_of(args)
