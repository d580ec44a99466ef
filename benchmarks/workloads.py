"""What is measured: the same work done by mcpi, by the floor and by the peers."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from attrs import evolve, field, frozen

from measure import Command

HERE = Path(__file__).parent
ROOT = HERE.parent
EVERYTHING = ROOT / "fixtures/node/node_modules/@modelcontextprotocol/server-everything/dist/index.js"
STEPS, NOTES, TOOLS, MEGABYTES = 1_000, 100_000, 1_000, 50
DELAY, LATENCY = 100, 60
"""Microseconds that a call takes the server, and milliseconds that a response is on its way."""


@frozen(kw_only=True)
class Goal:
    """A ratio that is worked against."""

    than: str
    """Of mcpi to this contender; `peers` is the fastest of them, `size` the size of the result."""
    most: float
    figure: str = "wall"
    """Or `memory`, or `each` of what is counted; `over` is no ratio but the seconds by which mcpi takes longer."""


@frozen(kw_only=True)
class Workload:
    """One kind of work, and the commands that do it."""

    name: str
    does: str
    commands: dict[str, Command]
    goals: tuple[Goal, ...] = ()
    count: int = 1
    """How many things are done."""
    one: dict[str, Command] = field(factory=dict)
    """The same with one thing to do: what starting costs is taken off where things are counted."""
    share: float = 1.0
    """Of the runs that a short one gets."""
    counted: bool = False
    """Whether instructions are counted: valgrind takes a hundred times as long."""


@frozen
class Task:
    """One request, and to whom it goes."""

    target: tuple[str, ...] | str
    """The command of a server, or its URL."""
    method: str = "tools/list"
    tool: str = ""
    arguments: dict[str, object] = field(factory=dict)

    @property
    def params(self) -> str:
        """As they are on the wire."""
        return json.dumps({"name": self.tool, "arguments": self.arguments} if self.tool else {})


Peer: TypeAlias = Callable[[Task], Command | None]
"""The command with which it does the task, if it can."""


@frozen
class Room:
    """What the commands are made of."""

    mcpi: str
    python: str
    """The interpreter that runs mcpi: the floor has the same."""
    cyclopts: str
    """One that has cyclopts, the yardstick."""
    node: str
    scratch: Path
    web: str
    """The URL of the reference server that is running."""
    events: str
    """The same over SSE."""
    remote: str
    """The URL of a server whose responses take long."""
    peers: Mapping[str, Peer]
    cri: Path | None
    """Where chrome-remote-interface is."""

    def floor(self, name: str, *args: str) -> Command:
        """A script of the standard library."""
        return Command(argv=(self.python, str(HERE / "floors" / f"{name}.py"), *args))

    def plain(self, *numbers: int) -> tuple[str, ...]:
        """The server that costs next to nothing."""
        return (self.python, "-SI", str(ROOT / "fixtures" / "servers" / "plain.py"), *map(str, numbers))

    def ours(self, *args: str) -> Command:
        """Mcpi itself."""
        return Command(argv=(self.mcpi, *args))

    def all(self, task: Task, done: Callable[[bytes], bool]) -> dict[str, Command]:
        """Everybody who does the task."""
        tool = ("--tool-name", task.tool, "--tool-args", json.dumps(task.arguments)) if task.tool else ()
        target = (task.target,) if isinstance(task.target, str) else ("--", *task.target)
        found = {
            "mcpi": self.ours("--method", task.method, *tool, *target),
            "floor": self._bare(task),
            **{name: peer(task) for name, peer in self.peers.items()},
        }
        return {name: evolve(command, done=done) for name, command in found.items() if command is not None}

    def _bare(self, task: Task) -> Command:
        if isinstance(task.target, tuple):
            return self.floor("stdio", task.method, task.params, *task.target)
        return self.floor("events" if task.target == self.events else "web", task.target, task.method, task.params)


def workloads(room: Room) -> Iterator[Workload]:
    """All of them, the short ones first."""
    yield from starting(room)
    yield from one_shots(room)
    yield from long(room)
    yield from large(room)


def starting(room: Room) -> Iterator[Workload]:
    """What it takes to say something without a server."""
    others = {
        "floor": Command(argv=(room.python, "-c", "print('mcpi 0')")),
        "import cyclopts": Command(argv=(room.cyclopts, "-c", "import cyclopts"), done=lambda _: True),
    }
    wrong = Command(argv=(room.mcpi, "--method", "tools/lst", "node", "x.js"), done=lambda out: out == b"", code=1)
    goals = (Goal(than="import cyclopts", most=1.5),)
    least = (Goal(than="import cyclopts", most=1.3, figure="own"),)
    for name, does, ours, worked in (
        ("version", "`--version`", room.ours("--version"), goals),
        ("help", "`--help`", room.ours("--help"), ()),
        ("mistake", "a misspelt method: nothing is started", wrong, least),
    ):
        yield Workload(name=name, does=does, commands={"mcpi": ours, **others}, goals=worked, counted=True)


def one_shots(room: Room) -> Iterator[Workload]:
    """One request to a server, from nothing to the result."""
    targets: dict[str, tuple[str, tuple[str, ...] | str]] = {
        "stdio": ("npm's reference server, started", (room.node, str(EVERYTHING))),
        "quick": ("a server that boots in 20 ms, started", room.plain()),
        "python": ("a server on the Python SDK, started", (room.python, str(HERE / "servers" / "sdk.py"))),
        "http": ("npm's reference server, running, over HTTP", room.web),
        "sse": ("npm's reference server, running, over SSE", room.events),
    }
    goals = {
        "stdio": (Goal(than="floor", most=1.15), Goal(than="peers", most=0.4)),
        "quick": (Goal(than="floor", most=2.2),),
        "http": (Goal(than="floor", most=2.2), Goal(than="peers", most=0.45)),
    }
    for kind, (says, target) in targets.items():
        arguments: dict[str, object] = {"text" if kind == "quick" else "message": "echo"}
        for name, task in (("list", Task(target)), ("call", Task(target, "tools/call", "echo", arguments))):
            commands = room.all(task, lambda out: b"echo" in out.lower())
            does = f"`{task.method}`: {says}"
            counted = kind in goals and name == "list"
            worked = goals.get(kind, ())
            yield Workload(name=f"{kind}-{name}", does=does, commands=commands, goals=worked, counted=counted)
    yield Workload(
        name="latency-list",
        does=f"`tools/list` over HTTP, with responses that take {LATENCY} ms",
        commands=room.all(Task(room.remote), lambda out: b"echo" in out.lower()),
        goals=(Goal(than="floor", most=1.3),),
    )


def long(room: Room) -> Iterator[Workload]:
    """Much of one kind over one connection."""
    yield Workload(
        name="script",
        does=f"a script of {STEPS:,} calls",
        commands=_scripts(room, STEPS, room.plain()),
        one=_scripts(room, 1, room.plain()),
        count=STEPS,
    )
    delayed = room.plain(3, 0, 0, DELAY)
    yield Workload(
        name="script-delay",
        does=f"a script of {STEPS:,} calls, each of which takes the server {DELAY} µs",
        commands=_scripts(room, STEPS, delayed),
        one=_scripts(room, 1, delayed),
        count=STEPS,
        goals=(Goal(than="floor", most=1 / 0.8, figure="each"),),
    )
    yield Workload(
        name="follow",
        does=f"{NOTES:,} notifications followed",
        commands={"mcpi": _follow(room, NOTES), "floor": room.floor("follow", str(NOTES), *room.plain(3, NOTES))},
        one={"mcpi": _follow(room, 1), "floor": room.floor("follow", "1", *room.plain(3, 1))},
        count=NOTES,
        goals=(Goal(than="floor", most=1 / 0.6, figure="each"),),
        share=0.5,
    )


def _scripts(room: Room, count: int, server: tuple[str, ...]) -> dict[str, Command]:
    return {"mcpi": _script(room, count, server), "floor": room.floor("script", str(count), *server)}


def _script(room: Room, count: int, server: tuple[str, ...]) -> Command:
    file = room.scratch / f"{count}.json"
    texts = [f"step {number}" for number in range(1, count + 1)]
    file.write_text(
        json.dumps([{"method": "tools/call", "toolName": "echo", "toolArgs": {"text": text}} for text in texts])
    )
    ours = room.ours("--script", str(file), "--quiet", "--", *server)
    return evolve(ours, done=lambda out: texts[-1].encode() in out)


def _follow(room: Room, count: int) -> Command:
    # Following sets the level, as the floor does: a method that sets it would start a second flood.
    ours = room.ours("--follow", "--max-events", str(count), "--timeout", "5m", "--quiet", "--", *room.plain(3, count))
    return evolve(ours, done=lambda out: out.count(b"\n") == count)


def large(room: Room) -> Iterator[Workload]:
    """One large answer."""
    size = Goal(than="size", most=5.0, figure="memory")
    # Small objects take more than that in any Python: the floor says how much.
    for tool, says, memory, share in (("text", "one text", (size,), 0.5), ("rows", "small objects", (), 0.2)):
        task = Task(room.plain(3, 0, MEGABYTES), "tools/call", tool)
        everybody = room.all(task, lambda out: len(out) > MEGABYTES * 1_000_000)
        # Some peers want all of the machine's memory and minutes for so many objects.
        few = {name: everybody[name] for name in ("mcpi", "floor")}
        yield Workload(
            name=f"large-{tool}",
            does=f"a result of {MEGABYTES} MB, {says}",
            commands=everybody if tool == "text" else few,
            goals=(Goal(than="floor", most=2.0), *memory),
            count=MEGABYTES,
            share=share,
        )
    server = room.plain(TOOLS)
    discover = evolve(room.ours("--method", "discover", "--", *server), done=_has_all)
    yield Workload(
        name="discover",
        does=f"all that a server with {TOOLS:,} tools offers (peers: the list of its tools)",
        commands={**room.all(Task(server), _has_all), "mcpi": discover},
    )


def _has_all(printed: bytes) -> bool:
    return f"tool_{TOOLS - 4}".encode() in printed
