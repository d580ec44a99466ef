"""logging/setLevel: what the dialogues in fixtures do not say."""

from mcpi.core.outcome.faults import Invalid
from mcpi.core.plans.plan import PlanResult
from mcpi.plugins.methods.logging import LEVELS, SetLevel, mcpi_methods, mcpi_tools, set_level
from support.dialogue import DIALOGUES
from support.replay import replay


def test_the_method_of_the_group() -> None:
    assert [(one.name, one.args, one.plan, one.required_capability, one.era) for one in mcpi_methods()] == [
        ("logging/setLevel", SetLevel, set_level, "logging", None)
    ]


def test_an_agent_is_offered_what_makes_sense_alone() -> None:
    assert mcpi_tools() == ("logging/setLevel",)


def test_the_method_has_its_dialogues() -> None:
    assert {one.method for one in DIALOGUES if one.group == "logging"} == {"logging/setLevel"}


def test_the_levels_are_those_of_syslog_from_the_least_on() -> None:
    # MCP 2025-11-25, LoggingLevel: "These map to syslog message severities, as specified in RFC-5424".
    assert LEVELS == ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


def test_a_level_like_no_other_has_no_nearest_one() -> None:
    ended = replay(set_level(SetLevel(log_level="xyz")))

    problem = f"unknown level 'xyz'; expected {', '.join(LEVELS)}"
    hints = ("use --force to send it anyway",)
    assert ended == PlanResult(None, Invalid("INVALID_ARGUMENT", "--log-level", problem, hints))
