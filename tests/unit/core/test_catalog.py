"""Methods are found by name, and mistakes are named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.catalog import Broken, Catalog, Owned, build, nearest
from mcpi.core.faults import Invalid
from mcpi.core.method import vendor
from mcpi.core.outcome import Failure, Success
from mcpi.core.outputs import Output, Report

SEND = "to send a method of the server's own, give its parameters with --params"
LIST, CALL = Owned(vendor("tools/list"), "tools"), Owned(vendor("tools/call"), "tools")
CATALOG = Catalog(
    {"tools/list": LIST, "tools/call": CALL},
    (Broken("skills", "mcpi-skills", "ImportError: no"), Broken("acme.extra", "acme", "SyntaxError: no")),
)


def test_a_method_is_found_by_its_name() -> None:
    assert CATALOG.find("tools/call") == Success(CALL.method)


def test_a_misspelt_method_names_the_nearest_one() -> None:
    assert CATALOG.find("tools/lst") == Failure(
        Invalid("UNKNOWN_METHOD", "--method", "there is no method 'tools/lst'", ("did you mean tools/list?", SEND))
    )


def test_a_method_like_none_can_be_sent_with_its_parameters() -> None:
    assert CATALOG.find("xyz") == Failure(Invalid("UNKNOWN_METHOD", "--method", "there is no method 'xyz'", (SEND,)))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("skills/get", "the plugin 'skills' of mcpi-skills did not load: ImportError: no"),
        ("acme/count", "the plugin 'acme.extra' of acme did not load: SyntaxError: no"),
    ],
)
def test_a_method_of_a_broken_plugin_says_why_it_is_missing(name: str, told: str) -> None:
    assert CATALOG.find(name) == Failure(Invalid("PLUGIN_FAILED", "--method", told))


def test_a_broken_plugin_does_not_hide_a_method_that_is_there() -> None:
    catalog = Catalog({"tools/list": LIST}, (Broken("tools", "acme", "no"),))

    assert catalog.find("tools/list") == Success(LIST.method)


def test_an_empty_catalog_has_nothing() -> None:
    assert Catalog().find("ping") == Failure(
        Invalid("UNKNOWN_METHOD", "--method", "there is no method 'ping'", (SEND,))
    )


def test_what_the_plugins_offer_is_the_catalog() -> None:
    broken = Broken("skills", "mcpi-skills", "no")

    assert build([LIST, CALL], [broken]) == Success(Catalog({"tools/list": LIST, "tools/call": CALL}, (broken,)))


def test_nothing_offered_is_an_empty_catalog() -> None:
    assert build([]) == Success(Catalog())


def test_two_that_offer_the_same_method_are_named() -> None:
    other = Owned(vendor("tools/list"), "acme", "mcpi-acme")

    assert build([CALL, LIST, other]) == Failure(
        Invalid(
            "PLUGIN_FAILED",
            "plugins",
            "the method tools/list is offered by the plugins 'tools' of mcpi-cli and 'acme' of mcpi-acme",
            ("uninstall one, or set MCPI_PLUGINS=off",),
        )
    )


def test_the_first_report_of_a_name_counts() -> None:
    def render(_: Report) -> str:
        return ""

    junit, tap, other = Output("junit", render), Output("tap", render), Output("junit", render, "another")

    assert build([], outputs=[junit, tap, other]) == Success(Catalog(outputs={"junit": junit, "tap": tap}))


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("--mehtod", "--method"),
        ("--METHOD", "--method"),
        ("--tool_name", "--tool-name"),
        ("tool-name", "--tool-name"),
        ("--Server", "--Server"),
        ("--zzz", None),
        ("", None),
    ],
)
def test_the_word_that_was_probably_meant_is_found(word: str, near: str | None) -> None:
    assert nearest(word, ["--method", "--tool-name", "--Server"]) == near


def test_among_no_words_none_is_near() -> None:
    assert nearest("x", []) is None


@given(st.text(), st.lists(st.text()))
def test_the_nearest_word_is_one_of_them(word: str, words: list[str]) -> None:
    assert nearest(word, words) in {*words, None}


@given(st.lists(st.text(min_size=1), min_size=1))
def test_a_word_that_is_there_is_its_own_nearest(words: list[str]) -> None:
    near = nearest(words[0], words)

    assert near is not None
    assert near.lower() == words[0].lower()
