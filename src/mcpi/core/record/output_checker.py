"""Check the results of tools against the tools' output schemas, for --validate."""

from typing import cast

from mcpi.core.jsontext.exact import Exact, Printable, to_plain
from mcpi.core.jsontext.values import Json, as_list, as_object, as_text
from mcpi.core.outcome import explain
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.pagination import all_pages, elements
from mcpi.core.plans.plan import StartedPlan
from mcpi.core.plans.steps import (
    Call,
    Plan,
    Steps,
    catch_failure,
    check,
    connect,
    must,
    report_violation,
    request,
    warn,
)
from mcpi.core.wire.violations import Violation, quote

REASON = "to validate the result against the tool's outputSchema"
FIRST_VERSION = "2025-06-18"
"""The first protocol version with output schemas."""


class OutputChecker:
    """The output schemas of the tools on one connection."""

    def __init__(self) -> None:
        """Start without known tools."""
        self._schemas: dict[str, Json] = {}
        self._has_all = False

    def checked(self, begun: StartedPlan) -> StartedPlan:
        """Let the plan report a violation for each result that does not match the output schema of its tool."""
        plan = self._checked(begun)
        return StartedPlan(plan, next(plan))

    def _checked(self, begun: StartedPlan) -> Plan:
        plan, step = begun.plan, begun.step
        while True:
            reply = yield step
            if type(step) is Call:
                yield from self._examine(step, reply.unwrap() if isinstance(reply, Success) else reply)
            try:
                step = plan.send(reply)
            except StopIteration as done:
                return cast("Printable", done.value)

    def _examine(self, call: Call, result: object) -> Steps[None]:
        if not isinstance(result, Exact):
            return
        if call.method == "tools/list":
            self._add(as_list(as_object(result.value).get("tools")))
        # A result without these members starts a task, or asks for input.
        is_final = not as_object(result.value).keys().isdisjoint({"content", "structuredContent"})
        if call.method == "tools/call" and is_final and result.get("isError") is not True:
            yield from self._check(as_text(as_object(to_plain(call.params)).get("name")), result)

    def _check(self, tool: str, result: Exact) -> Steps[None]:
        server = yield from connect()
        schema = (yield from self._schema(tool)) if server.version >= FIRST_VERSION else None
        if schema is None:
            return
        # MCP 2025-11-25, tools: "Servers MUST provide structured results that conform to this schema."
        structured = result.members().get("structuredContent")
        if structured is None:
            detail = f"the result of {tool!r} has no structuredContent, which its outputSchema requires"
            yield from report_violation(Violation("output-schema", detail, quote(result.text)))
            return
        for pointer, problem in (yield from check(structured.value, schema)):
            if pointer is None:
                yield from warn(f"the result of {tool!r} was not validated against its outputSchema: {problem}")
                continue
            detail = f"the result of {tool!r} violates its outputSchema at /structuredContent{pointer}: {problem}"
            yield from report_violation(Violation("output-schema", detail, quote(structured.text)))

    def _schema(self, tool: str) -> Steps[Json]:
        """Return the tool's output schema, or None; the tools are fetched once if the tool is unknown."""
        if tool not in self._schemas and not self._has_all:
            self._has_all = True
            match (yield from catch_failure(_all_tools())):
                case Success(tools):
                    self._add([one.value for one in tools])
                case Failure(fault):
                    yield from warn(f"results are not validated against outputSchema: {explain.sentence(fault)}")
        return self._schemas.get(tool)

    def _add(self, tools: list[Json]) -> None:
        for one in map(as_object, tools):
            self._schemas[as_text(one.get("name"))] = one.get("outputSchema")


def _all_tools() -> Steps[list[Exact]]:
    first = yield from request("tools/list", None, REASON)
    whole = yield from all_pages("tools/list", "tools", first=first)
    return (yield from must(elements(whole, "tools")))
