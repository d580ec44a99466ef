"""Hints about words of the command line that explain why a call failed."""

from collections.abc import Sequence

from mcpi.core.cli.words import NAMED
from mcpi.core.flags.declare import GivenFlags
from mcpi.core.flags.pairs import is_pair
from mcpi.core.flags.types import TIMEOUTS, timeout_hint
from mcpi.core.outcome.faults import Fault, Invalid, OperationFailed, RpcError, TimedOut
from mcpi.core.plans.catalog import HintSource
from mcpi.core.secrets.detection import mask_words


def with_hints_on_words(hints: HintSource, given: GivenFlags, method: str, server: Sequence[str]) -> HintSource:
    """Add hints about timeouts that expire too early, and about arguments that the server's command contains."""
    values = given.values
    written = {flag: values[flag][-1].strip() for flag in TIMEOUTS if flag in values}
    units = tuple(told for flag, text in written.items() if (told := timeout_hint(flag, text)))
    arguments = _passed_arguments(given, method, server) if server else ()
    if not units and not arguments:
        return hints

    def with_more(fault: Fault) -> tuple[str, ...]:
        match fault:
            case TimedOut():
                return (*hints(fault), *units)
            case Invalid() | RpcError() | OperationFailed(code="TOOL_ERROR"):
                return (*hints(fault), *arguments)
            case _:
                return hints(fault)

    return with_more


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
