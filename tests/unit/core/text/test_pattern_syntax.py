"""Patterns of ECMA-262 with the u flag are parsed; the results were compared with Node.js."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.text.pattern_syntax import MAX_LENGTH, MAX_NESTING, ParsedPattern, parse_pattern
from mcpi.core.text.pattern_tree import CharacterSet, Choice, Expression, Position, Repetition, Sequence

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
    "{2}": "nothing to repeat before {",
    "a**": "nothing to repeat before *",
    "a{3,2}": "the numbers in {3,2} are out of order",
    "^{.*}$": "{ must be escaped",
    "a}": "} must be escaped",
    "]": "] must be escaped",
    "(?=a)*": "an assertion cannot be repeated",
    "^*": "an assertion cannot be repeated",
    "(?P<year>a)": "(?P is not ECMA-262 syntax",
    "(?i)a": "(?i is not ECMA-262 syntax",
    "(?)": "(?) is not ECMA-262 syntax",
    "(?>a)": "(?> is not ECMA-262 syntax",
    "(?#comment)": "(?# is not ECMA-262 syntax",
    "(?ii:a)": "invalid group flags",
    "(?-:a)": "invalid group flags",
    "(?<1a>b)": "invalid group name",
    "(?<a>b)(?<a>c)": "the group name 'a' is used twice",
    "(?<a>(?<a>c))": "the group name 'a' is used twice",
    "\\1": "\\1 refers to a group that does not exist",
    "\\k<a>": "\\k<a> refers to a group that does not exist",
    "\\k": "\\k requires a group name",
    "\\_": "invalid escape \\_",
    "\\A": "invalid escape \\A",
    "\\00": "invalid escape \\0",
    "\\c1": "invalid escape \\c",
    "[\\B]": "invalid escape \\B",
    "a\\": "\\ at the end",
    "\\x4": "invalid hexadecimal escape",
    "\\u00g0": "invalid hexadecimal escape",
    "\\u{}": "invalid \\u{...} escape",
    "\\u{110000}": "is not a code point",
    "\\p": "\\p requires a property",
    "\\p{Foo}": "is not a Unicode property",
    "\\p{Foo=Bar}": "is not a Unicode property",
    "[z-a]": "out of order",
    "[\\d-z]": "a character class as the endpoint of a range",
}


def one(character: str) -> CharacterSet:
    return CharacterSet(((ord(character), ord(character)),))


@pytest.mark.parametrize("pattern", VALID)
def test_a_valid_pattern_has_no_problem(pattern: str) -> None:
    assert parse_pattern(pattern).problem == ""


@pytest.mark.parametrize(("pattern", "problem"), INVALID.items())
def test_an_invalid_pattern_has_a_problem_with_its_position(pattern: str, problem: str) -> None:
    found = parse_pattern(pattern).problem

    assert problem in found
    assert " at position " in found


@pytest.mark.parametrize(
    ("pattern", "tree"),
    [
        ("", Sequence(())),
        ("ab", Sequence((one("a"), one("b")))),
        ("a|", Choice((Sequence((one("a"),)), Sequence(())))),
        ("^a*?$", Sequence((Position("^"), Repetition(one("a"), 0, None), Position("$")))),
        ("a{2}", Sequence((Repetition(one("a"), 2, 2),))),
        ("a{2,}", Sequence((Repetition(one("a"), 2, None),))),
        ("a{2,3}", Sequence((Repetition(one("a"), 2, 3),))),
        ("(?<x>a)", Sequence((Sequence((one("a"),)),))),
        ("[^a-c]", Sequence((CharacterSet(((97, 99),), negated=True),))),
        (r"\b", Sequence((Position("b"),))),
        (".", Sequence((CharacterSet(((10, 10), (13, 13), (0x2028, 0x2029)), negated=True),))),
        ("(?s:.)", Sequence((Sequence((CharacterSet((), negated=True),)),))),
        ("(?m:^(?-m:^))^", Sequence((Sequence((Position("line start"), Sequence((Position("^"),)))), Position("^")))),
    ],
)
def test_a_pattern_is_parsed(pattern: str, tree: Expression) -> None:
    assert parse_pattern(pattern) == ParsedPattern(tree)


@pytest.mark.parametrize(
    ("pattern", "tree"),
    [
        ("(?P<x>a)", Sequence((Sequence((one("a"),)),))),
        ("(?i)a", Sequence((Sequence(()), CharacterSet(((97, 97),), ignore_case=True)))),
        (r"\A\Z", Sequence((Position("^"), Position("$")))),
        ("a{,2}]", Sequence(tuple(map(one, "a{,2}]")))),
        (r"\_", Sequence((one("_"),))),
        ("(?<n>a)(?<n>a)", Sequence((Sequence((one("a"),)),) * 2)),
        ("^*", Sequence((Repetition(Position("^"), 0, None),))),
    ],
)
def test_syntax_of_other_engines_is_parsed_with_a_problem(pattern: str, tree: Expression) -> None:
    found = parse_pattern(pattern)

    assert (found.expression, found.unsupported) == (tree, "")
    assert found.problem


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("a(?=b)", "lookahead is not supported at position 1"),
        ("(?!b)", "lookahead is not supported at position 0"),
        ("(?<=b)", "lookbehind is not supported at position 0"),
        ("(?<!b)", "lookbehind is not supported at position 0"),
        (r"(a)\1", "a back reference is not supported at position 3"),
        (r"(?<x>a)\k<x>", "a back reference is not supported at position 7"),
        (r"\p{L}", "a Unicode property is not supported at position 0"),
        (r"[\P{L}]", "a Unicode property is not supported at position 1"),
        ("[]", "an empty class is not supported at position 0"),
        ("[^]", "an empty class is not supported at position 0"),
        ("(" * 51 + ")" * 51, "more than 50 nested groups at position 51"),
        ("a" * (MAX_LENGTH + 1), "the pattern is too large"),
    ],
)
def test_unsupported_valid_pattern_has_a_reason(pattern: str, reason: str) -> None:
    found = parse_pattern(pattern)

    assert (found.problem, found.unsupported) == ("", reason)


@pytest.mark.parametrize("pattern", ["(a", "a++", "a{3,2}", "[b-a]", "\\", "(?>a)"])
def test_unparsable_pattern_is_unsupported_for_the_same_reason(pattern: str) -> None:
    found = parse_pattern(pattern)

    assert found.problem == found.unsupported != ""


def test_first_problem_is_reported() -> None:
    found = parse_pattern("a}(b")

    assert (found.problem, found.unsupported) == (
        "} must be escaped as \\} at position 1",
        "unterminated group at position 2",
    )


def test_lookbehind_is_detected() -> None:
    assert parse_pattern("(?<=a)b").lookbehind
    assert not parse_pattern("(?<name>a)\\(?<=b").lookbehind


def test_groups_nest_up_to_the_limit() -> None:
    assert parse_pattern("(" * MAX_NESTING + ")" * MAX_NESTING).unsupported == ""


@pytest.mark.parametrize(
    "part", ["a", "(a)", "(?:", "[", "[a-c]", "{1", "\\u{41}", "(?<n>a)|", "a{999999999999}", "(?<a"]
)
def test_parsing_takes_linear_time(part: str) -> None:
    def seconds(size: int) -> float:
        began = time.process_time()
        parse_pattern(part * (size // len(part)))
        return time.process_time() - began

    assert min(seconds(MAX_LENGTH) for _ in range(2)) < 2


@given(st.text(alphabet="ab01()[]{}?*+|^$\\.-,:=!<>pPukdwximsbBZ\u00e9", max_size=30))
def test_any_text_is_parsed_or_has_a_problem(pattern: str) -> None:
    found = parse_pattern(pattern)

    assert found.problem or found.expression is not None
