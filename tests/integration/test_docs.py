"""What the README and the docs show is what happens."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from running import COMMAND, clean_environment

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#]+)(#[^)]*)?\)")


def blocks(kind: str) -> list[tuple[str, str]]:
    """The blocks of one kind, with the page they stand on."""
    found = [(page, match) for page in PAGES for match in BLOCK.finditer(page.read_text())]
    return [(page.name, match[2]) for page, match in found if match[1] == kind]


def commands() -> list[str]:
    """The commands that need nothing but ourselves; others need a server or a network."""
    lines = [line.partition("  #")[0].strip() for _, text in blocks("sh") for line in text.splitlines()]
    return [line for line in lines if "mcpi --demo" in line or line.startswith(("mcpi --print", "mcpi --list"))]


def run(command: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """The command as a reader would type it, in the project's folder."""
    shell = command.replace("mcpi ", f"{COMMAND} ", 1) if not command.startswith("echo") else command
    shell = shell.replace("| mcpi ", f"| {COMMAND} ").replace("report.html", str(tmp_path / "report.html"))
    shell = shell.replace("junit.xml", str(tmp_path / "junit.xml"))
    return subprocess.run(
        ["bash", "-c", shell],  # noqa: S607 - a reader has a shell
        capture_output=True,
        text=True,
        check=False,
        env=clean_environment(),
        cwd=ROOT,
        timeout=60,
    )


@pytest.mark.parametrize("command", commands())
def test_a_command_of_the_docs_works(command: str, tmp_path: Path) -> None:
    ran = run(command, tmp_path)

    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("shown", [text for _, text in blocks("console")])
def test_an_example_gives_what_it_shows(shown: str, tmp_path: Path) -> None:
    first, _, expected = shown.partition("\n")
    ran = run(first.removeprefix("$ "), tmp_path)

    assert ran.stdout + ran.stderr == expected


@pytest.mark.parametrize("text", [text for _, text in blocks("json")])
def test_a_json_example_is_json(text: str) -> None:
    json.loads(text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    targets = [match[1] for match in LINK.finditer(page.read_text())]

    assert [target for target in targets if "://" not in target and not (page.parent / target).exists()] == []
