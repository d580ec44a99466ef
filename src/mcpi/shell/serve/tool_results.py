"""Convert answers to tool results: masked, limited in size, with their images."""

import json

from attrs import field

from mcpi.core.client.agent_answers import Media, Page, StoredAnswers, take_media
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.portable import make_portable
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text
from mcpi.core.jsontext.writing import dump
from mcpi.core.secrets.redactor import Redactor


@frozen
class ToolOutput:
    """The text and the structured content of a tool's result, and its images and audio."""

    text: str
    document: JsonObject
    media: list[Media] = field(factory=list)
    is_error: bool = False


def tool_output(
    answer: JsonObject | Page, stored: StoredAnswers, redact: Redactor, error: str | None = None
) -> ToolOutput:
    """Build the output: the document of the answer, and the same as text; for an error, the text is a sentence."""
    if isinstance(answer, Page):
        return ToolOutput(redact(answer.text()), as_object(_masked(answer.document(), redact)))
    document, media = take_media(_masked(answer, redact))
    text = dump(document)
    page = stored.first_page(text)
    if page is not None:
        text, document = page.text(), page.document()
    if error is not None:
        lines = [as_text(line) for line in as_list(answer.get("stderr"))]
        text = redact("\n".join((as_text(make_portable(error)), *(f"  stderr: {line}" for line in lines))))
        return ToolOutput(text[: stored.limit], as_object(document), is_error=True)
    return ToolOutput(text, as_object(document), media)


def _masked(document: JsonObject, redact: Redactor) -> Json:
    """Return a value that any JSON writer can write, with secrets masked."""
    portable = make_portable(document)
    if not redact.secrets:
        return portable
    masked: Json = json.loads(redact(dump(portable)))
    return masked
