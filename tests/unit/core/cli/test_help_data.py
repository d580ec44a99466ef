"""The classes that declare the flags say all that the help shows."""

from collections.abc import Mapping
from typing import Literal

from attrs import frozen

from mcpi.core.cli.help_data import APART, ORDER, described, field_texts, flags
from mcpi.core.flags.declare import flags_of
from mcpi.core.flags.options import GROUPS
from mcpi.core.flags.pairs import Header, Pair
from mcpi.core.plans.method import AnyMethod, Method, RawParams
from mcpi.core.plans.steps import request

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
    tool_args: tuple[Pair, ...] = ()
    verbose: bool = False


def texts(owner: type) -> Mapping[str, str]:
    return {"tool_name": "Name of the tool."} if owner is Flags else {}


def test_the_text_under_a_field_is_its_help() -> None:
    assert field_texts(SOURCE) == {
        "First": {"tool_name": "Name of the tool.", "header": "A header."},
        "Second": {"one": "Its field."},
        "Third": {},
        "Fourth": {"one": "Of any type."},
    }


def test_a_source_without_classes_has_no_fields() -> None:
    assert field_texts('a: int = 1\n"""Text."""\n') == {}


def test_a_flag_is_told_with_all_that_its_field_says() -> None:
    assert flags(Flags, texts(Flags)) == [
        {
            "name": "--tool-name",
            "short": "",
            "value": "TEXT",
            "text": "Name of the tool.",
            "required": True,
            "repeatable": False,
        },
        {
            "name": "--header",
            "short": "-H",
            "value": "NAME: VALUE",
            "text": "",
            "required": False,
            "repeatable": True,
        },
        {
            "name": "--era",
            "short": "",
            "value": "auto|modern",
            "text": "",
            "required": False,
            "repeatable": False,
        },
        # A long alias is no short form.
        {"name": "--tool-args", "short": "", "value": "K=V", "text": "", "required": False, "repeatable": True},
        {"name": "--verbose", "short": "", "value": "", "text": "", "required": False, "repeatable": False},
    ]


def test_each_general_flag_stands_in_one_group() -> None:
    shown = [flag["name"] for group in described([], [], texts)["groups"] for flag in group["flags"]]

    assert sorted(shown) == sorted(flag.name for owner in GROUPS for flag in flags_of(owner))


def test_each_flag_that_is_shown_apart_exists() -> None:
    assert set(APART) - {flag.field for owner in GROUPS for flag in flags_of(owner)} == set()


def test_the_groups_have_an_order_and_say_what_they_are_about() -> None:
    groups = described([], [], texts)["groups"]

    assert [group["title"] for group in groups] == list(ORDER)
    assert [group["title"] for group in groups if not group["about"]] == []
    assert groups[0]["about"] == "what to connect to"


def test_answers_stand_together() -> None:
    groups = described([], [Flags, RawParams], texts)["groups"]

    assert next(group["flags"] for group in groups if group["title"] == "Answers") == flags(Flags, texts(Flags))


def test_methods_stand_by_name() -> None:
    methods: list[AnyMethod] = [
        Method("tools/list", RawParams, lambda _: request("tools/list"), "list the tools"),
        Method("debug/script", Flags, lambda _: request("x"), "look", connects=False),
    ]

    assert described(methods, [], texts)["methods"] == [
        {"name": "debug/script", "summary": "look", "connects": False, "flags": flags(Flags, texts(Flags))},
        {"name": "tools/list", "summary": "list the tools", "connects": True, "flags": []},
    ]
