"""Listings of methods with their flags, and of plugins with their contents."""

from collections.abc import Mapping
from typing import Literal

from attrs import frozen

from mcpi.core.cli.listings import methods, plugins
from mcpi.core.client.function_responders import function_handler
from mcpi.core.flags.types import Duration
from mcpi.core.plans.catalog import PluginOffer, build_catalog
from mcpi.core.plans.method import Method, RawParams
from mcpi.core.plans.reports import ReportFormat
from mcpi.core.plans.steps import request


@frozen(kw_only=True)
class Flags:
    """Flags of several types."""

    name: str
    """The owner."""
    how_long: Duration = Duration(1.5)
    loud: bool = False
    parts: tuple[str, ...] = ()
    kind: Literal["a", "b"] | None = None


GREET = Method("x/greet", Flags, lambda _: request("x/greet"), "say hello", required_capability="x", era="modern")
BARE = Method("x/bare", RawParams, lambda _: request("x/bare"), "say nothing")
ACME = PluginOffer(
    "acme",
    "mcpi-acme",
    "1.2",
    (GREET, BARE),
    (function_handler("x/y").responder,),
    (ReportFormat("txt", str),),
    ("x/bare",),
)
CATALOG = build_catalog([ACME, PluginOffer("bad", "mcpi-bad", "0.1", problem="ImportError: no")])


def texts(_: type) -> Mapping[str, str]:
    """Return the docstring of the only documented field."""
    return {"name": "Whose."}


def test_methods_are_listed_by_name_with_their_flags() -> None:
    bare, greet = methods(CATALOG, texts)
    switch = {"choices": [], "required": False, "repeatable": False, "help": ""}

    assert bare == {
        "name": "x/bare",
        "summary": "say nothing",
        "plugin": "acme",
        "distribution": "mcpi-acme",
        "needs": None,
        "era": None,
        "parameters": [],
    }
    assert isinstance(greet, dict)
    assert (greet["name"], greet["needs"], greet["era"]) == ("x/greet", "x", "modern")
    assert greet["parameters"] == [
        {
            **switch,
            "flag": "--name",
            "key": "name",
            "value": "TEXT",
            "required": True,
            "default": None,
            "help": "Whose.",
        },
        {**switch, "flag": "--how-long", "key": "howLong", "value": "DURATION", "default": 1.5},
        {**switch, "flag": "--loud", "key": "loud", "value": None, "default": False},
        {**switch, "flag": "--parts", "key": "parts", "value": "TEXT", "repeatable": True, "default": None},
        {**switch, "flag": "--kind", "key": "kind", "value": "a|b", "choices": ["a", "b"], "default": None},
    ]


def test_plugins_are_listed_in_order_with_their_contents() -> None:
    assert plugins(CATALOG) == [
        {
            "name": "acme",
            "distribution": "mcpi-acme",
            "version": "1.2",
            "methods": ["x/greet", "x/bare"],
            "responders": ["x/y"],
            "outputs": ["txt"],
            "tools": ["x/bare"],
            "problem": None,
        },
        {
            "name": "bad",
            "distribution": "mcpi-bad",
            "version": "0.1",
            "methods": [],
            "responders": [],
            "outputs": [],
            "tools": [],
            "problem": "ImportError: no",
        },
    ]
