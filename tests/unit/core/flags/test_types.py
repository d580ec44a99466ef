"""Each type of flag value is parsed from text."""

from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.flags.canned_answers import ElicitationAnswer, SamplingAnswer
from mcpi.core.flags.pairs import File, Header, Pair, Variable, invalid
from mcpi.core.flags.types import (
    ASSIGNMENT,
    DURATION,
    ELICITATION,
    FLAG_TYPES,
    HEADER,
    JSON,
    KEY,
    NUMBER,
    PAIR,
    ROOT,
    SAMPLING,
    SECRET,
    SIZE,
    SWITCH,
    TEXT,
    Assignment,
    Duration,
    Filename,
    FlagType,
    Folder,
    Root,
    Secret,
    Size,
    Source,
    Version,
    early_timeouts,
    read_duration,
    read_number,
    read_size,
    read_switch,
    timeout_hint,
    type_of,
)
from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.faults import Correction, Invalid
from mcpi.core.outcome.result import Failure, Result, Success

WORDS = st.text(st.characters(exclude_categories=()))


def invalid_value(problem: str) -> Failure[Invalid]:
    """Build the failure of an invalid value of the flag -x."""
    return Failure(Invalid("INVALID_ARGUMENT", "-x", problem))


def id_of(value: object) -> str:
    """Return a test id that is the same in every process, unlike a function's address."""
    return value.name if isinstance(value, FlagType) else str(value)


@pytest.mark.parametrize("text", ["1", "true", "yes", "on", "TRUE", "On"])
def test_true_values_turn_a_switch_on(text: str) -> None:
    assert read_switch("-x", text).unwrap() is True


@pytest.mark.parametrize("text", ["", "0", "false", "no", "off", "False", "OFF"])
def test_false_values_turn_a_switch_off(text: str) -> None:
    assert read_switch("-x", text).unwrap() is False


@pytest.mark.parametrize("text", ["2", "maybe", " true", "1.2.3"])
def test_other_switch_values_are_rejected(text: str) -> None:
    assert read_switch("-x", text) == invalid_value(f"expected true or false, got {text!r}")


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("3", 3), ("007", 7), ("999999999999999", 999_999_999_999_999)])
def test_integer_is_parsed(text: str, number: int) -> None:
    assert read_number("-x", text) == Success(number)


@pytest.mark.parametrize("text", ["", "-1", "+1", "1.5", "1e3", " 1", "1_000", "٣", "²", "1000000000000000", "n"])
def test_invalid_integer_is_rejected(text: str) -> None:
    assert read_number("-x", text) == invalid_value(f"expected an integer of at least 0, got {text!r}")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("500", 0.5),
        ("30000", 30.0),
        ("500ms", 0.5),
        ("30s", 30.0),
        ("1.5s", 1.5),
        ("2m", 120.0),
        ("1h", 3600.0),
        ("0", 0.0),
        (" 5s ", 5.0),
    ],
)
def test_duration_defaults_to_milliseconds(text: str, seconds: float) -> None:
    assert read_duration("-x", text) == Success(seconds)


@pytest.mark.parametrize(
    "text", ["", "soon", "-5", "5 s", "5d", "1e3", ".5s", "5.s", "1m30s", "nan", "inf", "9" * 5000, "٣"]
)
def test_invalid_duration_is_rejected(text: str) -> None:
    assert read_duration("-x", text) == invalid_value(
        f"expected a duration such as 500, 500ms, 30s or 2m, got {text!r}"
    )


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        *((zero, f"-x {zero} expires at once; to disable it in practice, use -x 24h") for zero in ("0", "0.0s", "00h")),
        ("999", "-x 999 means 999 ms; write 999s for seconds"),
        ("0.2", "-x 0.2 means 0.2 ms; write 0.2s for seconds"),
        *((text, "") for text in ("1000", "0.5s", "5ms", "1h")),
    ],
)
def test_very_short_timeout_has_a_hint(text: str, hint: str) -> None:
    assert timeout_hint("-x", text) == hint


def test_timeouts_below_100_without_a_unit_are_warned_of() -> None:
    values = {"--timeout": ("5s", "60"), "--connect-timeout": ("100",), "--max-total-timeout": ("60ms",)}

    assert early_timeouts(values) == ["--timeout 60 means 60 ms; write 60s for seconds"]


@given(st.integers(0, 10**9), st.sampled_from([("", 1000), ("ms", 1000), ("s", 1)]))
def test_any_duration_is_scaled_by_its_unit(number: int, unit: tuple[str, int]) -> None:
    name, parts = unit

    assert read_duration("-x", f"{number}{name}") == Success(pytest.approx(number / parts))


@given(WORDS | st.from_regex(r"\d+(\.\d+)?(ms|s|m|h)?", fullmatch=True))
def test_no_text_makes_the_duration_parser_raise(text: str) -> None:
    match read_duration("-x", text):
        case Success(seconds):
            assert seconds >= 0
        case Failure(fault):
            assert fault == invalid_value(f"expected a duration such as 500, 500ms, 30s or 2m, got {text!r}").failure()


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1", 1),
        ("1048576", 1 << 20),
        ("64m", 64 << 20),
        ("64M", 64 << 20),
        ("1g", 1 << 30),
        ("2k", 2048),
        ("2kb", 2048),
        ("2KiB", 2048),
        ("7b", 7),
        (" 8 ", 8),
    ],
)
def test_size_is_parsed_in_bytes(text: str, size: int) -> None:
    assert read_size("-x", text) == Success(size)


@pytest.mark.parametrize("text", ["", "0", "0k", "-1", "1.5m", "1t", "many", "1 m", "1000000000000000"])
def test_invalid_size_is_rejected(text: str) -> None:
    assert read_size("-x", text) == invalid_value(f"expected a number of bytes such as 1048576 or 64m, got {text!r}")


@given(WORDS | st.from_regex(r"\d+[kmg]?", fullmatch=True))
def test_no_text_makes_the_size_parser_raise(text: str) -> None:
    match read_size("-x", text):
        case Success(size):
            assert size >= 1
        case Failure(fault):
            assert fault == invalid_value(f"expected a number of bytes such as 1048576 or 64m, got {text!r}").failure()


@given(st.integers(1, 999_999_999_999_999), st.sampled_from([("", 1), ("k", 1024), ("m", 1024**2), ("g", 1024**3)]))
def test_any_size_is_scaled_by_its_unit(number: int, unit: tuple[str, int]) -> None:
    name, factor = unit

    assert read_size("-x", f"{number}{name}") == Success(number * factor)


@given(WORDS)
def test_text_is_kept_unchanged(text: str) -> None:
    assert TEXT.read("-x", text) == Success(text)


@pytest.mark.parametrize(
    ("kind", "text", "source"),
    [
        (TEXT, "@file", None),
        (TEXT, "-", None),
        (NUMBER, "@file", None),
        (ROOT, "@file", None),
        (JSON, "-", File("-")),
        (JSON, "@args.json", File("args.json")),
        (JSON, "@-", File("-")),
        (JSON, "-5", None),
        (JSON, "{}", None),
        (SAMPLING, "@reply.json", File("reply.json")),
        (SAMPLING, "auto", None),
        (ELICITATION, "-", File("-")),
        (SECRET, "env:TOKEN", Variable("TOKEN")),
        (SECRET, "file:~/token", File("~/token")),
        (SECRET, "s3cr3t", None),
        (PAIR, "body=@mail.txt", File("mail.txt")),
        (PAIR, "body=text", None),
        (HEADER, "Authorization: env:TOKEN", Variable("TOKEN")),
        (HEADER, "X-Key:file:key.txt", File("key.txt")),
        (HEADER, "X-Key: s3cr3t", None),
        (HEADER, "no name: env:TOKEN", None),
        (HEADER, "env:TOKEN", None),
    ],
)
def test_source_of_a_value_is_recognized(kind: FlagType, text: str, source: Source | None) -> None:
    assert kind.source(text) == source


def test_trailing_newline_of_a_secret_file_is_stripped() -> None:
    assert SECRET.read("-x", "s3 cr3t \r\n") == Success("s3 cr3t ")


def header_from(text: str, content: str) -> Result[Any]:
    """Parse a header flag with the content of its source."""
    assert HEADER.content is not None
    return HEADER.content("-x", text, content)


def test_header_value_is_read_from_its_source() -> None:
    assert header_from("X-Key: env:KEY", "s3cr3t\n") == Success(Header("X-Key", "s3cr3t"))


def test_second_header_in_a_header_source_is_rejected() -> None:
    assert header_from("X-Key: env:KEY", "a\nEvil: b") == invalid_value(
        "the value of X-Key contains a control character"
    )


def test_empty_header_source_is_rejected() -> None:
    assert header_from("X-Key: env:KEY", "\n") == invalid_value("the header X-Key has no value")


@pytest.mark.parametrize(
    ("annotation", "kind", "many"),
    [
        (str, TEXT, False),
        (str | None, TEXT, False),
        (bool, SWITCH, False),
        (int, NUMBER, False),
        (int | None, NUMBER, False),
        (Duration, DURATION, False),
        (Duration | None, DURATION, False),
        (Size, SIZE, False),
        (Exact, JSON, False),
        (Exact | None, JSON, False),
        (Secret | None, SECRET, False),
        (tuple[str, ...], TEXT, True),
        (tuple[Pair, ...], PAIR, True),
        (tuple[Header, ...], HEADER, True),
        (tuple[Assignment, ...], ASSIGNMENT, True),
        (tuple[Root, ...], ROOT, True),
        (tuple[SamplingAnswer, ...], SAMPLING, True),
        (tuple[ElicitationAnswer, ...], ELICITATION, True),
    ],
    ids=id_of,
)
def test_annotation_of_a_field_determines_its_flag_type(annotation: object, kind: FlagType, *, many: bool) -> None:
    assert type_of(annotation) == (kind, many)


@pytest.mark.parametrize("annotation", [float, dict, dict[str, str], str | int, object], ids=str)
def test_unsupported_annotation_raises_type_error(annotation: object) -> None:
    with pytest.raises(TypeError, match="no flag has a value of the type"):
        type_of(annotation)


CHOICE, _ = type_of(Literal["stdio", "sse", "http"] | None)


def test_choice_lists_its_values() -> None:
    assert (CHOICE.name, CHOICE.choices) == ("stdio|sse|http", ("stdio", "sse", "http"))


def test_choice_is_repeatable_only_in_a_tuple() -> None:
    assert [type_of(Literal["a", "b"])[1], type_of(tuple[Literal["a", "b"], ...])[1]] == [False, True]


@pytest.mark.parametrize("text", ["2025-11-25", "2026-07-28", "2031-01-01"])
def test_protocol_version_is_a_date(text: str) -> None:
    assert FLAG_TYPES[Version].read("--protocol-version", text) == Success(text)


@pytest.mark.parametrize("text", ["", "banana", "2025-6-18", "2025-06-81", "2025-13-01", "v2025-06-18", "2025-06-18 "])
def test_invalid_protocol_version_is_rejected(text: str) -> None:
    assert FLAG_TYPES[Version].read("--protocol-version", text) == invalid(
        "--protocol-version", f"expected a protocol version such as 2025-11-25, got {text!r}"
    )


def test_flag_types_have_the_names_used_in_the_help() -> None:
    assert [kind.name for kind in FLAG_TYPES.values()] == [
        "TEXT",
        "FILE",
        "DIR",
        "NAME",
        "URL",
        "ID",
        "COMMAND",
        "PROGRAM",
        "PORT|PID|URL",
        "JAVASCRIPT",
        "CURSOR",
        "RULE[:TOOL]",
        "LIMIT",
        "URI",
        "CLIENT",
        "LEVEL",
        "",
        "N",
        "PORT",
        "DURATION",
        "BYTES",
        "DATE",
        "JSON",
        "SECRET",
        "FILE",
        "K=V",
        "NAME: VALUE",
        "URI[=NAME]",
        "/POINTER=VALUE",
        "NAME=VALUE",
        "NAME=FILE",
        "NAME[:]=VALUE",
        "FILE|URL|COMMAND",
        "FILE:LINE",
        "JSON|auto|reject",
        "JSON|auto|decline|cancel",
    ]


@pytest.mark.parametrize("text", ["stdio", "sse", "http"])
def test_valid_choice_is_accepted(text: str) -> None:
    assert CHOICE.read("-x", text) == Success(text)


@pytest.mark.parametrize(("text", "near"), [("HTTP", "http"), ("streamable-http", "http"), ("stdin", "stdio")])
def test_similar_choice_is_suggested(text: str, near: str) -> None:
    fault = CHOICE.read("-x", text).failure()

    assert isinstance(fault, Invalid)
    assert fault.hints == (f"did you mean {near}?",)


@pytest.mark.parametrize("text", ["", "ws"])
def test_invalid_choice_is_rejected(text: str) -> None:
    assert CHOICE.read("-x", text) == invalid_value(f"expected stdio, sse or http, got {text!r}")


@given(st.sampled_from([*FLAG_TYPES.values(), CHOICE]), WORDS)
def test_no_text_makes_any_flag_type_raise(kind: FlagType, text: str) -> None:
    match kind.read("-x", text):
        case Failure(Invalid(code="INVALID_ARGUMENT", where="-x", problem=problem)):
            assert problem
        case read:
            assert isinstance(read, Success)


@given(st.sampled_from([*FLAG_TYPES.values(), CHOICE]), WORDS)
def test_no_text_makes_source_detection_raise(kind: FlagType, text: str) -> None:
    assert isinstance(kind.source(text), File | Variable | None)


def test_private_key_is_read_from_a_file_or_variable() -> None:
    assert KEY.source("key.pem") == File("key.pem")
    assert KEY.source("file:key.pem") == File("key.pem")
    assert KEY.source("env:KEY") == Variable("KEY")
    assert KEY.read("--oauth-private-key", "pem\n") == Success("pem")


@pytest.mark.parametrize("kind", [Filename, Folder], ids=["file", "folder"])
def test_empty_file_name_is_rejected(kind: object) -> None:
    assert FLAG_TYPES[kind].read("-x", "a") == Success("a")
    assert FLAG_TYPES[kind].read("-x", "") == invalid_value("expected a name, got an empty string")


@pytest.mark.parametrize("text", ["args.json", "./a.jsonc", "../args-1.json"])
def test_json_file_without_its_sign_is_recognized(text: str) -> None:
    assert correction(text) == Correction(text, (f"@{text}",), "to read a file, write @ before its name")


@pytest.mark.parametrize("text", ["{a.json", "a b.json", "{"])
def test_other_invalid_json_is_not_the_name_of_a_file(text: str) -> None:
    assert correction(text) is None


def correction(text: str) -> Correction | None:
    """Return the correction of invalid JSON."""
    fault = JSON.read("--params", text).failure()
    assert isinstance(fault, Invalid)
    return fault.correction
