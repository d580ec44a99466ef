"""How Node.js is told to listen to a debugger, and what it says of that on stderr."""

import re
from collections.abc import Mapping

from attrs import evolve

from mcpi.core.frozen import frozen
from mcpi.core.targets.target import Stdio

PORT, HOST, _LAST = 9229, "127.0.0.1", 65_535
OPTION = "--inspect-brk=0"
"""Any free port: nobody else can be there."""
_NODE = re.compile(r"(?:.*[/\\])?node(?:js)?(?:\.exe)?", re.DOTALL)
_FLAG = re.compile(r"--inspect(?:-brk|-wait)?(?:=[\"']?(?P<where>[^\s\"';&|]+)|(?![\w-]))")
_PORT = re.compile(r"--(?:inspect|debug)-port[= ][\"']?(?:[^\s\"']*:)?(?P<port>[0-9]{1,5})(?![0-9])")
_NUMBER = re.compile(r"[0-9]{1,5}")
_ADDRESS = re.compile(r"(?P<host>\[[^\]]+\]|[^:]+)(?::(?P<port>[0-9]{1,5}))?")
_LISTENING = re.compile(r"Debugger listening on (?P<url>ws://\S+)")
_TAKEN = re.compile(r"Starting inspector on (?P<address>\S+) failed: address already in use")
_CHATTER = re.compile(
    r"Debugger listening on ws://|For help, see: https://nodejs\.org/|Debugger attached\.$"
    r"|Waiting for the debugger to disconnect\.\.\.$|Debugger ending on ws://"
)
_ANY = {"0.0.0.0": HOST, "[::]": "[::1]"}  # noqa: S104 - these are read, not bound


@frozen
class Address:
    """Where an inspector is to listen."""

    host: str
    port: int

    def __str__(self) -> str:
        """As Node.js writes it."""
        return f"{self.host}:{self.port}"


def fixed_addresses(command: str) -> tuple[Address, ...]:
    """The addresses that must be free before the command is run; 0 always is, and what is no port Node.js refuses."""
    given = _PORT.search(command)
    default = int(given["port"]) if given else PORT
    found = (_address(match["where"] or "", default) for match in _FLAG.finditer(command))
    return tuple(dict.fromkeys(address for address in found if 0 < address.port <= _LAST))


def _address(where: str, default: int) -> Address:
    if _NUMBER.fullmatch(where):
        return Address(HOST, int(where))
    match = _ADDRESS.fullmatch(where)
    if match is None:
        return Address(HOST, default)
    host = _ANY.get(match["host"], match["host"])
    return Address(host.strip("[]"), int(match["port"]) if match["port"] else default)


def listening(line: str) -> str | None:
    """The URL to attach to, if the line says it; only what our own child says counts."""
    match = _LISTENING.search(line)
    if match is None:
        return None
    # Node.js prints the address that it bound; nobody can connect to "any".
    return re.sub(r"0\.0\.0\.0|\[::\]", lambda any_: _ANY[any_[0]], match["url"], count=1)


def port_taken_line(line: str) -> str | None:
    """The address that somebody else has, if the line says so: Node.js then runs the program undebugged."""
    match = _TAKEN.search(line)
    return match["address"] if match else None


def is_chatter(line: str) -> bool:
    """Whether the line is Node.js talking of the debugger rather than the program."""
    return _CHATTER.match(line) is not None


def inspected(target: Stdio, environment: Mapping[str, str]) -> Stdio:
    """The same server, waiting for a debugger before it runs."""
    program, *arguments = target.command
    if _NODE.fullmatch(program):
        # As an argument it reaches this process, its workers and forks, but not other programs that it starts.
        return evolve(target, command=(program, OPTION, *arguments))
    # npx, npm run and sh -c hand the environment down to the Node.js that matters; each one on the way is let go on.
    before = target.env.get("NODE_OPTIONS", environment.get("NODE_OPTIONS", ""))
    return evolve(target, env={**target.env, "NODE_OPTIONS": f"{before} {OPTION}".strip()})
