r"""Encoded forms of a text: in JSON, in HTML, in a URL, and in the quotes of a message.

A password `pa"ss<` is `pa\"ss<` in a server's message, `pa\\\"ss<` in the trace, `pa\&quot;ss&lt;` in a report.
"""

import json
from collections.abc import Callable, Iterator
from urllib.parse import quote, quote_plus

from mcpi.core.jsontext.writing import text as quoted
from mcpi.core.lazy_pattern import lazy_pattern

_GO = {ord(one): f"\\u{ord(one):04x}" for one in "<>&\u2028\u2029"}
_NET = {one: f"\\u{ord(one):04X}" for one in "<>&'`+\""}
_QUOTES = ({'"': "quot", "'": "#x27"}, {'"': "quot", "'": "#39"}, {'"': "quot", "'": "apos"}, {'"': "#34", "'": "#39"})
_HTML = [{ord(one): f"&{name};" for one, name in {"&": "amp", "<": "lt", ">": "gt", **two}.items()} for two in _QUOTES]
"""The escapes of Python, JavaScript, XML writers, and Go."""
_URL_SAFE = ("", "/", "*", "!'()*", ";,/?:@&=+$!'()*#")
"""Characters that programs leave as they are: Python, and JavaScript in URLSearchParams, URI components and URIs."""
_PERCENT = lazy_pattern("%[0-9A-F]{2}")


def encoded_forms(text: str) -> frozenset[str]:
    """Return all encoded forms of the text, including the text itself."""
    plain = {text, *_within_json(text), *_within_quotes(text)}
    return frozenset({*plain, *(one.translate(html) for one in plain for html in _HTML), *_within_urls(text)})


def _within_json(text: str) -> Iterator[str]:
    """Encode the text in JSON, in JSON inside a JSON string, and as the trace shows either."""
    for write in _WRITERS:
        once = write(text)
        twice = write(once)
        yield from (once, twice, _own(once), _own(twice))


def _within_quotes(text: str) -> Iterator[str]:
    """Encode the text as Python's `repr` quotes it, alone or inside JSON."""
    for one in (repr(text)[1:-1], repr(f'{text}"')[1:-2]):
        yield from (one, _own(one))


def _within_urls(text: str) -> Iterator[str]:
    for safe in _URL_SAFE:
        for write in (quote, quote_plus):
            once = write(text, safe, errors="surrogatepass")
            # .NET writes the digits in lower case.
            yield from (once, _PERCENT.sub(lambda escape: escape[0].lower(), once))


def _own(text: str) -> str:
    return quoted(text)[1:-1]


def _as_python(text: str) -> str:
    return json.dumps(text)[1:-1]


def _as_go(text: str) -> str:
    return _own(text).translate(_GO)


def _as_php(text: str) -> str:
    return _as_python(text).replace("/", r"\/")


def _as_net(text: str) -> str:
    return "".join(_NET.get(one) or _uppercase_escape(_as_python(one)) for one in text)


def _uppercase_escape(escape: str) -> str:
    return escape.upper().replace(r"\U", r"\u") if escape.startswith(r"\u") else escape


_WRITERS: tuple[Callable[[str], str], ...] = (_own, _as_python, _as_go, _as_php, _as_net)
"""JSON string encoders: the one that mcpi and JavaScript use, and the defaults of other languages."""
