"""Processes of the debugged program: start, attach and cleanup."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from debugging import FIXTURES, NAMES, NODES, Bench
from running import COMMAND, Mcpi, clean_environment, free_port, processes, wait_until


@pytest.fixture(params=NODES, ids=NAMES)
def each(request: pytest.FixtureRequest, tmp_path: Path, mcpi: Mcpi) -> Bench:
    """A bench for each Node.js version that behaves differently."""
    return Bench(tmp_path, request.param, mcpi)


@pytest.fixture
def bench(tmp_path: Path, mcpi: Mcpi) -> Bench:
    bench = Bench(tmp_path, NODES[0], mcpi)
    bench.write("a.js", "let x = 1;\nString(x);\n")
    return bench


@pytest.mark.parametrize(
    "command",
    [
        "'%N%' --inspect-brk=0 a.js",
        "'%N%' --inspect-brk=PORT a.js",
        "'%N%' --inspect-brk=127.0.0.1:PORT a.js",
        "'%N%' --inspect-brk=0.0.0.0:PORT a.js",
        "'%N%' --inspect-brk=localhost:PORT a.js",
        "'%N%' --inspect-port=PORT --inspect-brk a.js",
        "'%N%' --inspect-brk='PORT' \"a.js\"",
        "A=b NODE_ENV=test '%N%' --inspect-brk=0 a.js --flag",
        "NODE_OPTIONS=--inspect-brk=0 '%N%' a.js",
        "cd . && '%N%' --inspect-brk=0 a.js | cat",
        "'%N%' --inspect-brk=0 a.js; exit $?",
        "sh -c \"'%N%' --inspect-brk=0 a.js\"",
    ],
)
def test_every_form_of_the_inspect_command_is_accepted(bench: Bench, command: str) -> None:
    assert bench.values("a.js:2", "x", command=command.replace("PORT", str(free_port()))) == [1]


def test_ipv6_inspector_address_is_accepted(bench: Bench) -> None:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("there is no IPv6 here")

    assert bench.values("a.js:2", "x", command=f"'%N%' --inspect-brk=[::1]:{free_port()} a.js") == [1]


def test_npm_run_script_is_debugged(bench: Bench) -> None:
    scripts = {"scripts": {"debug": f"'{bench.node}' --inspect-brk=0 a.js"}}
    bench.write("package.json", json.dumps(scripts))

    assert bench.values("a.js:2", "x", command="npm run debug") == [1]


def test_node_test_file_is_debugged(bench: Bench) -> None:
    bench.write("a.test.js", "const test = require('node:test');\ntest('x', () => {\n  String(1);\n});\n")

    assert bench.values("a.test.js:3", "1", command="'%N%' --inspect-brk=0 a.test.js") == [1]


def test_occupied_port_is_reported_before_the_program_starts(bench: Bench) -> None:
    bench.write("ran.js", "require('fs').writeFileSync('ran', '');\nString(1);\n")
    with socket.socket() as other_server:
        other_server.bind(("127.0.0.1", 0))
        other_server.listen()
        port = other_server.getsockname()[1]
        ran = bench.run("ran.js:2", "1", command=f"'%N%' --inspect-brk={port} ran.js")

    assert (ran.exit_code, ran.json["error"]) == (1, f"Inspector port is already in use: 127.0.0.1:{port}")
    assert not (bench.folder / "ran").exists()


def test_occupied_port_in_a_wrapped_command_fails_immediately(bench: Bench) -> None:
    bench.write("slow.js", "setTimeout(() => String(1), 20_000);\n")
    with socket.socket() as other_server:
        other_server.bind(("127.0.0.1", 0))
        other_server.listen()
        port = other_server.getsockname()[1]
        bench.write("run.sh", f"exec '{bench.node}' --inspect-brk={port} slow.js\n")
        ran = bench.run("slow.js:1", "1", command="sh ./run.sh")

    assert ran.json["error"] == f"Inspector port is already in use: 127.0.0.1:{port}"
    assert ran.seconds < 10


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="requires /proc")
@pytest.mark.parametrize("port", ["0", "PORT"])
def test_inspector_is_found_with_stderr_redirected(bench: Bench, port: str) -> None:
    command = f"'%N%' --inspect-brk={port} a.js 2>/dev/null".replace("PORT", str(free_port()))

    assert bench.values("a.js:2", "x", command=command) == [1]


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="only Linux tells which process listens on a port")
def test_inspector_of_an_unrelated_process_is_left_alone(bench: Bench) -> None:
    port = free_port()
    bench.write("other.js", "require('fs').writeFileSync('other-ran', '');\n")
    wait = "touch started; while [ ! -e go ]; do sleep 0.1; done"
    command = f"{wait}; '{bench.node}' --inspect-brk={port} a.js 2>/dev/null; sleep 1"
    probe = ("--debug-command", command, "--breakpoint", "a.js:2", "--expression", "x")
    with ThreadPoolExecutor() as pool:
        running = pool.submit(bench.mcpi, "debug/script", *probe, cwd=bench.folder)
        wait_until((bench.folder / "started").exists)
        other = [bench.node, f"--inspect-brk={port}", "other.js"]
        with subprocess.Popen(other, cwd=bench.folder, stderr=subprocess.PIPE) as process:
            assert process.stderr is not None
            process.stderr.readline()
            bench.write("go", "")
            hint = running.result().json["hint"]
            process.kill()

    assert hint.startswith("no inspector found")
    assert not (bench.folder / "other-ran").exists()


def test_command_without_inspector_gets_a_hint(bench: Bench) -> None:
    ran = bench.run("a.js:2", "x", command="'%N%' a.js")

    assert (ran.exit_code, ran.json["error"]) == (1, "Process exited before breakpoint was hit")
    assert ran.json["hint"].startswith("no inspector found")


WORKER = """\
const { Worker, isMainThread, workerData } = require('worker_threads');
function work(n) {
  return n;
}
if (isMainThread) {
  work(0);
  const again = (n) => n < 3 && new Worker(__filename, { workerData: n }).on('exit', () => again(n + 1));
  again(1);
} else for (let i = 0; i < 200; i++) work(workerData * 1000 + i);
"""


def test_worker_threads_start_and_their_hits_are_recorded(each: Bench) -> None:
    each.write("w.js", WORKER)

    assert each.values("w.js:3", "n") == [0, *range(1000, 1200), *range(2000, 2200)]


FORK = """\
const { fork } = require('child_process');
function work(n) {
  return n;
}
if (process.argv[2]) work(Number(process.argv[2]));
else {
  work(1);
  fork(__filename, ['7']).on('exit', (code) => process.exit(code));
}
"""


def test_forked_processes_do_not_hang_and_their_hits_are_recorded(each: Bench) -> None:
    each.write("f.js", FORK)

    assert each.values("f.js:3", "n") == [1, 7]


def test_hits_in_a_child_process_with_its_own_session_are_recorded(each: Bench) -> None:
    each.write("child.js", "const x = 7;\nString(x);\n")
    each.write("p.js", "require('child_process').spawn(process.execPath, ['child.js'], { detached: true });\n")

    assert each.values("child.js:2", "x", command="NODE_OPTIONS=--inspect-brk=0 '%N%' p.js") == [7]


def test_fork_with_an_occupied_port_is_reported(bench: Bench) -> None:
    bench.write("f.js", FORK)
    port = free_port()
    ran = bench.run("f.js:3", "n", command=f"'%N%' --inspect-brk={port} f.js")

    assert ran.json == {
        "results": [{"type": "number", "value": 1}],
        "hint": f"a child process ran without a debugger because 127.0.0.1:{port} was in use; use --inspect-brk=0",
    }


def test_follow_stream_ends_after_max_events(bench: Bench) -> None:
    bench.write("t.js", "let i = 0;\nsetInterval(() => {\n  i++;\n}, 20);\n")

    ran = bench.run("t.js:3", "i", "--follow", "--max-events", "3")

    assert ran.exit_code == 0
    assert [json.loads(line)["value"] for line in ran.stdout.splitlines()] == [0, 1, 2]


def test_resume_is_sent_again_when_the_program_still_waits(mcpi: Mcpi, tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("let x = 1;\n", encoding="utf-8")
    probe = ("--debug-command", f"'{sys.executable}' '{FIXTURES / 'ignores_first_run.py'}'", "--breakpoint", "a.js:1")

    ran = mcpi("--method", "debug/script", *probe, "--expression", "x", "--timeout", "20s", cwd=tmp_path)

    assert (ran.exit_code, ran.json) == (0, {"results": [{"type": "number", "value": 2}]})


@pytest.mark.parametrize(
    ("ending", "about"),
    [
        ("", {"exitCode": 0, "signal": None}),
        ("process.exit(7)", {"exitCode": 7, "signal": None}),
        ("throw new Error('boom')", {"exitCode": 1, "signal": None}),
        ("Promise.reject(new Error('boom'))", {"exitCode": 1, "signal": None}),
        ("process.reallyExit(3)", {"exitCode": 3, "signal": None}),
        ("process.kill(process.pid, 'SIGTERM')", {"exitCode": None, "signal": "SIGTERM"}),
        ("process.kill(process.pid, 'SIGKILL')", {"exitCode": None, "signal": "SIGKILL"}),
        ("process.abort()", {"exitCode": None, "signal": "SIGABRT"}),
    ],
)
def test_exit_status_and_earlier_hits_are_preserved(
    each: Bench, ending: str, about: dict[str, int | str | None]
) -> None:
    each.write("e.js", f"function hit(n) {{\n  return n;\n}}\nfor (let i = 0; i < 500; i++) hit(i);\n{ending}\n")
    command = "exec '%N%' --inspect-brk=0 e.js"
    found = each.run("e.js:2", "n", command=command).json

    # Hits that a process has not sent when it is killed or aborts are lost.
    aborted = "SIGKILL" in ending or "abort" in ending
    hits = found.get("results", [])
    assert [one["value"] for one in hits] == list(range(len(hits) if aborted else 500))
    if not aborted:
        assert {name: found.get(name) for name in about} == {name: value or None for name, value in about.items()}
    if each.node == NODES[0]:
        ended = each.run("e.js:9", "n", command=command).json
        assert {name: ended[name] for name in about} == about
        assert ("boom" in "".join(ended["stderr"])) == ("boom" in ending)
        assert not any("ebugger" in line for line in ended["stderr"])


def test_program_stdin_is_at_eof(bench: Bench) -> None:
    reads = (
        "let got = '';\nprocess.stdin.on('data', (text) => { got += text; }).on('end', () => {\n  String(got);\n});\n"
    )
    bench.write("in.js", reads)

    assert bench.values("in.js:3", "got", stdin="ours") == [""]


def test_large_program_output_is_drained(bench: Bench) -> None:
    text = "'x'.repeat(1023) + '\\n'"
    lines = f"for (let i = 0; i < 6144; i++) {{ fs.writeSync(1, {text}); fs.writeSync(2, {text}); }}"
    bench.write("out.js", f"const fs = require('fs');\n{lines}\nString(1);\n")

    assert bench.values("out.js:3", "1", "--timeout", "20s") == [1]


def test_unterminated_last_stderr_line_is_reported_and_env_has_no_token(bench: Bench) -> None:
    ran = bench.run("a.js:1", "1", command="env >&2; printf boom >&2; exit 3", env={"MCPI_TOKEN": "sekret-token-123"})

    assert ran.json["stderr"][-1] == "boom"
    assert "MCPI_TOKEN" not in ran.stdout + ran.stderr


def test_unterminated_stderr_of_a_program_does_not_include_debugger_messages(bench: Bench) -> None:
    bench.write("p.js", "process.stderr.write('half');\nprocess.exit(3);\nString(1);\n")

    assert bench.run("p.js:3", "1").json["stderr"] == ["half"]


HANGS = """\
process.on('SIGTERM', () => {});
const { spawn } = require('child_process');
if (process.argv[2] !== 'child') spawn(process.execPath, [__filename, 'child', process.argv[3]], { stdio: 'ignore' });
setInterval(() => {}, 1000);
for (let i = 0; i < HITS; i++) {
  String(i);
}
"""


@pytest.mark.parametrize(("hits", "exit_code"), [(0, 124), (2, 0)])
def test_timeout_leaves_no_processes(bench: Bench, hits: int, exit_code: int) -> None:
    word = f"word-{uuid.uuid4().hex}"
    bench.write("h.js", HANGS.replace("HITS", str(hits)))
    command = f"'%N%' --inspect-brk=0 h.js parent {word}"
    ran = bench.run("h.js:6", "i", "--timeout", "1500ms", command=command)

    assert ran.exit_code == exit_code
    if hits:
        assert ran.json["timedOut"]
    else:
        assert ran.json["error"] == "Timeout waiting for breakpoint after 1500ms"
    wait_until(lambda: not processes(word), within=10.0)


@pytest.mark.parametrize("crash", ["process.abort()", "process.kill(process.pid, 'SIGKILL')", "throw 1"])
def test_crash_leaves_no_processes(bench: Bench, crash: str) -> None:
    word = f"word-{uuid.uuid4().hex}"
    spawned = HANGS.partition("setInterval")[0] + f"if (process.argv[2] !== 'child') {{ {crash}; }}\n"
    bench.write("c.js", f"{spawned}setInterval(() => {{}}, 1000);\n")
    ran = bench.run("c.js:9", "1", command=f"'%N%' --inspect-brk=0 c.js parent {word}")

    assert (ran.exit_code, ran.json["error"]) == (1, "Process exited before breakpoint was hit")
    wait_until(lambda: not processes(word), within=10.0)


DETACHED = """\
const { spawn } = require('child_process');
const options = { detached: true, stdio: 'ignore' };
spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', process.argv[2]], options).unref();
const done = true;
console.log(done);
"""


@pytest.mark.parametrize("hangs", ["", "setInterval(() => {}, 1000);\n"], ids=["ends", "hangs"])
def test_detached_process_is_ended(bench: Bench, hangs: str) -> None:
    word = f"word-{uuid.uuid4().hex}"
    bench.write("d.js", DETACHED + hangs)
    ran = bench.run("d.js:5", "done", "--timeout", "2s", command=f"'%N%' --inspect-brk=0 d.js {word}")

    assert len(ran.json["results"]) == 1
    wait_until(lambda: not processes(word), within=10.0)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM])
def test_signal_leaves_no_processes(bench: Bench, number: int) -> None:
    word = f"word-{uuid.uuid4().hex}"
    bench.write("h.js", HANGS.replace("HITS", "1"))
    probe = ("--debug-command", f"'{bench.node}' --inspect-brk=0 h.js parent {word}", "--breakpoint", "h.js:6")
    command = [COMMAND, "--method", "debug/script", *probe, "--expression", "i", "--timeout", "60s"]
    process = subprocess.Popen(
        command,
        cwd=bench.folder,
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    wait_until(lambda: len([line for line in processes(word) if "h.js child" in line]) == 1)
    time.sleep(0.2)
    os.kill(process.pid, number)
    _, stderr = process.communicate(timeout=10)

    assert process.returncode == 130
    assert b"Traceback" not in stderr
    wait_until(lambda: not processes(word), within=10.0)
