"""Turn answers into the results of tool calls: masked, of limited size, with their images."""

import json

import mcp_types as types

from mcpi.core.client.agent_answers import Page, StoredAnswers, take_media
from mcpi.core.jsontext.portable import make_portable
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text
from mcpi.core.jsontext.writing import dump
from mcpi.core.secrets.redactor import Redactor


def tool_result(
    answer: JsonObject | Page, stored: StoredAnswers, redact: Redactor, error: str = ""
) -> types.CallToolResult:
    """Build the result: the document of the answer, as text too; the text of an error is a sentence."""
    if isinstance(answer, Page):
        return _result(redact(answer.text()), _masked(answer.document(), redact))
    document, media = take_media(_masked(answer, redact))
    text = dump(document)
    page = stored.first_page(text)
    if page is not None:
        text, document = page.text(), page.document()
    if error:
        lines = [as_text(line) for line in as_list(answer.get("stderr"))]
        text = redact("\n".join((as_text(make_portable(error)), *(f"  stderr: {line}" for line in lines))))
        return _result(text[: stored.limit], document, is_error=True)
    blocks = [
        types.ImageContent(data=one.data, mime_type=one.mime_type)
        if one.kind == "image"
        else types.AudioContent(data=one.data, mime_type=one.mime_type)
        for one in media
    ]
    return _result(text, document, *blocks)


def _result(
    text: str, document: Json, *media: types.ImageContent | types.AudioContent, is_error: bool = False
) -> types.CallToolResult:
    content: list[types.ContentBlock] = [types.TextContent(text=text), *media]
    return types.CallToolResult(content=content, structured_content=as_object(document), is_error=is_error)


def _masked(document: JsonObject, redact: Redactor) -> Json:
    """Return what any JSON writer can write, without the secrets."""
    portable = make_portable(document)
    if not redact.secrets:
        return portable
    masked: Json = json.loads(redact(dump(portable)))
    return masked
