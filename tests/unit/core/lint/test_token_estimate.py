"""Token estimates compared with exact o200k counts."""

import pytest

from mcpi.core.lint.token_estimate import estimate_each, estimate_tokens

EXACT = {
    '{"name":"search","description":"Search the documents.","inputSchema":{"type":"object","properties":{}}}': 23,
    "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore": 17,
    "\u5728\u6307\u5b9a\u7684\u76ee\u5f55\u4e2d\u641c\u7d22\u5339\u914d\u7ed9\u5b9a\u6a21\u5f0f\u7684\u6587\u4ef6": 13,
    "": 0,
}


@pytest.mark.parametrize(("text", "exact"), EXACT.items())
def test_an_estimate_is_close_to_the_exact_count(text: str, exact: int) -> None:
    assert abs(estimate_tokens(text) - exact) <= max(2, exact * 0.2)


def test_emoji_and_non_ascii_letters_are_counted() -> None:
    assert estimate_tokens("\U0001f50d\U0001f680") == 3
    assert estimate_tokens("\u043f\u043e\u0438\u0441\u043a") == 1


def test_ordinary_list_is_estimated_text_by_text() -> None:
    texts = ["Search the documents.", "Delete one document.", ""]

    assert estimate_each(texts) == [estimate_tokens(text) for text in texts]
    assert estimate_each([]) == []


def test_very_long_list_is_estimated_from_a_sample() -> None:
    texts = ["Search the documents of the table. " * 20] * 1000

    assert estimate_each(texts) == [estimate_tokens(texts[0])] * 1000
