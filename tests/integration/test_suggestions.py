"""Every command line that an error suggests works when it is pasted."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest

from behaviour import Case, Servers, cases, run

_LINE = re.compile(r"(?:^  |; )(?:did you mean|[^:]{5,60}): mcpi (.+)$")
NOT_RUN = re.compile(r"COMMAND|node server\\.js|--help lists|for example: ")
"""Examples, whose server or purpose is the reader's."""
STILL_WRONG = re.compile(
    r"no such flag|say what to do|no method|no tool|no argument|did you mean|needs a value|belongs to"
)
FAILING = frozenset({"mcpi-serve"})
"""The words of suggested programs that are no servers when they are started without flags."""


def suggested(case: Case) -> Iterator[str]:
    """The command lines that the case's errors suggest."""
    for line in case.expected.get("stderr", ()):
        found = _LINE.search(line)
        if found is not None and NOT_RUN.search(line) is None:
            yield found[1]


LINES = [(case, line) for case in cases() for line in suggested(case)]


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    """The HTTP servers that serve several cases."""
    started = Servers()
    yield started
    started.end()


def test_there_are_suggestions() -> None:
    assert len(LINES) > 40


@pytest.mark.parametrize(("case", "line"), LINES, ids=[f"{case} ({line})" for case, line in LINES])
def test_a_suggested_line_works(case: Case, line: str, servers: Servers) -> None:
    words = shlex.split(line.partition(" | jq ")[0].replace("{port}", "{port:sdk http}"))
    if FAILING & {*words}:
        pytest.skip("not a server")
    fixed: dict[str, Any] = {**case.members, "argv": words}
    found = run(Case(case.topic, fixed), servers)

    assert not STILL_WRONG.search("\n".join(found["stderr"])), found["stderr"]
    assert found["exit"] in {0, 2} or "timeout" in line, found
