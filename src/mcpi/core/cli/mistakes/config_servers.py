"""Correct words that name a server of the config file."""

import re
from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve

from mcpi.core.cli.foreign_flags import MEANT
from mcpi.core.cli.mistakes.missing_names import TAKES_ONE, starts_server
from mcpi.core.cli.pasteable import pasteable
from mcpi.core.cli.split import SEPARATOR, before_separator, value_of
from mcpi.core.cli.words import NAMED, SCRIPTS, TARGETS, is_url, named_flags, roles
from mcpi.core.flags.declare import Flag
from mcpi.core.flags.pairs import NO_PAIR, is_pair
from mcpi.core.outcome.faults import Correction, Fault, Invalid, with_correction
from mcpi.core.secrets.detection import mask_url
from mcpi.core.targets.target import NEEDS_SERVER, with_interpreter

_URL_WITH_TOOL = re.compile(r"(https?://[^/]+/[^?#]*[\w-])\.([A-Za-z_]\w*)")
_WITH_NAME = ("tools/call", "prompts/get", "describe")
"""The methods that take the name of a tool or prompt."""
_FILES = (*SCRIPTS, ".lock")


def may_name_server(fault: Fault, argv: Sequence[str], known: Mapping[str, Flag]) -> bool:
    """Tell whether a line with --config lacks --server, and perhaps has a superfluous word or SERVER.TOOL."""
    if not isinstance(fault, Invalid):
        return False
    problem = fault.problem
    is_likely = fault.where == "--config" or problem.startswith((NO_PAIR, NEEDS_SERVER)) or TAKES_ONE in problem
    if not is_likely and fault.code != "UNKNOWN_METHOD":
        return False
    return named_flags(before_separator(argv), known) & {"--config", "--server"} == {"--config"}


def lacks_target(fault: Fault, argv: Sequence[str], known: Mapping[str, Flag]) -> bool:
    """Tell whether a word of a line without a target may be the name of a configured server."""
    if not isinstance(fault, Invalid) or fault.code not in {"MISSING_ARGUMENT", "UNKNOWN_METHOD"}:
        return False
    if SEPARATOR in argv or named_flags(argv, known) & {*TARGETS}:
        return False
    return not any(is_url(argv[at]) or starts_server(argv[at]) for at in roles(argv, known).bare)


def with_known_server(
    fault: Invalid, argv: Sequence[str], known: Mapping[str, Flag], paths: Mapping[str, str]
) -> Invalid:
    """Correct the word that is a configured server, possibly before a tool: SERVER.TOOL; else name a server."""
    flags, bare = roles(before_separator(argv), known)
    # A single word after tools/call is the name of a tool.
    takes_word = bool(bare) and argv[bare[0]] in NAMED and all(is_pair(argv[at]) for at in bare[2:])
    values = [at + 1 for at in flags if (flag := known.get(argv[at])) is not None and flag.name == "--tool-name"]
    for at in (*bare, *values):
        word = "".join(argv[at : at + 1])
        name, tool = _split_name(word, paths) if _may_contain_tool(at, argv, bare) else (word, "")
        if name in paths and (tool or not (takes_word or at in values)):
            found = Invalid("INVALID_ARGUMENT", "", f"{name!r} is a server in {paths[name]}")
            return with_correction(found, Correction(argv[at], (*((tool,) if tool else ()), "--server", name)))
    if not paths or not (fault.where == "target" or fault.problem.startswith(NEEDS_SERVER)):
        return fault
    name, path = next(iter(paths.items()))
    line = f"for example: mcpi {pasteable((*argv, '--server', name))}"
    if fault.where != "target":
        return evolve(fault, hints=(*fault.hints, line))
    return evolve(fault, hints=(f"{path} configures servers, {line}", *fault.hints))


def _may_contain_tool(place: int, argv: Sequence[str], bare: Sequence[int]) -> bool:
    """Tell whether the word may be SERVER.TOOL: if the method takes a name, or instead of a method; not a file."""
    method = value_of(("--method", "-m"), before_separator(argv))
    word = "".join(argv[place : place + 1])
    if word.endswith(_FILES) or starts_server(word):
        return False
    called = method or "".join(argv[at] for at in bare[:1])
    return MEANT.get(called, called) in _WITH_NAME or (method is None and place in bare[:1])


def _split_name(word: str, servers: Iterable[str]) -> tuple[str, str]:
    """Split SERVER.TOOL, SERVER__TOOL or mcp__SERVER__TOOL; return any other word with an empty tool."""
    for name in servers:
        for start in (f"{name}.", f"{name}__", f"mcp__{name}__"):
            if word.startswith(start) and word != start:
                return name, word.removeprefix(start)
    return word, ""


def joined_tool(words: Sequence[str], known: Mapping[str, Flag]) -> Invalid | None:
    """Return the fault for a URL that is joined with the name of the tool: call URL.TOOL key=value."""
    method, url, *rest = (*(words[at] for at in roles(words, known).bare), "", "")
    found = _URL_WITH_TOOL.fullmatch(url)
    is_call = MEANT.get(method, method) == "tools/call" and all(map(is_pair, filter(None, rest)))
    if found is None or not is_call or with_interpreter(url):
        return None
    fault = Invalid("INVALID_ARGUMENT", "", f"{mask_url(url)!r} is a URL joined with the name of a tool")
    return with_correction(fault, Correction(url, (found[1], found[2])))
