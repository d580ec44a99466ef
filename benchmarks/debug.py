"""debug/script side by side with chrome-remote-interface, in one run: python benchmarks/debug.py (after npm ci there).

Three questions: how long do 2,000 hits take (evaluating and resuming at each, and recording inside the VM); do 100,000
hits arrive complete and in order; what does one hit cost over plain node.
"""

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
MCPI = str(Path(sys.executable).with_name("mcpi"))
LOOP = "function hit(n) {\n  return n;\n}\nfor (let i = 0; i < COUNT; i++) hit(i);\n"
MANY, FEW = 100_000, 2_000
TIMES, DEAREST = 500, 60.0
"""How much faster than evaluating and resuming, and the milliseconds that one hit may cost."""
NODE = shutil.which("node", path=str(Path(sys.executable).parent)) or shutil.which("node") or "node"


def main() -> None:
    """The figures, as JSON; 1 where a goal is missed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for count in (1, FEW, MANY):
            (folder / f"{count}.js").write_text(LOOP.replace("COUNT", str(count)))
        figures = {**_hits(folder), **_one(folder), **_many(folder)}
    goals = {
        # As usually coded a hit costs two round trips, and each waits for a delayed acknowledgement.
        "resumeOverOurs": figures["resumeSeconds"] / figures["ourSeconds"] >= TIMES,
        "ourOverCondition": figures["ourSeconds"] <= figures["conditionSeconds"] * 1.1,
        "oneHitMs": figures["oneHitMs"] < DEAREST,
        "complete": figures["complete"],
    }
    print(json.dumps({"node": _said([NODE, "--version"]).strip(), **figures, "goals": goals}, indent=2))
    sys.exit(0 if all(goals.values()) else 1)


def _hits(folder: Path) -> dict[str, float]:
    """Wall time of 2,000 hits over that of one: what starting costs is not what is compared."""
    ours = min(_seconds(_ours(folder, FEW)) for _ in range(5)) - min(_seconds(_ours(folder, 1)) for _ in range(5))
    figures = {"ourSeconds": ours}
    for way, times in (("condition", 5), ("resume", 1)):
        long = min(_seconds(_peer(folder, way, FEW)) for _ in range(times))
        short = min(_seconds(_peer(folder, way, 1)) for _ in range(times))
        figures[f"{way}Seconds"] = long - short
    return {name: round(value, 4) for name, value in figures.items()}


def _one(folder: Path) -> dict[str, float]:
    """What looking at one hit costs over running the program, without our own start: that is mcpi's, not the hit's."""
    pairs = [(_inside(folder), _seconds([NODE, str(folder / "1.js")])) for _ in range(15)]
    return {"oneHitMs": round(statistics.median(debugged - plain for debugged, plain in pairs) * 1000, 1)}


def _inside(folder: Path) -> float:
    """One hit, from the start of the program to its verdict, in a process that is warm."""
    return float(_said([sys.executable, str(HERE / "one_hit.py"), NODE, str(folder / "1.js")]))


def _many(folder: Path) -> dict[str, float]:
    began = time.monotonic()
    document = json.loads(_said(_ours(folder, MANY)))
    complete = [one["value"] for one in document["results"]] == list(range(MANY))
    return {"manySeconds": round(time.monotonic() - began, 2), "complete": complete}


def _ours(folder: Path, count: int) -> list[str]:
    look = (
        "--debug-command",
        f"'{NODE}' --inspect-brk=0 {folder}/{count}.js",
        "--breakpoint",
        f"{folder}/{count}.js:2",
    )
    more = ("--max-results", str(MANY), "--timeout", "5m", "--compact")
    return [MCPI, "--method", "debug/script", *look, "--expression", "n", *more]


def _peer(folder: Path, way: str, count: int) -> list[str]:
    return [NODE, str(HERE / "cri.mjs"), way, str(folder / f"{count}.js"), "2", "n"]


def _seconds(command: list[str]) -> float:
    began = time.monotonic()
    _said(command)
    return time.monotonic() - began


def _said(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout


if __name__ == "__main__":
    main()
