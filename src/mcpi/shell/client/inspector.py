"""The client for one MCP server: connect, call methods, and observe all messages."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import Any, Self, TypeAlias, TypeVar

from mcpi.core.client.cached_lists import CachedLists
from mcpi.core.client.request_queue import QueuedRequest, QueueStatus
from mcpi.core.flags.declare import camel_case
from mcpi.core.jsontext.exact import Exact, Params, Printable, to_plain
from mcpi.core.jsontext.values import as_list, as_object
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Fault, Interrupted
from mcpi.core.outcome.result import Failure
from mcpi.core.plans.catalog import Catalog, with_hints
from mcpi.core.plans.events import Event, params_size
from mcpi.core.plans.method import AnyMethod, check_support, vendor_method
from mcpi.core.plans.plan import PlanResult, begin
from mcpi.core.plans.reports import TraceEntry
from mcpi.core.plans.steps import Plan, request
from mcpi.core.record.transcript import Transcript
from mcpi.core.session.effects import Effects
from mcpi.core.session.lifecycle import TRANSITIONS, State, Trigger
from mcpi.core.session.negotiate import open_session, reopen_session
from mcpi.core.session.run_plan import SupportCheck, run_plan
from mcpi.core.session.session import Session
from mcpi.core.targets.target import transport_of
from mcpi.core.wire.notifications import LISTEN
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.shell.client import inspector_options as defaults
from mcpi.shell.client.errors import McpiError, parsed_result_of, value_of
from mcpi.shell.client.functions import AnswerFunction, FunctionAnswers
from mcpi.shell.client.inspector_options import InspectorOptions, make_history, session_terms
from mcpi.shell.client.memory import Broadcast, Subscription
from mcpi.shell.client.target_words import TargetLike, as_target
from mcpi.shell.client.worker import Work, Worker
from mcpi.shell.connection.connection import Connection
from mcpi.shell.connection.ports import Ports
from mcpi.shell.context import Context, process_context
from mcpi.shell.discovery.loader import Plugins

T = TypeVar("T")
ServerJson: TypeAlias = Any
"""JSON from the server; its shape depends on the server."""


class Inspector:
    """A connection to one server: requests are sent one at a time, and all events can be observed."""

    def __init__(
        self,
        target: TargetLike | None,
        *,
        handlers: Mapping[str, AnswerFunction] | None = None,
        options: InspectorOptions = InspectorOptions(),  # noqa: B008 - immutable
        context: Context | None = None,
        connection: Connection | None = None,
    ) -> None:
        """Prepare a connection, which `connect` opens; methods that need no server need no target.

        `context` replaces this process's environment, clock and transports; `connection` replaces the default one.
        """
        self.options = options
        self._context = context or process_context()
        answers = FunctionAnswers(handlers or {})
        if connection is None:
            named = None if target is None else as_target(target, self._context.environment)
            session = Session(session_terms(options, answers, transport_of(named)), answers.handlers, self._record)
            self._memory = make_history(self._context, options, session)
            ports = Ports(self._context, self._memory, options.max_message_bytes, call_function=answers.call_function)
            connection = Connection(named, session, ports)
        else:
            self._memory = make_history(self._context, options, connection.session)
        self.session: Session = connection.session
        self.connection: Connection = connection
        self._worker = Worker(connection, self._next_list_update, self._after_loss, self._context.clock.now)
        self.transcripts: list[Transcript] = []
        self._events: Broadcast[Event] = Broadcast(params_size)
        self._states: Broadcast[State] = Broadcast()
        self._cached_lists = CachedLists()
        self._connecting = asyncio.Lock()

    async def perform(self, effects: Effects[T]) -> T:
        """Perform the effects and return their result, for callers that build their own effects."""
        return await self.connection.perform(effects)

    def interrupt(self, signal: str) -> None:
        """End the running work as if the connection were lost."""
        self.connection.interrupt(signal)

    async def close(self, *, stay: bool = True) -> None:
        """Close the connection; without `stay`, another process may finish the shutdown."""
        await self.connection.close(stay=stay)

    async def __aenter__(self) -> Self:
        """Connect."""
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Disconnect."""
        await self.disconnect()

    async def connect(self) -> NegotiatedServer:
        """Connect and return the server's information; on failure, clean up and raise McpiError."""
        async with self._connecting:
            if self.status == "connected" and self.server is not None:
                return self.server
            try:
                return await self._connect()
            except BaseException:
                # Shielded: a second cancellation must not leave the server process running.
                await asyncio.shield(asyncio.ensure_future(self._clean_up()))
                raise

    async def _connect(self) -> NegotiatedServer:
        if self.status == "error":
            await self._clean_up()
        if self.status == "disconnected":
            self.connection.reset()
        self._events.reopen()
        self._states.put("connecting")
        outcome = await self.perform(open_session(self.session))
        self._states.put(self.session.state)
        if isinstance(outcome, Failure):
            raise McpiError(with_hints(outcome.failure(), self.catalog.hints))
        self._worker.start()
        if self.options.fetch:
            await self.refresh()
        return outcome.unwrap()

    async def _clean_up(self) -> None:
        self._advance("disconnect")
        await self._worker.stop(Interrupted("disconnect"))
        await self.close()
        self._advance("cleanup_complete")

    async def disconnect(self) -> None:
        """Close the connection and reject all pending requests; interrupt a connection attempt in progress."""
        if self._connecting.locked():
            self.interrupt("disconnect")
        with suppress(TimeoutError):
            async with asyncio.timeout(defaults.DISCONNECT_TIMEOUT) as limit, self._connecting:
                limit.reschedule(None)
                await self._clean_up()
        self._events.close()
        self._states.close()

    @property
    def status(self) -> State:
        """State of the connection."""
        return self.session.state

    @property
    def server(self) -> NegotiatedServer | None:
        """The server's information; None until it is known."""
        return self.session.server

    @property
    def queue(self) -> QueueStatus:
        """Number of requests at each stage."""
        return self._worker.queue.status

    def history(self, limit: int | None = None) -> tuple[QueuedRequest, ...]:
        """Return the last finished requests, oldest first."""
        return self._worker.queue.history(limit)

    @property
    def messages(self) -> tuple[TraceEntry, ...]:
        """The last messages in both directions, with time, raw text, and response time."""
        return tuple(self._memory.messages.items)

    @property
    def stderr(self) -> tuple[TraceEntry, ...]:
        """The last lines that the server wrote to stderr."""
        return tuple(self._memory.lines.items)

    def events(self) -> Subscription[Event]:
        """Return an async iterator over all further events, until the connection is closed."""
        return self._events.listen()

    def statuses(self) -> Subscription[State]:
        """Return an async iterator over all further states, until this or the next connection is closed."""
        self._states.reopen()
        return self._states.listen()

    def cached(self, name: str) -> list[ServerJson] | None:
        """Return the cached tools, resources, resourceTemplates or prompts; None if they have not been fetched."""
        return self._cached_lists.lists.get(name)

    async def refresh(self) -> Mapping[str, list[ServerJson]]:
        """Fetch and cache all lists that the server declares; a list that changes later is fetched automatically."""
        if self._cached_lists.should_subscribe(self.server):
            # Fetch the lists even if the server refuses the subscription to changes.
            with suppress(McpiError):
                await self.call(LISTEN)
        return self._cached_lists.replace(as_object(await self.call("discover")))

    async def call(self, method: str, **flags: Printable) -> ServerJson:
        """Call a method by name, with its flags as keyword arguments; a tool error is returned as a result."""
        from mcpi.core.flags.structure import bind  # noqa: PLC0415 - cattrs is slow to import and rarely needed

        found = value_of(self.catalog.find(method))
        members = {camel_case(name): Exact(dump(value), to_plain(value)) for name, value in flags.items()}
        args: Any = value_of(bind(found.args, members, found.name))
        plan = found.start(args)
        return await parsed_result_of(
            await self._worker.submit(method, self._work_for(found, plan), flags, alone=not found.connects_with(args))
        )

    async def request(self, method: str, params: Params | None = None) -> ServerJson:
        """Send any request, standard or vendor-specific, with the params unchanged."""
        return await parsed_result_of(
            await self._worker.submit(method, self._work_for(vendor_method(method), request(method, params)), params)
        )

    async def play(self, script: str, variables: Mapping[str, str] | None = None) -> list[ServerJson]:
        """Run a script, if all of it is valid; return the envelope of each step that was executed."""
        from mcpi.core.scripts.player import ScriptOptions, ScriptRunner  # noqa: PLC0415 - rarely needed
        from mcpi.core.scripts.script import parse as parse_script  # noqa: PLC0415 - see above

        parsed = value_of(parse_script("script", script, self.catalog, variables or {}))
        play_options = ScriptOptions(self._admit, hints=self.catalog.hints)
        with self._recording() as transcript:
            ended = await self._worker.submit(
                "script", ScriptRunner(parsed, self.session, transcript, play_options).run, None
            )
        return as_list(to_plain(ended.result))

    async def watch(self, seconds: float) -> dict[str, ServerJson]:
        """Return the logs, notifications, server requests and violations of the next seconds."""
        with self._recording() as seen:
            await asyncio.sleep(seconds)
        lists = {"logs": seen.logs, "notifications": seen.notifications, "serverRequests": seen.requests}
        return {name: to_plain(entries) for name, entries in {**lists, "violations": seen.violations}.items()}

    @contextmanager
    def _recording(self) -> Iterator[Transcript]:
        transcript = Transcript(self._context.epoch(), keep=True)
        self.transcripts.append(transcript)
        try:
            yield transcript
        finally:
            self.transcripts.remove(transcript)

    def _work_for(self, method: AnyMethod, plan: Plan) -> Work:
        def work() -> Effects[PlanResult]:
            started = begin(plan)
            if isinstance(started, PlanResult):
                return started.with_hints(self.catalog.hints)
            ended = yield from run_plan(started, self.session, self._admit(method))
            return ended.with_hints(self.catalog.hints)

        return work

    def _admit(self, method: AnyMethod) -> SupportCheck:
        return lambda server: None if self.options.force else check_support(method, server)

    def cancel(self, number: int) -> bool:
        """Cancel the queued request with that number; return False if it was not waiting."""
        return self._worker.cancel(number)

    @cached_property
    def catalog(self) -> Catalog:
        """Catalog of all methods."""
        return Plugins(self._context.environment).catalog

    def _next_list_update(self) -> Effects[None] | None:
        """Return the effects that fetch the next changed list, if there is one."""
        method = self._cached_lists.next_method(self.server)
        return None if method is None else self._update_list(method)

    def _update_list(self, method: str) -> Effects[None]:
        found = value_of(self.catalog.find(method))
        ended = yield from self._work_for(found, found.start(found.args()))()
        if ended.fault is None:
            self._cached_lists.update(method, as_object(to_plain(ended.result)))

    async def _after_loss(self, _: Fault) -> None:
        self._states.put("error")
        if self.options.reconnect:
            self._states.put("connecting")
            self._cached_lists.invalidate()
            await self.perform(reopen_session(self.session, defaults.MAX_RECONNECTS))
            self._states.put(self.session.state)
        if self.session.connection_fault is not None:
            self._events.close()

    def _record(self, event: Event) -> None:
        self._cached_lists.on_event(event)
        for transcript in self.transcripts:
            transcript.record(event)
        self._events.put(event)

    def _advance(self, happening: Trigger) -> None:
        if (self.status, happening) in TRANSITIONS:
            self.session.advance(happening)
            self._states.put(self.status)
