"""The plugin hooks and their registration with pluggy."""

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
    """A plugin with one method."""

    @spec.hookimpl
    def mcpi_methods(self) -> tuple[Method[object], ...]:
        """Return the method."""
        return (METHOD,)


class Misspelt:
    """A plugin with a misspelled hook."""

    @spec.hookimpl
    def mcpi_metods(self) -> tuple[object, ...]:
        """Return an empty tuple."""
        return ()


def manager(plugin: object) -> pluggy.PluginManager:
    one = pluggy.PluginManager(spec.PROJECT)
    one.add_hookspecs(spec)
    one.register(plugin)
    return one


def test_hooks_collect_the_results_of_all_plugins() -> None:
    hooks = manager(Plugin()).hook

    assert hooks.mcpi_methods() == [(METHOD,)]
    assert hooks.mcpi_responders() == []
    assert hooks.mcpi_tools() == []
    assert hooks.mcpi_hints(fault=FAULT) == []
    assert hooks.mcpi_outputs() == []


def test_misspelled_hook_is_rejected() -> None:
    with pytest.raises(pluggy.PluginValidationError, match="mcpi_metods"):
        manager(Misspelt()).check_pending()


@pytest.mark.parametrize(
    "hook",
    [spec.mcpi_methods, spec.mcpi_responders, spec.mcpi_tools, lambda: spec.mcpi_hints(FAULT), spec.mcpi_outputs],
)
def test_hook_specifications_return_none(hook: Callable[[], object]) -> None:
    assert hook() is None


def test_offered_classes_are_attrs_classes() -> None:
    assert all(hasattr(kind, "__attrs_attrs__") for kind in (Method, Responder, ReportFormat))
