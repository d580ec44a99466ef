"""The server as it introduced itself, and what was agreed with it."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from attrs import frozen

from mcpi.core.exact import Exact
from mcpi.core.values import Json, as_object

Era: TypeAlias = Literal["handshake", "modern"]

HANDSHAKE_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
MODERN_VERSIONS = ("2026-07-28",)
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

    def declares(self, path: str) -> bool:
        """Whether a capability such as 'resources.subscribe' was declared."""
        value: Json = self.capabilities.value
        for name in path.split("."):
            members = as_object(value)
            if name not in members or members[name] is False or members[name] is None:
                return False
            value = members[name]
        return True

    def extension(self, name: str) -> bool:
        """Whether an extension of the protocol was declared."""
        return name in as_object(as_object(self.capabilities.value).get("extensions"))


@frozen
class Client:
    """What we declare of ourselves."""

    capabilities: Mapping[str, Json]
    name: str = "mcpi"
    version: str = ""
