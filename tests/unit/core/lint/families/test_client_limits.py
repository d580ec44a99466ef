"""Limits of clients on names, lengths and counts."""

import pytest

from support.linting import found, lint_result, tool


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("read_file-2", []),
        ("a" * 58, []),
        ("a" * 59, ["tool-name-long"]),
        ("a" * 65, ["tool-name-length"]),
        ("a.b", ["tool-name-dotted"]),
        ("a.b c", ["tool-name"]),
        ("a b", ["tool-name"]),
        (f"{'a' * 64}.", ["tool-name-length", "tool-name-dotted"]),
    ],
)
def test_tool_name_is_checked_against_client_limits(name: str, rules: list[str]) -> None:
    assert [rule for rule, _ in found(tool(name))] == rules


def test_long_description_is_rejected_by_openai_and_truncated_by_claude() -> None:
    rejected = [lint_result(tool(description="a" * size)).findings for size in (1024, 1025, 2049)]

    assert [[one.rejected_by for one in findings] for findings in rejected] == [
        [],
        [("openai",)],
        [("openai", "claude")],
    ]


def test_a_schema_without_properties_is_an_info() -> None:
    assert found(tool(inputSchema={"type": "object", "additionalProperties": False})) == [
        ("input-without-properties", "/inputSchema")
    ]


@pytest.mark.parametrize(("count", "severities"), [(80, []), (81, ["info"]), (128, ["info"]), (129, ["warning"])])
def test_tool_count_is_checked_against_client_limits(count: int, severities: list[str]) -> None:
    tools = [tool(f"tool_{number}") for number in range(count)]

    assert [one.severity for one in lint_result(*tools).findings] == severities
