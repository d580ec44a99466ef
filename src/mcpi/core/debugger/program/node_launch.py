"""Launch Node.js with an inspector, and parse its debugger messages on stderr."""

import re
from collections.abc import Mapping

from attrs import evolve

from mcpi.core.frozen import frozen
from mcpi.core.targets.target import Stdio

PORT, HOST, MAX_PORT = 9229, "127.0.0.1", 65_535
OPTION = "--inspect-brk=0"
"""Stop before the first line, and listen on any free port, which avoids conflicts."""
LISTEN_OPTION = "--inspect=0"
"""Listen on any free port, without stopping the program."""
_NODE = re.compile(r"(?:.*[/\\])?node(?:js)?(?:\.exe)?", re.DOTALL)
_FLAG = re.compile(r"--inspect(?:-brk|-wait)?(?:=[\"']?(?P<where>[^\s\"';&|]+)|(?![\w-]))")
_WORD_FLAG = re.compile(r"\s--inspect(?:-brk|-wait)?(?:=\S+)?(?=\s|$)")
_SHELL_SYNTAX = re.compile(r"[;&|`\n]|\$\(")
_PORT = re.compile(r"--(?:inspect|debug)-port[= ][\"']?(?:[^\s\"']*:)?(?P<port>[0-9]{1,5})(?![0-9])")
_NUMBER = re.compile(r"[0-9]{1,5}")
_ADDRESS = re.compile(r"(?P<host>\[[^\]]+\]|[^:]+)(?::(?P<port>[0-9]{1,5}))?")
_LISTENING = re.compile(r"Debugger listening on (?P<url>ws://\S+)")
_PORT_IN_USE = re.compile(r"Starting inspector on (?P<address>\S+) failed: address already in use")
_DEBUGGER_MESSAGE = re.compile(
    r"Debugger listening on ws://\S+$|^For help, see: https://nodejs\.org/|Debugger attached\.$"
    r"|Waiting for the debugger to disconnect\.\.\.$|Debugger ending on ws://\S+$"
)
_WILDCARD_HOSTS = {"0.0.0.0": HOST, "[::]": "[::1]"}  # noqa: S104 - parsed, not bound


@frozen
class Address:
    """The address that an inspector listens on."""

    host: str
    port: int

    def __str__(self) -> str:
        """Format the address as Node.js does."""
        return f"{self.host}:{self.port}"


def fixed_addresses(command: str) -> tuple[Address, ...]:
    """Return the addresses that must be free before the command runs, without port 0 and invalid ports."""
    given = _PORT.search(command)
    default = int(given["port"]) if given else PORT
    found = (_address(match["where"] or "", default) for match in _FLAG.finditer(command))
    return tuple(dict.fromkeys(address for address in found if 0 < address.port <= MAX_PORT))


def inherited_by_children(command: str) -> str | None:
    """Return the command that debugs child processes as well; None if it does already, or is not a simple command."""
    if "NODE_OPTIONS" in command or _SHELL_SYNTAX.search(command):
        return None
    rest = _WORD_FLAG.sub("", command, count=1)
    return None if rest == command else f"NODE_OPTIONS={OPTION} {rest}"


def _address(where: str, default: int) -> Address:
    if _NUMBER.fullmatch(where):
        return Address(HOST, int(where))
    match = _ADDRESS.fullmatch(where)
    if match is None:
        return Address(HOST, default)
    host = _WILDCARD_HOSTS.get(match["host"], match["host"])
    return Address(host.strip("[]"), int(match["port"]) if match["port"] else default)


def inspector_url(line: str) -> str | None:
    """Return the inspector's URL, if a line of the child's stderr announces it."""
    match = _LISTENING.search(line)
    if match is None:
        return None
    # Node.js prints the address that it bound; clients cannot connect to a wildcard address.
    return re.sub(r"0\.0\.0\.0|\[::\]", lambda found: _WILDCARD_HOSTS[found[0]], match["url"], count=1)


def port_of(url: str) -> int | None:
    """Return the port of an inspector's URL."""
    match = re.match(r"wss?://(?:\[[^\]]*\]|[^/:]+):(?P<port>[0-9]{1,5})(?:/|$)", url)
    return int(match["port"]) if match else None


def inspector_address(url: str, address: Address) -> str:
    """Replace the host and port of an inspector's URL with those of the address."""
    host = f"[{address.host}]" if ":" in address.host else address.host
    return re.sub(r"^(wss?://)[^/]*", lambda match: f"{match[1]}{host}:{address.port}", url)


def port_in_use(line: str) -> str | None:
    """Return the address in use, if the line reports one; Node.js then runs the program without a debugger."""
    match = _PORT_IN_USE.search(line)
    return match["address"] if match else None


def program_text(line: str) -> str | None:
    """Return a line of stderr without the debugger message of Node.js; None if it contains nothing else."""
    # The message follows the program's text directly if the text does not end with a line break.
    message = _DEBUGGER_MESSAGE.search(line)
    return (line[: message.start()] or None) if message else line


def with_inspector(target: Stdio, environment: Mapping[str, str], option: str = OPTION) -> Stdio:
    """Return the target with an option that makes Node.js wait for a debugger, or only listen for one."""
    program, *arguments = target.command
    if _NODE.fullmatch(program):
        # As an argument, the option applies to this process, its workers and forks, but not to other child programs.
        return evolve(target, command=(program, option, *arguments))
    # npx, npm run and sh -c pass the environment on to the actual server; each earlier Node.js process is resumed.
    before = target.env.get("NODE_OPTIONS", environment.get("NODE_OPTIONS", ""))
    return evolve(target, env={**target.env, "NODE_OPTIONS": f"{before} {option}".strip()})
