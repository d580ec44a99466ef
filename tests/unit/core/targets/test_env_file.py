"""Env files are parsed as other tools parse them."""

import pytest

from mcpi.core.targets.env_file import parse_variables


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("A=1", {"A": "1"}),
        ("export A = 1 # one", {"A": "1"}),
        ("A=", {"A": ""}),
        ("A=a#b", {"A": "a#b"}),
        ("A='a # b' # c", {"A": "a # b"}),
        ('A="a\\nb\\"c\\\\"', {"A": 'a\nb"c\\'}),
        ('A="half', {"A": '"half'}),
        ("# A=1", {}),
        ("", {}),
        ("no variable", {}),
        ("1A=1", {}),
        ("A=1\nB=2\nA=3", {"A": "3", "B": "2"}),
    ],
)
def test_variables_are_parsed_and_other_lines_are_ignored(line: str, found: dict[str, str]) -> None:
    assert parse_variables(line) == found
