"""JSON that the json module gives up on: nested too deep, or with integers too long."""

import json
import re
from collections.abc import Callable
from json import JSONDecoder
from typing import cast

from mcpi.core.jsontext.patterns import LITERAL, STRING
from mcpi.core.jsontext.values import Json, JsonObject

_TOKEN = re.compile(
    r"[ \t\r\n]*(?:(?P<open>[{\[])|(?P<close>[}\]])|(?P<mark>[,:])"
    f"|(?P<leaf>{STRING}|{LITERAL}))",
    re.DOTALL,
)
_LONG = 4000


def _refuse(literal: str) -> None:
    raise ValueError(literal)


def _integer(text: str) -> int | float:
    # Python refuses integers of more than 4300 digits; only the text is printed, so infinity decides as well.
    return int(text) if len(text) < _LONG else float(text)


_DECODER = JSONDecoder(parse_constant=_refuse, parse_int=_integer)


class _Builder:
    """The containers that are still open, and what may come next."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.stack: list[list[Json] | JsonObject] = []
        self.name = ""
        self.expect = "value"
        self.root: Json = None

    def fail(self, at: int) -> json.JSONDecodeError:
        return json.JSONDecodeError(f"a {self.expect} is missing", self.text, at)

    def add(self, value: Json) -> None:
        if not self.stack:
            self.root = value
        elif isinstance(parent := self.stack[-1], list):
            parent.append(value)
        else:
            parent[self.name] = value
        self.expect = "comma or end"

    def open(self, mark: str, at: int) -> None:
        if self.expect not in {"value", "value or end"}:
            raise self.fail(at)
        container: list[Json] | JsonObject = [] if mark == "[" else {}
        self.add(container)
        self.stack.append(container)
        self.expect = "value or end" if mark == "[" else "name or end"

    def close(self, mark: str, at: int) -> None:
        if not self.expect.endswith("end") or mark != ("]" if isinstance(self.stack[-1], list) else "}"):
            raise self.fail(at)
        self.stack.pop()
        self.expect = "comma or end"

    def mark(self, mark: str, at: int) -> None:
        if mark == "," and self.expect == "comma or end":
            self.expect = "value" if isinstance(self.stack[-1], list) else "name"
        elif mark == ":" and self.expect == "colon":
            self.expect = "value"
        else:
            raise self.fail(at)

    def leaf(self, text: str, at: int) -> None:
        if self.expect in {"value", "value or end"}:
            self.add(_leaf(text, self.text, at))
        elif self.expect in {"name", "name or end"} and text[0] == '"':
            self.name = cast("str", _leaf(text, self.text, at))
            self.expect = "colon"
        else:
            raise self.fail(at)


def _leaf(leaf: str, text: str, at: int) -> Json:
    try:
        value: Json = _DECODER.decode(leaf)
    except ValueError as error:
        raise json.JSONDecodeError(f"{leaf[:40]} is not JSON", text, at) from error
    return value


def read_deep(text: str, start: int) -> tuple[Json, int]:
    """The value that starts there and where it ends, however deep it goes; raises JSONDecodeError."""
    builder = _Builder(text)
    actions: dict[str, Callable[[str, int], None]] = {
        "open": builder.open,
        "close": builder.close,
        "mark": builder.mark,
        "leaf": builder.leaf,
    }
    at = start
    while True:
        token = _TOKEN.match(text, at)
        if token is None or token.lastgroup is None:
            raise builder.fail(at)
        actions[token.lastgroup](token[token.lastgroup], token.start(token.lastgroup))
        at = token.end()
        if not builder.stack:
            return builder.root, at
