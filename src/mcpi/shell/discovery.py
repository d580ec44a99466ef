"""Plugins are found by entry point, and a broken one is set aside."""

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import pluggy

from mcpi.core.catalog import Broken, Catalog, Owned, build
from mcpi.core.faults import Fault
from mcpi.core.outcome import Outcome
from mcpi.core.respond import Responder
from mcpi.plugins import spec
from mcpi.shell.entry_points import OWN, Entry, entries, only_own


class Plugins:
    """The plugins that are loaded, and those that could not be."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Ours come first, so that nobody can take a name from them."""
        self._manager = pluggy.PluginManager(spec.PROJECT)
        self._manager.add_hookspecs(spec)
        self._entries: dict[str, Entry] = {}
        self._broken: list[Broken] = []
        found = list(entries(sys.path))
        alone = only_own(environment)
        for entry in sorted(found, key=lambda entry: (entry.distribution != OWN, entry.distribution, entry.name)):
            if entry.distribution == OWN or not alone:
                self._load(entry)

    def _load(self, entry: Entry) -> None:
        name = entry.name if entry.name not in self._entries else f"{entry.distribution}.{entry.name}"
        try:
            plugin = import_module(entry.module)
            self._manager.register(plugin, name=name)
            self._manager.check_pending()
        except Exception as error:  # noqa: BLE001 - a plugin may fail in any way; ours must not
            if self._manager.has_plugin(name):
                self._manager.unregister(name=name)
            self._broken.append(Broken(entry.name, entry.distribution, f"{type(error).__name__}: {error}"))
            return
        self._entries[name] = entry

    def catalog(self) -> Outcome[Catalog]:
        """All methods, with their owners."""
        owned: dict[str, Owned] = {}
        loaded: list[Owned] = []
        for name, entry in self._entries.items():
            for method in self._call(name, entry, "mcpi_methods"):
                one = Owned(method, name, entry.distribution)
                if owned.setdefault(method.name, one).distribution == OWN != entry.distribution:
                    problem = f"it offers {method.name}, which mcpi has itself"
                    self._broken.append(Broken(entry.name, entry.distribution, problem))
                else:
                    loaded.append(one)
        return build(loaded, self._broken, self._all("mcpi_outputs"))

    def responders(self) -> tuple[Responder[Any], ...]:
        """All answers to what servers ask."""
        return tuple(self._all("mcpi_responders"))

    def tools(self) -> tuple[str, ...]:
        """The methods that agents are offered as tools."""
        return tuple(dict.fromkeys(self._all("mcpi_tools")))

    def hints(self, fault: Fault) -> tuple[str, ...]:
        """What the plugins say about a fault."""
        return tuple(self._all("mcpi_hints", fault))

    def _all(self, hook: str, *given: object) -> Iterator[Any]:
        for name, entry in self._entries.items():
            yield from self._call(name, entry, hook, *given)

    def _call(self, name: str, entry: Entry, hook: str, *given: object) -> list[Any]:
        offer = getattr(self._manager.get_plugin(name), hook, None)
        if offer is None:
            return []
        try:
            return list(offer(*given))
        except Exception as error:  # noqa: BLE001 - see above
            self._broken.append(Broken(entry.name, entry.distribution, f"{type(error).__name__}: {error}"))
            return []
