"""logging/setLevel, beyond the dialogues in fixtures."""

from mcpi.core.flags.types import FLAG_TYPES, LogLevel
from mcpi.core.outcome.faults import Invalid
from mcpi.core.plans.plan import PlanResult
from mcpi.plugins.methods.logging import LEVELS, SetLevel, mcpi_methods, mcpi_tools, set_level
from support.dialogue import DIALOGUES
from support.replay import replay


def test_logging_method_is_registered() -> None:
    assert [(one.name, one.args, one.plan, one.required_capability, one.era) for one in mcpi_methods()] == [
        ("logging/setLevel", SetLevel, set_level, "logging", None)
    ]


def test_method_is_a_tool_for_agents() -> None:
    assert mcpi_tools() == ("logging/setLevel",)


def test_method_has_dialogues() -> None:
    assert {one.method for one in DIALOGUES if one.group == "logging"} == {"logging/setLevel"}


def test_levels_are_the_syslog_severities_in_ascending_order() -> None:
    # MCP 2025-11-25, LoggingLevel: "These map to syslog message severities, as specified in RFC-5424".
    assert LEVELS == ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


def test_all_levels_are_completed() -> None:
    assert FLAG_TYPES[LogLevel].usual == LEVELS


def test_unknown_level_lists_all_levels() -> None:
    ended = replay(set_level(SetLevel(log_level="xyz")))

    problem = f"unknown level 'xyz'; expected {', '.join(LEVELS)}"
    hints = ("use --force to send it anyway",)
    assert ended == PlanResult(None, Invalid("INVALID_ARGUMENT", "--log-level", problem, hints))
