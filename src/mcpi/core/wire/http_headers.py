"""HTTP headers that accompany a message, and faults for HTTP statuses."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from attrs import evolve

from mcpi.core.jsontext.exact import Exact, Params
from mcpi.core.jsontext.values import Json, JsonObject, as_object, type_name
from mcpi.core.lazy_pattern import lazy_pattern
from mcpi.core.outcome.faults import Correction, HttpFailed, InvalidResponse, with_correction
from mcpi.core.wire.jsonrpc import Id, RpcResponse, parse
from mcpi.core.wire.modern import params_by_name
from mcpi.core.wire.urls import join_url, origin
from mcpi.core.wire.versions import has_version_header
from mcpi.core.wire.violations import quote

BAD_REQUEST, NOT_FOUND = 400, 404
_REFUSED_STREAM = (400, 405, 406)
"""The statuses with which a Streamable HTTP server answers a GET without a session."""
JSON, WEB_PAGE = "application/json", "text/html"
FIRST_REQUESTS = ("server/discover", "initialize")
ACCEPT = "application/json, text/event-stream"
SESSION, VERSION, LAST_EVENT = "mcp-session-id", "mcp-protocol-version", "last-event-id"
METHOD = "mcp-method"
DIAGNOSTIC_HEADERS = (
    "www-authenticate",
    "retry-after",
    "location",
    "content-type",
    "allow",
    "mcp-session-id",
    "dpop-nonce",
)
"""The response headers that help to diagnose a failure."""
HTTP_LEVEL_STATUSES = (401, 403, 407, 429)
"""Statuses that are HTTP failures even if the body is a JSON-RPC message."""
NAME_PARAMS = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
NAME_PARAMS |= dict.fromkeys(("tasks/get", "tasks/update", "tasks/cancel", "tasks/result"), "taskId")

_WRAPPED = lazy_pattern(r"=\?base64\?.*\?=")
_TOKEN = lazy_pattern(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_PRIMITIVE = frozenset({"string", "integer", "boolean"})
# The keywords of JSON Schema 2020-12 that hold schemas; x-mcp-header has no meaning below any other keyword.
_SCHEMAS = frozenset({"items", "contains", "unevaluatedItems", "additionalProperties", "propertyNames", "not", "if"})
_SCHEMAS |= {"then", "else", "contentSchema", "unevaluatedProperties", "allOf", "anyOf", "oneOf", "prefixItems"}
_NAMED_SCHEMAS = frozenset({"patternProperties", "dependentSchemas", "$defs", "definitions"})
_ANNOTATION = "x-mcp-header"
_REDIRECTS = range(300, 400)


def headers(method: str, params: Params | None, version: str, *, modern: bool) -> dict[str, str]:
    """Return the headers that mirror a message."""
    if not modern:
        # MCP 2025-06-18 onwards, transports: after negotiation each request MUST carry the version.
        return {VERSION: version} if has_version_header(version) else {}
    mirrored = {VERSION: version}
    if method:
        mirrored[METHOD] = encode_header_value(method)
    named = NAME_PARAMS.get(method)
    value = params_by_name(params).get(named) if named else None
    if isinstance(value, Exact):
        value = value.value if isinstance(value.value, str) else None
    if isinstance(value, str):
        mirrored["mcp-name"] = encode_header_value(value)
    return mirrored


def is_modern(mirrored: Mapping[str, str]) -> bool:
    """Tell whether the headers mirror a message of the modern era."""
    return METHOD in mirrored


def encode_header_value(value: str) -> str:
    """Encode the value for use in a header."""
    # MCP 2026-07-28, transports: a value is sent as =?base64?…?= if it is not visible ASCII or looks encoded.
    plain = value.isascii() and value.isprintable() and value == value.strip() and not _WRAPPED.fullmatch(value)
    return value if plain else f"=?base64?{b64encode(value.encode(errors='surrogatepass')).decode()}?="


def encode_event_id(last: str) -> str | None:
    """Return the event id as a value for Last-Event-ID, or None if no header can carry it."""
    # RFC 9110, 5.5: surrounding whitespace is not part of a value, and control characters are not allowed in it.
    return None if {"\v", "\f"} & set(last) else last.strip(" \t")


def header_annotation_problem(schema: Json) -> str | None:
    """Return the reason why a tool's `x-mcp-header` annotations are invalid, or None if they are valid."""
    seen: dict[str, str] = {}
    for path, node in _positions(schema):
        if _ANNOTATION not in node:
            continue
        problem = _problem(path, node)
        if problem is not None:
            return problem
        where, name = ".".join(path or ()), str(node[_ANNOTATION]).lower()
        if name in seen:
            return f"{_ANNOTATION} {node[_ANNOTATION]!r} of {where!r} is already used by {seen[name]!r}"
        seen[name] = where
    return None


def _problem(path: tuple[str, ...] | None, node: JsonObject) -> str | None:
    name, kind = node[_ANNOTATION], node.get("type")
    if not path:
        return f"{_ANNOTATION} is allowed only on an argument"
    where = ".".join(path)
    if not isinstance(name, str):
        return f"{_ANNOTATION} of {where!r} is of type {type_name(name)}, not a string"
    if not _TOKEN.fullmatch(name):
        return f"{_ANNOTATION} {name!r} of {where!r} is not a valid header name"
    if not isinstance(kind, str) or kind not in _PRIMITIVE:
        return f"{_ANNOTATION} of {where!r} is allowed only on strings, integers and booleans"
    return None


def param_headers(schema: Json, arguments: Mapping[str, Json]) -> dict[str, str]:
    """Return the Mcp-Param-* headers that a tool's schema requires."""
    mirrored: dict[str, str] = {}
    for path, node in _positions(schema):
        value = _value(path, arguments) if path and _ANNOTATION in node else None
        if isinstance(value, bool):
            mirrored[f"mcp-param-{node[_ANNOTATION]}"] = "true" if value else "false"
        elif isinstance(value, str | int | float):
            mirrored[f"mcp-param-{node[_ANNOTATION]}"] = encode_header_value(str(value))
    return mirrored


def _value(path: tuple[str, ...], arguments: Mapping[str, Json]) -> Json:
    value: Json = dict(arguments)
    for name in path:
        value = as_object(value).get(name)
    return value


def _positions(schema: Json) -> Iterator[tuple[tuple[str, ...] | None, JsonObject]]:
    """Yield all nested schemas, each with its path if only `properties` lead to it, else with None."""
    stack: list[tuple[tuple[str, ...] | None, Json]] = [((), schema)]
    while stack:
        path, node = stack.pop()
        if isinstance(node, dict):
            yield path, node
            stack += _subschemas(path, node)


def _subschemas(path: tuple[str, ...] | None, node: JsonObject) -> list[tuple[tuple[str, ...] | None, Json]]:
    found: list[tuple[tuple[str, ...] | None, Json]] = []
    for keyword, value in node.items():
        if keyword == "properties":
            inner = as_object(value).items()
            found += [((*path, name) if path is not None else None, part) for name, part in inner]
        elif keyword in _NAMED_SCHEMAS:
            found += [(None, part) for part in as_object(value).values()]
        elif keyword in _SCHEMAS:
            found += [(None, part) for part in (value if isinstance(value, list) else [value])]
    return found


def http_failure(status: int, url: str, answer: Mapping[str, str], body: str, doing: str) -> HttpFailed:
    """Build the fault for an unexpected HTTP status."""
    fault = _failure(status, url, answer, body, doing)
    if status == BAD_REQUEST and doing in FIRST_REQUESTS:
        # MCP 2025-11-25, transports: servers of the older transport may answer the first POST with 400, 404 or 405.
        fault = evolve(fault, hints=("if the server uses the older HTTP+SSE transport, add --transport sse",))
    return with_correction(fault, _usual_endpoint(url) if status == NOT_FOUND else None)


def event_stream_failure(status: int, url: str, answer: Mapping[str, str], body: str) -> HttpFailed:
    """Build the fault for an unexpected HTTP status of the event stream that opens the older transport."""
    fault = _failure(status, url, answer, body, "GET")
    if status in _REFUSED_STREAM:
        # MCP 2025-11-25, transports: a GET needs a session, and a server without event streams answers with 405.
        way = "use --transport http" if urlsplit(url).path.endswith("/sse") else "omit --transport sse"
        return evolve(fault, hints=(f"if the server uses Streamable HTTP, {way}",))
    return with_correction(fault, _usual_endpoint(url, "sse") if status == NOT_FOUND else None)


def _failure(status: int, url: str, answer: Mapping[str, str], body: str, doing: str) -> HttpFailed:
    shown = {name.lower(): value for name, value in answer.items() if name.lower() in DIAGNOSTIC_HEADERS}
    problem, hints = _sentence(status, url, doing, shown), _hints(status, shown)
    return HttpFailed(status, url, problem, shown, quote(body.strip()), hints)


def unexpected_body(status: int, url: str, kind: str, body: str, doing: str) -> InvalidResponse:
    """Build the fault for a successful HTTP response without a message of the protocol."""
    evidence = (body,) if body else ()
    if kind != WEB_PAGE or doing not in FIRST_REQUESTS:
        what = f"content type {kind or 'none'}" if kind != JSON else "a body without a response"
        problem = f"{url} answered {doing} with HTTP status {status} and {what if body else 'an empty body'}"
        return InvalidResponse("INVALID_RESPONSE", problem, evidence)
    problem = f"{url} is not an MCP endpoint: it answered {doing} with a web page (content type {kind})"
    usual = _usual_endpoint(url)
    hints = () if usual is not None else ("check the path of the URL; most servers use /mcp",)
    return with_correction(InvalidResponse("INVALID_RESPONSE", problem, evidence, hints), usual)


def _usual_endpoint(url: str, usual: str = "mcp") -> Correction | None:
    """Correct a URL without a path, as a server's start-up message may have only the origin, and a misspelt path."""
    parts = urlsplit(url)
    last = parts.path.removesuffix("/").rpartition("/")[2]
    if parts.query or parts.fragment:
        return None
    if parts.path in {"", "/"}:
        return Correction(url, (f"{url.rstrip('/')}/{usual}",))
    is_misspelt = last != usual and sorted(last.lower()) == sorted(usual)
    return Correction(url, (f"{url.removesuffix('/').removesuffix(last)}{usual}",)) if is_misspelt else None


def has_response_to(body: bytes, number: Id) -> bool:
    """Tell whether the body holds the response to this request, and not an error without an id."""
    return any(isinstance(message, RpcResponse) and message.id == number for message in parse(body)[0])


def _sentence(status: int, url: str, doing: str, shown: Mapping[str, str]) -> str:
    problem = f"{url} answered {doing} with HTTP status {status}"
    if status not in _REDIRECTS or "location" not in shown:
        return problem
    where = "" if origin(join_url(url, shown["location"])) == origin(url) else " to another origin"
    return f"{problem}: a redirect to {shown['location']}{where}, which mcpi does not follow"


def _hints(status: int, shown: Mapping[str, str]) -> tuple[str, ...]:
    challenge = shown.get("www-authenticate", "")
    match status:
        case 401 | 403 if "invalid_token" in challenge:
            return ("the server rejected the token; it may have expired or be for another server",)
        case 401 | 403 if "insufficient_scope" in challenge:
            return ("the token lacks a required scope; get one with more scopes",)
        case 401 | 403:
            return ("pass a valid token with --token env:NAME, or another credential with --header",)
        case 404 | 405:
            return ("check the path of the URL, and --transport (http, or the older sse)",)
        case _:
            return ()
