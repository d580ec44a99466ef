"""Whole sessions of the real engine with a random server: each one ends and can be reported."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from xml.etree import ElementTree as ET

from attrs import evolve

from fuzz import grammar
from fuzz.random_server import RandomServer
from mcpi.core.cli.invocation import Invocation
from mcpi.core.modes import one_shot
from mcpi.core.modes.run_report import build_report, call_step
from mcpi.core.outcome.result import Success
from mcpi.core.plans.events import Event
from mcpi.core.plans.plan import PlanResult, begin
from mcpi.core.plans.reports import Report, ScriptLog
from mcpi.core.record.envelope import RunInfo, connection_facts, envelope
from mcpi.core.record.result_text import format_result
from mcpi.core.record.transcript import Transcript
from mcpi.core.scripts import script
from mcpi.core.session.session import Session
from mcpi.shell.cli import app
from mcpi.shell.context import process_context
from mcpi.shell.discovery.loader import Plugins
from mcpi.shell.io import inputs

CATALOG = Plugins({}).catalog
SCRIPT = Path(__file__).with_name("script.json")
ANSWERS = ("--handle-sampling", "auto", "--handle-elicitation", "auto", "--roots", "file:///x=x")
CALL = ("--method", "tools/call", "--tool-name", "echo", "--tool-arg", "n=1")
COMMANDS: Sequence[Sequence[str]] = (
    ("--method", "tools/list"),
    ("--method", "tools/list", "--one-page", "--cursor", "1"),
    CALL,
    (*CALL, "--output-schema-validate", "--retry", "1"),
    (*CALL, "--run-as-task", "--poll"),
    (*CALL, "--era", "modern", "--run-as-task", "--poll"),
    (*CALL, "--protocol-version", "2025-03-26"),
    ("--method", "discover"),
    ("--method", "server/info"),
    ("--method", "server/discover"),
    ("--method", "ping", "--era", "handshake"),
    ("--method", "resources/list"),
    ("--method", "resources/templates/list"),
    ("--method", "resources/read", "--uri", "x:y"),
    ("--method", "resources/directory/read", "--uri", "x:y"),
    ("--method", "prompts/list"),
    ("--method", "prompts/get", "--prompt-name", "p", "--prompt-arg", "a=b"),
    ("--method", "completion/complete", "--completion-ref", "ref/prompt/p", "--argument-name", "a"),
    ("--method", "logging/setLevel", "--log-level", "debug"),
    ("--method", "skills/list"),
    ("--method", "skills/get", "--uri", "skill://y/SKILL.md"),
    ("--method", "skills/read", "--uri", "skill://y/SKILL.md"),
    ("--method", "tasks/list"),
    ("--method", "tasks/get", "--task-id", "t"),
    ("--method", "tasks/result", "--task-id", "t"),
    ("--method", "tasks/update", "--task-id", "t", "--input-responses", "{}"),
    ("--method", "vendor/thing", "--params", '{"a":[1.10]}', "--force"),
    ("--method", "subscriptions/listen", "--follow", "--timeout", "2s"),
    ("--method", "tools/list", "--follow", "--refetch", "--timeout", "5s"),
    ("--method", "resources/subscribe", "--uri", "x:y", "--follow", "--timeout", "5s"),
    ("--method", "logging/setLevel", "--log-level", "debug", "--follow", "--timeout", "5s", "--max-events", "5"),
    (*CALL, "--watch", "2s"),
    ("--script", str(SCRIPT)),
)
TARGETS: Sequence[Sequence[str]] = (("--", "server"), ("http://127.0.0.1:9/mcp",), ("http://127.0.0.1:9/sse",))


def _reject_constant(literal: str) -> None:
    raise AssertionError(f"{literal} is not JSON")


def invocation(words: Sequence[str]) -> Invocation:
    """The parsed command line."""
    context = process_context()._replace(argv=tuple(words), environment={})
    return inputs.complete(context, app.read(words, {}, CATALOG).unwrap(), CATALOG).unwrap()


@cache
def invocations() -> list[Invocation]:
    """All command lines, each with every target it accepts."""
    return [invocation((*words, *more, *target)) for words in COMMANDS for more in ((), ANSWERS) for target in TARGETS]


def run_script(random: Random) -> None:
    """Parse a script made from the grammar; if it is valid, run it with a random server."""
    parsed = script.parse("-", grammar.script(random), CATALOG, {})
    if isinstance(parsed, Success):
        run_session(evolve(invocation(("--script", str(SCRIPT), *TARGETS[0])), script=parsed.unwrap()), random)


def target_name(made: Invocation) -> str:
    """The name in the list of targets."""
    return one_shot.method_name(made) or "script"


def run_session(made: Invocation, random: Random) -> PlanResult:
    """Run a session with a random server, check every output format, and return the result."""
    made = one_shot.with_mode_output(made)
    transcript = Transcript(0.0, keep=True)

    def record(event: Event) -> None:
        transcript.record(event)

    session = Session(one_shot.terms(made), made.handlers, record)
    random_server = RandomServer(session, random)
    log = ScriptLog()
    started = begin(made.plan()) if made.method is not None else None
    if isinstance(started, PlanResult):
        return started
    result = random_server.run(one_shot.run_invocation(made, started, session, transcript, log))
    facts = connection_facts(session, random_server.clock)
    document = envelope(RunInfo(one_shot.method_name(made) or None, random_server.clock), result, transcript, facts)
    printed = format_result(result, document, made.output)
    for line in [line for text in [str(printed.stdout), *random_server.emitted] for line in _documents(text)]:
        # Python rejects integers of more than 4,300 digits.
        json.loads(line, parse_constant=_reject_constant, parse_int=len)
    step = call_step(made, document, printed.exit_code)
    steps = log.steps or [evolve(step, messages=tuple(transcript.messages))]
    _report(made, build_report(made, steps, facts, printed.exit_code, "2026-01-01T00:00:00Z"))
    return result


def _report(made: Invocation, report: Report) -> None:
    """Render every report format, and parse the JUnit report as XML."""
    texts = {
        kind: output.render(report).encode(errors="backslashreplace") for kind, output in made.report_formats.items()
    }
    ET.fromstring(texts["junit"])  # noqa: S314 - written by mcpi


def _documents(text: str) -> list[str]:
    """The JSON documents in a text: all of it, or each of its lines."""
    if text.startswith(("{\n", "[\n")):
        return [text]
    return [line for line in text.split("\n") if line]
