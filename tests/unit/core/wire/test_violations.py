"""A violation has a rule, a detail and optional evidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.wire.violations import MAX_QUOTED, Violation, quote


def test_violation_as_json_has_all_members() -> None:
    assert Violation("not-json", "not a JSON-RPC message", "hello").as_json() == {
        "rule": "not-json",
        "detail": "not a JSON-RPC message",
        "evidence": "hello",
    }


def test_evidence_is_optional() -> None:
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
def test_long_quote_is_truncated(text: str, quoted: str) -> None:
    assert quote(text) == quoted


@given(st.text(max_size=2 * MAX_QUOTED))
def test_quote_starts_with_the_quoted_text(text: str) -> None:
    assert quote(text)[:MAX_QUOTED] == text[:MAX_QUOTED]
