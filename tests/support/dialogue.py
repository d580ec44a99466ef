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
from support.replay import exact, forward, spoiled

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
class Played:
    """The result of a dialogue."""

    ended: PlanResult
    remarks: tuple[Violation, ...]
    slept: float
    left: int
    """How many exchanges were never reached."""


def dialogues() -> tuple[Dialogue, ...]:
    """All dialogue files; read them before any test runs."""
    paths = sorted(FOLDER.glob("*.json"))
    return tuple(Dialogue(path.stem, json.loads(path.read_text("utf-8"))) for path in paths)


DIALOGUES = dialogues()
"""Read at once: no test may open a file."""


def methods() -> dict[str, dict[str, AnyMethod]]:
    """The methods of each built-in plugin."""
    found = walk_packages(built_in.__path__, f"{built_in.__name__}.")
    modules = {one.name.rpartition(".")[2]: import_module(one.name) for one in found}
    offers = {name: module.mcpi_methods for name, module in modules.items() if hasattr(module, "mcpi_methods")}
    return {name: {method.name: method for method in offer()} for name, offer in offers.items() if name != "spec"}


@frozen
class _Stage:
    """The state of a running dialogue."""

    method: AnyMethod
    server: NegotiatedServer
    exchanges: Iterator[JsonObject]
    handled: frozenset[str]
    remarks: list[Violation] = field(factory=list)
    slept: list[float] = field(factory=list)

    def reply(self, step: Step) -> object:
        """The canned reply, if the step is the expected one."""
        match step:
            case Connect():
                return self.server
            case ReportViolation(violation):
                self.remarks.append(violation)
            case Sleep(seconds):
                self.slept.append(seconds)
            case ReadClock():
                return ClockReading(sum(self.slept), 30.0, self.handled)
            case _:
                return self._next(step)
        return None

    def _next(self, step: Step) -> object:
        wanted = next(self.exchanges, None)
        assert wanted is not None, f"nobody expected {step}"
        assert _described(step) == {name: wanted[name] for name in wanted if name in _ASKED}
        match step:
            case Call():
                outcome = _answer(step.method, wanted)
                return outcome if step.allow_failure or isinstance(outcome, Failure) else outcome.unwrap()
            case CallAll(calls):
                answers = as_list(wanted["answers"])
                return tuple(_answer(one.method, as_object(said)) for one, said in zip(calls, answers, strict=True))
            case Validate():
                return tuple(tuple(cast("list[str]", problem)) for problem in as_list(wanted["problems"]))
            case ProvideInput():
                return _given(wanted)
            case Send():
                return wanted["id"]
            case NextEvent():
                return _event(wanted)
            case _:
                return None


_ASKED = ("request", "together", "validate", "adopt", "provide", "send", "notify", "next")


def _described(step: Step) -> JsonObject:
    """The step in the format of the dialogue files."""
    match step:
        case Call():
            return {"request": _call(step)}
        case CallAll(calls):
            return {"together": [_call(one) for one in calls]}
        case Validate(value, schema):
            return {"validate": {"value": value, "schema": schema}}
        case ExtendTerms(log_level, extension):
            return {"adopt": {"logLevel": log_level} if log_level else {"extension": extension}}
        case ProvideInput(required):
            return {"provide": required.value}
        case Send(method, params) | Notify(method, params):
            return {type(step).__name__.lower(): _call(Call(method, params))}
        case NextEvent(within):
            return {"next": within}
        case _:
            raise AssertionError(f"no file can hold {step}")


def _call(step: Call) -> JsonObject:
    whole: dict[str, Printable] = {"method": step.method}
    if step.params is not None:
        whole["params"] = step.params
    if step.headers:
        whole["headers"] = step.headers
    for name, given in (("tolerant", step.allow_failure), ("track", step.with_progress)):
        if given:
            whole[name] = True
    return cast("JsonObject", json.loads(dump(whole)))


def _answer(method: str, said: JsonObject) -> Result[Exact]:
    if "result" in said:
        return Success(exact(said["result"]))
    if "error" in said:
        members = as_object(said["error"])
        number, message = members["code"], as_text(members["message"])
        return Failure(RpcError(cast("int", number), message, exact(said["error"]), method))
    if "late" in said:
        return Failure(TimedOut("REQUEST_TIMEOUT", cast("float", said["late"]), method))
    return Failure(Unreachable("CONNECTION_LOST", as_text(said["lost"])))


def _given(said: JsonObject) -> Result[Mapping[str, Exact]]:
    """The responses of the handlers."""
    if "rejected" in said:
        return Failure(OperationFailed("INPUT_REJECTED", as_text(said["rejected"])))
    return Success(exact(said["responses"]).members())


def _event(said: JsonObject) -> Event:
    """The event of an exchange: a notification, a late response, the end of the connection, or a deadline."""
    at = cast("float", said.get("at", 0.0))
    if "notified" in said:
        return NotificationReceived(as_text(said["notified"]), exact(said["params"]) if "params" in said else None, at)
    if "replied" in said:
        return ResponseReceived(cast("int", said["replied"]), _answer("", said), at)
    if "lost" in said:
        return ConnectionClosed(Unreachable("CONNECTION_LOST", as_text(said["lost"])), at)
    return DeadlineReached(at)


def play(dialogue: Dialogue, method: AnyMethod) -> Played:
    """Run the method's plan with the canned responses."""
    exchanges = [as_object(one) for one in as_list(dialogue.data.get("exchanges"))]
    rest = iter(exchanges)
    handled = frozenset(as_text(one) for one in as_list(dialogue.data.get("handled")))
    stage = _Stage(method, _server(as_object(dialogue.data.get("server"))), rest, handled)
    match _arguments(method, dialogue.data):
        case Success(args):
            ended = _drive(method.plan(args), stage)
        case Failure(fault):
            ended = PlanResult(None, fault)
    return Played(ended, tuple(stage.remarks), sum(stage.slept), len(list(rest)))


def _drive(plan: Plan, stage: _Stage) -> PlanResult:
    reply: object = None
    met = False
    while True:
        step = forward(plan, reply)
        if isinstance(step, PlanResult):
            return step
        if isinstance(step, _CONNECTING) and not met:
            met = True
            verdict = check_support(stage.method, stage.server)
            if isinstance(verdict, Violation):
                stage.remarks.append(verdict)
            elif verdict is not None:
                plan.close()
                return PlanResult(None, verdict)
        reply = stage.reply(step)
        ended = spoiled(plan, step, reply)
        if ended is not None:
            return ended


def _server(about: JsonObject) -> NegotiatedServer:
    era: Any = about.get("era", "handshake")
    version = as_text(about.get("version")) or ("2026-07-28" if era == "modern" else "2025-11-25")
    info, capabilities = exact(about.get("info", {})), exact(about.get("capabilities", {}))
    asked = about.get("asked", True) is True
    instructions, transport = as_text(about.get("instructions")), as_text(about.get("transport")) or "stdio"
    return NegotiatedServer(
        era, version, info, capabilities, instructions, transport=transport, was_asked_for_capabilities=asked
    )


def _arguments(method: AnyMethod, data: JsonObject) -> Result[Any]:
    if "argv" not in data:
        flags: Mapping[str, Exact] = exact(data.get("flags", {})).members()
        return bind(method.args, flags, method.name)
    owner: type[Any] = method.args
    return parse_options(owner, [as_text(word) for word in as_list(data["argv"])], "mcpi", method.name)


def told(fault: Fault | None) -> Json:
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
