"""One client for all faces: connect to a server, call its methods, see everything that passes."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import Any, Self, TypeAlias, TypeVar

from mcpi.core.client.cached_lists import CachedLists
from mcpi.core.client.request_queue import QueuedRequest as Queued
from mcpi.core.client.request_queue import QueueStatus
from mcpi.core.flags.declare import camel_case
from mcpi.core.jsontext.exact import Exact, Params, Printable, to_plain
from mcpi.core.jsontext.values import as_list, as_object
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Fault, Interrupted
from mcpi.core.outcome.result import Failure
from mcpi.core.plans.bind_json import bind
from mcpi.core.plans.catalog import Catalog, with_hints
from mcpi.core.plans.events import Event, params_size
from mcpi.core.plans.method import AnyMethod, check_support, vendor_method
from mcpi.core.plans.plan import PlanResult, begin
from mcpi.core.plans.reports import TraceEntry
from mcpi.core.plans.steps import Plan, request
from mcpi.core.record.transcript import Transcript
from mcpi.core.session.effects import Effects, Inbound
from mcpi.core.session.lifecycle import TRANSITIONS, State, Trigger
from mcpi.core.session.negotiate import open_session, reopen_session
from mcpi.core.session.run_plan import SupportCheck, run_plan
from mcpi.core.session.session import Session
from mcpi.core.targets.target import transport_of
from mcpi.core.wire.notifications import LISTEN
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.shell.client.errors import McpiError, result_of, value_of
from mcpi.shell.client.functions import Answer, FunctionAnswers
from mcpi.shell.client.inspector_options import GIVING_UP, RECONNECTS, InspectorOptions, memory, terms
from mcpi.shell.client.memory import Broadcast, Subscription
from mcpi.shell.client.target_words import Named, target_of
from mcpi.shell.client.worker import Work, Worker
from mcpi.shell.connection.connection import Connection
from mcpi.shell.connection.ports import Ports
from mcpi.shell.context import Context, process_context
from mcpi.shell.discovery.loader import Plugins

T = TypeVar("T")
Sent: TypeAlias = Any
"""What a server sent, as JSON: its shape is the server's."""


class Inspector:
    """A connection to one server; requests wait their turn, and all that happens can be seen."""

    def __init__(
        self,
        target: Named | None,
        *,
        handlers: Mapping[str, Answer] | None = None,
        options: InspectorOptions = InspectorOptions(),  # noqa: B008 - it is frozen
        context: Context | None = None,
        connection: Connection | None = None,
    ) -> None:
        """Start nothing before connect; methods that need no server need no target.

        `context` replaces this process's environment, clock and transports; `connection` replaces the one that the
        target, handlers and options describe.
        """
        self.options = options
        self._context = context or process_context()
        answers = FunctionAnswers(handlers or {})
        if connection is None:
            named = None if target is None else target_of(target, self._context.environment)
            session = Session(terms(options, answers, transport_of(named)), answers.handlers, self._record)
            self._memory = memory(self._context, options, session)
            ports = Ports(self._context, self._memory, options.max_message_bytes, consult=answers.consult)
            connection = Connection(named, session, ports)
        else:
            self._memory = memory(self._context, options, connection.session)
        self.session: Session = connection.session
        self._link = connection
        self._worker = Worker(self._link, self._next_chore, self._after_loss, self._context.clock.now)
        self.transcripts: list[Transcript] = []
        self._events: Broadcast[Event] = Broadcast(params_size)
        self._states: Broadcast[State] = Broadcast()
        self._offers = CachedLists()
        self._connecting = asyncio.Lock()

    async def perform(self, acts: Effects[T]) -> T:
        """What the acts lead to; for faces that bring their own plans."""
        return await self._link.perform(acts)

    def interrupt(self, signal: str) -> None:
        """Whatever runs ends as if the connection were gone."""
        self._link.interrupt(signal)

    def put(self, inbound: Inbound) -> None:
        """Something happened beside the protocol."""
        self._link.put(inbound)

    def finish(self) -> None:
        """A last line without an end counts as well."""
        self._link.transport.finish()

    async def close(self, *, stay: bool = True) -> None:
        """Nothing is left of the connection; who need not stay for that may leave it to others."""
        await self._link.close(stay=stay)

    async def __aenter__(self) -> Self:
        """Connected."""
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Disconnected."""
        await self.disconnect()

    async def connect(self) -> NegotiatedServer:
        """The server as it introduced itself; McpiError if there is none, and then nothing is left of it."""
        async with self._connecting:
            if self.status == "connected" and self.server is not None:
                return self.server
            try:
                return await self._connect()
            except BaseException:
                # Whoever gave up may be told so again at once, and must not leave a process behind.
                await asyncio.shield(asyncio.ensure_future(self._abandon()))
                raise

    async def _connect(self) -> NegotiatedServer:
        if self.status == "error":
            await self._abandon()
        if self.status == "disconnected":
            self._link.renew()
        self._events.open()
        self._states.put("connecting")
        outcome = await self.perform(open_session(self.session))
        self._states.put(self.session.state)
        if isinstance(outcome, Failure):
            raise McpiError(with_hints(outcome.failure(), self.catalog.hints))
        self._worker.start()
        if self.options.fetch:
            await self.refresh()
        return outcome.unwrap()

    async def _abandon(self) -> None:
        self._go("disconnect")
        await self._worker.stop(Interrupted("disconnect"))
        await self.close()
        self._go("cleanup_complete")

    async def disconnect(self) -> None:
        """The connection is closed, and what waited is rejected, be it the connection itself."""
        if self._connecting.locked():
            self.interrupt("disconnect")
        with suppress(TimeoutError):
            async with asyncio.timeout(GIVING_UP) as patience, self._connecting:
                patience.reschedule(None)
                await self._abandon()
        self._events.close()
        self._states.close()

    @property
    def status(self) -> State:
        """The state of the connection."""
        return self.session.state

    @property
    def server(self) -> NegotiatedServer | None:
        """The server as it introduced itself."""
        return self.session.server

    @property
    def queue(self) -> QueueStatus:
        """How many requests are at which stage."""
        return self._worker.queue.status

    def history(self, limit: int | None = None) -> tuple[Queued, ...]:
        """The last requests that have finished."""
        return self._worker.queue.history(limit)

    @property
    def messages(self) -> tuple[TraceEntry, ...]:
        """The last messages both ways, with time, raw text and how long an answer took."""
        return tuple(self._memory.messages.items)

    @property
    def stderr(self) -> tuple[TraceEntry, ...]:
        """The last lines that the server wrote on stderr."""
        return tuple(self._memory.lines.items)

    def events(self) -> Subscription[Event]:
        """Everything that happens from now on, until the connection is closed, as an async iterator."""
        return self._events.listen()

    def statuses(self) -> Subscription[State]:
        """Every state from now on, also of a connection yet to come, until it is closed, as an async iterator."""
        self._states.open()
        return self._states.listen()

    def cached(self, name: str) -> list[Sent] | None:
        """The tools, resources, resourceTemplates or prompts as they were fetched last; None if they were not."""
        return self._offers.lists.get(name)

    async def refresh(self) -> Mapping[str, list[Sent]]:
        """All lists that the server declares, fetched anew; a changed list is fetched anew by itself."""
        if self._offers.should_subscribe(self.server):
            # A server that will not tell of changes is asked for its lists all the same.
            with suppress(McpiError):
                await self.call(LISTEN)
        return self._offers.replace(as_object(await self.call("discover")))

    async def call(self, method: str, **flags: Printable) -> Sent:
        """A method by its name, with its flags as keyword arguments; a tool's own error is a result."""
        found = value_of(self.catalog.find(method))
        args = value_of(
            bind(found, {camel_case(name): Exact(dump(value), to_plain(value)) for name, value in flags.items()})
        )
        plan = found.start(args)
        return result_of(await self._worker.do(method, self._planned(found, plan), flags, alone=not found.connects))

    async def request(self, method: str, params: Params | None = None) -> Sent:
        """Any request of the protocol or of the server's own, with its parameters as they are."""
        return result_of(
            await self._worker.do(method, self._planned(vendor_method(method), request(method, params)), params)
        )

    async def play(self, script: str, variables: Mapping[str, str] | None = None) -> list[Sent]:
        """The envelopes of a script, one for each step that was carried out; the text is checked before anything."""
        from mcpi.core.scripts.player import ScriptOptions, ScriptRunner  # noqa: PLC0415 - seldom wanted
        from mcpi.core.scripts.script import parse as parse_script  # noqa: PLC0415 - see above

        parsed = value_of(parse_script("script", script, self.catalog, variables or {}))
        manner = ScriptOptions(self._admit, hints=self.catalog.hints)
        with self._listening() as transcript:
            ended = await self._worker.do("script", ScriptRunner(parsed, self.session, transcript, manner).run, None)
        return as_list(to_plain(ended.result))

    async def watch(self, seconds: float) -> dict[str, Sent]:
        """What happens in so many seconds: logs, notifications, the server's requests, violations."""
        with self._listening() as seen:
            await asyncio.sleep(seconds)
        told = {"logs": seen.logs, "notifications": seen.notifications, "serverRequests": seen.requests}
        return {name: to_plain(entries) for name, entries in {**told, "violations": seen.violations}.items()}

    @contextmanager
    def _listening(self) -> Iterator[Transcript]:
        transcript = Transcript(self._context.epoch(), keep=True)
        self.transcripts.append(transcript)
        try:
            yield transcript
        finally:
            self.transcripts.remove(transcript)

    def _planned(self, method: AnyMethod, plan: Plan) -> Work:
        def work() -> Effects[PlanResult]:
            begun = begin(plan)
            if isinstance(begun, PlanResult):
                return begun.with_hints(self.catalog.hints)
            ended = yield from run_plan(begun, self.session, self._admit(method))
            return ended.with_hints(self.catalog.hints)

        return work

    def _admit(self, method: AnyMethod) -> SupportCheck:
        return lambda server: None if self.options.force else check_support(method, server)

    def cancel(self, number: int) -> bool:
        """Whether a request of that number in the queue was still waiting, and waits no more."""
        return self._worker.cancel(number)

    @cached_property
    def catalog(self) -> Catalog:
        """All methods that there are."""
        return Plugins(self._context.environment).catalog

    def _next_chore(self) -> Effects[None] | None:
        """A list that has changed is fetched anew."""
        method = self._offers.next_method(self.server)
        return None if method is None else self._refetched(method)

    def _refetched(self, method: str) -> Effects[None]:
        found = value_of(self.catalog.find(method))
        ended = yield from self._planned(found, found.start(found.args()))()
        if ended.fault is None:
            self._offers.update(method, as_object(to_plain(ended.result)))

    async def _after_loss(self, _: Fault) -> None:
        self._states.put("error")
        if self.options.reconnect:
            self._states.put("connecting")
            self._offers.invalidate()
            await self.perform(reopen_session(self.session, RECONNECTS))
            self._states.put(self.session.state)
        if self.session.connection_fault is not None:
            self._events.close()

    def _record(self, event: Event) -> None:
        self._offers.on_event(event)
        for transcript in self.transcripts:
            transcript.record(event)
        self._events.put(event)

    def _go(self, happening: Trigger) -> None:
        if (self.status, happening) in TRANSITIONS:
            self.session.advance(happening)
            self._states.put(self.status)
