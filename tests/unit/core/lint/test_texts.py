"""Extraction of the texts of a definition."""

from mcpi.core.lint.texts import argument_prose, check_characters, prose


def test_prose_consists_of_title_and_description() -> None:
    assert prose({"title": "T", "description": "D", "name": "n"}, "/a") == [("/a/title", "T"), ("/a/description", "D")]
    assert prose({"description": 1}) == []


def test_arguments_of_prompts_have_prose() -> None:
    assert [*argument_prose({"arguments": [{"name": "a"}, {"description": "D"}, 1]})] == [
        ("/arguments/1/description", "D")
    ]


def test_a_plain_definition_is_not_searched() -> None:
    assert [*check_characters({"name": "a\u200b"}, '{"name":"a"}')] == []
    assert [one.pointer for one in check_characters({"a\u200b": "b", "c": 1}, '{"a\u200b":"b"}')] == ["/a\u200b"]
