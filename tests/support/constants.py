"""Servers, metadata and faults that the tests of sessions, plans and scripts share."""

from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import Unreachable
from mcpi.core.wire.server_info import NegotiatedServer

HANDSHAKE = NegotiatedServer("handshake", "2025-11-25")
MODERN = NegotiatedServer("modern", "2026-07-28")
HANDSHAKE_HTTP = NegotiatedServer("handshake", "2025-11-25", transport="http")
MODERN_HTTP = NegotiatedServer("modern", "2026-07-28", transport="http")
LOST = Unreachable("CONNECTION_LOST", "the pipe broke")
LONGER = ("for slow responses, use a longer --timeout",)


def request_meta(capabilities: Json) -> dict[str, Json]:
    """The metadata of a modern request, from a client with these capabilities."""
    return {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "mcpi", "version": "1.0"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    }
