"""Names of other tools for keys of a step."""

import pytest

from mcpi.core.flags.foreign_names import FLAG_NAMES, KEY_NAMES, meant_key

TOOL = ("toolName", "toolArg", "toolArgs", "toolMetadata")


@pytest.mark.parametrize(
    ("key", "known", "meant"),
    [
        ("tool", TOOL, "toolName"),
        ("arguments", TOOL, "toolArgs"),
        ("toolArguments", TOOL, "toolArgs"),
        ("param", TOOL, "toolArg"),
        ("arguments", ("promptName", "promptArgs"), "promptArgs"),
        ("resourceUri", ("uri",), "uri"),
        ("toolNam", TOOL, "toolName"),
        ("title", ("name", "tile"), "name"),
        ("assert", ("expect",), "expect"),
        ("extract", ("expect", "capture"), "capture"),
        ("continueOnError", ("onError", "allowFailure"), "allowFailure"),
        ("title", TOOL, None),
        ("tests", ("steps",), "steps"),
        ("tool", ("stool",), "stool"),
        ("arguments", ("uri",), None),
        ("d", ("params",), "params"),
        ("count", ("times", "interval"), "times"),
        ("delay", ("times", "interval"), "interval"),
        ("toolName", ("item", "name"), "item"),
        ("lock", ("old", "new"), "old"),
        ("promptArgs", TOOL, "toolArgs"),
        ("toolArgs", ("promptName", "promptArgs"), "promptArgs"),
        ("promptName", ("name", "uri"), None),
        ("expectError", ("expect", "capture"), '"expect": {"/isError": true}'),
        ("expectError", ("capture",), None),
    ],
)
def test_name_of_another_tool_wins_over_a_similar_one(key: str, known: tuple[str, ...], meant: str | None) -> None:
    assert meant_key(key, known) == meant


def test_other_names_are_unique() -> None:
    others = [one for names in (*FLAG_NAMES.values(), *KEY_NAMES.values()) for one in names]

    assert len(others) == len(set(others))
