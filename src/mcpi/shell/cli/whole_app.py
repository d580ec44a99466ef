"""The App with all methods and flags and their descriptions: the source of the help, man page and reference."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from cyclopts import App, Group

from mcpi.core.cli.words import PROGRAM
from mcpi.core.flags.declare import Flag, flags_of
from mcpi.core.flags.options import GROUPS
from mcpi.core.plans.catalog import Catalog
from mcpi.shell.binding.flag_parser import new_app
from mcpi.shell.binding.help_panels import described
from mcpi.shell.binding.option_view import option, option_view, with_options
from mcpi.shell.discovery.field_docs import texts_of

TITLES = {"Mode": "Method", "Auth": "OAuth", "Debug": "Debugging"}
"""The titles of groups of flags that are not named after their class."""
APART = {
    **dict.fromkeys(("script", "var", "ndjson"), "Script"),
    **dict.fromkeys(("follow", "watch", "max_events", "refetch", "ping_interval"), "Stream"),
    **dict.fromkeys(("print_schema", "list_servers", "list_methods", "list_plugins"), "Information"),
    **dict.fromkeys(("completion", "agent_help", "help", "version"), "Information"),
}
"""Flags that are shown under a different title from the rest of their class, with that title."""
ABOUT = {
    "Target": "server to connect to",
    "Method": "method to call, its parameters, and expectations about the result",
    "Script": "several steps on one connection",
    "Stream": "events from the server, as they arrive",
    "Responses": "responses to requests from the server",
    "Time": "timeouts, such as 500ms, 30s or 2m; a number without a unit is in milliseconds",
    "Output": "output formats and files",
    "Protocol": "protocol versions, capabilities and validation",
    "OAuth": "how to get a token for servers that require one; secrets may be env:NAME or file:PATH",
    "Debugging": "evaluate expressions in a Node.js server during a call",
    "Information": "information about mcpi, its methods and configuration",
}
"""The titles in their order, with their descriptions."""
METHODS, ARGUMENTS, ALSO = Group("Methods"), Group("Arguments", sort_key=1), Group("Also", sort_key=2)
_GROUPS = {title: Group(title, help=about, sort_key=number) for number, (title, about) in enumerate(ABOUT.items())}


def whole_app(catalog: Catalog, *, flags: Collection[str] | None = None, methods: Collection[str] | None = None) -> App:
    """Return an App with all methods of the catalog as commands, for generating help; it cannot run.

    `flags` and `methods` limit the content, because describing everything takes time.
    """
    app = new_app(PROGRAM, help_format="plaintext")
    answers = [responder.args for responder in catalog.responders]
    groups = [(owner, _title_of(owner)) for owner in GROUPS]
    groups += [(owner, lambda _: _GROUPS["Responses"]) for owner in answers]
    shown = [
        (owner, _described(owner, group_of, flags))
        for owner, group_of in groups
        if any(flags is None or flag.name in flags for flag in flags_of(owner))
    ]
    app.default(with_options(_run, [option(f"options{number}", *pair) for number, pair in enumerate(shown)]))
    names = {flag.name for owner in (*GROUPS, *answers) for flag in flags_of(owner)}

    def group_of(flag: Flag) -> Group:
        return ARGUMENTS if flag.required or flag.name not in names else ALSO

    for name in sorted(catalog.owned if methods is None else methods):
        args: type = catalog.owned[name].method.args
        own = [option("options", args, _described(args, group_of))] if flags_of(args) else []
        summary = catalog.owned[name].method.summary
        app.command(with_options(_run, own), name=name, help=summary, group=METHODS, group_arguments=ARGUMENTS)
    return app


def _title_of(owner: type) -> Callable[[Flag], Group]:
    name = owner.__name__.removesuffix("Options")
    return lambda flag: _GROUPS[APART.get(flag.field, TITLES.get(name, name))]


def _described(owner: type, group_of: Callable[[Flag], Group], only: Collection[str] | None = None) -> type:
    """Return the view of the class with the help of each flag."""
    texts = texts_of(owner)
    return option_view(owner, only, {flag.field: described(flag, texts, group_of(flag)) for flag in flags_of(owner)})


def _run(_: tuple[str, ...], __: Mapping[str, Any]) -> None:
    """Do nothing."""
