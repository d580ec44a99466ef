"""Validate messages against the protocol's schemas, which the SDK's models define for each version."""

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args

from mcp_types import methods
from pydantic import BaseModel, TypeAdapter, ValidationError

from mcpi.core.jsontext.exact import Exact, JsonSyntaxProblem, Printable, parse_json_text
from mcpi.core.jsontext.patterns import STRING
from mcpi.core.jsontext.pointers import escape_token
from mcpi.core.jsontext.values import as_object, as_text
from mcpi.core.jsontext.writing import dump
from mcpi.core.plans.events import TransportNote, ViolationSeen
from mcpi.core.session.effects import SendMessage
from mcpi.core.session.session import Session
from mcpi.core.wire.jsonrpc import Id, Message, Notification, Request, RpcResponse
from mcpi.core.wire.peer import MAX_UNANSWERED, Received
from mcpi.core.wire.versions import HANDSHAKE_VERSIONS, MODERN_VERSIONS
from mcpi.core.wire.violations import SENT, Rule, Violation, quote
from mcpi.shell.connection.union_errors import reduced_errors

MAX_PROBLEMS = 20
"""Maximum number of problems to report for one message."""
MAX_COMMAS = 50_000
"""Maximum number of commas outside strings: pydantic collects several errors for each value before it returns."""
ModelTable = Mapping[tuple[str, str], Any]
_SENT_MESSAGES = (methods.CLIENT_REQUESTS, methods.CLIENT_NOTIFICATIONS, methods.CLIENT_RESULTS)


class SchemaChecker:
    """A traffic listener that validates every message against the schema of the negotiated version."""

    def __init__(self, session: Session) -> None:
        """Start without known requests."""
        self._session = session
        self._methods: OrderedDict[Id, str] = OrderedDict()

    def sent(self, outgoing: SendMessage, at: float) -> None:
        """Validate a message to the server; the user may have written it."""
        if outgoing.kind == "request":
            self._methods[outgoing.request_id] = outgoing.method
            if len(self._methods) > MAX_UNANSWERED:
                self._methods.popitem(last=False)
        found = parse_json_text(outgoing.data.decode())
        if not isinstance(found, Exact):
            return
        if outgoing.kind == "response":
            result = found.members().get("result")
            if result is not None:
                what = f"mcpi's answer to {outgoing.method}"
                self._validate(what, methods.CLIENT_RESULTS, outgoing.method, result, at)
            return
        table = methods.CLIENT_REQUESTS if outgoing.kind == "request" else methods.CLIENT_NOTIFICATIONS
        self._validate(f"mcpi's {outgoing.method}", table, outgoing.method, found, at)

    def received(self, received: Received, at: float) -> None:
        """Validate messages from the server."""
        for message in received.messages:
            self._validate_received(message, at)

    def _validate_received(self, message: Message, at: float) -> None:
        match message:
            case RpcResponse(number, result):
                method = self._methods.pop(number, "")
                if result is not None:
                    self._validate(f"the result of {method}", methods.SERVER_RESULTS, method, result, at)
            case Notification(method):
                self._validate(method, methods.SERVER_NOTIFICATIONS, method, _spelled(message), at)
            case Request(number, method):
                self._validate(method, methods.SERVER_REQUESTS, method, _spelled(message, number), at)
            case _:
                pass

    def _validate(self, what: str, table: ModelTable, method: str, exact: Exact, at: float) -> None:
        version = self._version(method, exact)
        model = model_of(table.get((method, version)), exact)
        if model is None:
            return
        if exact.text.count(",") > MAX_COMMAS and re.sub(STRING, "", exact.text).count(",") > MAX_COMMAS:
            sentence = f"{what} was not validated, as it has more than {MAX_COMMAS} values"
            self._session.record_event(TransportNote("unchecked", {"reason": sentence}, at))
            return
        rule: Rule = SENT if any(table is one for one in _SENT_MESSAGES) else "schema"
        for pointer, problem in model_problems(model, exact.text):
            detail = f"{what} violates the schema of {version} at {pointer or '/'}: {problem}"
            self._session.record_event(ViolationSeen(Violation(rule, detail, quote(exact.text)), at))

    def _version(self, method: str, exact: Exact) -> str:
        if self._session.server is not None:
            return self._session.server.version
        if method == "initialize":
            return as_text(as_object(exact.value).get("protocolVersion")) or HANDSHAKE_VERSIONS[0]
        return MODERN_VERSIONS[0]


def model_of(found: Any, exact: Exact) -> type[BaseModel] | None:  # noqa: ANN401 - a model, or a union of models
    """Return the model of a message; resultType selects one of several, as each accepts members of the others."""
    if found is None or isinstance(found, type):
        return found
    models: tuple[type[BaseModel], ...] = get_args(found)
    # MCP 2026-07-28: a result is complete or requires input; extensions, such as tasks, have types of their own.
    match exact.get("resultType"):
        case "input_required":
            return next(one for one in models if "input_requests" in one.model_fields)
        case "complete" | None:
            return models[0]
        case _:
            return None


def _spelled(message: Notification | Request, number: Exact | None = None) -> Exact:
    """Write a message from its parts, which keep their spelling."""
    parts: dict[str, Printable] = {"jsonrpc": "2.0", "id": number, "method": message.method, "params": message.params}
    return Exact(dump({name: part for name, part in parts.items() if part is not None}), None)


@cache
def _adapter(model: type[BaseModel]) -> TypeAdapter[Any]:
    return TypeAdapter(model)


def model_problems(model: type[BaseModel], text: str) -> Iterator[tuple[str, str]]:
    """Validate the JSON text; yield each problem with its JSON pointer."""
    try:
        # Strict: a string such as "yes" is not converted to true.
        _adapter(model).validate_json(text, strict=True)
    except ValidationError as error:
        found = parse_json_text(text)
        value = None if isinstance(found, JsonSyntaxProblem) else found.value
        errors = reduced_errors(error.errors(include_url=False), value)[:MAX_PROBLEMS]
        yield from sorted({("".join(f"/{escape_token(key)}" for key in one.path), one.problem) for one in errors})
