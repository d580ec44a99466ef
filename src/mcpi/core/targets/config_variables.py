"""Expand the variables in a config file."""

import re
from collections.abc import Iterable, Mapping

from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.secrets.detection import secrets_in_variable

_VARIABLE = re.compile(r"\$\{(?:env:)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")
_INPUT = re.compile(r"\$\{input:(?P<input>[^}]+)\}")
_EITHER = re.compile(f"{_INPUT.pattern}|{_VARIABLE.pattern}")
_PATH = re.compile(r"[/?#]")


def config_error(path: str, problem: str, *hints: str) -> Failure[Invalid]:
    """Return a failure for an invalid config file."""
    return Failure(Invalid("INVALID_CONFIG", path, problem, hints))


def expand(path: str, where: str, text: str, environment: Mapping[str, str]) -> Result[str]:
    """Expand ${VAR}, ${VAR:-default} and ${input:NAME}; an editor would ask the user for an input."""
    for match in _INPUT.finditer(text):
        if _input_variable(match["input"]) not in environment:
            problem = f"{where} requires {match[0]}, which an editor prompts for"
            return config_error(path, problem, f"set the environment variable {_input_variable(match['input'])}")
    for match in _VARIABLE.finditer(text):
        if match["default"] is None and match["name"] not in environment:
            variable = match["name"]
            return config_error(path, f"{where} requires the environment variable {variable}, which is not set")

    def filled(match: re.Match[str]) -> str:
        if match["input"]:
            return environment[_input_variable(match["input"])]
        return environment.get(match["name"]) or match["default"] or ""

    # Expand both in one pass: the value of an input may look like a variable, but must not be expanded.
    return Success(_EITHER.sub(filled, text))


def expanded_secrets(texts: Iterable[str], environment: Mapping[str, str]) -> tuple[str, ...]:
    """Find the secrets in the values of the variables that the texts refer to."""
    found: dict[str, None] = {}
    for match in (match for text in texts for match in _EITHER.finditer(text)):
        name = match["name"] or _input_variable(match["input"])
        found |= dict.fromkeys(secrets_in_variable(name, environment.get(name, "")))
    return tuple(found)


def url_variables(text: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Name, in a hint, the environment variables in the part of an invalid URL before its path."""
    names: dict[str, None] = {}
    for match in _EITHER.finditer(text):
        before = _EITHER.sub("", text[: match.start()]).partition("://")[2]
        name = match["name"] or _input_variable(match["input"])
        if not _PATH.search(before) and environment.get(name):
            names[name] = None
    return (f"check the environment variable{'s' if len(names) > 1 else ''} {' and '.join(names)}",) if names else ()


def _input_variable(name: str) -> str:
    """Return the environment variable that holds an input."""
    return re.sub(r"[^A-Z0-9]", "_", name.upper())
