"""Catalog of the plugins' methods, reports and responders, with errors for duplicates and typos."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from attrs import evolve, field

from mcpi.core.frozen import frozen
from mcpi.core.outcome.faults import Fault, Invalid, with_nearest
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.method import AnyMethod
from mcpi.core.plans.reports import ReportFormat
from mcpi.core.plans.responders import Responder
from mcpi.core.text.suggestions import nearest
from mcpi.core.version import DISTRIBUTION

HintSource: TypeAlias = Callable[[Fault], tuple[str, ...]]


def no_hints(_: Fault) -> tuple[str, ...]:
    """Return no hints."""
    return ()


@frozen
class PluginOffer:
    """The contributions of one plugin, and the problem it has, if any."""

    name: str
    distribution: str = DISTRIBUTION
    version: str = ""
    methods: tuple[AnyMethod, ...] = ()
    responders: tuple[Responder[Any], ...] = ()
    reports: tuple[ReportFormat, ...] = ()
    tools: tuple[str, ...] = ()
    problem: str = ""

    @property
    def label(self) -> str:
        """The plugin's label in messages."""
        return f"the plugin {self.name!r} of {self.distribution}"


@frozen
class OwnedMethod:
    """A method and the plugin that provides it."""

    method: AnyMethod
    plugin: str
    distribution: str = DISTRIBUTION


@frozen
class Catalog:
    """All methods, reports and responders that can be used."""

    owned: Mapping[str, OwnedMethod] = field(factory=dict)
    plugins: tuple[PluginOffer, ...] = ()
    reports: Mapping[str, ReportFormat] = field(factory=dict)
    responders: tuple[Responder[Any], ...] = ()
    clashes: Mapping[str, str] = field(factory=dict)
    """Error messages for methods that more than one plugin offers, by method name."""
    hints: HintSource = no_hints
    """Function that returns the plugins' hints for a fault."""

    @property
    def tools(self) -> tuple[str, ...]:
        """Names of the methods that agents are offered as tools."""
        return tuple(dict.fromkeys(name for plugin in self.plugins for name in plugin.tools))

    def find(self, name: str) -> Result[AnyMethod]:
        """Return the method with that name, or a fault that suggests the nearest one."""
        found = self.owned.get(name)
        if found is not None:
            return Success(found.method)
        if name in self.clashes:
            uninstall = "uninstall one of them; MCPI_PLUGINS=off disables both"
            return Failure(Invalid("PLUGIN_FAILED", "--method", self.clashes[name], (uninstall,)))
        for plugin in self.plugins:
            if plugin.problem and plugin.name.partition(".")[0] == name.partition("/")[0]:
                return Failure(Invalid("PLUGIN_FAILED", "--method", f"{plugin.label} failed: {plugin.problem}"))
        if name.startswith("notifications/"):
            problem = f"{name} is a notification and has no response; mcpi sends notifications itself"
            return Failure(Invalid("INVALID_ARGUMENT", "--method", problem))
        send = "to call a method that mcpi does not know, add --params"
        unknown = Invalid("UNKNOWN_METHOD", "--method", f"unknown method {name!r}", (send,))
        return Failure(with_nearest(unknown, name, nearest(name, self.owned)))


def build_catalog(plugins: Iterable[PluginOffer], hints: HintSource = no_hints) -> Catalog:
    """Build the catalog in plugin order; duplicate names are recorded as problems or clashes."""
    offers: dict[str, list[tuple[PluginOffer, AnyMethod]]] = {}
    outputs: dict[str, ReportFormat] = {}
    responders: dict[str, Responder[Any]] = {}
    known: list[PluginOffer] = []
    for plugin in plugins:
        problems = [f"{name} is a built-in method" for name in _register_methods(plugin, offers)]
        problems += [
            f"{one.method} already has a handler"
            for one in plugin.responders
            if responders.setdefault(one.method, one) is not one
        ]
        problems += [
            f"the report {one.name} already exists"
            for one in plugin.reports
            if outputs.setdefault(one.name, one) is not one
        ]
        known.append(evolve(plugin, problem="; ".join(filter(None, (plugin.problem, *problems)))))
    owned = {
        name: OwnedMethod(by[0][1], by[0][0].name, by[0][0].distribution) for name, by in offers.items() if len(by) == 1
    }
    clashes = {name: _clash(name, by) for name, by in offers.items() if len(by) > 1}
    return Catalog(owned, tuple(known), outputs, tuple(responders.values()), clashes, hints)


def _register_methods(plugin: PluginOffer, offers: dict[str, list[tuple[PluginOffer, AnyMethod]]]) -> list[str]:
    """Add the plugin's methods to the offers, and return the names that it may not offer."""
    refused: list[str] = []
    for method in plugin.methods:
        others = offers.setdefault(method.name, [])
        if others and others[0][0].distribution == DISTRIBUTION != plugin.distribution:
            refused.append(method.name)
        else:
            others.append((plugin, method))
    return refused


def _clash(name: str, offered_by: list[tuple[PluginOffer, AnyMethod]]) -> str:
    return f"the method {name} is provided by {' and by '.join(plugin.label for plugin, _ in offered_by)}"


def with_hints(fault: Fault, hints: HintSource) -> Fault:
    """Add the plugins' hints to the fault."""
    return evolve(fault, hints=(*fault.hints, *hints(fault)))
