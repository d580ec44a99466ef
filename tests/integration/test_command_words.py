"""Positional words on the command line: methods, names and arguments, and the short flags."""

import json
import sys
from pathlib import Path

import pytest

from running import Mcpi

SWIFT = (sys.executable, str(Path(__file__).parents[2] / "fixtures" / "servers" / "swift.py"))
ECHOED = {"content": [{"type": "text", "text": "hi"}]}
OLD = ("--era", "handshake")


@pytest.mark.parametrize(
    "words",
    [
        ("tools/list", *SWIFT),
        (*SWIFT, "--method", "tools/list"),
        ("tools/list", "--", *SWIFT),
        ("--compact=false", "--timeout", "30s", "tools/list", "--", *SWIFT),
    ],
)
def test_method_is_accepted_as_a_subcommand_before_or_without_separator(mcpi: Mcpi, words: tuple[str, ...]) -> None:
    ran = mcpi(*words)

    assert (ran.exit_code, ran.json["tools"][0]["name"]) == (0, "echo")


def test_method_after_flags_is_a_subcommand_but_a_flag_value_is_not(mcpi: Mcpi, tmp_path: Path) -> None:
    first = mcpi("--demo", *OLD, "ping")
    value = mcpi("--output", "ping", "tools/list", *SWIFT, cwd=tmp_path)

    assert (first.exit_code, first.stdout) == (0, "{}\n")
    assert (value.exit_code, (tmp_path / "ping").exists()) == (0, True)


def test_unknown_first_word_is_run_as_a_command(mcpi: Mcpi) -> None:
    ran = mcpi("Ping", "--method", "ping")

    assert (ran.exit_code, ran.stderr.splitlines()[0]) == (1, "mcpi: command not found: 'Ping'")


def test_program_named_like_a_method_runs_after_the_separator(mcpi: Mcpi, tmp_path: Path) -> None:
    program = tmp_path / "discover"
    program.write_text("#!/bin/sh\nexit 7\n")
    program.chmod(0o755)

    ran = mcpi("--method", "ping", "--", "discover", env={"PATH": f"{tmp_path}:/usr/bin:/bin"})

    assert (ran.exit_code, "'discover' exited with code 7" in ran.stderr) == (1, True)


def test_two_methods_are_rejected(mcpi: Mcpi) -> None:
    ran = mcpi("ping", "--method", "tools/list", "--demo")

    assert (ran.exit_code, ran.stderr.splitlines()[0]) == (
        1,
        "mcpi: --method: tools/list and ping are both methods; give only one",
    )


def test_words_after_the_separator_belong_to_the_server(mcpi: Mcpi) -> None:
    ran = mcpi("server/info", "--", *SWIFT, "--method", "tools/list")

    assert (ran.exit_code, ran.json["name"]) == (0, "swift")


def test_help_after_a_method_shows_the_method_page(mcpi: Mcpi) -> None:
    assert mcpi("prompts/get", "--help").stdout == mcpi("--help", "prompts/get").stdout != mcpi("--help").stdout


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("tools/call", "echo", "text=hi", "--", *SWIFT), ECHOED),
        (("tools/call", "echo", 'text:="hi"', "--config", "mcp.json"), ECHOED),
        (("tools/call", "echo", "text=@hi.txt", "--server", "mine", "--config", "mcp.json"), ECHOED),
    ],
)
def test_tool_name_and_arguments_are_accepted_as_words(
    mcpi: Mcpi, tmp_path: Path, words: tuple[str, ...], shown: object
) -> None:
    configure(tmp_path / "mcp.json")
    (tmp_path / "hi.txt").write_text("hi")
    ran = mcpi(*words, cwd=tmp_path)

    assert (ran.exit_code, ran.json) == (0, shown)


def configure(path: Path) -> None:
    """Write a config file with the server `mine`."""
    path.write_text(json.dumps({"mcpServers": {"mine": {"command": SWIFT[0], "args": SWIFT[1:]}}}))


def test_prompt_and_resource_are_accepted_as_words_even_after_a_url(mcpi: Mcpi) -> None:
    prompt = mcpi("prompts/get", "summarize", "text=hello", "--demo", *OLD)
    resource = mcpi("resources/read", "http://127.0.0.1:9/mcp", "a://b", "--dry-run", *OLD)

    assert (prompt.exit_code, "hello" in prompt.stdout) == (0, True)
    assert [one["params"] for one in resource.json["messages"]] == [{"uri": "a://b"}]


def test_missing_separator_error_shows_the_corrected_line(mcpi: Mcpi) -> None:
    ran = mcpi("tools/call", "echo", "text=hi", "node", "server.js")

    assert ran.exit_code == 1
    assert "mcpi tools/call echo text=hi -- node server.js" in ran.stderr


def test_short_flags_equal_their_long_forms(mcpi: Mcpi, tmp_path: Path) -> None:
    short = ("-m", "tools/call", "-n", "echo", "-a", "text=hi", "-e", "A=b", "-o", "out.json")
    ran = mcpi(*short, "-v", *OLD, "--", *SWIFT, cwd=tmp_path)
    quiet = mcpi("-q", "-m", "ping", *OLD, "--", *SWIFT, "loud")
    header = mcpi("-H", "X-A: b", "-m", "ping", "--dry-run", *OLD, "http://127.0.0.1:9/mcp")

    assert (ran.exit_code, json.loads((tmp_path / "out.json").read_text())) == (0, ECHOED)
    assert '> {"jsonrpc"' in ran.stderr
    assert (quiet.exit_code, quiet.stderr) == (0, "")
    assert [one["headers"]["x-a"] for one in header.json["http"]] == ["b"]
    assert mcpi("-h").stdout == mcpi("--help").stdout


@pytest.mark.parametrize(
    ("words", "corrected"),
    [
        (("npx", "-y", "pkg", "--method", "tools/list"), "mcpi --method tools/list -- npx -y pkg"),
        (("tools/list", "npx", "-y", "pkg"), "mcpi tools/list -- npx -y pkg"),
        (("node", "-e", "1 + 1", "--method", "ping"), "mcpi --method ping -- node -e '1 + 1'"),
    ],
)
def test_rejected_server_argument_shows_the_corrected_line(mcpi: Mcpi, words: tuple[str, ...], corrected: str) -> None:
    ran = mcpi(*words)

    assert ran.exit_code == 1
    assert [line for line in ran.stderr.splitlines() if line.endswith(f": {corrected}")] != []


def test_server_is_found_without_config_flag_and_its_file_is_reported(mcpi: Mcpi, tmp_path: Path) -> None:
    configure(tmp_path / ".mcp.json")
    home = {"HOME": str(tmp_path)}
    found = mcpi("--server", "mine", "ping", *OLD, cwd=tmp_path, env=home)
    missing = mcpi("--server", "min", "ping", cwd=tmp_path, env=home)

    assert (found.exit_code, found.stderr) == (0, "mcpi: using the server mine from .mcp.json\n")
    assert (missing.exit_code, "did you mean: mcpi --server mine ping" in missing.stderr) == (1, True)


def test_bare_number_is_milliseconds_and_a_short_timeout_is_explained(mcpi: Mcpi) -> None:
    bare = mcpi("sleep", "100", "--method", "ping", "--timeout", "30")
    unit = mcpi("sleep", "100", "--method", "ping", "--timeout", "30ms")

    assert (bare.exit_code, unit.exit_code) == (124, 124)
    assert "--timeout 30 means 30 ms; write 30s for seconds" in bare.stderr
    assert "means" not in unit.stderr


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("tools/lst --follow --demo", "tools/list --follow --demo"),
        ("tools/lst --follow http://127.0.0.1:9/mcp", "tools/list --follow http://127.0.0.1:9/mcp"),
        ("tools/lst node server.js --follow", "tools/list node server.js --follow"),
        ("subscribe x://y http://127.0.0.1:9 --follow", "resources/subscribe x://y http://127.0.0.1:9 --follow"),
    ],
)
def test_misspelled_method_is_corrected_in_follow_mode(line: str, right: str, mcpi: Mcpi, tmp_path: Path) -> None:
    ran = mcpi(*line.split(), cwd=tmp_path)

    assert (ran.exit_code, f"  did you mean: mcpi {right}" in ran.stderr.splitlines()) == (1, True)
