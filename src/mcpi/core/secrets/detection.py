"""Detect secrets in commands, headers, environments and URLs, and mask them for display."""

import re
from binascii import b2a_base64
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import unquote, unquote_plus, urlsplit, urlunsplit

HIDDEN = "***"
MIN_LENGTH = 8
"""Minimum length of a secret: shorter values are common words that would be masked everywhere."""

_SECRET = re.compile("key|token|secret|passw|auth|credential", re.IGNORECASE)
"""Words that mark a name as that of a secret."""
_LOCATION = re.compile("(?:file|path|dir)$", re.IGNORECASE)
"""Suffixes of names that give the location of a secret, not its value."""
_TOKEN = re.compile(r"(\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[a-z]|eyJ)[-_.]?[\w.-]{12,})")
_OPAQUE = re.compile(r"(?=[^/]*\d)[\w-]{24,}")
_MALFORMED_URL = re.compile(r"(?<=//).*(?=@)|(?<=[?#]).*", re.DOTALL)
"""The parts of a malformed URL that may hold secrets."""
_NAMED = re.compile(r"([\w.-]+)(=|:\s*)(.+)", re.DOTALL)
_PUBLIC_HEADERS = frozenset({"accept", "content-type", "user-agent", "mcp-protocol-version"})
"""Headers whose values are not secret."""
_WORD = re.compile("[A-Za-z]{1,12}")
"""A single word, such as a team's name: masking it would hide half of every text."""
_VARIABLES = re.compile(r"(?:\s|Bearer|Basic|\$\{[^}]*\})*")


def secrets_in_words(words: Sequence[str]) -> list[str]:
    """Find the secrets in a command's words, by position, by name or by format."""
    found: list[str] = []
    for word, whole in _with_flag_marks(words):
        if not whole and _is_url(word):
            found += secrets_in_url(word)
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
    """Find the secrets in a URL, by position or by name, both as spelled and percent-decoded."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    userinfo = parts.netloc.rpartition("@")[0]
    pairs = (pair.partition("=") for pair in parts.query.split("&"))
    # The userinfo of a URL is sent in the header of basic authentication.
    own = [userinfo.partition(":")[2] or userinfo, _basic_credentials(userinfo)] if userinfo else []
    found = [*own, *secrets_in_pairs((name, value) for name, _, value in pairs)]
    return list(dict.fromkeys(spelling for one in found if one for spelling in (one, unquote_plus(one))))


def mask_words(words: Sequence[str]) -> list[str]:
    """Mask the secrets in a command's words."""
    return [HIDDEN if whole else mask_word(word) for word, whole in _with_flag_marks(words)]


def mask_word(word: str) -> str:
    """Mask the secrets in one word."""
    if _is_url(word):
        return mask_url(word)
    return "".join(HIDDEN if secret else text for text, secret in _parts(word))


def mask_url(url: str) -> str:
    """Mask the credentials, query values and token-like path parts of a URL, and drop its fragment."""
    try:
        parts = urlsplit(url if "://" in url else f"//{url}")
    except ValueError:
        return _MALFORMED_URL.sub(HIDDEN, url)
    credentials, at, host = parts.netloc.rpartition("@")
    hidden = f"{HIDDEN}@{host}" if at and not _is_variable(credentials) else parts.netloc
    query = "&".join(_shown_pair(pair) for pair in parts.query.split("&")) if parts.query else ""
    path = _OPAQUE.sub(HIDDEN, _TOKEN.sub(HIDDEN, parts.path))
    return urlunsplit((parts.scheme, hidden, path, query, "")).removeprefix("//")


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


def _is_url(word: str) -> bool:
    return "://" in word and "=" not in word.partition("://")[0]


def _shown_pair(pair: str) -> str:
    name, equals, value = pair.partition("=")
    return pair if _is_variable(value) else f"{name}{equals}{HIDDEN}"


def _is_variable(text: str) -> bool:
    """Tell whether the text only refers to variables that hold the secret."""
    return _VARIABLES.fullmatch(text) is not None
