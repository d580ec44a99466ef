"""Write the generated files: the script schema, the man page, the reference, and parts of pages."""

import inspect
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from attrs import fields, frozen
from messages import table
from rule_examples import RULE_EXAMPLES
from script_schema import script_schema

import mcpi
from mcpi.core.diff.change_rules import FAMILIES as CHANGES
from mcpi.core.diff.families.diff_rule import DiffRule
from mcpi.core.findings.finding import rejection_verb
from mcpi.core.lint.rules import FAMILIES
from mcpi.core.modes import follow_states
from mcpi.core.session import lifecycle
from mcpi.core.version import __version__
from mcpi.shell.binding.help_panels import HelpRow, Section, sections_of
from mcpi.shell.cli.help.help_page import CLOSING, EXAMPLES, INTRO
from mcpi.shell.cli.whole_app import METHODS, whole_app
from mcpi.shell.discovery.field_docs import texts_of
from mcpi.shell.discovery.loader import Plugins

ROOT = Path(__file__).parents[1]
USAGES = (
    "METHOD [flags] COMMAND... [flags]",
    "METHOD [flags] URL [flags]",
    "METHOD [flags] -- COMMAND --its-flags",
    "METHOD --help",
)
HOW = ROOT / "docs" / "how-it-works.md"
PYTHON = ROOT / "docs" / "python.md"
PYTHON_PART = re.compile(r"(?<=<!-- names -->\n).*?(?=<!-- end -->)", re.DOTALL)


@frozen
class Documented:
    """A method with its flags."""

    name: str
    summary: str
    rows: tuple[HelpRow, ...]


@frozen
class Known:
    """The general flags in their sections, and the methods."""

    sections: tuple[Section, ...]
    methods: tuple[Documented, ...]


def known() -> Known:
    """The built-in methods and flags, without installed plugins."""
    catalog = Plugins({**os.environ, "MCPI_PLUGINS": "off"}).catalog
    app = whole_app(catalog)
    sections = tuple(section for section in sections_of(app) if section.title != METHODS.name)
    methods = (
        Documented(name, owned.method.summary, tuple(row for section in sections_of(app, name) for row in section.rows))
        for name, owned in sorted(catalog.owned.items())
    )
    return Known(sections, tuple(methods))


def pages() -> dict[Path, str]:
    """Each generated file with its content."""
    found = known()
    return {
        ROOT / "src" / "mcpi" / "schemas" / "script.json": json.dumps(script_schema(), indent=2) + "\n",
        ROOT / "docs" / "man" / "mcpi.1": "\n".join(man(found)) + "\n",
        ROOT / "docs" / "reference" / "flags.md": "\n".join(reference(found)),
        ROOT / "docs" / "decisions" / "index.md": decisions(),
        ROOT / "docs" / "reference" / "messages.md": "\n".join(table()),
        ROOT / "docs" / "rules.md": "\n".join(rules()),
        HOW: drawn(HOW.read_text("utf-8")),
        PYTHON: PYTHON_PART.sub(lambda _: f"\n{''.join(public_names())}\n", PYTHON.read_text("utf-8")),
    }


def drawn(page: str) -> str:
    """Insert the state diagrams and the transition table into the page."""
    for name, picture in (("connection", lifecycle.diagram()), ("follow", follow_states.diagram())):
        page = re.sub(rf"(?<=<!-- {name} -->\n```mermaid\n).*?(?=```\n)", picture, page, count=1, flags=re.DOTALL)
    head = "| from | event | to | action |\n| --- | --- | --- | --- |\n"
    rows = [
        f"| {start} | {happening.replace('_', ' ')} | {end} | {done} |\n"
        for (start, happening), (end, done) in lifecycle.TRANSITIONS.items()
    ]
    return re.sub(
        r"(?<=<!-- transitions -->\n\n).*?(?=\n\n)", (head + "".join(rows)).strip(), page, count=1, flags=re.DOTALL
    )


def rules() -> Iterator[str]:
    """The page of all lint and diff rules, with a section for each rule."""
    yield "# Lint and diff rules\n"
    yield "Each finding of `mcpi lint` and each change reported by `mcpi diff` names one of these rules.\n"
    yield "- [Lint rules](#lint-rules)"
    yield "- [Diff rules](#diff-rules)\n"
    yield "## Lint rules\n"
    yield "[Lint](lint.md) describes the command, and how to ignore findings.\n"
    yield "- *Rejected by* lists the clients and model APIs that reject a definition with this problem. A model API"
    yield "  rejects the whole request, so the model can use none of the tools in it."
    yield "- *Can be rejected by* lists the clients and model APIs that reject the definition only in some cases."
    yield "  Many clients convert a schema before they send it to a model, and the conversion can remove the problem."
    yield "- *Evidence* links to a description of the problem, or to the specification that forbids it.\n"
    yield "Where a problem matters less, a rule can report it with a lower severity. The rules of the family"
    yield "`instructions` search text for patterns and can be wrong, so check each of their findings. The rules of"
    yield "the family `pedantic` apply only with `--pedantic`.\n"
    yield from _families({family: [rule.id for rule in members] for family, members in FAMILIES.items()})
    for members in FAMILIES.values():
        for rule in members:
            example = RULE_EXAMPLES.get(rule.id)
            yield from _section(rule.id, rule.sentence, rule.why)
            yield f"\nFix: {_markdown(rule.fix)}"
            if example is not None:
                yield f"\nBad: `{example.bad}`\n\nGood: `{example.good}`"
            rejection = f" {rejection_verb(rule.severity).capitalize()} {', '.join(rule.rejected_by)}."
            yield f"\nSeverity: {rule.severity}.{rejection if rule.rejected_by else ''} [Evidence]({rule.evidence})"
    yield "\n## Diff rules\n"
    yield "[Lock and diff](diff.md) describes the command, the classes of changes, and how to accept a change.\n"
    yield from _families({family: [rule.name for rule in members] for family, members in CHANGES.items()})
    yield from _schema_changes([rule for members in CHANGES.values() for rule in members])
    for members in CHANGES.values():
        for rule in members:
            yield from _section(rule.name, rule.title, f"{_fix_label(rule)}: {rule.own_fix}" if rule.own_fix else "")
            why = " ([reasons and fixes](#changes-to-schemas))" if rule.depends_on_side else ""
            yield f"\nClass: {rule.classes}{why}. [Evidence]({rule.evidence})"
    yield ""


def _fix_label(rule: DiffRule) -> str:
    """Name the schemas that the fix is for, if the change is breaking in only one of the two kinds."""
    breaking = [side for side in ("input", "output") if rule.judge(side)[0] == "breaking"]
    return f"Fix for {breaking[0]} schemas" if len(breaking) == 1 else "Fix"


_EFFECTS = {
    "tighter": "fewer values",
    "looser": "more values",
    "either": "other values",
    "default": "the same values, but has another default",
}


def _schema_changes(rules: list[DiffRule]) -> Iterator[str]:
    """A table of the effects that a change to a schema can have, with the reasons and fixes."""
    yield "\n### Changes to schemas\n"
    yield "| the new schema allows | in an input schema | in an output schema |\n| --- | --- | --- |"
    for effect, allows in _EFFECTS.items():
        rule = next(one for one in rules if one.effect == effect and not one.own_fix)
        cells = []
        for found, why in (rule.judge("input"), rule.judge("output")):
            fix = f". Fix: {rule.fix}" if found == "breaking" else ""
            cells.append(f"{found}: {why.removeprefix(f'{rule.sentence}: ')}{fix}")
        yield f"| {allows} | {' | '.join(cells)} |"
    yield "\nSome rules below have a fix of their own. Additive and cosmetic changes need no fix. After a routing"
    yield "change, models can choose other tools. If you evaluate the server with models, repeat the evaluation."


def _families(families: dict[str, list[str]]) -> Iterator[str]:
    yield from ("| family | rules |", "| --- | --- |")
    for family, names in families.items():
        yield f"| {family} | {', '.join(f'[{name}](#{name})' for name in names)} |"


def _section(name: str, *paragraphs: str) -> Iterator[str]:
    yield f"\n### {name}"
    yield from (f"\n{_markdown(paragraph)}" for paragraph in paragraphs if paragraph)


_CODE = re.compile(
    r"""(?<!`)(?:
        "[^" ]*":\ (?:"[^"]*"|\{[^}]*\}|true|false)  # a member, such as "type": "object"
        | \{"[^}]*\}                                 # an object
        | "(?P<quoted>[^"]+)"                        # a keyword or a character, which needs no quotes as code
        | \^\[\S*\$ | \(\?<[=!] | --[a-z-]+ | \{[^ ]*\}
        | new\ RegExp\([^)]*\) | \b[a-z]+(?:[A-Z][a-z]+)+\b
    )""",
    re.VERBOSE,
)
"""The parts of a rule's texts that are code."""


def _markdown(text: str) -> str:
    return _CODE.sub(lambda found: f"`{found['quoted'] or found[0]}`", text)


def public_names() -> Iterator[str]:
    """Every public name of the package with its description, and the members of the larger classes."""
    yield "| name | description |\n| --- | --- |\n"
    for name in mcpi.__all__:
        found = getattr(mcpi, name)
        yield f"| `{name}` | {_first_line(found, name)} |\n"
    for owner in (mcpi.Inspector, mcpi.ServerTasks):
        yield f"\nMembers of `{owner.__name__}`:\n\n| member | description |\n| --- | --- |\n"
        for name in sorted(one for one in dir(owner) if not one.startswith("_")):
            member = getattr(owner, name)
            yield f"| `{name}{_signature(member)}` | {_first_line(member, name)} |\n"
    for owner in (mcpi.InspectorOptions, mcpi.HandlerOptions, mcpi.OAuth):
        yield f"\nFields of `{owner.__name__}`:\n\n| option | default | description |\n| --- | --- | --- |\n"
        docs = texts_of(owner)
        for one in fields(owner):
            default = "{}" if one.default.__class__.__name__ == "Factory" else repr(one.default)
            yield f"| `{one.name}` | `{default}` | {_cell(docs.get(one.name, ''))} |\n"


def _first_line(found: object, name: str) -> str:
    """The first line of a description; type aliases have no docstring."""
    aliases = {
        "__version__": "Version of the package.",
        "ClientEvent": "Any event; its member `type` names the kind of event.",
        "EventType": "The possible values of `type` in an event.",
        "RequestHandler": "A function or coroutine function that takes the params of a request and returns its result.",
        "TargetLike": "A URL, a command (a string or a sequence of words), or a server of a config file.",
    }
    return aliases.get(name) or _cell((inspect.getdoc(found) or "").partition("\n")[0])


def _signature(member: object) -> str:
    if not callable(member):
        return ""
    names = [
        f"{'*' if one.kind is one.VAR_POSITIONAL else '**' if one.kind is one.VAR_KEYWORD else ''}{one.name}"
        + ("" if one.default is one.empty else "=...")
        for one in inspect.signature(member).parameters.values()
        if one.name != "self"
    ]
    return f"({', '.join(names)})"


def decisions() -> str:
    """The list of all decisions, by their titles."""
    lines = ["# Decisions", "", "Design decisions with their reasons.", ""]
    for page in sorted((ROOT / "docs" / "decisions").glob("0*.md")):
        title = page.read_text("utf-8").partition("\n")[0].partition(". ")[2]
        lines.append(f"- [{title}]({page.name})")
    return "\n".join(lines) + "\n"


def man(found: Known) -> Iterator[str]:
    """The manual page, as roff."""
    yield from (
        f'.TH MCPI 1 "" "mcpi {__version__}" "User Commands"',
        ".SH NAME",
        "mcpi \\- test and diagnose MCP servers",
    )
    yield ".SH SYNOPSIS"
    yield "\n.br\n".join(f".B mcpi\n{_roff(usage)}" for usage in USAGES)
    yield from (".SH DESCRIPTION", _roff(INTRO), ".SH METHODS")
    for method in found.methods:
        yield from (".TP", f".B {_roff(method.name)}", _roff(method.summary))
    for section in found.sections:
        yield from (f".SH {section.title.upper()}", *([_roff(_sentence(section))] if section.about else []))
        yield from _roff_flags(section.rows)
    yield ".SH METHOD ARGUMENTS"
    for method in found.methods:
        if method.rows:
            yield f".SS {_roff(method.name)}"
            yield from _roff_flags(method.rows)
    yield from (".SH EXAMPLES", ".nf", _roff(EXAMPLES), ".fi", ".SH ENVIRONMENT AND EXIT STATUS", _roff(CLOSING))


def _roff_flags(rows: Iterable[HelpRow]) -> Iterator[str]:
    for row in rows:
        yield from (".TP", f".B {_roff(row.spelled)}", _roff(row.text))


def _roff(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in escaped.splitlines())


def reference(found: Known) -> Iterator[str]:
    """The page of all flags."""
    yield "# Flags\n"
    yield "`mcpi --help all` prints this list, and `mcpi METHOD --help` prints the flags of one method. Each flag can"
    yield "also be set by an environment variable, such as `MCPI_TIMEOUT` for `--timeout`; a flag on the command line"
    yield "overrides its variable.\n"
    for section in found.sections:
        yield f"## {section.title}\n"
        if section.about:
            yield f"{_sentence(section)}\n"
        yield from _rows(section.rows)
    yield "## Methods\n"
    yield from ("| method | description |", "| --- | --- |")
    for method in found.methods:
        name = f"[`{method.name}`](#{_anchor(method.name)})" if method.rows else f"`{method.name}`"
        yield f"| {name} | {method.summary} |"
    yield ""
    for method in found.methods:
        if method.rows:
            yield f"### {method.name}\n"
            yield from _rows(method.rows)


def _rows(rows: Iterable[HelpRow]) -> Iterator[str]:
    yield from ("| flag | meaning |", "| --- | --- |")
    for row in rows:
        needed = " **Required.**" if row.is_required else ""
        # Markdown renderers disagree about a bar in a cell; its character reference is safe.
        name = row.spelled.replace("|", "&#124;").replace("<", "&lt;")
        yield f"| <code>{name}</code> | {_cell(row.text)}{needed} |"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "&#124;").replace("<", "&lt;").replace("*", "\\*")


def _sentence(section: Section) -> str:
    return f"{section.about[:1].upper()}{section.about[1:]}."


def _anchor(name: str) -> str:
    return re.sub(r"[^a-z0-9 -]", "", name.lower())


def main() -> int:
    """Write the outdated files; with --check, only list them and return 1."""
    stale = {path: text for path, text in pages().items() if not path.exists() or path.read_text("utf-8") != text}
    for path, text in stale.items():
        sys.stdout.write(f"{path.relative_to(ROOT)}\n")
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
