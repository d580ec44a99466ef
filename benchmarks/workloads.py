"""The workloads: the same work done by mcpi, by the floor and by the peers."""

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
"""Microseconds that the server takes for a call, and milliseconds of network latency."""


@frozen(kw_only=True)
class Goal:
    """A ratio to reach."""

    than: str
    """The program to compare with; `peers` is the fastest interpreted peer, `size` the size of the result."""
    most: float
    figure: str = "wall"
    """`wall`, `own` (CPU), `memory`, `each` (per item), or `over` (the difference in seconds instead of a ratio)."""


@frozen(kw_only=True)
class Workload:
    """One kind of work, and the commands that do it."""

    name: str
    description: str
    commands: dict[str, Command]
    goals: tuple[Goal, ...] = ()
    count: int = 1
    """Number of items, such as calls."""
    one: dict[str, Command] = field(factory=dict)
    """The same commands with a single item, to subtract the time to start."""
    share: float = 1.0
    """Fraction of the runs that a short workload gets."""
    counted: bool = False
    """True to count instructions too; valgrind takes a hundred times as long."""


@frozen
class Task:
    """A request, and its server."""

    target: tuple[str, ...] | str
    """The command or the URL of the server."""
    method: str = "tools/list"
    tool: str = ""
    arguments: dict[str, object] = field(factory=dict)

    @property
    def params(self) -> str:
        """The params as JSON."""
        return json.dumps({"name": self.tool, "arguments": self.arguments} if self.tool else {})


Peer: TypeAlias = Callable[[Task], Command | None]
"""Returns the command that performs the task, or None if the peer cannot."""


@frozen
class Environment:
    """The programs, servers and files that the commands use."""

    mcpi: str
    python: str
    """The interpreter that runs mcpi and the floor."""
    cyclopts: str
    """An interpreter with cyclopts."""
    node: str
    scratch: Path
    web: str
    """The URL of the running reference server."""
    events: str
    """The same over SSE."""
    remote: str
    """The URL of a server with network latency."""
    peers: Mapping[str, Peer]
    cri: Path | None
    """The folder of chrome-remote-interface."""

    def floor(self, name: str, *args: str) -> Command:
        """Return the command of a script in floors/."""
        return Command(argv=(self.python, str(HERE / "floors" / f"{name}.py"), *args))

    def plain(self, *numbers: int) -> tuple[str, ...]:
        """Return the command of a fast server."""
        return (self.python, "-SI", str(ROOT / "fixtures" / "servers" / "plain.py"), *map(str, numbers))

    def run_mcpi(self, *args: str) -> Command:
        """Return a command of mcpi."""
        return Command(argv=(self.mcpi, *args))

    def all(self, task: Task, done: Callable[[bytes], bool]) -> dict[str, Command]:
        """Return the commands of all programs that can perform the task."""
        tool = ("--tool-name", task.tool, "--tool-args", json.dumps(task.arguments)) if task.tool else ()
        target = (task.target,) if isinstance(task.target, str) else ("--", *task.target)
        found = {
            "mcpi": self.run_mcpi("--method", task.method, *tool, *target),
            "floor": self._floor_of(task),
            **{name: peer(task) for name, peer in self.peers.items()},
        }
        return {name: evolve(command, done=done) for name, command in found.items() if command is not None}

    def _floor_of(self, task: Task) -> Command:
        if isinstance(task.target, tuple):
            return self.floor("stdio", task.method, task.params, *task.target)
        return self.floor("events" if task.target == self.events else "web", task.target, task.method, task.params)


def workloads(env: Environment) -> Iterator[Workload]:
    """Yield all workloads, the short ones first."""
    yield from starting(env)
    yield from one_shots(env)
    yield from long(env)
    yield from large(env)


def starting(env: Environment) -> Iterator[Workload]:
    """Yield the commands that start no server."""
    others = {
        "floor": Command(argv=(env.python, "-c", "print('mcpi 0')")),
        "import cyclopts": Command(argv=(env.cyclopts, "-c", "import cyclopts"), done=lambda _: True),
    }
    wrong = Command(argv=(env.mcpi, "--method", "tools/lst", "node", "x.js"), done=lambda out: out == b"", code=1)
    quick = (Goal(than="import cyclopts", most=1.5),)
    cheap = (Goal(than="import cyclopts", most=1.3, figure="own"),)
    for name, description, command, goals in (
        ("version", "`--version`", env.run_mcpi("--version"), quick),
        ("help", "`--help`", env.run_mcpi("--help"), ()),
        ("mistake", "a misspelled method", wrong, cheap),
    ):
        yield Workload(
            name=name, description=description, commands={"mcpi": command, **others}, goals=goals, counted=True
        )


def one_shots(env: Environment) -> Iterator[Workload]:
    """Yield the workloads of one request, including the start of mcpi."""
    targets: dict[str, tuple[str, tuple[str, ...] | str]] = {
        "stdio": ("MCP reference server, over stdio", (env.node, str(EVERYTHING))),
        "quick": ("a minimal server, over stdio", env.plain()),
        "python": ("a server that uses the Python SDK, over stdio", (env.python, str(HERE / "servers" / "sdk.py"))),
        "http": ("MCP reference server, over HTTP", env.web),
        "sse": ("MCP reference server, over SSE", env.events),
    }
    goals = {
        "stdio": (Goal(than="floor", most=1.15), Goal(than="peers", most=0.4)),
        "quick": (Goal(than="floor", most=2.2),),
        "http": (Goal(than="floor", most=2.2), Goal(than="peers", most=0.45)),
    }
    for kind, (server, target) in targets.items():
        arguments: dict[str, object] = {"text" if kind == "quick" else "message": "echo"}
        for name, task in (("list", Task(target)), ("call", Task(target, "tools/call", "echo", arguments))):
            commands = env.all(task, lambda out: b"echo" in out.lower())
            description = f"`{task.method}`: {server}"
            counted = kind in goals and name == "list"
            yield Workload(
                name=f"{kind}-{name}",
                description=description,
                commands=commands,
                goals=goals.get(kind, ()),
                counted=counted,
            )
    yield Workload(
        name="latency-list",
        description=f"`tools/list` over HTTP, with responses that take {LATENCY} ms",
        commands=env.all(Task(env.remote), lambda out: b"echo" in out.lower()),
        goals=(Goal(than="floor", most=1.3),),
    )


def long(env: Environment) -> Iterator[Workload]:
    """Yield the workloads of many items over one connection."""
    yield Workload(
        name="script",
        description=f"a script of {STEPS:,} calls",
        commands=_scripts(env, STEPS, env.plain()),
        one=_scripts(env, 1, env.plain()),
        count=STEPS,
    )
    delayed = env.plain(3, 0, 0, DELAY)
    yield Workload(
        name="script-delay",
        description=f"a script of {STEPS:,} calls that take the server {DELAY} µs each",
        commands=_scripts(env, STEPS, delayed),
        one=_scripts(env, 1, delayed),
        count=STEPS,
        goals=(Goal(than="floor", most=1 / 0.8, figure="each"),),
    )
    yield Workload(
        name="follow",
        description=f"following {NOTES:,} notifications",
        commands={"mcpi": _follow(env, NOTES), "floor": env.floor("follow", str(NOTES), *env.plain(3, NOTES))},
        one={"mcpi": _follow(env, 1), "floor": env.floor("follow", "1", *env.plain(3, 1))},
        count=NOTES,
        goals=(Goal(than="floor", most=1 / 0.6, figure="each"),),
        share=0.5,
    )


def _scripts(env: Environment, count: int, server: tuple[str, ...]) -> dict[str, Command]:
    return {"mcpi": _script(env, count, server), "floor": env.floor("script", str(count), *server)}


def _script(env: Environment, count: int, server: tuple[str, ...]) -> Command:
    file = env.scratch / f"{count}.json"
    texts = [f"step {number}" for number in range(1, count + 1)]
    file.write_text(
        json.dumps([{"method": "tools/call", "toolName": "echo", "toolArgs": {"text": text}} for text in texts])
    )
    command = env.run_mcpi("--script", str(file), "--quiet", "--", *server)
    return evolve(command, done=lambda out: texts[-1].encode() in out)


def _follow(env: Environment, count: int) -> Command:
    # Follow mode sets the log level, which starts the notifications; logging/setLevel would start them again.
    command = env.run_mcpi(
        "--follow", "--max-events", str(count), "--timeout", "5m", "--quiet", "--", *env.plain(3, count)
    )
    return evolve(command, done=lambda out: out.count(b"\n") == count)


def large(env: Environment) -> Iterator[Workload]:
    """Yield the workloads of one large response."""
    size = Goal(than="size", most=5.0, figure="memory")
    # Small objects take more memory in any Python program; the floor shows how much.
    contents = (("text", "one long string", (size,), 0.5), ("rows", "many small objects", (), 0.2))
    for tool, content, memory, share in contents:
        task = Task(env.plain(3, 0, MEGABYTES), "tools/call", tool)
        commands = env.all(task, lambda out: len(out) > MEGABYTES * 1_000_000)
        commands.pop("mcp-assert", None)  # It does not print the result.
        # Some peers take minutes and all memory for so many objects.
        few = {name: commands[name] for name in ("mcpi", "floor")}
        yield Workload(
            name=f"large-{tool}",
            description=f"a result of {MEGABYTES} MB with {content}",
            commands=commands if tool == "text" else few,
            goals=(Goal(than="floor", most=2.0), *memory),
            count=MEGABYTES,
            share=share,
        )
    server = env.plain(TOOLS)
    discover = evolve(env.run_mcpi("--method", "discover", "--", *server), done=_has_all)
    yield Workload(
        name="discover",
        description=f"`discover` with {TOOLS:,} tools (peers: `tools/list`)",
        commands={**env.all(Task(server), _has_all), "mcpi": discover},
    )


def _has_all(output: bytes) -> bool:
    return f"tool_{TOOLS - 4}".encode() in output
