"""Files of skills are verified against the entry of the skill."""

from base64 import b64encode
from hashlib import sha256

import pytest

from json_texts import DEEP, nested
from json_texts import exact as read
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.outcome.faults import Invalid, InvalidResponse
from mcpi.core.outcome.result import Failure, Success
from mcpi.plugins.methods.skills.skill_files import find_entry, find_resource, verify
from support.replay import exact

HEAD, FORM = "skill://pdf/SKILL.md", "skill://pdf/FORMS.md"
TEXT, FORMS = "---\nname: pdf\ndescription: Fill forms\n---\n\nBody.\n", "Forms.\n"


def listed(uri: str, text: str, **more: Json) -> JsonObject:
    return {"uri": uri, "digest": f"sha256:{sha256(text.encode()).hexdigest()}", "size": len(text), **more}


def entry(*resources: JsonObject, **fields: Json) -> JsonObject:
    own: JsonObject = {"name": "pdf", "description": "Fill forms"}
    return {"uri": HEAD, "frontmatter": {**own, **fields}, "resources": list(resources)}


def content(uri: str, text: str) -> Exact:
    return exact({"contents": [{"uri": "skill://another"}, {"uri": uri, "text": text}]})


WHOLE = entry(listed(HEAD, TEXT), listed(FORM, FORMS))


def test_file_is_found_in_the_skill_that_lists_it() -> None:
    other = exact({"uri": "skill://other/SKILL.md", "resources": "dynamic"})

    assert find_entry([other, exact(WHOLE)], FORM) == Success(WHOLE)
    assert find_entry([other], "skill://other/SKILL.md") == Success(other.value)
    assert find_resource(WHOLE, FORM) == listed(FORM, FORMS)


def test_file_of_no_skill_is_an_invalid_argument() -> None:
    problem = f"no skill has the file {FORM!r}"

    assert find_entry([], FORM) == Failure(
        Invalid("INVALID_ARGUMENT", "--uri", problem, ("--method skills/list lists the skills and their files",))
    )


@pytest.mark.parametrize(("uri", "text"), [(HEAD, TEXT), (FORM, FORMS)])
def test_file_that_matches_its_entry_is_returned(uri: str, text: str) -> None:
    assert verify(WHOLE, uri, content(uri, text)) == Success(content(uri, text))


def test_file_may_be_a_blob() -> None:
    result = exact({"contents": [{"uri": FORM, "blob": b64encode(FORMS.encode()).decode()}]})

    assert verify(WHOLE, FORM, result) == Success(result)


def test_skill_with_dynamic_resources_is_verified_by_its_front_matter() -> None:
    dynamic: JsonObject = {**entry(), "resources": "dynamic"}

    assert verify(dynamic, HEAD, content(HEAD, TEXT)) == Success(content(HEAD, TEXT))


def problem_of(known: JsonObject, uri: str, result: Exact) -> str:
    outcome = verify(known, uri, result)
    assert isinstance(outcome, Failure)
    fault = outcome.failure()
    assert isinstance(fault, InvalidResponse)
    return fault.problem


def test_file_with_another_size_is_rejected() -> None:
    assert problem_of(WHOLE, FORM, content(FORM, "Forms, and more.\n")) == (
        f"{FORM} has 17 bytes, but skills/list says 7"
    )


def test_file_with_another_digest_is_rejected() -> None:
    assert problem_of(WHOLE, FORM, content(FORM, "Evil!.\n")).startswith(f"{FORM} has the digest sha256:")


def test_file_without_a_digest_in_its_entry_is_rejected() -> None:
    known = entry({"uri": FORM, "size": 7})

    assert problem_of(known, FORM, content(FORM, FORMS)).endswith("but skills/list says null")


@pytest.mark.parametrize("name", ["size", "digest"])
def test_deeply_nested_entry_value_is_truncated_in_the_error(name: str) -> None:
    known = entry({**listed(FORM, FORMS), name: read(nested(DEEP)).value})

    assert problem_of(known, FORM, content(FORM, FORMS)).endswith(f" says {'[' * 300}… ({2 * DEEP} characters)")


@pytest.mark.parametrize(
    ("known", "name"),
    [
        (entry(description="Something else"), "description"),
        (entry(license="MIT"), "license"),
        ({"uri": HEAD, "frontmatter": {"name": "pdf"}}, "description"),
        (entry(name=read(nested(DEEP)).value), "name"),
    ],
)
def test_front_matter_that_differs_from_the_entry_is_rejected(known: JsonObject, name: str) -> None:
    assert problem_of(known, HEAD, content(HEAD, TEXT)) == (
        f"{name!r} in the frontmatter of {HEAD} differs from skills/list"
    )


def test_front_matter_is_compared_with_json_equality() -> None:
    text, deep = f"---\nn: 1\ndeep: {nested(50)}\n---\n", read(nested(50)).value
    number: JsonObject = {"uri": HEAD, "frontmatter": {"n": 1.0, "deep": deep}, "resources": [listed(HEAD, text)]}
    truth: JsonObject = {**number, "frontmatter": {"n": True, "deep": deep}}

    assert verify(number, HEAD, content(HEAD, text)) == Success(content(HEAD, text))
    assert problem_of(truth, HEAD, content(HEAD, text)).startswith("'n' in the frontmatter")


def test_dates_in_front_matter_are_compared_as_text() -> None:
    text = "---\nname: pdf\ndescription: >-\n  Fill\n  forms\nmetadata: {date: 2026-01-31}\n---\n"

    assert verify(entry(metadata={"date": "2026-01-31"}), HEAD, content(HEAD, text)) == Success(content(HEAD, text))


@pytest.mark.parametrize("text", ["no head", "---\nname: pdf\nname: pdf\n---\n", "---\nname: *pdf\n---\n"])
def test_unreadable_front_matter_is_rejected(text: str) -> None:
    assert problem_of(entry(), HEAD, content(HEAD, text)) == (
        f"the frontmatter of {HEAD} cannot be read, so mcpi cannot verify it"
    )


@pytest.mark.parametrize(
    "result",
    [
        {},
        {"contents": []},
        {"contents": [{"uri": FORM}]},
        {"contents": [{"uri": FORM, "blob": "?"}]},
        {"contents": [{"uri": FORM, "blob": "\u00e9"}]},
    ],
)
def test_result_without_the_file_is_an_error(result: JsonObject) -> None:
    assert problem_of(WHOLE, FORM, exact(result)) == f"the server sent no content for {FORM}"
