"""Launching Node.js with an inspector, and parsing its messages."""

import pytest

from mcpi.core.debugger.program.node_launch import (
    Address,
    fixed_addresses,
    inherited_by_children,
    inspector_address,
    inspector_url,
    port_in_use,
    port_of,
    program_text,
    with_inspector,
)
from mcpi.core.targets.target import Stdio

LOCAL = "127.0.0.1"


@pytest.mark.parametrize(
    ("command", "addresses"),
    [
        ("node --inspect-brk=9229 ./test.js", [(LOCAL, 9229)]),
        ("node --inspect-brk test.js", [(LOCAL, 9229)]),
        ("node --inspect-brk=0 test.js", []),
        ("NODE_ENV=test node --inspect-brk='9300' test.js", [(LOCAL, 9300)]),
        ('node "--inspect-brk=9301" test.js', [(LOCAL, 9301)]),
        ("node --inspect-brk=0.0.0.0:9302 test.js", [(LOCAL, 9302)]),
        ("node --inspect-brk=[::1]:9303 test.js", [("::1", 9303)]),
        ("node --inspect-brk=[::]:9304 test.js", [("::1", 9304)]),
        ("node --inspect-brk=localhost:9305 test.js", [("localhost", 9305)]),
        ("node --inspect-brk=localhost test.js", [("localhost", 9229)]),
        ("node --inspect-brk=: test.js", [(LOCAL, 9229)]),
        ("node --inspect-port=9306 --inspect-brk test.js", [(LOCAL, 9306)]),
        ("node --inspect-wait=9307 test.js", [(LOCAL, 9307)]),
        ("node --inspect-brk=9308 a.js && node --inspect-brk=9309 b.js", [(LOCAL, 9308), (LOCAL, 9309)]),
        ("node --inspect-brk=9229 a.js; node --inspect-brk a.js", [(LOCAL, 9229)]),
        ("node --inspect-publish-uid=http test.js", []),
        ("node --inspect-brk=65536 a.js && node --inspect-brk=65535 b.js", [(LOCAL, 65535)]),
        pytest.param(f"node --inspect-brk={'9' * 5000} test.js", [("9" * 5000, 9229)], id="an endless port"),
        pytest.param(f"node --inspect-port={'9' * 5000} --inspect-brk a.js", [(LOCAL, 9229)], id="endless too"),
        ("node --inspect-brk=\u00b2 test.js", [("\u00b2", 9229)]),
        ("npm run debug", []),
    ],
)
def test_fixed_inspector_ports_are_read_from_the_command(command: str, addresses: list[tuple[str, int]]) -> None:
    assert fixed_addresses(command) == tuple(Address(*one) for one in addresses)


def test_address_is_formatted_as_host_and_port() -> None:
    assert str(Address(LOCAL, 9229)) == "127.0.0.1:9229"


@pytest.mark.parametrize(
    ("line", "url"),
    [
        ("Debugger listening on ws://127.0.0.1:9229/uid", "ws://127.0.0.1:9229/uid"),
        ("no line end: Debugger listening on ws://localhost:1/uid", "ws://localhost:1/uid"),
        ("Debugger listening on ws://[::1]:9229/uid", "ws://[::1]:9229/uid"),
        ("Debugger listening on ws://0.0.0.0:9229/uid", "ws://127.0.0.1:9229/uid"),
        ("Debugger listening on ws://[::]:9229/uid", "ws://[::1]:9229/uid"),
        ("Debugger attached.", None),
        ("", None),
    ],
)
def test_inspector_url_is_parsed_from_the_output_of_node(line: str, url: str | None) -> None:
    assert inspector_url(line) == url


def test_port_in_use_is_detected_on_stderr() -> None:
    line = "Starting inspector on 127.0.0.1:9229 failed: address already in use"

    assert (port_in_use(line), port_in_use("address already in use")) == ("127.0.0.1:9229", None)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("Debugger listening on ws://127.0.0.1:9229/uid", None),
        ("For help, see: https://nodejs.org/en/docs/inspector", None),
        ("Debugger attached.", None),
        ("Waiting for the debugger to disconnect...", None),
        ("Debugger ending on ws://127.0.0.1:9229/uid", None),
        ("50 %Waiting for the debugger to disconnect...", "50 %"),
        ("Debugger attached. Or so says the program", "Debugger attached. Or so says the program"),
        ("TypeError: x", "TypeError: x"),
        ("", ""),
    ],
)
def test_debugger_messages_of_node_are_removed_from_stderr(line: str, text: str | None) -> None:
    assert program_text(line) == text


@pytest.mark.parametrize("node", ["node", "/usr/bin/node", "nodejs", "C:\\node.exe"])
def test_node_command_gets_the_inspect_option_as_an_argument(node: str) -> None:
    assert with_inspector(Stdio((node, "a.js", "--x")), {}) == Stdio((node, "--inspect-brk=0", "a.js", "--x"))


@pytest.mark.parametrize("command", [("npx", "tsx", "a.ts"), ("sh", "-c", "node a.js"), ("node-gyp",)])
def test_other_command_gets_the_inspect_option_in_node_options(command: tuple[str, ...]) -> None:
    assert with_inspector(Stdio(command), {}) == Stdio(command, {"NODE_OPTIONS": "--inspect-brk=0"})


def test_inspector_option_may_be_inspect_without_a_break() -> None:
    assert with_inspector(Stdio(("node", "a.js")), {}, "--inspect=0").command == ("node", "--inspect=0", "a.js")


def test_existing_node_options_are_kept() -> None:
    assert with_inspector(Stdio(("npx", "x")), {"NODE_OPTIONS": "--a"}).env == {"NODE_OPTIONS": "--a --inspect-brk=0"}
    own = Stdio(("npx", "x"), {"NODE_OPTIONS": "--b", "C": "d"})
    assert with_inspector(own, {"NODE_OPTIONS": "--a"}).env == {"NODE_OPTIONS": "--b --inspect-brk=0", "C": "d"}


@pytest.mark.parametrize(
    ("url", "port"), [("ws://127.0.0.1:9229/x", 9229), ("ws://[::1]:1/x", 1), ("wss://h:2", 2), ("ws://h/x", None)]
)
def test_port_is_read_from_the_url(url: str, port: int | None) -> None:
    assert port_of(url) == port


def test_inspector_url_uses_the_address_it_was_found_at() -> None:
    assert inspector_address("ws://localhost/x", Address("127.0.0.1", 9229)) == "ws://127.0.0.1:9229/x"
    assert inspector_address("ws://[::]:1/x", Address("::1", 9229)) == "ws://[::1]:9229/x"


@pytest.mark.parametrize(
    ("command", "inherited"),
    [
        ("node --inspect-brk=0 a.js --inspect", "NODE_OPTIONS=--inspect-brk=0 node a.js --inspect"),
        ("npx --inspect-wait jest -i", "NODE_OPTIONS=--inspect-brk=0 npx jest -i"),
        ("node a.js", None),
        ("node --inspect-brks a.js", None),
        ("NODE_OPTIONS=--inspect-brk=0 npx jest", None),
        ("cd a && node --inspect-brk=0 a.js", None),
    ],
)
def test_inspect_option_of_a_simple_command_moves_to_node_options(command: str, inherited: str | None) -> None:
    assert inherited_by_children(command) == inherited
