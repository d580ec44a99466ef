"""The protocol's own schemas, as the SDK's models hold them for each version, applied to what passes."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from mcp_types import methods
from pydantic import BaseModel, TypeAdapter, ValidationError

from mcpi.core.jsontext.exact import Exact, JsonSyntaxProblem, parse_json_text
from mcpi.core.jsontext.values import Json, as_object, as_text
from mcpi.core.plans.events import ViolationSeen
from mcpi.core.session.effects import SendMessage
from mcpi.core.session.session import Session
from mcpi.core.wire.jsonrpc import Id, Message, Notification, Request, RpcResponse
from mcpi.core.wire.peer import Received
from mcpi.core.wire.versions import HANDSHAKE_VERSIONS, MODERN_VERSIONS
from mcpi.core.wire.violations import Violation, quote

MOST = 20
"""How many problems of one message are told."""
Table = Mapping[tuple[str, str], Any]


class SchemaChecker:
    """Measures every message by the negotiated version's schema; it changes nothing."""

    def __init__(self, session: Session) -> None:
        """No request is known yet."""
        self._session = session
        self._methods: dict[Id, str] = {}

    def sent(self, outgoing: SendMessage, at: float) -> None:
        """A message of ours, which the user may have written."""
        if outgoing.kind == "request":
            self._methods[outgoing.request_id] = outgoing.method
        found = parse_json_text(outgoing.data.decode())
        if not isinstance(found, Exact):
            return
        if outgoing.kind == "response":
            result = found.members().get("result")
            if result is not None:
                what = f"our answer to {outgoing.method}"
                self._judge(what, methods.CLIENT_RESULTS, outgoing.method, result, at)
            return
        table = methods.CLIENT_REQUESTS if outgoing.kind == "request" else methods.CLIENT_NOTIFICATIONS
        self._judge(f"our {outgoing.method}", table, outgoing.method, found, at)

    def received(self, received: Received, at: float) -> None:
        """A message of the server's."""
        for message in received.messages:
            self._message(message, at)

    def _message(self, message: Message, at: float) -> None:
        match message:
            case RpcResponse(number, result) if result is not None:
                method = self._methods.get(number, "")
                self._judge(f"the result of {method}", methods.SERVER_RESULTS, method, result, at)
            case Notification(method, _, text):
                self._judge(method, methods.SERVER_NOTIFICATIONS, method, Exact(text, None), at)
            case Request(_, method, _, text):
                self._judge(method, methods.SERVER_REQUESTS, method, Exact(text, None), at)
            case _:
                pass

    def _judge(self, what: str, table: Table, method: str, exact: Exact, at: float) -> None:
        version = self._version(method, exact)
        law = table.get((method, version))
        if law is None:
            return
        for pointer, problem in model_problems(law, exact.text):
            detail = f"{what} breaks the schema of {version} at {pointer or '/'}: {problem}"
            self._session.record_event(ViolationSeen(Violation("schema", detail, quote(exact.text)), at))

    def _version(self, method: str, exact: Exact) -> str:
        if self._session.server is not None:
            return self._session.server.version
        if method == "initialize":
            return as_text(as_object(exact.value).get("protocolVersion")) or HANDSHAKE_VERSIONS[0]
        return MODERN_VERSIONS[0]


@cache
def _adapter(law: type[BaseModel]) -> TypeAdapter[Any]:
    return TypeAdapter(law)


def model_problems(law: type[BaseModel], text: str) -> Iterator[tuple[str, str]]:
    """What is wrong with the JSON, each problem with its pointer."""
    try:
        # Strict: the schema knows no "yes" for true.
        _adapter(law).validate_json(text, strict=True)
    except ValidationError as error:
        found = parse_json_text(text)
        value = None if isinstance(found, JsonSyntaxProblem) else found.value
        told = {(_pointer(one["loc"], value), one["msg"]) for one in error.errors(include_url=False)[:MOST]}
        yield from sorted(told)


def _pointer(location: tuple[int | str, ...], value: Json) -> str:
    """The JSON pointer; the model's location also names the alternatives that it tried, which are left out."""
    path = ""
    for part in location:
        if isinstance(part, int) and isinstance(value, list) and part < len(value):
            value = value[part]
        elif isinstance(value, dict) and part in value:
            value = value[str(part)]
        elif part != location[-1] or not isinstance(part, str):
            continue
        path += f"/{str(part).replace('~', '~0').replace('/', '~1')}"
    return path
