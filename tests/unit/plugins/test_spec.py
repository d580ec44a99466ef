"""The hooks: what a plugin may offer, and how pluggy sees it."""

from collections.abc import Callable

import pluggy
import pytest

from mcpi.core.outcome.faults import InvalidResponse
from mcpi.core.plans.method import Method
from mcpi.core.plans.reports import ReportFormat
from mcpi.core.plans.responders import Responder
from mcpi.plugins import spec

FAULT = InvalidResponse("INVALID_RESPONSE", "no")
METHOD = Method("acme/x", object, lambda _: iter(()), "x")  # type: ignore[arg-type,return-value]


class Plugin:
    """Offers one method."""

    @spec.hookimpl
    def mcpi_methods(self) -> tuple[Method[object], ...]:
        """The one."""
        return (METHOD,)


class Misspelt:
    """Offers what nobody asks for."""

    @spec.hookimpl
    def mcpi_metods(self) -> tuple[object, ...]:
        """Nothing."""
        return ()


def manager(plugin: object) -> pluggy.PluginManager:
    one = pluggy.PluginManager(spec.PROJECT)
    one.add_hookspecs(spec)
    one.register(plugin)
    return one


def test_each_hook_asks_all_plugins() -> None:
    hooks = manager(Plugin()).hook

    assert hooks.mcpi_methods() == [(METHOD,)]
    assert hooks.mcpi_responders() == []
    assert hooks.mcpi_tools() == []
    assert hooks.mcpi_hints(fault=FAULT) == []
    assert hooks.mcpi_outputs() == []


def test_a_misspelt_hook_is_noticed() -> None:
    with pytest.raises(pluggy.PluginValidationError, match="mcpi_metods"):
        manager(Misspelt()).check_pending()


@pytest.mark.parametrize(
    "hook",
    [spec.mcpi_methods, spec.mcpi_responders, spec.mcpi_tools, lambda: spec.mcpi_hints(FAULT), spec.mcpi_outputs],
)
def test_a_hook_itself_offers_nothing(hook: Callable[[], object]) -> None:
    assert hook() is None


def test_what_is_offered_is_data() -> None:
    assert all(hasattr(kind, "__attrs_attrs__") for kind in (Method, Responder, ReportFormat))
