"""Structured flag values are parsed into their parts."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import VALUES
from mcpi.core.flags.pairs import (
    File,
    Header,
    Pair,
    call_words,
    invalid,
    is_header_name,
    pair_source,
    parse_assignment,
    parse_header,
    parse_json,
    parse_named_file,
    parse_pair,
    parse_ref,
    parse_root,
    parse_uri,
    parse_variable,
    unconverted,
    variable_source,
)
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Correction, Invalid, with_correction
from mcpi.core.outcome.result import Failure, Success
from support.replay import exact

WORDS = st.text(st.characters(exclude_categories=()))
"""Any word of a command line, including invalid UTF-8."""
KEYS = st.text(min_size=1).filter(lambda key: "=" not in key and key != ":" and not key.endswith(":"))


def invalid_value(problem: str, *hints: str) -> Failure[Invalid]:
    """Build the failure of an invalid value of the flag -x."""
    return Failure(Invalid("INVALID_ARGUMENT", "-x", problem, hints))


def test_invalid_has_flag_problem_and_hints() -> None:
    assert invalid("--n", "is odd", "add 1", "take 1") == Failure(
        Invalid("INVALID_ARGUMENT", "--n", "is odd", ("add 1", "take 1"))
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"b": 1, "a": [true]}', {"b": 1, "a": [True]}),
        (" 1.10 ", 1.1),
        ("null", None),
        ('"text"', "text"),
        ("[]", []),
    ],
)
def test_json_is_parsed_and_keeps_its_text(text: str, value: Json) -> None:
    assert parse_json("-x", text) == Success(Exact(text.strip(), value))


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
def test_empty_text_is_not_valid_json(text: str) -> None:
    assert parse_json("-x", text) == invalid_value("empty; expected JSON")


def test_invalid_json_is_quoted_around_the_error() -> None:
    text = f"{'[' * 30}]{'}' * 30}"

    assert parse_json("-x", text) == invalid_value(
        f"invalid JSON: Expecting ',' delimiter at line 1, column 32, near '{'[' * 19}]{'}' * 20}'"
    )


def test_invalid_json_is_quoted_from_the_start_if_the_error_is_near_it() -> None:
    assert parse_json("-x", "{a: 1}") == invalid_value(
        "invalid JSON: a is not in double quotes at line 1, column 2, near '{a: 1}'"
    )


def test_invalid_json_of_several_lines_is_located() -> None:
    assert parse_json("-x", '{"a": 1\n "b"}') == invalid_value(
        "invalid JSON: Expecting ',' delimiter at line 2, column 2, near '{\"a\": 1\\n \"b\"}'"
    )


def test_nan_is_not_valid_json() -> None:
    assert parse_json("-x", "[NaN]") == invalid_value("invalid JSON: NaN is not JSON at line 1, column 2, near '[NaN]'")


@given(VALUES)
def test_any_json_value_is_parsed(value: Json) -> None:
    text = dump(value)

    assert parse_json("-x", text) == Success(Exact(text, value))


@given(WORDS)
def test_no_text_makes_the_json_parser_raise(text: str) -> None:
    match parse_json("-x", text):
        case Success(exact):
            assert exact.text == text.strip(" \t\r\n")
        case Failure(fault):
            assert (fault.code, fault.where) == ("INVALID_ARGUMENT", "-x")


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("city=London", Pair("city", "London")),
        ("message=2+2=4", Pair("message", "2+2=4")),
        ("token=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0=", Pair("token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0=")),
        ("empty=", Pair("empty", "")),
        ("message={invalid json}", Pair("message", "{invalid json}")),
        ("n=5", Pair("n", "5")),
        ("unicode=🚀🎉✨", Pair("unicode", "🚀🎉✨")),
        ("special_chars=!@#$%^&*()", Pair("special_chars", "!@#$%^&*()")),
        ("path=C:\\Users\\test", Pair("path", "C:\\Users\\test")),
        ("spaces=hello world with spaces", Pair("spaces", "hello world with spaces")),
        ("lines=a\nb", Pair("lines", "a\nb")),
        ("io.modelcontextprotocol/x=1", Pair("io.modelcontextprotocol/x", "1")),
        ("a:b=c", Pair("a:b", "c")),
        ("k==v", Pair("k", "=v")),
        ("k= =v", Pair("k", " =v")),
    ],
)
def test_pair_is_split_at_the_first_equals_sign(text: str, pair: Pair) -> None:
    assert parse_pair("-x", text) == Success(pair)


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("n:=5", Pair("n", Exact("5", 5))),
        ("n:=1.10", Pair("n", Exact("1.10", 1.1))),
        ("flag:=[true]", Pair("flag", Exact("[true]", [True]))),
        ("none:=null", Pair("none", Exact("null", None))),
        ('said:="5"', Pair("said", Exact('"5"', "5"))),
        ('deep:={"a": [1]}', Pair("deep", Exact('{"a": [1]}', {"a": [1]}))),
        ('eq:="a:=b"', Pair("eq", Exact('"a:=b"', "a:=b"))),
        ("a::=1", Pair("a:", Exact("1", 1))),
    ],
)
def test_value_after_colon_equals_is_parsed_as_json(text: str, pair: Pair) -> None:
    assert parse_pair("-x", text) == Success(pair)


@pytest.mark.parametrize("text", ["", "invalid_format_no_equals", "=value", "==value", ":=5", "=", ":="])
def test_pair_requires_a_key_and_an_equals_sign(text: str) -> None:
    assert parse_pair("-x", text) == invalid_value(f"expected key=value or key:=json, got {text!r}")


def test_invalid_json_value_is_reported_with_its_key() -> None:
    assert parse_pair("-x", "city:=London") == invalid_value(
        "the value of 'city' is invalid JSON: London is not in double quotes at line 1, column 1, near 'London'",
        "to send a string, write 'city:=\"London\"'",
    )


def test_json_value_must_not_be_empty() -> None:
    assert parse_pair("-x", "n:=") == invalid_value(
        "the value of 'n' is empty; expected JSON", "n= sends an empty string"
    )


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("body=@mail.txt", File("mail.txt")),
        ("body:=@mail.json", File("mail.json")),
        ("body=@-", File("-")),
        ("body=@a=b", File("a=b")),
        ("body=text", None),
        ("body=a@b.example", None),
        ("body=@@literal", None),
        ("body:=5", None),
        ("@file", None),
        ("=@file", None),
        ("", None),
    ],
)
def test_value_after_an_at_sign_names_a_file(text: str, source: File | None) -> None:
    assert pair_source(text) == source


@pytest.mark.parametrize(
    ("text", "content", "pair"),
    [
        ("body=@mail.txt", "Dear all,\n", Pair("body", "Dear all,\n")),
        ("body=@mail.txt", "", Pair("body", "")),
        ("body=@mail.txt", "@@x", Pair("body", "@@x")),
        ("body:=@mail.json", " [1]\n", Pair("body", Exact("[1]", [1]))),
    ],
)
def test_content_of_the_file_is_the_value(text: str, content: str, pair: Pair) -> None:
    assert parse_pair("-x", text, content) == Success(pair)


def test_file_without_valid_json_is_rejected_as_a_json_value() -> None:
    assert parse_pair("-x", "body:=@empty.json", "\n") == invalid_value(
        "the value of 'body' is empty; expected JSON", "body= sends an empty string"
    )


def test_double_at_sign_escapes_an_at_sign() -> None:
    assert parse_pair("-x", "handle=@@ada") == Success(Pair("handle", "@ada"))


@given(WORDS)
def test_no_text_makes_the_pair_parser_raise(text: str) -> None:
    match parse_pair("-x", text):
        case Success(Pair(key, value)):
            kept = value.text if isinstance(value, Exact) else value
            assert text.startswith((f"{key}=", f"{key}:="))
            assert text.rstrip(" \t\r\n").endswith(kept.rstrip(" \t\r\n"))
        case Failure(fault):
            assert fault.where == "-x"


@given(KEYS, st.text().filter(lambda value: not value.startswith("@")))
def test_any_pair_is_parsed_unchanged(key: str, value: str) -> None:
    assert parse_pair("-x", f"{key}={value}") == Success(Pair(key, value))


@given(KEYS, st.text())
def test_any_value_with_an_escaped_at_sign_is_parsed(key: str, value: str) -> None:
    assert parse_pair("-x", f"{key}=@@{value}") == Success(Pair(key, f"@{value}"))


@given(KEYS, VALUES)
def test_any_json_pair_is_parsed_unchanged(key: str, value: Json) -> None:
    assert parse_pair("-x", f"{key}:={json.dumps(value)}") == Success(Pair(key, Exact(json.dumps(value), value)))


@given(WORDS, WORDS)
def test_any_file_content_is_used_unchanged(key: str, content: str) -> None:
    text = f"k{key.replace('=', '').rstrip(':')}=@file"

    assert parse_pair("-x", text, content) == Success(Pair(text.removesuffix("=@file"), content))


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("Authorization: Bearer token123", Header("Authorization", "Bearer token123")),
        ("X-API-Key:secret123", Header("X-API-Key", "secret123")),
        ("X-Time: 2023:12:25:10:30:45", Header("X-Time", "2023:12:25:10:30:45")),
        ("  X-Header  :  value with spaces  ", Header("X-Header", "value with spaces")),
        ("X-Tab: a\tb", Header("X-Tab", "a\tb")),
        ("X-Query: a=b&c=d", Header("X-Query", "a=b&c=d")),
        ("!#$%&'*+-.^_`|~0aZ: x", Header("!#$%&'*+-.^_`|~0aZ", "x")),
    ],
)
def test_header_is_split_into_name_and_value(text: str, header: Header) -> None:
    assert parse_header("-x", text) == Success(header)


@pytest.mark.parametrize("text", ["InvalidHeader", "", "Authorization=Bearer s3cr3t"])
def test_header_without_a_colon_is_rejected_and_not_quoted(text: str) -> None:
    assert parse_header("-x", text) == invalid_value("expected 'Name: Value', but there is no colon")


@pytest.mark.parametrize(
    ("text", "name"), [(": value", ""), ("two words: x", "two words"), ("größe: x", "größe"), ("a\nb: x", "a\nb")]
)
def test_invalid_header_name_is_rejected(text: str, name: str) -> None:
    assert parse_header("-x", text) == invalid_value(f"{name!r} is not a valid header name")


@pytest.mark.parametrize("text", ["Header:", "Header:  ", "Header:\t"])
def test_empty_header_value_is_rejected(text: str) -> None:
    assert parse_header("-x", text) == invalid_value("the header Header has no value")


@pytest.mark.parametrize("value", ["a\r\nEvil: yes", "a\nb", "a\x00b", "a\x1b[2J", "a\x7fb"])
def test_control_character_in_a_header_value_is_rejected(value: str) -> None:
    assert parse_header("-x", f"X-Note: {value}") == invalid_value("the value of X-Note contains a control character")


@pytest.mark.parametrize(("name", "good"), [("X-Key", True), ("", False), ("a b", False), ("ä", False), ("a:b", False)])
def test_header_name_must_be_a_token(name: str, *, good: bool) -> None:
    assert is_header_name(name) == good


@given(WORDS)
def test_no_text_makes_the_header_parser_raise(text: str) -> None:
    match parse_header("-x", text):
        case Success(Header(name, value)):
            assert (name, value) == tuple(part.strip() for part in text.split(":", 1))
            assert "\n" not in name + value
        case Failure(fault):
            assert fault.where == "-x"


@given(st.from_regex(r"[A-Za-z0-9-]+", fullmatch=True), st.from_regex(r"[!-~]([ -~]*[!-~])?", fullmatch=True))
def test_any_valid_header_is_parsed_unchanged(name: str, value: str) -> None:
    assert parse_header("-x", f"{name}: {value}") == Success(Header(name, value))


@pytest.mark.parametrize(
    ("text", "assignment"),
    [
        ("KEY1=value1", ("KEY1", "value1")),
        ("API_KEY=abc123=xyz789==", ("API_KEY", "abc123=xyz789==")),
        ("EMPTY=", ("EMPTY", "")),
        ("TWO=a b\nc", ("TWO", "a b\nc")),
    ],
)
def test_assignment_is_split_at_the_first_equals_sign(text: str, assignment: tuple[str, str]) -> None:
    assert parse_assignment("-x", text) == Success(assignment)


@pytest.mark.parametrize("text", ["A-B", "code", "", "=value"])
def test_assignment_requires_a_name_and_an_equals_sign(text: str) -> None:
    assert parse_assignment("-x", text) == invalid_value(f"expected NAME=VALUE, got {text!r}")
    assert parse_named_file("-x", text) == invalid_value(f"expected NAME=FILE, such as junit=report.xml, got {text!r}")


def test_variable_without_a_value_is_inherited_already() -> None:
    assert parse_assignment("-x", "REGION") == invalid(
        "-x",
        "expected NAME=VALUE, got 'REGION'",
        "to set it, write -e REGION=VALUE; without -e, the server inherits it from the shell, if it is set there",
    )


@given(WORDS)
def test_no_text_makes_the_assignment_parser_raise(text: str) -> None:
    match parse_assignment("-x", text):
        case Success(found):
            assert "=".join(found) == text
        case Failure():
            assert text.startswith("=") or "=" not in text


def test_trailing_comma_is_named() -> None:
    problem = "invalid JSON: trailing comma at line 1, column 7, near '{\"a\":1,}'"

    assert parse_json("-x", '{"a":1,}') == invalid_value(problem)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("n=3", Pair("n", "3")),
        ("n:=3", Pair("n", exact(3))),
        ("n=", Pair("n", "")),
        ("n=a=b", Pair("n", "a=b")),
        ("n=@scope/name", Pair("n", "@scope/name")),
        ("n=@@name", Pair("n", "@@name")),
    ],
)
def test_variable_is_a_string_or_json(text: str, value: Pair) -> None:
    assert variable_source(text) is None
    assert parse_variable("-x", text) == Success(value)


@pytest.mark.parametrize("text", ["n", "", "=3", ":=3"])
def test_variable_requires_a_name_and_a_value(text: str) -> None:
    assert variable_source(text) is None
    assert parse_variable("-x", text) == invalid_value(f"expected NAME=TEXT or NAME:=JSON, got {text!r}")


def test_json_of_a_variable_can_be_in_a_file() -> None:
    assert variable_source("n:=@n.json") == File("n.json")
    assert parse_variable("-x", "n:=@n.json", "[1]") == Success(Pair("n", exact([1])))


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("file:///home/user/project", {"uri": "file:///home/user/project"}),
        ("file:///home/user/project=My Project", {"uri": "file:///home/user/project", "name": "My Project"}),
        ("file://localhost:8080/project", {"uri": "file://localhost:8080/project"}),
        ("file:///home/my project", {"uri": "file:///home/my project"}),
        ("file:///home/my project=A name", {"uri": "file:///home/my project", "name": "A name"}),
        ("file:///srv/a=b=c", {"uri": "file:///srv/a", "name": "b=c"}),
        ("file:///srv/a=", {"uri": "file:///srv/a", "name": ""}),
        ("file:///srv?x=1", {"uri": "file:///srv?x", "name": "1"}),
    ],
)
def test_root_is_split_at_the_first_equals_sign_after_the_scheme(text: str, root: dict[str, str]) -> None:
    assert parse_root("-x", text) == Success(root)


@pytest.mark.parametrize("text", ["", "/home/user/project", "project=My Project", "://x", "file:/home", "file:"])
def test_root_must_be_a_uri(text: str) -> None:
    assert parse_root("-x", text) == invalid_value(f"expected a URI such as file:///home/me/project, got {text!r}")


@pytest.mark.parametrize("text", ["https://example.com:8080/x", "a=file:///x", "git+file:///x"])
def test_root_must_be_a_file_uri(text: str) -> None:
    assert parse_root("-x", text) == invalid_value(f"expected a file:// URI, got {text!r}")


@given(WORDS | WORDS.map(lambda rest: f"file://{rest}"))
def test_no_text_makes_the_root_parser_raise(text: str) -> None:
    match parse_root("-x", text):
        case Success(root):
            assert "=".join(str(part) for part in root.values()) == text
            assert "=" not in str(root["uri"])
        case Failure(fault):
            assert fault.where == "-x"


@pytest.mark.parametrize(
    ("text", "ref"),
    [
        ("ref/resource/file:///data/{name}", {"type": "ref/resource", "uri": "file:///data/{name}"}),
        ("ref/prompt/summarize", {"type": "ref/prompt", "name": "summarize"}),
        ("ref/prompt/a/b", {"type": "ref/prompt", "name": "a/b"}),
        ("ref/resource//", {"type": "ref/resource", "uri": "/"}),
    ],
)
def test_ref_is_a_prompt_or_a_resource(text: str, ref: dict[str, str]) -> None:
    assert parse_ref("-x", text) == Success(ref)


@pytest.mark.parametrize(
    "text", ["", "summarize", "ref/tool/x", "ref/prompt", "ref/prompt/", "ref/resource/", " ref/prompt/x"]
)
def test_other_refs_are_rejected(text: str) -> None:
    assert parse_ref("-x", text) == invalid_value(f"expected ref/prompt/NAME or ref/resource/URI, got {text!r}")


@given(WORDS | WORDS.map(lambda rest: f"ref/prompt/{rest}") | WORDS.map(lambda rest: f"ref/resource/{rest}"))
def test_no_text_makes_the_ref_parser_raise(text: str) -> None:
    match parse_ref("-x", text):
        case Success(ref):
            assert "/".join(str(part) for part in ref.values()) == text
        case Failure(fault):
            assert fault.where == "-x"


def test_invalid_utf8_in_a_header_is_rejected() -> None:
    problem = "the value of X-Note contains invalid UTF-8: 0xff at byte 2"

    assert parse_header("-x", "X-Note: a\udcff") == invalid_value(problem)
    assert parse_header("-x", "X-\udcff: a") == invalid_value("the name contains invalid UTF-8: 0xff at byte 3")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('add(a: "x, y", b=1)', ("add", "a=x, y", "b=1")),
        ("add(a: 'x', b:=2, c: [1, 2])", ("add", "a=x", "b:=2", "c:=[1, 2]")),
        ("add()", ("add",)),
        ("add(1, 2)", ()),
        ('add(a: "x)', ()),
        ("add a=1", ()),
    ],
)
def test_call_is_split_into_name_and_arguments(text: str, words: tuple[str, ...]) -> None:
    assert call_words(text) == words


def test_named_file_has_a_name_and_a_path() -> None:
    assert parse_named_file("-x", "md=a=b.md") == Success(("md", "a=b.md"))
    assert parse_named_file("-x", "md=b.html") == Success(("md", "b.html"))
    assert parse_named_file("-x", "md=") == invalid_value("expected NAME=FILE, such as junit=report.xml, got 'md='")


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("a.xml", "junit=a.xml"),
        ("=a.xml", "junit=a.xml"),
        ("x/a.html", "html=x/a.html"),
        ("junit", "junit=report.xml"),
        ("md", "md=report.md"),
    ],
)
def test_file_or_format_of_a_report_is_completed(text: str, right: str) -> None:
    fault = parse_named_file("--report", text).failure()

    assert fault.correction == Correction(text, (right,))


@pytest.mark.parametrize("text", ["xml", "a.png", "report"])
def test_other_words_are_not_completed(text: str) -> None:
    assert parse_named_file("--report", text).failure().correction is None


def test_hint_shows_how_to_send_a_value_unchanged() -> None:
    shown = "to send it anyway, write "
    assert unconverted("size", "huge") == f"""{shown}'size:="huge"'"""
    assert unconverted("size", "5") == f"{shown}size:=5"
    assert unconverted("size", "x" * 61) == f"{shown}size:=JSON"
    assert unconverted("size", "x", "a.txt") == f"{shown}size:=@a.txt"


def test_uri_is_not_an_argument() -> None:
    wrong = Invalid("INVALID_ARGUMENT", "--uri", "expected a URI, got 'uri=camp://pitch/A1'")

    assert parse_uri("--uri", "uri=camp://pitch/A1") == Failure(
        with_correction(wrong, Correction("uri=camp://pitch/A1", ("camp://pitch/A1",)))
    )


@pytest.mark.parametrize("text", ["camp://pitch/A1", "camp://a?uri=b:c", "uri=", "a", "", "url=x"])
def test_other_text_is_sent_as_a_uri(text: str) -> None:
    assert parse_uri("--uri", text) == Success(text)
