"""Send method calls, requests and notifications through the queue of a connection."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from attrs import evolve, fields

from mcpi.core.client.argument_types import check_argument
from mcpi.core.client.cached_lists import Refetch
from mcpi.core.client.request_queue import CallOptions
from mcpi.core.client.request_runner import Work
from mcpi.core.flags.declare import camel_case
from mcpi.core.jsontext.exact import Exact, Params, to_plain
from mcpi.core.jsontext.values import Json, as_list, as_object
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Success
from mcpi.core.plans.catalog import Catalog
from mcpi.core.plans.method import AnyMethod, check_support, vendor_method
from mcpi.core.plans.plan import PlanResult, begin
from mcpi.core.plans.steps import Call, Notify, Plan
from mcpi.core.record.transcript import Transcript
from mcpi.core.session.effects import Effects, FlushDebugger
from mcpi.core.session.run_plan import SupportCheck, run_plan
from mcpi.core.session.session import Session
from mcpi.core.wire.notifications import LIST_KEYS, LISTEN
from mcpi.shell.client.errors import McpiError, checked_json, parsed_result_of, value_of
from mcpi.shell.client.inspector_options import InspectorOptions
from mcpi.shell.client.observation.server_state import ServerState
from mcpi.shell.client.server_methods import ON_PROGRESS, PerCall
from mcpi.shell.client.worker import Worker
from mcpi.shell.connection.connection import Connection
from mcpi.shell.context import Context
from mcpi.shell.discovery.loader import Plugins

if TYPE_CHECKING:
    from mcpi.core.record.output_checker import OutputChecker

_CONCURRENT = frozenset(
    {
        *LIST_KEYS,
        *("tools/call", "resources/read", "prompts/get", "completion/complete", "logging/setLevel", "ping"),
        *("resources/subscribe", "resources/unsubscribe", "tasks/list", "tasks/get", "tasks/cancel"),
    }
)
"""Methods that can run concurrently: they wait only for the responses to their requests."""
_WITH_ARGUMENTS = {"tools/call": ("call_tool", "tool"), "prompts/get": ("get_prompt", "prompt")}
"""Functions that take the arguments of a tool or a prompt as a dict, by method."""
_MAX_ARGUMENTS = 80
"""Maximum length of arguments in a corrected call."""
_PER_CALL: Mapping[str, Any] = {name: kind | None for name, kind in PerCall.__annotations__.items()}
"""The types of the options of a call."""


class MethodCalls:
    """The calls of one client."""

    def __init__(
        self, context: Context, options: InspectorOptions, connection: Connection, worker: Worker, state: ServerState
    ) -> None:
        """Set up without sending anything."""
        self.post: Callable[..., None] = lambda function, *args: function(*args)
        self._context = context
        self._options = options
        self._connection = connection
        self._session: Session = connection.session
        self._worker = worker
        self._state = state

    @cached_property
    def _outputs(self) -> "OutputChecker":
        from mcpi.core.record.output_checker import OutputChecker  # noqa: PLC0415 - rarely needed

        return OutputChecker()

    @cached_property
    def catalog(self) -> Catalog:
        """Catalog of all methods."""
        return Plugins(self._context.environment).catalog

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Json:
        """Call a method by name; arguments that are options of the call are not sent."""
        check_argument("method", name, str)
        given = {key: value for key, value in arguments.items() if key not in _PER_CALL}
        method = value_of(self.catalog.find(name), ("method",))
        args = self._bind(method, checked_json(name, given))
        work = self._work_for(method, method.start(args))
        alone = method.name not in _CONCURRENT or bool(given.keys() & {"run_as_task", "poll", "task_ttl"})
        options = self._call_options(arguments, alone=alone)
        if not method.connects_with(args) and not self._worker.is_running:
            return await self._json(name, await self._connection.perform(work()), 0.0)
        result = await self._submit(name, work, given, options)
        self._note(name, given, result)
        return result

    def _bind(self, method: AnyMethod, given: Mapping[str, Any]) -> Any:  # noqa: ANN401 - the flags of any method
        """Structure the arguments as the method's flags."""
        from mcpi.core.flags.structure import bind  # noqa: PLC0415 - cattrs is slow to import

        members = {camel_case(key): Exact(dump(value), to_plain(value)) for key, value in given.items()}
        bound = bind(method.args, members, method.name)
        if isinstance(bound, Success):
            return bound.unwrap()
        own = {one.name for one in fields(method.args)}
        unknown = {key: value for key, value in given.items() if key not in own}
        fault = bound.failure()
        hinted = evolve(fault, hints=(*fault.hints, *_dict_hint(method.name, given, unknown)))
        raise McpiError(hinted, arguments={*given, *own})

    async def refresh(self) -> None:
        """Fetch all lists that the server offers."""
        lists, found = self._state.lists, self.catalog.owned[LISTEN].method
        if lists.should_subscribe(self._session.server):
            # Fetch the lists even if the server refuses the subscription to changes.
            work = self._work_for(found, found.start(found.args()))
            await self._worker.submit(LISTEN, work, None, CallOptions(alone=True))
        document = as_object(await self.call("discover", {}))
        for method, key in LIST_KEYS.items():
            if key in document:
                self._state.list_fetched(method, document)

    async def request(self, method: str, params: Params | None, options: Mapping[str, Any]) -> Json:
        """Send any request with the params unchanged."""
        check_argument("method", method, str)
        check_argument("params", params, Mapping[str, Any] | Exact | None)
        unknown = sorted(options.keys() - _PER_CALL.keys())
        if unknown:
            raise TypeError(f"request() got an unexpected keyword argument {unknown[0]!r}")
        if method.startswith("notifications/"):
            problem = f"{method} is a notification and has no response; send it with notify()"
            raise McpiError(Invalid("INVALID_ARGUMENT", "method", problem))
        checked_json(method, {} if params is None else params)
        call = Call(method, params, with_progress=options.get("on_progress") is not None)
        work = self._work_for(vendor_method(method), _one_step(call))
        return await self._submit(method, work, params, self._call_options(options))

    async def notify(self, method: str, params: Params | None) -> None:
        """Send a notification, in its turn."""
        check_argument("method", method, str)
        check_argument("params", params, Mapping[str, Any] | Exact | None)
        checked_json(method, {} if params is None else params)
        work = self._work_for(vendor_method(method), _one_step(Notify(method, params)))
        await self._submit(method, work, params, CallOptions())

    async def play(self, script: str, variables: Mapping[str, str], transcript: Transcript) -> list[Json]:
        """Validate the whole script, then run it; return the envelopes."""
        check_argument("script", script, str)
        from mcpi.core.scripts.player import ScriptOptions, ScriptRunner  # noqa: PLC0415 - rarely needed
        from mcpi.core.scripts.script import parse as parse_script  # noqa: PLC0415 - see above

        parsed = value_of(parse_script("script", script, self.catalog, variables), ())
        play_options = ScriptOptions(self._admit, hints=self.catalog.hints, validate=self._options.validate)
        runner = ScriptRunner(parsed, self._session, transcript, play_options)
        ended = await self._worker.submit("script", runner.run, None, CallOptions(alone=True))
        return as_list(to_plain(ended.result))

    async def _submit(self, name: str, work: Work, given: Any, options: CallOptions) -> Json:  # noqa: ANN401 - any JSON
        began = self._context.clock.now()
        ended = await self._worker.submit(name, work, given, options)
        return await self._json(name, ended, self._context.clock.now() - began)

    async def _json(self, name: str, ended: PlanResult, elapsed: float) -> Json:
        if ended.fault is None:
            return await parsed_result_of(ended)
        described = self._state.description
        details = {
            "method": name,
            "elapsedMs": round(elapsed * 1000, 1),
            **({"serverName": described.server_info.name} if described is not None else {}),
        }
        return await parsed_result_of(ended, details)

    def _call_options(self, given: Mapping[str, Any], *, alone: bool = False) -> CallOptions:
        """Convert the options of one call to the connection settings that they override."""
        for name in _PER_CALL.keys() & given.keys():
            check_argument(name, given[name], _PER_CALL[name])
        terms: dict[str, Any] = {}
        timeout, on_progress = given.get("timeout"), given.get("on_progress")
        if timeout is not None:
            terms |= {"timeout": timeout, "max_total_timeout": max(timeout, self._options.max_total_timeout)}
        if given.get("metadata") is not None:
            terms["meta"] = {**self._options.metadata, **checked_json("metadata", given["metadata"])}
        if given.get("headers") is not None:
            terms["headers"] = dict(given["headers"])
        posted = None if on_progress is None else self._posted(on_progress)
        return CallOptions(alone=alone, terms=terms, on_progress=posted)

    def _posted(self, function: ON_PROGRESS) -> ON_PROGRESS:
        return lambda event: self.post(function, event)

    def _note(self, name: str, given: Mapping[str, Any], result: Json) -> None:
        """Store the information about the server that the result contains."""
        if name in LIST_KEYS and not given:
            self._state.list_fetched(name, as_object(result))
        elif name == "resources/subscribe":
            self._state.lists.subscribed.add(str(given.get("uri")))
        elif name == "resources/unsubscribe":
            self._state.lists.subscribed.discard(str(given.get("uri")))

    def in_background(self, what: Refetch) -> Effects[None]:
        """Return the effects that fetch a list or a resource again."""
        found = self.catalog.owned[what.method].method
        plan = found.start(self._bind(found, {"uri": what.uri} if what.uri else {}))
        ended = yield from self._work_for(found, plan)()
        if ended.fault is None:
            self._state.refetched(what, as_object(to_plain(ended.result)))
        else:
            self._state.failed(ended.fault)

    def _work_for(self, method: AnyMethod, plan: Plan) -> Work:
        def work() -> Effects[PlanResult]:
            started = begin(plan)
            if isinstance(started, PlanResult):
                return started.with_hints(self.catalog.hints)
            if self._options.validate:
                started = self._outputs.checked(started)
            ended = yield from run_plan(started, self._session, self._admit(method))
            if self._options.debug:
                yield FlushDebugger()
            return ended if ended.fault is None else ended.with_hints(self.catalog.hints)

        return work

    def _admit(self, method: AnyMethod) -> SupportCheck:
        return lambda server: None if self._options.force else check_support(method, server)


def _dict_hint(method: str, given: Mapping[str, Any], unknown: Mapping[str, Any]) -> Iterator[str]:
    """Yield a corrected call if the arguments of a tool or a prompt are given as keyword arguments."""
    function, item = _WITH_ARGUMENTS.get(method, ("", ""))
    name = given.get(f"{item}_name")
    if unknown and name is not None:
        arguments = repr({**as_object(given.get(f"{item}_args")), **unknown})
        if len(arguments) > _MAX_ARGUMENTS:
            arguments = f"{{{', '.join(f'{key!r}: ...' for key in unknown)}}}"
        yield f"to pass arguments, use a dict: {function}({name!r}, {arguments})"


def _one_step(step: Call | Notify) -> Plan:
    return cast("Exact", (yield step))
