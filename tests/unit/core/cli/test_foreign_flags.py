"""Method and flag names of other tools."""

import pytest

from mcpi.core.cli.foreign_flags import FLAGS, method_named
from mcpi.core.flags.declare import by_spelling
from mcpi.core.flags.options import GROUPS
from mcpi.plugins.answers.elicitation import ElicitationFlags
from mcpi.plugins.answers.sampling import SamplingFlags
from mcpi.plugins.methods.diff import Diff
from mcpi.plugins.methods.lint import Lint
from mcpi.plugins.methods.prompts import GetPrompt
from mcpi.plugins.methods.resources import OneResource
from mcpi.plugins.methods.tools.tools import CallTool

METHODS = ("tools/list", "tools/call", "prompts/get", "logging/setLevel", "ping")
OURS = by_spelling((*GROUPS, CallTool, GetPrompt, OneResource, Diff, Lint, SamplingFlags, ElicitationFlags))


@pytest.mark.parametrize(
    ("word", "method"),
    [
        ("list", "tools/list"),
        ("list-tools", "tools/list"),
        ("list_tools", "tools/list"),
        ("tools.list", "tools/list"),
        ("ToolsList", "tools/list"),
        ("tool/lists", "tools/list"),
        ("logging/setlevel", "logging/setLevel"),
        ("PING", "ping"),
        ("call", "tools/call"),
        ("read", None),
        ("node", None),
        ("xyzzy/plugh", None),
    ],
)
def test_method_is_recognized_in_other_spellings(word: str, method: str | None) -> None:
    assert method_named(word, METHODS) == method


def test_no_mcpi_flag_is_listed_as_a_flag_of_other_tools() -> None:
    assert FLAGS.keys() & OURS.keys() == set()


def test_each_foreign_flag_maps_to_an_existing_flag() -> None:
    for flag, foreign in FLAGS.items():
        if foreign.kind == "flag":
            assert OURS[foreign.right].is_switch != foreign.takes_value, flag


@pytest.mark.parametrize(("word", "method"), [("lnt", "lint"), ("dif", "diff"), ("Pin", "ping"), ("link", None)])
def test_one_word_methods_are_found_when_misspelled(word: str, method: str | None) -> None:
    assert method_named(word, ("lint", "diff", "ping", "tools/list")) == method
