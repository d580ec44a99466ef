"""Tool results for agents: images, parts of long results, and errors."""

import asyncio
import json
from typing import Any

from mcpi.core.client.agent_answers import StoredAnswers
from mcpi.core.jsontext.values import Json
from mcpi.core.secrets.redactor import Redactor
from mcpi.shell.serve.tool_results import tool_output
from support.gateway import Gateway

IMAGE: Json = {"type": "image", "mimeType": "image/png", "data": "iVBORw0K"}
SOUND: Json = {"type": "audio", "mimeType": "audio/wav", "data": "UklGRg=="}


def test_images_and_audio_are_returned_as_media() -> None:
    found = tool_output({"result": {"content": [IMAGE, SOUND]}}, StoredAnswers(), Redactor(()))

    assert [(one.kind, one.mime_type, one.data) for one in found.media] == [
        ("image", "image/png", "iVBORw0K"),
        ("audio", "audio/wav", "UklGRg=="),
    ]
    assert json.loads(found.text) == found.document
    assert "iVBORw0K" not in found.text


def test_long_result_is_read_in_parts() -> None:
    async def work() -> tuple[Any, list[Any]]:
        gateway = Gateway(limit=1000, tools_list=lambda _: {"result": {"tools": [{"name": "x" * 3000}]}})
        await gateway.connect()
        first = await gateway.result("list", {"kind": "tools"})
        parts = [first.document]
        while parts[-1].get("truncated"):
            more = {"answer": parts[-1]["answer"], "offset": parts[-1]["nextOffset"]}
            parts.append((await gateway.result("read_more", more)).document)
        return first, parts

    first, parts = asyncio.run(work())
    assert first.text.endswith('read_more {"answer": "answer-1", "offset": 1000}]')
    assert json.loads("".join(one["part"] for one in parts)) == {"result": {"tools": [{"name": "x" * 3000}]}}
    assert [len(one["part"]) for one in parts[:-1]] == [1000] * (len(parts) - 1)


def test_secrets_are_masked_in_every_form_of_a_result() -> None:
    redact = Redactor(("s3cret-w0rd",))
    stored = StoredAnswers(limit=30)
    short = tool_output({"result": "s3cret-w0rd"}, stored, redact)
    long = tool_output({"result": f"{'x' * 40} s3cret-w0rd"}, stored, redact)
    rest = tool_output(stored.read("answer-1", 30).unwrap(), stored, redact)
    failed = tool_output({"error": {}, "stderr": ["s3cret-w0rd"]}, stored, redact, "the key is s3cret-w0rd")

    texts = [f"{one.text} {one.document}" for one in (short, long, rest, failed)]
    assert ["s3cret" in text for text in texts] == [False] * 4
    assert "***" in texts[0] + texts[2] + texts[3]


def test_error_text_has_the_last_stderr_lines_of_the_server() -> None:
    found = tool_output({"error": {"code": "X"}, "stderr": ["a", "b"]}, StoredAnswers(), Redactor(()), "It broke")

    assert found.is_error is True
    assert found.text == "It broke\n  stderr: a\n  stderr: b"
    assert found.document == {"error": {"code": "X"}, "stderr": ["a", "b"]}
