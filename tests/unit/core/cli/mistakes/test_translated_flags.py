"""Flags of other tools are translated, and unknown flags of tools become arguments."""

import shlex

import pytest

from mcpi.core.cli.foreign_flags import BASIC
from mcpi.core.cli.mistakes.corrected_line import CorrectedLine
from mcpi.core.cli.mistakes.translated_flags import without_foreign_flag
from mcpi.core.flags.declare import by_spelling
from mcpi.core.flags.options import GROUPS
from mcpi.plugins.methods.prompts import GetPrompt
from mcpi.plugins.methods.tools.tools import CallTool

KNOWN = by_spelling((*GROUPS, CallTool, GetPrompt))
BODY = '{"jsonrpc":"2.0","method":"tools/list","params":{"a":1}}'


def translated(flag: str, line: str) -> str | None:
    """Return the line without the flag."""
    found = without_foreign_flag(flag, shlex.split(line), KNOWN)
    return None if found is None else " ".join((*found.argv, *found.rest.split()))


@pytest.mark.parametrize(
    ("flag", "line", "right"),
    [
        ("-sku", "tools/call w -sku=A1 -- node", "tools/call w sku=A1 -- node"),
        ("-value", "tools/call w -value=1 --demo", "tools/call w value=1 --demo"),
        ("-b", "tools/call w -b 3 --demo", "tools/call w b=3 --demo"),
        ("-3", "tools/call w --b -3 --demo", "tools/call w b=-3 --demo"),
        ("-3", "tools/call w -b -3 --demo", None),
        ("-3", "-3 --demo", None),
        ("--a", "--demo tools/call w --a 2", "--demo tools/call w a=2"),
        ("--a", "tools/call http://h w --a 2", "tools/call http://h w a=2"),
        ("--a", "http://h call w --a 2", "http://h call w a=2"),
        ("--a", "--method tools/call -n w --a 2 --demo", "--method tools/call -n w --tool-arg a=2 --demo"),
        ("--a", "prompts/get p --a 2 --config f", "prompts/get p a=2 --config f"),
        ("--a", "tools/call w --a 2 node x.js", "tools/call w a=2 node x.js"),
        ("--a", "tools/call w --a node x.js", None),
        ("--a", "tools/call w --a 2 mine", None),
        ("--a", "tools/call w node x.js --a 2", None),
        ("--a", "tools/call --a 2 w --demo", None),
        ("--a", "--demo --a 2", None),
        ("--timout", "tools/call w --timout 2 --demo", None),
    ],
)
def test_unknown_flag_after_a_name_is_an_argument(flag: str, line: str, right: str | None) -> None:
    assert translated(flag, line) == right


@pytest.mark.parametrize(
    ("flag", "line", "right"),
    [
        ("-d", "tools/call w a=1 -d {} --demo", "tools/call w a=1 --demo"),
        ("--list", "s.json --list --demo", "s.json --demo"),
        ("--query", "tools/call w --query x --demo", "tools/call w query=x --demo"),
        ("--query", "tools/call w --query .x --demo", "tools/call w --demo | jq .x"),
        ("--url", "tools/call w --url http://h -- node", "tools/call w url=http://h -- node"),
        ("--name", "tools/call w --name x --demo", "tools/call w name=x --demo"),
        ("--name", "tools/call --name w --demo", "tools/call --tool-name w --demo"),
        ("--input", "tools/call w --input x --demo", "tools/call w input=x --demo"),
        ("--input", "tools/call w --input {} --demo", "tools/call w --tool-args {} --demo"),
        ("--input", "tools/call w --input=a=1 --demo", "tools/call w --tool-arg=a=1 --demo"),
        ("--args", "prompts/get p --args a=1 --demo", "prompts/get p --prompt-arg a=1 --demo"),
        ("--arg", "tools/call w --arg a --demo", "tools/call w --tool-arg a --demo"),
        ("--arg", "tools/call w --arg {} --demo", "tools/call w --tool-args {} --demo"),
        ("--data", "tools/call w --data x --demo", "tools/call w data=x --demo"),
        ("-d", "tools/call w -d a=1 --demo", "tools/call w --tool-arg a=1 --demo"),
        ("--assert", "tools/call w --assert /a=1 --demo", "tools/call w --expect /a=1 --demo"),
        ("--assert", "tools/call w --assert x --demo", "tools/call w assert=x --demo"),
        ("--select", "tools/call w --select .x --demo", "tools/call w --demo | jq .x"),
        ("-t", "tools/call w -t x --demo", "tools/call w t=x --demo"),
        ("-t", "tools/call w -t httpx --demo", "tools/call w t=httpx --demo"),
        ("-t", "ping -t http http://h", "ping --transport http http://h"),
        ("--token-x", "tools/call w --format json --demo", None),
        ("--format", "tools/call w --format json --demo", "tools/call w --demo"),
    ],
)
def test_flag_of_another_tool_may_be_an_argument(flag: str, line: str, right: str | None) -> None:
    assert translated(flag, line) == right


@pytest.mark.parametrize(
    ("flag", "line", "right"),
    [
        ("-k", "s.json -k name -- node a.js", "s.json -- node a.js"),
        ("-k", "--script s.json -k name --demo", "--script s.json --demo"),
        ("--filter", "s.json --filter=.a --demo", "s.json --demo"),
        ("--grep", "s.json --grep name http://h", "s.json http://h"),
        ("-k", "-k s.json --demo", None),
        ("-k", "s.json -k -- node a.js", None),
        ("-k", "s.json -k node a.js", None),
        ("-k", "s.json -k http://h", None),
        ("-k", "s.json node a.js -k name", None),
        ("-k", "ping -k http://h", "ping http://h"),
        ("-k", "ping -k --demo", None),
        ("--grep", "ping --grep x --demo", None),
    ],
)
def test_flag_that_selects_tests_is_omitted_from_a_script(flag: str, line: str, right: str | None) -> None:
    assert translated(flag, line) == right


@pytest.mark.parametrize(
    ("flag", "line", "right"),
    [
        ("-r", "tools/call w -r --demo", "tools/call w --demo | jq -r '.content[].text'"),
        ("--text", "call w a=1 --text -- node", "call w a=1 -- node | jq -r '.content[].text'"),
        ("-r", "tools/list -r --demo", None),
        (
            "--filter",
            "prompts/list --filter a --demo",
            "prompts/list --demo | jq '.prompts[] | select(.name | contains(\"a\"))'",
        ),
        ("--filter", "tools/list --config mcp.json --filter .a", "tools/list --config mcp.json | jq .a"),
        ("--filter", "discover --filter a --demo", None),
        ("--filter", "tools/list --filter= --demo", None),
        ("--snapshot", "tools/list --snapshot --demo", None),
    ],
)
def test_output_is_filtered_with_jq(flag: str, line: str, right: str | None) -> None:
    assert translated(flag, line) == right


@pytest.mark.parametrize(
    ("flag", "line", "right"),
    [
        ("--url", "tools/call w a=1 --url http://h", "tools/call http://h w a=1"),
        ("--url", "--url http://h tools/call w", "tools/call http://h w"),
        ("--url", "--url=http://h tools/call w", "tools/call http://h w"),
        ("--url", "--url http://h ping", "http://h ping"),
        ("--url", "ping node a.js --url http://h", None),
        ("--http", "ping --http=http://h", "ping http://h"),
        ("--stdio", "ping --stdio 'node a.js'", "ping -- node a.js"),
        ("--stdio", "ping --stdio node a.js", "ping -- node a.js"),
        ("--stdio", "ping --stdio -- node a.js", "ping -- node a.js"),
        ("-L", "-L http://h ping", "http://h ping"),
        ("-i", "ping docker run -i x", None),
        ("--command", "ping --command node a.js --quiet", "ping --quiet -- node a.js"),
        ("--command", "ping --command node a.js b", "ping b -- node a.js"),
        ("--command", "ping --command uvx pkg", "ping -- uvx pkg"),
        ("--command", "ping --command mine pkg", "ping pkg -- mine"),
        ("--command", "ping --command=node x", "ping x -- node"),
        ("--command", "ping --command node -- a.js", "ping -- node a.js"),
        ("--target", "ping --target 'node a.js'", "ping -- node a.js"),
    ],
)
def test_flag_for_the_target_becomes_the_target(flag: str, line: str, right: str | None) -> None:
    assert translated(flag, line) == right


@pytest.mark.parametrize(
    ("line", "right"),
    [
        (f"http://h -d '{BODY}'", 'tools/list http://h --params {"a":1}'),
        ('http://h -d \'{"jsonrpc":"2.0","method":"ping"}\'', "ping http://h"),
        ('http://h -d \'{"jsonrpc":"2.0"}\'', "http://h"),
        (f"tools/list http://h -d '{BODY}'", "tools/list http://h"),
        ("ping http://h -d {}", "ping --params {} http://h"),
        ("ping http://h -d {", "ping http://h --params {"),
        ('tools/call w a=1 -d \'{"n":2,"s":"x"}\' http://h', 'tools/call w a=1 n:=2 s:="x" http://h'),
        ("tools/call w -a a=1 -d '{\"n\":2}' --demo", "tools/call w -a a=1 n:=2 --demo"),
        ("-m tools/call -n w -a a=1 -d '{\"n\":2}' --demo", "-m tools/call -n w -a a=1 --tool-arg n:=2 --demo"),
        ("tools/call w -d '{\"n\":\"a=b\"}' 'http://h/?a=b'", 'tools/call w --tool-args {"n":"a=b"} http://h/?a=b'),
        ("tools/call w a=1 -d '{\"\":2}' --demo", 'tools/call w a=1 --tool-args {"":2} --demo'),
    ],
)
def test_body_of_a_request_becomes_a_method_with_parameters(line: str, right: str) -> None:
    found = translated("-d", line)

    assert found is not None
    assert sorted(found.split()) == sorted(right.split())


@pytest.mark.parametrize(
    ("line", "right"), [("--max-time 5 ping", "--timeout 5s ping"), ("--max-time=5s ping", "--timeout=5s ping")]
)
def test_seconds_of_curl_get_their_unit(line: str, right: str) -> None:
    assert translated("--max-time", line) == right


@pytest.mark.parametrize(
    ("flag", "line", "right"),
    [
        ("-u", "ping -u me:x http://h", f"ping -H {BASIC} http://h"),
        ("--user", "tools/call w --user me --demo", "tools/call w user=me --demo"),
        ("--user", "tools/call w --user me:x http://h", f"tools/call w -H {BASIC} http://h"),
        ("-u", "ping -u", None),
        ("--variables-file", "--script a.json --variables-file v.json", "--script a.json --var NAME=VALUE"),
        ("--inspect", "ping --inspect=0 -- node a.js", "ping --breakpoint FILE:1 --expression CODE -- node a.js"),
        ("--inspect", "ping --inspect 9229 -- node", "ping --breakpoint FILE:1 --expression CODE -- node"),
        ("--inspect", "tools/call w --inspect 1 -- a", "tools/call w --breakpoint FILE:1 --expression CODE -- a"),
        ("--json", "tasks/get --json 5 --demo", "tasks/get 5 --demo"),
        ("--inspect-brk", "ping node --inspect-brk a.js", None),
    ],
)
def test_flag_with_an_incomplete_counterpart_becomes_a_placeholder(flag: str, line: str, right: str | None) -> None:
    assert translated(flag, line) == right


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("ping --demo", "--retry waits 1, 2, then 4 s"),
        (
            "--script a.json --demo",
            'to retry a step, add "retry": {"times": 3, "interval": "2s"} to it; --retry only retries connecting',
        ),
    ],
)
def test_pause_between_retries_depends_on_the_mode(target: str, reason: str) -> None:
    argv = [*target.split(), "--retry-delay", "2s"]

    assert without_foreign_flag("--retry-delay", argv, KNOWN) == CorrectedLine(tuple(target.split()), reason)
