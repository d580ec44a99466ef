"""Fast parsing of simple command lines."""

import shlex

import pytest
from hypothesis import example, settings
from hypothesis import given as drawn
from hypothesis import strategies as st

from mcpi.core.cli.fast_lane import ALONE, METHOD_FLAGS, VALUED, plain_command
from mcpi.core.cli.invocation import complete
from mcpi.core.plans.catalog import PluginOffer, build_catalog
from mcpi.core.plans.plan import StartedPlan, begin
from mcpi.core.targets.target import Stdio
from mcpi.plugins.answers import sampling
from mcpi.plugins.methods import prompts, resources, server
from mcpi.plugins.methods.tools import tools
from mcpi.shell.cli.app import read

GROUPS = (prompts, resources, server, tools)
OFFERS = [PluginOffer(group.__name__, methods=tuple(group.mcpi_methods())) for group in GROUPS]
CATALOG = build_catalog([*OFFERS, PluginOffer("sampling", responders=tuple(sampling.mcpi_responders()))])
FLAGS = sorted(
    {*ALONE, *VALUED, "--method", "--dry-run", "--", *(flag for own in METHOD_FLAGS.values() for flag in own)}
)
VALUES = [
    '{"a": 1, "b":"c"}',
    "{}",
    '{"a":01}',
    "node",
    "a.js",
    "echo",
    "a=1",
    "a=",
    "=1",
    "a:=1",
    "a=@b",
    "file:///a",
    "modern",
    "old",
    "2s",
    "0s",
    "",
    "-",
    "x y",
]
WORDS = st.sampled_from([*FLAGS, *FLAGS, *VALUES, *METHOD_FLAGS])
TARGETS = st.sampled_from(["", "node", "node a.js", "-- node"])
CALLS = ("tools/call --tool-name echo", "prompts/get --prompt-name p", "resources/read --uri test://a")


def parsed_command(argv: list[str]) -> tuple[str, ...]:
    """Return the server command that the full parser starts."""
    invocation = complete(read(argv, {}, CATALOG).unwrap(), {}, {}, CATALOG).unwrap()
    assert isinstance(begin(invocation.plan()), StartedPlan)
    assert not invocation.output.dry_run
    assert isinstance(invocation.target, Stdio)
    assert invocation.target == Stdio(invocation.target.command)
    return invocation.target.command


@settings(max_examples=1000)
@drawn(
    st.sampled_from(["", "node", "node a.js", "-- node"]),
    st.sampled_from([*METHOD_FLAGS, *CALLS]),
    st.lists(WORDS, max_size=6),
)
@example("node", "tools/list", [])
def test_fast_path_agrees_with_the_full_parser(target: str, method: str, more: list[str]) -> None:
    own = method.partition(" ")
    lines = (
        [target, "--method", method, *more],
        ["--method", method, *more, target],
        [method, *more, target],
        [own[0], target, own[2], *more, ""],
    )
    for line in lines:
        argv = [word for part in line[:-1] for word in part.split()] + line[-1].split()
        command = plain_command(argv, {})

        assert not command or command == parsed_command(argv)


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("node a.js --method tools/list", "node a.js"),
        ("node a.js --method ping --structured --verbose --timeout 5s --era modern", "node a.js"),
        ("node a.js --method tools/call --tool-name echo --tool-arg 'message=hi there' --tool-arg n=1", "node a.js"),
        ('node a.js --method tools/call --tool-name echo --tool-args \'{"message": "hi", "n": -1}\'', "node a.js"),
        ("--method resources/read --uri file:///a%20b -- node a.js", ""),
        ("--method resources/read --uri test://static/1 -- node a.js --port 1", "node a.js --port 1"),
        ("tools/list node a.js", "node a.js"),
        ("tools/list --structured -- node a.js --method x", "node a.js --method x"),
        ("tools/call --tool-name echo -- node a.js", "node a.js"),
        ("node a.js -- --port 3000 --method discover --compact", "node a.js --port 3000"),
        ("node a.js --method prompts/get --prompt-name simple-prompt --prompt-arg city=Ulm", "node a.js"),
    ],
)
def test_common_command_lines_take_the_fast_path(line: str, command: str) -> None:
    assert plain_command(shlex.split(line), {"PATH": "/bin"}) == tuple(command.split())


@pytest.mark.parametrize(
    "line",
    [
        "",
        "node a.js",
        "node a.js --structured",
        "node a.js --method",
        "node a.js --method acme/list",
        "node a.js --method tools/call",
        "node a.js --method prompts/get --prompt-name p --prompt-arg a=1 --prompt-arg a=2",
        "node a.js --method tools/call --tool-name echo --tool-name add",
        "node a.js --method tools/call --tool-name echo --tool-args {",
        "node a.js --method tools/call --tool-name echo --tool-args {} --tool-arg a=1",
        "node a.js --method tools/call --tool-arg a=1",
        "node a.js --method tools/call --tool-name",
        "node a.js --method tools/list --uri a",
        "node a.js --method tools/list --timeout soon",
        "node a.js --method tools/list --structured=false",
        "node a.js --method tools/list --structured b.js",
        "node a.js --method tools/list b.js",
        "node a.js --method tools/list --dry-run",
        "node a.js --method tools/list --help",
        "tools/list",
        "tools/list --method tools/list node a.js",
        "tools/call node a.js --tool-name echo",
        "node a.js --method ping --method tools/list",
        "http://127.0.0.1/mcp --method tools/list",
        "--method tools/list",
        "--method tools/list -- http://127.0.0.1/mcp",
        "--demo --method tools/list",
    ],
)
def test_other_command_lines_skip_the_fast_path(line: str) -> None:
    assert plain_command(line.split(), {}) == ()


def test_mcpi_variable_disables_the_fast_path() -> None:
    assert plain_command(["node", "--method", "ping"], {"MCPI_DRY_RUN": "1"}) == ()
