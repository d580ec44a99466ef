"""Responses to a server's requests, given in advance by the user."""

from typing import Literal

from mcpi.core.flags.pairs import invalid, parse_json
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.schema import outline
from mcpi.core.jsontext.values import Json, JsonObject, as_object
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Correction, Invalid, with_correction
from mcpi.core.outcome.result import Failure, Result, Success

STUB: JsonObject = {
    "model": "stub-model",
    "stopReason": "endTurn",
    "role": "assistant",
    "content": {"type": "text", "text": ""},
}
"""The response to sampling with `auto`."""
_TEMPLATE = ("model", "role", "content")


@frozen
class SamplingAnswer:
    """A prepared completion, the stub, or a rejection."""

    action: Literal["auto", "reject", "template"]
    template: Exact | None = None


@frozen
class ElicitationAnswer:
    """Prepared content, the schema's defaults, a decline, or a cancellation."""

    action: Literal["accept", "auto", "decline", "cancel"]
    content: Exact | None = None


def parse_sampling(flag: str, text: str) -> Result[SamplingAnswer]:
    """Parse auto, reject, or a CreateMessageResult."""
    match text:
        case "auto" | "reject":
            return Success(SamplingAnswer(text))
        case _:
            return _template(flag, text)


def _template(flag: str, text: str) -> Result[SamplingAnswer]:
    match parse_json(flag, text):
        case Success(template):
            missing = [name for name in _TEMPLATE if name not in as_object(template.value)]
            if missing:
                return invalid(
                    flag, f"the template has no {', '.join(missing)}", "add the missing members, or use auto or reject"
                )
            return Success(SamplingAnswer("template", template))
        case Failure():
            return invalid(flag, f"expected auto, reject or a JSON template, got {text!r}")


def parse_elicitation(flag: str, text: str) -> Result[ElicitationAnswer]:
    """Parse auto, decline (or reject), cancel, or the content as a JSON object."""
    match text:
        case "reject" | "decline":
            return Success(ElicitationAnswer("decline"))
        case "auto" | "cancel":
            return Success(ElicitationAnswer(text))
        case _:
            return _content(flag, text)


def _content(flag: str, text: str) -> Result[ElicitationAnswer]:
    match parse_json(flag, text):
        case Success(content) if isinstance(content.value, dict):
            return _unwrapped(flag, text, content.value) or Success(ElicitationAnswer("accept", content))
        case Success():
            return invalid(flag, f"the content must be a JSON object, got {text}")
        case Failure():
            return invalid(flag, f"expected auto, decline, cancel or a JSON object, got {text!r}")


def _unwrapped(flag: str, text: str, content: JsonObject) -> Failure[Invalid] | None:
    """Return the failure for a whole ElicitResult: its content is an object, which a form cannot contain."""
    action, inner = content.get("action"), content.get("content")
    if action == "accept" and content.keys() == {"action", "content"} and isinstance(inner, dict):
        right, reason = dump(inner), "give only the content, without action"
    elif action in ("decline", "cancel") and content.keys() == {"action"}:
        right, reason = str(action), f"use {action}"
    else:
        return None
    fault = invalid(flag, "expected the content, got a whole result").failure()
    return Failure(with_correction(fault, Correction(text, (right,), reason)))


def schema_defaults(schema: Json) -> JsonObject:
    """Return the default values of a requested schema."""
    known = outline(schema).properties
    return {name: as_object(one)["default"] for name, one in known.items() if "default" in as_object(one)}
