"""The client for one MCP server: connect, call methods, answer its requests, and observe everything."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Self, Unpack

from mcpi.core.client.argument_types import check_argument
from mcpi.core.client.cached_lists import CachedLists
from mcpi.core.client.client_events import ClientEvent, MessageSeen, PendingChange, QueueChange, StderrSeen
from mcpi.core.client.entries import ServerDescription
from mcpi.core.client.request_queue import QueuedRequest, RequestQueue
from mcpi.core.jsontext.exact import Params, Printable
from mcpi.core.outcome.faults import Fault, Interrupted
from mcpi.core.outcome.result import Failure
from mcpi.core.plans.catalog import with_hints
from mcpi.core.plans.events import Event
from mcpi.core.plans.responders import Reply
from mcpi.core.record.transcript import Transcript
from mcpi.core.session.effects import Effects, FunctionAnswered
from mcpi.core.session.lifecycle import TRANSITIONS, Trigger
from mcpi.core.session.negotiate import open_session, reopen_session
from mcpi.core.session.server_requests import ServerRequests
from mcpi.core.session.session import Session
from mcpi.core.targets.target import Target, transport_of
from mcpi.core.wire.jsonrpc import Id
from mcpi.shell.client import inspector_options as defaults
from mcpi.shell.client.breakpoints import LiveBreakpoints
from mcpi.shell.client.errors import McpiError
from mcpi.shell.client.event_loops import Caller, current_caller, finish
from mcpi.shell.client.inspector_options import InspectorOptions, make_history, make_performer, session_terms
from mcpi.shell.client.method_calls import MethodCalls
from mcpi.shell.client.observation.listeners import Listeners
from mcpi.shell.client.observation.server_state import ServerState
from mcpi.shell.client.pending_requests import PendingRequests, RequestHandler
from mcpi.shell.client.request_answers import RequestAnswers, roots_handler
from mcpi.shell.client.server_methods import PerCall, Result, ServerMethods
from mcpi.shell.client.target_words import TargetLike, as_target, with_configured_server
from mcpi.shell.client.worker import Worker
from mcpi.shell.connection.connection import Connection
from mcpi.shell.connection.ports import Ports
from mcpi.shell.context import Context, process_context


class Inspector(ServerMethods, RequestAnswers, LiveBreakpoints):
    """A client for one server; works on asyncio and on trio."""

    def __init__(
        self,
        target: TargetLike | None,
        *,
        handlers: Mapping[str, RequestHandler] | None = None,
        roots: Sequence[Mapping[str, Printable]] | None = None,
        options: InspectorOptions = InspectorOptions(),  # noqa: B008 - immutable
        context: Context | None = None,
    ) -> None:
        """Prepare a connection, which `connect` opens; only methods that need no server work without a target.

        `handlers` maps methods of server requests to the functions that answer them. `context` replaces this process's
        environment, clock and transports.
        """
        check_argument("options", options, InspectorOptions)
        self.options: InspectorOptions = options
        self.transcripts: list[Transcript] = []
        self._context = context or process_context()
        clock = self._context.clock
        named = None if target is None else as_target(target, self._context)
        if options.debug:
            named = self._debuggable(named, self._context)
        self._transport = transport_of(named)
        self._listeners = Listeners(self._post)
        changed = lambda: self._publish(PendingChange(pending=self.pending))  # noqa: E731 - a method would be longer
        self._pending = PendingRequests(clock, options.handlers, self._answered, changed)
        self._pending.set_handlers(handlers or {})
        if roots is not None:
            self._pending.set_handler("roots/list", roots_handler(roots))
        self.session: Session = Session(
            session_terms(options, self._pending.handlers, self._transport), self._pending.handlers, self._record_event
        )
        queue = RequestQueue(options.max_history, options.max_concurrent)
        lists = CachedLists(refetch=options.refetch_lists, reread=options.reread_resources)
        memory = make_history(self._context, options, self.session)
        state = ServerState(lists, self._publish, self._request_of)
        super().__init__(self.session, memory, queue, state, self._context.epoch())
        self._credentials.own = dict(options.headers)
        self.session.on_state = state.status_changed
        self.session.questions.withdraw = self._pending.withdraw
        self._connection = self._connect_to(named)
        self._worker = Worker(self._connection, queue, self._idle_work, self._after_loss, clock.now)
        self._calls = MethodCalls(self._context, options, self._connection, self._worker, state)
        self._observe()
        self._connecting = asyncio.Lock()

    def _connect_to(self, target: Target | None) -> Connection:
        options = self.options
        ports = Ports(
            self._context,
            self._memory,
            options.max_message_bytes,
            ask_function=self._pending.ask,
            performer=make_performer(options, getattr(target, "url", ""), self._on_loop),
            credentials=self._credentials,
        )
        return Connection(target, self.session, self._debug_ports(ports))

    def _observe(self) -> None:
        """Publish the changes that the queue and the message history report."""
        listeners, memory = self._listeners, self._memory
        self._calls.post = self._post
        self._worker.on_change = self._worker.runner.on_start = lambda: (
            listeners.put(QueueChange(queue=self.queue)) if listeners.has_listener("queue") else None
        )
        memory.on_message = lambda one: (
            listeners.put(MessageSeen(entry=one.entry(self._epoch))) if listeners.has_listener("message") else None
        )
        memory.on_stderr = lambda entry: listeners.put(StderrSeen(entry=entry))

    async def __aenter__(self) -> Self:
        """Connect; if that fails, close the client."""
        try:
            await self.connect()
        except BaseException:
            self._release()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connection, and end all iterators of events."""
        await self.close()

    async def connect(self) -> ServerDescription:
        """Connect and return the server's description; on failure, clean up and raise McpiError."""
        return await self._on_loop().run(self._connect_once)

    async def disconnect(self) -> None:
        """Close the connection, fail unfinished requests, and clear the server's data; listeners stay registered."""
        await self._on_loop().finish(self._disconnect)

    async def close(self) -> None:
        """Disconnect, and end all iterators of events."""
        try:
            await self.disconnect()
        finally:
            self._release()

    def _release(self) -> None:
        """End all iterators, and the thread if there is one."""
        self._listeners.close()
        self._on_loop().end()
        self._caller = None

    def _on_loop(self) -> Caller:
        if self._caller is None:
            self._caller = self._pending.caller = current_caller()
        return self._caller

    def _post(self, function: Callable[..., object], *args: object) -> None:
        if self._caller is None:
            function(*args)
        else:
            self._caller.post(function, *args)

    async def _connect_once(self) -> ServerDescription:
        async with self._connecting:
            if self.status == "connected" and self.server is not None:
                return self.server
            try:
                return await self._connect()
            except BaseException:
                # A second cancellation must not leave the server process running.
                await finish(self._clean_up())
                raise

    async def _connect(self) -> ServerDescription:
        if self.status == "error":
            await self._clean_up()
        if self.status == "disconnected":
            self._connection.reset()
        session, handlers = self.session, self._pending.handlers
        session.terms = session_terms(self.options, handlers, self._transport)
        session.server_requests = ServerRequests(handlers, session.terms.client.capabilities)
        outcome = await self._connection.perform(open_session(session))
        if isinstance(outcome, Failure):
            failed = with_configured_server(outcome.failure(), self._connection.target, self._context)
            fault = with_hints(failed, self._calls.catalog.hints)
            self._state.failed(fault)
            raise McpiError(fault)
        described = self._connected()
        self._worker.start()
        if self.options.fetch:
            await self._calls.refresh()
        return described

    def _connected(self) -> ServerDescription:
        assert self.session.server is not None
        if self.session.server.era == "handshake":
            self._worker.runner.ping_interval = self.options.ping_interval
        return self._state.connected(self.session.server, getattr(self._connection.transport, "session_id", None))

    async def _clean_up(self) -> None:
        self._advance("disconnect")
        await self._worker.stop(Interrupted("disconnect"))
        self.session.questions.clear()
        await self._close_debugger()
        await self._connection.close()
        self._state.clear()
        self._memory.forget_requests()
        self._advance("cleanup_complete")

    async def _disconnect(self) -> None:
        if self._connecting.locked():
            self._connection.interrupt("disconnect")
        with suppress(TimeoutError):
            async with asyncio.timeout(defaults.DISCONNECT_TIMEOUT) as limit, self._connecting:
                limit.reschedule(None)
                await self._clean_up()

    def _advance(self, trigger: Trigger) -> None:
        if (self.status, trigger) in TRANSITIONS:
            self.session.advance(trigger)

    async def refresh(self) -> None:
        """Fetch and cache all lists that the server offers; a list that changes later is fetched again."""
        await self._on_loop().run(self._calls.refresh)

    async def call(self, method: str, /, **arguments: Any) -> Result:  # noqa: ANN401 - the arguments depend on the method
        """Call a method by name, such as "tools/call", with its flags as keyword arguments.

        A tool error is returned as a result. The options of a call (see PerCall) are accepted too.
        """
        return await self._on_loop().run(lambda: self._calls.call(method, arguments))

    async def request(self, method: str, params: Params | None = None, **options: Unpack[PerCall]) -> Result:
        """Send any request, standard or vendor-specific, with the params unchanged."""
        return await self._on_loop().run(lambda: self._calls.request(method, params, options))

    async def notify(self, method: str, params: Params | None = None) -> None:
        """Send a notification."""
        await self._on_loop().run(lambda: self._calls.notify(method, params))

    def cancel(self, number: int) -> bool:
        """Cancel the waiting or running request with this number in the queue; return False if it has finished."""
        return bool(self._do(lambda: self._worker.cancel(number)))

    async def play(self, script: str, variables: Mapping[str, str] | None = None) -> list[Result]:
        """Run an mcpi script (JSON text); return what --structured prints for each step that was run."""
        with self.recording() as transcript:
            return await self._on_loop().run(lambda: self._calls.play(script, variables or {}, transcript))

    async def watch(self, seconds: float) -> dict[str, Result]:
        """Wait this many seconds; return the logs, notifications, server requests and violations that arrive."""
        check_argument("seconds", seconds, float)
        with self.recording() as seen:
            await self._on_loop().run(lambda: asyncio.sleep(seconds))
        return seen.events()

    @contextmanager
    def recording(self) -> Iterator[Transcript]:
        """Record the logs, notifications, server requests and violations until the end of the block."""
        transcript = Transcript(self._context.epoch(), keep=True)
        self.transcripts.append(transcript)
        try:
            yield transcript
        finally:
            self.transcripts.remove(transcript)

    def set_headers(self, headers: Mapping[str, str]) -> None:
        """Send these additional HTTP headers from the next request on, instead of `InspectorOptions.headers`."""
        check_argument("headers", headers, Mapping[str, str])
        self._credentials.own = dict(headers)

    def _answered(self, number: int, reply: Reply) -> None:
        self._connection.put(FunctionAnswered(number, reply, self._context.clock.now()))

    def _idle_work(self) -> Effects[None] | None:
        """Return the effects that fetch the next changed list or resource, if there is one."""
        what = self._state.lists.next_request(self.session.server)
        return None if what is None else self._calls.in_background(what)

    async def _after_loss(self, _: Fault) -> None:
        self._memory.forget_requests()
        if self.options.reconnect:
            self._state.lists.invalidate()
            outcome = await self._connection.perform(reopen_session(self.session, max(self.options.retries, 1)))
            if not isinstance(outcome, Failure):
                self._connected()
                return
            self._state.failed(outcome.failure())
        self._state.clear()

    def _request_of(self, number: Id) -> QueuedRequest | None:
        return self._worker.runner.request_of(number)

    def _record_event(self, event: Event) -> None:
        for transcript in self.transcripts:
            transcript.record(event)
        self._state.on_event(event)

    def _publish(self, event: ClientEvent) -> None:
        self._listeners.put(event)
