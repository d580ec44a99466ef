"""Roots: declared if given, listed in order, announced in the handshake era."""

import pytest

from mcpi.core.flags.types import Root
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.plans.responders import Accept, ServerRequest
from mcpi.core.wire.versions import HANDSHAKE_VERSIONS
from mcpi.plugins.answers.roots import RootsFlags, answer, declare, mcpi_responders
from support.replay import registration, responder_reply

HOME = Root({"uri": "file:///home/me"})
PROJECT = Root({"uri": "file:///home/me/project", "name": "My Project"})
REQUEST = ServerRequest("roots/list", None, 0)


def test_roots_responder_is_registered() -> None:
    expected = ("roots/list", "roots", "roots", "notifications/roots/list_changed", RootsFlags, declare, answer)

    assert registration(mcpi_responders()) == expected


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
def test_handshake_era_declares_list_changed(version: str) -> None:
    assert declare(RootsFlags(roots=(HOME,)), version) == {"roots": {"listChanged": True}}


def test_modern_era_does_not_declare_list_changed() -> None:
    assert declare(RootsFlags(roots=(HOME,)), "2026-07-28") == {"roots": {}}


@pytest.mark.parametrize("version", [*HANDSHAKE_VERSIONS, "2026-07-28"])
def test_roots_are_not_declared_if_none_are_given(version: str) -> None:
    assert declare(RootsFlags(), version) == {}


@pytest.mark.parametrize(("roots", "expected"), [((), False), ((HOME,), True)])
def test_roots_are_configured_only_if_given(
    roots: tuple[Root, ...],
    expected: bool,  # noqa: FBT001 - a table
) -> None:
    (responder,) = mcpi_responders()

    assert responder.is_configured(RootsFlags(roots=roots)) is expected


@pytest.mark.parametrize(
    ("roots", "expected"),
    [
        ((), {"roots": []}),
        ((HOME,), {"roots": [{"uri": "file:///home/me"}]}),
        (
            (PROJECT, HOME),
            {"roots": [{"uri": "file:///home/me/project", "name": "My Project"}, {"uri": "file:///home/me"}]},
        ),
    ],
)
def test_roots_are_listed_in_order(roots: tuple[Root, ...], expected: JsonObject) -> None:
    assert responder_reply(answer(RootsFlags(roots=roots), REQUEST)) == Accept(expected)
