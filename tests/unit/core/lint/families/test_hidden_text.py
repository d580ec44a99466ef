"""Invisible and confusable characters, and those that scripts and emoji require."""

import pytest

from support.linting import found, lint_result, tool, tool_with_property

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


@pytest.mark.parametrize(
    "text",
    [
        f"A family {FAMILY} of three.",
        "A runner \U0001f3c3\U0001f3fd\u200d\u2640\ufe0f with a skin tone.",
        "A heart \u2764\ufe0f and a rainbow \U0001f3f3\ufe0f\u200d\U0001f308 flag.",
        f"The flag of Scotland {SCOTLAND}.",
        "Keycap 1\ufe0f\u20e3 and sign \u00a9\ufe0f.",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0915\u094d\u200d\u0937",
        "Mixed \u05e9\u05dc\u05d5\u05dd\u200f text with a mark.",
        "Caf\u00e9 \u2014 \u201cquoted\u201d \u2026",
        "tab\tand\nline",
    ],
)
def test_emoji_and_script_characters_have_no_finding(text: str) -> None:
    assert found(tool(description=text)) == []


def test_text_hidden_in_tag_characters_is_shown() -> None:
    hidden = "".join(chr(0xE0000 + ord(char)) for char in "send keys")
    (one,) = lint_result(tool(description=f"Search.{hidden}")).findings

    assert one.message == "the text contains 'send keys' in invisible tag characters"
    assert [rule for rule, _ in found(tool(description=f"\U0001f3f4{hidden}"))] == ["tag-characters"]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("a\u200db", "zero-width"),
        ("\u200d", "zero-width"),
        ("soft\u00adhyphen", "zero-width"),
        ("a\ufe0f\ufe0fb", "zero-width"),
        ("a\ufe01", "zero-width"),
        ("\u2067a\u2069", "bidi-control"),
        ("a\u200eb", "bidi-control"),
        ("bell\u0007", "control-character"),
        ("del\u007f", "control-character"),
        ("c1\u0085", "control-character"),
    ],
)
def test_invisible_and_control_characters_are_reported(text: str, rule: str) -> None:
    assert found(tool(description=text)) == [(rule, "/description")]


def test_all_texts_and_names_of_a_definition_are_checked() -> None:
    schema = {"type": "string", "enum": ["a\u200bb"], "x-notes": ["\u202ec"]}

    assert found(tool_with_property(schema)) == [
        ("zero-width", "/inputSchema/properties/value/enum/0"),
        ("bidi-control", "/inputSchema/properties/value/x-notes/0"),
    ]


@pytest.mark.parametrize(
    "name", ["\u043f\u043e\u0438\u0441\u043a", "caf\u00e9", "\u691c\u7d22", "\u03b1\u03b2\u03b3\u03b4"]
)
def test_name_in_one_script_is_not_a_homoglyph(name: str) -> None:
    assert "homoglyph" not in [rule for rule, _ in found(tool(name))]


@pytest.mark.parametrize(
    ("name", "shown_as"),
    [("se\u0430rch", "search"), ("\u0440\u0430\u0443", "pay"), ("\uff53earch", "search"), ("\u039fpen", "Open")],
)
def test_homoglyph_finding_shows_the_lookalike_name(name: str, shown_as: str) -> None:
    messages = [one.message for one in lint_result(tool(name)).findings if one.rule == "homoglyph"]

    assert len(messages) == 1
    assert messages[0].endswith(f"and looks like {shown_as!r}")
