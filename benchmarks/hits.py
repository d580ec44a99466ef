"""Breakpoints in a Node.js program: debug/script beside chrome-remote-interface, the usual client of the inspector."""

import json
import shlex
from collections.abc import Iterator

from attrs import evolve

from measure import Command
from workloads import HERE, Goal, Room, Workload

LOOP = "function hit(n) {\n  return n;\n}\nfor (let i = 0; i < COUNT; i++) hit(i);\n"
MANY, FEW = 100_000, 2_000
TIMES, DEAREST = 500, 0.06
"""How much faster than evaluating and resuming, and the seconds that one hit may take."""
RESUME, CONDITION, BARE = "cri, resuming", "cri, condition", "cri, recording nothing"
"""The last one is a condition that is false: what V8 itself takes at each hit."""
WAYS = {RESUME: "resume", CONDITION: "condition", BARE: "bare"}
LIMIT = Goal(than=BARE, most=1 / 0.8, figure="each")


def hits(room: Room) -> Iterator[Workload]:
    """All values of an expression at a line."""
    for count in (1, FEW, MANY):
        (room.scratch / f"{count}.js").write_text(LOOP.replace("COUNT", str(count)))
    goals = (
        # As usually coded a hit costs two round trips, and each waits for a delayed acknowledgement.
        Goal(than=RESUME, most=1 / TIMES, figure="each"),
        Goal(than=CONDITION, most=1.0),
        LIMIT,
    )
    one = {**_hits(room, 1), **_peer(room, 1, *WAYS)}
    yield Workload(
        name="debug",
        does=f"{FEW:,} hits of a breakpoint",
        commands={**_hits(room, FEW), **_peer(room, FEW, *WAYS)},
        one=one,
        count=FEW,
        goals=goals,
    )
    yield Workload(
        name="debug-many",
        does=f"{MANY:,} hits, all there and in order",
        commands={**_hits(room, MANY), **_peer(room, MANY, CONDITION, BARE)},
        one={way: command for way, command in one.items() if way != RESUME},
        count=MANY,
        goals=(LIMIT,),
        share=0.2,
    )
    script = str(room.scratch / "1.js")
    warm = Command(argv=(room.python, str(HERE / "one_hit.py"), room.node, script), took=float)
    yield Workload(
        name="debug-one",
        does="one hit, when mcpi is running already",
        commands={"mcpi": warm, "floor": _plain(room, 1)},
        goals=(Goal(than="floor", most=DEAREST, figure="over"),),
    )


def _hits(room: Room, count: int) -> dict[str, Command]:
    """Ours, and the program without anybody looking into it."""
    script = f"{room.scratch}/{count}.js"
    command = shlex.join((room.node, "--inspect-brk=0", script))
    look = ("--debug-command", command, "--breakpoint", f"{script}:2", "--expression", "n")
    ours = room.ours("--method", "debug/script", *look, "--max-results", str(MANY), "--timeout", "5m", "--compact")

    def complete(out: bytes) -> bool:
        return [one["value"] for one in json.loads(out)["results"]] == list(range(count))

    return {"mcpi": evolve(ours, done=complete), "floor": _plain(room, count)}


def _plain(room: Room, count: int) -> Command:
    return Command(argv=(room.node, f"{room.scratch}/{count}.js"), done=lambda _: True)


def _peer(room: Room, count: int, *ways: str) -> dict[str, Command]:
    folder = room.cri
    if folder is None:
        return {}

    def command(way: str) -> Command:
        argv = (room.node, str(HERE / "cri.mjs"), WAYS[way], f"{room.scratch}/{count}.js", "2", "n")
        env = {"NODE_PATH": str(folder / "node_modules")}
        recorded = 0 if way == BARE else count
        return Command(argv=argv, done=lambda out: int(out) == recorded, env=env)

    return {way: command(way) for way in ways}
