"""Methods are found by name, and mistakes are named."""

import pytest

from mcpi.core.client.function_responders import function_handler
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.catalog import Catalog, OwnedMethod, PluginOffer, build_catalog, with_hints
from mcpi.core.plans.method import vendor_method
from mcpi.core.plans.reports import Report, ReportFormat

SEND = "for a method of the server's own, add --params"
LIST, CALL = OwnedMethod(vendor_method("tools/list"), "tools"), OwnedMethod(vendor_method("tools/call"), "tools")
CATALOG = Catalog(
    {"tools/list": LIST, "tools/call": CALL},
    (
        PluginOffer("skills", "mcpi-skills", problem="ImportError: no"),
        PluginOffer("acme.extra", "acme", problem="SyntaxError: no"),
    ),
    clashes={"acme/twice": "two plugins offer it"},
)


def test_a_method_is_found_by_its_name() -> None:
    assert CATALOG.find("tools/call") == Success(CALL.method)


def test_a_misspelt_method_names_the_nearest_one() -> None:
    assert CATALOG.find("tools/lst") == Failure(
        Invalid("UNKNOWN_METHOD", "--method", "unknown method 'tools/lst'", ("did you mean tools/list?", SEND))
    )


def test_a_notification_is_no_method() -> None:
    match CATALOG.find("notifications/initialized"):
        case Failure(Invalid("INVALID_ARGUMENT", "--method", problem)):
            assert "is a notification and has no response" in problem
        case found:
            raise AssertionError(found)


def test_a_method_like_none_can_be_sent_with_its_parameters() -> None:
    assert CATALOG.find("xyz") == Failure(Invalid("UNKNOWN_METHOD", "--method", "unknown method 'xyz'", (SEND,)))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("skills/get", "the plugin 'skills' of mcpi-skills failed: ImportError: no"),
        ("acme/count", "the plugin 'acme.extra' of acme failed: SyntaxError: no"),
    ],
)
def test_a_method_of_a_broken_plugin_says_why_it_is_missing(name: str, told: str) -> None:
    assert CATALOG.find(name) == Failure(Invalid("PLUGIN_FAILED", "--method", told))


def test_a_broken_plugin_does_not_hide_a_method_that_is_there() -> None:
    catalog = Catalog({"tools/list": LIST}, (PluginOffer("tools", "acme", problem="no"),))

    assert catalog.find("tools/list") == Success(LIST.method)


def test_an_empty_catalog_has_nothing() -> None:
    assert Catalog().find("ping") == Failure(Invalid("UNKNOWN_METHOD", "--method", "unknown method 'ping'", (SEND,)))


def test_a_method_that_two_offer_is_refused_with_both_names() -> None:
    uninstall = "uninstall one of them; MCPI_PLUGINS=off disables both"

    assert CATALOG.find("acme/twice") == Failure(
        Invalid("PLUGIN_FAILED", "--method", "two plugins offer it", (uninstall,))
    )


def plugin(name: str, *methods: str, own: bool = False) -> PluginOffer:
    """A plugin with these methods."""
    return PluginOffer(
        name, "mcpi-cli" if own else f"mcpi-{name}", "1.0", tuple(vendor_method(method) for method in methods)
    )


def test_what_the_plugins_offer_is_the_catalog() -> None:
    ours, theirs = plugin("tools", "tools/list", own=True), plugin("acme", "acme/x")
    broken = PluginOffer("skills", "mcpi-skills", problem="no")
    catalog = build_catalog([ours, theirs, broken])

    assert catalog.owned == {
        "tools/list": OwnedMethod(ours.methods[0], "tools"),
        "acme/x": OwnedMethod(theirs.methods[0], "acme", "mcpi-acme"),
    }
    assert catalog.plugins == (ours, theirs, broken)


def test_nothing_offered_is_an_empty_catalog() -> None:
    assert build_catalog([]) == Catalog()


def test_nobody_takes_a_method_from_us() -> None:
    ours, theirs = plugin("tools", "tools/list", own=True), plugin("acme", "tools/list", "acme/x")
    catalog = build_catalog([ours, theirs])

    assert {name: owned.plugin for name, owned in catalog.owned.items()} == {"tools/list": "tools", "acme/x": "acme"}
    assert [one.problem for one in catalog.plugins] == ["", "tools/list is a built-in method"]


def test_two_others_that_offer_the_same_method_are_both_named_and_neither_has_it() -> None:
    catalog = build_catalog([plugin("acme", "x/y", "x/a"), plugin("bolt", "x/y", "x/b")])
    told = "the method x/y is offered by the plugin 'acme' of mcpi-acme and by the plugin 'bolt' of mcpi-bolt"

    assert (sorted(catalog.owned), catalog.clashes) == (["x/a", "x/b"], {"x/y": told})


def test_the_first_report_of_a_name_counts() -> None:
    def render(_: Report) -> str:
        return ""

    junit, tap, other = (
        ReportFormat("junit", render),
        ReportFormat("tap", render),
        ReportFormat("junit", render, "another"),
    )
    catalog = build_catalog(
        [PluginOffer("a", reports=(junit, tap)), PluginOffer("b", "mcpi-b", reports=(other,), problem="late")]
    )

    assert catalog.reports == {"junit": junit, "tap": tap}
    assert catalog.plugins[1].problem == "late; the report junit already exists"


def test_the_first_answer_to_a_question_counts() -> None:
    first, second, other = (
        function_handler("x/y").responder,
        function_handler("x/y").responder,
        function_handler("x/z").responder,
    )
    catalog = build_catalog(
        [PluginOffer("a", responders=(first,)), PluginOffer("b", "mcpi-b", responders=(second, other))]
    )

    assert catalog.responders == (first, other)
    assert catalog.plugins[1].problem == "x/y already has a handler"


def test_agents_are_offered_what_the_plugins_say_once() -> None:
    assert build_catalog([PluginOffer("a", tools=("x", "y")), PluginOffer("b", tools=("y", "z"))]).tools == (
        "x",
        "y",
        "z",
    )


def test_plugins_have_no_hints_unless_they_say_some() -> None:
    fault = Invalid("INVALID_ARGUMENT", "--x", "no", ("did you mean --y?",))

    assert with_hints(fault, build_catalog([]).hints) == fault
    assert with_hints(fault, lambda told: (f"see {told.code}",)).hints == (  # type: ignore[union-attr]
        "did you mean --y?",
        "see INVALID_ARGUMENT",
    )
