"""Plugins are found by entry point, and a broken one is set aside."""

import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

import pluggy
from attrs import evolve

from mcpi.core.flags.declare import flags_of
from mcpi.core.flags.options import GROUPS
from mcpi.core.outcome.faults import Fault
from mcpi.core.plans.catalog import Catalog, PluginOffer, build
from mcpi.core.version import OWN
from mcpi.plugins import spec
from mcpi.shell.discovery.entry_points import PluginEntry, entries, only_own


class Plugins:
    """The plugins that are installed, loaded one after the other."""

    def __init__(self, environment: Mapping[str, str], only: str | None = None) -> None:
        """Ours come first, so that nobody can take a name from them; the others in the order of their names.

        Of those that wait to be named, only that one is loaded, if it is said which.
        """
        self._manager = pluggy.PluginManager(spec.PROJECT)
        self._manager.add_hookspecs(spec)
        self._loaded: dict[str, PluginEntry] = {}
        alone = only_own(environment)
        found = sorted(entries(sys.path), key=lambda entry: (entry.distribution != OWN, entry.distribution, entry.name))
        wanted = [
            entry
            for entry in found
            if (entry.distribution == OWN or not alone) and (only is None or not entry.named or entry.name == only)
        ]
        self.catalog: Catalog = build([self._load(entry) for entry in wanted], self._hints)

    def _load(self, entry: PluginEntry) -> PluginOffer:
        """What the plugin offers; one that fails in any way is set aside."""
        name = entry.name if entry.name not in self._loaded else f"{entry.distribution}.{entry.name}"
        plugin = PluginOffer(name, entry.distribution, entry.version)
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
            return PluginOffer(name, entry.distribution, entry.version, problem=f"{type(error).__name__}: {error}")
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


def _check(plugin: PluginOffer) -> None:
    """The flags that others offer can be read and are theirs; else it fails here, not where someone asks for help."""
    ours = {flag.name for owner in GROUPS for flag in flags_of(owner)}
    for args in (*(method.args for method in plugin.methods), *(responder.args for responder in plugin.responders)):
        for flag in flags_of(args):
            if flag.name in ours:
                raise ValueError(f"its flag {flag.name} is one that every method has")
