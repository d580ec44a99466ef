"""The servers of config files, as a list that may be shown: without the secrets that stand in them."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit, urlunsplit

from mcpi.core import explain
from mcpi.core.exact import Printable
from mcpi.core.outcome import Failure, Success
from mcpi.core.settings import normal, target, with_variables
from mcpi.core.target import SECRET, transport_of
from mcpi.core.values import Json, JsonObject, as_list, as_object, as_text

HIDDEN = "***"
_TOKEN = re.compile(r"\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[a-z]|eyJ)[-_.]?[\w.-]{12,}")
_OPAQUE = re.compile(r"(?=[^/]*\d)[\w-]{24,}")
_NAMED = re.compile(r"([\w.-]+)(=|:\s*)(.+)", re.DOTALL)
_VARIABLES = re.compile(r"(?:\s|Bearer|Basic|\$\{[^}]*\})*")


def listed(path: str, servers: JsonObject, environment: Mapping[str, str]) -> list[Printable]:
    """Each server of the file: its name, how it is reached, and why it cannot be used if so it is."""
    return [_listed(path, name, entry, environment) for name, entry in servers.items()]


def unreadable(path: str, problem: str) -> dict[str, Printable]:
    """A file of which no server can be told."""
    return {"name": None, "config": path, "kind": None, "problem": problem}


def _listed(path: str, name: str, entry: Json, environment: Mapping[str, str]) -> dict[str, Printable]:
    if not isinstance(entry, dict):
        return {**unreadable(path, "its entry is no object"), "name": name}
    usual = normal(entry)
    kind = "http" if as_text(usual.get("url")) else "stdio" if as_text(usual.get("command")) else None
    about: dict[str, Printable] = {"name": name, "config": path, "kind": kind}
    match target(path, name, with_variables(entry, {}), environment):
        case Success(found):
            problem = None
            about["kind"] = transport_of(found)
        case Failure(fault):
            problem = explain.sentence(fault).removeprefix(f"{path}: ")
    if as_text(usual.get("url")):
        about |= {"url": shown_url(as_text(usual["url"])), "headers": [*as_object(usual.get("headers"))]}
    elif kind is not None:
        words = [as_text(usual.get("command")), *(str(word) for word in as_list(usual.get("args")))]
        about |= {"command": shown_words(words), "env": [*as_object(usual.get("env"))]}
    if entry.get("disabled") is True:
        about["disabled"] = True
    return {**about, "problem": problem}


def shown_words(words: Sequence[str]) -> list[Printable]:
    """The words of a command, with what looks like a secret left out."""
    shown: list[Printable] = []
    hide = False
    for word in words:
        shown.append(HIDDEN if hide and not _is_variable(word) else shown_word(word))
        hide = word.startswith("-") and "=" not in word and bool(SECRET.search(word))
    return shown


def shown_word(word: str) -> str:
    """The word, without what looks like a secret in it."""
    if "://" in word and "=" not in word.partition("://")[0]:
        return shown_url(word)
    named = _NAMED.fullmatch(word)
    if named and SECRET.search(named[1]) and not _is_variable(named[3]):
        return f"{named[1]}{named[2]}{HIDDEN}"
    return _TOKEN.sub(HIDDEN, word)


def shown_url(url: str) -> str:
    """The URL without credentials, values of its query, and parts of its path that nobody could remember."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return HIDDEN
    credentials, at, host = parts.netloc.rpartition("@")
    hidden = f"{HIDDEN}@{host}" if at and not _is_variable(credentials) else parts.netloc
    query = "&".join(_shown_pair(pair) for pair in parts.query.split("&")) if parts.query else ""
    return urlunsplit((parts.scheme, hidden, _OPAQUE.sub(HIDDEN, _TOKEN.sub(HIDDEN, parts.path)), query, ""))


def _shown_pair(pair: str) -> str:
    name, equals, value = pair.partition("=")
    return pair if _is_variable(value) else f"{name}{equals}{HIDDEN}"


def _is_variable(text: str) -> bool:
    """Whether the text only names where the secret stands."""
    return _VARIABLES.fullmatch(text) is not None
