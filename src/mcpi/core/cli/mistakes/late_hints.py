"""Hints about words of the command line that explain why a call failed."""

from collections.abc import Mapping, Sequence

from mcpi.core.cli.words import NAMED
from mcpi.core.flags.declare import GivenFlags
from mcpi.core.flags.pairs import is_pair
from mcpi.core.flags.types import TIMEOUTS, timeout_hint
from mcpi.core.outcome.faults import Fault, Invalid, OperationFailed, RpcError, TimedOut
from mcpi.core.plans.catalog import HintSource
from mcpi.core.secrets.detection import mask_words


def with_hints_on_words(hints: HintSource, given: GivenFlags, method: str, server: Sequence[str]) -> HintSource:
    """Add hints about timeouts that expire too early, and about arguments that the server's command contains."""
    units = _unit_hints(given).values()
    arguments = _passed_arguments(given, method, server) if server else ()
    if not units and not arguments:
        return hints

    def with_more(fault: Fault) -> tuple[str, ...]:
        match fault:
            case TimedOut():
                return (*hints(fault), *(unit for unit in units if unit not in fault.hints))
            case Invalid() | RpcError() | OperationFailed(code="TOOL_ERROR"):
                return (*hints(fault), *arguments)
            case _:
                return hints(fault)

    return with_more


def limit_hints(given: GivenFlags) -> Mapping[str, str]:
    """Return the hints about limits that expire: on values without a unit, and on --timeout, which limits all phases.

    The steps of a script may have limits of their own.
    """
    units, given_flags = _unit_hints(given), given.values.keys()
    timeout = units.get("--timeout")
    connecting = timeout or "for slow servers, use a longer --timeout"
    is_common = "--timeout" in given_flags and "--connect-timeout" not in given_flags
    common = {"--connect-timeout": connecting} if is_common else {}
    if "--script" in given_flags:
        return common
    return {**common, **({"--follow": timeout} if timeout else {}), **units}


def _unit_hints(given: GivenFlags) -> Mapping[str, str]:
    values = given.values
    written = {flag: values[flag][-1].strip() for flag in TIMEOUTS if flag in values}
    return {flag: told for flag, text in written.items() if (told := timeout_hint(flag, text))}


def _passed_arguments(given: GivenFlags, method: str, server: Sequence[str]) -> tuple[str, ...]:
    """Return the hint on key=value words at the end of the server's command, if the call has no arguments."""
    name, argument = NAMED.get(method, ("", ""))
    if not argument or {argument, f"{argument}s", "--params"} & given.values.keys():
        return ()
    last = next((at for at, word in enumerate(reversed(server)) if not is_pair(word) or word[0] == "-"), 0)
    if not last:
        return ()
    owner = name.strip("-").partition("-")[0]
    words = " ".join(tuple(mask_words(server))[-last:])
    return (f"{words} was passed to the server; to pass it to the {owner}, put it before --",)
