"""Config files define servers and may refer to environment variables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import VALUES
from mcpi.core.flags.pairs import Header
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.targets.config_file import build_target, env_file, parse_servers, select_server, with_variables
from mcpi.core.targets.target import Http, Sse, Stdio, Target, secrets_in_target

PATH = "servers.json"
SERVERS: JsonObject = {"files": {"command": "node"}, "remote": {"url": "https://example.com/mcp"}}


def invalid(problem: str, *hints: str) -> Failure[Invalid]:
    """The fault of an invalid config file."""
    return Failure(Invalid("INVALID_CONFIG", PATH, problem, hints))


@pytest.mark.parametrize("key", ["mcpServers", "servers", "context_servers"])
def test_servers_are_read_from_the_keys_that_editors_use(key: str) -> None:
    assert parse_servers(PATH, f'{{"other": 1, "{key}": {{"a": {{}}}}}}') == Success({"a": {}})


def test_byte_order_mark_is_ignored() -> None:
    assert parse_servers(PATH, '\ufeff{"mcpServers": {}}') == Success({})


def test_server_key_that_is_not_an_object_is_skipped() -> None:
    assert parse_servers(PATH, '{"mcpServers": [], "servers": {"a": {}}}') == Success({"a": {}})


@pytest.mark.parametrize("text", ["", " \n"])
def test_empty_file_is_rejected(text: str) -> None:
    assert parse_servers(PATH, text) == invalid("the file is empty")


def test_json_error_is_reported_with_its_line() -> None:
    assert parse_servers(PATH, '{\n  "mcpServers": {\n    oops\n}}') == invalid(
        "invalid JSON: oops is not in double quotes at line 3, column 5"
    )


def test_line_numbers_start_at_1() -> None:
    assert [parse_servers(PATH, text) for text in ("oops", "\noops")] == [
        invalid("invalid JSON: oops is not in double quotes at line 1, column 1"),
        invalid("invalid JSON: oops is not in double quotes at line 2, column 1"),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "expected an object with 'mcpServers', found array"),
        ("5", "expected an object with 'mcpServers', found number"),
        ("{}", "the file has no object 'mcpServers'"),
        ('{"mcpServers": 5}', "the file has no object 'mcpServers'"),
    ],
)
def test_file_without_servers_is_rejected(text: str, problem: str) -> None:
    assert parse_servers(PATH, text) == invalid(problem)


def test_misspelled_key_of_the_servers_is_named() -> None:
    assert parse_servers(PATH, '{"mcpServer": {}, "x": 1}') == invalid(
        "the file has no object 'mcpServers'", "unknown member 'mcpServer' (did you mean mcpServers?)"
    )


@given(st.text() | VALUES.map(dump) | VALUES.map(lambda value: dump({"mcpServers": value})))
def test_any_text_parses_or_returns_invalid_config(text: str) -> None:
    match parse_servers(PATH, text):
        case Success(servers):
            assert isinstance(servers, dict)
        case Failure(fault):
            assert isinstance(fault, Invalid)
            assert (fault.code, fault.where) == ("INVALID_CONFIG", PATH)


def test_server_is_selected_by_name() -> None:
    assert select_server(PATH, SERVERS, "files") == Success(("files", {"command": "node"}))


def test_single_server_is_selected_without_a_name() -> None:
    assert select_server(PATH, {"files": {"command": "node"}}, None) == Success(("files", {"command": "node"}))


def test_two_servers_require_a_name() -> None:
    assert select_server(PATH, SERVERS, None) == invalid(
        "--server is required because the file has 2 servers", "servers: files, remote"
    )


def test_selecting_from_an_empty_list_fails() -> None:
    assert [select_server(PATH, {}, None), select_server(PATH, {}, "files")] == [
        invalid("the file has no servers"),
        invalid("the file has no servers"),
    ]


def test_misspelled_server_suggests_nearest_name() -> None:
    assert select_server(PATH, SERVERS, "remot") == invalid("unknown server 'remot'", "did you mean remote?")


def test_unknown_server_lists_all_names() -> None:
    assert select_server(PATH, SERVERS, "xyz") == invalid("unknown server 'xyz'", "servers: files, remote")


@pytest.mark.parametrize(
    ("entry", "found"), [(5, "number"), ("node", "string"), ([], "array"), (None, "null")], ids=str
)
def test_server_entry_must_be_an_object(entry: Json, found: str) -> None:
    assert select_server(PATH, {"a": entry}, "a") == invalid(f"the server 'a' is of type {found}, not an object")


ENVIRONMENT = {"TOKEN": "t0ken", "PORT": "3000", "BIN": "node"}
ENTRIES: list[tuple[str, JsonObject, Target]] = [
    ("a-command", {"command": "node"}, Stdio(("node",))),
    ("null-is-nothing", {"command": "node", "type": None, "args": None, "env": None, "cwd": None}, Stdio(("node",))),
    (
        "a-typed-command",
        {"type": "stdio", "command": "node", "args": ["server.js", "--port", 3000]},
        Stdio(("node", "server.js", "--port", "3000")),
    ),
    (
        "a-command-with-everything",
        {
            "command": "${BIN}",
            "args": ["--port=${PORT}", "${VERBOSE:---quiet}"],
            "env": {"API_KEY": "${TOKEN}", "DEPTH": 2},
            "cwd": "/srv/${PORT}",
            "headers": {"ignored": "yes"},
        },
        Stdio(("node", "--port=3000", "--quiet"), {"API_KEY": "t0ken", "DEPTH": "2"}, "/srv/3000"),
    ),
    ("a-url", {"url": "https://example.com/mcp"}, Http("https://example.com/mcp")),
    ("a-url-of-sse", {"url": "https://example.com/sse"}, Sse("https://example.com/sse")),
    ("http", {"type": "http", "url": "https://example.com/sse"}, Http("https://example.com/sse")),
    ("streamable-http", {"type": "streamable-http", "url": "https://example.com/sse"}, Http("https://example.com/sse")),
    ("streamableHttp", {"type": "streamableHttp", "url": "https://example.com/sse"}, Http("https://example.com/sse")),
    ("streamable_http", {"type": "streamable_http", "url": "https://example.com/sse"}, Http("https://example.com/sse")),
    ("sse", {"type": "sse", "url": "https://example.com/mcp"}, Sse("https://example.com/mcp")),
    ("a-transport", {"transport": "sse", "url": "https://example.com/mcp"}, Sse("https://example.com/mcp")),
    (
        "type-wins-over-transport",
        {"type": "http", "transport": "sse", "url": "https://example.com/mcp"},
        Http("https://example.com/mcp"),
    ),
    (
        "a-url-with-headers",
        {"url": "http://localhost:${PORT}/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Depth": 2}},
        Http("http://localhost:3000/mcp", (Header("Authorization", "Bearer t0ken"), Header("X-Depth", "2"))),
    ),
    ("a-url-before-a-command", {"url": "https://example.com", "command": "node"}, Http("https://example.com")),
    (
        "a-command-that-is-said-to-be-one",
        {"type": "stdio", "url": "https://example.com", "command": "node"},
        Stdio(("node",)),
    ),
    (
        "a-url-has-no-arguments",
        {"url": "https://example.com/mcp", "args": ["x"], "env": {"A": "b"}, "cwd": "/"},
        Http("https://example.com/mcp"),
    ),
]


@pytest.mark.parametrize(("entry", "found"), [row[1:] for row in ENTRIES], ids=[row[0] for row in ENTRIES])
def test_entry_is_converted_to_a_target(entry: JsonObject, found: Target) -> None:
    assert build_target(PATH, "a", entry, ENVIRONMENT) == Success(found)


def test_variable_value_is_secret_unless_it_is_a_path_or_a_plain_word() -> None:
    entry: JsonObject = {
        "command": "${RUN}",
        "args": ["--tenant", "${TENANT}", "--mode=${MODE}", "${input:pass-phrase}", "${workspaceFolder}/x"],
        "cwd": "/srv/${FOLDER_KEY}",
        "env": {"X": "${OTHER}"},
    }
    environment = {
        "RUN": "node",
        "TENANT": "t-3n4nt-1",
        "MODE": "production",
        "PASS_PHRASE": "open sesame",
        "FOLDER_KEY": "f0lder",
    }

    found = build_target(PATH, "a", entry, {**environment, "OTHER": "0ther-value"}).unwrap()

    assert secrets_in_target(found) == ("t-3n4nt-1", "open sesame", "0ther-value", "f0lder")


def test_variable_value_in_a_url_or_header_is_secret() -> None:
    entry: JsonObject = {"url": "https://h/${PLACE}/mcp", "headers": {"X-Team": "${TEAM}"}}

    found = build_target(PATH, "a", entry, {"PLACE": "pl4ce-of-h", "TEAM": "te4m-of-h"}).unwrap()

    assert secrets_in_target(found) == ("pl4ce-of-h", "te4m-of-h")


@pytest.mark.parametrize("entry", [{"command": "node", "envs": {}}, {"url": "https://h/mcp", "envs": {}}])
def test_misspelled_member_is_remarked(entry: JsonObject) -> None:
    found = build_target(PATH, "a", entry, {}).unwrap()

    assert found.remarks == (f"{PATH}: the server 'a' has the unknown member 'envs' (did you mean env?)",)


KNOWN = "expected stdio, sse, http, streamable-http, streamableHttp, streamable_http, local"
MISTAKES: list[tuple[str, JsonObject, Failure[Invalid]]] = [
    ("nothing", {}, invalid("the server 'a' has no 'command'")),
    (
        "a-misspelled-command",
        {"comand": "node"},
        invalid("the server 'a' has no 'command'", "unknown member 'comand' (did you mean command?)"),
    ),
    ("no-command", {"type": "stdio", "url": "https://example.com"}, invalid("the server 'a' has no 'command'")),
    ("an-empty-command", {"command": ""}, invalid("the server 'a' has no 'command'")),
    ("a-command-of-another-type", {"command": ["node"]}, invalid("the server 'a' has no 'command'")),
    ("no-url", {"type": "http", "command": "node"}, invalid("the server 'a' has no 'url'")),
    ("a-url-of-another-type", {"url": 5}, invalid("the server 'a' has no 'url'")),
    (
        "a-url-without-a-scheme",
        {"url": "localhost:3000/mcp"},
        invalid("a.url is not a URL: 'localhost:3000/mcp'", "use http:// or https://"),
    ),
    (
        "a-typed-url-without-a-scheme",
        {"type": "sse", "url": "localhost"},
        invalid("a.url is not a URL: 'localhost'", "use http:// or https://"),
    ),
    (
        "a-misspelled-scheme",
        {"url": "htp://localhost"},
        invalid("the server 'a': htp:// is not a supported URL scheme"),
    ),
    ("an-unknown-type", {"type": "ws", "url": "x"}, invalid("the server 'a' has the unknown type 'ws'", KNOWN)),
    ("a-type-of-another-type", {"type": ["http"]}, invalid("the server 'a' has the unknown type ['http']", KNOWN)),
    ("a-number-as-type", {"type": 5}, invalid("the server 'a' has the unknown type 5", KNOWN)),
    (
        "arguments-in-one-text",
        {"command": "node", "args": "server.js"},
        invalid("a.args is of type string, not an array"),
    ),
    (
        "an-argument-of-another-type",
        {"command": "node", "args": ["x", True]},
        invalid("a.args[1] is of type boolean, not a string"),
    ),
    ("a-list-as-env", {"command": "node", "env": ["A=b"]}, invalid("a.env is of type array, not an object")),
    (
        "a-variable-of-another-type",
        {"command": "node", "env": {"A": None}},
        invalid("a.env.A is of type null, not a string"),
    ),
    (
        "a-text-as-headers",
        {"url": "https://x.example", "headers": "X: y"},
        invalid("a.headers is of type string, not an object"),
    ),
    (
        "a-header-of-another-type",
        {"url": "https://x.example", "headers": {"X": {}}},
        invalid("a.headers.X is of type object, not a string"),
    ),
    (
        "no-header-name",
        {"url": "https://x.example", "headers": {"a b": "c"}},
        invalid("'a b' is not a valid header name"),
    ),
    (
        "no-header-value",
        {"url": "https://x.example", "headers": {"X": "${EMPTY:-}"}},
        invalid("the header X has no value"),
    ),
    (
        "all-types-at-once",
        {"command": "node", "args": 1, "env": {"A": None, "B": {}}, "headers": {"X": {}}, "cwd": []},
        invalid(
            "a.args is of type number, not an array; a.env.A is of type null, not a string; "
            "a.env.B is of type object, not a string; a.cwd is of type array, not a string"
        ),
    ),
    ("a-directory-of-another-type", {"command": "node", "cwd": 5}, invalid("a.cwd is of type number, not a string")),
    (
        "a-missing-variable-in-the-command",
        {"command": "${NONE}"},
        invalid("a.command requires the environment variable NONE, which is not set"),
    ),
    (
        "a-missing-variable-in-an-argument",
        {"command": "node", "args": ["${NONE}"]},
        invalid("a.args requires the environment variable NONE, which is not set"),
    ),
    (
        "a-missing-variable-in-the-environment",
        {"command": "node", "env": {"A": "${NONE}"}},
        invalid("a.env.A requires the environment variable NONE, which is not set"),
    ),
    (
        "a-missing-variable-in-the-directory",
        {"command": "node", "cwd": "${NONE}"},
        invalid("a.cwd requires the environment variable NONE, which is not set"),
    ),
    (
        "a-missing-variable-in-the-url",
        {"url": "https://${NONE}"},
        invalid("a.url requires the environment variable NONE, which is not set"),
    ),
    (
        "a-missing-variable-in-a-header",
        {"url": "https://x.example", "headers": {"X": "${NONE}"}},
        invalid("a.headers.X requires the environment variable NONE, which is not set"),
    ),
]


@pytest.mark.parametrize(("entry", "fault"), [row[1:] for row in MISTAKES], ids=[row[0] for row in MISTAKES])
def test_invalid_entry_names_the_problem(entry: JsonObject, fault: Failure[Invalid]) -> None:
    assert build_target(PATH, "a", entry, ENVIRONMENT) == fault


KEYS = st.sampled_from(["type", "transport", "command", "url", "args", "env", "headers", "cwd"])


@given(st.dictionaries(KEYS, VALUES | st.sampled_from(["stdio", "http", "node", "https://x.example", "${A}"])))
def test_any_entry_gives_a_target_or_invalid_config(entry: JsonObject) -> None:
    match build_target(PATH, "a", entry, {}):
        case Success(found):
            assert isinstance(found, Stdio | Http | Sse)
        case Failure(fault):
            assert isinstance(fault, Invalid)
            assert (fault.code, fault.where) == ("INVALID_CONFIG", PATH)


COMMENTED = """{
  // an editor's
  "servers": { "a": { "command": "x", /* one
  two */ "args": ["//", "/*", ",}",], }, },
}"""


def test_comments_and_trailing_commas_are_accepted() -> None:
    assert parse_servers("mcp.json", COMMENTED) == Success({"a": {"command": "x", "args": ["//", "/*", ",}"]}})


def test_json_error_after_a_comment_is_reported_with_its_line() -> None:
    assert parse_servers("mcp.json", "{\n// one\n/* two\n*/ oops }") == Failure(
        Invalid(
            "INVALID_CONFIG",
            "mcp.json",
            "invalid JSON: oops is not in double quotes at line 4, column 4",
        )
    )


@pytest.mark.parametrize("key", ["mcpServers", "servers", "context_servers"])
@pytest.mark.parametrize("text", ['{"%s": {"a": {}}}', '{"mcp": {"%s": {"a": {}}}}'])
def test_servers_may_be_nested_under_mcp(text: str, key: str) -> None:
    assert parse_servers("mcp.json", text % key) == Success({"a": {}})


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"serverUrl": "https://h/mcp"}, Http("https://h/mcp")),
        ({"serverUrl": "https://h/sse"}, Sse("https://h/sse")),
        ({"httpUrl": "https://h/sse"}, Http("https://h/sse")),
        ({"httpUrl": "https://h/a", "url": "https://h/b"}, Http("https://h/b")),
        ({"command": {"path": "node", "args": ["x.js"], "env": {"A": "1"}}}, Stdio(("node", "x.js"), {"A": "1"})),
        ({"type": "local", "command": "node"}, Stdio(("node",))),
    ],
)
def test_entries_of_other_tools_are_accepted(entry: JsonObject, expected: Target) -> None:
    assert build_target("mcp.json", "a", entry, {}) == Success(expected)


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("mcp.json", "."),
        (".vscode/mcp.json", "."),
        ("/work/.vscode/mcp.json", "/work"),
        ("/work/.cursor/mcp.json", "/work"),
        ("/work/mcp.json", "/work"),
        ("C:\\work\\.vscode\\mcp.json", "C:/work"),
    ],
)
def test_workspace_folder_is_derived_from_the_path_of_the_file(path: str, folder: str) -> None:
    entry: JsonObject = {"command": "node", "cwd": "${workspaceFolder}"}

    assert build_target(path, "a", entry, {}) == Success(Stdio(("node",), cwd=folder))


@pytest.mark.parametrize(
    ("environment", "home"), [({"HOME": "/home/me"}, "/home/me"), ({"USERPROFILE": "C:/me"}, "C:/me"), ({}, "~")]
)
def test_user_home_is_expanded(environment: dict[str, str], home: str) -> None:
    assert build_target("mcp.json", "a", {"command": "${userHome}/x"}, environment) == Success(Stdio((f"{home}/x",)))


def test_input_variable_is_read_from_the_environment() -> None:
    entry: JsonObject = {"command": "node", "args": ["--key=${input:api-key}"]}

    assert build_target("mcp.json", "a", entry, {"API_KEY": "k"}) == Success(Stdio(("node", "--key=k")))
    assert build_target("mcp.json", "a", entry, {}) == Failure(
        Invalid(
            "INVALID_CONFIG",
            "mcp.json",
            "a.args requires ${input:api-key}, which an editor prompts for",
            ("set the environment variable API_KEY",),
        )
    )


def test_unsupported_env_file_is_reported() -> None:
    assert build_target("mcp.json", "a", {"command": "node", "envFile": ".env"}, {}) == Failure(
        Invalid("INVALID_CONFIG", "mcp.json", "a.envFile is not supported here", ("move its variables to env",))
    )


def test_env_file_path_is_expanded() -> None:
    entry: JsonObject = {"envFile": "${workspaceFolder}/.env"}

    assert env_file("/work/.vscode/mcp.json", "a", entry, {}) == Success("/work/.env")
    assert env_file("mcp.json", "a", {}, {}) == Success("")


def test_env_of_the_entry_overrides_the_env_file() -> None:
    entry: JsonObject = {"command": "node", "envFile": ".env", "env": {"A": "own"}}

    assert with_variables(entry, {"A": "1", "B": "2"}) == {"command": "node", "env": {"A": "own", "B": "2"}}
    assert with_variables({"url": "x", "envFile": ".env"}, {}) == {"url": "x"}
