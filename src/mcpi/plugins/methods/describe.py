"""Method describe: one tool, prompt, resource or resource template, with a step to call it."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.schema import outline, resolve, types
from mcpi.core.lazy_pattern import lazy_pattern
from mcpi.core.plans.server_lists import all_lists
from mcpi.core.text.colors import Paint
from mcpi.core.text.layout import clamp_width
from mcpi.core.text.terminal_safe import escape_controls
from mcpi.core.wire.notifications import SERVER_LISTS
from mcpi.plugins.api import (
    AnyMethod,
    Exact,
    Fault,
    Invalid,
    Json,
    JsonObject,
    Method,
    Name,
    Plan,
    Printable,
    as_list,
    as_object,
    as_text,
    connect,
    dump,
    elements,
    hookimpl,
    must,
    nearest,
    stop,
    to_plain,
    with_nearest,
)

Kind: TypeAlias = Literal["tool", "prompt", "resource", "template"]
KINDS: Mapping[str, Kind] = {
    "tools": "tool",
    "prompts": "prompt",
    "resources": "resource",
    "resourceTemplates": "template",
}
"""The kinds of items by the member of the list results that holds them, in the order in which they are searched."""
_METHODS = {"tool": "tools/call", "prompt": "prompts/get", "resource": "resources/read", "template": "resources/read"}
_UNWRITABLE = lazy_pattern(r"^-|=|:$|^$")
"""Matches the names of arguments that cannot be written as NAME=VALUE."""
_EXPRESSION = lazy_pattern(r"\{(?P<query>[?&])?[+#./;]?(?P<names>[^{}]+)\}")
_CONSTRAINTS = (
    *("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"),
    *("pattern", "format", "minItems", "maxItems", "uniqueItems"),
)
"""Keywords that are repeated for an argument, in addition to description, default and enum."""
_SCALARS = frozenset({"boolean", "integer", "number"})
_SAFE_INTEGER = 2**53 - 1
"""The limit of exact integers, which some libraries add to each schema."""
_MAX_DEPTH, _MAX_PROPERTIES = 4, 20
"""Maximum depth of list examples, and maximum number of properties in an example of an object."""
IDENTIFIERS = {KINDS[one.key]: one.identifier for one in SERVER_LISTS}


@frozen(kw_only=True)
class Describe:
    """Describe one item of the server."""

    item: Name
    """Name of a tool or prompt; URI or name of a resource; URI template or name of a resource template."""
    kind: Kind | None = None
    """Kind of the item (default: the first of these kinds that has an item with that name)."""


def describe(args: Describe) -> Plan:
    """Find the item in the server's lists, and describe it."""
    server = yield from connect()
    lists, faults = yield from all_lists(server)
    found: list[tuple[Kind, Exact]] = []
    for key, kind in KINDS.items():
        if key in lists and args.kind in {None, kind}:
            listed = yield from must(elements(lists[key], key))
            found.extend((kind, one) for one in listed)
    named = next((pair for pair in found if args.item in _names(*pair)), None)
    if named is not None:
        return _description(*named)
    if faults:
        yield from stop(next(iter(faults.values())))
    return (yield from stop(_not_found(args, found)))


def _names(kind: Kind, item: Exact) -> tuple[str, ...]:
    """Return the names by which the item is found."""
    members = as_object(item.value)
    return tuple(as_text(members[key]) for key in dict.fromkeys((IDENTIFIERS[kind], "name")) if key in members)


def _not_found(args: Describe, found: Sequence[tuple[Kind, Exact]]) -> Fault:
    names = [name for kind, one in found for name in _names(kind, one)[:1]]
    near = nearest(args.item, names)
    hints = () if near else (f"available: {', '.join(names) or 'none'}",)
    kind = args.kind or "tool, prompt or resource"
    return with_nearest(Invalid("INVALID_ARGUMENT", "--item", f"unknown {kind} {args.item!r}", hints), args.item, near)


def _description(kind: Kind, item: Exact) -> Printable:
    members = as_object(item.value)
    arguments = list(_arguments(kind, members))
    name = as_text(members.get(IDENTIFIERS[kind]))
    about: dict[str, Printable] = {"kind": kind, "name": name}
    about |= {key: item.members()[key] for key in ("title", "description") if key in members}
    about |= {"arguments": arguments} if kind in {"tool", "prompt", "template"} else {}
    few, every = _values(kind, members, arguments)
    step = _step(kind, name, every)
    note = _note(as_text(step.get("uri")))
    call = {} if note else {"call": _call(kind, name, arguments, few)}
    return {**about, **call, "step": step, **note, "definition": item}


def _values(kind: Kind, members: JsonObject, arguments: Sequence[JsonObject]) -> tuple[JsonObject, JsonObject]:
    """Return example values for the call and for the step; the schema may require or forbid others."""
    every: JsonObject = {as_text(one["name"]): one["example"] for one in arguments}
    needed: JsonObject = {as_text(one["name"]): one["example"] for one in arguments if one["required"]}
    if kind != "tool":
        return needed, every
    unset = [one["name"] for one in arguments if not one["required"] and one.get("default", ...) is None]
    usual: JsonObject = {name: value for name, value in every.items() if name not in unset}
    schema, sets = members.get("inputSchema"), ((needed, usual, every), (usual, every, needed))
    return as_object(_valid(schema, schema, sets[0])), as_object(_valid(schema, schema, sets[1]))


def _call(kind: Kind, name: str, arguments: Sequence[JsonObject], values: JsonObject) -> str:
    """Write a call with the values as words of a command line, or as JSON if a name cannot be in a word."""
    kinds = {as_text(one["name"]): one["type"] for one in arguments}
    words = [_word(key, kinds.get(key), value) for key, value in values.items()]
    if any(_UNWRITABLE.search(key) for key in values):
        words = [f"--{kind}-args", dump(values)]
    flag = f"--{kind}-name=" if kind in {"tool", "prompt"} else "--uri="
    return shlex.join([_METHODS[kind], f"{flag if name.startswith('-') else ''}{name}", *words])


def _word(name: str, kind: Json, value: Json) -> str:
    """Write an argument; a value that is not converted by the schema is written as JSON."""
    if kind == "string" and isinstance(value, str) and not value.startswith("@"):
        return f"{name}={value}"
    return f"{name}{'' if kind in _SCALARS else ':'}={dump(value)}"


def _note(uri: str) -> dict[str, Printable]:
    """Tell how to set the script variables in the URI of a template."""
    flags = " ".join(f"--var {name}=VALUE" for name in re.findall(r"\$\{(\w+)\}", uri))
    return {"note": f"to run the step in a script, set the variables of the template: {flags}"} if flags else {}


def _step(kind: Kind, name: str, values: JsonObject) -> JsonObject:
    """Return a step of a script that uses the item, with these values of its arguments."""
    if kind in {"tool", "prompt"}:
        return {"method": _METHODS[kind], f"{kind}Name": name, f"{kind}Args": values}
    # The variables of a template become variables of the script, which --var sets.
    return {"method": _METHODS[kind], "uri": _EXPRESSION.sub(_script_variables, name) if kind == "template" else name}


def _arguments(kind: Kind, members: JsonObject) -> Iterator[JsonObject]:
    """Describe each argument."""
    if kind == "tool":
        schema = members.get("inputSchema")
        about = outline(schema)
        for name, one in about.properties.items():
            yield _argument(name, one, schema, required=name in about.required)
    elif kind == "prompt":
        for one in map(as_object, as_list(members.get("arguments"))):
            told = {key: one[key] for key in ("description",) if key in one}
            is_required = one.get("required") is True
            prompt: JsonObject = {"name": as_text(one.get("name")), "type": "string", "required": is_required}
            yield {**prompt, **told, "example": "text"}
    elif kind == "template":
        for name, is_required in _variables(as_text(members.get("uriTemplate"))):
            yield {"name": name, "type": "string", "required": is_required, "example": "text"}


def _argument(name: str, schema: Json, root: Json, *, required: bool) -> JsonObject:
    found = _without_null(resolve(schema, root), root)
    told: JsonObject = {key: found[key] for key in ("description", "default", "enum", *_CONSTRAINTS) if key in found}
    about: JsonObject = {"name": name, "type": _type_name(found, root) or "any", "required": required}
    return {**about, **told, "example": _example(found, root)}


def _without_null(found: JsonObject, root: Json) -> JsonObject:
    """Merge the only alternative besides null, as for an optional value of a Python server."""
    branches = [resolve(one, root) for one in as_list(found.get("anyOf"))]
    others = [one for one in branches if types(one) != ["null"]]
    if len(others) != 1 or not types(others[0]) or "type" in found:
        return found
    kinds: list[Json] = [kind for one in branches for kind in types(one)]
    return {**others[0], **{key: value for key, value in found.items() if key != "anyOf"}, "type": kinds}


def _type_name(found: JsonObject, root: Json, depth: int = 0) -> str:
    """Name the JSON types that the schema allows, and those of the elements of an array."""
    kinds = types(found) or [kind for one in as_list(found.get("anyOf")) for kind in types(resolve(one, root))]
    items = found.get("items")
    element = _type_name(resolve(items, root), root, depth + 1) if items and depth < _MAX_DEPTH else ""
    named = f"array of {element}" if element and " or " not in element else "array"
    return " or ".join(named if kind == "array" else kind for kind in dict.fromkeys(kinds))


def _valid(schema: Json, root: Json, preferred: Iterable[Json]) -> Json:
    from mcpi.core.diff.values.examples import valid_example  # noqa: PLC0415 - only this method and diff need it

    return valid_example(schema, root, preferred)


def _example(schema: JsonObject, root: Json, depth: int = 0) -> Json:
    """Return an example value: one from the schema, or else another valid one."""
    return _valid(schema, root, _preferred(schema, root, depth))


def _preferred(schema: JsonObject, root: Json, depth: int) -> Iterator[Json]:
    """Yield natural values, some of which may be invalid."""
    yield from (schema[given] for given in ("default", "const") if schema.get(given) is not None)
    yield from as_list(schema.get("examples"))
    kinds = [kind for kind in types(schema) if kind != "null"]
    if kinds == ["string"] and "format" not in schema:
        yield "text"
    if kinds == ["array"] and "items" in schema and depth < _MAX_DEPTH:
        yield [_example(resolve(schema["items"], root), root, depth + 1)]
    names: list[Json] = [*as_object(schema.get("properties"))]
    if kinds == ["object"] and not schema.get("required") and len(names) <= _MAX_PROPERTIES:
        yield _valid({**schema, "required": names}, root, ())


def _variables(template: str) -> Iterator[tuple[str, bool]]:
    """Yield the variables of a URI template (RFC 6570), and whether each is a part of the path rather than a query."""
    for found in _EXPRESSION.finditer(template):
        for name in found["names"].split(","):
            yield name.rstrip("*").partition(":")[0], not found["query"]


def _script_variables(found: re.Match[str]) -> str:
    return ",".join(f"${{{name}}}" for name, _ in _variables(found[0]) if not found["query"])


def summary_lines(result: Printable, width: int, paint: Paint) -> list[str]:
    """Format the description as readable text."""
    about = as_object(to_plain(result))
    lines = [f"{paint('title', _shown(about.get('name')))} ({_shown(about.get('kind'))})"]
    if about.get("description"):
        lines += [f"  {line}" for line in _shown(about["description"]).splitlines()]
    rows = [_row(as_object(one)) for one in as_list(about.get("arguments"))]
    column = min(max((len(head) for head, _ in rows), default=0), 40)
    wide = clamp_width(width)
    for head, text in rows:
        line = f"  {head:{column}}  {text}".rstrip()
        lines.append(line if len(line) <= wide else f"{line[: wide - 1]}…")
    call, note = ([f"{paint('name', one)}  {_shown(about[one])}"] if one in about else [] for one in ("call", "note"))
    return [*lines, "", *call, f"{paint('name', 'step')}  {escape_controls(dump(about.get('step')))}", *note]


def _row(argument: JsonObject) -> tuple[str, str]:
    """Return an argument's name and type, and its details."""
    head = f"{_shown(argument.get('name'))}{'' if argument.get('required') else '?'}: {_shown(argument.get('type'))}"
    parts = [
        " ".join(_shown(argument.get("description")).split()).removesuffix("."),
        f"one of {', '.join(escape_controls(dump(one)) for one in as_list(argument.get('enum')))}"
        if "enum" in argument
        else "",
        *(f"{key} {escape_controls(dump(argument[key]))}" for key in _CONSTRAINTS if _is_told(argument.get(key))),
        f"default {escape_controls(dump(argument['default']))}" if "default" in argument else "",
    ]
    return head, "; ".join(part for part in parts if part)


def _is_told(limit: Json) -> bool:
    return limit is not None and not (isinstance(limit, int) and abs(limit) == _SAFE_INTEGER)


def _shown(value: Json) -> str:
    return escape_controls(as_text(value))


@hookimpl
def mcpi_methods() -> tuple[AnyMethod, ...]:
    """Return the method describe."""
    return (
        Method(
            "describe",
            Describe,
            describe,
            "describe a tool, prompt or resource, with its arguments and an example script step",
            is_protocol_method=False,
            readable=summary_lines,
        ),
    )


@hookimpl
def mcpi_tools() -> tuple[str, ...]:
    """Return the methods that agents can call."""
    return ("describe",)
