"""What the user asked for, complete and valid."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from attrs import evolve, field, frozen

from mcpi.core import argv as words
from mcpi.core.catalog import Catalog, nearest
from mcpi.core.faults import Fault, Invalid
from mcpi.core.flags import Flag, Given, check, fill, flags_of, sources, tokenize, with_environment
from mcpi.core.kinds import Source
from mcpi.core.method import AnyMethod, Method
from mcpi.core.options import GROUPS, ModeOptions, OutputOptions, ProtocolOptions, TargetOptions, TimeOptions
from mcpi.core.outcome import Failure, Outcome, Success, collect
from mcpi.core.pairs import File, Header, invalid, parse_assignment
from mcpi.core.respond import Handler, Handlers, Responder
from mcpi.core.settings import parse_servers, pick
from mcpi.core.settings import target as configured
from mcpi.core.steps import Plan, request
from mcpi.core.target import Http, Sse, Stdio, Target, make

T = TypeVar("T")


@frozen
class Bare:
    """The flags of a method that has none of its own."""


@frozen
class Draft:
    """A command line that is valid as far as it can be told without reading anything."""

    given: Given
    method: AnyMethod | None
    responders: tuple[Responder[Any], ...]
    server: tuple[str, ...] = ()

    @property
    def owners(self) -> tuple[type, ...]:
        """The classes whose flags may be given."""
        own = (self.method.args,) if self.method is not None else ()
        return (*GROUPS, *(responder.args for responder in self.responders), *own)


@frozen
class Invocation:
    """All that decides what will happen."""

    mode: ModeOptions
    talk: ProtocolOptions
    time: TimeOptions
    output: OutputOptions
    target: Target | None
    method: AnyMethod | None
    args: Any
    handlers: Handlers = field(factory=dict)

    def plan(self) -> Plan:
        """What the method does; parameters given as JSON go out as they are."""
        assert self.method is not None
        if self.mode.params is not None:
            return request(self.method.name, self.mode.params)
        return self.method.plan(self.args)


def read(
    argv: Sequence[str], environment: Mapping[str, str], catalog: Catalog, responders: Iterable[Responder[Any]]
) -> Outcome[Draft]:
    """The command line, checked as far as it can be without touching anything."""
    split = words.split(argv)
    name = words.value_of("--method", split.ours) or environment.get("MCPI_METHOD")
    asked = tuple(responders)
    method: AnyMethod | None = None
    if name is not None:
        match _find(catalog, name, split.ours, environment):
            case Success(method):
                pass
            case Failure() as failed:
                return failed
    draft = Draft(Given({}), method, asked, split.server)
    known = {flag.name: flag for owner in draft.owners for flag in flags_of(owner)}
    match tokenize(split.ours, known, lambda token: _unknown(token, known, catalog, draft)):
        case Success(given):
            draft = evolve(draft, given=with_environment(given, known.values(), environment))
        case Failure() as failed:
            return failed
    return _checked(draft)


def _find(catalog: Catalog, name: str, ours: Sequence[str], environment: Mapping[str, str]) -> Outcome[AnyMethod]:
    match catalog.find(name):
        case Failure(Invalid(code="UNKNOWN_METHOD")) if _has_params(ours, environment):
            return Success(vendor(name))
        case found:
            return found


def _has_params(ours: Sequence[str], environment: Mapping[str, str]) -> bool:
    return words.value_of("--params", ours) is not None or "MCPI_PARAMS" in environment


def vendor(name: str) -> AnyMethod:
    """A method that only the server knows."""
    return Method(name, Bare, lambda _: request(name), "")


def _unknown(token: str, known: Mapping[str, Flag], catalog: Catalog, draft: Draft) -> Fault:
    spelled = token.partition("=")[0]
    takers = [
        owned.method.name
        for owned in catalog.owned.values()
        if any(flag.name == spelled for flag in flags_of(owned.method.args))
    ]
    if takers and draft.method is not None:
        mine = f"{spelled} belongs to {', '.join(takers)}; {draft.method.name} does not take it"
        return Invalid("INVALID_ARGUMENT", spelled, mine)
    if takers:
        return Invalid("INVALID_ARGUMENT", spelled, f"it belongs to {', '.join(takers)}: say --method {takers[0]}")
    near = nearest(spelled, known)
    hints = (f"did you mean {near}?",) if near else ()
    after = "flags of the server's own command go after --: mcpi --method ... -- COMMAND ARGS"
    return Invalid("INVALID_ARGUMENT", spelled, "there is no such flag", (*hints, after))


def _checked(draft: Draft) -> Outcome[Draft]:
    given, method = draft.given, draft.method
    if "--help" in given.values or "--version" in given.values:
        return Success(draft)
    raw = "--params" in given.values
    needed_by = method.name if method is not None else ""
    for owner in draft.owners:
        if method is not None and owner is method.args and raw:
            continue
        checked = check(owner, given, needed_by)
        if isinstance(checked, Failure):
            return checked
    if method is None:
        return Failure(Invalid("MISSING_ARGUMENT", "--method", "say what to do, for example --method tools/list"))
    if raw:
        beside = [flag.name for flag in flags_of(method.args) if flag.name in given.values]
        if beside:
            return invalid("--params", f"it says it all already; {beside[0]} beside it has no place")
    return _target_checked(draft)


def _target_checked(draft: Draft) -> Outcome[Draft]:
    given = draft.given
    named = [name for name in ("--demo", "--config") if name in given.values]
    target = (*given.words, *draft.server)
    if target:
        named.append(f"the target {target[0]!r}")
    if len(named) > 1:
        return invalid(named[0], f"{' and '.join(named)} are given, where one target was expected")
    needs = draft.method is None or draft.method.connects
    if needs and not named:
        example = "for example: mcpi node server.js --method tools/list"
        return Failure(
            Invalid("MISSING_ARGUMENT", "target", "say which server: a command, a URL or --config", (example,))
        )
    if "--server" in given.values and "--config" not in given.values:
        return invalid("--server", "it names a server of a --config file, which is not given")
    if not target:
        return Success(draft)
    transport = given.values.get("--transport", (None,))[-1]
    match make(target, transport):  # type: ignore[arg-type]
        case Success(made):
            return _fitting(draft, made)
        case Failure() as failed:
            return failed


def _fitting(draft: Draft, target: Target) -> Outcome[Draft]:
    """Flags that mean nothing for the target are refused rather than ignored."""
    local = isinstance(target, Stdio)
    for name in ("--header", "--token") if local else ("--env", "--cwd"):
        if name in draft.given.values and name not in draft.given.origins:
            return invalid(name, f"it goes with a {'URL' if local else 'command'}, not with {_shown(target)}")
    return Success(draft)


def _shown(target: Target) -> str:
    return f"the command {target.command[0]!r}" if isinstance(target, Stdio) else f"the URL {target.url}"


def wanted(draft: Draft) -> tuple[tuple[str, Source], ...]:
    """What must be read to complete the draft."""
    flags = [flag for owner in draft.owners for flag in flags_of(owner)]
    config = draft.given.values.get("--config")
    files = (("--config", File(config[-1])),) if config else ()
    return (*files, *sources(draft.given, flags))


def complete(draft: Draft, contents: Mapping[Source, str], environment: Mapping[str, str]) -> Outcome[Invocation]:
    """The invocation, now that all is read."""
    parts: list[Any] = []
    for owner in GROUPS:
        match fill(owner, draft.given, contents):
            case Success(part):
                parts.append(part)
            case Failure() as failed:
                return failed
    mode, where, talk, time, output = parts
    handlers = _handlers(draft, contents)
    if isinstance(handlers, Failure):
        return handlers
    target = _target(draft, where, contents, environment)
    if isinstance(target, Failure):
        return target
    args: Outcome[Any] = Success(None)
    if draft.method is not None and mode.params is None:
        args = fill(draft.method.args, draft.given, contents, draft.method.name)
        if isinstance(args, Failure):
            return args
    found = (target.unwrap(), draft.method, args.unwrap(), handlers.unwrap())
    return Success(Invocation(mode, talk, time, output, *found))


def _handlers(draft: Draft, contents: Mapping[Source, str]) -> Outcome[Handlers]:
    handlers: dict[str, Handler] = {}
    for responder in draft.responders:
        match fill(responder.args, draft.given, contents):
            case Success(args):
                handlers[responder.method] = Handler(responder, args)
            case Failure() as failed:
                return failed
    return Success(handlers)


def _target(
    draft: Draft, where: TargetOptions, contents: Mapping[Source, str], environment: Mapping[str, str]
) -> Outcome[Target | None]:
    target = _named(draft, where, contents, environment)
    match target:
        case Success(Stdio() as found):
            env = collect(parse_assignment("--env", text) for text in where.env)
            if isinstance(env, Failure):
                return env
            return Success(evolve(found, env={**found.env, **dict(env.unwrap())}, cwd=where.cwd or found.cwd))
        case Success(Http() | Sse() as found):
            return Success(evolve(found, headers=_merged(found.headers, where)))
        case _:
            return target


def _named(
    draft: Draft, where: TargetOptions, contents: Mapping[Source, str], environment: Mapping[str, str]
) -> Outcome[Target | None]:
    if where.config is not None:
        entry = parse_servers(where.config, contents[File(where.config)])
        if isinstance(entry, Failure):
            return entry
        picked = pick(where.config, entry.unwrap(), where.server)
        if isinstance(picked, Failure):
            return picked
        return configured(where.config, *picked.unwrap(), environment)
    target = (*draft.given.words, *draft.server)
    if not target:
        return Success(None)
    return make(target, where.transport)


def _merged(headers: tuple[Header, ...], where: TargetOptions) -> tuple[Header, ...]:
    own = where.header
    if where.token is not None:
        own = (*own, Header("Authorization", f"Bearer {where.token}"))
    names = {header.name.lower() for header in own}
    return (*(header for header in headers if header.name.lower() not in names), *own)


def secrets(invocation: Invocation) -> tuple[str, ...]:
    """What no output may show."""
    if not isinstance(invocation.target, Http | Sse):
        return ()
    values = [header.value for header in invocation.target.headers if header.name.lower() not in _OPEN]
    return tuple(part for value in values for part in (value, value.removeprefix("Bearer ")))


_OPEN = frozenset({"accept", "content-type", "user-agent", "mcp-protocol-version"})
"""Headers whose values are no secrets."""
