"""Writes what is made from the help and from tables: data in the package, man page, reference, parts of pages."""

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from script_schema import script_schema

from mcpi.core.cli.help_text import CLOSING, EXAMPLES, INTRO, FlagHelp, GroupHelp, Help, spelled, whole
from mcpi.core.modes import follow_states
from mcpi.core.session import lifecycle
from mcpi.core.version import __version__
from mcpi.shell.cli.help_page import gather
from mcpi.shell.discovery.loader import Plugins

ROOT = Path(__file__).parents[1]
USAGES = ("[flags] COMMAND... [flags]", "[flags] URL [flags]", "[flags] -- COMMAND --its-flags", "--help METHOD")
HOW = ROOT / "docs" / "how-it-works.md"
README_PART = re.compile(r"(?<=<!-- help -->\n```text\n).*?(?=```\n)", re.DOTALL)


def known() -> Help:
    """The help of what is ours, whatever else is installed."""
    catalog = Plugins({**os.environ, "MCPI_PLUGINS": "off"}).catalog
    return gather((owned.method for owned in catalog.owned.values()), catalog.responders)


def pages() -> dict[Path, str]:
    """Each file that is made, with what it should hold."""
    found = known()
    readme = ROOT / "README.md"
    return {
        ROOT / "src" / "mcpi" / "help.json": json.dumps(found, indent=1) + "\n",
        ROOT / "src" / "mcpi" / "schemas" / "script.json": json.dumps(script_schema(), indent=2) + "\n",
        ROOT / "docs" / "man" / "mcpi.1": "\n".join(man(found)) + "\n",
        ROOT / "docs" / "reference" / "flags.md": "\n".join(reference(found)),
        ROOT / "docs" / "decisions" / "index.md": decisions(),
        HOW: drawn(HOW.read_text("utf-8")),
        readme: README_PART.sub(lambda _: whole(found, 100), readme.read_text("utf-8")),
    }


def drawn(page: str) -> str:
    """The page with the pictures of the tables, and the table of the connection."""
    for name, picture in (("connection", lifecycle.diagram()), ("follow", follow_states.diagram())):
        page = re.sub(rf"(?<=<!-- {name} -->\n```mermaid\n).*?(?=```\n)", picture, page, count=1, flags=re.DOTALL)
    head = "| from | when | to | what is done |\n| --- | --- | --- | --- |\n"
    rows = [
        f"| {start} | {happening.replace('_', ' ')} | {end} | {done} |\n"
        for (start, happening), (end, done) in lifecycle.TRANSITIONS.items()
    ]
    return re.sub(
        r"(?<=<!-- transitions -->\n\n).*?(?=\n\n)", (head + "".join(rows)).strip(), page, count=1, flags=re.DOTALL
    )


def decisions() -> str:
    """The list of all decisions, by their titles."""
    lines = ["# Decisions", "", "What would puzzle a newcomer, and why it is so.", ""]
    for page in sorted((ROOT / "docs" / "decisions").glob("0*.md")):
        title = page.read_text("utf-8").partition("\n")[0].partition(". ")[2]
        lines.append(f"- [{title}]({page.name})")
    return "\n".join(lines) + "\n"


def man(found: Help) -> Iterator[str]:
    """The manual page, as roff."""
    yield from (
        f'.TH MCPI 1 "" "mcpi {__version__}" "User Commands"',
        ".SH NAME",
        "mcpi \\- exercise and diagnose MCP servers",
    )
    yield ".SH SYNOPSIS"
    yield "\n.br\n".join(f".B mcpi\n{_roff(usage)}" for usage in USAGES)
    yield from (".SH DESCRIPTION", _roff(INTRO), ".SH METHODS")
    for method in found["methods"]:
        yield from (".TP", f".B {_roff(method['name'])}", _roff(method["summary"]))
    for group in found["groups"]:
        yield from (f".SH {group['title'].upper()}", *([_roff(_sentence(group))] if group["about"] else []))
        yield from _roff_flags(group["flags"])
    yield ".SH ARGUMENTS OF METHODS"
    for method in found["methods"]:
        if method["flags"]:
            yield f".SS {_roff(method['name'])}"
            yield from _roff_flags(method["flags"])
    yield from (".SH EXAMPLES", ".nf", _roff(EXAMPLES), ".fi", ".SH ENVIRONMENT AND EXIT STATUS", _roff(CLOSING))


def _roff_flags(flags: list[FlagHelp]) -> Iterator[str]:
    for flag in flags:
        yield from (".TP", f".B {_roff(spelled(flag))}", _roff(flag["text"]))


def _roff(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in escaped.splitlines())


def reference(found: Help) -> Iterator[str]:
    """The page of all flags."""
    yield "# Flags\n"
    yield "`mcpi --help` shows the same on a terminal, `mcpi --help METHOD` what one method takes. Each flag has an"
    yield "environment variable: `--timeout` is `MCPI_TIMEOUT`; a flag on the command line wins over it.\n"
    for group in found["groups"]:
        yield f"## {group['title']}\n"
        if group["about"]:
            yield f"{_sentence(group)}\n"
        yield from _rows(group["flags"])
    yield "## Methods\n"
    yield from ("| method | what it does |", "| --- | --- |")
    for method in found["methods"]:
        name = f"[`{method['name']}`](#{_anchor(method['name'])})" if method["flags"] else f"`{method['name']}`"
        yield f"| {name} | {method['summary']} |"
    yield ""
    for method in found["methods"]:
        if method["flags"]:
            yield f"### {method['name']}\n"
            yield from _rows(method["flags"])


def _rows(flags: list[FlagHelp]) -> Iterator[str]:
    yield from ("| flag | meaning |", "| --- | --- |")
    for flag in flags:
        needed = " **Required.**" if flag["required"] else ""
        # A bar in a cell is read differently by each who reads Markdown; its number by nobody.
        name = spelled(flag).replace("|", "&#124;").replace("<", "&lt;")
        yield f"| <code>{name}</code> | {_cell(flag['text'])}{needed} |"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "&#124;").replace("<", "&lt;").replace("*", "\\*")


def _sentence(group: GroupHelp) -> str:
    return f"{group['about'][:1].upper()}{group['about'][1:]}."


def _anchor(name: str) -> str:
    return re.sub(r"[^a-z0-9 -]", "", name.lower())


def main() -> int:
    """Writes what is not as it should be; 1 if --check found something."""
    stale = {path: text for path, text in pages().items() if not path.exists() or path.read_text("utf-8") != text}
    for path, text in stale.items():
        sys.stdout.write(f"{path.relative_to(ROOT)}\n")
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
