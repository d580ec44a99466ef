"""The declared capabilities of servers and clients."""

import pytest

from mcpi.core.jsontext.values import Json
from mcpi.core.wire.server_info import EMPTY, ClientInfo, NegotiatedServer
from support.replay import exact

CAPABILITIES: Json = {
    "tools": {},
    "resources": {"subscribe": True, "listChanged": False},
    "logging": None,
    "prompts": True,
    "extensions": {"io.modelcontextprotocol/ui": {}},
    "tasks": {"requests": {"tools": {"call": {}}}},
}


@pytest.mark.parametrize(
    ("path", "declared"),
    [
        ("tools", True),
        ("tools.listChanged", False),
        ("resources.subscribe", True),
        ("resources.listChanged", False),
        ("logging", False),
        ("prompts", True),
        ("prompts.listChanged", False),
        ("completions", False),
        ("tasks.requests.tools.call", True),
        ("tasks.requests.tools.list", False),
        ("extensions/io.modelcontextprotocol/ui", True),
        ("extensions/io.modelcontextprotocol/tasks", False),
        ("nothing/io.modelcontextprotocol/ui", False),
    ],
)
def test_capability_is_declared_if_its_path_exists(path: str, declared: bool) -> None:  # noqa: FBT001
    assert NegotiatedServer("handshake", "2025-11-25", capabilities=exact(CAPABILITIES)).declares(path) is declared


@pytest.mark.parametrize("capabilities", [[], None, "tools", 5])
def test_capabilities_of_the_wrong_type_declare_nothing(capabilities: Json) -> None:
    server = NegotiatedServer("handshake", "2025-11-25", capabilities=exact(capabilities))

    assert not server.declares("tools")
    assert not server.declares("extensions/x")


def test_server_without_capabilities_declares_none() -> None:
    assert NegotiatedServer("modern", "2026-07-28").capabilities == EMPTY
    assert not NegotiatedServer("modern", "2026-07-28").declares("tools")


def test_extension_is_added_to_the_existing_ones() -> None:
    client = ClientInfo({"sampling": {}, "extensions": {"a": {"x": 1}}}, "mcpi", "1")

    assert client.with_extension("b") == ClientInfo(
        {"sampling": {}, "extensions": {"a": {"x": 1}, "b": {}}}, "mcpi", "1"
    )
    assert client.capabilities == {"sampling": {}, "extensions": {"a": {"x": 1}}}


def test_first_extension_is_added() -> None:
    assert ClientInfo({}).with_extension("b").capabilities == {"extensions": {"b": {}}}


def test_extension_is_declared_in_both_eras() -> None:
    client = ClientInfo({"a": {}}, modern={"b": {}}).with_extension("x")

    assert client.capabilities_for("handshake") == {"a": {}, "extensions": {"x": {}}}
    assert client.capabilities_for("modern") == {"b": {}, "extensions": {"x": {}}}


def test_exact_capabilities_are_not_extended() -> None:
    client = ClientInfo({"a": {}}, exact=True)

    assert client.with_extension("b") is client
