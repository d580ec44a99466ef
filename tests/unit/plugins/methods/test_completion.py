"""completion/complete, beyond the dialogues in fixtures."""

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


def test_completion_method_is_registered() -> None:
    assert (METHOD.name, METHOD.args, METHOD.plan, METHOD.required_capability) == (
        "completion/complete",
        Complete,
        complete,
        "completions",
    )


def test_method_is_a_tool_for_agents() -> None:
    assert mcpi_tools() == ("completion/complete",)


def test_method_has_dialogues() -> None:
    assert {one.method for one in DIALOGUES if one.group == "completion"} == {"completion/complete"}


@pytest.mark.parametrize("version", [*HANDSHAKE_VERSIONS, *MODERN_VERSIONS])
def test_completions_capability_is_required_except_in_the_first_version(version: str) -> None:
    assert METHOD.negotiated_capability is not None

    needs = METHOD.negotiated_capability(NegotiatedServer(era_of(version), version))
    assert needs == ("" if version == "2024-11-05" else "completions")


def test_context_values_are_sent_verbatim() -> None:
    known = (Pair("n", Exact("1.50", 1.5)), Pair("city", "Oslo"))
    params: dict[str, Printable] = {
        "ref": {"type": "ref/prompt", "name": "a/b"},
        "argument": {"name": "x", "value": ""},
        "context": {"arguments": {"n": Exact("1.50", 1.5), "city": "Oslo"}},
    }

    plan = complete(Complete(completion_ref="ref/prompt/a/b", argument_name="x", completion_context=known))
    assert replay(plan, (Call("completion/complete", params), exact({}))) == PlanResult(exact({}))
