"""The command lint with an in-memory server: output, table, files, script step and Python API."""

import asyncio
import io
import json
from pathlib import Path
from typing import Any

from mcpi.core.jsontext.values import JsonObject
from mcpi.shell.client.inspector import Inspector
from mcpi.shell.context import Context
from support.linting import tool, tool_with_property
from support.world import World

PLACE = "/inputSchema/properties/value"
LINT = ("lint", "server", "--era", "handshake")
PAGES = {None: ([tool_with_property({"type": "array"})], "2"), "2": ([tool("docs.search")], None)}


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        """Return True."""
        return True


def server(method: str, params: Any) -> JsonObject | None:
    """A server with two pages of tools, each with a defect."""
    if method == "initialize":
        about: JsonObject = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "m", "version": "1"},
        }
        return {"result": about}
    if method.startswith("notifications/"):
        return None
    tools, cursor = PAGES[(params or {}).get("cursor")]
    result: JsonObject = {"tools": [*tools]}
    return {"result": result if cursor is None else {**result, "nextCursor": cursor}}


def rules(document: Any) -> list[str]:
    """The rules of a document's findings."""
    return [one["rule"] for one in document["findings"]]


def test_all_pages_are_linted_and_errors_are_printed_on_stderr() -> None:
    world = World(server)

    assert world.run(*LINT) == 1
    assert rules(world.json) == ["array-without-items", "tool-name-dotted"]
    assert world.stderr.getvalue().splitlines() == [
        "mcpi: lint: 1 error, 1 warning in 2 tools, about 57 tokens",
        f'  error: tool search {PLACE}: the array has no "items" [array-without-items]',
    ]
    assert world.methods == ["initialize", "notifications/initialized", "tools/list", "tools/list"]


def test_flags_select_the_findings_and_the_failing_severity() -> None:
    for flags, code, found in (
        (("--for", "claude"), 0, ["tool-name-dotted"]),
        (("--for", "claude", "--fail-on", "warning"), 1, ["tool-name-dotted"]),
        (("--fail-on", "never"), 0, ["array-without-items", "tool-name-dotted"]),
        (("--ignore", "array-without-items:search", "--ignore", "tool-name-dotted"), 0, []),
        (("--for=claude", "--expect-tokens", "<10"), 1, ["token-budget", "tool-name-dotted"]),
    ):
        world = World(server)
        assert (world.run(*LINT, *flags), rules(world.json)) == (code, found)


def test_invalid_flag_fails_before_connecting() -> None:
    world = World(server)

    assert world.run(*LINT, "--for", "emacs") == 1
    assert (world.stdout.getvalue(), world.methods) == ("", [])
    assert world.stderr.getvalue().startswith("mcpi: --for: unknown client 'emacs'")


def test_on_a_terminal_a_table_replaces_the_json() -> None:
    world = World(server, {"NO_COLOR": "1"}, stdout=Terminal(), stderr=Terminal())

    assert world.run(*LINT) == 1
    assert world.stdout.getvalue() == ""
    assert world.stderr.getvalue().splitlines()[:2] == [
        "1 error, 1 warning in 2 tools, about 57 tokens",
        "error     array-without-items  tool search /inputSchema/properties/value",
    ]


def test_totals_of_findings_that_do_not_fail_the_run_are_printed_on_stderr() -> None:
    line = "mcpi: lint: 1 error, 1 warning in 2 tools, about 57 tokens\n"
    for flags, shown in (((), line), (("--quiet",), ""), (("--structured",), "")):
        world = World(server)

        assert (world.run(*LINT, "--fail-on=never", *flags), world.stderr.getvalue()) == (0, shown)


def test_totals_are_printed_if_only_stdout_is_a_terminal() -> None:
    world = World(server, {"NO_COLOR": "1"}, stdout=Terminal())

    assert world.run(*LINT, "--fail-on=never") == 0
    assert rules(world.json) == ["array-without-items", "tool-name-dotted"]
    assert world.stderr.getvalue() == "mcpi: lint: 1 error, 1 warning in 2 tools, about 57 tokens\n"


def test_table_is_not_followed_by_the_totals() -> None:
    world = World(server, stderr=Terminal())

    assert world.run(*LINT, "--fail-on=never") == 0
    assert world.stderr.getvalue().count("in 2 tools") == 1


def test_json_and_table_are_printed_if_only_stdout_is_piped() -> None:
    world = World(server, stderr=Terminal())

    assert world.run(*LINT) == 1
    assert rules(world.json) == ["array-without-items", "tool-name-dotted"]
    assert "array-without-items" in world.stderr.getvalue()


def test_quiet_prints_only_the_error() -> None:
    world = World(server, stderr=Terminal())

    world.run(*LINT, "--quiet")
    assert "mcpi: lint: 1 error" in world.stderr.getvalue()


def test_lint_may_be_a_script_step() -> None:
    expected = {"/summary/errors": 1}
    steps = [{"method": "lint", "for": ["claude"]}, {"method": "lint", "failOn": "never", "expect": expected}]
    world = World(server, stdin=json.dumps(steps).encode())

    assert world.run("server", "--era", "handshake", "--script", "-") == 0
    assert [rules(envelope["result"]) for envelope in world.json] == [
        ["tool-name-dotted"],
        ["array-without-items", "tool-name-dotted"],
    ]


def test_python_api_returns_the_document_despite_errors() -> None:
    async def called_methods() -> Any:
        world = World(server)
        context = Context((), {"MCPI_PLUGINS": "off"}, io.BytesIO(), world.stdout, world.stderr, world.clock)
        async with Inspector("server", context=context._replace(transport=world.connect)) as inspector:
            return await inspector.call("lint", pedantic=False)

    assert "array-without-items" in rules(asyncio.run(called_methods()))


def test_dry_run_shows_the_list_requests() -> None:
    world = World(server)

    assert world.run(*LINT, "--dry-run") == 0
    assert [one["method"] for one in world.json["messages"]] == [
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
    ]


def test_dry_run_on_a_terminal_prints_the_requests_and_no_table() -> None:
    for flags in ((), ("--summary",)):
        world = World(server, stdout=Terminal(), stderr=Terminal())

        assert world.run(*LINT, "--dry-run", *flags) == 0
        assert ("tools/list" in world.stdout.getvalue(), world.stderr.getvalue()) == (True, "")


def test_github_step_summary_is_written_without_a_flag(tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"

    World(server, {"GITHUB_STEP_SUMMARY": str(summary)}).run(*LINT)
    assert "array-without-items" in summary.read_text("utf-8")


def test_github_step_summary_is_not_written_by_other_methods(tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"

    World(server, {"GITHUB_STEP_SUMMARY": str(summary)}).run("tools/list", "server", "--era", "handshake")
    assert not summary.exists()


def test_unwritable_github_step_summary_is_a_warning(tmp_path: Path) -> None:
    world = World(server, {"GITHUB_STEP_SUMMARY": str(tmp_path / "no" / "summary.md")})

    assert world.run(*LINT, "--fail-on", "never") == 0
    assert "warning: cannot write" in world.stderr.getvalue()
