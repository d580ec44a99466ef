"""A random server that mostly follows the protocol, and an in-memory shell that connects it to the engine."""

import json
from collections import deque
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, TypeVar, cast

from fuzz.mutate import mutated, mutated_value
from mcpi.core.outcome.faults import Exited, HttpFailed, Unauthorized, Unreachable
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.steps import Emit, Validate
from mcpi.core.record.trace import TraceBuilder
from mcpi.core.session.effects import (
    Authorize,
    AwaitMessage,
    CollectMessages,
    ConnectionLost,
    Effect,
    Effects,
    Inbound,
    Now,
    OpenTransport,
    RequestFailed,
    SendMessage,
    TimerExpired,
)
from mcpi.core.session.session import Session
from mcpi.core.wire.jsonrpc import Id

T = TypeVar("T")

MAX_EFFECTS = 30_000
"""The longest session requests a thousand pages of four lists."""
VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2026-07-28", "1999-01-01")
CAPABILITIES = {
    "tools": {"listChanged": True},
    "resources": {"subscribe": True, "listChanged": True},
    "prompts": {},
    "logging": {},
    "completions": {},
    "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}},
    "extensions": {"io.modelcontextprotocol/tasks": {}, "io.modelcontextprotocol/skills": {"directoryRead": True}},
}
SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer", "x-mcp-header": "N"}, "flag": {"type": "boolean"}},
    "required": ["n"],
}
TASK = {"taskId": "t", "status": "working", "ttl": 1000, "pollInterval": 10, "createdAt": "2026-01-01T00:00:00Z"}
STATUSES = ("working", "input_required", "completed", "failed", "cancelled", "unknown")
CACHED = {"ttlMs": 0, "cacheScope": "private", "resultType": "complete"}
RESULTS: Mapping[str, dict[str, Any]] = {
    "tools/list": {"tools": [{"name": "echo", "inputSchema": SCHEMA, "outputSchema": SCHEMA}], **CACHED},
    "tools/call": {"content": [{"type": "text", "text": "pong"}], "structuredContent": {"n": 1}, **CACHED},
    "resources/list": {"resources": [{"uri": "x:y", "name": "y"}], **CACHED},
    "resources/templates/list": {"resourceTemplates": [{"uriTemplate": "x:{y}", "name": "y"}], **CACHED},
    "resources/read": {"contents": [{"uri": "x:y", "text": "---\nname: y\n---\ntext"}], **CACHED},
    "resources/directory/read": {"resources": [{"uri": "x:y", "name": "y"}], **CACHED},
    "prompts/list": {"prompts": [{"name": "p", "arguments": [{"name": "a", "required": True}]}], **CACHED},
    "prompts/get": {"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}], **CACHED},
    "completion/complete": {"completion": {"values": ["a"], "total": 1, "hasMore": False}, **CACHED},
    "skills/list": {"skills": [{"uri": "skill://y/SKILL.md", "name": "y"}], **CACHED},
    "tasks/list": {"tasks": [TASK]},
}
NOTIFICATIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("notifications/message", {"level": "info", "logger": "l", "data": {"a": 1}}),
    ("notifications/progress", {"progressToken": 3, "progress": 1, "total": 2}),
    ("notifications/resources/updated", {"uri": "x:y"}),
    ("notifications/resources/list_changed", {}),
    ("notifications/tools/list_changed", {}),
    ("notifications/tasks/status", TASK),
    ("notifications/cancelled", {"requestId": 3, "reason": "no"}),
    ("notifications/subscriptions/acknowledged", {"_meta": {"io.modelcontextprotocol/subscriptionId": 3}}),
)
SERVER_REQUESTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("ping", {}),
    ("roots/list", {}),
    ("sampling/createMessage", {"messages": [{"role": "user", "content": {"type": "text", "text": "?"}}]}),
    ("elicitation/create", {"message": "?", "requestedSchema": SCHEMA}),
    ("elicitation/create", {"mode": "url", "message": "?", "url": "https://x.example", "elicitationId": "e"}),
    ("vendor/unknown", {}),
)


class RandomServer:
    """Responds correctly, wrongly, late, twice or never, at random; mcpi must handle every case."""

    def __init__(self, session: Session, random: Random) -> None:
        """Choose a fault rate at random."""
        self.session = session
        self.fault_rate = random.choice((0.0, 0.05, 0.2, 0.5))
        self.random = random
        self.clock = 0.0
        self.effects = 0
        self.trace = TraceBuilder(0.0)
        self.emitted: list[str] = []
        self._scheduled: deque[tuple[float, Callable[[], Inbound | None]]] = deque()

    def is_faulty(self) -> bool:
        """True if a fault is injected now."""
        return self.random.random() < self.fault_rate

    def run(self, effects: Effects[T]) -> T:
        """Run the effects, and return their result."""
        reply: object = None
        while True:
            self.effects += 1
            assert self.effects < MAX_EFFECTS, "the engine does not come to an end"
            try:
                effect = effects.send(reply)
            except StopIteration as done:
                return cast("T", done.value)
            reply = self._perform(effect)

    def _perform(self, effect: Effect) -> object:
        match effect:
            case SendMessage():
                json.loads(effect.data)
                assert b"\n" not in effect.data
                self.trace.sent(effect, self.clock)
                self._receive(effect)
                return self.clock
            case AwaitMessage(until):
                return self._await(until)
            case CollectMessages(until):
                return self._collect(until)
            case Now():
                return self.clock
            case OpenTransport():
                lost = Failure(Unreachable("CONNECTION_REFUSED", "nobody listens"))
                return lost if self.is_faulty() and self.is_faulty() else Success(self.clock)
            case _:
                return self._perform_rare(effect)

    def _perform_rare(self, effect: Effect) -> object:
        match effect:
            case Emit(text):
                self.emitted.append(text)
                return None
            case Validate():
                return self.random.choice(((), (("/n", "it is wrong"),)))
            case Authorize():
                return self.random.choice((Success(None), Failure(Unauthorized("no token"))))
            case _:
                return None

    def _await(self, until: float | None) -> Inbound:
        while self._scheduled and (until is None or self._scheduled[0][0] <= max(until, self.clock)):
            due, deliver = self._scheduled.popleft()
            self.clock = max(self.clock, due)
            inbound = deliver()
            if inbound is not None:
                return inbound
        if until is None:
            return ConnectionLost(Exited("server", "", 1, None, ("out of ink",)), self.clock)
        self.clock = max(self.clock, until)
        return TimerExpired(self.clock)

    def _collect(self, until: float | None) -> list[Inbound]:
        found: list[Inbound] = []
        while not isinstance(one := self._await(until if not found else self.clock), TimerExpired):
            found.append(one)
            if isinstance(one, ConnectionLost):
                break
        return found

    def _schedule(self, deliver: Callable[[], Inbound | None]) -> None:
        delay = self.random.choice((0.0, 0.5, 40.0)) if self.is_faulty() else 0.0
        due = max(self.clock + delay, self._scheduled[-1][0] if self._scheduled else 0.0)
        self._scheduled.append((due, deliver))

    def _send(self, message: object) -> None:
        text = message if isinstance(message, str) else json.dumps(message, ensure_ascii=self.random.random() < 0.5)
        data = text.encode(errors="surrogatepass")
        for line in (mutated(self.random, data) if self.is_faulty() and self.is_faulty() else data).split(b"\n"):
            self._schedule(lambda line=line: self._delivered(line))  # type: ignore[misc]

    def _delivered(self, line: bytes) -> Inbound | None:
        received = self.session.peer.receive(line, self.clock)
        self.trace.received(received, self.clock)
        return received if received.messages or received.violations else None

    def _receive(self, request: SendMessage) -> None:
        while self.is_faulty():
            method, params = self.random.choice(NOTIFICATIONS)
            params = mutated_value(self.random, params, self.fault_rate)
            self._send({"jsonrpc": "2.0", "method": method, "params": params})
        if self.is_faulty():
            method, params = self.random.choice(SERVER_REQUESTS)
            request_id = self.random.choice((1, "q", 1.5, None))
            params = mutated_value(self.random, params, self.fault_rate)
            self._send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        if request.kind == "request":
            self._reply(request)

    def _reply(self, request: SendMessage) -> None:
        message = json.loads(request.data)
        request_id = request.request_id
        if self.is_faulty() and self.is_faulty():
            self._schedule(lambda: self._failure(request_id))
            return
        if self.is_faulty() and self.random.random() < 0.3:
            return
        answer = self._answer(message)
        if self.is_faulty():
            answer = cast("Any", mutated_value(self.random, answer, self.fault_rate))
        self._send([answer, answer] if self.is_faulty() else answer)
        if self.is_faulty():
            self._send(answer)

    def _failure(self, request_id: Id) -> Inbound:
        status = self.random.choice((400, 401, 403, 404, 429, 500, 302, 200))
        failed = HttpFailed(status, "http://x/mcp", "no ink", {"www-authenticate": 'Bearer scope="a"'}, "no ink")
        lost = Unreachable("CONNECTION_LOST", "the pipe broke")
        return (
            RequestFailed(request_id, failed, self.clock)
            if self.random.random() < 0.7
            else ConnectionLost(lost, self.clock)
        )

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        envelope: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        result = self._result(message)
        if result is None or self.is_faulty():
            code = self.random.choice((-32601, -32600, -32602, -32022, -32002, -32042, -1, 7))
            return {**envelope, "error": {"code": code, "message": "no", "data": {"supported": [VERSIONS[0]]}}}
        return {**envelope, "result": result}

    def _result(self, message: dict[str, Any]) -> dict[str, Any] | None:
        method, params = message["method"], message.get("params") or {}
        modern = "_meta" in params and "io.modelcontextprotocol/protocolVersion" in params["_meta"]
        match method:
            case "initialize":
                version = self.random.choice(VERSIONS) if self.is_faulty() else params["protocolVersion"]
                return {"protocolVersion": version, **self._server_info()}
            case "server/discover":
                versions = [version for version in VERSIONS if self.random.random() < 0.5]
                if self.random.random() < 0.5:
                    return None
                return {"supportedVersions": versions, **self._server_info(), **CACHED}
            case "tasks/get" | "tasks/result" | "tasks/cancel" | "tasks/update":
                return {**TASK, "status": self.random.choice(STATUSES), "resultType": "complete"}
            case "tools/call" if "task" in params or (modern and self.is_faulty()):
                return {"task": TASK, "resultType": "task", **TASK}
            case _ if modern and self.is_faulty():
                requests = {"a": {"method": self.random.choice(SERVER_REQUESTS)[0], "params": {}}}
                return {"resultType": "input_required", "inputRequests": requests, "requestState": "s"}
            case _:
                result = dict(RESULTS.get(method, {}))
                more = method.endswith("/list") and self.random.random() < self.fault_rate
                return {**result, "nextCursor": self.random.choice(("1", "2", ""))} if more else result

    def _server_info(self) -> dict[str, Any]:
        declared = {name: value for name, value in CAPABILITIES.items() if self.random.random() > self.fault_rate}
        return {"capabilities": declared, "serverInfo": {"name": "random", "version": "1"}}
