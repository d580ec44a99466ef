"""The modern era, without a handshake: each request describes the client, and each result names its type."""

from collections.abc import Mapping

from mcpi.core.jsontext.exact import Exact, Params, Printable
from mcpi.core.jsontext.values import Json, as_object
from mcpi.core.wire.server_info import ClientInfo
from mcpi.core.wire.violations import Violation, quote

PREFIX = "io.modelcontextprotocol/"
LOG_LEVEL = f"{PREFIX}logLevel"
COMPLETE, INPUT_REQUIRED, TASK = "complete", "input_required", "task"
KNOWN_RESULTS = (COMPLETE, INPUT_REQUIRED, TASK)
CACHED = frozenset(
    {"tools/list", "resources/list", "resources/templates/list", "prompts/list", "resources/read", "server/discover"}
)
TASKS = f"{PREFIX}tasks"


def request_meta(client: ClientInfo, version: str, log_level: str | None) -> dict[str, Printable]:
    """Return the members of `_meta` that every request carries."""
    # MCP 2026-07-28, RequestMetaObject: version and capabilities are required, clientInfo SHOULD be included.
    meta: dict[str, Printable] = {
        f"{PREFIX}protocolVersion": version,
        f"{PREFIX}clientInfo": {"name": client.name, "version": client.version},
        f"{PREFIX}clientCapabilities": client.capabilities_for("modern"),
    }
    if log_level:
        meta[LOG_LEVEL] = log_level
    return meta


def result_type(result: Exact) -> str:
    """Return the type of a result; the default is complete."""
    kind = result.get("resultType")
    return kind if isinstance(kind, str) else COMPLETE


def check_result(method: str, result: Exact) -> tuple[Violation, ...]:
    """Report the violations of a modern result."""
    members = result.members()
    found: list[Violation] = []
    kind = result.get("resultType")
    if kind is None:
        found.append(Violation("missing-result-type", f"the result of {method} has no resultType", quote(result.text)))
    elif kind not in KNOWN_RESULTS:
        quoted = quote(members["resultType"].text)
        found.append(Violation("unknown-result-type", f"the result of {method} has the unknown resultType {quoted}"))
    missing = [name for name in ("ttlMs", "cacheScope") if name not in members]
    if method in CACHED and kind != INPUT_REQUIRED and missing:
        found.append(Violation("missing-cache-hint", f"the result of {method} lacks {' and '.join(missing)}"))
    return tuple(found)


def params_by_name(params: Params | None) -> dict[str, Printable]:
    """Return the parameters by name, each with its original spelling."""
    return dict(_members_of(params))


def _members_of(params: Params | None) -> Mapping[str, Printable]:
    if params is None:
        return {}
    return params.members() if isinstance(params, Exact) else params


def with_meta(params: Params | None, meta: Mapping[str, Printable]) -> Params | None:
    """Add members to the `_meta` of the params; the user's members win, and non-object params stay unchanged."""
    if not meta or (isinstance(params, Exact) and not isinstance(params.value, dict)):
        return params
    members = _members_of(params)
    if "_meta" not in members:
        return {**members, "_meta": meta}
    given = _object_members(members["_meta"])
    return params if given is None else {**members, "_meta": {**meta, **given}}


def _object_members(value: Printable) -> Mapping[str, Printable] | None:
    """Return the members of the value if it is an object, else None."""
    if isinstance(value, Exact):
        return value.members() if value.kind == "object" else None
    # Checks for abstract classes are slow.
    return value if type(value) is dict or isinstance(value, Mapping) else None


def next_round_params(
    params: Params | None, required: Exact, responses: Mapping[str, Printable]
) -> dict[str, Printable]:
    """Build the params of the next round: the same params, the responses, and the request state unchanged."""
    again = {n: value for n, value in params_by_name(params).items() if n not in {"inputResponses", "requestState"}}
    if responses:
        again["inputResponses"] = responses
    state = required.members().get("requestState")
    if state is not None:
        again["requestState"] = state
    return again


def input_required_problem(required: Exact) -> str | None:
    """Return the reason why an input_required result is invalid, or None if it is valid."""
    members = required.members()
    requests, state = members.get("inputRequests"), members.get("requestState")
    if requests is not None and not isinstance(requests.value, dict):
        return "inputRequests is not an object"
    if not input_requests(required) and (state is None or not isinstance(state.value, str)):
        # MCP 2026-07-28, MRTR: "At least one of inputRequests or requestState MUST be present".
        return "it has neither inputRequests nor requestState"
    odd = [name for name, wanted in input_requests(required).items() if input_request_method(wanted)[0] in {"", "ping"}]
    return f"inputRequests/{odd[0]} is not a valid request" if odd else None


def input_requests(required: Exact) -> Mapping[str, Exact]:
    """Return the server's input requests by name; the responses use the same names."""
    requests = required.members().get("inputRequests")
    return requests.members() if requests is not None else {}


def input_request_method(wanted: Exact) -> tuple[str, Exact | None]:
    """Return the method and the params of one input request."""
    method: Json = as_object(wanted.value).get("method")
    return (method if isinstance(method, str) else ""), wanted.members().get("params")


def progress_token(params: Params | None) -> int | str | None:
    """Return the progress token in the params, or None."""
    meta = _members_of(params).get("_meta")
    token = None if meta is None else (_object_members(meta) or {}).get("progressToken")
    value = token.value if isinstance(token, Exact) else token
    return value if isinstance(value, int | str) and not isinstance(value, bool) else None
