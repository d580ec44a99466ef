"""Rules about the tokens that the tool list adds to each request to a model."""

import re
from collections.abc import Iterator

from mcpi.core.frozen import frozen
from mcpi.core.lint.rule import Rule, RuleViolation

LARGE_TOOL, LARGE_LIST = 1500, 20_000

TOKEN_BUDGET = Rule(
    "token-budget",
    "error",
    "The tool list must be within the limit that --expect-tokens sets.",
    "Clients send the whole list to the model with each request.",
    "Shorten descriptions and schemas, or offer fewer tools.",
    "https://www.anthropic.com/engineering/code-execution-with-mcp",
)
TOOL_TOKENS = Rule(
    "tool-tokens",
    "info",
    f"A tool definition should not have more than {LARGE_TOOL} tokens.",
    "Clients send the definition to the model with each request.",
    "Shorten the description and the schemas of the tool, or split the tool.",
    "https://www.anthropic.com/engineering/writing-tools-for-agents",
)
LIST_TOKENS = Rule(
    "list-tokens",
    "info",
    f"The tool list should not have more than {LARGE_LIST} tokens.",
    "Clients send the whole list to the model with each request, which leaves less room for other "
    "text in the context window.",
    "Offer fewer tools, or let users enable groups of tools.",
    "https://www.anthropic.com/engineering/code-execution-with-mcp",
)
RULES = (TOKEN_BUDGET, TOOL_TOKENS, LIST_TOKENS)

_BUDGET = re.compile(r"(<=|<|)\s*(\d{1,9})\s*(k?)", re.IGNORECASE)


@frozen
class TokenBudget:
    """The limit of --expect-tokens."""

    limit: int
    inclusive: bool = True

    def allows(self, tokens: int) -> bool:
        """Tell whether the number of tokens is within the limit."""
        return tokens <= self.limit if self.inclusive else tokens < self.limit


def parse_budget(text: str) -> TokenBudget | None:
    """Parse `<20000`, `<=20000`, `20000` or `20k`; return None for anything else."""
    found = _BUDGET.fullmatch(text.strip())
    if found is None:
        return None
    return TokenBudget(int(found[2]) * (1000 if found[3] else 1), inclusive=found[1] != "<")


def check_tokens(total: int, budget: TokenBudget | None) -> Iterator[RuleViolation]:
    """Check the tokens of the whole list."""
    if budget is not None and not budget.allows(total):
        sign = "at most" if budget.inclusive else "fewer than"
        message = f"the tool list has about {total} tokens; expected {sign} {budget.limit}"
        yield RuleViolation(TOKEN_BUDGET, "/tools", message)
    elif budget is None and total > LARGE_LIST:
        yield RuleViolation(LIST_TOKENS, "/tools", f"the tool list adds about {total} tokens to each request")


def check_tool_tokens(tokens: int) -> Iterator[RuleViolation]:
    """Check the tokens of one tool."""
    if tokens > LARGE_TOOL:
        yield RuleViolation(TOOL_TOKENS, "", f"the tool adds about {tokens} tokens to each request")
