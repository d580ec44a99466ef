"""Lists that come in pages are put together, and nothing of them is lost or made up."""

import pytest

from json_texts import DEEP, nested
from json_texts import exact as read
from mcpi.core.jsontext.exact import Printable
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import InvalidResponse, RpcError
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.pagination import MAX_PAGES, ListFlags, all_pages, elements, find
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.steps import Call, ReportViolation, Step
from mcpi.core.wire.violations import Violation
from support.replay import exact, replay

A: Json = {"name": "a", "n": 1.50}
B: Json = {"name": "b"}


def first(page: Json) -> tuple[Step, object]:
    return Call("tools/list"), exact(page)


def after(cursor: str, page: Json) -> tuple[Step, object]:
    return Call("tools/list", {"cursor": cursor}), exact(page)


def tools(flags: ListFlags, *exchanges: tuple[Step, object]) -> PlanResult:
    return replay(all_pages("tools/list", "tools", flags), *exchanges)


def test_a_list_of_one_page_is_left_as_it_came() -> None:
    page: Json = {"ttlMs": 5, "tools": [A], "extra": None}

    assert tools(ListFlags(), first(page)) == PlanResult(exact(page))


def test_pages_are_followed_to_the_end_and_joined() -> None:
    ended = tools(ListFlags(), first({"tools": [A], "nextCursor": "2"}), after("2", {"tools": [B]}))

    assert ended == PlanResult({"tools": [exact(A), exact(B)]})


def test_what_stands_beside_the_pages_stays_in_the_order_of_the_first() -> None:
    ended = tools(
        ListFlags(),
        first({"_meta": {"page": 1}, "tools": [A], "nextCursor": "2", "ttlMs": 5}),
        after("2", {"cacheScope": "private", "tools": [B], "ttlMs": 7}),
    )

    assert dump(ended.result) == (
        f'{{"_meta":{{"page":1}},"tools":[{dump(A)},{dump(B)}],"ttlMs":5,"cacheScope":"private"}}'
    )


def test_a_page_without_the_list_adds_nothing() -> None:
    ended = tools(ListFlags(), first({"nextCursor": "2"}), after("2", {"tools": [B]}))

    assert ended == PlanResult({"tools": [exact(B)]})


@pytest.mark.parametrize("pages", [({"oops": 1}, [B]), ([A], {"oops": 1})])
def test_nothing_that_a_page_has_instead_of_the_list_is_dropped(pages: tuple[Json, Json]) -> None:
    ended = tools(ListFlags(), first({"tools": pages[0], "nextCursor": "2"}), after("2", {"tools": pages[1]}))

    assert isinstance(ended.fault, InvalidResponse)
    assert ended.fault.problem == "expected an array as 'tools' of the result, found object"


def test_the_list_may_begin_at_a_cursor() -> None:
    assert tools(ListFlags(cursor="7"), after("7", {"tools": [A]})) == PlanResult(exact({"tools": [A]}))


def test_one_page_is_one_page() -> None:
    page: Json = {"tools": [A], "nextCursor": "2"}

    assert tools(ListFlags(one_page=True), first(page)) == PlanResult(exact(page))


@pytest.mark.parametrize("cursor", [None, 5, {}])
def test_a_cursor_that_is_no_string_is_the_end(cursor: Json) -> None:
    page: Json = {"tools": [A], "nextCursor": cursor}

    assert tools(ListFlags(), first(page)) == PlanResult(exact(page))


def test_an_empty_cursor_is_a_cursor() -> None:
    ended = tools(ListFlags(), first({"tools": [A], "nextCursor": ""}), after("", {"tools": [B]}))

    assert ended == PlanResult({"tools": [exact(A), exact(B)]})


def test_a_repeated_cursor_is_reported_and_not_followed() -> None:
    violation = Violation("repeated-cursor", "tools/list returned a cursor that it had returned before", "2")
    ended = tools(
        ListFlags(),
        first({"tools": [A], "nextCursor": "2"}),
        after("2", {"tools": [B], "nextCursor": "2"}),
        (ReportViolation(violation), None),
    )

    assert ended == PlanResult({"tools": [exact(A), exact(B)], "nextCursor": exact("2")})


def test_the_cursor_that_the_user_gave_counts_as_sent_before() -> None:
    violation = Violation("repeated-cursor", "tools/list returned a cursor that it had returned before", "7")
    page: Json = {"tools": [A], "nextCursor": "7"}

    assert tools(ListFlags(cursor="7"), after("7", page), (ReportViolation(violation), None)) == PlanResult(exact(page))


def test_a_list_without_an_end_is_reported_and_left() -> None:
    pages = [after(str(n - 1), {"tools": [], "nextCursor": str(n)}) for n in range(2, MAX_PAGES + 1)]
    violation = Violation("endless-pages", f"tools/list had more than {MAX_PAGES} pages", str(MAX_PAGES))
    ended = tools(ListFlags(), first({"tools": [], "nextCursor": "1"}), *pages, (ReportViolation(violation), None))

    assert ended == PlanResult({"tools": [], "nextCursor": exact(str(MAX_PAGES))})


def test_a_page_that_is_already_there_is_not_asked_for() -> None:
    plan = all_pages("tools/list", "tools", first=exact({"tools": [A], "nextCursor": "2"}))

    assert replay(plan, after("2", {"tools": [B]})) == PlanResult({"tools": [exact(A), exact(B)]})


def test_a_page_that_fails_ends_it() -> None:
    fault = RpcError(-32602, "stale cursor", exact({}))
    call = Call("tools/list", {"cursor": "2"})

    assert tools(ListFlags(), first({"tools": [A], "nextCursor": "2"}), (call, Failure(fault))) == PlanResult(
        None, fault
    )


@pytest.mark.parametrize(
    ("whole", "outcome"),
    [
        (exact({"tools": [A]}), Success([exact(A)])),
        ({"tools": [exact(A), exact(B)]}, Success([exact(A), exact(B)])),
        (exact({"tools": []}), Success([])),
        (
            exact({"tools": {"a": 1}}),
            Failure(
                InvalidResponse(
                    "INVALID_RESPONSE",
                    "expected an array as 'tools' of the result, found object",
                    ('{"tools":{"a":1}}',),
                )
            ),
        ),
        (
            exact({}),
            Failure(
                InvalidResponse(
                    "INVALID_RESPONSE", "expected an array as 'tools' of the result, found nothing", ("{}",)
                )
            ),
        ),
        (
            exact([]),
            Failure(
                InvalidResponse(
                    "INVALID_RESPONSE", "expected an array as 'tools' of the result, found nothing", ("[]",)
                )
            ),
        ),
    ],
)
def test_the_elements_of_a_list_or_what_is_there_instead(whole: Printable, outcome: Result[object]) -> None:
    assert elements(whole, "tools") == outcome


def test_the_element_of_a_name_is_found_beside_all_names() -> None:
    ended = replay(find("b", "tools/list", "tools"), first({"tools": [A, B]}))

    assert ended == PlanResult((exact(B), ("a", "b")))


def test_of_two_with_one_name_the_first_is_found() -> None:
    other: Json = {"name": "a", "other": True}
    ended = replay(find("a", "tools/list", "tools"), first({"tools": [A, other, B]}))

    assert ended.result == (exact(A), ("a", "b"))


def test_no_element_of_that_name_leaves_the_names() -> None:
    ended = replay(find("c", "tools/list", "tools"), first({"tools": [A, B]}))

    assert ended.result == (None, ("a", "b"))


def test_what_is_called_by_no_string_has_no_name() -> None:
    strange: list[Json] = [{"name": 5}, {}, None, {"name": read(nested(DEEP)).value}]
    ended = replay(find("b", "tools/list", "tools"), first({"tools": [*strange, B]}))

    assert ended.result == (exact(B), ("b",))


def test_no_list_is_nothing_to_look_in() -> None:
    ended = replay(find("c", "tools/list", "tools"), first({}))

    assert ended.fault == InvalidResponse(
        "INVALID_RESPONSE", "expected an array as 'tools' of the result, found nothing", ("{}",)
    )
