"""A method's dialogue as data: flags, the expected requests, canned responses, and the expected result."""

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, cast

from attrs import field, frozen

from mcpi.core.flags.structure import bind
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome import explain, faults
from mcpi.core.outcome.faults import Fault, OperationFailed, RpcError, TimedOut, Unreachable
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.events import ConnectionClosed, DeadlineReached, Event, NotificationReceived, ResponseReceived
from mcpi.core.plans.method import AnyMethod, check_support
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.steps import (
    Call,
    CallAll,
    ClockReading,
    Connect,
    ExtendTerms,
    NextEvent,
    Notify,
    Plan,
    ProvideInput,
    ReadClock,
    ReportViolation,
    Send,
    Sleep,
    Step,
    Validate,
)
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.core.wire.violations import Violation
from mcpi.plugins import methods as built_in
from mcpi.shell.binding.flag_parser import parse_options
from support.replay import end_after_failure, exact, next_step

FOLDER = Path(__file__).parents[2] / "fixtures" / "dialogues"
_CONNECTING = Call | CallAll | Connect


@frozen
class Dialogue:
    """One dialogue file."""

    name: str
    data: JsonObject

    @property
    def group(self) -> str:
        """The plugin of the method."""
        return self.name.partition("--")[0]

    @property
    def method(self) -> str:
        """The name of the method."""
        return as_text(self.data.get("method"))


@frozen
class DialogueResult:
    """The result of a dialogue."""

    result: PlanResult
    violations: tuple[Violation, ...]
    seconds_slept: float
    remaining: int
    """Number of exchanges that were not reached."""


def dialogues() -> tuple[Dialogue, ...]:
    """All dialogue files; read them before any test runs."""
    paths = sorted(FOLDER.glob("*.json"))
    return tuple(Dialogue(path.stem, json.loads(path.read_text("utf-8"))) for path in paths)


DIALOGUES = dialogues()
"""Read at import: no test may open a file."""


def methods() -> dict[str, dict[str, AnyMethod]]:
    """The methods of each built-in plugin."""
    found = walk_packages(built_in.__path__, f"{built_in.__name__}.")
    modules = {one.name.rpartition(".")[2]: import_module(one.name) for one in found}
    offers = {name: module.mcpi_methods for name, module in modules.items() if hasattr(module, "mcpi_methods")}
    return {name: {method.name: method for method in offer()} for name, offer in offers.items() if name != "spec"}


@frozen
class _DialogueState:
    """The state of a running dialogue."""

    method: AnyMethod
    server: NegotiatedServer
    exchanges: Iterator[JsonObject]
    handled: frozenset[str]
    violations: list[Violation] = field(factory=list)
    seconds_slept: list[float] = field(factory=list)

    def reply(self, step: Step) -> object:
        """The canned reply, if the step is the expected one."""
        match step:
            case Connect():
                return self.server
            case ReportViolation(violation):
                self.violations.append(violation)
            case Sleep(seconds):
                self.seconds_slept.append(seconds)
            case ReadClock():
                return ClockReading(sum(self.seconds_slept), 30.0, self.handled)
            case _:
                return self._next(step)
        return None

    def _next(self, step: Step) -> object:
        expected = next(self.exchanges, None)
        assert expected is not None, f"unexpected step {step}"
        assert _step_document(step) == {name: expected[name] for name in expected if name in _STEP_KEYS}
        match step:
            case Call():
                outcome = _answer(step.method, expected)
                return outcome if step.allow_failure or isinstance(outcome, Failure) else outcome.unwrap()
            case CallAll(calls):
                answers = as_list(expected["answers"])
                return tuple(
                    _answer(one.method, as_object(exchange)) for one, exchange in zip(calls, answers, strict=True)
                )
            case Validate():
                return tuple(tuple(cast("list[str]", problem)) for problem in as_list(expected["problems"]))
            case ProvideInput():
                return _handler_responses(expected)
            case Send():
                return expected["id"]
            case NextEvent():
                return _event(expected)
            case _:
                return None


_STEP_KEYS = ("request", "together", "validate", "extendTerms", "provide", "send", "notify", "next")


def _step_document(step: Step) -> JsonObject:
    """The step in the format of the dialogue files."""
    match step:
        case Call():
            return {"request": _call(step)}
        case CallAll(calls):
            return {"together": [_call(one) for one in calls]}
        case Validate(value, schema):
            return {"validate": {"value": value, "schema": schema}}
        case ExtendTerms(log_level, extension):
            return {"extendTerms": {"logLevel": log_level} if log_level else {"extension": extension}}
        case ProvideInput(required):
            return {"provide": required.value}
        case Send(method, params) | Notify(method, params):
            return {type(step).__name__.lower(): _call(Call(method, params))}
        case NextEvent(within):
            return {"next": within}
        case _:
            raise AssertionError(f"a dialogue file cannot contain {step}")


def _call(step: Call) -> JsonObject:
    whole: dict[str, Printable] = {"method": step.method}
    if step.params is not None:
        whole["params"] = step.params
    if step.headers:
        whole["headers"] = step.headers
    for name, given in (("allowFailure", step.allow_failure), ("withProgress", step.with_progress)):
        if given:
            whole[name] = True
    return cast("JsonObject", json.loads(dump(whole)))


def _answer(method: str, exchange: JsonObject) -> Result[Exact]:
    if "result" in exchange:
        return Success(exact(exchange["result"]))
    if "error" in exchange:
        members = as_object(exchange["error"])
        number, message = members["code"], as_text(members["message"])
        return Failure(RpcError(cast("int", number), message, exact(exchange["error"]), method))
    if "late" in exchange:
        return Failure(TimedOut("REQUEST_TIMEOUT", cast("float", exchange["late"]), method))
    return Failure(Unreachable("CONNECTION_LOST", as_text(exchange["lost"])))


def _handler_responses(exchange: JsonObject) -> Result[Mapping[str, Exact]]:
    """The responses of the handlers."""
    if "rejected" in exchange:
        return Failure(OperationFailed("INPUT_REJECTED", as_text(exchange["rejected"])))
    return Success(exact(exchange["responses"]).members())


def _event(exchange: JsonObject) -> Event:
    """The event of an exchange: a notification, a late response, the end of the connection, or a deadline."""
    at = cast("float", exchange.get("at", 0.0))
    if "notified" in exchange:
        return NotificationReceived(
            as_text(exchange["notified"]), exact(exchange["params"]) if "params" in exchange else None, at
        )
    if "replied" in exchange:
        return ResponseReceived(cast("int", exchange["replied"]), _answer("", exchange), at)
    if "lost" in exchange:
        return ConnectionClosed(Unreachable("CONNECTION_LOST", as_text(exchange["lost"])), at)
    return DeadlineReached(at)


def run_dialogue(dialogue: Dialogue, method: AnyMethod) -> DialogueResult:
    """Run the method's plan with the canned responses."""
    exchanges = [as_object(one) for one in as_list(dialogue.data.get("exchanges"))]
    remaining_exchanges = iter(exchanges)
    handled = frozenset(as_text(one) for one in as_list(dialogue.data.get("handled")))
    state = _DialogueState(method, _server(as_object(dialogue.data.get("server"))), remaining_exchanges, handled)
    match _arguments(method, dialogue.data):
        case Success(args):
            result = _drive(method.plan(args), state)
        case Failure(fault):
            result = PlanResult(None, fault)
    return DialogueResult(result, tuple(state.violations), sum(state.seconds_slept), len(list(remaining_exchanges)))


def _drive(plan: Plan, state: _DialogueState) -> PlanResult:
    reply: object = None
    is_connected = False
    while True:
        step = next_step(plan, reply)
        if isinstance(step, PlanResult):
            return step
        if isinstance(step, _CONNECTING) and not is_connected:
            is_connected = True
            verdict = check_support(state.method, state.server)
            if isinstance(verdict, Violation):
                state.violations.append(verdict)
            elif verdict is not None:
                plan.close()
                return PlanResult(None, verdict)
        reply = state.reply(step)
        result = end_after_failure(plan, step, reply)
        if result is not None:
            return result


def _server(about: JsonObject) -> NegotiatedServer:
    era: Any = about.get("era", "handshake")
    version = as_text(about.get("version")) or ("2026-07-28" if era == "modern" else "2025-11-25")
    info, capabilities = exact(about.get("info", {})), exact(about.get("capabilities", {}))
    was_requested = about.get("capabilitiesRequested", True) is True
    instructions, transport = as_text(about.get("instructions")), as_text(about.get("transport")) or "stdio"
    return NegotiatedServer(
        era, version, info, capabilities, instructions, transport=transport, was_asked_for_capabilities=was_requested
    )


def _arguments(method: AnyMethod, data: JsonObject) -> Result[Any]:
    if "argv" not in data:
        flags: Mapping[str, Exact] = exact(data.get("flags", {})).members()
        return bind(method.args, flags, method.name)
    owner: type[Any] = method.args
    return parse_options(owner, [as_text(word) for word in as_list(data["argv"])], "mcpi", method.name)


def fault_document(fault: Fault | None) -> Json:
    """A fault in the format of the dialogue files."""
    if fault is None:
        return None
    whole: JsonObject = {
        "exit": faults.exit_code(fault),
        "code": faults.code(fault),
        "message": explain.sentence(fault),
    }
    for name, lines in (("evidence", explain.evidence(fault)), ("hints", fault.hints)):
        if lines:
            whole[name] = list(lines)
    return whole
