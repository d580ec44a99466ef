"""Each recorded command line still produces its recorded result, byte for byte."""

import difflib
import json
import platform
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from behaviour import ROOT, Case, Servers, cases, read, run, spelled, topics
from running import Mcpi

CASES = cases()
_FLAG = re.compile(r"^  (?:-\w, )?(--[a-z-]+)", re.MULTILINE)
UNCOVERED: frozenset[str] = frozenset()
"""Flags that no case names."""


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    """The HTTP servers shared by several cases."""
    started = Servers()
    yield started
    started.end()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_command_line_matches_recording(case: Case, servers: Servers) -> None:
    found = run(case, servers)

    assert case.expected, "nothing is recorded: make behaviour"
    if found != case.expected:
        pytest.fail(f"{case}\n{difference(case.expected, found)}", pytrace=False)


def difference(expected: dict[str, Any], found: dict[str, Any]) -> str:
    """A line-by-line diff of the recorded and the actual result."""
    before, after = (list(shown(one)) for one in (expected, found))
    return "\n".join(difflib.unified_diff(before, after, "recorded", "found", lineterm="", n=2))


def shown(result: dict[str, Any]) -> Iterator[str]:
    """The result as lines, each prefixed with its part."""
    yield f"exit: {result['exit']}"
    parts = {"stdout": result["stdout"], "stderr": result["stderr"], **result.get("written", {})}
    for name, lines in parts.items():
        yield from (f"{name}: {line}" for line in lines)


def test_case_names_are_unique() -> None:
    assert [name for name, count in Counter(case.name for case in CASES).items() if count > 1] == []


def test_case_files_match_the_recorder_format() -> None:
    for path in topics():
        text = ",\n".join(map(spelled, read(path)))
        assert path.read_text("utf-8") == f"[\n{text}\n]\n", f"make behaviour would write {path.name} otherwise"


def test_recordings_contain_no_local_paths() -> None:
    places = (str(ROOT), sys.prefix, tempfile.gettempdir() + "/behaviour-", str(Path.home()) + "/", platform.node())
    for path in topics():
        lines = path.read_text("utf-8").splitlines()
        assert [line for line in lines if any(place in line for place in places)] == []


def test_recordings_contain_no_tracebacks() -> None:
    assert [str(case) for case in CASES if "Traceback (most recent call last):" in case.members["stderr"]] == []


def test_every_flag_is_covered_by_a_case(mcpi: Mcpi) -> None:
    known = set(_FLAG.findall(mcpi("--help", "all").stdout))
    named = {word.partition("=")[0] for case in CASES for word in case.members["argv"]}

    assert len(known) > 100
    assert known - named == UNCOVERED


def test_every_method_is_covered_by_a_case(mcpi: Mcpi) -> None:
    known = {method["name"] for method in mcpi("--list-methods").json}
    texts = [json.dumps([case.members["argv"], case.members.get("stdin")]) for case in CASES]

    assert [name for name in known if not any(f'"{name}"' in text or f'\\"{name}' in text for text in texts)] == []
