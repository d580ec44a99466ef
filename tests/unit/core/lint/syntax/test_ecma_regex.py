"""Regular expressions of ECMA-262 with the u flag; the verdicts were compared with those of Node.js."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.lint.syntax.ecma_regex import MAX_DEPTH, RegexVerdict, check_pattern

VALID = [
    "",
    "^[a-z]+$",
    "a|b|",
    "(?:a)(?<name>b)\\k<name>\\1",
    "\\k<later>(?<later>a)",
    "(?<n>a)|(?<n>b)",
    "(?=a)(?!b)(?<=c)(?<!d)",
    "(?i:a)(?i-m:b)(?-s:c)",
    "a{2}b{2,}c{2,3}d*?e+?f??",
    "[\\d\\-\\]a-z-]",
    "[^]",
    "[\\b\\u{61}-\\u{7a}]",
    "[\\uD83D\\uDE00-\\uD83D\\uDE4F]",
    "\\uD83Da",
    "\\p{Letter}\\P{Lu}\\p{Script=Greek}\\p{scx=Latn}\\p{gc=Nd}\\p{ASCII}",
    "\\x41\\u0041\\cA\\0\\n\\r\\t\\v\\f",
    "\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/",
    "\\bword\\B",
    "\u00e9\U0001f600",
]
INVALID = {
    "[a-z": "unterminated character class",
    "(a": "unterminated group",
    "a)": "unmatched )",
    "*a": "nothing to repeat before *",
    "a**": "nothing to repeat before *",
    "a{3,2}": "{3,2} has its numbers out of order",
    "^{.*}$": "{ must be escaped",
    "a}": "} must be escaped",
    "]": "] must be escaped",
    "(?=a)*": "an assertion cannot be repeated",
    "^*": "an assertion cannot be repeated",
    "(?P<year>a)": "(?P is no ECMA-262 syntax",
    "(?#comment)": "(?# is no ECMA-262 syntax",
    "(?ii:a)": "invalid flags",
    "(?-:a)": "invalid flags",
    "(?<1a>b)": "invalid group name",
    "(?<a>b)(?<a>c)": "the group name 'a' is used twice",
    "(?<a>(?<a>c))": "the group name 'a' is used twice",
    "\\1": "\\1 refers to a group that does not exist",
    "\\k<a>": "\\k<a> refers to a group that does not exist",
    "\\k": "\\k needs a group name",
    "\\_": "invalid escape \\_",
    "\\A": "invalid escape \\A",
    "\\00": "invalid escape \\0",
    "\\c1": "invalid escape \\c",
    "[\\B]": "invalid escape \\B",
    "a\\": "\\ at the end",
    "\\x4": "invalid hexadecimal escape",
    "\\u00g0": "invalid hexadecimal escape",
    "\\u{}": "invalid \\u{...} escape",
    "\\u{110000}": "is no code point",
    "\\p": "\\p needs a property",
    "\\p{Foo}": "is no Unicode property",
    "\\p{Foo=Bar}": "is no Unicode property",
    "[z-a]": "out of order",
    "[\\d-z]": "a range between classes",
}


@pytest.mark.parametrize("pattern", VALID)
def test_a_valid_pattern_has_no_problem(pattern: str) -> None:
    assert check_pattern(pattern).problem == ""


@pytest.mark.parametrize(("pattern", "problem"), INVALID.items())
def test_an_invalid_pattern_has_a_problem_with_its_position(pattern: str, problem: str) -> None:
    found = check_pattern(pattern).problem

    assert problem in found
    assert " at position " in found


def test_a_lookbehind_is_noticed() -> None:
    assert check_pattern("(?<=a)b") == RegexVerdict(lookbehind=True)
    assert check_pattern("(?<name>a)\\(?<=b") == RegexVerdict()


def test_a_pattern_that_nests_too_deep_counts_as_valid() -> None:
    assert check_pattern("(" * (MAX_DEPTH + 1)).problem == ""
    assert check_pattern("(" * (MAX_DEPTH - 1) + ")" * (MAX_DEPTH - 1)).problem == ""


@given(st.text(alphabet="ab01()[]{}?*+|^$\\.-,:=!<>pukdwx\u00e9", max_size=30))
def test_any_text_gets_a_verdict(pattern: str) -> None:
    assert isinstance(check_pattern(pattern).problem, str)
