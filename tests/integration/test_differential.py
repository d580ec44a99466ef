"""The SDK client and mcpi get the same results from the same calls, in both eras and over all transports.

DIFFERENCES lists the differences, each with its reason. ODD lists results that the SDK's models abridge, change or
reject; mcpi prints them verbatim.
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from attrs import frozen

import warm
from oracle import MODERN as LATEST
from oracle import Answers, Ask, Conversation, comparable, converse
from running import Mcpi

Serving = Callable[..., Any]
SERVER = Path(__file__).parents[2] / "fixtures" / "servers" / "sdk.py"

SAMPLED = {"role": "assistant", "content": {"type": "text", "text": "Well."}, "model": "m", "stopReason": "endTurn"}
CHOSEN = {"name": "Grace", "drink": "water", "cups": 3, "sugar": True}
FORM = {"colour": "blue", "many": ["a", "b"], "mail": "a@b.example", "share": 0.5}
ROOTS = [{"uri": "file:///tmp/a", "name": "a"}, {"uri": "file:///tmp/b%20c", "name": "b"}]
HANDSHAKE, MODERN = "handshake", "modern"
ANSWERS = Answers(SAMPLED, {"What would you like to drink?": CHOSEN, "Which?": FORM}, ROOTS)


@frozen
class Same:
    """One request, as a step of an mcpi script and as a call of the SDK client."""

    step: dict[str, Any]
    ask: Ask
    only: str = ""
    """The only era that supports it."""

    @property
    def name(self) -> str:
        """The name shown for a failed comparison."""
        return " ".join(str(value) for value in self.step.values())


def tool(name: str, **arguments: Any) -> Same:
    """A tool call."""
    step = {"method": "tools/call", "toolName": name, "toolArgs": arguments}
    return Same(step, lambda sdk: sdk.client.call_tool(name, arguments, progress_callback=sdk.progress))


def reading(uri: str) -> Same:
    """A resources/read request."""
    return Same({"method": "resources/read", "uri": uri}, lambda sdk: sdk.client.read_resource(uri))


def prompt(name: str, **arguments: str) -> Same:
    """A prompts/get request."""
    step = {"method": "prompts/get", "promptName": name, "promptArgs": arguments}
    return Same(step, lambda sdk: sdk.client.get_prompt(name, arguments))


def completing(ref: dict[str, str], name: str, value: str, **context: str) -> Same:
    """A completion request."""
    kind = f"{ref['type']}/{ref.get('name') or ref['uri']}"
    step: dict[str, Any] = {
        "method": "completion/complete",
        "completionRef": kind,
        "argumentName": name,
        "argumentValue": value,
    }
    if context:
        step["completionContext"] = [f"{key}={known}" for key, known in context.items()]
    argument = {"name": name, "value": value}
    return Same(step, lambda sdk: sdk.client.complete(reference(ref), argument, context_arguments=context or None))


def reference(ref: dict[str, str]) -> Any:
    """The reference to complete, in the SDK's type."""
    return types.PromptReference(name=ref["name"]) if "name" in ref else types.ResourceTemplateReference(uri=ref["uri"])


PROMPT, TEMPLATE = (
    {"type": "ref/prompt", "name": "summarize"},
    {"type": "ref/resource", "uri": "demo://greeting/{name}"},
)
HEARD = {
    HANDSHAKE: {"notifications/progress", "notifications/message", "notifications/resources/updated"},
    MODERN: {"notifications/progress", "notifications/message"},
}
ASKED = (
    Same({"method": "tools/list", "onePage": True}, lambda sdk: sdk.client.list_tools()),
    Same({"method": "tools/list", "cursor": "3", "onePage": True}, lambda sdk: sdk.client.list_tools(cursor="3")),
    Same({"method": "tools/list", "cursor": "12", "onePage": True}, lambda sdk: sdk.client.list_tools(cursor="12")),
    Same({"method": "resources/list"}, lambda sdk: sdk.client.list_resources()),
    Same({"method": "resources/templates/list"}, lambda sdk: sdk.client.list_resource_templates()),
    Same({"method": "prompts/list"}, lambda sdk: sdk.client.list_prompts()),
    tool("echo", text='é \u2028 😀 \\ " \n'),
    tool("add", a=1, b=2.5),
    tool("add", a=2**53, b=1),
    tool("add", a="x"),
    tool("kinds"),
    tool("structure"),
    tool("fail"),
    tool("broken"),
    tool("no-such-tool"),
    tool("slow", steps=3, delayMs=1),
    tool("log"),
    tool("ask-model", prompt="Say yes."),
    tool("ask-user"),
    tool("ask-form"),
    tool("ask-roots"),
    reading("demo://readme"),
    reading("demo://logo"),
    reading("demo://greeting/Grace%20Hopper"),
    reading("demo://nothing"),
    prompt("hello"),
    prompt("summarize", text="é", style="brief"),
    prompt("summarize"),
    prompt("nothing"),
    completing(PROMPT, "style", "b"),
    completing(TEMPLATE, "name", "a", other="x"),
    completing(PROMPT, "nothing", ""),
    Same(
        {"method": "logging/setLevel", "logLevel": "error"},
        lambda sdk: sdk.client.set_logging_level("error"),
        HANDSHAKE,
    ),
    Same({"method": "ping"}, lambda sdk: sdk.client.send_ping(), HANDSHAKE),
    Same(
        {"method": "resources/subscribe", "uri": "demo://counter"},
        lambda sdk: sdk.client.subscribe_resource("demo://counter"),
        HANDSHAKE,
    ),
    tool("touch"),
    Same(
        {"method": "resources/unsubscribe", "uri": "demo://counter"},
        lambda sdk: sdk.client.unsubscribe_resource("demo://counter"),
        HANDSHAKE,
    ),
    tool("touch"),
)


@frozen
class Way:
    """A transport, and a version of the protocol."""

    transport: str
    version: str

    @property
    def era(self) -> str:
        """The era that the version belongs to."""
        return MODERN if self.version == LATEST else HANDSHAKE

    def __str__(self) -> str:
        """The test ID."""
        return f"{self.transport}-{self.version}"


WAYS = (
    Way("stdio", "2024-11-05"),
    Way("stdio", "2025-03-26"),
    Way("stdio", "2025-06-18"),
    Way("stdio", "2025-11-25"),
    Way("stdio", "2026-07-28"),
    Way("http", "2025-06-18"),
    Way("http", "2025-11-25"),
    Way("http", "2026-07-28"),
    Way("sse", "2024-11-05"),
    Way("sse", "2025-11-25"),
)


@frozen
class Difference:
    """A known difference between the two clients, and its reason."""

    call: str
    ways: tuple[Way, ...]
    ours: Any
    theirs: Any
    reason: str


def refused_message(text: str) -> Any:
    """The text content of a failed tool call."""
    return {"result": {"content": [{"type": "text", "text": text}], "isError": True}}


DIFFERENCES = (
    Difference(
        "tools/call ask-user {}",
        tuple(way for way in WAYS if way.version in {"2024-11-05", "2025-03-26"}),
        refused_message("ask-user requires a client that declares the capability elicitation."),
        refused_message("The client answered elicitation/create with error -32601: Method not found"),
        "we declare elicitation where the version has it, the SDK's client declares it to every server",
    ),
)


@pytest.fixture
def target(served: Serving) -> Callable[[Way], tuple[str, ...]]:
    """Start the server for a transport, and return the words that name it."""

    def start(way: Way) -> tuple[str, ...]:
        words = (str(SERVER), way.transport)
        path = {"http": "/mcp", "sse": "/sse"}.get(way.transport)
        return (warm.python(), *words) if path is None else (served(sys.executable, *words, "PORT", path=path),)

    return start


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_both_clients_return_the_same_results(mcpi: Mcpi, target: Callable[[Way], tuple[str, ...]], way: Way) -> None:
    requests = [one for one in ASKED if one.only in {"", way.era}]
    ours = run_mcpi(mcpi, target(way), way, requests)
    enough = len(ours.notifications)
    theirs = anyio.run(converse, target(way), way.version, ANSWERS, [one.ask for one in requests], enough)

    for one, mine, other in zip(requests, ours.outcomes, theirs.outcomes, strict=True):
        known = next((known for known in DIFFERENCES if known.call == one.name and way in known.ways), None)
        expected = other if known is None else {"ours": known.ours, "theirs": known.theirs}
        seen = mine if known is None else {"ours": mine, "theirs": other}
        assert {one.name: seen} == {one.name: expected}
    assert ours.notifications == theirs.notifications
    assert {json.loads(one)[0] for one in ours.notifications} == HEARD[way.era]
    assert ours.about == theirs.about


def run_mcpi(mcpi: Mcpi, target: tuple[str, ...], way: Way, requests: Sequence[Same]) -> Conversation:
    """Run the same requests as an mcpi script."""
    steps = [{"onError": "continue", **one.step} for one in requests]
    forms = [word for form in (CHOSEN, FORM) for word in ("--handle-elicitation", json.dumps(form))]
    answers = ("--handle-sampling", json.dumps(SAMPLED), *forms)
    roots = [word for root in ROOTS for word in ("--roots", f"{root['uri']}={root['name']}")]
    version = ("--era", way.era, "--protocol-version", way.version)
    flags = (*answers, *roots, *(version if way.transport != "sse" else version[2:]), "--quiet")
    ran = mcpi("--script", "-", *flags, "--", *target, stdin=json.dumps([*steps, {"method": "server/info"}]))
    assert ran.stdout, ran.stderr
    *done, last = ran.json
    about = last["result"]
    info = {key: value for key, value in about.items() if key in {"name", "title", "version"}}
    return Conversation(
        [about["protocolVersion"], info, about["capabilities"], about["instructions"]],
        [outcome(one) for one in done],
        sorted(
            comparable(one["method"], one["params"])
            for envelope in ran.json
            for one in received_notifications(envelope)
        ),
    )


def outcome(envelope: Any) -> Any:
    """The result or the error of a step, as it was sent."""
    error = envelope["error"]
    if error is None or error["code"] == "TOOL_ERROR":
        return {"result": envelope["result"]}
    return {"error": error["rpc"]} if "rpc" in error else error["code"]


def received_notifications(envelope: Any) -> Iterator[Any]:
    """The notifications received during a step."""
    yield from envelope["notifications"]
    for log in envelope["logs"]:
        params = {key: log[key] for key in ("level", "logger", "data")}
        yield {"method": "notifications/message", "params": params}


@frozen
class Odd:
    """A result that the SDK changes or rejects, and the outcome in the SDK."""

    reason: str
    method: str
    text: str
    theirs: Any

    def __str__(self) -> str:
        """The test ID."""
        return self.reason.replace(" ", "-")


REFUSES = "ValidationError"
TASK = '"taskId":"t","status":"working","ttl":null,"createdAt":"2026-01-01T00:00:00Z"'
ODD = (
    Odd(
        "members that no version knows are left out",
        "tools/list",
        '{"tools":[{"name":"a","inputSchema":{"type":"object"},"vendor":1}],"more":true}',
        {"tools": [{"name": "a", "inputSchema": {"type": "object"}}]},
    ),
    Odd(
        "one bad tool of three costs the whole list",
        "tools/list",
        '{"tools":[{"name":"a","inputSchema":{}},{"name":"b"},{"name":"c","inputSchema":{}}]}',
        REFUSES,
    ),
    Odd(
        "members of content are left out too",
        "tools/call",
        '{"content":[{"type":"text","text":"x","extra":1}],"vendor":{"a":1}}',
        {"content": [{"type": "text", "text": "x"}]},
    ),
    Odd("a text becomes a boolean", "tools/call", '{"content":[],"isError":"yes"}', {"content": [], "isError": True}),
    Odd("content of an unknown kind is refused", "tools/call", '{"content":[{"type":"hologram"}]}', REFUSES),
    Odd(
        "numbers are spelled anew, and too large ones are lost",
        "tools/call",
        '{"content":[],"structuredContent":{"n":12345678901234567890123,"x":1.50,"e":1e400}}',
        {"content": [], "structuredContent": {"n": 12345678901234567890123, "x": 1.5, "e": None}},
    ),
    Odd(
        "of two members of one name the last is kept",
        "tools/call",
        '{"content":[],"structuredContent":{"a":1,"a":2}}',
        {"content": [], "structuredContent": {"a": 2}},
    ),
    Odd("a structure that is no object is refused", "tools/call", '{"content":[],"structuredContent":[1]}', REFUSES),
    Odd("a task instead of a result is refused", "tools/call", f'{{"task":{{{TASK}}}}}', REFUSES),
    Odd(
        "annotations of contents are left out",
        "resources/read",
        '{"contents":[{"uri":"x:y","text":"t","annotations":{"priority":2}}]}',
        {"contents": [{"uri": "x:y", "text": "t"}]},
    ),
)
ODD_CALLS: dict[str, tuple[Ask, tuple[str, ...]]] = {
    "tools/list": (lambda sdk: sdk.client.list_tools(), ("tools/list",)),
    "tools/call": (lambda sdk: sdk.client.call_tool("a"), ("tools/call", "--tool-name", "a")),
    "resources/read": (lambda sdk: sdk.client.read_resource("x:y"), ("resources/read", "--uri", "x:y")),
}


@pytest.mark.parametrize("odd", ODD, ids=str)
def test_results_changed_by_the_sdk_are_printed_verbatim(mcpi: Mcpi, server: Serving, odd: Odd) -> None:
    ask, words = ODD_CALLS[odd.method]
    target = server("odd", odd.method, odd.text)
    ran = mcpi("--method", *words, "--compact", "--era", "handshake", "--quiet", "--", *target)
    theirs = anyio.run(converse, target, "2025-11-25", ANSWERS, [ask], 0)

    assert ran.stdout == f"{odd.text}\n"
    assert theirs.outcomes == [odd.theirs if odd.theirs == REFUSES else {"result": odd.theirs}]
