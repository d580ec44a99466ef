"""JSON for --list-methods and --list-plugins."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from mcpi.core.flags.declare import Flag, flags_of
from mcpi.core.jsontext.exact import Printable
from mcpi.core.plans.catalog import Catalog, OwnedMethod, PluginOffer

Texts: TypeAlias = Callable[[type], Mapping[str, str]]
"""A function that returns the help text of each field of a class."""


def methods(catalog: Catalog, texts: Texts) -> list[Printable]:
    """List the available methods by name."""
    return [_method(owned, texts) for _, owned in sorted(catalog.owned.items())]


def _method(owned: OwnedMethod, texts: Texts) -> dict[str, Printable]:
    method = owned.method
    descriptions = texts(method.args)
    return {
        "name": method.name,
        "summary": method.summary,
        "plugin": owned.plugin,
        "distribution": owned.distribution,
        "needs": method.required_capability or None,
        "era": method.era,
        "parameters": [_parameter(flag, descriptions.get(flag.field, "")) for flag in flags_of(method.args)],
    }


def _parameter(flag: Flag, help_text: str) -> dict[str, Printable]:
    default = flag.default if isinstance(flag.default, str | int | float) else None
    return {
        "flag": flag.name,
        "key": flag.key,
        "value": None if flag.is_switch else flag.flag_type.name,
        "choices": list(flag.flag_type.choices),
        "required": flag.required,
        "repeatable": flag.repeatable,
        "default": default,
        "help": help_text,
    }


def plugins(catalog: Catalog) -> list[Printable]:
    """List the installed plugins in load order."""
    return [_plugin(plugin) for plugin in catalog.plugins]


def _plugin(plugin: PluginOffer) -> dict[str, Printable]:
    return {
        "name": plugin.name,
        "distribution": plugin.distribution,
        "version": plugin.version,
        "methods": [method.name for method in plugin.methods],
        "responders": [responder.method for responder in plugin.responders],
        "outputs": [output.name for output in plugin.reports],
        "tools": list(plugin.tools),
        "problem": plugin.problem or None,
    }
