"""What a server declared, read carefully; which era a version belongs to."""

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
def test_a_capability_is_declared_where_its_path_leads_somewhere(path: str, declared: bool) -> None:  # noqa: FBT001
    assert NegotiatedServer("handshake", "2025-11-25", capabilities=exact(CAPABILITIES)).declares(path) is declared


@pytest.mark.parametrize("capabilities", [[], None, "tools", 5])
def test_capabilities_of_the_wrong_type_declare_nothing(capabilities: Json) -> None:
    server = NegotiatedServer("handshake", "2025-11-25", capabilities=exact(capabilities))

    assert not server.declares("tools")
    assert not server.declares("extensions/x")


def test_a_server_that_says_nothing_declares_nothing() -> None:
    assert NegotiatedServer("modern", "2026-07-28").capabilities == EMPTY
    assert not NegotiatedServer("modern", "2026-07-28").declares("tools")


def test_a_client_learns_an_extension_and_keeps_the_others() -> None:
    client = ClientInfo({"sampling": {}, "extensions": {"a": {"x": 1}}}, "mcpi", "1")

    assert client.with_extension("b") == ClientInfo(
        {"sampling": {}, "extensions": {"a": {"x": 1}, "b": {}}}, "mcpi", "1"
    )
    assert client.capabilities == {"sampling": {}, "extensions": {"a": {"x": 1}}}


def test_a_client_without_extensions_learns_its_first() -> None:
    assert ClientInfo({}).with_extension("b").capabilities == {"extensions": {"b": {}}}


def test_an_extension_is_known_in_both_eras() -> None:
    client = ClientInfo({"a": {}}, modern={"b": {}}).with_extension("x")

    assert client.capabilities_for("handshake") == {"a": {}, "extensions": {"x": {}}}
    assert client.capabilities_for("modern") == {"b": {}, "extensions": {"x": {}}}


def test_who_is_told_exactly_what_to_declare_learns_no_extension() -> None:
    client = ClientInfo({"a": {}}, exact=True)

    assert client.with_extension("b") is client
