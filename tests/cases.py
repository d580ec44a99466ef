"""One faulty server, and the expected result."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from attrs import frozen

from running import Measured, Web, measured

PONG: Any = {"content": [{"type": "text", "text": "pong"}]}
NOTHING: Any = object()
"""Nothing on stdout."""
CALL = ("--method", "tools/call", "--tool-name", "echo")
LIST = ("--method", "tools/list")
SHORT = ("--timeout", "1s", "--connect-timeout", "1s")
"""Timeouts for servers that do not respond; all others get LONG, which exceeds the time limit of a case."""
LONG = ("--timeout", "20s", "--connect-timeout", "20s")
SMALL = ("--max-message-bytes", "1m")
SECRET = "s3cr3t-t0k3n"  # noqa: S105 - not a real secret
STATUS_CODES = {401: "AUTHENTICATION_FAILED", 403: "AUTHENTICATION_FAILED", 429: "RATE_LIMITED"}
"""The error codes of HTTP statuses; the others have HTTP_STATUS."""
Faulty = Callable[..., tuple[str, ...]]
FaultyWeb = Callable[[str, str], Web]

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@frozen
class Case:
    """The name of the fault, the command line, and the expected result."""

    name: str
    out: Any = PONG
    """The result, as JSON; in raw mode it is all of stdout."""
    evidence: tuple[str, ...] = ()
    """The evidence: on stderr in raw mode, somewhere in the document under --structured."""
    rules: tuple[str, ...] | None = ()
    """The rules of the violations, in order; None if their number is random."""
    code: str | None = None
    exit: int = 0
    verbatim: str = ""
    """The text of the result, as it was sent."""
    flags: tuple[str, ...] = ()
    method: tuple[str, ...] = CALL
    time: tuple[str, ...] = LONG
    within: float = 6.0
    """The limit in seconds."""
    memory: float = 80.0
    """The limit in MiB."""

    def __str__(self) -> str:
        """The test ID."""
        return self.name


def failing(name: str, code: str, *evidence: str, **more: Any) -> Case:
    """A fault after which there is no result."""
    return Case(name, out=NOTHING, evidence=evidence, code=code, exit=1, **more)


def timeout(name: str, *evidence: str, code: str = "REQUEST_TIMEOUT", **more: Any) -> Case:
    """A fault that ends in a timeout."""
    return Case(name, out=NOTHING, evidence=evidence, code=code, exit=124, time=SHORT, **more)


def rpc_error(name: str, error: Any, **more: Any) -> Case:
    """A fault that ends in a JSON-RPC error from the server."""
    return Case(name, out={"error": error}, code="JSON_RPC_ERROR", exit=2, **more)


def other_origin(web: Web) -> list[Any]:
    """The requests received on the server's other port."""
    return [request for request in web.seen() if request["port"] != web.port]


def documented(*cases: Case) -> list[Case]:
    """The cases whose structured document contains more than the result."""
    return [case for case in cases if case.code or case.rules]


def run(case: Case, *target: str, env: dict[str, str] | None = None) -> Measured:
    """Run the case with this target."""
    return measured(*case.method, *case.time, *case.flags, *target, env=env)


def check_plain(case: Case, *target: str, env: dict[str, str] | None = None) -> None:
    """Run the case, and check the plain output."""
    ran = run(case, *target, env=env)
    _check_both(case, ran)
    if case.verbatim:
        assert ran.stdout == f"{case.verbatim}\n"
    elif case.out is NOTHING:
        assert ran.stdout == ""
    else:
        assert ran.json == case.out
    for words in case.evidence:
        assert words in ran.stderr
    if case.code == "JSON_RPC_ERROR":
        assert " failed: " in ran.stderr
    elif not case.evidence and not case.rules:
        assert ran.stderr == ""


def check_structured(case: Case, *target: str) -> Any:
    """Run the case, check the structured output, and return it."""
    ran = run(case, "--structured", *target)
    _check_both(case, ran)
    if case.verbatim:
        assert f',"result":{case.verbatim},"error":null,' in ran.stdout
        return None
    document = ran.json
    code = document["error"] and document["error"]["code"]
    assert (document["success"], code) == (case.code is None, case.code)
    if case.code == "JSON_RPC_ERROR":
        assert {"error": document["error"]["rpc"]} == case.out
    else:
        assert document["result"] == (None if case.out is NOTHING else case.out)
    if case.rules is not None:
        assert tuple(violation["rule"] for violation in document["violations"]) == case.rules
    found = list(_strings(document))
    for words in case.evidence:
        assert any(words in text for text in found), words
    return document


def _check_both(case: Case, ran: Measured) -> None:
    assert ran.exit_code == case.exit, ran.stderr[:2000]
    assert "Traceback" not in ran.stderr
    assert "mcpi itself failed" not in ran.stderr
    assert "never retrieved" not in ran.stderr
    assert not _CONTROLS.search(ran.stderr)
    assert not ran.left
    assert ran.seconds < case.within
    assert ran.memory < case.memory


def _strings(value: Any) -> Iterator[str]:
    stack = [value]
    while stack:
        match stack.pop():
            case str(text):
                yield text
            case dict(members):
                stack += [*members, *members.values()]
            case list(elements):
                stack += elements
            case other:
                yield json.dumps(other)
