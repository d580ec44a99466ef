"""Convert arguments from the command line to values that fit the tool's schema."""

import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from attrs import evolve

from mcpi.core.flags.pairs import Pair, invalid, parse_json, unconverted
from mcpi.core.jsontext import schema as schemas
from mcpi.core.jsontext.exact import Exact, JsonSyntaxProblem, Printable, parse_json_text
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, json_equal, type_name
from mcpi.core.jsontext.writing import dump
from mcpi.core.lazy_pattern import lazy_pattern
from mcpi.core.outcome.faults import Correction, Invalid, with_correction, with_nearest
from mcpi.core.outcome.result import Failure, ParseResult, Result, Success, collect
from mcpi.core.text.suggestions import did_you_mean, nearest

_NUMBER = lazy_pattern(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_INTEGER = lazy_pattern(r"-?(?:0|[1-9]\d*)(?:\.0+)?", re.ASCII)
_LITERALS: Mapping[str, Mapping[str, Json]] = {"boolean": {"true": True, "false": False}, "null": {"null": None}}
_NEXT_PAIR = lazy_pattern(r"[\s,;&]+(?=\w+:?=)")
_NESTED = lazy_pattern(r"(?P<name>[^.\[\]]+)(?P<path>(?:\.[^.\[\]]+|\[[^\[\]]*\])+)")
_STEP = lazy_pattern(r"\.[^.\[]+|\[[^\]]*\]")
_JSON_TYPES = ("object", "array")
_NUMBERS: Mapping[str, re.Pattern[str]] = {"number": _NUMBER, "integer": _INTEGER}


def coerce_arguments(flag: str, pairs: Sequence[Pair], schema: Json, owner: str) -> Result[dict[str, Printable]]:
    """Convert the pairs according to the schema; unknown, repeated and missing arguments are failures."""
    about = schemas.outline(schema)
    known = about.properties
    values: dict[str, Printable] = {}
    for number, pair in enumerate(pairs, 1):
        if pair.key not in known:
            fault = invalid(flag, f"{owner} has no argument {pair.key!r}").failure()
            correction = (
                _without_spaces(pairs) if pair.key.strip() in known else _as_json(pair.key, pairs, about, schema)
            )
            if correction is not None or pair.key.strip() in known:
                return Failure(with_correction(fault, correction))
            if about.closed:
                return _unknown(flag, pair.key, about, [one.key for one in pairs], owner)
        own = known.get(pair.key, about.additional)
        if pair.key in values:
            return _repeated(flag, pair.key, pairs, own, schema)
        match coerce_value(flag, pair, own, schema):
            case Success(coerced):
                values[pair.key] = coerced
            case Failure(fault):
                listed = _with_list(fault, pair.key, pairs, own, schema)
                return Failure(_with_others(fault, pairs[number:], about, schema) if listed is fault else listed)
    return _complete(flag, values, about, owner)


def _without_spaces(pairs: Sequence[Pair]) -> Correction | None:
    """Return the correction of all pairs with spaces around the key."""
    spaced = [one for one in pairs if one.key != one.key.strip() and isinstance(one.value, str)]
    each = (Correction(f"{one.key}={one.value}", (f"{one.key.strip()}={str(one.value).strip()}",)) for one in spaced)
    return Correction.chain(*each) if spaced else None


def _with_others(fault: Invalid, others: Sequence[Pair], about: schemas.Outline, schema: Json) -> Invalid:
    """Add the corrections of the other pairs to that of the first wrong one."""
    if fault.correction is None:
        return fault
    found = (coerce_value("", one, about.properties.get(one.key, about.additional), schema) for one in others)
    more = [one.failure().correction for one in found if isinstance(one, Failure)]
    return evolve(fault, correction=Correction.chain(fault.correction, *filter(None, more)))


def unknown_arguments(given: Iterable[str], schema: Json, tool: str) -> Iterator[str]:
    """Yield a sentence for each argument that the schema forbids, or allows only because it says nothing about it."""
    keys = dict.fromkeys(given)
    if as_object(as_object(schema).get("properties")).keys() >= keys.keys():
        return
    about = schemas.outline(schema)
    for key in keys if (about.says_nothing or about.closed) and about.properties else ():
        if key not in about.properties:
            others = f"; it takes {', '.join(about.properties)}"
            yield f"the tool {tool!r} has no argument {key!r}{did_you_mean(key, about.properties) or others}"


def coerce_leniently(flag: str, pairs: Sequence[Pair], schema: Json) -> Result[dict[str, Printable]]:
    """Convert the pairs that fit the schema, and keep the others as strings; repeated arguments are failures."""
    about = schemas.outline(schema)
    values: dict[str, Printable] = {}
    for pair in pairs:
        own = about.properties.get(pair.key, about.additional)
        if pair.key in values:
            return _repeated(flag, pair.key, pairs, own, schema)
        found = coerce_value(flag, pair, own, schema)
        values[pair.key] = pair.value if isinstance(found, Failure) else found.unwrap()
    return Success(values)


def _repeated(flag: str, key: str, pairs: Sequence[Pair], schema: Json, root: Json) -> Failure[Invalid]:
    fault = invalid(flag, f"{key!r} is given twice").failure()
    corrected = _with_list(fault, key, pairs, schema, root)
    kinds = _kinds(schema, root)
    if kinds and "array" not in kinds:
        return Failure(fault)
    values = [pair.value for pair in pairs if pair.key == key]
    listed = f"to send a list, write {key.removesuffix('[]')}:={shlex.quote(dump(values))}"
    return Failure(evolve(fault, hints=(listed,)) if corrected is fault else corrected)


def _kinds(schema: Json, root: Json) -> set[str]:
    return {name for one in schemas.alternatives(schema, root) for name in schemas.types(one)}


def _with_list(fault: Invalid, key: str, pairs: Sequence[Pair], schema: Json, root: Json) -> Invalid:
    """Correct an argument that must be an array: its values become one JSON array, if they fit the schema."""
    given = [pair for pair in pairs if pair.key == key]
    texts = [pair.value for pair in given if isinstance(pair.value, str) and not pair.file]
    arrays = [one for one in schemas.alternatives(schema, root) if "array" in schemas.types(one)]
    is_nested = len(texts) > 1 and any(text.startswith("[") for text in texts)
    if not arrays or is_nested or len(texts) < len(given):
        return fault
    values = texts if len(texts) > 1 else re.split(r"\s*,\s*", texts[0].removeprefix("[").removesuffix("]"))
    items = collect(
        coerce_value("", Pair(key, value.strip("\"'")), arrays[0].get("items", {}), root) for value in values
    )
    if isinstance(items, Failure):
        return fault
    listed = Correction(f"{key}={texts[0]}", (f"{key}:={dump(items.unwrap())}",))
    rest = (Correction(f"{key}={text}", ()) for text in texts[1:])
    return with_correction(evolve(fault, hints=()), Correction.chain(listed, *rest))


def _as_json(key: str, pairs: Sequence[Pair], about: schemas.Outline, schema: Json) -> Correction | None:
    """Correct all arguments such as a[b]=1, a.b=1 and a[]=1, if the key is one of them and there is an argument a."""
    matches = ((pair, _NESTED.fullmatch(pair.key)) for pair in pairs if about.closed or about.says_nothing)
    parts: dict[str, list[tuple[Pair, str]]] = {}
    for pair, match in matches:
        if match is not None and pair.key not in about.properties:
            parts.setdefault(match["name"], []).append((pair, match["path"]))
    own = {name: about.properties[name] for name in parts if name in about.properties}
    found = {name: _whole(name, parts[name], value, schema) for name, value in own.items()}
    is_found = any(found[name] for name in found if key in [pair.key for pair, _ in parts[name]])
    return Correction.chain(*(one for each in found.values() for one in each)) if is_found else None


def _whole(name: str, parts: Sequence[tuple[Pair, str]], own: Json, schema: Json) -> tuple[Correction, ...]:
    """Correct the parts of one argument: together they are its JSON value."""
    kinds = _kinds(own, schema)
    if any(one.file for one, _ in parts) or (kinds and kinds.isdisjoint(_JSON_TYPES)):
        return ()
    whole: Printable = None
    for pair, path in parts:
        whole = _with_part(whole, _STEP.findall(path), pair, own, schema)
    texts = (f":={one.value.text}" if isinstance(one.value, Exact) else f"={one.value}" for one, _ in parts)
    first, *rest = (f"{one.key}{text}" for (one, _), text in zip(parts, texts, strict=True))
    return Correction(first, (f"{name}:={dump(whole)}",)), *(Correction(word, ()) for word in rest)


def _with_part(whole: Printable, path: Sequence[str], pair: Pair, schema: Json, root: Json) -> Printable:
    """Add a value to an object or array: each step of the path is .NAME, [NAME], [INDEX] or []."""
    if not path:
        return coerce_value("", pair, schema, root).value_or(pair.value)
    key = path[0].strip(".[]")
    own = {name: value for one in schemas.alternatives(schema, root) for name, value in one.items()}
    if not key.strip("0123456789") and (path[0].startswith("[") or "items" in own):
        listed = [*whole] if isinstance(whole, list) else []
        at = int(key) if key and int(key) < len(listed) else len(listed)
        part = next(iter(listed[at:]), None)
        return [*listed[:at], _with_part(part, path[1:], pair, own.get("items", {}), root), *listed[at + 1 :]]
    members = whole if isinstance(whole, dict) else {}
    member = as_object(own.get("properties")).get(key, as_object(own.get("additionalProperties")))
    return {**members, key: _with_part(members.get(key), path[1:], pair, member, root)}


def _unknown(flag: str, key: str, about: schemas.Outline, given: Collection[str], owner: str) -> Failure[Invalid]:
    near = nearest(key, [name for name in about.properties if name not in given])
    missing = [name for name in about.required if name not in given and name != near]
    hints = [] if near else [f"it takes {', '.join(about.properties) or 'none'}"]
    hints += [requires("it", missing)] if missing else []
    return Failure(with_nearest(invalid(flag, f"{owner} has no argument {key!r}", *hints).failure(), key, near))


def _complete(
    flag: str, values: dict[str, Printable], about: schemas.Outline, owner: str
) -> Result[dict[str, Printable]]:
    missing = [name for name in about.required if name not in values]
    if not missing:
        return Success(values)
    near = ((key, nearest(key, missing)) for key in values if key not in about.properties)
    wrong, right = next(((key, name) for key, name in near if name), ("", None))
    fault = invalid(flag, requires(owner, missing)).failure()
    return Failure(with_nearest(fault, wrong, right))


def requires(owner: str, missing: Sequence[str]) -> str:
    """Return the sentence about missing arguments."""
    *most, last = map(repr, missing)
    return f"{owner} requires the argument{'s' if most else ''} {' and '.join(filter(None, (', '.join(most), last)))}"


def coerce_value(flag: str, pair: Pair, schema: Json, root: Json) -> ParseResult[Printable]:
    """Convert one argument according to its schema."""
    if isinstance(pair.value, Exact):
        return Success(pair.value)
    tried: list[str] = []
    for alternative in schemas.alternatives(schema, root):
        fitted = _fit(pair.value, alternative)
        if fitted is not None:
            return Success(fitted[0])
        tried += _expected(alternative)
    wanted = " or ".join(dict.fromkeys(tried))
    how = unconverted(pair.key, pair.value, pair.file)
    place = f" in {pair.file}" if pair.file else ""
    problem = f"{pair.key}: expected {wanted}{place}, got {pair.value!r}"
    fault = invalid(flag, problem, _json_problem(pair, tried) or how).failure()
    boolean = _BOOLEANS.get(pair.value.lower()) if _NOUNS["boolean"] in tried else None
    meant = _tidied(pair, schema, root) if boolean is None else (f"{pair.key}={boolean}",)
    if pair.file or not meant:
        return Failure(fault)
    return Failure(with_correction(evolve(fault, hints=()), Correction(f"{pair.key}={pair.value}", meant)))


def _json_problem(pair: Pair, wanted: Collection[str]) -> str:
    """Return the mistake in the JSON of a file, or of an object or array, or an empty string."""
    is_whole = str(pair.value).startswith(("{", "[")) and not {"an object", "an array"}.isdisjoint(wanted)
    found = parse_json("", str(pair.value)) if pair.file or is_whole else None
    return found.failure().problem if isinstance(found, Failure) else ""


_NOUNS = {
    "string": "a string",
    "number": "a number",
    "integer": "an integer",
    "boolean": "true or false",
    "array": "an array",
    "object": "an object",
}


_BOOLEANS = {
    **dict.fromkeys(("true", "yes", "on", "1"), "true"),
    **dict.fromkeys(("false", "no", "off", "0"), "false"),
}


def _tidied(pair: Pair, schema: Json, root: Json) -> tuple[str, ...]:
    """Return the pair without punctuation around its value, and the further pairs in it, if the value fits then."""
    first, *rest = _NEXT_PAIR.split(str(pair.value))
    value = first.strip(" \"'=:,;&")
    if not value or value == pair.value or isinstance(coerce_value("", Pair(pair.key, value), schema, root), Failure):
        return ()
    return (f"{pair.key}={value}", *rest)


def _expected(schema: JsonObject) -> list[str]:
    if "const" in schema:
        return [dump(schema["const"])]
    if "enum" in schema:
        return [f"one of {', '.join(dump(member) for member in as_list(schema['enum']))}"]
    return [_NOUNS.get(name, name) for name in schemas.types(schema)]


def _fit(text: str, schema: JsonObject) -> tuple[Printable] | None:
    """Convert the text according to the schema; the value is in a tuple because it may be null."""
    if "const" in schema:
        return _member(text, [schema["const"]])
    if "enum" in schema:
        return _member(text, as_list(schema["enum"]))
    named = schemas.types(schema)
    if not named:
        return (text,)
    for name in named:
        fitted = _as_type(text, name)
        if fitted is not None:
            return fitted
    return None


def _member(text: str, members: list[Json]) -> tuple[Printable] | None:
    if text in [member for member in members if isinstance(member, str)]:
        return (text,)
    found = parse_json_text(text)
    if isinstance(found, Exact):
        for member in members:
            if not isinstance(member, str) and json_equal(member, found.value):
                return (found,)
    return None


def _as_type(text: str, name: str) -> tuple[Printable] | None:
    if name in _LITERALS:
        return (_LITERALS[name][text],) if text in _LITERALS[name] else None
    if name in _JSON_TYPES:
        found = parse_json_text(text)
        return None if isinstance(found, JsonSyntaxProblem) or type_name(found.value) != name else (found,)
    if name in _NUMBERS:
        found = parse_json_text(text) if _NUMBERS[name].fullmatch(text) else JsonSyntaxProblem("", 0)
        return (found,) if isinstance(found, Exact) else None
    # A string, or a type that JSON Schema does not define and only the server understands.
    return (text,)
