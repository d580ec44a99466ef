"""All encoded forms of a text in JSON, HTML, URLs and messages are found."""

import json
from html import escape
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.jsontext.writing import dump
from mcpi.core.secrets.encodings import encoded_forms


def test_plain_text_has_one_encoded_form() -> None:
    assert encoded_forms("s3cr3t-k3y_0.~") == {"s3cr3t-k3y_0.~"}


@pytest.mark.parametrize(
    "spelled",
    [
        "pa\"ss/w<ö'1",
        r"pa\"ss/w<ö'1",
        r"pa\"ss/w<\u00f6'1",
        r"pa\"ss/w\u003cö'1",
        r"pa\"ss\/w<\u00f6'1",
        r"pa\u0022ss/w\u003C\u00F6\u00271",
        r"pa\\\"ss/w<\\u00f6'1",
        r"pa\\\\\\\"ss/w<ö'1",
        "pa&quot;ss/w&lt;ö&#x27;1",
        r"pa\&quot;ss/w&lt;\u00f6&#x27;1",
        r"pa\\\&quot;ss/w&lt;ö&#x27;1",
        r"pa\"ss/w<ö\\'1",
        r"pa\&quot;ss/w&lt;ö\\&#x27;1",
        "pa%22ss%2Fw%3C%C3%B6%271",
        "pa%22ss/w%3C%C3%B6%271",
        "pa%22ss%2Fw%3C%C3%B6'1",
        "pa%22ss/w%3C%C3%B6'1",
        "pa%22ss%2fw%3c%c3%b6%271",
        "pa&quot;ss/w&lt;ö&#39;1",
        "pa&quot;ss/w&lt;ö&apos;1",
        "pa&#34;ss/w&lt;ö&#39;1",
    ],
)
def test_json_html_and_url_encodings_are_included(spelled: str) -> None:
    assert spelled in encoded_forms("pa\"ss/w<ö'1")


def test_letter_escapes_are_included() -> None:
    assert {r"a\nb\u001F", r"a\nb\u001f", "a%0Ab%1F"} <= encoded_forms("a\nb\x1f")


@given(st.text(st.characters(exclude_categories=())))
def test_encodings_written_by_mcpi_are_included(text: str) -> None:
    within = dump(text)[1:-1], dump(dump(text))[3:-3], json.dumps(text)[1:-1], dump(json.dumps(text))[3:-3]

    assert {text, *within, *map(escape, within), escape(text)} <= encoded_forms(text)


@given(st.text())
def test_url_encodings_are_included(text: str) -> None:
    assert {quote(text), quote(text, ""), quote_plus(text)} <= encoded_forms(text)


@given(st.text())
def test_quoted_forms_in_messages_are_included(text: str) -> None:
    quoted = f"""the command '{text}' and "another" '"""

    assert any(one in repr(quoted) for one in encoded_forms(text))
