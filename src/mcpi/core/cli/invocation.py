"""Complete, valid settings of one invocation."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from attrs import evolve, field

from mcpi.core.cli.command_line import Draft, target_flag_problem
from mcpi.core.debugger.program.probe import Probe, parse_probe
from mcpi.core.flags.declare import secret_flags
from mcpi.core.flags.deferred import settle, sources
from mcpi.core.flags.options import (
    GROUPS,
    AuthOptions,
    DebugOptions,
    ModeOptions,
    OutputOptions,
    ProtocolOptions,
    TargetOptions,
    TimeOptions,
)
from mcpi.core.flags.pairs import File, Header, invalid, parse_header
from mcpi.core.flags.places import RecordingLimits
from mcpi.core.flags.types import TIMEOUTS, Source
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import as_text
from mcpi.core.outcome.faults import Invalid, with_nearest
from mcpi.core.outcome.result import Failure, ParseResult, Result, Success, collect
from mcpi.core.plans.catalog import Catalog, HintSource, no_hints
from mcpi.core.plans.method import AnyMethod
from mcpi.core.plans.reports import ReportFormat
from mcpi.core.plans.responders import Handler, Handlers
from mcpi.core.plans.steps import Plan, request
from mcpi.core.secrets.detection import is_secret_header, secrets_in_pairs
from mcpi.core.targets.target import Http, Sse, Stdio, Target, parse_target
from mcpi.core.targets.target import secrets_in_target as secrets_of_target
from mcpi.core.text.suggestions import nearest

if TYPE_CHECKING:
    from mcpi.core.scripts.script import Script


def _with_target_url(method: AnyMethod, args: Any, target: Target | None) -> Any:  # noqa: ANN401 - flags of any class
    """Pass the URL of the target to the method, unless the method's own flag gives another one."""
    field_name = method.target_field
    if not field_name or getattr(args, field_name) is not None or not isinstance(target, Http | Sse):
        return args
    return evolve(args, **{field_name: target.url})


@frozen
class Invocation:
    """All settings of one invocation."""

    mode: ModeOptions
    protocol: ProtocolOptions
    time: TimeOptions
    output: OutputOptions
    target: Target | None
    method: AnyMethod | None
    args: Any
    script: "Script | None" = None
    handlers: Handlers = field(factory=dict)
    report_formats: Mapping[str, ReportFormat] = field(factory=dict)
    """Available report formats by name."""
    auth: AuthOptions = field(factory=AuthOptions)
    probe: Probe | None = None
    """Breakpoint to record in the server during the call."""
    hints: HintSource = no_hints
    """Source of the plugins' hints for a fault."""
    limit_hints: Mapping[str, str] = field(factory=dict)
    """Hints about limits that expire, by flag, which replace the usual ones."""

    def plan(self) -> Plan:
        """Build the method's plan; --params are sent unchanged."""
        assert self.method is not None
        if self.mode.params is not None:
            return request(self.method.name, self.mode.params)
        return self.method.start(self.args)


def required_sources(draft: Draft) -> tuple[tuple[str, Source], ...]:
    """List the sources to read before the draft can be completed, each with its flag."""
    values = draft.given.values
    files = tuple((flag, File(values[flag][-1])) for flag in ("--config", "--script") if flag in values)
    return (*files, *sources(draft.options[owner] for owner in draft.owners if owner in draft.options))


def with_config(draft: Draft, path: str) -> Draft:
    """Return the draft as if --config had named the file."""
    given = evolve(draft.given, values={**draft.given.values, "--config": (path,)})
    target = evolve(draft.of(TargetOptions), config=path)
    return evolve(draft, given=given, options={**draft.options, TargetOptions: target})


def complete(
    draft: Draft, contents: Mapping[Source, str], environment: Mapping[str, str], catalog: Catalog
) -> Result[Invocation]:
    """Build the invocation from the draft and the contents of its sources."""
    parts: Result[Any] = collect(settle(draft.of(owner), contents) for owner in GROUPS)
    if isinstance(parts, Failure):
        return parts
    mode, where, auth, talk, time, output, look = parts.unwrap()
    failure = _check_values(talk, output, catalog)
    if failure is not None:
        return failure
    handlers = _handlers(draft, contents)
    if isinstance(handlers, Failure):
        return handlers
    target = _target(draft, where, contents, environment)
    if isinstance(target, Failure):
        return target
    args: Result[Any] = Success(None)
    if draft.method is not None and mode.params is None:
        args = settle(draft.of(draft.method.args), contents)
        if isinstance(args, Failure):
            return args
        args = Success(_with_target_url(draft.method, args.unwrap(), target.unwrap()))
    script = _script(mode, contents, catalog, has_target=where.demo or target.unwrap() is not None)
    if isinstance(script, Failure):
        return script
    found = (target.unwrap(), draft.method, args.unwrap(), script.unwrap(), handlers.unwrap())
    invocation = Invocation(mode, talk, time, output, *found, catalog.reports, auth, hints=catalog.hints)
    return _with_probe(_with_late_hints(invocation, draft), look)


def _with_late_hints(invocation: Invocation, draft: Draft) -> Invocation:
    """Add hints on words that may explain a failure of the call."""
    if not {*TIMEOUTS} & draft.given.values.keys() and not any("=" in word for word in draft.server):
        return invocation
    from mcpi.core.cli.mistakes import late_hints  # noqa: PLC0415 - rarely needed

    called = "" if draft.method is None else draft.method.name
    hints = late_hints.with_hints_on_words(invocation.hints, draft.given, called, draft.server)
    return evolve(invocation, hints=hints, limit_hints=late_hints.limit_hints(draft.given))


def _check_values(talk: ProtocolOptions, output: OutputOptions, catalog: Catalog) -> Failure[Invalid] | None:
    """Check the client capabilities and the report names."""
    if talk.client_capabilities is not None and not isinstance(talk.client_capabilities.value, dict):
        return invalid(
            "--client-capabilities",
            f"expected a JSON object, found {talk.client_capabilities.kind}",
            "to declare no capabilities, write '{}'",
        )
    for _, name, _ in output.reports:
        if name not in catalog.reports:
            near = nearest(name, catalog.reports)
            hints = () if near else (f"available: {', '.join(catalog.reports)}",)
            return Failure(with_nearest(invalid("--report", f"unknown report {name!r}", *hints).failure(), name, near))
    return None


def _script(
    mode: ModeOptions, contents: Mapping[Source, str], catalog: Catalog, *, has_target: bool
) -> "Result[Script | None]":
    if mode.script is None:
        return Success(None)
    from mcpi.core.scripts.script import parse as parse_script  # noqa: PLC0415 - rarely needed

    name = "standard input" if mode.script == "-" else mode.script
    parsed = parse_script(name, contents[File(mode.script)], catalog, {one.key: one.value for one in mode.var})
    needs_target = not has_target and isinstance(parsed, Success) and parsed.unwrap().connects
    if not needs_target:
        return parsed
    from mcpi.core.cli.pasteable import no_target  # noqa: PLC0415 - only mistakes need it

    return no_target("--script", mode.script)


def _with_probe(invocation: Invocation, look: DebugOptions) -> ParseResult[Invocation]:
    """Add the breakpoint if the method connects to a server; other methods may have flags of the same names."""
    if not look.breakpoint or (invocation.method is not None and not invocation.method.connects):
        return Success(invocation)
    match parse_probe(look.breakpoint, look.expression, RecordingLimits(look.max_results)):
        case Success(probe):
            return Success(evolve(invocation, probe=evolve(probe, required=look.fail_on_no_hit)))
        case Failure() as failed:
            return failed


def _handlers(draft: Draft, contents: Mapping[Source, str]) -> Result[Handlers]:
    handlers: dict[str, Handler] = {}
    for responder in draft.responders:
        match settle(draft.of(responder.args), contents):
            case Success(args):
                handlers[responder.method] = Handler(responder, args)
            case Failure() as failed:
                return failed
    return Success(handlers)


def _target(
    draft: Draft, where: TargetOptions, contents: Mapping[Source, str], environment: Mapping[str, str]
) -> Result[Target | None]:
    target = _given_target(draft, where, contents, environment)
    match target:
        case Success(Stdio() as found):
            return Success(evolve(found, env={**found.env, **dict(where.env)}, cwd=where.cwd or found.cwd))
        case Success(Http() | Sse() as found):
            return _with_headers(found, draft, where)
        case _:
            return target


def _given_target(
    draft: Draft, where: TargetOptions, contents: Mapping[Source, str], environment: Mapping[str, str]
) -> Result[Target | None]:
    if draft.names_all_targets:
        return Success(None)
    if where.config is not None:
        from mcpi.core.cli.config_target import config_target  # noqa: PLC0415 - rarely needed

        return _check_misfit(draft, config_target(draft, where, contents, environment))
    target = (*draft.given.words, *draft.server)
    return parse_target(target, where.transport) if target else Success(None)


def _check_misfit(draft: Draft, target: Result[Target]) -> Result[Target]:
    """Return the config file's target, or a failure if a flag does not apply to it."""
    match target:
        case Success(found):
            return target_flag_problem(draft.given, found) or target
        case Failure():
            return target


def _with_headers(found: Http | Sse, draft: Draft, where: TargetOptions) -> Result[Target]:
    """Add the command line's headers, which replace those of the config file."""
    names = {header.name.lower() for header in where.header}
    own, origins = where.header, draft.given.origins
    if where.token is not None and "authorization" in names and not {"--token", "--header"} & origins.keys():
        return invalid("--token", "conflicts with --header Authorization", "omit one of them")
    # A flag takes precedence over a variable of the environment.
    if where.token is not None and not ("authorization" in names and "--token" in origins):
        own = tuple(header for header in own if header.name.lower() != "authorization")
        credentials = f"Bearer {where.token}" if where.token.strip() else ""
        match parse_header(origins.get("--token", "--token"), f"Authorization: {credentials}"):
            case Success(header):
                own, names = (*own, header), {*names, "authorization"}
            case Failure() as failed:
                return failed
    kept = (header for header in found.headers if header.name.lower() not in names)
    return Success(evolve(found, headers=(*kept, *own)))


def secrets(invocation: Invocation) -> tuple[str, ...]:
    """Return the values to mask in all output."""
    values = (value for owner in (invocation.auth, invocation.args) for value in _secret_values(owner))
    given = () if invocation.target is None else target_secrets(invocation.target)
    steps = () if invocation.script is None else _secrets_of_script(invocation.script)
    return (*values, *given, *steps)


def target_secrets(target: Target) -> tuple[str, ...]:
    """Return the secrets of the target, including its headers."""
    headers = target.headers if isinstance(target, Http | Sse) else ()
    secret = [header for header in headers if is_secret_header(header.name, header.value)]
    return (*secrets_of_target(target), *(part for header in secret for part in _secret_parts(header)))


def _secrets_of_script(script: "Script") -> Iterator[str]:
    """Yield the variables that are secret by name, and the values of the steps' secret flags."""
    from mcpi.core.jsontext.variables import substitute  # noqa: PLC0415 - only scripts need it

    yield from secrets_in_pairs((name, as_text(value.value)) for name, value in script.variables.items())
    for step in script.steps:
        for flag in secret_flags(step.method.args) if step.method is not None else ():
            if flag.key in step.flags:
                yield as_text(substitute(step.flags[flag.key], script.variables).value).strip("\r\n")


def _secret_values(owner: Any) -> Iterator[str]:  # noqa: ANN401 - an instance of any flags class, or None
    """Yield the values of secret flags."""
    for flag in secret_flags(type(owner)) if owner is not None else ():
        value = getattr(owner, flag.field)
        if value:
            yield value


def _secret_parts(header: Header) -> tuple[str, ...]:
    """Return the value and, for credentials, the part after the scheme."""
    if header.name.lower() not in _CREDENTIALS:
        return (header.value,)
    return (header.value, header.value.partition(" ")[2])


_CREDENTIALS = frozenset({"authorization", "proxy-authorization"})
