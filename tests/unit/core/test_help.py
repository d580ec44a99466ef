"""The help fits the terminal, whatever its width."""

from typing import Literal

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.flags import flags_of
from mcpi.core.help import Group, field_texts, group, render, spelled
from mcpi.core.method import Bare, Method
from mcpi.core.pairs import Header, Pair
from mcpi.core.steps import request

SOURCE = '''"""A module."""

from attrs import frozen

LIMIT: int = 3
"""Not a field."""


@frozen(kw_only=True)
class First(Base):
    """The first class."""

    tool_name: str
    """Name of
    the tool."""
    silent: int = 0
    header: tuple[Header, ...] = ()
    """A header."""

    def method(self) -> str:
        """Not a field either."""


class Second:
    """The second class."""

    one: str
    """Its field."""


class Third: ...


class Fourth[T]:
    one: T
    """Of any type."""
'''


@frozen(kw_only=True)
class Flags:
    """Some flags."""

    tool_name: str
    header: tuple[Header, ...] = ()
    era: Literal["auto", "modern"] = "auto"
    tool_arg: tuple[Pair, ...] = ()
    verbose: bool = False
    a_flag_with_a_name_that_is_too_long: str = ""


TEXTS = {
    "tool_name": "Name of the tool to call.",
    "header": "An HTTP header, 'Name: Value'; repeatable.",
    "era": "How to speak.",
    "verbose": "Show messages.",
    "a_flag_with_a_name_that_is_too_long": "It gets a line of its own.",
}
METHODS = [
    Method("ping", Bare, lambda _: request("ping"), "ask whether the server is alive"),
    Method("tools/list", Bare, lambda _: request("tools/list"), "list the tools"),
]


def test_the_text_under_a_field_is_its_help() -> None:
    assert field_texts(SOURCE) == {
        "First": {"tool_name": "Name of the tool.", "header": "A header."},
        "Second": {"one": "Its field."},
        "Third": {},
        "Fourth": {"one": "Of any type."},
    }


def test_a_source_without_classes_has_no_fields() -> None:
    assert field_texts('a: int = 1\n"""Text."""\n') == {}


def test_a_group_has_the_flags_of_a_class() -> None:
    assert group("Flags", Flags, TEXTS) == Group("Flags", flags_of(Flags), TEXTS)


def test_a_flag_is_spelled_with_what_it_wants() -> None:
    assert [spelled(flag) for flag in flags_of(Flags)] == [
        "--tool-name TEXT",
        "-H, --header NAME: VALUE",
        "--era auto|modern",
        "--tool-arg K=V",
        "--verbose",
        "--a-flag-with-a-name-that-is-too-long TEXT",
    ]


def test_a_long_alias_is_not_shown_as_a_short_one() -> None:
    @frozen(kw_only=True)
    class Own:
        tool_args: str = ""

    assert [spelled(flag) for flag in flags_of(Own)] == ["--tool-args TEXT"]


def test_the_whole_help_stands_in_columns() -> None:
    shown = render("mcpi does things.\n", [group("Flags", Flags, TEXTS)], METHODS, "Examples:\n  mcpi\n\n", 72)

    assert shown == (
        "mcpi does things.\n"
        "\n"
        "Methods:\n"
        "  ping                        ask whether the server is alive\n"
        "  tools/list                  list the tools\n"
        "\n"
        "Flags:\n"
        "  --tool-name TEXT            Name of the tool to call. (required)\n"
        "  -H, --header NAME: VALUE    An HTTP header, 'Name: Value'; repeatable.\n"
        "  --era auto|modern           How to speak.\n"
        "  --tool-arg K=V\n"
        "  --verbose                   Show messages.\n"
        "  --a-flag-with-a-name-that-is-too-long TEXT\n"
        "                              It gets a line of its own.\n"
        "\n"
        "Examples:\n"
        "  mcpi\n"
    )


def test_a_long_text_goes_on_in_its_column() -> None:
    @frozen(kw_only=True)
    class One:
        x: str = ""

    assert render("", [group("One", One, {"x": "some words that go on"})], [], "", 50) == (
        "\n\nOne:\n  --x TEXT                    some words that go\n                              on\n"
    )


def test_a_name_that_reaches_the_column_stands_alone() -> None:
    @frozen(kw_only=True)
    class Edge:
        exactly_at_the_edge: str = ""
        exactly_at_the_edges: str = ""

    texts = {"exactly_at_the_edge": "text", "exactly_at_the_edges": "text"}

    assert render("x", [group("Edge", Edge, texts)], [], "", 80) == (
        "x\n\nEdge:\n"
        "  --exactly-at-the-edge TEXT  text\n"
        "  --exactly-at-the-edges TEXT\n"
        "                              text\n"
    )


def test_a_group_without_flags_is_not_shown() -> None:
    assert render("intro", [group("Nothing", Bare, {})], [], "", 80) == "intro\n"


def test_without_methods_and_a_closing_neither_is_shown() -> None:
    assert render("intro", [], [], "", 80) == "intro\n"


@pytest.mark.parametrize("width", [-1, 0, 10, 49])
def test_a_terminal_that_is_too_narrow_counts_as_wider(width: int) -> None:
    groups = [group("Flags", Flags, TEXTS)]

    assert render("x", groups, METHODS, "", width) == render("x", groups, METHODS, "", 50)


@given(st.integers(50, 200))
def test_no_text_is_wider_than_the_terminal(width: int) -> None:
    lines = render("x", [group("Flags", Flags, TEXTS)], METHODS, "", width).splitlines()

    assert [line for line in lines if len(line) > width] == []
    assert [line for line in lines if line != line.rstrip()] == []
