"""All methods by name; duplicates and typing errors are named."""

from collections.abc import Iterable, Mapping

from attrs import field

from mcpi.core.faults import Invalid
from mcpi.core.frozen import frozen
from mcpi.core.method import AnyMethod
from mcpi.core.outcome import Failure, Outcome, Success
from mcpi.core.outputs import Output


@frozen
class Owned:
    """A method and the plugin that offers it."""

    method: AnyMethod
    plugin: str
    distribution: str = "mcpi-cli"


@frozen
class Broken:
    """A plugin that could not be loaded."""

    plugin: str
    distribution: str
    problem: str


@frozen
class Catalog:
    """What can be asked for."""

    owned: Mapping[str, Owned] = field(factory=dict)
    broken: tuple[Broken, ...] = ()
    outputs: Mapping[str, Output] = field(factory=dict)

    def find(self, name: str) -> Outcome[AnyMethod]:
        """The method of that name, or the fault that names the nearest one."""
        found = self.owned.get(name)
        if found is not None:
            return Success(found.method)
        for plugin in self.broken:
            if plugin.plugin.partition(".")[0] == name.partition("/")[0]:
                problem = f"the plugin {plugin.plugin!r} of {plugin.distribution} did not load: {plugin.problem}"
                return Failure(Invalid("PLUGIN_FAILED", "--method", problem))
        near = nearest(name, self.owned)
        hints = (f"did you mean {near}?",) if near else ()
        send = "to send a method of the server's own, give its parameters with --params"
        return Failure(Invalid("UNKNOWN_METHOD", "--method", f"there is no method {name!r}", (*hints, send)))


def build(owned: Iterable[Owned], broken: Iterable[Broken] = (), outputs: Iterable[Output] = ()) -> Outcome[Catalog]:
    """The catalog of what the plugins offer; two that offer the same are refused, by name."""
    methods: dict[str, Owned] = {}
    for one in owned:
        other = methods.setdefault(one.method.name, one)
        if other is not one:
            problem = (
                f"the method {one.method.name} is offered by the plugins {other.plugin!r} of {other.distribution} "
                f"and {one.plugin!r} of {one.distribution}"
            )
            return Failure(Invalid("PLUGIN_FAILED", "plugins", problem, ("uninstall one, or set MCPI_PLUGINS=off",)))
    forms: dict[str, Output] = {}
    for output in outputs:
        forms.setdefault(output.name, output)
    return Success(Catalog(methods, tuple(broken), forms))


def nearest(word: str, words: Iterable[str]) -> str | None:
    """The word that was probably meant."""
    from difflib import get_close_matches  # noqa: PLC0415 - only mistakes need it

    known = {one.lower(): one for one in words}
    close = get_close_matches(word.lower(), known, n=1, cutoff=0.6)
    return known[close[0]] if close else None
