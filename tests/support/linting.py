"""Lists to lint: the corpus of fixtures/lint, and shortcuts to lint one definition."""

import json
from pathlib import Path
from typing import Any

from attrs import frozen

from mcpi.core.findings.finding import Finding
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.lint.definitions import ServerLists
from mcpi.core.lint.linter import LintOptions, LintResult, lint

FOLDER = Path(__file__).parents[2] / "fixtures" / "lint"
KEYS = ("tools", "resources", "resourceTemplates", "prompts")


@frozen
class CorpusFile:
    """One file of the corpus."""

    name: str
    data: Any

    @property
    def lists(self) -> ServerLists:
        """The lists in the file."""
        found = {key: self.data[key] for key in KEYS if key in self.data}
        return ServerLists(found, self.data["capabilities"], self.data.get("instructions", ""))


def corpus(folder: str) -> tuple[CorpusFile, ...]:
    """All files of a directory; read them before any test runs."""
    return tuple(
        CorpusFile(path.stem, json.loads(path.read_text("utf-8"))) for path in sorted((FOLDER / folder).glob("*"))
    )


DEFECTIVE, CLEAN = corpus("defective"), corpus("clean")
"""Read at import: no test may open a file."""


def tool(name: str = "search", **members: Any) -> JsonObject:
    """A valid tool with some members replaced."""
    schema = {"type": "object", "properties": {"query": {"type": "string"}}}
    return {"name": name, "description": "Search the documents.", "inputSchema": schema, **members}


def tool_with_property(schema: Any, **members: Any) -> JsonObject:
    """A tool whose property `value` has this schema."""
    return tool(inputSchema={"type": "object", "properties": {"value": schema}, **members})


def lint_result(*tools: Any, **options: Any) -> LintResult:
    """The lint result for a server with these tools."""
    return lint(ServerLists({"tools": list(tools)}, {"tools": {}}), LintOptions(**options))


def found(*tools: Any, **options: Any) -> list[tuple[str, str]]:
    """The rule and the pointer of each finding in these tools."""
    return rules_and_pointers(lint_result(*tools, **options).findings)


def rules_and_pointers(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    """The rule and the pointer of each finding."""
    return [(one.rule, one.pointer) for one in findings]
