"""Build the report of a run."""

import shlex
from collections.abc import Mapping

from mcpi.core.cli.invocation import Invocation
from mcpi.core.flags.declare import STDIN
from mcpi.core.flags.types import LOCK_FILES
from mcpi.core.jsontext.exact import Printable
from mcpi.core.jsontext.values import as_object, as_text
from mcpi.core.modes.one_shot import method_name
from mcpi.core.outcome import explain
from mcpi.core.outcome.faults import Fault, exit_code
from mcpi.core.plans.reports import Report, ReportedStep
from mcpi.core.record.envelope import ConnectionFacts, error_json
from mcpi.core.secrets.detection import mask_url, mask_words
from mcpi.core.targets.target import Http, Sse, Stdio, Target
from mcpi.core.version import __version__

_PROGRAMS = (".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".go", ".rs", ".jar", ".dll", ".php", ".sh")


def call_step(invocation: Invocation, document: Mapping[str, Printable], code: int) -> ReportedStep:
    """Build the step of a single call; a tool error that does not change the exit code is allowed."""
    failed = code != 0 or document.get("error") is not None
    return ReportedStep(_title(invocation), document, failed, failure_allowed=code == 0)


def _title(invocation: Invocation) -> str:
    """Return the title of a single call: its method and tool, as for a step of a script."""
    name, params = method_name(invocation), invocation.mode.params
    if name != "tools/call":
        return name or "follow"
    tool = getattr(invocation.args, "tool_name", "") if params is None else as_object(params.value).get("name")
    return f"{name} {as_text(tool)}".rstrip()


def build_report(
    invocation: Invocation, ledger: list[ReportedStep], known: ConnectionFacts, code: int, time: str
) -> Report:
    """Build the report of a run."""
    name = script_name(invocation.mode.script)
    title = name if invocation.mode.script == STDIN else invocation.mode.script or _title(invocation)
    server, target = known.server, invocation.target
    about: dict[str, Printable] = {} if target is None else {"target": _shown(target)}
    about["transport"] = known.transport
    if server is not None:
        about |= {"server": server.info.members().get("name"), "protocol": f"{server.version} ({server.era})"}
    about |= {"server's exit code": known.exit_code} if known.exit_code is not None else {}
    return Report(f"mcpi {title}", tuple(ledger), code, time, __version__, about, name, _source(invocation))


def _shown(target: Target) -> str:
    """Return the command or the URL without its secrets."""
    match target:
        case Stdio(command):
            return " ".join(map(shlex.quote, mask_words(command)))
        case Http(url) | Sse(url):
            return mask_url(url)


def script_name(path: str | None) -> str:
    """Return the file name of a script for the reports, or an empty string without a script."""
    return "standard input" if path == STDIN else (path or "").replace("\\", "/").rpartition("/")[2]


def refused_script_report(path: str, fault: Fault, time: str) -> Report:
    """Build the report of a rejected script: one failing test with the reason."""
    error = {**error_json(fault), "details": {"failures": [explain.sentence(fault), *fault.hints]}}
    step = ReportedStep("script", {"method": None, "durationMs": 0, "error": error}, failed=True)
    title = script_name(path) if path == STDIN else path
    return Report(f"mcpi {title}", (step,), exit_code(fault), time, __version__, {}, script_name(path))


def _source(invocation: Invocation) -> str:
    """Return the file that findings refer to: the program of the server's command, or the lock file of a comparison."""
    if invocation.mode.script not in {None, STDIN}:
        return invocation.mode.script or ""
    command = invocation.target.command if isinstance(invocation.target, Stdio) else ()
    sides = [as_text(getattr(invocation.args, name, None)) for name in ("new", "old")]
    words = [*command, *(word for side in sides if not side.startswith("{") for word in side.split())]
    files = [word for word in words if "://" not in word]
    named = next((word for ending in (_PROGRAMS, LOCK_FILES) for word in files if word.endswith(ending)), "")
    return named.rpartition("/")[2] if named.startswith("/") else named.removeprefix("./")
