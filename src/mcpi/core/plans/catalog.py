"""What the plugins offer, by name; duplicates and typing errors are named."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from attrs import evolve, field

from mcpi.core.frozen import frozen
from mcpi.core.outcome.faults import Fault, Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.method import AnyMethod
from mcpi.core.plans.reports import ReportFormat
from mcpi.core.plans.responders import Responder
from mcpi.core.text.suggestions import nearest
from mcpi.core.version import OWN

HintSource: TypeAlias = Callable[[Fault], tuple[str, ...]]


def no_hints(_: Fault) -> tuple[str, ...]:
    """Nobody has a hint."""
    return ()


@frozen
class PluginOffer:
    """What one plugin offers, or why it does not."""

    name: str
    distribution: str = OWN
    version: str = ""
    methods: tuple[AnyMethod, ...] = ()
    responders: tuple[Responder[Any], ...] = ()
    outputs: tuple[ReportFormat, ...] = ()
    tools: tuple[str, ...] = ()
    problem: str = ""

    @property
    def shown(self) -> str:
        """The plugin as a message names it."""
        return f"the plugin {self.name!r} of {self.distribution}"


@frozen
class OwnedMethod:
    """A method and the plugin that offers it."""

    method: AnyMethod
    plugin: str
    distribution: str = OWN


@frozen
class Catalog:
    """What can be asked for."""

    owned: Mapping[str, OwnedMethod] = field(factory=dict)
    plugins: tuple[PluginOffer, ...] = ()
    outputs: Mapping[str, ReportFormat] = field(factory=dict)
    responders: tuple[Responder[Any], ...] = ()
    clashes: Mapping[str, str] = field(factory=dict)
    """Why a method that more than one plugin offers cannot be asked for."""
    hints: HintSource = no_hints
    """What the plugins say about a fault."""

    @property
    def tools(self) -> tuple[str, ...]:
        """The methods that agents are offered as tools."""
        return tuple(dict.fromkeys(name for plugin in self.plugins for name in plugin.tools))

    def find(self, name: str) -> Result[AnyMethod]:
        """The method of that name, or the fault that names the nearest one."""
        found = self.owned.get(name)
        if found is not None:
            return Success(found.method)
        if name in self.clashes:
            uninstall = "uninstall one of them; MCPI_PLUGINS=off leaves out both"
            return Failure(Invalid("PLUGIN_FAILED", "--method", self.clashes[name], (uninstall,)))
        for plugin in self.plugins:
            if plugin.problem and plugin.name.partition(".")[0] == name.partition("/")[0]:
                return Failure(Invalid("PLUGIN_FAILED", "--method", f"{plugin.shown} failed: {plugin.problem}"))
        if name.startswith("notifications/"):
            problem = f"{name} is a notification, which nobody answers; mcpi sends its own when they are due"
            return Failure(Invalid("INVALID_ARGUMENT", "--method", problem))
        near = nearest(name, self.owned)
        hints = (f"did you mean {near}?",) if near else ()
        send = "to send a method of the server's own, give its parameters with --params"
        return Failure(Invalid("UNKNOWN_METHOD", "--method", f"there is no method {name!r}", (*hints, send)))


def build(plugins: Iterable[PluginOffer], hints: HintSource = no_hints) -> Catalog:
    """The catalog of what the plugins offer, in their order; who comes too late for a name is told so."""
    offers: dict[str, list[tuple[PluginOffer, AnyMethod]]] = {}
    outputs: dict[str, ReportFormat] = {}
    responders: dict[str, Responder[Any]] = {}
    known: list[PluginOffer] = []
    for plugin in plugins:
        late = [f"it offers {name}, which mcpi has itself" for name in _offered(plugin, offers)]
        late += [
            f"it answers {one.method}, which is answered already"
            for one in plugin.responders
            if responders.setdefault(one.method, one) is not one
        ]
        late += [
            f"it offers the report {one.name}, which is there already"
            for one in plugin.outputs
            if outputs.setdefault(one.name, one) is not one
        ]
        known.append(evolve(plugin, problem="; ".join(filter(None, (plugin.problem, *late)))))
    owned = {
        name: OwnedMethod(by[0][1], by[0][0].name, by[0][0].distribution) for name, by in offers.items() if len(by) == 1
    }
    clashes = {name: _clash(name, by) for name, by in offers.items() if len(by) > 1}
    return Catalog(owned, tuple(known), outputs, tuple(responders.values()), clashes, hints)


def _offered(plugin: PluginOffer, offers: dict[str, list[tuple[PluginOffer, AnyMethod]]]) -> list[str]:
    """The methods that it may not offer; the others are noted."""
    refused: list[str] = []
    for method in plugin.methods:
        others = offers.setdefault(method.name, [])
        if others and others[0][0].distribution == OWN != plugin.distribution:
            refused.append(method.name)
        else:
            others.append((plugin, method))
    return refused


def _clash(name: str, offered_by: list[tuple[PluginOffer, AnyMethod]]) -> str:
    return f"the method {name} is offered by {' and by '.join(plugin.shown for plugin, _ in offered_by)}"


def with_hints(fault: Fault, hints: HintSource) -> Fault:
    """The fault with what the plugins say about it."""
    return evolve(fault, hints=(*fault.hints, *hints(fault)))
