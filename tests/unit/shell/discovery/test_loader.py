"""Hooks in modules."""

from types import ModuleType

import pluggy

from mcpi.plugins.spec import PROJECT, hookimpl
from mcpi.shell.discovery.loader import PluginRegistry


class Offers:
    """A class whose methods are hooks."""

    @hookimpl
    def method(self) -> tuple[str, ...]:
        """Return nothing."""
        return ()

    @hookimpl
    @classmethod
    def of_class(cls) -> tuple[str, ...]:
        """Return nothing."""
        return ()


class Proxy:
    """An object whose attributes cannot be read."""

    def __getattr__(self, name: str) -> object:
        """Raise, as a proxy without its target does."""
        raise RuntimeError(name)


@hookimpl(trylast=True)
def marked() -> tuple[str, ...]:
    """Return nothing."""
    return ()


def test_hooks_of_a_module_are_those_that_pluggy_finds() -> None:
    module = ModuleType("plugin")
    vars(module).update(
        marked=marked,
        bound=Offers().method,
        in_class=vars(Offers)["of_class"],
        static=staticmethod(marked),
        plain=lambda: (),
        proxy=Proxy(),
        number=1,
        Offers=Offers,
    )
    plain, ours = pluggy.PluginManager(PROJECT), PluginRegistry(PROJECT)
    found = {name: ours.parse_hookimpl_opts(module, name) for name in dir(module)}

    assert found == {name: plain.parse_hookimpl_opts(module, name) for name in dir(module)}
    assert [name for name, options in found.items() if options] == ["bound", "in_class", "marked", "static"]


def test_hooks_of_an_object_are_those_that_pluggy_finds() -> None:
    plain, ours = pluggy.PluginManager(PROJECT), PluginRegistry(PROJECT)
    found = {name: ours.parse_hookimpl_opts(Offers(), name) for name in dir(Offers)}

    assert found == {name: plain.parse_hookimpl_opts(Offers(), name) for name in dir(Offers)}
    assert [name for name, options in found.items() if options] == ["method", "of_class"]
