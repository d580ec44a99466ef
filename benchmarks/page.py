"""Write the figures of results.json to docs/benchmarks.md: python page.py."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plot import Chart, svg

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
CHART = HERE.parent / "docs" / "images" / "benchmarks.svg"
RESULTS = HERE / "results.json"
BEGIN, END = "<!-- measured -->\n", "<!-- end -->\n"
SHOWN = ("stdio-list", "http-list", "python-call", "sse-call", "large-text", "discover")
FIRST = ("floor", "mcpi")
FIGURES = {
    "wall": "time /",
    "each": "time per item /",
    "memory": "memory /",
    "own": "CPU time /",
    "over": "time minus",
}
THAN = {
    "peers": "the fastest interpreted peer",
    "size": "size of the result",
    "import cyclopts": "`import cyclopts`",
}
NO_PEERS = (*FIRST, "import cyclopts")


def write(document: dict[str, Any]) -> None:
    """Update the page and its chart."""
    text = PAGE.read_text("utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    PAGE.write_text(f"{head}{BEGIN}{figures(document)}{END}{tail}", "utf-8")
    charts = [chart(document["workloads"][name]) for name in SHOWN if name in document["workloads"]]
    CHART.write_text(svg(charts), "utf-8")


def chart(workload: dict[str, Any]) -> Chart:
    """Return the chart of a workload: the floor, mcpi, and the peers by time."""
    walls = {name: one["wall"] for name, one in workload["programs"].items()}
    peers = sorted((name for name in walls if name not in NO_PEERS), key=walls.__getitem__)
    return Chart(
        workload["description"].replace("`", ""), [(name, walls[name]) for name in (*FIRST, *peers) if name in walls]
    )


def figures(document: dict[str, Any]) -> str:
    """Return the text between the markers."""
    versions = ", ".join(f"{name} (`{version}`)" for name, version in document["versions"].items())
    intro = f"Measured on {document['machine']}. The peers: {versions}.\n"
    return "\n".join(["", intro, *_table(document["workloads"]), "", *_goals(document["workloads"]), ""])


def _table(workloads: dict[str, Any]) -> Iterator[str]:
    heads = ("work", "mcpi", "floor", "fastest peer", "mcpi / floor", "mcpi / peer", "CPU of mcpi", "instructions")
    yield f"| {' | '.join(heads)} | memory of mcpi |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for workload in workloads.values():
        programs = workload["programs"]
        peers = {name: one["wall"] for name, one in programs.items() if name not in NO_PEERS}
        peer = min(peers, key=peers.__getitem__, default=None)
        ours, floor = programs["mcpi"], programs["floor"]["wall"]
        cells = [
            workload["description"],
            _time(ours["wall"]),
            _time(floor),
            "" if peer is None else f"{_time(peers[peer])} ({peer})",
            f"{ours['wall'] / floor:.2f}",
            "" if peer is None else f"{ours['wall'] / peers[peer]:.2f}",
            _time(ours["ownCpu"]),
            f"{ours['instructions'] / 1e6:,.0f} M" if "instructions" in ours else "",
            f"{ours['memory']:.0f} MiB",
        ]
        yield f"| {' | '.join(cells)} |"


def _goals(workloads: dict[str, Any]) -> Iterator[str]:
    yield "| work | goal | at most | measured |"
    yield "| --- | --- | ---: | ---: |"
    for workload in workloads.values():
        for goal in workload["goals"]:
            if goal["is"] is not None:
                unit = " s" if goal["figure"] == "over" else ""
                than = THAN.get(goal["than"], goal["than"])
                what = f"{workload['description']} | {FIGURES[goal['figure']]} {than}"
                yield f"| {what} | {goal['most']:.3g}{unit} | {goal['is']:.3g}{unit} |"


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


if __name__ == "__main__":
    write(json.loads(RESULTS.read_text("utf-8")))
    sys.stdout.write(f"{PAGE.name} and {CHART.name} were written\n")
