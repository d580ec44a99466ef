"""Methods are found by name; unknown names produce helpful errors."""

import pytest

from mcpi.core.client.function_responders import function_handler
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.catalog import Catalog, OwnedMethod, PluginOffer, build_catalog, with_hints
from mcpi.core.plans.method import vendor_method
from mcpi.core.plans.reports import Report, ReportFormat

SEND = "to call a method that mcpi does not know, add --params"
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


def test_misspelled_method_suggests_the_nearest_name() -> None:
    assert CATALOG.find("tools/lst") == Failure(
        Invalid("UNKNOWN_METHOD", "--method", "unknown method 'tools/lst'", ("did you mean tools/list?", SEND))
    )


def test_notification_is_rejected_as_a_method() -> None:
    match CATALOG.find("notifications/initialized"):
        case Failure(Invalid("INVALID_ARGUMENT", "--method", problem)):
            assert "is a notification and has no response" in problem
        case found:
            raise AssertionError(found)


def test_unknown_method_suggests_params() -> None:
    assert CATALOG.find("xyz") == Failure(Invalid("UNKNOWN_METHOD", "--method", "unknown method 'xyz'", (SEND,)))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("skills/get", "the plugin 'skills' of mcpi-skills failed: ImportError: no"),
        ("acme/count", "the plugin 'acme.extra' of acme failed: SyntaxError: no"),
    ],
)
def test_method_of_a_broken_plugin_reports_the_plugin_error(name: str, message: str) -> None:
    assert CATALOG.find(name) == Failure(Invalid("PLUGIN_FAILED", "--method", message))


def test_broken_plugin_does_not_hide_an_available_method() -> None:
    catalog = Catalog({"tools/list": LIST}, (PluginOffer("tools", "acme", problem="no"),))

    assert catalog.find("tools/list") == Success(LIST.method)


def test_empty_catalog_finds_no_method() -> None:
    assert Catalog().find("ping") == Failure(Invalid("UNKNOWN_METHOD", "--method", "unknown method 'ping'", (SEND,)))


def test_method_offered_by_two_plugins_is_rejected_with_both_names() -> None:
    uninstall = "uninstall one of them; MCPI_PLUGINS=off disables both"

    assert CATALOG.find("acme/twice") == Failure(
        Invalid("PLUGIN_FAILED", "--method", "two plugins offer it", (uninstall,))
    )


def plugin(name: str, *methods: str, own: bool = False) -> PluginOffer:
    """A plugin that offers these methods."""
    return PluginOffer(
        name, "mcpi-cli" if own else f"mcpi-{name}", "1.0", tuple(vendor_method(method) for method in methods)
    )


def test_catalog_contains_the_methods_of_all_plugins() -> None:
    ours, theirs = plugin("tools", "tools/list", own=True), plugin("acme", "acme/x")
    broken = PluginOffer("skills", "mcpi-skills", problem="no")
    catalog = build_catalog([ours, theirs, broken])

    assert catalog.owned == {
        "tools/list": OwnedMethod(ours.methods[0], "tools"),
        "acme/x": OwnedMethod(theirs.methods[0], "acme", "mcpi-acme"),
    }
    assert catalog.plugins == (ours, theirs, broken)


def test_catalog_without_plugins_is_empty() -> None:
    assert build_catalog([]) == Catalog()


def test_plugin_cannot_override_a_built_in_method() -> None:
    ours, theirs = plugin("tools", "tools/list", own=True), plugin("acme", "tools/list", "acme/x")
    catalog = build_catalog([ours, theirs])

    assert {name: owned.plugin for name, owned in catalog.owned.items()} == {"tools/list": "tools", "acme/x": "acme"}
    assert [one.problem for one in catalog.plugins] == ["", "tools/list is a built-in method"]


def test_clashing_third_party_methods_are_both_reported_and_removed() -> None:
    catalog = build_catalog([plugin("acme", "x/y", "x/a"), plugin("bolt", "x/y", "x/b")])
    expected = "the method x/y is provided by the plugin 'acme' of mcpi-acme and by the plugin 'bolt' of mcpi-bolt"

    assert (sorted(catalog.owned), catalog.clashes) == (["x/a", "x/b"], {"x/y": expected})


def test_first_report_format_with_a_name_wins() -> None:
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


def test_first_handler_for_a_request_wins() -> None:
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


def test_tools_of_all_plugins_are_listed_once() -> None:
    assert build_catalog([PluginOffer("a", tools=("x", "y")), PluginOffer("b", tools=("y", "z"))]).tools == (
        "x",
        "y",
        "z",
    )


def test_plugin_hints_are_optional() -> None:
    fault = Invalid("INVALID_ARGUMENT", "--x", "no", ("did you mean --y?",))

    assert with_hints(fault, build_catalog([]).hints) == fault
    assert with_hints(fault, lambda found: (f"see {found.code}",)).hints == (  # type: ignore[union-attr]
        "did you mean --y?",
        "see INVALID_ARGUMENT",
    )
