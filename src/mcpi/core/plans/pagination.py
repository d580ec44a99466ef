"""Fetch paginated lists and merge their pages."""

from collections.abc import Mapping
from typing import cast

from mcpi.core.flags.types import Cursor
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.outcome.faults import InvalidResponse
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.steps import Steps, must, report_violation, request
from mcpi.core.wire.violations import Violation, quote

MAX_PAGES = 1000
"""Maximum number of pages; a longer list counts as endless."""


@frozen(kw_only=True)
class ListFlags:
    """The part of a list to fetch."""

    cursor: Cursor | None = None
    """Start at this cursor."""
    one_page: bool = False
    """Fetch only one page; by default nextCursor is followed to the end."""


ALL_PAGES = ListFlags()


def all_pages(
    method: str,
    key: str,
    flags: ListFlags = ALL_PAGES,
    first: Exact | None = None,
    about: Mapping[str, Printable] | None = None,
) -> Steps[Printable]:
    """Fetch the whole list as one result; a single page is returned unchanged."""
    cursor = flags.cursor
    page = first if first is not None else (yield from request(method, _page_params(cursor, about)))
    pages = [page]
    seen = {cursor}
    while not flags.one_page:
        cursor = _next_cursor(page)
        if cursor is None:
            break
        if cursor in seen or len(pages) >= MAX_PAGES:
            yield from report_violation(_endless_violation(method, cursor, repeated=cursor in seen, pages=len(pages)))
            break
        seen.add(cursor)
        page = yield from request(method, _page_params(cursor, about))
        pages.append(page)
    if len(pages) == 1:
        return page
    found: list[Exact] = []
    for page in pages:
        if key in page.members():
            found += yield from must(elements(page, key))
    return {**_other_members(pages), key: found}


def _page_params(cursor: str | None, about: Mapping[str, Printable] | None) -> Mapping[str, Printable] | None:
    return about if cursor is None else {**(about or {}), "cursor": cursor}


def _next_cursor(page: Exact) -> str | None:
    cursor = page.get("nextCursor")
    return cursor if isinstance(cursor, str) else None


def _endless_violation(method: str, cursor: str, *, repeated: bool, pages: int) -> Violation:
    if repeated:
        return Violation("repeated-cursor", f"{method} returned a cursor that it had returned before", quote(cursor))
    return Violation("endless-pages", f"{method} had more than {pages} pages", quote(cursor))


def _other_members(pages: list[Exact]) -> dict[str, Printable]:
    """Merge the pages' other members; the first page with a member wins, and the last one sets nextCursor."""
    whole: dict[str, Printable] = {}
    for page in pages:
        whole = {**whole, **page.members(), **whole}
    last = pages[-1].members()
    whole.pop("nextCursor", None)
    if "nextCursor" in last:
        whole["nextCursor"] = last["nextCursor"]
    return whole


def elements(whole: Printable, key: str) -> Result[list[Exact]]:
    """Return the elements of a list result, or a fault if it has no array under the key."""
    if isinstance(whole, Mapping):
        return Success(cast("list[Exact]", whole[key]))
    assert isinstance(whole, Exact)
    inner = whole.members().get(key)
    if inner is None or inner.kind != "array":
        kind = "nothing" if inner is None else inner.kind
        return Failure(
            InvalidResponse(
                "INVALID_RESPONSE", f"expected an array as {key!r} in the result, found {kind}", (quote(whole.text),)
            )
        )
    return Success(inner.elements())


def find(name: str, method: str, key: str, reason: str = "") -> Steps[tuple[Exact | None, tuple[str, ...]]]:
    """Return the element with that name, or None, and the names of all elements; `reason` marks an implicit request."""
    whole = yield from all_pages(method, key, first=(yield from request(method, None, reason)))
    found = yield from must(elements(whole, key))
    pairs = ((one.get("name"), one) for one in reversed(found))
    named = {own: one for own, one in pairs if isinstance(own, str)}
    return named.get(name), tuple(reversed(named))
