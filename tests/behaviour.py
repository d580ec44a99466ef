"""Recorded command lines and their results: running, masking and recording.

Each file in fixtures/behaviour is an array of cases of one topic. The inputs of a case are `name`, `argv` and, if
needed, `env`, `stdin`, `files` and `redirect`. The recorded results are `exit`, `stdout` and `stderr` as lines, and
`written`, the files that exist afterwards. `python tests/behaviour.py record` runs the `mcpi` in the directory of the
interpreter.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from attrs import field, frozen

import warm
from running import COMMAND, completed, free_port, wait_until
from running import listens as is_listening
from warm import Done, Started

ROOT = Path(__file__).parents[1]
CORPUS = ROOT / "fixtures" / "behaviour"
FIXTURES = ROOT / "fixtures"
SERVERS = FIXTURES / "servers"
BIN = Path(COMMAND).parent
TIME_LIMIT = 30.0
"""The timeout of a case in seconds; most take less than one."""
GIVEN = ("name", "argv", "env", "stdin", "files", "redirect")
RECORDED = ("exit", "stdout", "stderr", "written")
LISTENERS = {"faulty_http": (), "faulty_sse": (), "authorized": ("PORT",), "sdk": ("http", "PORT")}
"""The HTTP servers and their arguments; those without arguments select a port and print it."""
SHARED = ("sdk", "authorized")
"""Servers that start slowly and keep no visible state: one serves all cases."""
_PLACE = re.compile(r"\{(python|fixtures|servers|node|here|home|bin|free|(?:url|port):[a-z_]+[^{}]*)\}")


@frozen
class Rule:
    """A pattern for output that differs between runs or machines, and its replacement."""

    pattern: re.Pattern[str]
    mask: str
    reason: str


def rule(pattern: str, mask: str, reason: str) -> Rule:
    """A rule from a pattern text."""
    return Rule(re.compile(pattern, re.MULTILINE), mask, reason)


_QUOTE = r"(?:\\*\"|&quot;)"
_VERSION = re.escape(metadata.version("mcpi-cli"))
RULES = (
    rule(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z?", "{time}", "the moment of a message or a run"),
    rule(r"(?<=<time>)\d\d:\d\d:\d\d\.\d{3}(?=</time>)", "{time}", "the moment of a message, on a page"),
    rule(
        rf"({_QUOTE}(?:duration|connect|handshake|request|close|answer|waited)Ms{_QUOTE}: ?)\d[\d.]*",
        r"\1{ms}",
        "how long something took, in a document",
    ),
    rule(r"^(\s*durationMs: )\d[\d.]*", r"\1{ms}", "how long something took, in TAP"),
    rule(r"(\btime=\")\d[\d.]*", r"\1{s}", "how long something took, in JUnit's XML"),
    rule(r"(?<=   \()\d+(?= ms\)$)", "{ms}", "how long a step of a script took"),
    rule(r"^(\d+ steps?(?:: .*)? in )\d+\.\d\d s(?=$|;)", r"\1{s} s", "how long a script took"),
    rule(r"\b\d+(?:\.\d+)? m?s(?=</)", "{ms} ms", "how long something took, on a page"),
    rule(
        r"((?:connected| responses?) in |(?<= ms) to |\(median |; total |(?:mcpi|handshake): )\d+(?:\.\d+)? m?s\b",
        r"\1{ms} ms",
        "how fast the server answers, in a summary",
    ),
    rule(
        r"(?<= responses in )\{ms\} ms to \{ms\} ms \(median \{ms\} ms\)",
        "{ms} ms",
        "different times of responses, in a summary",
    ),
    rule(r"\((mcpi_\w+\.py):\d+\)", r"(\1:{line})", "a line of a plugin's source"),
    rule("integer division or modulo by zero", "division by zero", "Python's message, which is shorter since 3.14"),
    rule(r"^(\s*\"?< date: ).*?(\"?,?)$", r"\1{time}\2", "the moment of an HTTP response"),
    rule(r"^(\s*\"?> Content-Length: )\d+", r"\1{n}", "the length of a request, which contains the version"),
    rule(r"\bwithin \d+(?:\.\d+)? m?s\b", "within {time}", "how long was waited"),
    rule(r"((?:127\.0\.0\.1|localhost|\[::1\])(?::|%3A))\d+", r"\1{port}", "a port that was free"),
    rule(r"\b(access|refresh)-[0-9a-f]{32}\b", r"\1-{random}", "a token that the server made"),
    rule(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", "{uuid}", "an id that the server made"),
    rule(r"\b(code_challenge|state)=[\w-]{20,}", r"\1={random}", "PKCE and what tells one login from another"),
    rule(
        rf"({_QUOTE}(?:code_verifier|state|client_secret){_QUOTE}: ?{_QUOTE})[\w.~-]{{20,}}",
        r"\1{random}",
        "PKCE, and secrets that the server made",
    ),
    rule(
        rf"({_QUOTE}(?:client_id_issued_at|client_secret_expires_at|expires_at){_QUOTE}: ?)\d+(?:\.\d+)?",
        r"\1{time}",
        "the moment of a registration or of a token's end",
    ),
    rule(rf"(?<![\w.]){_VERSION}(?![\w.])", "{version}", "the version of mcpi"),
)


@frozen
class Case:
    """One command line and its recorded result."""

    topic: str
    members: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The unique description of the case."""
        return str(self.members["name"])

    @property
    def expected(self) -> dict[str, Any]:
        """The recorded result; empty for a new case."""
        return {key: self.members[key] for key in RECORDED if key in self.members}

    def __str__(self) -> str:
        """The test ID."""
        return f"{self.topic}: {self.name}"


def topics() -> list[Path]:
    """The case files."""
    return sorted(CORPUS.glob("*.json"))


def read(path: Path) -> list[Case]:
    """The cases of one file."""
    return [Case(path.stem, members) for members in json.loads(path.read_text("utf-8"))]


def cases() -> list[Case]:
    """All cases."""
    return [case for path in topics() for case in read(path)]


@frozen
class Listener:
    """A server that listens on a port of loopback."""

    process: Started
    port: int


@frozen
class Servers:
    """The HTTP servers used by the cases."""

    shared: dict[str, Listener] = field(factory=dict)
    own: dict[str, Listener] = field(factory=dict)
    """The servers of the current case."""

    def port(self, arguments: str) -> int:
        """The port of the server with this name; start the server if it is not running."""
        program = arguments.split(maxsplit=1)[0]
        running = self.shared if program in SHARED else self.own
        if arguments not in running:
            running[arguments] = listener(*arguments.split())
        return running[arguments].port

    def end_own(self) -> None:
        """Stop the servers of one case."""
        while self.own:
            self.own.popitem()[1].process.end()

    def end(self) -> None:
        """Stop all servers."""
        self.end_own()
        while self.shared:
            self.shared.popitem()[1].process.end()


def listener(program: str, *words: str) -> Listener:
    """Start the server, and wait until it listens."""
    path, pattern = str(SERVERS / f"{program}.py"), LISTENERS[program]
    if not pattern:
        started = warm.start((path, *words), {**surroundings(Path("/")), "PORT": "0"})
        return Listener(started, int(started.stdout.readline()))
    port = free_port()
    # The first word after the program, if the pattern has a place for one, is its transport.
    kind = words[0] if len(pattern) > 1 and words else pattern[0]
    rest = words if len(pattern) == 1 else ()
    filled = [str(port) if word == "PORT" else kind for word in pattern]
    started = warm.start((path, *filled, *rest), {**surroundings(Path("/")), "PYTHONHASHSEED": "0"})
    wait_until(lambda: is_listening(port))
    return Listener(started, port)


def surroundings(home: Path) -> dict[str, str]:
    """The environment of each run, independent of the machine."""
    path = os.pathsep.join((str(BIN), "/usr/local/bin", "/usr/bin", "/bin"))
    return {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", "TERM": "dumb"}


@frozen
class CaseEnvironment:
    """The environment of one case: its working directory, home directory and servers."""

    folder: Path
    servers: Servers

    @property
    def here(self) -> Path:
        """The working directory."""
        return self.folder / "here"

    @property
    def home(self) -> Path:
        """The home directory."""
        return self.folder / "home"

    def fill(self, text: str) -> str:
        """The text with its placeholders replaced."""
        return _PLACE.sub(lambda match: self._value(match[1]), text)

    def _value(self, arguments: str) -> str:
        kind, _, words = arguments.partition(":")
        if kind in {"url", "port"} and words:
            port = str(self.servers.port(words))
            return port if kind == "port" else f"http://127.0.0.1:{port}"
        return {
            "python": sys.executable,
            "fixtures": str(FIXTURES),
            "servers": str(SERVERS),
            "node": str(BIN / "node"),
            "here": str(self.here),
            "home": str(self.home),
            "bin": str(BIN),
            "free": str(free_port()),
        }[kind]

    def write(self, files: Mapping[str, Any]) -> None:
        """Write the files; names that start with ~/ go to the home directory."""
        for name, content in files.items():
            path = self.home / name.removeprefix("~/") if name.startswith("~/") else self.here / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.fill(as_text(content)), "utf-8")

    def mask(self, text: str) -> str:
        """The text without output that differs between runs or machines."""
        for path, name in self._places():
            text = text.replace(path, name)
        for one in RULES:
            text = one.pattern.sub(one.mask, text)
        return text

    def _places(self) -> list[tuple[str, str]]:
        """The local paths, longest first, and their placeholders."""
        interpreters = {sys.executable, os.path.realpath(sys.executable), str(BIN / "python"), str(BIN / "python3")}
        places = dict.fromkeys(interpreters, "{python}")
        places |= {str(self.here): "{here}", str(self.home): "{home}", str(BIN): "{bin}", sys.prefix: "{venv}"}
        places |= {str(SERVERS): "{servers}", str(FIXTURES): "{fixtures}", str(ROOT): "{root}"}
        return sorted(places.items(), key=lambda place: -len(place[0]))


def as_text(content: Any) -> str:
    """The content of a file or of stdin: text unchanged, any other value as JSON."""
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def run(case: Case, servers: Servers) -> dict[str, Any]:
    """Run the case, and return its result."""
    with tempfile.TemporaryDirectory(prefix="behaviour-", ignore_cleanup_errors=True) as name:
        place = CaseEnvironment(Path(os.path.realpath(name)), servers)
        place.here.mkdir()
        place.home.mkdir()
        try:
            return _run(case, place)
        finally:
            servers.end_own()


def _run(case: Case, place: CaseEnvironment) -> dict[str, Any]:
    members = case.members
    place.write(members.get("files", {}))
    before = snapshot(place.here)
    given = members.get("stdin")
    words = [place.fill(word) for word in members["argv"]]
    stdin = None if given is None else place.fill(as_text(given)).encode()
    env = {**surroundings(place.home), **{key: place.fill(text) for key, text in members.get("env", {}).items()}}
    if "redirect" in members:
        done = redirected(members["redirect"], words, stdin, env, place.here)
    else:
        done = completed(*words, stdin=stdin, env=env, cwd=place.here, time_limit=TIME_LIMIT)
    found: dict[str, Any] = {"exit": done.exit_code, "stdout": lines(done.stdout, place)}
    found["stderr"] = lines(done.stderr, place)
    written = {name: data for name, data in sorted(snapshot(place.here).items()) if before.get(name) != data}
    return found if not written else {**found, "written": {key: lines(data, place) for key, data in written.items()}}


def redirected(how: str, words: Sequence[str], stdin: bytes | None, env: Mapping[str, str], cwd: Path) -> Done:
    """Run the command with its streams closed or redirected by a shell."""
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" "$@" {how}', COMMAND, *words],
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        timeout=TIME_LIMIT,
        env=env,
        cwd=cwd,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def lines(data: bytes, place: CaseEnvironment) -> list[str]:
    """The masked text as lines; joined by newlines they give the whole text."""
    return place.mask(data.decode(errors="backslashreplace")).split("\n")


def snapshot(folder: Path) -> dict[str, bytes]:
    """The files below the directory, by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def spelled(case: Case) -> str:
    """The case in the format of its file: inputs on single lines, outputs line by line."""
    order = [key for key in (*GIVEN, *RECORDED) if key in case.members]
    assert set(order) == set(case.members), f"{case}: unknown keys {set(case.members) - set(order)}"
    parts = (f"  {json.dumps(key)}: {_spelled(key, case.members[key])}" for key in order)
    return " {\n" + ",\n".join(parts) + "\n }"


def _spelled(key: str, value: Any) -> str:
    if key not in RECORDED:
        return json.dumps(value, ensure_ascii=False)
    return "\n".join(
        line if number == 0 else f"  {line}"
        for number, line in enumerate(json.dumps(value, ensure_ascii=False, indent=1).split("\n"))
    )


def recorded(found: Sequence[Case]) -> Iterator[Case]:
    """The same cases with their current results."""
    servers = Servers()
    try:
        for case in found:
            given = {key: value for key, value in case.members.items() if key not in RECORDED}
            started = time.monotonic()
            result = run(case, servers)
            seconds = time.monotonic() - started
            changed = "" if result == case.expected else " (changed)" if case.expected else " (new)"
            sys.stderr.write(f"{seconds:5.1f} s  {case}{changed}\n")
            yield Case(case.topic, {**given, **result})
    finally:
        servers.end()


def record(only: Callable[[str], bool]) -> None:
    """Write the case files again."""
    for path in topics():
        if only(path.stem):
            text = ",\n".join(spelled(case) for case in recorded(read(path)))
            path.write_text(f"[\n{text}\n]\n", "utf-8")


def main() -> None:
    """Record all topics, or the ones given."""
    parser = argparse.ArgumentParser(description="Record what mcpi does with the command lines of fixtures/behaviour.")
    parser.add_argument("action", choices=["record"])
    parser.add_argument("--only", action="append", metavar="TOPIC", help="only the cases of this file; repeatable")
    arguments = parser.parse_args()
    unknown = set(arguments.only or ()) - {path.stem for path in topics()}
    if unknown:
        parser.error(f"no such topic: {', '.join(sorted(unknown))}")
    assert shutil.which(COMMAND), f"there is no {COMMAND}"
    record(lambda topic: not arguments.only or topic in arguments.only)


if __name__ == "__main__":
    main()
