"""Recognize simple command lines, so that their server can start while the rest of mcpi is imported.

This module makes no decisions: the full parser accepts every simple command line with the same meaning, which a test
verifies. All other command lines, valid or not, are left to the full parser.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from mcpi.core.cli.split import split_line
from mcpi.core.lazy_pattern import lazy_pattern

TEXT = lazy_pattern(r"[\w/][\w./:~+-]*", re.ASCII)
PAIR = lazy_pattern(r"\w+=(?!@).*", re.ASCII | re.DOTALL)
_STRING = r'"[^"\\\x00-\x1f]*"'
_MEMBER = rf"\s*{_STRING}\s*:\s*(?:{_STRING}|0|-?[1-9]\d{{0,14}}|true|false|null)\s*"
FLAT = lazy_pattern(rf"\{{\s*\}}|\{{{_MEMBER}(?:,{_MEMBER})*\}}", re.ASCII)
DURATION = lazy_pattern(r"[1-9]\d{0,3}(ms|s)", re.ASCII)
ERA = lazy_pattern("auto|handshake|modern")

Pattern = re.Pattern[str]
METHOD_FLAGS: Mapping[str, Mapping[str, Pattern]] = {
    "tools/list": {},
    "tools/call": {"--tool-name": TEXT, "--tool-arg": PAIR, "--tool-args": FLAT},
    "resources/list": {},
    "resources/templates/list": {},
    "resources/read": {"--uri": TEXT},
    "prompts/list": {},
    "prompts/get": {"--prompt-name": TEXT, "--prompt-arg": PAIR},
    "discover": {},
    "server/info": {},
    "ping": {},
}
"""The flags of each method; the first one is required."""
NAMED = ("tools/call", "prompts/get", "resources/read")
"""The methods after which a word may be a name rather than the start of the server's command."""
METHOD = lazy_pattern("|".join(METHOD_FLAGS))
ALONE = frozenset({"--structured", "--compact", "--fail-on-error", "--validate", "--verbose"})
VALUED: Mapping[str, Pattern] = {"--method": METHOD, "--era": ERA, "--timeout": DURATION}


def plain_command(argv: Sequence[str], environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the server command of a simple command line; an empty one for any other line."""
    if any(name.startswith("MCPI_") for name in environment):
        return ()
    named = argv[:1] if argv and argv[0] in METHOD_FLAGS else ()
    parts = split_line(argv, has_method=bool(named))
    words, flags = _words(parts.ours[len(named) :])
    command = (*words, *parts.server)
    is_url = bool(command) and "://" in command[0]
    if is_url or (named and words and named[0] in NAMED) or (words and words[0] in METHOD_FLAGS):
        return ()
    pairs = [*_pairs(flags), *(("--method", name) for name in named)]
    return command if _is_plain(pairs) else ()


def _words(tokens: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Split the words before the first flag from the rest."""
    end = next((place for place, token in enumerate(tokens) if token.startswith("-")), len(tokens))
    return tokens[:end], tokens[end:]


def _pairs(tokens: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Pair each flag with its value, or None if another flag follows; a stray word counts as an unknown flag."""
    rest = list(reversed(tokens))
    while rest:
        token = rest.pop()
        yield token, rest.pop() if rest and not rest[-1].startswith("-") else None


def _is_plain(flags: Sequence[tuple[str, str | None]]) -> bool:
    given = dict(flags)
    if [flag for flag, _ in flags].count("--method") != 1:
        return False
    own = METHOD_FLAGS.get(given.get("--method") or "")
    if own is None or (own and next(iter(own)) not in given) or given.keys() >= {"--tool-arg", "--tool-args"}:
        return False
    keys = [value.partition("=")[0] if own[flag] is PAIR and value else flag for flag, value in flags if flag in own]
    if len(keys) != len(set(keys)):
        return False
    known = {**VALUED, **own}
    return all(value is None if flag in ALONE else _fits(known.get(flag), value) for flag, value in flags)


def _fits(pattern: Pattern | None, value: str | None) -> bool:
    return pattern is not None and value is not None and pattern.fullmatch(value) is not None
