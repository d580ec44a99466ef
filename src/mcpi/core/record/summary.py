"""Human-readable summary of a server: identity, lists, violations and response times."""

from collections import Counter
from collections.abc import Iterator, Sequence

from mcpi.core.jsontext.exact import to_plain
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text
from mcpi.core.plans.reports import TraceEntry
from mcpi.core.text.colors import Paint
from mcpi.core.text.layout import clamp_width
from mcpi.core.text.terminal_safe import escape_controls
from mcpi.core.wire.notifications import SERVER_LISTS

MAX_ENTRIES = 12
"""Maximum number of entries shown per list."""
_COLUMN, _MAX_COLUMN = 14, 40
_HANDSHAKE_METHODS = ("initialize", "server/discover")


def summary_text_lines(document: JsonObject, messages: Sequence[TraceEntry], width: int, paint: Paint) -> list[str]:
    """Format the lines; `document` is the envelope of the run."""
    connection = as_object(document.get("connection"))
    result = as_object(document.get("result"))
    failure = as_object(document.get("error")).get("message")
    wide = clamp_width(width)
    parts = [
        ("protocol", [_protocol(connection)]),
        *([("offers", [_offers(result)])] if "capabilities" in result else []),
        *(
            (one.label, _entries(as_list(result.get(one.key)), wide))
            for one in SERVER_LISTS
            if as_list(result.get(one.key))
        ),
        *([("error", [_short(_text(failure), wide)])] if failure else []),
        ("violations", list(_violations(document, messages, wide, paint))),
        ("timing", [_timing(document, messages)]),
        *([("stderr", _stderr(as_list(document.get("stderr")), wide))] if document.get("stderr") else []),
    ]
    lines = [paint("title", _name(as_object(connection.get("serverInfo"))))]
    for label, shown in parts:
        lines.append(f"  {paint('name', label)}{'':{_COLUMN - 2 - len(label)}}{shown[0]}")
        lines += [f"{'':{_COLUMN}}{line}" for line in shown[1:]]
    return lines


def _name(info: JsonObject) -> str:
    words = [_text(info.get("name")) or "(unnamed server)", _text(info.get("version"))]
    title = _text(info.get("title"))
    return " ".join(word for word in (*words, f"({title})" if title else "") if word)


def _protocol(connection: JsonObject) -> str:
    version = f"{_text(connection.get('protocolVersion'))} ({_text(connection.get('era'))} era)"
    way = _text(connection.get("negotiation"))
    return f"{version} over {_text(connection.get('transport'))}{f'; {way}' if way else ''}"


def _offers(result: JsonObject) -> str:
    """Count the entries of each list, and name the other declared capabilities."""
    counts = [(len(as_list(result.get(one.key))), one.noun) for one in SERVER_LISTS if one.key in result]
    listed = ", ".join(_count(number, noun) for number, noun in counts)
    own = {one.key for one in SERVER_LISTS if one.key in result}
    others = ", ".join(
        name for name, has in as_object(result["capabilities"]).items() if has not in (False, None) and name not in own
    )
    return "; ".join(part for part in (listed, others) if part) or "nothing"


def _entries(entries: Sequence[Json], width: int) -> list[str]:
    shown = [_entry(as_object(entry), width - _COLUMN) for entry in entries[:MAX_ENTRIES]]
    column = max((len(head) for head, _ in shown if len(head) <= _head_room(width - _COLUMN)), default=0)
    lines = [_short(f"{head:{column}}  {about}".rstrip(), width) for head, about in shown]
    return lines if len(entries) <= MAX_ENTRIES else [*lines, f"and {len(entries) - MAX_ENTRIES} more"]


def _head_room(room: int) -> int:
    """Characters for a name and its arguments, if the description would not fit otherwise."""
    return min(_MAX_COLUMN, room // 2)


def _entry(entry: JsonObject, room: int) -> tuple[str, str]:
    """Return an entry's signature and its description; if they do not fit, some arguments are left out."""
    about = " ".join((_text(entry.get("description")) or _text(entry.get("title"))).split())
    name = _text(entry.get("uri")) or _text(entry.get("uriTemplate")) or _text(entry.get("name")) or "(no name)"
    arguments = [*_properties(as_object(entry.get("inputSchema"))), *_arguments(as_list(entry.get("arguments")))]
    if "inputSchema" not in entry and "arguments" not in entry:
        return name, about
    whole = f"{name}({', '.join(arguments)})"
    if not about or len(whole) + 2 + len(about) <= room or len(whole) <= _head_room(room):
        return whole, about
    required = [one for one in arguments if not one.endswith("?")]
    while required and len(f"{name}({', '.join(required)}, …)") > _head_room(room):
        required.pop()
    return f"{name}({', '.join((*required, '…'))})", about


def _properties(schema: JsonObject) -> Iterator[str]:
    required = as_list(schema.get("required"))
    return (f"{escape_controls(name)}{'' if name in required else '?'}" for name in as_object(schema.get("properties")))


def _arguments(arguments: Sequence[Json]) -> Iterator[str]:
    found = (as_object(one) for one in arguments)
    return (f"{_text(one.get('name'))}{'' if one.get('required') is True else '?'}" for one in found)


def _violations(document: JsonObject, messages: Sequence[TraceEntry], width: int, paint: Paint) -> Iterator[str]:
    """Yield a line per violated rule, with the number of violations and the first one."""
    found = [as_object(one) for one in as_list(document.get("violations"))]
    if not found:
        received = sum(entry.get("direction") == "received" for entry in messages)
        yield paint("good", f"none in {_count(received, 'message')}")
        return
    counts = Counter(as_text(one.get("rule")) for one in found)
    for name, number in as_object(document.get("dropped")).items():
        counts[name.removeprefix("violations:")] += number if isinstance(number, int) else 0
    for rule, number in counts.items():
        first = next((_violation(one) for one in found if one.get("rule") == rule), "")
        if first:
            yield paint("error", rule) + _short(
                f"{f' ({number} times)' if number > 1 else ''}: {first}", width - len(rule)
            )


def _violation(violation: JsonObject) -> str:
    """Describe a violation, with the text that broke the rule, on one line."""
    parts = (_text(violation.get("detail")), " ".join(_text(violation.get("evidence")).split()))
    return ": ".join(filter(None, parts))


def _timing(document: JsonObject, messages: Sequence[TraceEntry]) -> str:
    timings = as_object(as_object(document.get("connection")).get("timings"))
    handshake = sum(_number(timings.get(key)) for key in ("connectMs", "handshakeMs"))
    total = _number(document.get("durationMs"))
    answers = _response_times(messages)
    parts = [_connected(handshake, total, timings.get("requestMs"))]
    if answers:
        middle = (answers[(len(answers) - 1) // 2] + answers[len(answers) // 2]) / 2
        least, median, most = map(_milliseconds, (answers[0], middle, answers[-1]))
        span = least if least == most else f"{least} to {most} (median {median})"
        parts.append(f"{_count(len(answers), 'response')} in {span}")
    return "; ".join((*parts, f"total {_milliseconds(total)}"))


def _connected(handshake: float, total: float, request: Json) -> str:
    """Tell how long the connection took; the server starts while mcpi loads, so that time is a part of it."""
    loading = total - handshake - _number(request)
    if request is None or loading < 1:
        return f"connected in {_milliseconds(handshake)}"
    parts = f"loading mcpi: {_milliseconds(loading)}, handshake: {_milliseconds(handshake)}"
    return f"connected in {_milliseconds(loading + handshake)} ({parts})"


def _response_times(messages: Sequence[TraceEntry]) -> list[float]:
    """Sort the response times in milliseconds; the handshake is excluded, as it includes server startup."""
    parsed = [(entry, as_object(to_plain(entry.get("parsed")))) for entry in messages]
    own = [message for entry, message in parsed if entry.get("direction") == "sent"]
    handshake_ids = [message.get("id") for message in own if message.get("method") in _HANDSHAKE_METHODS]
    return sorted(
        _number(entry["answerMs"])
        for entry, message in parsed
        if "answerMs" in entry and ("id" not in message or message["id"] not in handshake_ids)
    )


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _milliseconds(value: float) -> str:
    return f"{value / 1000:.3g} s" if value >= 1000 else f"{value:.3g} ms"  # noqa: PLR2004 - a second


def _stderr(lines: Sequence[Json], width: int) -> list[str]:
    last = next(filter(None, (_text(line).strip() for line in reversed(lines))), "(blank)")
    return [_short(f"{_count(len(lines), 'line')}; last line: {last}", width)]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _text(value: Json) -> str:
    return escape_controls(as_text(value))


def _short(text: str, width: int) -> str:
    return text if len(text) <= width - _COLUMN else f"{text[: width - _COLUMN - 1]}…"
