"""The results: the printed table, the goals, and the JSON document."""

import os
import platform
from collections.abc import Iterator, Mapping

from attrs import frozen

from measure import Sample
from workloads import Goal, Workload

NO_PEERS = ("mcpi", "floor", "import cyclopts")
COMPILED = frozenset({"mcp-assert"})
"""Peers that start without an interpreter; the goals compare with the others."""
HEAD = (
    "workload",
    "program",
    "wall ms",
    "least",
    "CPU ms",
    "others",
    "MiB",
    "x floor",
    "x peers",
    "each µs",
    "M instr",
)
WIDTHS = (13, 17, 9, 9, 9, 9, 9, 9, 9, 10, 9)


@frozen
class Figures:
    """The figures of one program."""

    median: Sample
    walls: list[float]


@frozen
class Result:
    """The figures of one workload."""

    workload: Workload
    figures: Mapping[str, Figures]
    each: Mapping[str, float]
    """Seconds for each item, without the time to start."""
    instructions: Mapping[str, int]
    """Instructions of the command alone, if they were counted."""

    def fastest(self, *, interpreted: bool = False) -> str | None:
        """Return the peer with the least wall time; `interpreted` leaves out compiled programs."""
        peers = {
            name: one.median.wall
            for name, one in self.figures.items()
            if name not in NO_PEERS and not (interpreted and name in COMPILED)
        }
        return min(peers, key=peers.__getitem__, default=None)

    def ratio(self, than: str, figure: str = "wall", name: str = "mcpi") -> float | None:
        """Return the figure of one program divided by that of another."""
        if than == "size":
            return self.figures[name].median.memory / self.workload.count
        other = self.fastest(interpreted=True) if than == "peers" else than
        if other is None or other not in self.figures or name not in self.figures:
            return None
        if figure == "each":
            return self.each[name] / self.each[other]
        if figure == "over":
            return self.figures[name].median.wall - self.figures[other].median.wall
        mine: float = getattr(self.figures[name].median, figure)
        theirs: float = getattr(self.figures[other].median, figure)
        return mine / theirs

    def reached(self, goal: Goal) -> bool | None:
        """Tell whether the goal is reached; None if there is nothing to compare with."""
        ratio = self.ratio(goal.than, goal.figure)
        return None if ratio is None else ratio <= goal.most

    def verdicts(self) -> Iterator[str]:
        """Yield a line for each goal."""
        for goal in self.workload.goals:
            ratio = self.ratio(goal.than, goal.figure)
            if ratio is not None:
                verdict = "reached" if ratio <= goal.most else "MISSED"
                than = {
                    "peers": f"the fastest interpreted peer, {self.fastest(interpreted=True)}",
                    "size": "the size",
                }.get(goal.than, goal.than)
                if goal.figure == "over":
                    figures = f"{ratio * 1000:.1f} ms more than {than}, at most {goal.most * 1000:.0f}"
                else:
                    figures = f"{goal.figure} {ratio:.3g} times {than}, at most {goal.most:.3g}"
                yield f"{self.workload.name}: {figures}: {verdict}"


def rows(result: Result, *, first: bool) -> Iterator[str]:
    """Yield the lines of the table; the heading comes before the first result."""
    if first:
        yield _row(HEAD)
    for name, one in result.figures.items():
        each = result.each.get(name)
        yield _row(
            (
                result.workload.name,
                name,
                f"{one.median.wall * 1000:.1f}",
                f"{min(one.walls) * 1000:.1f}",
                f"{one.median.own * 1000:.1f}",
                f"{one.median.others * 1000:.1f}",
                f"{one.median.memory:.1f}",
                _times(result.ratio("floor", name=name)),
                _times(result.ratio("peers", name=name)),
                "" if each is None else f"{each * 1_000_000:.2f}",
                f"{result.instructions[name] / 1e6:.0f}" if name in result.instructions else "",
            )
        )


def _row(cells: tuple[str, ...]) -> str:
    texts = [text.ljust(width) for text, width in zip(cells[:2], WIDTHS[:2], strict=True)]
    return "".join([*texts, *(text.rjust(width) for text, width in zip(cells[2:], WIDTHS[2:], strict=True))]).rstrip()


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}"


def document(results: list[Result], versions: Mapping[str, str]) -> dict[str, object]:
    """Return all figures as a JSON document, in seconds and MiB."""
    measured = {name for one in results for name in one.figures}
    known = {
        name: version for name, version in versions.items() if any(program.startswith(name) for program in measured)
    }
    return {"machine": machine(), "versions": known, "workloads": {one.workload.name: _entry(one) for one in results}}


def machine() -> str:
    """Describe the machine in general terms."""
    return f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def _entry(result: Result) -> dict[str, object]:
    return {
        "description": result.workload.description,
        "count": result.workload.count,
        "failed": [name for name in result.workload.commands if name not in result.figures],
        "programs": {
            name: {
                "wall": round(one.median.wall, 5),
                "ownCpu": round(one.median.own, 5),
                "othersCpu": round(one.median.others, 5),
                "memory": round(one.median.memory, 1),
                **({"each": round(result.each[name], 9)} if name in result.each else {}),
                **({"instructions": result.instructions[name]} if name in result.instructions else {}),
                "walls": [round(wall, 5) for wall in one.walls],
            }
            for name, one in result.figures.items()
        },
        "goals": [
            {"than": goal.than, "figure": goal.figure, "most": round(goal.most, 3), "is": _rounded(result, goal)}
            for goal in result.workload.goals
        ],
    }


def _rounded(result: Result, goal: Goal) -> float | None:
    ratio = result.ratio(goal.than, goal.figure)
    return None if ratio is None else float(f"{ratio:.3g}")
