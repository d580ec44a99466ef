"""JSON, messages and scripts generated from grammars: valid, with every unusual form the grammar allows."""

import json
from collections.abc import Callable, Sequence
from random import Random

NUMBERS = (
    "0",
    "-0",
    "1",
    "2",
    "3",
    "1.0",
    "1e0",
    "-1",
    "1e400",
    "-1e400",
    "1E+2",
    "0.1e-7",
    "9" * 400,
    "123456789012345678901",
)
STRINGS = (
    '""',
    '"a"',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\u0000"',
    '"\\u001b[31m"',
    '"é\u2028𝄞"',
    '"\\\\\\""',
    '"a\\nb"',
    '"2.0"',
)
NAMES = (
    "jsonrpc",
    "id",
    "method",
    "params",
    "result",
    "error",
    "_meta",
    "progressToken",
    "content",
    "type",
    "text",
    "",
)
SPACES = ("", "", "", " ", "\t", "\r", "  ")
METHODS = ("notifications/message", "notifications/progress", "notifications/cancelled", "ping", "roots/list", "a", "")
STEP_KEYS: dict[str, tuple[object, ...]] = {
    "name": ("a", "b", "${v}"),
    "onError": ("stop", "continue", "skip-to:1"),
    "timeout": ("1s", "100ms"),
    "allowFailure": (True, False),
    "failOnError": (True, False),
    "retry": ({"times": 1}, {"times": 2, "interval": "1ms"}),
    "maxDuration": ("1ms", "1s"),
    "capture": ({"w": "/a"}, {"w": "/content/0/text"}, {"v": ""}),
}
"""Keys of a step, with values that fit."""
METHOD_KEYS: tuple[dict[str, object], ...] = (
    {"method": "ping"},
    {"method": "tools/list"},
    {"method": "tools/call", "toolName": "echo"},
    {"method": "tools/call", "toolName": "${v}", "toolArgs": {"n": 1}},
    {"method": "resources/read", "uri": "x:y"},
    {"method": "vendor/x", "params": {}, "force": True},
    {"wait": "notifications/message"},
)
WRONG: tuple[object, ...] = (
    "",
    "jump",
    "skip-to:",
    "${missing}",
    "x\ud800",
    0,
    -1,
    1e400,
    None,
    [],
    {},
    {"times": 1e9},
    True,
)
OPERATORS: dict[str, tuple[object, ...]] = {
    "equals": (1, "a", None, [], {"a": [1]}),
    "contains": (1, "a"),
    "matches": ("^a", "(x+x+)+y", "(a|a)*$"),
    "exists": (True, False),
    "type": ("string", "object"),
    "length": (0, 1),
    "schema": ({"type": "object"}, {"pattern": "(a|a)*"}, {"$ref": "#"}),
    "lessThan": (1,),
    "greaterThan": (1e300,),
}
POINTERS = ("", "/a", "/content/0/text", "/isError", "/~0~1")


def value(random: Random, depth: int = 4) -> str:
    """The text of a random JSON value."""
    kind = random.random()
    if depth and kind < 0.25:
        return _joined(random, "[", [value(random, depth - 1) for _ in range(random.randrange(4))], "]")
    if depth and kind < 0.5:
        return obj(random, [(random.choice(NAMES), value(random, depth - 1)) for _ in range(random.randrange(4))])
    if kind < 0.52:
        levels = random.choice((10, 999, 1000, 1001, 3000))
        return "[" * levels + random.choice(("", "1", '{"a":1}')) + "]" * levels
    return random.choice((*NUMBERS, *STRINGS, "true", "false", "null"))


def obj(random: Random, members: Sequence[tuple[str, str]]) -> str:
    """The text of an object; some member names contain escapes."""
    return _joined(random, "{", [f"{_name(random, name)}{random.choice(SPACES)}:{text}" for name, text in members], "}")


def _name(random: Random, name: str) -> str:
    if name and random.random() < 0.05:
        return f'"\\u{ord(name[0]):04x}{name[1:]}"'
    return json.dumps(name)


def _joined(random: Random, opening: str, parts: Sequence[str], closing: str) -> str:
    def space() -> str:
        return random.choice(SPACES)

    return opening + space() + f"{space()},{space()}".join(parts) + space() + closing


def message(random: Random) -> str:
    """A message with the members of JSON-RPC in any order, some duplicated and some of a wrong type."""
    usual: dict[str, Callable[[], str]] = {
        "jsonrpc": lambda: '"2.0"',
        "id": lambda: random.choice((*NUMBERS[:7], '"1"', '"2"', "null")),
        "method": lambda: json.dumps(random.choice(METHODS)),
        "params": lambda: obj(
            random, [("progressToken", "1"), ("progress", random.choice(NUMBERS)), ("data", value(random))]
        ),
        "result": lambda: obj(random, [("content", value(random)), ("isError", random.choice(("true", "false", "1")))]),
        "error": lambda: obj(random, [("code", random.choice(NUMBERS)), ("message", random.choice(STRINGS))]),
    }
    kind = random.choice(
        (("id", "result"), ("id", "error"), ("id", "method", "params"), ("method", "params"), tuple(usual))
    )
    names = [name for name in ("jsonrpc", *kind) if random.random() < 0.95]
    names += random.sample(NAMES, random.choice((0, 0, 0, 1, 2)))
    random.shuffle(names)
    made = [(name, usual[name]() if name in usual and random.random() < 0.9 else value(random)) for name in names]
    return obj(random, made)


def batch(random: Random) -> str:
    """A message, or several in an array."""
    return message(random) if random.random() < 0.9 else f"[{','.join(message(random) for _ in range(3))}]"


def script(random: Random) -> str:
    """A script whose steps use known keys, with valid or nearly valid values."""
    steps = [_step(random) for _ in range(random.choice((1, 2, 5)))]
    if random.random() < 0.5:
        return json.dumps(steps)
    return json.dumps({"vars": {"v": random.choice(("echo", "x"))}, "steps": steps})


def _step(random: Random) -> dict[str, object]:
    step = dict(random.choice(METHOD_KEYS))
    for name in random.sample([*STEP_KEYS], random.choice((0, 0, 1, 2, 4))):
        step[name] = random.choice(STEP_KEYS[name])
    if random.random() < 0.5:
        step["expect"] = {random.choice(POINTERS[:5]): _expectation(random)}
    if random.random() < 0.05:
        step[random.choice([*step, "unknown"])] = random.choice(WRONG)
    return step


def _expectation(random: Random) -> object:
    operator = random.choice([*OPERATORS])
    return (
        {operator: random.choice(OPERATORS[operator])} if random.random() < 0.8 else random.choice((1, "a", None, []))
    )
