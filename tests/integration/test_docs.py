"""Examples in the README and docs produce the output shown, or state their requirements."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import warm
from running import COMMAND, Mcpi, clean_environment

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
BLOCK = re.compile(r'^```(\w*)(?: title="([^"]*)")?\n(.*?)^```', re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#]*)(#[^)]*)?\)")
NEEDS = {"in a clone", "requires network access", "requires your own server"}
EVERYTHING = "npx -y @modelcontextprotocol/server-everything"
FETCHED = (
    ROOT / "fixtures" / "node" / "node_modules" / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"
)
OTHERS = {
    "--complete",
    "--switch",
    "--inspect",
    *(
        "--reuse-server",
        "--its-flag",
        "--its-flags",
        "--port",
        "--inspect-brk",
        "--cli",
        "--flag",
        "--agent",
        "--strict",
        "--from",
    ),
    *("--at-least", "--approve-up-to", "--runs", "--alone", "--mcpi", "--import", "--pool", "--complete", "--switch"),
}
"""Flags of other programs, including mcpi-serve and mcpi-debug-script."""


def blocks(*kinds: str) -> list[tuple[str, str, str]]:
    """The code blocks of some languages, each with its location and requirements."""
    found: list[tuple[str, str, str]] = []
    for page in PAGES:
        text = page.read_text("utf-8")
        for match in BLOCK.finditer(text):
            if match[1] in kinds:
                line = text.count("\n", 0, match.start()) + 1
                found.append((f"{page.relative_to(ROOT)}:{line}", match[2] or "", match[3]))
    return found


def commands() -> list[tuple[str, str]]:
    """The documented commands that need only mcpi, each with its location."""
    lines = [(place, line) for place, needs, text in blocks("sh") if not needs for line in text.splitlines()]
    return [(place, line.partition("  #")[0].strip()) for place, line in lines if line.strip()]


def test_docs_put_no_server_flags_before_the_separator() -> None:
    misplaced = re.compile(r"^(?:\$ )?mcpi (?:npx|uvx) -.*", re.MULTILINE)

    assert [found for page in PAGES for found in misplaced.findall(page.read_text("utf-8"))] == []


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command as typed in the project directory, with its output files redirected."""
    for name in ("docs", "fixtures"):
        (folder / name).symlink_to(ROOT / name)
    return subprocess.run(
        ["bash", "-c", command.replace(EVERYTHING, f"node {FETCHED}")],  # noqa: S607 - run by a shell
        capture_output=True,
        text=True,
        check=False,
        env=clean_environment({"PATH": warm.search_path(), "COLUMNS": "100"}),
        cwd=folder,
        timeout=60,
    )


@pytest.mark.parametrize(("place", "command"), commands())
def test_documented_command_succeeds(place: str, command: str, tmp_path: Path) -> None:
    ran = run(command, tmp_path)

    assert ran.returncode == 0, f"{place}: {ran.stderr}"
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(("place", "needs", "shown"), blocks("console"))
def test_documented_output_matches(place: str, needs: str, shown: str, tmp_path: Path) -> None:
    if needs == "requires jq" and shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    first, _, expected = shown.partition("\n")
    ran = run(first.removeprefix("$ "), tmp_path)
    # An ellipsis stands for output that differs between runs or is too long.
    pattern = re.escape(expected).replace("…", ".*?")

    assert first.startswith("$ "), place
    if "…" in expected:
        assert re.fullmatch(pattern, ran.stdout + ran.stderr, re.DOTALL), f"{place}:\n{ran.stdout}{ran.stderr}"
    else:
        assert ran.stdout + ran.stderr == expected, place


def test_readme_plugin_adds_its_method(tmp_path: Path) -> None:
    source = next(text for place, _, text in blocks("python") if place.startswith("README.md"))
    installed = tmp_path / "hello-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: hello\nVersion: 1\n", "utf-8")
    (installed / "entry_points.txt").write_text("[mcpi]\nhello = mcpi_hello\n", "utf-8")
    (tmp_path / "mcpi_hello.py").write_text(source, "utf-8")
    ran = subprocess.run(
        [COMMAND, "hello/count", "--demo", "--compact"],
        capture_output=True,
        text=True,
        check=False,
        env=clean_environment({"PYTHONPATH": str(tmp_path)}),
    )

    assert (ran.stdout, ran.stderr) == ('{"tools":8}\n', "")


def test_commands_not_run_state_their_requirements() -> None:
    assert [(place, needs) for place, needs, _ in blocks("sh") if needs and needs not in NEEDS] == []
    assert [(place, needs) for place, needs, _ in blocks("console") if needs not in {"", "requires jq"}] == []
    assert [
        place for place, _, text in blocks("", "bash", "shell") if re.search(r"^(\$ )?mcpi", text, re.MULTILINE)
    ] == []


@pytest.mark.parametrize(("place", "text"), [(place, text) for place, _, text in blocks("json")])
def test_json_example_is_valid_json(place: str, text: str) -> None:
    assert json.loads(text), place


@pytest.mark.parametrize("name", ["smoke", "positive", "negative"])
def test_scripts_shown_in_ci_docs_match_the_example_files(name: str) -> None:
    shown = [json.loads(text) for place, _, text in blocks("json") if place.startswith("docs/ci.md")]

    assert json.loads((DOCS / "examples" / f"{name}.json").read_text("utf-8")) in shown


ROW = re.compile(r"^\| (\d+|1, 2 or 124) \| (.+) \|$", re.MULTILINE)
CAUSES = {
    "`isError`": "`isError` in a script",
    "a failed expectation": "a failed expectation",
    "a violation": "a violation with",
    "a lost connection": "a lost connection",
    "any other failure": "failure:",
    "a JSON-RPC error": "a JSON-RPC error",
    "a timeout": "timeout",
}
"""The causes on the scripts page, and their names in the table of exit codes."""


def exit_codes(page: Path) -> dict[str, str]:
    """The exit code table of a page."""
    _, _, table = page.read_text("utf-8").partition("| exit code")
    return dict(ROW.findall(table.partition("\n\n")[0]))


def test_exit_codes_agree_across_all_pages(mcpi: Mcpi) -> None:
    known = exit_codes(DOCS / "reference" / "exit-codes.md")
    heads = {code: re.split("[:;]", meaning)[0] for code, meaning in known.items()}
    _, _, readme = (ROOT / "README.md").read_text("utf-8").partition("Exit codes: ")
    readme = " ".join(readme.partition("\n\n")[0].split()).partition(" See")[0]
    agents = mcpi("--agent-help").stdout.partition("EXIT CODES\n")[2].splitlines()[0]
    help_page = re.sub(r"\s+", " ", mcpi("--help", "all").stdout).partition("Exit codes: ")[2].partition(".")[0]

    assert list(known) == ["0", "1", "2", "124", "130"]
    assert dict(re.findall(r"(\d+) (.+?)(?:,|\.$)", readme)) == heads
    assert dict(re.findall(r"(\d+) (.+?)(?:   |$)", agents)) == heads
    assert dict(one.split(" ", 1) for one in help_page.split(", ")) == heads


def test_exit_codes_of_scripts_agree_with_the_reference() -> None:
    known = exit_codes(DOCS / "reference" / "exit-codes.md")
    found = exit_codes(DOCS / "ci.md")
    causes = [
        (code, cause)
        for code, named in re.findall(r"(\d+) for ([^;]+)", found.pop("1, 2 or 124"))
        for cause in re.split(", | or ", named)
    ]

    assert [cause for _, cause in causes] == list(CAUSES)
    assert [cause for code, cause in causes if CAUSES[cause] not in known[code]] == []
    assert (list(found), found["130"]) == (["0", "1", "130"], known["130"])


def test_no_page_recommends_jq_e() -> None:
    texts = [*PAGES, ROOT / "src" / "mcpi" / "agent-help.txt"]

    assert [page.name for page in texts if "jq -e" in page.read_text("utf-8")] == []


def test_documented_flags_exist(mcpi: Mcpi) -> None:
    serve = subprocess.run([warm.command("mcpi-serve"), "--help"], capture_output=True, text=True, check=True)
    known = set(re.findall(r"--[a-z-]+", mcpi("--help", "all").stdout + serve.stdout)) | OTHERS
    named = {flag for page in PAGES for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]+", page.read_text("utf-8"))}

    assert named - known == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_resolves(page: Path) -> None:
    links = [
        (match[1], (match[2] or "")[1:]) for match in LINK.finditer(page.read_text("utf-8")) if "://" not in match[1]
    ]
    targets = [(page.parent / target if target else page, anchor) for target, anchor in links]

    assert [str(target) for target, _ in targets if not target.exists()] == []
    assert [anchor for target, anchor in targets if anchor and anchor not in anchors(target)] == []


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text("utf-8")))

    assert listed == {str(page.relative_to(DOCS)) for page in PAGES[1:]}


def test_readme_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    two = [line.split()[1] for _, needs, text in blocks("sh") if needs == "in a clone" for line in text.splitlines()]

    assert two == ["demo", "test"]
    assert [name for name in two if f"\n{name}:" not in makefile] == []
    assert sys.version_info >= (3, 11)


PROGRAMS = ("mcpi", "inspector 2", "inspector 1", "mcporter", "fastmcp", "mcp2cli", "mcp-assert")


def test_readme_compares_the_measured_times() -> None:
    _, _, table = (ROOT / "README.md").read_text("utf-8").partition("## Comparison")
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    shown = {label: cells for label, *cells in rows if len(cells) == len(PROGRAMS)}
    workloads = json.loads((ROOT / "benchmarks" / "results.json").read_text("utf-8"))["workloads"]

    for label, workload in (
        ("`tools/list`, including the start of the MCP reference server", "stdio-list"),
        ("`tools/call`, same server", "stdio-call"),
        ("`tools/call` over HTTP, server running", "http-call"),
        ("a result of 50 MB", "large-text"),
    ):
        measured, failed = workloads[workload]["programs"], workloads[workload]["failed"]
        expected = [measured[name]["wall"] if name in measured else None for name in PROGRAMS]
        for name, wall, cell in zip(PROGRAMS, expected, shown[label], strict=True):
            if wall is None:
                assert cell == ("fails" if name in failed else "not printed")
            else:
                assert abs(float(cell.removesuffix(" s")) - wall) <= 0.05, (label, name)
