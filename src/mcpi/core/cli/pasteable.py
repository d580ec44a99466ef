"""Write a command line that can be pasted into a shell, without its secrets."""

import re
import shlex
from collections.abc import Iterator, Sequence

from mcpi.core.cli.foreign_flags import BASIC
from mcpi.core.cli.split import SEPARATOR, before_separator
from mcpi.core.flags.declare import ALIASES, flags_of
from mcpi.core.flags.options import GROUPS
from mcpi.core.flags.types import ASSIGNMENT, HEADER, FlagType
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure
from mcpi.core.secrets.detection import MIN_LENGTH, mask_word, mask_words

EXAMPLE = ("node", "server.js")
_SOURCES = ("env:", "file:")
_HIDDEN = re.compile(r"\benv:\w+|\"\$\w+\"|\*{3}|\bUSER:PASSWORD\b")
"""The texts that replace secrets."""


def pasteable(words: Sequence[str]) -> str:
    """Return the words as a shell reads them; a secret is read from a variable where that is possible, else masked."""
    ours = before_separator(words)
    return " ".join((*_shown(ours), *map(shlex.quote, mask_words(words[len(ours) :]))))


def with_secrets_hint(hints: Sequence[str], argv: Sequence[str]) -> tuple[str, ...]:
    """Add a hint on the parts of the suggested lines that stand for secrets of the command line."""
    given = " ".join(argv)
    lines = (hint.partition(": mcpi ")[2] for hint in hints)
    parts = list(dict.fromkeys(part for line in lines for part in _HIDDEN.findall(line) if part not in given))
    secrets = "the secrets" if parts[1:] else "the secret"
    hint = f"replace {' and '.join(parts)} with {secrets}, which mcpi does not print"
    return (*hints, *((hint,) if parts else ()))


def command_line(ours: Sequence[str], server: Sequence[str] = ()) -> str:
    """Return a command line with the server's words after the separator."""
    return pasteable((*ours, *((SEPARATOR, *server) if server else ())))


def no_target(*words: str) -> Failure[Invalid]:
    """Return the failure for a command line without a target, with an example that contains the words."""
    ours = words or ("tools/list",)
    line = command_line((*ours, *EXAMPLE)) if len(ours) == 1 else command_line(ours, EXAMPLE)
    problem = "no server given: add a command, a URL, --config FILE or --demo"
    return Failure(Invalid("MISSING_ARGUMENT", "target", problem, (f"for example: mcpi {line}",)))


def _shown(words: Sequence[str]) -> Iterator[str]:
    types = {flag.name: flag.flag_type for owner in GROUPS for flag in flags_of(owner)}
    before = ""
    for word, masked in zip(words, mask_words(words), strict=True):
        spelled, equals, value = word.partition("=") if word.startswith("-") else (before, "", word)
        name = ALIASES.get(spelled, spelled)
        shown = masked if masked != word or not equals else f"{spelled}={mask_word(value)}"
        own = _from_variable(name, types.get(name), value) if shown != word else None
        yield shlex.quote(shown) if own is None else f"{spelled}={own}" if equals else own
        before = word


def _from_variable(name: str, kind: FlagType | None, value: str) -> str | None:
    """Return the value as a reference to a variable, or None if the flag does not support that."""
    if kind is not None and kind.secret:
        return shlex.quote(value if value.startswith(_SOURCES) else f"env:{_variable(name)}")
    if kind is HEADER and value == BASIC:
        return f'"{BASIC}"'
    if kind is HEADER:
        header, _, text = value.partition(":")
        return shlex.quote(value if text.strip().startswith(_SOURCES) else f"{header}: env:{_variable(header)}")
    if kind is ASSIGNMENT:
        variable, _, text = value.partition("=")
        return shlex.quote(value) if len(text) < MIN_LENGTH else f'{variable}="${variable}"'
    return None


def _variable(name: str) -> str:
    return name.strip("-").replace("-", "_").upper()
