"""What is secret in a command, an environment and a URL, and how they are shown without it."""

import re
from binascii import b2a_base64
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import unquote, unquote_plus, urlsplit, urlunsplit

HIDDEN = "***"
TELLING = 8
"""What is shorter is a word, which would be hidden everywhere."""

_SECRET = re.compile("key|token|secret|passw|auth|credential", re.IGNORECASE)
"""What stands in the names of secrets."""
_PLACE = re.compile("(?:file|path|dir)$", re.IGNORECASE)
"""How names end that only say where the secret stands."""
_TOKEN = re.compile(r"(\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[a-z]|eyJ)[-_.]?[\w.-]{12,})")
_OPAQUE = re.compile(r"(?=[^/]*\d)[\w-]{24,}")
_UNREADABLE = re.compile(r"(?<=//).*(?=@)|(?<=[?#]).*", re.DOTALL)
"""Where the secrets stand in what is no URL."""
_NAMED = re.compile(r"([\w.-]+)(=|:\s*)(.+)", re.DOTALL)
_OPEN = frozenset({"accept", "content-type", "user-agent", "mcp-protocol-version"})
"""Headers whose values are no secrets."""
_WORD = re.compile("[A-Za-z]{1,12}")
"""What hides half of every text if it is hidden, such as the name of a team."""
_VARIABLES = re.compile(r"(?:\s|Bearer|Basic|\$\{[^}]*\})*")


def of_words(words: Sequence[str]) -> list[str]:
    """What is secret in the words of a command by its place, its name or its looks."""
    found: list[str] = []
    for word, whole in _placed(words):
        if not whole and _is_url(word):
            found += of_url(word)
        else:
            parts = [(word, True)] if whole else _parts(word)
            found += [part for text, secret in parts if secret for part in (text, text.partition(" ")[2])]
    return [one for one in found if len(one) >= TELLING]


def of_pairs(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """The values whose names say that they are secrets."""
    return [value for name, value in pairs if _tells(name) and len(value) >= TELLING]


def in_header(name: str, value: str) -> bool:
    """Whether the header's value is a secret: whatever is sent is one, but for what everybody sends, and mere words."""
    if name.lower() in _OPEN:
        return False
    return _tells(name) or _WORD.fullmatch(value) is None


def _basic(userinfo: str) -> str:
    pair = unquote(userinfo if ":" in userinfo else f"{userinfo}:")
    return b2a_base64(pair.encode(errors="replace"), newline=False).decode()


def of_url(url: str) -> list[str]:
    """What is secret in the URL by its place or its name, spelled as it is and as it is meant."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    userinfo = parts.netloc.rpartition("@")[0]
    pairs = (pair.partition("=") for pair in parts.query.split("&"))
    # What a URL says before its @ goes out in the header of basic authentication.
    own = [userinfo.partition(":")[2] or userinfo, _basic(userinfo)] if userinfo else []
    found = [*own, *of_pairs((name, value) for name, _, value in pairs)]
    return list(dict.fromkeys(spelling for one in found if one for spelling in (one, unquote_plus(one))))


def shown_words(words: Sequence[str]) -> list[str]:
    """The words of a command, with what looks like a secret left out."""
    return [HIDDEN if whole else shown_word(word) for word, whole in _placed(words)]


def shown_word(word: str) -> str:
    """The word, without what looks like a secret in it."""
    if _is_url(word):
        return shown_url(word)
    return "".join(HIDDEN if secret else text for text, secret in _parts(word))


def shown_url(url: str) -> str:
    """The URL without credentials, values of its query, and parts of its path that nobody could remember."""
    try:
        parts = urlsplit(url if "://" in url else f"//{url}")
    except ValueError:
        return _UNREADABLE.sub(HIDDEN, url)
    credentials, at, host = parts.netloc.rpartition("@")
    hidden = f"{HIDDEN}@{host}" if at and not _is_variable(credentials) else parts.netloc
    query = "&".join(_shown_pair(pair) for pair in parts.query.split("&")) if parts.query else ""
    path = _OPAQUE.sub(HIDDEN, _TOKEN.sub(HIDDEN, parts.path))
    return urlunsplit((parts.scheme, hidden, path, query, "")).removeprefix("//")


def _placed(words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Each word, and whether a flag before it says that all of it is a secret."""
    flag = ""
    for word in words:
        yield word, _tells(flag) and not word.startswith("--") and not _is_variable(word)
        flag = word if word.startswith("-") and "=" not in word else ""


def _parts(word: str) -> list[tuple[str, bool]]:
    """The parts of the word, and whether they are secrets."""
    named = _NAMED.fullmatch(word)
    if named and _tells(named[1]):
        return [(named[1] + named[2], False), (named[3], not _is_variable(named[3]))]
    return [(part, place % 2 == 1) for place, part in enumerate(_TOKEN.split(word))]


def _tells(name: str) -> bool:
    """Whether the name says that its value is a secret."""
    return bool(_SECRET.search(name)) and not _PLACE.search(name)


def _is_url(word: str) -> bool:
    return "://" in word and "=" not in word.partition("://")[0]


def _shown_pair(pair: str) -> str:
    name, equals, value = pair.partition("=")
    return pair if _is_variable(value) else f"{name}{equals}{HIDDEN}"


def _is_variable(text: str) -> bool:
    """Whether the text only names where the secret stands."""
    return _VARIABLES.fullmatch(text) is not None
