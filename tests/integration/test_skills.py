"""skills/list, skills/get and resources/directory/read against a modern fixture server."""

from pathlib import Path

import pytest

from running import Mcpi
from traced import TARGETS, check_printed_verbatim, check_starts_nothing, traced

EXTENSION = "io.modelcontextprotocol/skills"
ASKED = [
    ("skills/list", ("--one-page",)),
    ("skills/list", ("--cursor", "1")),
    ("skills/get", ("--uri", "skill://git/SKILL.md")),
    ("skills/get", ("--uri", "skill://nothing/SKILL.md")),
    ("resources/directory/read", ("--uri", "skill://pdf", "--one-page")),
    ("resources/directory/read", ("--uri", "skill://pdf/SKILL.md")),
]


@pytest.mark.parametrize(("method", "args"), ASKED)
def test_result_is_printed_verbatim(mcpi: Mcpi, tmp_path: Path, method: str, args: tuple[str, ...]) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["extended"], "--method", method, *args)

    check_printed_verbatim(seen, method)
    (request,) = seen.sent(method)
    known = request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"]
    assert known == {EXTENSION: {}}


def test_skills_list_merges_all_pages(mcpi: Mcpi) -> None:
    ran = mcpi(*TARGETS["extended"], "--method", "skills/list")

    assert (ran.exit_code, ran.json) == (
        0,
        {
            "resultType": "complete",
            "skills": [
                {
                    "uri": "skill://pdf/SKILL.md",
                    "frontmatter": {"name": "pdf", "description": "Works on PDF files."},
                    "resources": "dynamic",
                },
                {
                    "uri": "skill://git/SKILL.md",
                    "frontmatter": {"name": "git", "description": "Works with git.", "license": "MIT"},
                    "resources": "dynamic",
                },
            ],
            "ttlMs": 60_000,
            "cacheScope": "private",
        },
    )


def test_directory_read_merges_all_pages(mcpi: Mcpi, tmp_path: Path) -> None:
    args = ("--method", "resources/directory/read", "--uri", "skill://pdf")
    seen = traced(mcpi, tmp_path, *TARGETS["extended"], *args)

    requests = [{**one["params"], "_meta": None} for one in seen.sent("resources/directory/read")]
    assert requests == [{"uri": "skill://pdf", "_meta": None}, {"uri": "skill://pdf", "cursor": "1", "_meta": None}]
    assert [one["name"] for one in seen.ran.json["resources"]] == ["SKILL.md", "forms"]


@pytest.mark.parametrize("name", ["everything", "demo, modern"])
def test_server_without_the_extension_fails_before_the_request(mcpi: Mcpi, tmp_path: Path, name: str) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS[name], "--method", "skills/list")

    assert (seen.ran.exit_code, seen.ran.stdout, seen.sent("skills/list")) == (1, "", [])
    assert f"did not declare the capability extensions/{EXTENSION}" in seen.ran.stderr


WRONG = [
    ("skills/list", ("--cursor",), "--cursor requires a value"),
    ("skills/list", ("--one-page=some",), "--one-page: expected true or false, got 'some'"),
    ("skills/get", (), "skills/get requires --uri"),
    ("skills/get", ("--uri", "x", "--cursor", "2"), "--cursor is a flag of"),
    ("resources/directory/read", (), "resources/directory/read requires --uri"),
    ("resources/directory/read", ("--uri",), "--uri requires a value"),
    ("resources/directory/read", ("--uri", "x", "--cursor"), "--cursor requires a value"),
    ("resources/directory/read", ("--uri", "x", "--one-page=some"), "--one-page: expected true or false, got 'some'"),
]


@pytest.mark.parametrize(("method", "args", "message"), WRONG)
def test_invalid_flags_start_no_server(
    mcpi: Mcpi, tmp_path: Path, method: str, args: tuple[str, ...], message: str
) -> None:
    assert message in check_starts_nothing(mcpi, tmp_path, "--method", method, *args)


@pytest.mark.parametrize(
    ("method", "args", "params"),
    [
        ("skills/list", (), {}),
        ("skills/get", ("--uri", "x"), {"uri": "x"}),
        ("resources/directory/read", ("--uri", "x", "--cursor", "2"), {"uri": "x", "cursor": "2"}),
    ],
)
def test_dry_run_prints_the_request(mcpi: Mcpi, method: str, args: tuple[str, ...], params: dict[str, object]) -> None:
    ran = mcpi("no-such-command", "--dry-run", "--era", "modern", "--method", method, *args)

    (shown,) = ran.json["messages"]
    assert ran.exit_code == 0
    assert {**shown, "params": {**shown["params"], "_meta": None}} == {
        "jsonrpc": "2.0",
        "id": 1,
        "method": method,
        "params": {**params, "_meta": None},
    }
