"""Detect secrets in commands, headers, environments and URLs, and mask them for display."""

import re
from binascii import b2a_base64
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import unquote, unquote_plus, urlsplit, urlunsplit

from mcpi.core.lazy_pattern import lazy_pattern

HIDDEN = "***"
MIN_LENGTH = 8
"""Minimum length of a secret: shorter values are common words that would be masked everywhere."""

_SECRET = lazy_pattern(
    r"(?<!mon|don|tur|hoc)key(?!word|board|note|frame)|token|secret|passw|auth(?!or(?!i[sz]))|credential", re.IGNORECASE
)
"""Words that mark a name as that of a secret, but not author, keyword or monkey."""
_LOCATION = lazy_pattern("(?:file|path|dir)$", re.IGNORECASE)
"""Suffixes of names that give the location of a secret, not its value."""
_TOKEN = lazy_pattern(r"(\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[a-z]|eyJ)[-_.]?[\w.-]{12,})")
_OPAQUE = lazy_pattern(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{16,}(?![\w-])")
"""A part of a path that looks like a key: long, with letters and digits."""
_PARAMETERS = frozenset({"q", "k", "sig", "pwd", "pass", "code", "jwt", "session", "sid"})
"""Further names of URL parameters that carry secrets."""
_MALFORMED_URL = lazy_pattern(r"(?<=//).*(?=@)|(?<=[?#]).*", re.DOTALL)
"""The parts of a malformed URL that may hold secrets."""
_NAMED = lazy_pattern(r"([\w.-]+)(=|:\s*)(.+)", re.DOTALL)
_PUBLIC_HEADERS = frozenset({"accept", "content-type", "user-agent", "mcp-protocol-version"})
"""Headers whose values are not secret."""
_WORD = lazy_pattern("[A-Za-z]{1,12}")
"""A single word, such as a team's name: masking it would hide parts of unrelated text."""
_HARMLESS = lazy_pattern(r"[A-Za-z]{1,12}|\d{1,11}")
_URL = lazy_pattern(r"([\w.-]*=)?(\w[\w+.-]*://.*)", re.DOTALL)
_VARIABLES = lazy_pattern(r"(?:\s|Bearer|Basic|\$\{[^}]*\})*")


def secrets_in_words(words: Sequence[str]) -> list[str]:
    """Find the secrets in a command's words, by position, by name or by format."""
    found: list[str] = []
    for word, whole in _with_flag_marks(words):
        url = None if whole else _URL.fullmatch(word)
        if url and not _names_secret(url[1] or ""):
            found += secrets_in_url(url[2])
        else:
            parts = [(word, True)] if whole else _parts(word)
            found += [part for text, secret in parts if secret for part in (text, text.partition(" ")[2])]
    return [one for one in found if len(one) >= MIN_LENGTH]


def secrets_in_pairs(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return the values whose names mark them as secrets."""
    return [value for name, value in pairs if _names_secret(name) and len(value) >= MIN_LENGTH]


def is_secret_header(name: str, value: str) -> bool:
    """Tell whether the header's value is a secret: every value is, except in public headers and for single words."""
    if name.lower() in _PUBLIC_HEADERS:
        return False
    return _names_secret(name) or _WORD.fullmatch(value) is None


def _basic_credentials(userinfo: str) -> str:
    pair = unquote(userinfo if ":" in userinfo else f"{userinfo}:")
    return b2a_base64(pair.encode(errors="replace"), newline=False).decode()


def secrets_in_url(url: str) -> list[str]:
    """Find the secrets in a URL, by position, name or format, both as spelled and percent-decoded."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    userinfo = parts.netloc.rpartition("@")[0]
    pairs = map(_pair, parts.query.split("&"))
    found = [
        # The userinfo of a URL is sent in the header of basic authentication.
        *((userinfo.partition(":")[2] or userinfo, _basic_credentials(userinfo)) if userinfo else ()),
        *(part for part, secret in _path_parts(parts.path) if secret),
        *(value for name, value in pairs if _hides(name, value)),
        *((parts.fragment,) if _hides("", parts.fragment) else ()),
    ]
    return list(dict.fromkeys(spelling for one in found if one for spelling in (one, unquote_plus(one))))


def secrets_in_variable(name: str, value: str) -> list[str]:
    """Find the secrets in a variable that a config file refers to: a path, a word or a number is not a secret."""
    if _URL.fullmatch(value):
        return secrets_in_url(value)
    if _names_secret(name):
        return [value]
    if "/" in value or "\\" in value:
        return [part for part, secret in _path_parts(value) if secret]
    return [] if _is_harmless(value) else [value]


def mask_words(words: Sequence[str]) -> list[str]:
    """Mask the secrets in a command's words."""
    return [HIDDEN if whole else mask_word(word) for word, whole in _with_flag_marks(words)]


def mask_word(word: str) -> str:
    """Mask the secrets in one word."""
    url = _URL.fullmatch(word)
    if url and not _names_secret(url[1] or ""):
        return (url[1] or "") + mask_url(url[2])
    return "".join(HIDDEN if secret else text for text, secret in _parts(word))


def mask_any_key(word: str) -> str:
    """Mask the secrets in a word that may itself be one, as it is in no valid position."""
    return "".join(HIDDEN if secret else text for text, secret in _path_parts(mask_word(word)))


def mask_url(url: str) -> str:
    """Mask the secrets in a URL: those that `secrets_in_url` finds, and all credentials."""
    try:
        parts = urlsplit(url if "://" in url else f"//{url}")
    except ValueError:
        return _MALFORMED_URL.sub(HIDDEN, url)
    credentials, at, host = parts.netloc.rpartition("@")
    hidden = f"{HIDDEN}@{host}" if at and not _is_variable(credentials) else parts.netloc
    query = "&".join(_shown_pair(pair) for pair in parts.query.split("&")) if parts.query else ""
    path = "".join(HIDDEN if secret else part for part, secret in _path_parts(parts.path))
    fragment = HIDDEN if _hides("", parts.fragment) else parts.fragment
    return urlunsplit((parts.scheme, hidden, path, query, fragment)).removeprefix("//")


def _with_flag_marks(words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Pair each word with a bool: True if the flag before it marks the whole word as a secret."""
    flag = ""
    for word in words:
        yield word, _names_secret(flag) and not word.startswith("--") and not _is_variable(word)
        flag = word if word.startswith("-") and "=" not in word else ""


def _parts(word: str) -> list[tuple[str, bool]]:
    """Split the word into parts, each with a bool: True if the part is a secret."""
    named = _NAMED.fullmatch(word)
    if named and _names_secret(named[1]):
        return [(named[1] + named[2], False), (named[3], not _is_variable(named[3]))]
    return [(part, place % 2 == 1) for place, part in enumerate(_TOKEN.split(word))]


def _names_secret(name: str) -> bool:
    """Tell whether the name is that of a secret."""
    return bool(_SECRET.search(name)) and not _LOCATION.search(name)


def _path_parts(path: str) -> Iterator[tuple[str, bool]]:
    """Split a path into parts, each with a bool: True if the part looks like a key."""
    for place, part in enumerate(_TOKEN.split(path)):
        end = 0
        for found in _OPAQUE.finditer(part) if place % 2 == 0 else ():
            yield from ((part[end : found.start()], False), (found[0], True))
            end = found.end()
        yield part[end:], place % 2 == 1


def _pair(text: str) -> tuple[str, str]:
    """Split a parameter of a URL into its name and its value; without a `=` it is only a value."""
    name, equals, value = text.partition("=")
    return (name, value) if equals else ("", name)


def _shown_pair(pair: str) -> str:
    name, value = _pair(pair)
    return f"{pair.removesuffix(value)}{HIDDEN}" if _hides(name, value) else pair


def _hides(name: str, value: str) -> bool:
    """Tell whether a parameter of a URL may be a secret, by its name or because its value is not a plain word."""
    if not value or _is_variable(value):
        return False
    return name.lower() in _PARAMETERS or _names_secret(name) or not _is_harmless(value)


def _is_harmless(value: str) -> bool:
    return len(value) < MIN_LENGTH or _HARMLESS.fullmatch(value) is not None


def _is_variable(text: str) -> bool:
    """Tell whether the text only refers to variables that hold the secret."""
    return _VARIABLES.fullmatch(text) is not None
