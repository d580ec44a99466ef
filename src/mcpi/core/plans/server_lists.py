"""Fetch everything that a server lists."""

from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import as_object
from mcpi.core.outcome.faults import Fault, RpcError
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.pagination import all_pages, elements
from mcpi.core.plans.steps import Call, Steps, attempt_all, catch_failure, must
from mcpi.core.wire.notifications import SERVER_LISTS, TOOLS
from mcpi.core.wire.server_info import NegotiatedServer


def all_lists(server: NegotiatedServer) -> Steps[tuple[dict[str, Printable], dict[str, Fault]]]:
    """Fetch the declared lists with all their pages; return the results, and the faults of the lists that failed.

    The first pages are requested concurrently; each result has an array under the key of its list.
    """
    silent = server.capabilities.value in ({}, None)
    # A dry run does not know the capabilities, so it includes every list.
    wanted = [
        one
        for one in SERVER_LISTS
        if server.declares(one.capability) or not server.was_asked_for_capabilities or (silent and one is TOOLS)
    ]
    outcomes = yield from attempt_all([Call(one.method) for one in wanted])
    lists: dict[str, Printable] = {}
    faults: dict[str, Fault] = {}
    for one, outcome in zip(wanted, outcomes, strict=True):
        match (yield from catch_failure(_all_pages(one.method, one.key, outcome))):
            case Success(whole):
                lists[one.key] = whole
            case Failure(fault) if not isinstance(fault, RpcError) or not _optional(one.key, silent=silent):
                faults[one.key] = fault
            case _:
                pass
    return lists, faults


def _all_pages(method: str, key: str, first: Result[Exact]) -> Steps[Printable]:
    whole = yield from all_pages(method, key, first=(yield from must(first)))
    # Splitting a large array into its elements costs as much as parsing it, so a valid array is not split.
    if isinstance(whole, Exact) and not isinstance(as_object(whole.value).get(key), list):
        yield from must(elements(whole, key))
    return whole


def _optional(key: str, *, silent: bool) -> bool:
    # A server that declares resources may lack templates; one that declares nothing may lack tools.
    return silent or key == "resourceTemplates"
