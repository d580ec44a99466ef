"""Responder for elicitation/create."""

from typing import cast

from mcpi.core.flags.canned_answers import ElicitationAnswer, schema_defaults
from mcpi.core.frozen import frozen
from mcpi.plugins.api import (
    Accept,
    Exact,
    Json,
    JsonObject,
    Printable,
    Refuse,
    Reply,
    Responder,
    ServerRequest,
    Steps,
    as_object,
    check,
    client_capability,
    hookimpl,
)

DECLINE = ElicitationAnswer("decline")


@frozen(kw_only=True)
class ElicitationFlags:
    """How to answer elicitation."""

    handle_elicitation: tuple[ElicitationAnswer, ...] = ()
    """Response to elicitation/create: auto (schema defaults), decline, cancel, or the content as JSON; repeatable."""


def declare(_: ElicitationFlags, version: str) -> JsonObject:
    """Declare elicitation even if requests are declined, so that the server sends them and they are recorded."""
    return client_capability("elicitation", version)


def answer(flags: ElicitationFlags, asking: ServerRequest) -> Steps[Reply]:
    """Give the answers in order, then repeat the last one; decline if none is given."""
    given = flags.handle_elicitation or (DECLINE,)
    chosen = given[min(asking.previous_count, len(given) - 1)]
    if chosen.action in {"decline", "cancel"}:
        return Accept({"action": chosen.action})
    params = as_object(asking.params.value) if asking.params is not None else {}
    if params.get("mode") == "url":
        # MCP 2025-11-25, elicitation: content is "omitted for out-of-band mode responses".
        return Accept({"action": "accept"})
    return (yield from _content(chosen.content, params))


def _content(content: Exact | None, params: JsonObject) -> Steps[Reply]:
    """Return the content, or the schema's defaults; reject given content that does not match the schema."""
    schema = params.get("requestedSchema")
    filled: Json = schema_defaults(schema) if content is None else content.value
    problems = (yield from check(filled, schema)) if schema is not None else ()
    mismatches = "; ".join(f"{pointer or '/'}: {problem}" for pointer, problem in problems)
    sentence = f"does not match the requested schema: {mismatches}"
    if content is None:
        warning = f"the content of --handle-elicitation auto {sentence}; give the content as JSON" if problems else ""
        return Accept({"action": "accept", "content": cast("Printable", filled)}, warning)
    if problems:
        return Refuse(-32602, f"the content given with --handle-elicitation {sentence}")
    return Accept({"action": "accept", "content": content})


@hookimpl
def mcpi_responders() -> tuple[Responder[ElicitationFlags], ...]:
    """Return the responder for elicitation/create."""
    return (
        Responder(
            "elicitation/create",
            "elicitation",
            ElicitationFlags,
            declare,
            answer,
            lambda flags: bool(flags.handle_elicitation),
            capability="elicitation",
        ),
    )
