"""Rules about texts that instruct the model; a match is only an indication, as patterns cannot judge the meaning."""

import re
from collections.abc import Collection, Iterator, Sequence

from mcpi.core.lint.families import instruction_patterns as words
from mcpi.core.lint.rule import Rule, RuleViolation

_POISONING = "https://invariantlabs.ai/blog/mcp-security-notification-tool-poisoning-attacks"

READS_SECRETS = Rule(
    "reads-secrets",
    "warning",
    "Text should not tell the model to read secrets or to pass them on.",
    "A model can follow the instruction and send the user's keys, files or messages to the server.",
    "Remove the instruction. If the tool needs such data, add a parameter for it.",
    _POISONING,
)
CONCEALS = Rule(
    "conceals",
    "warning",
    "Text should not tell the model to hide something from the user.",
    "Users cannot stop an action that they do not know about.",
    "Remove the instruction.",
    _POISONING,
)
OVERRIDES_INSTRUCTIONS = Rule(
    "overrides-instructions",
    "warning",
    "Text should not tell the model to ignore other instructions.",
    "Prompt injections often have this form. A model can follow the text instead of the user.",
    "Remove the instruction.",
    "https://owasp.org/www-project-mcp-top-10/",
)
HIDDEN_MARKUP = Rule(
    "hidden-markup",
    "info",
    'Text should not contain HTML comments, or tags such as "<important>" or "[system]".',
    "Users may not see such markup, but models read it.",
    "Use plain text that users can see.",
    _POISONING,
)
CALLS_OTHER_TOOLS = Rule(
    "calls-other-tools",
    "info",
    "Text should not tell the model which tools to call, or in which order.",
    "Such text can make the model call tools that the user did not ask for.",
    "Describe only this tool. Let the model decide the order of calls, or combine the steps in one tool.",
    _POISONING,
)
RULES = (READS_SECRETS, CONCEALS, OVERRIDES_INSTRUCTIONS, HIDDEN_MARKUP, CALLS_OTHER_TOOLS)

_FLAGS = re.IGNORECASE | re.DOTALL
_CHECKS = (
    (READS_SECRETS, words.SECRETS, "the model to read or pass on secrets"),
    (CONCEALS, words.CONCEALMENT, "the model to hide something from the user"),
    (OVERRIDES_INSTRUCTIONS, words.OVERRIDES, "the model to ignore instructions"),
)
_WORDS_ONLY = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) in "_-'")}
_EXCERPT = 120


def check_texts(texts: Sequence[tuple[str, str]], tools: Collection[str], own: str = "") -> Iterator[RuleViolation]:
    """Check the texts of one definition, each with its pointer.

    `tools` are the names of all tools; `own` is that of the tool that the texts describe.
    """
    # Patterns are slow, and most definitions contain none of the words that they start with.
    suspects = _suspects(" ".join([text for _, text in texts]).lower())
    if not suspects:
        return
    for pointer, text in texts:
        for rule, patterns, message in _CHECKS:
            searches = (re.search(pattern, text, _FLAGS) for pattern in patterns) if rule in suspects else ()
            found = next((one for one in searches if one is not None), None)
            if found is not None:
                yield RuleViolation(rule, pointer, f"the text tells {message}: {_excerpt(found[0])!r}")
        if HIDDEN_MARKUP in suspects:
            yield from _check_markup(pointer, text)
        if CALLS_OTHER_TOOLS in suspects:
            yield from _check_calls(pointer, text, tools, own)


def _suspects(text: str) -> list[Rule]:
    """Return the rules that the text may violate, judging by its words."""
    found = frozenset(text.translate(_WORDS_ONLY).split())
    is_taking = not (found.isdisjoint(words.TAKING) and found.isdisjoint(words.PASSING))
    suspects = [READS_SECRETS] if is_taking and any(mark in text for mark in words.SECRET_MARKS) else []
    suspects += [CONCEALS] if not (found.isdisjoint(words.CONCEALING) or found.isdisjoint(words.CONCEALED)) else []
    suspects += [OVERRIDES_INSTRUCTIONS] if not found.isdisjoint(words.OVERRIDING) else []
    suspects += [HIDDEN_MARKUP] if "<" in text or "[" in text else []
    is_calling = not (found.isdisjoint(words.MODAL) or found.isdisjoint(words.CALLING))
    return [*suspects, CALLS_OTHER_TOOLS] if is_calling else suspects


def _check_markup(pointer: str, text: str) -> Iterator[RuleViolation]:
    found = re.search(words.MARKUP, text, _FLAGS)
    if found is not None:
        yield RuleViolation(
            HIDDEN_MARKUP, pointer, f"the text contains markup that users may not see: {_excerpt(found[0])!r}"
        )


def _check_calls(pointer: str, text: str, tools: Collection[str], own: str) -> Iterator[RuleViolation]:
    calls = (one for one in re.finditer(words.CALLS, text, _FLAGS) if one["name"] != own and one["name"] in tools)
    named = next(calls, None) or re.search(words.ANY_TOOL, text, _FLAGS)
    if named is not None:
        message = f"the text tells the model which tools to call: {_excerpt(named[0])!r}"
        yield RuleViolation(CALLS_OTHER_TOOLS, pointer, message)


def _excerpt(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= _EXCERPT else f"{shown[:_EXCERPT]}…"
