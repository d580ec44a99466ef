"""The server as it introduced itself, and what was agreed with it."""

from attrs import evolve

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json, JsonObject, as_object
from mcpi.core.wire.versions import Era

EMPTY = Exact("{}", {})


@frozen
class Server:
    """What both sides know of each other once they have met."""

    era: Era
    version: str
    info: Exact = EMPTY
    capabilities: Exact = EMPTY
    instructions: str = ""
    way: str = ""
    answer: Exact = EMPTY
    transport: str = "stdio"
    asked: bool = True
    """Whether the server was asked for its capabilities at all."""
    implicit: tuple[str, ...] = ()
    """The requests that nobody asked for and that were sent all the same."""

    def declares(self, path: str) -> bool:
        """Whether a capability was declared, such as 'resources.subscribe' or 'extensions/NAME'."""
        first, slash, extension = path.partition("/")
        if slash:
            return extension in as_object(as_object(self.capabilities.value).get(first))
        value: Json = self.capabilities.value
        for name in path.split("."):
            members = as_object(value)
            if name not in members or members[name] is False or members[name] is None:
                return False
            value = members[name]
        return True


@frozen
class ClientInfo:
    """What we declare of ourselves."""

    capabilities: JsonObject
    name: str = "mcpi"
    version: str = ""
    modern: JsonObject | None = None
    """What is declared in the modern era, where that is something else."""
    exact: bool = False
    """Whether the user said exactly what to declare."""

    def declares(self, era: Era) -> JsonObject:
        """The capabilities as an era has them."""
        return self.capabilities if era == "handshake" or self.modern is None else self.modern

    def with_extension(self, name: str) -> "ClientInfo":
        """The same, knowing one extension more."""
        if self.exact:
            return self
        modern = None if self.modern is None else _extended(self.modern, name)
        return evolve(self, capabilities=_extended(self.capabilities, name), modern=modern)


def _extended(capabilities: JsonObject, name: str) -> JsonObject:
    return {**capabilities, "extensions": {**as_object(capabilities.get("extensions")), name: {}}}
