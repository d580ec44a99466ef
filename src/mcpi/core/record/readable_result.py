"""Human-readable results: text as text, and other content by its type and size."""

from collections.abc import Iterator

from mcpi.core.jsontext.exact import Printable, to_plain
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text
from mcpi.core.jsontext.writing import pretty
from mcpi.core.text.colors import Paint
from mcpi.core.text.terminal_safe import escape_controls
from mcpi.core.wire.notifications import SERVER_LISTS

IN_SUMMARY = frozenset({"capabilities", "serverInfo", *(one.key for one in SERVER_LISTS)})
"""Members of results that the server summary shows."""
_BASE64_DIGIT = 0.75
_UNITS = ((1 << 20, "MB"), (1 << 10, "kB"))


def readable_lines(result: Printable, paint: Paint) -> list[str]:
    """Format the result; return no lines if the server summary shows it."""
    members = as_object(to_plain(result))
    if result is None or to_plain(result) == {} or members.keys() & IN_SUMMARY:
        return []
    if isinstance(members.get("content"), list):
        return list(_tool_lines(members, paint))
    if isinstance(members.get("contents"), list):
        return [line for one in as_list(members["contents"]) for line in _contents(as_object(one), paint)]
    if isinstance(members.get("messages"), list):
        return [line for one in as_list(members["messages"]) for line in _message(as_object(one), paint)]
    completion = as_object(members.get("completion"))
    if isinstance(completion.get("values"), list):
        return [_text(one) for one in as_list(completion["values"])]
    return _lines(pretty(result))


def _tool_lines(members: JsonObject, paint: Paint) -> Iterator[str]:
    blocks = as_list(members["content"])
    if members.get("isError") is True:
        yield paint("error", "the tool reports an error:")
    for block in blocks:
        yield from _block(as_object(block), paint)
    if not blocks and "structuredContent" in members:
        yield from _lines(pretty(members["structuredContent"]))


def _block(block: JsonObject, paint: Paint) -> list[str]:
    """Format a block of content."""
    match block.get("type"):
        case "text":
            return _lines(as_text(block.get("text")))
        case "image" | "audio" as kind:
            about = f"{kind} {_text(block.get('mimeType')) or 'of unknown type'}, {_size(as_text(block.get('data')))}"
            return [paint("faint", f"[{about}]")]
        case "resource":
            return _contents(as_object(block.get("resource")), paint)
        case "resource_link":
            named = " ".join(filter(None, (_text(block.get("name")), f"<{_text(block.get('uri'))}>")))
            return [paint("faint", f"[link {named}]")]
        case _:
            return _lines(pretty(block))


def _contents(contents: JsonObject, paint: Paint) -> list[str]:
    """Format the contents of a resource under its URI."""
    kind = _text(contents.get("mimeType"))
    blob = contents.get("blob")
    size = "" if blob is None else _size(as_text(blob))
    head = ", ".join(part for part in (_text(contents.get("uri")), kind, size) if part)
    return [paint("faint", f"[{head}]"), *([] if blob is not None else _lines(as_text(contents.get("text"))))]


def _message(message: JsonObject, paint: Paint) -> list[str]:
    """Format a message of a prompt under its role."""
    content = message.get("content")
    blocks = content if isinstance(content, list) else [content]
    lines = [line for block in blocks for line in _block(as_object(block), paint)]
    return [paint("name", f"{_text(message.get('role')) or 'unknown role'}:"), *lines]


def _size(base64: str) -> str:
    """Return the size of the data that the text encodes."""
    size = int(len(base64.rstrip("=")) * _BASE64_DIGIT)
    for unit, name in _UNITS:
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size} byte{'' if size == 1 else 's'}"


def _lines(text: str) -> list[str]:
    return escape_controls(text).removesuffix("\n").split("\n")


def _text(value: Json) -> str:
    return escape_controls(as_text(value))
