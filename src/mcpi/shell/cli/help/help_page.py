"""The help: one screen, every flag, or one method."""

from collections.abc import Sequence
from textwrap import wrap

from cyclopts import App

from mcpi.core.cli.words import NAMED, PLACEHOLDERS
from mcpi.core.plans.catalog import Catalog
from mcpi.core.plans.method import AnyMethod
from mcpi.core.text.colors import Paint, no_color
from mcpi.core.text.layout import clamp_width
from mcpi.shell.binding.help_panels import HelpRow, Section, sections_of, table, titled
from mcpi.shell.cli.whole_app import METHODS, whole_app
from mcpi.shell.context import Context
from mcpi.shell.io.terminal import paint, width

ALL = "all"
"""The topic that shows every flag."""
INTRO = (
    "mcpi tests and diagnoses MCP servers. All input comes from flags, environment variables and files, "
    "and output is JSON."
)
USAGE = """  mcpi METHOD [flags] COMMAND... [flags]       start a server
  mcpi METHOD [flags] URL [flags]              connect to a server over HTTP
  mcpi METHOD [flags] -- COMMAND --its-flags   start a server that has flags
  mcpi tools/call NAME key=value -- COMMAND    call a tool with arguments
  mcpi METHOD --help                           show the flags of a method"""
SHORT_USAGE = """  mcpi METHOD [flags] COMMAND... | URL         mcpi tools/list node server.js
  mcpi tools/call NAME key=value -- COMMAND    words after -- start the server"""
EXAMPLES = """  mcpi --demo discover
  mcpi tools/list node server.js
  mcpi tools/call get_weather city=London -- node server.js
  mcpi resources/read https://mcp.example.com/mcp file:///report.csv --token env:TOKEN
  mcpi discover --config mcp.json --server mine --validate --summary
  mcpi --script smoke.json --report-junit junit.xml -- npx -y @modelcontextprotocol/server-everything"""
CLOSING = """Every flag has an environment variable (--timeout: MCPI_TIMEOUT). JSON values may be @FILE, or - for stdin.
METHOD can also be given as --method NAME. Exit codes: 0 success, 1 failure, 2 the server answered with a
JSON-RPC error, 124 timeout, 130 interrupted."""
MORE = "mcpi METHOD --help shows the flags of a method, mcpi --help all shows all flags."
USED = {
    "--demo": "use the embedded demo server",
    "--config": "read the server from mcp.json or a similar file",
    "--header": "send an HTTP header",
    "--timeout": "response timeout (default 30s); progress resets it",
    "--structured": "print one JSON document on success and failure",
    "--summary": "print a human-readable summary on stderr",
    "--script": "run a script file (mcpi help script)",
    "--follow": "stay connected and print events",
    "--output": "write the result to a file",
    "--verbose": "show all messages",
}
"""The most used flags, each with a short description."""
TARGETS = "TARGET is a command (after -- if it has flags), a URL, --demo, or --config FILE."
GENERAL = "mcpi {} --help all also shows the general flags (target, time, output and so on)."
SCRIPT = "script"
"""The topic that explains scripts."""
SCREEN = 80
"""Maximum width of the short help."""
FIRST = ("Target", "Method")
"""The sections that are shown before the methods' own arguments."""


def page(context: Context, catalog: Catalog, topic: str | None, *, general: bool = False) -> str:
    """Return the help on a topic: a method, optionally with the general flags, all flags, or one screen."""
    wide, colored = width(context.stdout, context.environment), paint(context.stdout, context.environment)
    if topic is not None and topic in catalog.owned:
        app = whole_app(catalog, flags=None if general else (), methods=(topic,))
        return of_method(app, catalog.owned[topic].method, wide, colored, general=general)
    if topic == SCRIPT:
        from mcpi.shell.cli.help.script_help import of_scripts  # noqa: PLC0415 - imports cattrs

        return of_scripts(wide, colored)
    if topic == ALL:
        return whole(whole_app(catalog), catalog, wide, colored)
    return screen(whole_app(catalog, flags=USED, methods=()), catalog, wide, colored)


def screen(app: App, catalog: Catalog, width: int, paint: Paint = no_color) -> str:
    """Return the help that fits on one screen: the usage, the methods by group, and the most used flags."""
    wide = min(clamp_width(width), SCREEN)
    rows = {row.name: row for section in sections_of(app) for row in section.rows}
    flags = [(rows[name].spelled, text) for name, text in USED.items()]
    lines = wrap(" ".join(_grouped(catalog)), wide, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    parts = (
        titled("Usage", SHORT_USAGE, paint),
        titled("Methods", "\n".join(lines), paint),
        titled("Flags", "\n".join(table(flags, wide, paint)), paint),
        MORE,
    )
    return "\n".join(parts) + "\n"


def _grouped(catalog: Catalog) -> list[str]:
    """Return the names of the methods, those of one group together: tools/{call,list}."""
    groups: dict[str, list[str]] = {}
    for name in sorted(catalog.owned):
        group, slash, rest = name.partition("/")
        groups.setdefault(group if slash else "", []).append(rest if slash else name)
    own = groups.pop("", [])
    shown = {group: rest[0] if len(rest) == 1 else f"{{{','.join(rest)}}}" for group, rest in groups.items()}
    return [*own, *(f"{group}/{rest}" for group, rest in shown.items())]


def whole(app: App, catalog: Catalog, width: int, paint: Paint = no_color) -> str:
    """Return the help with every flag."""
    wide = clamp_width(width)
    sections = [section for section in sections_of(app) if section.title != METHODS.name]
    general = {row.name for section in sections for row in section.rows}
    first = [section for section in sections if section.title in FIRST]
    rest = [section for section in sections if section.title not in FIRST]
    methods = [(name, owned.method.summary) for name, owned in sorted(catalog.owned.items())]
    parts = [
        "\n".join(wrap(INTRO, wide)),
        titled("Usage", USAGE, paint),
        titled("Methods", "\n".join(table(methods, wide, paint)), paint),
        *(section.shown(wide, paint) for section in (*first, *_arguments(app, catalog, general), *rest)),
        titled("Examples", EXAMPLES, paint),
        CLOSING,
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def of_method(app: App, method: AnyMethod, width: int, paint: Paint = no_color, *, general: bool = False) -> str:
    """Return the help of one method."""
    wide = clamp_width(width)
    sections = sections_of(app, method.name)
    usage = [
        line
        for form in usage_forms(method, [row for section in sections for row in section.rows if row.is_required])
        for line in wrap(form, wide, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False)
    ]
    general_sections = [one for one in sections_of(app) if one.title != METHODS.name] if general else ()
    closing = [TARGETS] * method.connects + [GENERAL.format(method.name)] * (not general)
    parts = [
        f"{paint('title', method.name)}: {method.summary}",
        titled("Usage", "\n".join(usage), paint),
        *(section.shown(wide, paint) for section in (*sections, *general_sections)),
        "\n".join(line for text in closing for line in wrap(text, wide)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def usage_forms(method: AnyMethod, needed: Sequence[HelpRow]) -> tuple[str, ...]:
    """Return the forms of a method's command line; `needed` holds its required flags."""
    start = f"mcpi {method.name}"
    if method.name == "diff":
        return (f"{start} OLD NEW [flags]", f"{start} OLD [flags] -- COMMAND")
    if method.target_field:
        return (f"{start} URL [flags]",)
    flags = " ".join([*(f"{row.name} {row.value}" for row in needed), "[flags]"])
    general = f"{start} {'TARGET ' if method.connects else ''}{flags}"
    if method.name not in NAMED:
        return (general,)
    name, argument = NAMED[method.name]
    word = PLACEHOLDERS.get(name, "NAME")
    words = f"{word} key=value..." if argument else word
    return (f"{start} {words} [flags] -- COMMAND", f"{start} URL {words} [flags]", general)


def _arguments(app: App, catalog: Catalog, general: set[str]) -> list[Section]:
    """Return the methods' own flags; methods that take the same flags share a section."""
    takers: dict[tuple[HelpRow, ...], list[str]] = {}
    for name in sorted(catalog.owned):
        rows = (row for section in sections_of(app, name) for row in section.rows if row.name not in general)
        takers.setdefault(tuple(rows), []).append(name)
    return [Section(f"Arguments of {', '.join(names)}", "", rows) for rows, names in takers.items() if rows]
