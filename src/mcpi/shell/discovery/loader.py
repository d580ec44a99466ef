"""Find plugins by entry point, load them, and skip broken ones."""

import inspect
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from types import FunctionType, MethodType, ModuleType
from typing import Any, TypeVar

import pluggy
from attrs import evolve

from mcpi.core.flags.declare import flags_of
from mcpi.core.flags.options import GROUPS
from mcpi.core.outcome.faults import Fault
from mcpi.core.plans.catalog import Catalog, PluginOffer, build_catalog
from mcpi.core.version import DISTRIBUTION
from mcpi.plugins import spec
from mcpi.shell.discovery.entry_points import METHODS, REPORTS, PluginEntry, entries, only_own

T = TypeVar("T")

# A plugin must not end or interrupt mcpi: these are failures of the plugin like any other exception.
_FAILURES = (Exception, SystemExit, KeyboardInterrupt)
_WRAPPERS = (MethodType, classmethod, staticmethod)
_QUOTED = 80


class PluginError(Exception):
    """The reason why a plugin is skipped."""


class PluginRegistry(pluggy.PluginManager):
    """A plugin manager that examines only the marked functions of a module."""

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        """Return the options of a hook; None for anything else."""
        # pluggy searches the module and its class for each imported name, which takes longer than importing the module.
        if type(plugin) is ModuleType:
            found = vars(plugin).get(name)
            is_marked = isinstance(found, FunctionType) and f"{self.project_name}_impl" in vars(found)
            if not is_marked and not isinstance(found, _WRAPPERS):
                return None
        return super().parse_hookimpl_opts(plugin, name)


class Plugins:
    """The installed plugins and the catalog of everything they offer."""

    def __init__(self, environment: Mapping[str, str], only: str | None = None, *, reports: bool = True) -> None:
        """Load the built-in plugins, then the others in the order of their distributions.

        `only` names the one plugin to load from the group of methods; None loads them all.
        """
        self._manager = PluginRegistry(spec.PROJECT)
        self._manager.add_hookspecs(spec)
        self._loaded: dict[str, PluginEntry] = {}
        own_only = only_own(environment)
        found = sorted(
            entries(sys.path), key=lambda entry: (entry.distribution != DISTRIBUTION, entry.distribution, entry.name)
        )
        wanted = [
            entry
            for entry in found
            if (entry.distribution == DISTRIBUTION or not own_only)
            and (only is None or entry.group != METHODS or entry.name == only)
            and (reports or entry.group != REPORTS)
        ]
        offers = [self._load(entry) for entry in wanted]
        self.catalog: Catalog = build_catalog(self._in_call_order(offers), self._hints)

    def _load(self, entry: PluginEntry) -> PluginOffer:
        """Register the plugin and collect its offers; a plugin that fails in any way is skipped."""
        name = entry.name if entry.name not in self._loaded else f"{entry.distribution}.{entry.name}"
        offer = PluginOffer(name, entry.distribution, entry.version)
        try:
            with _protected(entry):
                self._register(entry, name)
                offer = evolve(
                    offer,
                    methods=self._call(name, "mcpi_methods"),
                    responders=self._call(name, "mcpi_responders"),
                    reports=self._call(name, "mcpi_outputs"),
                    tools=self._call(name, "mcpi_tools"),
                )
                if entry.distribution != DISTRIBUTION:
                    _check_flags(offer)
        except _FAILURES as error:
            if self._manager.has_plugin(name):
                self._manager.unregister(name=name)
            # As after an exception: otherwise, what a module prints would be missed when it is loaded again.
            sys.modules.pop(entry.value.partition(":")[0], None)
            return PluginOffer(name, entry.distribution, entry.version, problem=_reason(error))
        self._loaded[name] = entry
        return offer

    def _register(self, entry: PluginEntry, name: str) -> None:
        plugin = _resolve(entry)
        hash(plugin)  # pluggy keeps plugins in sets
        self._manager.register(plugin, name=name)
        if entry.distribution == DISTRIBUTION:
            return  # the tests check the built-in plugins
        self._manager.check_pending()
        for attribute in dir(plugin):
            is_hook = attribute.startswith("mcpi_") and inspect.isroutine(getattr(plugin, attribute))
            if is_hook and self._manager.parse_hookimpl_opts(plugin, attribute) is None:
                raise PluginError(f"{attribute} is not marked with @hookimpl")
        if not self._manager.get_hookcallers(plugin):
            raise PluginError("it implements no hook")

    def _call(self, name: str, hook: str, **given: object) -> tuple[Any, ...]:
        """Call one hook of one plugin through the plugin manager."""
        plugin = self._manager.get_plugin(name)
        impls = getattr(self._manager.hook, hook).get_hookimpls()
        if all(impl.plugin is not plugin for impl in impls):
            return ()
        others = [impl.plugin for impl in impls if impl.plugin is not plugin and not _is_wrapper(impl)]
        call: Callable[..., list[Any]] = self._manager.subset_hook_caller(hook, remove_plugins=others)
        found = call(**given)
        if any(isinstance(results, str) for results in found):
            raise PluginError(f"{hook} returned a string; expected a list or a tuple")
        return tuple(one for results in found for one in results)

    def _rank(self, name: str, *hooks: str) -> int:
        """Rank a plugin among the others for some hooks: tryfirst, neither, trylast."""
        impls = [impl for hook in hooks for impl in getattr(self._manager.hook, hook).get_hookimpls()]
        return min((impl.trylast - impl.tryfirst for impl in impls if impl.plugin_name == name), default=0)

    def _in_call_order(self, offers: list[PluginOffer]) -> list[PluginOffer]:
        """Sort the offers as pluggy orders calls, but the built-in plugins first."""
        hooks = ("mcpi_methods", "mcpi_responders", "mcpi_outputs")
        own = [offer for offer in offers if offer.distribution == DISTRIBUTION]
        others = [offer for offer in offers if offer.distribution != DISTRIBUTION]
        return [*own, *sorted(others, key=lambda offer: self._rank(offer.name, *hooks))]

    def _hints(self, fault: Fault) -> tuple[str, ...]:
        """Collect the plugins' hints about a fault; a plugin that fails is reported in place of its hint."""
        hints: list[str] = []
        for name, entry in sorted(self._loaded.items(), key=lambda item: self._rank(item[0], "mcpi_hints")):
            try:
                with _protected(entry):
                    hints += map(str, self._call(name, "mcpi_hints", fault=fault))
            except _FAILURES as error:
                hints.append(f"the plugin {name!r} of {entry.distribution} failed to return hints: {_reason(error)}")
        return tuple(hints)


def _resolve(entry: PluginEntry) -> object:
    """Import the module, object or class that the entry point names; a class is instantiated."""
    module, _, attribute = entry.value.partition(":")
    plugin: object = import_module(module)
    for part in filter(None, attribute.split(".")):
        plugin = getattr(plugin, part)
    return plugin() if isinstance(plugin, type) else plugin


def _is_wrapper(impl: pluggy.HookImpl) -> bool:
    return impl.wrapper or impl.hookwrapper


def _reason(error: BaseException) -> str:
    if isinstance(error, PluginError):
        return str(error)
    return f"{type(error).__name__}: {error}"


@contextmanager
def _protected(entry: PluginEntry) -> Iterator[None]:
    """Redirect the stdout of a third-party plugin, which is for results only; reject a plugin that prints."""
    if entry.distribution == DISTRIBUTION:
        yield
        return
    before = os.dup(1)
    os.dup2(2, 1)
    printed = io.StringIO()
    try:
        with redirect_stdout(printed):
            yield
    finally:
        os.dup2(before, 1)
        os.close(before)
    if printed.getvalue():
        raise PluginError(f"plugins must not print to stdout; it printed {printed.getvalue()[:_QUOTED]!r}")


def _check_flags(plugin: PluginOffer) -> None:
    """Reject third-party flags that are invalid or that every method has, at load time rather than in --help."""
    ours = {flag.name for owner in GROUPS for flag in flags_of(owner)}
    for args in (*(method.args for method in plugin.methods), *(responder.args for responder in plugin.responders)):
        for flag in flags_of(args):
            if flag.name in ours:
                raise PluginError(f"its flag {flag.name} conflicts with a general flag")
