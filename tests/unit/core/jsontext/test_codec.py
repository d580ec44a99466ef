"""msgspec rejects, splits and formats JSON exactly as the json module does."""

import json
import re
import time
import tracemalloc
from json import JSONDecodeError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import NEARLY, TEXTS, VALUES, exact, nested
from mcpi.core.jsontext.codec import (
    check_deep_value,
    check_value,
    element_texts,
    formatted,
    member_texts,
    replace_surrogates,
)
from mcpi.core.jsontext.indentation import indent
from mcpi.core.jsontext.values import Json

LONE = (r'"\ud800"', r'"\udc00\ud83d"', r'"\uD83D\u0041"')


ESCAPES = (r"\\", r"\n", r"\"", r"\u0041", r"\ufffd", r"\ud83d\ude00", r"\ud800", r"\uDC00", "ud800")


@given(TEXTS)
def test_members_and_elements_keep_their_spelling(text: str) -> None:
    whole = exact(text)
    members = member_texts(whole.text) if whole.kind == "object" else {}
    elements = element_texts(whole.text) if whole.kind == "array" else []

    # None: the text contains a lone surrogate, and is split elsewhere.
    assert members in (None, {name: part.text for name, part in whole.members().items()})
    assert elements is None or [*elements] == [part.text for part in whole.elements()]


@given(TEXTS)
def test_formatted_output_equals_indent(text: str) -> None:
    assert formatted(exact(text).text.encode(), 2) in (None, indent(exact(text).text).encode())


@given(TEXTS)
def test_single_line_output_keeps_every_token(text: str) -> None:
    line = (formatted(exact(text).text.encode(), -1) or text.encode()).decode()

    assert indent(line) == indent(exact(text).text)
    assert len(line.splitlines() or [""]) == 1 or not line.isascii()


@given(VALUES)
def test_single_line_output_has_no_extra_whitespace(value: Json) -> None:
    narrow = json.dumps(value, separators=(",", ":"))

    assert formatted(json.dumps(value, indent=1).encode(), -1) == narrow.encode()


@given(NEARLY)
def test_text_rejected_by_json_module_is_rejected(text: str) -> None:
    def reject_constant(literal: str) -> None:
        raise ValueError(literal)

    text = text.encode(errors="ignore").decode()
    try:
        json.loads(text, parse_constant=reject_constant)
    except ValueError:
        with pytest.raises(JSONDecodeError):
            check_value(text)
    else:
        check_value(text)


@pytest.mark.parametrize("string", LONE)
def test_lone_surrogates_are_valid_but_not_split(string: str) -> None:
    check_value(string)

    assert (member_texts(f'{{"a":{string}}}'), element_texts(f"[{string}]")) == (None, None)


@pytest.mark.parametrize("escape", [r"\n", r"\ud83d\ude00", r"\ud800"])
def test_many_escapes_with_a_lone_surrogate_need_little_memory(escape: str) -> None:
    text = r'["\ud800' + escape * 100_000 + '"]'
    tracemalloc.start()
    assert element_texts(text) is None
    assert len(replace_surrogates(text)) == len(text)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert most < 4 * len(text)


@pytest.mark.parametrize("text", ['["\\ud800"]\\', '["\\ud800"]\\\\', '["\\ud800\\"]', '["\\ud800\\n'])
def test_invalid_text_with_a_lone_surrogate_is_rejected(text: str) -> None:
    with pytest.raises(JSONDecodeError):
        check_value(text)


@given(st.lists(st.sampled_from(ESCAPES)).map("".join))
def test_lone_surrogates_are_replaced(string: str) -> None:
    expected = re.sub("[\ud800-\udfff]", "\ufffd", json.loads(f'"{string}"'))

    assert json.loads(replace_surrogates(f'"{string}"')) == expected


@pytest.mark.parametrize("text", ["", "\\", r"\ud800\\"[:-1]])
def test_replacing_surrogates_keeps_the_rest_of_any_text(text: str) -> None:
    assert replace_surrogates(text) == text.replace(r"\ud800", r"\ufffd")


@pytest.mark.parametrize(
    ("text", "problem", "position"),
    [
        ('{"é": 01}', "invalid number", 7),
        ('{"a": 1', "Input data was truncated", 7),
        ("[]", "Expected `object`, got `array`", 2),
        (r'{"\ud800": 01}', "invalid number", 12),
    ],
)
def test_error_position_is_counted_in_characters(text: str, problem: str, position: int) -> None:
    with pytest.raises(JSONDecodeError) as raised:
        member_texts(text)

    assert (raised.value.msg, raised.value.pos) == (problem, position)


def test_nesting_beyond_the_limit_is_a_syntax_error_and_left_unformatted() -> None:
    # Deeper than any interpreter allows; since Python 3.12, that does not depend on the recursion limit.
    text = nested(1_000_000)

    with pytest.raises(JSONDecodeError, match="nested deeper than 1000 levels"):
        check_value(text)
    assert formatted(text.encode(), 2) == text.encode()


LEVELS = st.lists(st.sampled_from(["[", "[1,", '{"a":', '{"b":[],"]{":', '[ {"c":0} ,']), max_size=700)


@given(LEVELS, st.sampled_from(["1", "[]", '""', "", "]", ",", "{", '"', "1 2"]), st.sampled_from(["", " ", "]", " 1"]))
def test_deep_value_check_agrees_with_json_module(levels: list[str], inside: str, after: str) -> None:
    closing = "".join("}" if level[0] == "{" else "]" for level in reversed(levels))
    text = f"{''.join(levels) or '['}{inside}{closing or ']'}{after}"
    try:
        json.loads(text)
    except ValueError:
        with pytest.raises(JSONDecodeError):
            check_deep_value(text)
    else:
        check_deep_value(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 5000 + "]" * 4999, "a closing bracket is missing"),
        ("[" * 5000 + "]" * 5001, "unmatched closing bracket"),
        ("[" * 5000 + "]" * 5000 + "[]", "more text after the value"),
        ("[" * 5000 + "]" * 5000 + "1", "more text after the value"),
        ('[{"a":' * 5000 + "]}" * 5000, "invalid character"),
    ],
)
def test_deep_text_with_a_mismatched_bracket_is_rejected(text: str, problem: str) -> None:
    with pytest.raises(JSONDecodeError, match=problem):
        check_deep_value(text)


def test_millions_of_levels_are_checked_quickly() -> None:
    began = time.process_time()
    for level, end in (("[", "]"), ('{"a":', "}"), ('[ {"a":', "}]")):
        check_deep_value(f"{level * 500_000}1{end * 500_000}")

    assert time.process_time() - began < 10
