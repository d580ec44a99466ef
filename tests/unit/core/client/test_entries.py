"""Typed access to entries of server responses."""

from mcpi.core.client.entries import Completion, Tool, ToolResult


def test_text_of_a_result_joins_its_text_blocks() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "image", "data": ""}, {"type": "text", "text": "b"}]

    assert ToolResult.of({"content": blocks}).text == "a\nb"
    assert ToolResult.of({}).text == ""


def test_completion_suggestions_default_to_an_empty_list() -> None:
    assert Completion.of({"values": ["a"]}).suggestions == ["a"]
    assert Completion.of({}).suggestions == []


def test_unknown_members_are_kept() -> None:
    assert Tool.of({"name": "a", "x-vendor": 1})["x-vendor"] == 1
