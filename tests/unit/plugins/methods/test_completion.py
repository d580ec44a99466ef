"""completion/complete: what the dialogues in fixtures do not say."""

import pytest

from mcpi.core.flags.pairs import Pair
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.steps import Call
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.core.wire.versions import HANDSHAKE_VERSIONS, MODERN_VERSIONS, era_of
from mcpi.plugins.methods.completion import Complete, complete, mcpi_methods, mcpi_tools
from support.dialogue import DIALOGUES
from support.replay import exact, replay

(METHOD,) = mcpi_methods()


def test_the_method_of_the_group() -> None:
    assert (METHOD.name, METHOD.args, METHOD.plan, METHOD.required_capability) == (
        "completion/complete",
        Complete,
        complete,
        "completions",
    )


def test_an_agent_is_offered_what_makes_sense_alone() -> None:
    assert mcpi_tools() == ("completion/complete",)


def test_the_method_has_its_dialogues() -> None:
    assert {one.method for one in DIALOGUES if one.group == "completion"} == {"completion/complete"}


@pytest.mark.parametrize("version", [*HANDSHAKE_VERSIONS, *MODERN_VERSIONS])
def test_only_the_first_version_has_no_capability_for_it(version: str) -> None:
    assert METHOD.negotiated_capability is not None

    needs = METHOD.negotiated_capability(NegotiatedServer(era_of(version), version))
    assert needs == ("" if version == "2024-11-05" else "completions")


def test_what_is_known_keeps_its_spelling() -> None:
    known = (Pair("n", Exact("1.50", 1.5)), Pair("city", "Oslo"))
    params: dict[str, Printable] = {
        "ref": {"type": "ref/prompt", "name": "a/b"},
        "argument": {"name": "x", "value": ""},
        "context": {"arguments": {"n": Exact("1.50", 1.5), "city": "Oslo"}},
    }

    plan = complete(Complete(completion_ref="ref/prompt/a/b", argument_name="x", completion_context=known))
    assert replay(plan, (Call("completion/complete", params), exact({}))) == PlanResult(exact({}))
