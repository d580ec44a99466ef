"""The help, as text for a terminal of any width; from plain data, so that showing it imports nothing else."""

from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import TypedDict

from mcpi.core.text.colors import Paint, no_color
from mcpi.core.text.layout import clamp_width


class FlagHelp(TypedDict):
    """One flag: how it is spelled, what it wants, what it is for."""

    name: str
    short: str
    value: str
    text: str
    required: bool
    repeatable: bool


class GroupHelp(TypedDict):
    """Flags that are shown together."""

    title: str
    about: str
    flags: list[FlagHelp]


class MethodHelp(TypedDict):
    """One method and its flags."""

    name: str
    summary: str
    connects: bool
    flags: list[FlagHelp]


class Help(TypedDict):
    """All that the help shows, in its order."""

    groups: list[GroupHelp]
    methods: list[MethodHelp]


INTRO = "mcpi exercises and diagnoses MCP servers: every input is a flag or a file, every output is JSON."
USAGE = """  mcpi [flags] COMMAND... [flags]        a server to start
  mcpi [flags] URL [flags]               a server to talk to by HTTP
  mcpi [flags] -- COMMAND --its-flags    what follows -- belongs to the server
  mcpi --help METHOD                     what one method takes"""
EXAMPLES = """  mcpi --demo --method discover
  mcpi node server.js --method tools/list
  mcpi node server.js --method tools/call --tool-name get_weather --tool-arg city=London
  mcpi https://mcp.example.com/mcp --method resources/read --uri file:///report.csv --token env:TOKEN
  mcpi --config mcp.json --server mine --method discover --validate --summary
  mcpi --script smoke.json --report-junit junit.xml -- npx -y @modelcontextprotocol/server-everything"""
CLOSING = """Every flag has an environment variable (--timeout: MCPI_TIMEOUT). JSON may be @FILE, or - for stdin.
Exit codes: 0 done, 1 failed, 2 the server answered with an error, 124 out of time, 130 interrupted."""
FIRST = ("Target", "Method")
"""The groups that are shown before the methods' own arguments."""
_INDENT, _COLUMN = 2, 30


def whole(known: Help, width: int, paint: Paint = no_color) -> str:
    """The whole help."""
    wide = clamp_width(width)
    general = {flag["name"] for group in known["groups"] for flag in group["flags"]}
    first = [group for group in known["groups"] if group["title"] in FIRST]
    rest = [group for group in known["groups"] if group["title"] not in FIRST]
    methods = [(method["name"], method["summary"]) for method in known["methods"]]
    parts = [
        "\n".join(wrap(INTRO, wide)),
        _titled("Usage", USAGE, paint),
        _titled("Methods", "\n".join(table(methods, wide, paint)), paint),
        *(section(group, wide, paint) for group in (*first, *_arguments(known["methods"], general), *rest)),
        _titled("Examples", EXAMPLES, paint),
        CLOSING,
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def of_method(known: Help, method: MethodHelp, width: int, paint: Paint = no_color) -> str:
    """What one method takes, and nothing else."""
    wide = clamp_width(width)
    general = {flag["name"] for group in known["groups"] for flag in group["flags"]}
    own = [flag for flag in method["flags"] if flag["required"] or flag["name"] not in general]
    also = [flag for flag in method["flags"] if flag not in own]
    words = ["mcpi", *(["TARGET"] if method["connects"] else []), "--method", method["name"]]
    words += [f"{flag['name']} {flag['value']}" for flag in own if flag["required"]]
    usage = wrap(
        " ".join((*words, "[flags]")), wide, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False
    )
    parts = [
        f"{paint('title', method['name'])}: {method['summary']}",
        _titled("Usage", "\n".join(usage), paint),
        section({"title": "Arguments", "about": "", "flags": own}, wide, paint),
        section({"title": "Also", "about": "", "flags": also}, wide, paint),
        "\n".join(wrap("mcpi --help shows the flags of every method: target, time, output and so on.", wide)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def section(group: GroupHelp, width: int, paint: Paint = no_color) -> str:
    """A group of flags under its title."""
    if not group["flags"]:
        return ""
    heads = wrap(f"{group['title']}: {group['about']}".rstrip(), width)
    first = heads[0].replace(group["title"], paint("title", group["title"]), 1)
    rows = [(spelled(flag), _told(flag)) for flag in group["flags"]]
    return "\n".join((first, *heads[1:], *table(rows, width, paint)))


def spelled(flag: FlagHelp) -> str:
    """The flag and what it wants, as it is written."""
    name = f"{flag['short']}, {flag['name']}" if flag["short"] else flag["name"]
    return f"{name} {flag['value']}".rstrip()


def table(rows: Iterable[tuple[str, str]], width: int, paint: Paint = no_color) -> list[str]:
    """Names and their texts in two columns."""
    lines: list[str] = []
    for left, right in rows:
        told = wrap(right, width - _COLUMN, break_on_hyphens=False) or [""]
        name = f"{'':{_INDENT}}{paint('name', left)}"
        free = _COLUMN - _INDENT - len(left)
        if free <= 1:
            lines.append(name)
            name, free = "", _COLUMN
        lines.append(f"{name}{'':{free}}{told[0]}".rstrip())
        lines += [f"{'':{_COLUMN}}{line}" for line in told[1:]]
    return lines


def _titled(title: str, text: str, paint: Paint) -> str:
    return f"{paint('title', title)}:\n{text}"


def _told(flag: FlagHelp) -> str:
    return f"{flag['text']} (required)" if flag["required"] else flag["text"]


def _arguments(methods: Sequence[MethodHelp], general: set[str]) -> list[GroupHelp]:
    """The methods' own flags; methods that take the same share a group."""
    groups: list[GroupHelp] = []
    names: list[list[str]] = []
    for method in methods:
        own = [flag for flag in method["flags"] if flag["name"] not in general]
        same = next((place for place, group in enumerate(groups) if group["flags"] == own), None)
        if same is None:
            groups.append({"title": "", "about": "", "flags": own})
            names.append([method["name"]])
        else:
            names[same].append(method["name"])
    for group, takers in zip(groups, names, strict=True):
        group["title"] = f"Arguments of {', '.join(takers)}"
    return groups
