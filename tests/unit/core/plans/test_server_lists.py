"""Fetching of all lists of a server."""

from typing import Any

from mcpi.core.outcome.faults import InvalidResponse, RpcError
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.server_lists import all_lists
from mcpi.core.plans.steps import Call, CallAll
from mcpi.core.wire.server_info import NegotiatedServer
from support.replay import exact, replay

MISSING = Failure(RpcError(-32601, "no", exact({})))


def listing(capabilities: Any, *exchanges: Any) -> Any:
    """The lists and faults of a server with these capabilities."""
    server = NegotiatedServer("handshake", "2025-11-25", capabilities=exact(capabilities))
    plan: Any = all_lists(server)
    return replay(plan, *exchanges).result


def calls(*methods: str) -> CallAll:
    return CallAll(tuple(Call(method) for method in methods))


def test_declared_lists_are_fetched_in_parallel() -> None:
    page = exact({"prompts": [{"name": "a"}]})

    ended = listing({"prompts": {}, "tools": None}, (calls("prompts/list"), (Success(page),)))
    assert ended == ({"prompts": page}, {})


def test_all_pages_are_fetched() -> None:
    first, second = exact({"tools": [1], "nextCursor": "x"}), exact({"tools": [2]})
    ended = listing(
        {"tools": {}},
        (calls("tools/list"), (Success(first),)),
        (Call("tools/list", {"cursor": "x"}, allow_failure=True), Success(second)),
    )

    assert ended == ({"tools": {"tools": [exact(1), exact(2)]}}, {})


def test_missing_templates_are_ignored_but_other_missing_lists_are_faults() -> None:
    step = calls("resources/list", "resources/templates/list")

    lists, faults = listing({"resources": {}}, (step, (MISSING, MISSING)))
    assert (lists, list(faults)) == ({}, ["resources"])


def test_tools_are_requested_and_optional_if_nothing_is_declared() -> None:
    assert listing({}, (calls("tools/list"), (MISSING,))) == ({}, {})


def test_a_result_without_an_array_is_a_fault_of_its_list() -> None:
    lists, faults = listing({"tools": {}}, (calls("tools/list"), (Success(exact({"tools": {}})),)))

    assert (lists, type(faults["tools"])) == ({}, InvalidResponse)
