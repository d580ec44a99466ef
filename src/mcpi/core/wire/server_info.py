"""The server's self-description, and the negotiated protocol."""

from attrs import evolve

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json, JsonObject, as_object
from mcpi.core.wire.versions import Era

EMPTY = Exact("{}", {})


@frozen
class NegotiatedServer:
    """The result of negotiation: the era, the version, and the server's self-description."""

    era: Era
    version: str
    info: Exact = EMPTY
    capabilities: Exact = EMPTY
    instructions: str = ""
    negotiation: str = ""
    result: Exact = EMPTY
    transport: str = "stdio"
    was_asked_for_capabilities: bool = True
    """True if the server was asked for its capabilities."""

    def declares(self, path: str) -> bool:
        """Tell whether a capability was declared, such as 'resources.subscribe' or 'extensions/NAME'."""
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
    """The client's self-description: capabilities, name and version."""

    capabilities: JsonObject
    name: str = "mcpi"
    version: str = ""
    modern: JsonObject | None = None
    """The capabilities for the modern era, if they differ."""
    exact: bool = False
    """True if the user gave the exact capabilities to declare."""

    def capabilities_for(self, era: Era) -> JsonObject:
        """Return the capabilities to declare in the era."""
        return self.capabilities if era == "handshake" or self.modern is None else self.modern

    def with_extension(self, name: str) -> "ClientInfo":
        """Add an extension, unless the user gave the exact capabilities."""
        if self.exact:
            return self
        modern = None if self.modern is None else _extended(self.modern, name)
        return evolve(self, capabilities=_extended(self.capabilities, name), modern=modern)


def _extended(capabilities: JsonObject, name: str) -> JsonObject:
    return {**capabilities, "extensions": {**as_object(capabilities.get("extensions")), name: {}}}
