"""What the user asked for, complete and valid."""

from collections.abc import Mapping
from typing import Any

from attrs import evolve, field, frozen

from mcpi.core.draft import Draft
from mcpi.core.flags import fill, flags_of, sources
from mcpi.core.kinds import Source
from mcpi.core.method import AnyMethod
from mcpi.core.options import GROUPS, ModeOptions, OutputOptions, ProtocolOptions, TargetOptions, TimeOptions
from mcpi.core.outcome import Failure, Outcome, Success, collect
from mcpi.core.pairs import File, Header, parse_assignment
from mcpi.core.respond import Handler, Handlers
from mcpi.core.settings import parse_servers, pick
from mcpi.core.settings import target as configured
from mcpi.core.steps import Plan, request
from mcpi.core.target import Http, Sse, Stdio, Target, make


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
