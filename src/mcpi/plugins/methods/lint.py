"""Method lint: check everything that a server lists."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from attrs import evolve

from mcpi.core.findings.finding import Severity
from mcpi.core.findings.table import finding_lines, findings_table, verdict_sentence
from mcpi.core.flags.pairs import parse_json
from mcpi.core.flags.types import Clients, RuleName, TokenLimit
from mcpi.core.frozen import frozen
from mcpi.core.outcome.explain import sentence
from mcpi.core.plans.server_lists import all_lists
from mcpi.core.plans.steps import ReportViolation
from mcpi.core.version import DOCS
from mcpi.plugins.api import (
    AnyMethod,
    Failure,
    Fault,
    Finding,
    Invalid,
    InvalidResponse,
    Method,
    OperationFailed,
    Plan,
    Result,
    RpcError,
    Steps,
    Success,
    Violation,
    as_list,
    as_object,
    connect,
    hookimpl,
    invalid,
    must,
    nearest,
    read_file,
    stop,
    to_plain,
    with_nearest,
)

if TYPE_CHECKING:
    from mcpi.core.findings.ignores import Ignore
    from mcpi.core.lint.linter import LintOptions, LintResult

T = TypeVar("T")

CONFIG = ".mcpi-lint.json"
"""The file in the working directory that lists findings to ignore, with reasons."""
FAILING: dict[str, tuple[Severity, ...]] = {
    "error": ("error",),
    "warning": ("error", "warning"),
    "info": ("error", "warning", "info"),
    "never": (),
}
"""The severities that fail the run, by the value of --fail-on."""
SHOWN = 20
"""Maximum number of findings shown as evidence."""


@frozen(kw_only=True)
class Lint:
    """The rules to apply, and the severity that fails the run."""

    for_: tuple[Clients, ...] = ()
    """Clients that must accept the definitions: claude, openai, gemini, vscode, cursor (default all); comma-separated
    or repeated."""
    ignore: tuple[RuleName, ...] = ()
    """RULE or RULE:TOOL to ignore; repeatable. The file .mcpi-lint.json in the working directory can list more."""
    pedantic: bool = False
    """Check style rules too."""
    fail_on: Literal["error", "warning", "info", "never"] = "error"
    """Lowest severity that fails the run with exit code 1 (default error)."""
    expect_tokens: TokenLimit | None = None
    """Limit on the number of tokens in the tool list, such as '<20000' or 20k."""


def lint_server(args: Lint) -> Plan:
    """Fetch all lists, and return the findings; the plan fails if a finding has a severity that fails the run."""
    from mcpi.core.lint.definitions import ServerLists  # noqa: PLC0415 - rarely needed
    from mcpi.core.lint.families.protocol import LIST_FAILED, PAGINATION  # noqa: PLC0415 - rarely needed
    from mcpi.core.lint.linter import lint  # noqa: PLC0415 - rarely needed

    options = yield from must(_options(args))
    text = yield from must((yield from read_file(CONFIG)))
    own = yield from must(_configured(text))
    server = yield from connect()
    seen: list[Violation] = []
    lists, faults = yield from _watched(all_lists(server), seen)
    fatal = next((one for one in faults.values() if not isinstance(one, RpcError | InvalidResponse)), None)
    if fatal is not None:
        yield from stop(fatal)
    problems = [(LIST_FAILED.id, f"{key}: {sentence(fault)}") for key, fault in faults.items()]
    problems += [(PAGINATION.id, one.detail) for one in seen]
    listed = ServerLists(
        {key: as_list(as_object(to_plain(result)).get(key)) for key, result in lists.items()},
        as_object(server.capabilities.value),
        server.instructions,
        server.era,
        tuple(problems),
    )
    result = lint(listed, evolve(options, ignores=(*options.ignores, *own)))
    return (yield from _concluded(result, FAILING[args.fail_on]))


def _watched(steps: Steps[T], seen: list[Violation]) -> Steps[T]:
    """Run the steps, and collect the violations that they report."""
    reply: Any = None
    while True:
        try:
            step = steps.send(reply)
        except StopIteration as done:
            found: T = done.value
            return found
        if isinstance(step, ReportViolation):
            seen.append(step.violation)
        reply = yield step


def _concluded(result: "LintResult", failing: Sequence[Severity]) -> Plan:
    document = result.document()
    broken = [one for one in result.findings if one.severity in failing]
    if not broken:
        return document
    return (yield from stop(_failure(result, broken, failing), document))


def _failure(result: "LintResult", broken: Sequence[Finding], failing: Sequence[Severity]) -> Fault:
    summary = {"tools": result.tools, "tokens": result.tokens}
    problem = f"lint: {verdict_sentence(result.findings, summary)}"
    lines = finding_lines(broken, SHOWN)
    return OperationFailed("FINDINGS", problem, lines, {"evidence": list(lines), "failing": list(failing)})


def _options(args: Lint) -> "Result[LintOptions]":
    """Check the flags."""
    from mcpi.core.findings.ignores import parse_ignore  # noqa: PLC0415 - rarely needed
    from mcpi.core.lint.families.cost import parse_budget  # noqa: PLC0415 - rarely needed
    from mcpi.core.lint.linter import LintOptions  # noqa: PLC0415 - rarely needed
    from mcpi.core.lint.rule import CLIENTS, Client  # noqa: PLC0415 - rarely needed
    from mcpi.core.lint.rules import RULES  # noqa: PLC0415 - rarely needed

    known: dict[str, Client] = {one: one for one in CLIENTS}
    named = [name.strip() for part in args.for_ for name in part.split(",")]
    clients: list[Client] = []
    for name in named:
        client = known.get(name.lower())
        if client is None:
            near = nearest(name, CLIENTS)
            hints = () if near else (f"available: {', '.join(CLIENTS)}",)
            return Failure(with_nearest(invalid("--for", f"unknown client {name!r}", *hints).failure(), name, near))
        clients.append(client)
    budget = None if args.expect_tokens is None else parse_budget(args.expect_tokens)
    if args.expect_tokens is not None and budget is None:
        return invalid("--expect-tokens", f"expected a limit such as '<20000', got {args.expect_tokens!r}")
    ignores = tuple(parse_ignore(text, "--ignore") for text in args.ignore)
    text = next((text for text, one in zip(args.ignore, ignores, strict=True) if not one.rule), None)
    if text is not None:
        return invalid("--ignore", f"expected RULE or RULE:TOOL, got {text!r}")
    unknown = next((one.rule for one in ignores if one.rule not in RULES), None)
    if unknown is not None:
        near = nearest(unknown, RULES)
        hint = f"did you mean {near}?" if near else f"the rules are listed at {DOCS}/rules.md"
        return invalid("--ignore", f"unknown rule {unknown!r}", hint)
    return Success(
        LintOptions(clients=tuple(clients) or CLIENTS, ignores=ignores, pedantic=args.pedantic, budget=budget)
    )


def _configured(text: str | None) -> "Result[tuple[Ignore, ...]]":
    """Read the ignores of the config file."""
    if text is None:
        return Success(())
    from mcpi.core.findings.ignores import read_ignores  # noqa: PLC0415 - rarely needed

    match parse_json(CONFIG, text):
        case Failure(fault):
            return Failure(Invalid("INVALID_CONFIG", CONFIG, sentence(fault).removeprefix(f"{CONFIG}: ")))
        case Success(parsed):
            value = parsed.value
    if isinstance(value, dict):
        unknown = sorted(value.keys() - {"ignore"})
        if unknown:
            return Failure(
                Invalid("INVALID_CONFIG", CONFIG, f"unknown key {unknown[0]!r}", ('the only key is "ignore"',))
            )
        value = value.get("ignore", [])
    match read_ignores(value, CONFIG):
        case Success(ignores):
            return Success(ignores)
        case Failure(problem):
            return Failure(Invalid("INVALID_CONFIG", CONFIG, problem))


@hookimpl
def mcpi_methods() -> tuple[AnyMethod, ...]:
    """Return the method."""
    return (
        Method(
            "lint",
            Lint,
            lint_server,
            "find definitions that clients reject or that cost many tokens",
            is_protocol_method=False,
            summarize=findings_table,
        ),
    )


@hookimpl
def mcpi_tools() -> tuple[str, ...]:
    """Return the method that agents can call."""
    return ("lint",)
