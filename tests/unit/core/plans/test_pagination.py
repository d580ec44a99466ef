"""Pages of a list are joined without losing or inventing data."""

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


def test_single_page_list_is_unchanged() -> None:
    page: Json = {"ttlMs": 5, "tools": [A], "extra": None}

    assert tools(ListFlags(), first(page)) == PlanResult(exact(page))


def test_all_pages_are_fetched_and_joined() -> None:
    ended = tools(ListFlags(), first({"tools": [A], "nextCursor": "2"}), after("2", {"tools": [B]}))

    assert ended == PlanResult({"tools": [exact(A), exact(B)]})


def test_other_members_keep_the_order_of_the_first_page() -> None:
    ended = tools(
        ListFlags(),
        first({"_meta": {"page": 1}, "tools": [A], "nextCursor": "2", "ttlMs": 5}),
        after("2", {"cacheScope": "private", "tools": [B], "ttlMs": 7}),
    )

    assert dump(ended.result) == (
        f'{{"_meta":{{"page":1}},"tools":[{dump(A)},{dump(B)}],"ttlMs":5,"cacheScope":"private"}}'
    )


def test_page_without_the_list_is_treated_as_empty() -> None:
    ended = tools(ListFlags(), first({"nextCursor": "2"}), after("2", {"tools": [B]}))

    assert ended == PlanResult({"tools": [exact(B)]})


@pytest.mark.parametrize("pages", [({"oops": 1}, [B]), ([A], {"oops": 1})])
def test_page_with_a_non_array_list_is_an_invalid_response(pages: tuple[Json, Json]) -> None:
    ended = tools(ListFlags(), first({"tools": pages[0], "nextCursor": "2"}), after("2", {"tools": pages[1]}))

    assert isinstance(ended.fault, InvalidResponse)
    assert ended.fault.problem == "expected an array as 'tools' in the result, found object"


def test_list_can_start_at_a_cursor() -> None:
    assert tools(ListFlags(cursor="7"), after("7", {"tools": [A]})) == PlanResult(exact({"tools": [A]}))


def test_one_page_flag_fetches_only_one_page() -> None:
    page: Json = {"tools": [A], "nextCursor": "2"}

    assert tools(ListFlags(one_page=True), first(page)) == PlanResult(exact(page))


@pytest.mark.parametrize("cursor", [None, 5, {}])
def test_non_string_cursor_ends_the_list(cursor: Json) -> None:
    page: Json = {"tools": [A], "nextCursor": cursor}

    assert tools(ListFlags(), first(page)) == PlanResult(exact(page))


def test_empty_cursor_is_followed() -> None:
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


def test_repetition_of_the_user_supplied_cursor_is_reported() -> None:
    violation = Violation("repeated-cursor", "tools/list returned a cursor that it had returned before", "7")
    page: Json = {"tools": [A], "nextCursor": "7"}

    assert tools(ListFlags(cursor="7"), after("7", page), (ReportViolation(violation), None)) == PlanResult(exact(page))


def test_endless_list_is_reported_and_stopped() -> None:
    pages = [after(str(n - 1), {"tools": [], "nextCursor": str(n)}) for n in range(2, MAX_PAGES + 1)]
    violation = Violation("endless-pages", f"tools/list had more than {MAX_PAGES} pages", str(MAX_PAGES))
    ended = tools(ListFlags(), first({"tools": [], "nextCursor": "1"}), *pages, (ReportViolation(violation), None))

    assert ended == PlanResult({"tools": [], "nextCursor": exact(str(MAX_PAGES))})


def test_first_page_already_fetched_is_not_requested_again() -> None:
    plan = all_pages("tools/list", "tools", first=exact({"tools": [A], "nextCursor": "2"}))

    assert replay(plan, after("2", {"tools": [B]})) == PlanResult({"tools": [exact(A), exact(B)]})


def test_failed_page_fails_the_list() -> None:
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
                    "expected an array as 'tools' in the result, found object",
                    ('{"tools":{"a":1}}',),
                )
            ),
        ),
        (
            exact({}),
            Failure(
                InvalidResponse(
                    "INVALID_RESPONSE", "expected an array as 'tools' in the result, found nothing", ("{}",)
                )
            ),
        ),
        (
            exact([]),
            Failure(
                InvalidResponse(
                    "INVALID_RESPONSE", "expected an array as 'tools' in the result, found nothing", ("[]",)
                )
            ),
        ),
    ],
)
def test_elements_returns_the_array_or_an_invalid_response(whole: Printable, outcome: Result[object]) -> None:
    assert elements(whole, "tools") == outcome


def test_find_returns_the_element_and_all_names() -> None:
    ended = replay(find("b", "tools/list", "tools"), first({"tools": [A, B]}))

    assert ended == PlanResult((exact(B), ("a", "b")))


def test_find_returns_the_first_of_two_elements_with_one_name() -> None:
    other: Json = {"name": "a", "other": True}
    ended = replay(find("a", "tools/list", "tools"), first({"tools": [A, other, B]}))

    assert ended.result == (exact(A), ("a", "b"))


def test_find_returns_all_names_if_no_element_matches() -> None:
    ended = replay(find("c", "tools/list", "tools"), first({"tools": [A, B]}))

    assert ended.result == (None, ("a", "b"))


def test_find_skips_elements_without_a_string_name() -> None:
    invalid: list[Json] = [{"name": 5}, {}, None, {"name": read(nested(DEEP)).value}]
    ended = replay(find("b", "tools/list", "tools"), first({"tools": [*invalid, B]}))

    assert ended.result == (exact(B), ("b",))


def test_find_fails_if_the_result_has_no_list() -> None:
    ended = replay(find("c", "tools/list", "tools"), first({}))

    assert ended.fault == InvalidResponse(
        "INVALID_RESPONSE", "expected an array as 'tools' in the result, found nothing", ("{}",)
    )
