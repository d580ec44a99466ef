"""Secrets are masked in every output, and valid JSON remains valid."""

import json
import re
from collections.abc import Callable
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import VALUES
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.secrets.redactor import Redactor

WORDS = {"true", "false", "null"}
secrets = (st.text(min_size=4, max_size=12) | st.from_regex(r"[0-9]{4,8}|[a-z]{4,6}[0-9]", fullmatch=True)).filter(
    lambda secret: "*" not in secret and not re.fullmatch("[A-Za-z]+", secret)
)

LAYERS = [
    layers for write in (dump, json.dumps) for layers in ((write,), (write, write), (write, dump), (write, write, dump))
]
"""Ways a text is encoded in output: as JSON of the server, as JSON within it, and either of them in a trace."""
NESTED = st.text(st.sampled_from('\\"nu0e9é<&/+ab'), min_size=4, max_size=12)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("the token is s3cr3t-t0ken", "the token is ***"),
        ("s3cr3t-t0ken and s3cr3t-t0ken", "*** and ***"),
        ('{"key": "s3cr3t-t0ken"}', '{"key": "***"}'),
        ("Bearer=s3cr3t-t0ken;", "Bearer=***;"),
        ("nothing to hide", "nothing to hide"),
        ("", ""),
    ],
)
def test_secret_is_masked_anywhere(text: str, shown: str) -> None:
    assert Redactor(["s3cr3t-t0ken"])(text) == shown


def test_secret_with_spaces_is_masked() -> None:
    assert Redactor(["Bearer abc def"])("authorization: Bearer abc def") == "authorization: ***"


def test_text_is_unchanged_without_secrets() -> None:
    assert Redactor([])("Bearer abcd") == "Bearer abcd"


def test_overlapping_secrets_are_masked_completely() -> None:
    assert Redactor(["p4ss", "p4ssword-1"])("p4ssword-1 p4ss") == "*** ***"


def test_secret_shorter_than_four_characters_is_not_masked() -> None:
    assert Redactor(["abc", "a", ""])("abc a") == "abc a"


def test_secret_of_four_characters_is_masked() -> None:
    assert Redactor(["abc4"])("abc4") == "***"


@pytest.mark.parametrize("word", ["name", "text", "secret", "Content"])
def test_a_plain_word_is_not_hidden(word: str) -> None:
    assert Redactor([word])(f'{{"{word}": "{word}"}}') == f'{{"{word}": "{word}"}}'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("password", "***"),
        ('{"password": "the password."}', '{"***": "the ***."}'),
        (r'"a\npassword\n"', r'"a\n***\n"'),
        (r'"a\\npassword\\n"', r'"a\\n***\\n"'),
        (r'"\u00e9password"', r'"\u00e9***"'),
        ("?a=%20password%20", "?a=%20***%20"),
        ("my_password", "my_***"),
        ("passwords", "passwords"),
        ("MYpassword", "MYpassword"),
        ("1password", "1password"),
        ("password1", "password1"),
        ("passwordpassword password", "passwordpassword ***"),
    ],
)
def test_long_word_is_masked_only_as_a_whole_word(text: str, shown: str) -> None:
    assert Redactor(["password"])(text) == shown


@pytest.mark.parametrize("escaped", [r"pa\"ss\\wörd", r"pa\"ss\\w\u00f6rd", 'pa"ss\\wörd'], ids=["raw", "ascii", "own"])
def test_json_escaped_secret_is_masked(escaped: str) -> None:
    assert Redactor(['pa"ss\\wörd'])(f'{{"said": "{escaped}"}}') == '{"said": "***"}'


@pytest.mark.parametrize("word", sorted(WORDS))
def test_json_literal_is_not_masked(word: str) -> None:
    assert Redactor([word])(f'{{"success": {word}}}') == f'{{"success": {word}}}'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"id": 123456}', '{"id": "***"}'),
        ('{"id": 1234567}', '{"id": 1234567}'),
        ('{"id": -0.1234561e5}', '{"id": -0.1234561e5}'),
        ('{"said": "code 1234567"}', '{"said": "code ***7"}'),
        ("your code is 123456.", "your code is ***."),
        ("code=123456;", "code=***;"),
    ],
)
def test_numeric_secret_is_not_masked_within_a_number(text: str, shown: str) -> None:
    assert Redactor(["123456"])(text) == shown


@pytest.mark.parametrize(
    ("secret", "text", "shown"),
    [
        ("nab1", r'"\nab1d"', '"***d"'),
        ("nab1", r'"\\nab1d"', r'"\\***d"'),
        ("nab1", r'"\\\nab1d"', r'"\\***d"'),
        ("2026", r'"wait\u2026"', '"wait***"'),
        ("6 s-r-t", r'"wait\u2026 s-r-t"', '"wait***"'),
        ("u2026", r'"wait\u2026"', '"wait***"'),
        ("s-3-c", r"C:\s-3-c", "C:***"),
        ("abc\\", r'"abc\""', '"***"'),
        ("abc\\", r'"abc\u00e9"', '"***"'),
        ("abc\\", r'"abc\\n"', '"***n"'),
        ("\\\\abc", r'"\\\\abc"', '"***"'),
        ("abc\\\\", r"abc\\n", "***n"),
        ("abc\\", r"C:abc\xyz", "C:***xyz"),
    ],
)
def test_masking_does_not_split_an_escape_sequence(secret: str, text: str, shown: str) -> None:
    assert Redactor([secret])(text) == shown


@given(VALUES, secrets)
def test_masked_json_is_valid(value: Json, secret: str) -> None:
    json.loads(Redactor([secret])(dump(value)))


@given(st.lists(st.sampled_from(["\\", "n", "\n", "u", "0", "é", "1", " "]), max_size=12).map("".join))
def test_masked_json_with_escapes_is_valid(text: str) -> None:
    redact = Redactor(["n\n", "0u00", "00e9", "u00e", "nnnn", "1111", "e9e9"])

    assert [type(json.loads(redact(spelled))) for spelled in (dump(text), json.dumps(text))] == [str, str]


@given(secrets, st.text(max_size=5), st.text(max_size=5))
def test_secret_in_a_json_string_is_masked(secret: str, before: str, after: str) -> None:
    hidden = Redactor([secret])(dump({"said": f"{before}{secret}{after}"}))

    assert secret not in json.loads(hidden)["said"]


@given(NESTED, st.sampled_from(["", " ", "x"]), st.sampled_from(LAYERS))
def test_secret_in_nested_json_is_masked(secret: str, around: str, layers: tuple[Callable[[str], str]]) -> None:
    text = f"{around}{secret}{around}"
    for layer in layers:
        text = layer(text)
    shown = Redactor([secret])(text)
    for _ in layers:
        shown = json.loads(shown)

    assert secret not in shown


@given(NESTED, st.text(st.sampled_from('\\"nu0e9é<ab'), max_size=20))
def test_masked_json_of_escape_like_characters_is_valid(secret: str, text: str) -> None:
    redact = Redactor([secret])

    assert [type(json.loads(redact(one))) for one in (dump(text), json.dumps(text), dump(dump(text)))] == [str] * 3


@given(NESTED)
def test_secret_in_html_is_masked(secret: str) -> None:
    texts = [secret, dump(secret), dump([dump(secret)]), json.dumps(secret)]

    assert [Redactor([secret])(escape(text)).count("***") for text in texts] == [1, 1, 1, 1]


def test_long_lines_of_a_secret_are_masked_alone() -> None:
    redact = Redactor(["-----BEGIN KEY-----\nMIIEvQIBADAN+1\n  a+b\n"])

    assert redact("the key MIIEvQIBADAN+1 is bad") == "the key *** is bad"
    assert redact("  a+b") == "  a+b"


def test_secret_can_be_added_later() -> None:
    redact = Redactor(["first-secret"])
    redact.add(["first-secret-and-more", "abc"])

    assert redact("first-secret, first-secret-and-more, abc") == "***, ***, abc"
