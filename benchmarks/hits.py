"""Breakpoints in a Node.js program: debug/script compared with chrome-remote-interface, the usual client."""

import json
import shlex
from collections.abc import Iterator

from attrs import evolve

from measure import Command
from workloads import HERE, Environment, Goal, Workload

LOOP = "function hit(n) {\n  return n;\n}\nfor (let i = 0; i < COUNT; i++) hit(i);\n"
MANY, FEW = 100_000, 2_000
TIMES, DEAREST = 500, 0.06
"""Minimum speed-up over evaluating and resuming, and maximum cost of one hit in seconds."""
RESUME, CONDITION, BARE = "cri, resuming", "cri, condition", "cri, recording nothing"
"""The last one uses a condition that is false: it measures the time that V8 itself takes at each hit."""
WAYS = {RESUME: "resume", CONDITION: "condition", BARE: "bare"}
LIMIT = Goal(than=BARE, most=1 / 0.8, figure="each")


def hits(env: Environment) -> Iterator[Workload]:
    """Yield the workloads that record all values of an expression at a line."""
    for count in (1, FEW, MANY):
        (env.scratch / f"{count}.js").write_text(LOOP.replace("COUNT", str(count)))
    goals = (
        # In the usual code, a hit takes two round trips, and each waits for a delayed acknowledgement.
        Goal(than=RESUME, most=1 / TIMES, figure="each"),
        Goal(than=CONDITION, most=1.0),
        LIMIT,
    )
    one = {**_hits(env, 1), **_peer(env, 1, *WAYS)}
    yield Workload(
        name="debug",
        description=f"{FEW:,} hits of a breakpoint",
        commands={**_hits(env, FEW), **_peer(env, FEW, *WAYS)},
        one=one,
        count=FEW,
        goals=goals,
    )
    yield Workload(
        name="debug-many",
        description=f"{MANY:,} hits of a breakpoint",
        commands={**_hits(env, MANY), **_peer(env, MANY, CONDITION, BARE)},
        one={way: command for way, command in one.items() if way != RESUME},
        count=MANY,
        goals=(LIMIT,),
        share=0.2,
    )
    script = str(env.scratch / "1.js")
    warm = Command(argv=(env.python, str(HERE / "one_hit.py"), env.node, script), took=float)
    yield Workload(
        name="debug-one",
        description="one hit of a breakpoint, with mcpi already imported",
        commands={"mcpi": warm, "floor": _plain(env, 1)},
        goals=(Goal(than="floor", most=DEAREST, figure="over"),),
    )


def _hits(env: Environment, count: int) -> dict[str, Command]:
    """The commands of mcpi, and the program without a debugger."""
    script = f"{env.scratch}/{count}.js"
    command = shlex.join((env.node, "--inspect-brk=0", script))
    look = ("--debug-command", command, "--breakpoint", f"{script}:2", "--expression", "n")
    ours = env.run_mcpi("--method", "debug/script", *look, "--max-results", str(MANY), "--timeout", "5m", "--compact")

    def complete(out: bytes) -> bool:
        return [one["value"] for one in json.loads(out)["results"]] == list(range(count))

    return {"mcpi": evolve(ours, done=complete), "floor": _plain(env, count)}


def _plain(env: Environment, count: int) -> Command:
    return Command(argv=(env.node, f"{env.scratch}/{count}.js"), done=lambda _: True)


def _peer(env: Environment, count: int, *ways: str) -> dict[str, Command]:
    folder = env.cri
    if folder is None:
        return {}

    def command(way: str) -> Command:
        argv = (env.node, str(HERE / "cri.mjs"), WAYS[way], f"{env.scratch}/{count}.js", "2", "n")
        paths = {"NODE_PATH": str(folder / "node_modules")}
        recorded = 0 if way == BARE else count
        return Command(argv=argv, done=lambda out: int(out) == recorded, env=paths)

    return {way: command(way) for way in ways}
