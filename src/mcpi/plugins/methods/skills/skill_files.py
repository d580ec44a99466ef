"""Verify a file of a skill against the skill's entry."""

from base64 import b64decode
from collections.abc import Sequence
from hashlib import sha256

from mcpi.core.jsontext.values import json_equal
from mcpi.plugins.api import (
    Exact,
    Failure,
    Fault,
    InvalidResponse,
    JsonObject,
    Result,
    Success,
    as_list,
    as_object,
    as_text,
    dump,
    invalid,
    quote,
)
from mcpi.plugins.methods.skills.frontmatter import parse_frontmatter


def find_entry(listed: Sequence[Exact], uri: str) -> Result[JsonObject]:
    """Find the entry of the skill that contains the file."""
    for one in listed:
        entry = as_object(one.value)
        if as_text(entry.get("uri")) == uri or find_resource(entry, uri):
            return Success(entry)
    return invalid("--uri", f"no skill has the file {uri!r}", "--method skills/list lists the skills and their files")


def find_resource(entry: JsonObject, uri: str) -> JsonObject:
    """Return the entry's object for the file, or an empty one if the file is not listed."""
    return next((as_object(one) for one in as_list(entry.get("resources")) if as_object(one).get("uri") == uri), {})


def find_mismatch(entry: JsonObject, uri: str, result: Exact) -> Fault | None:
    """Verify the content; return a fault for the first mismatch."""
    data = _content(uri, result)
    if data is None:
        return _verification_failure(f"the server sent no content for {uri}")
    declared = find_resource(entry, uri)
    # MCP skills extension: the content is verified "against that entry's digest", and a read whose length differs
    # from `size` is "a verification failure equivalent to a digest mismatch".
    size, digest = declared.get("size"), f"sha256:{sha256(data).hexdigest()}"
    if size is not None and size != len(data):
        return _verification_failure(f"{uri} has {len(data)} bytes, but skills/list says {quote(dump(size))}")
    if declared and declared.get("digest") != digest:
        promised = as_text(declared.get("digest")) or quote(dump(declared.get("digest")))
        return _verification_failure(f"{uri} has the digest {digest}, but skills/list says {promised}")
    return _frontmatter(entry, data) if uri == entry.get("uri") else None


def _content(uri: str, result: Exact) -> bytes | None:
    contents = [as_object(one) for one in as_list(as_object(result.value).get("contents"))]
    found = next((one for one in contents if one.get("uri") == uri), {})
    if isinstance(found.get("text"), str):
        return as_text(found["text"]).encode(errors="surrogatepass")
    try:
        return b64decode(as_text(found["blob"]), validate=True)
    except (KeyError, ValueError):
        return None


def _frontmatter(entry: JsonObject, data: bytes) -> Fault | None:
    """Compare the file's front matter with the entry; return a fault for the first mismatch."""
    # MCP skills extension: "compare it field-by-field against the entry's frontmatter, and MUST NOT load the skill on
    # any discrepancy".
    uri = entry.get("uri")
    own, declared = parse_frontmatter(data.decode(errors="replace")), as_object(entry.get("frontmatter"))
    if own is None:
        return _verification_failure(f"the frontmatter of {uri} cannot be read, so mcpi cannot verify it")
    for name in {**declared, **own}:
        if name not in own or name not in declared or not json_equal(own[name], declared[name]):
            return _verification_failure(f"{name!r} in the frontmatter of {uri} differs from skills/list")
    return None


def _verification_failure(problem: str) -> InvalidResponse:
    return InvalidResponse("INVALID_RESPONSE", problem)


def verify(entry: JsonObject, uri: str, result: Exact) -> Result[Exact]:
    """Return the result if it passes verification."""
    fault = find_mismatch(entry, uri, result)
    return Success(result) if fault is None else Failure(fault)
