"""Token cost of the tool list."""

import pytest

from mcpi.core.lint.families.cost import TokenBudget, parse_budget
from support.linting import lint_result, tool, tool_with_property


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("<20000", TokenBudget(20000, inclusive=False)),
        ("<= 20k", TokenBudget(20000)),
        ("20000", TokenBudget(20000)),
        ("<20K", TokenBudget(20000, inclusive=False)),
        (">5", None),
        ("many", None),
        ("", None),
    ],
)
def test_a_budget_is_parsed(text: str, budget: TokenBudget | None) -> None:
    assert parse_budget(text) == budget


def test_tool_list_over_budget_is_an_error() -> None:
    tokens = lint_result(tool()).tokens
    messages = [
        [one.message for one in lint_result(tool(), budget=budget).findings]
        for budget in (TokenBudget(tokens), TokenBudget(tokens, inclusive=False), TokenBudget(tokens - 1))
    ]

    assert messages == [
        [],
        [f"the tool list has about {tokens} tokens; expected fewer than {tokens}"],
        [f"the tool list has about {tokens} tokens; expected at most {tokens - 1}"],
    ]


def test_tokens_are_counted_per_tool() -> None:
    result = lint_result(tool("a"), tool_with_property({"type": "string"}))

    assert set(result.tool_tokens) == {"a", "search"}
    assert sum(result.tool_tokens.values()) == result.tokens
