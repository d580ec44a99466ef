"""Every command line suggested by an error works when pasted."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest

from behaviour import Case, Servers, cases, run

_LINE = re.compile(r"(?:^  |; )(?:did you mean|[^:]{5,60}): mcpi (.+)$")
NOT_RUN = re.compile(r"\b(?:URI|NAME|VALUE|ID|LEVEL|COMMAND|CODE)\b|npx -y|node server\\.js|--help lists|for example: ")
"""Examples that need the reader's own server or a download."""
STILL_WRONG = re.compile(
    r"unknown (?:flag|method|tool|argument)|no method given|no argument|did you mean|requires a value|is a flag of"
)
NO_SERVERS = ("deno pkg", "node server.js", "node -e code", "python -m server", "python3 server.py")
"""Commands in the corpus that start no server."""


def suggested(case: Case) -> Iterator[str]:
    """The command lines suggested by the errors of a case."""
    for line in case.expected.get("stderr", ()):
        found = _LINE.search(line)
        if found is not None and NOT_RUN.search(line) is None:
            yield found[1]


LINES = [(case, line) for case in cases() for line in suggested(case)]


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    """The HTTP servers shared by several cases."""
    started = Servers()
    yield started
    started.end()


def test_recorded_cases_contain_suggestions() -> None:
    assert len(LINES) > 40


@pytest.mark.parametrize(("case", "line"), LINES, ids=[f"{case} ({line})" for case, line in LINES])
def test_suggested_command_line_works(case: Case, line: str, servers: Servers) -> None:
    server = "{port:authorized}" if case.topic == "oauth" else "{port:sdk http}"
    words = [word.replace("{port}", server) for word in shlex.split(line.partition(" | jq ")[0])]
    fixed: dict[str, Any] = {**case.members, "argv": words}
    found = run(Case(case.topic, fixed), servers)

    assert not STILL_WRONG.search("\n".join(found["stderr"])), found["stderr"]
    expected = {0, 124} if "--follow" in words else {1} if line.endswith(NO_SERVERS) else {0}
    # The server may not have the method, or the prompt may require arguments.
    expected = {2} if "vendor/x" in words else {*expected, 2} if "prompts/get" in words else expected
    assert found["exit"] in expected, found
