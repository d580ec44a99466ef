"""A violation is a rule, what broke it, and the words that broke it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.wire.violations import MAX_QUOTED, Violation, quote


def test_a_violation_shows_all_that_it_is() -> None:
    assert Violation("not-json", "not a JSON-RPC message", "hello").as_json() == {
        "rule": "not-json",
        "detail": "not a JSON-RPC message",
        "evidence": "hello",
    }


def test_a_violation_may_have_no_evidence() -> None:
    assert Violation("endless-pages", "the list does not end").as_json()["evidence"] == ""


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("", ""),
        ("short", "short"),
        ("x" * 300, "x" * 300),
        ("x" * 301, "x" * 300 + "… (301 characters)"),
        ("é" * 100_000, "é" * 300 + "… (100000 characters)"),
    ],
)
def test_a_quote_is_as_long_as_a_person_reads(text: str, quoted: str) -> None:
    assert quote(text) == quoted


@given(st.text(max_size=2 * MAX_QUOTED))
def test_a_quote_begins_with_what_was_written(text: str) -> None:
    assert quote(text)[:MAX_QUOTED] == text[:MAX_QUOTED]
