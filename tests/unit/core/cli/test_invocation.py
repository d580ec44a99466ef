"""A draft and the sources read for it are combined into an invocation."""

import json
from collections.abc import Mapping

import pytest
from attrs import evolve, frozen

from json_texts import exact
from mcpi.core.cli.command_line import Draft
from mcpi.core.cli.invocation import Invocation, complete, required_sources, secrets, with_config
from mcpi.core.debugger.program.probe import Probe
from mcpi.core.flags.options import AuthOptions, ModeOptions, OutputOptions, ProtocolOptions, TimeOptions
from mcpi.core.flags.pairs import File, Header, Pair, Variable
from mcpi.core.flags.places import RecordingLimits, SourceLine
from mcpi.core.flags.types import PrivateKey, Secret, Source
from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.faults import Invalid, TimedOut
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.catalog import Catalog, OwnedMethod
from mcpi.core.plans.method import AnyMethod, Method, RawParams
from mcpi.core.plans.plan import StartedPlan, begin
from mcpi.core.plans.reports import ReportFormat
from mcpi.core.plans.responders import Accept, Handler, Reply, Responder, ServerRequest
from mcpi.core.plans.steps import Call, Plan, Steps, request
from mcpi.core.scripts.script import Script
from mcpi.core.scripts.step import ScriptStep
from mcpi.core.targets.target import Http, Sse, Stdio, Target
from mcpi.core.wire.server_info import EMPTY
from mcpi.shell.cli.app import read


@frozen(kw_only=True)
class CallTool:
    """Call one tool."""

    tool_name: str
    tool_arg: tuple[Pair, ...] = ()
    tool_args: Exact | None = None


@frozen(kw_only=True)
class Flags:
    """Flags of a responder."""

    handle_x: Exact | None = None


def call_tool(args: CallTool) -> Plan:
    """Call the tool."""
    return (yield from request("tools/call", {"name": args.tool_name}))


def answer(_: Flags, __: ServerRequest) -> Steps[Reply]:
    """Accept with an empty object."""
    yield from ()
    return Accept(EMPTY)


@frozen(kw_only=True)
class UrlFlags:
    """Flags of a method that takes a server URL."""

    about: str | None = None


LIST: AnyMethod = Method("tools/list", RawParams, lambda _: request("tools/list"), "")
CALL: AnyMethod = Method("tools/call", CallTool, call_tool, "")
OAUTH: AnyMethod = Method("oauth/discover", RawParams, lambda _: request("x"), "", connects=False)
ABOUT: AnyMethod = Method("x/about", UrlFlags, lambda _: request("x"), "", connects=False, target_field="about")
RESPONDER = Responder("x/y", "x", Flags, lambda _, __: {}, answer, lambda _: False)
JUNIT, HTML = ReportFormat("junit", lambda _: ""), ReportFormat("html", lambda _: "")
CATALOG = Catalog(
    {one.name: OwnedMethod(one, "own") for one in (LIST, CALL, OAUTH, ABOUT)},
    reports={"junit": JUNIT, "html": HTML},
    responders=(RESPONDER,),
)
SERVERS = json.dumps(
    {
        "mcpServers": {
            "local": {"command": "node", "args": ["${FILE:-a.js}"], "env": {"A": "1", "B": "2"}, "cwd": "/srv"},
            "remote": {"url": "https://x.example/mcp", "headers": {"X-Key": "old", "Authorization": "Bearer old"}},
        }
    }
)


def draft(line: str, environment: Mapping[str, str] | None = None) -> Draft:
    """Parse a valid command line into a draft."""
    return read(line.split(), environment or {}, CATALOG).unwrap()


def completed(
    line: str, contents: Mapping[Source, str] | None = None, environment: Mapping[str, str] | None = None
) -> Result[Invocation]:
    """Complete a valid command line with the contents of its sources."""
    read_so_far: dict[Source, str] = {File("x.json"): SERVERS, **(contents or {})}
    return complete(draft(line, environment), read_so_far, environment or {}, CATALOG)


def target(line: str, environment: Mapping[str, str] | None = None) -> Target | None:
    """Return the target of a valid command line for tools/list."""
    return completed(f"--method tools/list {line}", environment=environment).unwrap().target


def invalid(flag: str, problem: str, *hints: str) -> Failure[Invalid]:
    """Build the failure of an invalid value."""
    return Failure(Invalid("INVALID_ARGUMENT", flag, problem, hints))


def test_invocation_has_all_options() -> None:
    assert completed("node a.js --method tools/list --era modern --retry 2 --compact") == Success(
        Invocation(
            ModeOptions(method="tools/list"),
            ProtocolOptions(era="modern"),
            TimeOptions(retry=2),
            OutputOptions(compact=True),
            Stdio(("node", "a.js")),
            LIST,
            RawParams(),
            None,
            {"x/y": Handler(RESPONDER, Flags())},
            {"junit": JUNIT, "html": HTML},
        )
    )


def test_flags_of_the_method_become_its_arguments() -> None:
    invocation = completed("node --method tools/call --tool-name echo --tool-arg a=1").unwrap()

    assert invocation.args == CallTool(tool_name="echo", tool_arg=(Pair("a", "1"),))


def test_flags_of_responders_configure_handlers() -> None:
    invocation = completed("node --method tools/list --handle-x {}").unwrap()

    assert invocation.handlers == {"x/y": Handler(RESPONDER, Flags(handle_x=Exact("{}", {})))}


def test_invocation_without_a_method_has_no_arguments() -> None:
    invocation = completed("node --follow").unwrap()

    assert (invocation.method, invocation.args) == (None, None)


def test_invocation_runs_the_plan_of_the_method() -> None:
    plan = completed("node --method tools/call --tool-name echo").unwrap().plan()

    assert begin(plan) == StartedPlan(plan, Call("tools/call", {"name": "echo"}))


def test_params_are_sent_as_given() -> None:
    invocation = completed('node --method tools/call --params {"n":1.10}').unwrap()
    plan = invocation.plan()

    assert begin(plan) == StartedPlan(plan, Call("tools/call", Exact('{"n":1.10}', {"n": 1.1})))
    assert invocation.args is None


@pytest.mark.parametrize(
    ("line", "sources"),
    [
        ("node --method tools/list", ()),
        ("--config x.json --method tools/list", (("--config", File("x.json")),)),
        ("node --script -", (("--script", File("-")),)),
        (
            "https://x.example --method tools/call --tool-name e --tool-args @a.json --token env:T --handle-x -",
            (
                ("--token", Variable("T")),
                ("--handle-x", File("-")),
                ("--tool-args", File("a.json")),
            ),
        ),
    ],
)
def test_required_sources_are_listed(line: str, sources: tuple[tuple[str, Source], ...]) -> None:
    assert required_sources(draft(line)) == sources


def test_contents_of_sources_are_filled_in() -> None:
    invocation = completed(
        "node --method tools/call --tool-name e --tool-args @a.json --handle-x - --client-capabilities @c.json",
        {File("a.json"): '{"x": 1}', File("-"): "[1]", File("c.json"): "{}"},
    ).unwrap()

    assert invocation.args == CallTool(tool_name="e", tool_args=Exact('{"x": 1}', {"x": 1}))
    assert invocation.handlers == {"x/y": Handler(RESPONDER, Flags(handle_x=Exact("[1]", [1])))}
    assert invocation.protocol == ProtocolOptions(client_capabilities=Exact("{}", {}))


@pytest.mark.parametrize(
    ("line", "contents", "flag"),
    [
        ("node --method tools/list --client-capabilities @c", {File("c"): ""}, "--client-capabilities"),
        ("node --method tools/list --handle-x @h", {File("h"): ""}, "--handle-x"),
        ("node --method tools/call --tool-name e --tool-args @a", {File("a"): ""}, "--tool-args"),
    ],
)
def test_empty_source_of_a_json_flag_is_rejected(line: str, contents: Mapping[Source, str], flag: str) -> None:
    assert completed(line, contents) == invalid(flag, "empty; expected JSON")


@pytest.mark.parametrize(
    ("capabilities", "found"), [("[]", "array"), ("5", "number"), ("null", "null"), ("@c.json", "string")]
)
def test_client_capabilities_must_be_an_object(capabilities: str, found: str) -> None:
    line = f"node --method tools/list --client-capabilities {capabilities}"

    assert completed(line, {File("c.json"): '"roots"'}) == invalid(
        "--client-capabilities",
        f"expected a JSON object, found {found}",
        "to declare no capabilities, write '{}'",
    )


def test_known_reports_are_accepted() -> None:
    invocation = completed("node --method tools/list --report-junit a.xml --report junit=b.xml").unwrap()

    assert invocation.output.reports == (("--report-junit", "junit", "a.xml"), ("--report", "junit", "b.xml"))


def test_misspelled_report_suggests_the_nearest_one() -> None:
    assert completed("node --method tools/list --report junti=x") == invalid(
        "--report", "unknown report 'junti'", "did you mean junit?"
    )


def test_unknown_report_lists_all_reports() -> None:
    assert completed("node --method tools/list --report-tap x") == invalid(
        "--report", "unknown report 'tap'", "available: junit, html"
    )


def test_script_is_parsed_from_its_source() -> None:
    invocation = completed("node --script -", {File("-"): '[{"method": "tools/list", "name": "first"}]'}).unwrap()

    assert invocation.script is not None
    assert [step.title for step in invocation.script.steps] == ["step 1 (first)"]


NEEDING = '[{"method": "tools/list"}]'


@pytest.mark.parametrize("text", [NEEDING, '[{"wait": "notifications/x"}]'])
def test_script_that_needs_a_server_requires_a_target(text: str) -> None:
    missing = completed("--script s.json", {File("s.json"): text}).failure()

    assert isinstance(missing, Invalid)
    assert (missing.code, missing.where) == ("MISSING_ARGUMENT", "target")


def test_demo_server_is_a_target_for_a_script() -> None:
    assert isinstance(completed("--demo --script s.json", {File("s.json"): NEEDING}), Success)


def test_script_that_needs_no_server_has_no_target() -> None:
    steps = '[{"method": "oauth/discover"}]'

    assert completed("--script s.json", {File("s.json"): steps}).unwrap().target is None


def test_var_flag_sets_a_script_variable() -> None:
    invocation = completed(
        "node --script s.json --var A=b", {File("s.json"): '[{"method": "ping", "params": {"a": "${A}"}}]'}
    ).unwrap()

    assert invocation.script is not None
    assert invocation.script.variables == {"A": Exact('"b"', "b")}


@pytest.mark.parametrize(("name", "message"), [("-", "standard input"), ("s.json", "s.json")])
def test_script_error_names_its_source(name: str, message: str) -> None:
    assert completed(f"node --script {name}", {File(name): ""}) == Failure(
        Invalid("INVALID_SCRIPT", message, "the script is empty")
    )


def test_method_without_a_connection_has_no_target() -> None:
    assert completed("--method oauth/discover").unwrap().target is None


def test_env_and_cwd_flags_apply_to_the_command() -> None:
    assert target("node -e A=b --env C=d=e --cwd /srv") == Stdio(("node",), {"A": "b", "C": "d=e"}, "/srv")


def test_words_after_the_separator_are_appended_to_the_command() -> None:
    assert completed("node a.js -- --port 1 --method tools/list").unwrap().target == Stdio(
        ("node", "a.js", "--port", "1")
    )


def test_transport_flag_selects_the_transport() -> None:
    assert target("https://x.example/sse --transport http") == Http("https://x.example/sse")


def test_header_and_token_flags_apply_to_the_url() -> None:
    assert target("https://x.example/mcp -H X-Key:k --token t0ken") == Http(
        "https://x.example/mcp", (Header("X-Key", "k"), Header("Authorization", "Bearer t0ken"))
    )


def test_a_header_may_be_repeated() -> None:
    assert target("https://x.example/sse -H A:1 -H a:2") == Sse(
        "https://x.example/sse", (Header("A", "1"), Header("a", "2"))
    )


def test_token_variable_becomes_an_authorization_header() -> None:
    assert target("https://x.example/mcp", {"MCPI_TOKEN": "t0ken"}) == Http(
        "https://x.example/mcp", (Header("Authorization", "Bearer t0ken"),)
    )


def test_header_flag_overrides_the_token_variable() -> None:
    assert target("https://x.example/mcp -H authorization:Basic", {"MCPI_TOKEN": "t0ken"}) == Http(
        "https://x.example/mcp", (Header("authorization", "Basic"),)
    )


def test_token_flag_overrides_the_header_variable() -> None:
    assert target("https://x.example/mcp --token t0ken", {"MCPI_HEADER": "Authorization: Basic"}) == Http(
        "https://x.example/mcp", (Header("Authorization", "Bearer t0ken"),)
    )


@pytest.mark.parametrize(
    ("token", "environment", "fault"),
    [
        (
            "-H Authorization:Basic --token t0ken",
            {},
            invalid("--token", "conflicts with --header Authorization", "omit one of them"),
        ),
        ("--token=", {}, invalid("--token", "the header Authorization has no value")),
        (
            "--token=file:t",
            {},
            invalid("--token", "the value of Authorization contains a control character"),
        ),
        ("", {"MCPI_TOKEN": " "}, invalid("MCPI_TOKEN", "the header Authorization has no value")),
    ],
    ids=["two", "empty", "two-lines", "variable"],
)
def test_invalid_token_is_rejected(token: str, environment: Mapping[str, str], fault: Failure[Invalid]) -> None:
    line = f"https://x.example/mcp --method tools/list {token}"

    assert completed(line, {File("t"): "a\nb"}, environment) == fault


TARGETS_AND_FLAGS = ("https://x.example/mcp", "https://x.example/mcp --about other", "node a.js", "")


def test_target_url_fills_the_target_field_of_a_method() -> None:
    urls = [completed(f"{line} --method x/about").unwrap().args.about for line in TARGETS_AND_FLAGS]

    assert urls == ["https://x.example/mcp", "other", None, None]


def test_server_of_a_config_file_is_the_target() -> None:
    assert target("--config x.json --server local") == Stdio(("node", "a.js"), {"A": "1", "B": "2"}, "/srv")


def test_environment_variables_are_expanded_in_the_config_file() -> None:
    found = target("--config x.json --server local", {"FILE": "b.js"})

    assert isinstance(found, Stdio)
    assert found.command == ("node", "b.js")


def test_env_and_cwd_flags_override_the_config_file() -> None:
    assert target("--config x.json --server local -e B=3 -e C=4 --cwd /home") == Stdio(
        ("node", "a.js"), {"A": "1", "B": "3", "C": "4"}, "/home"
    )


def test_header_and_token_flags_override_the_config_file() -> None:
    assert target("--config x.json --server remote -H x-key:new --token t0ken") == Http(
        "https://x.example/mcp", (Header("x-key", "new"), Header("Authorization", "Bearer t0ken"))
    )


def test_token_variable_overrides_the_config_file() -> None:
    assert target("--config x.json --server remote", {"MCPI_TOKEN": "t0ken"}) == Http(
        "https://x.example/mcp", (Header("X-Key", "old"), Header("Authorization", "Bearer t0ken"))
    )


def test_transport_flag_overrides_the_config_file() -> None:
    assert isinstance(target("--config x.json --server remote --transport sse"), Sse)


def test_config_file_may_set_the_transport() -> None:
    servers = '{"mcpServers": {"a": {"type": "sse", "url": "https://x.example/mcp"}}}'
    invocation = completed("--config y.json --method tools/list", {File("y.json"): servers}).unwrap()

    assert invocation.target == Sse("https://x.example/mcp")


def test_transport_that_does_not_fit_the_config_entry_is_rejected() -> None:
    assert completed("--config x.json --server local --transport http --method tools/list") == Failure(
        Invalid("INVALID_CONFIG", "x.json", "the server 'local' has no 'url'")
    )


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("--server local -H A:b", invalid("--header", "applies only to a URL, not to the command 'node'")),
        ("--server remote -e A=b", invalid("--env", "applies only to a command, not to the URL https://x.example/mcp")),
    ],
)
def test_flag_that_does_not_apply_to_the_server_is_rejected(line: str, fault: Failure[Invalid]) -> None:
    assert completed(f"--config x.json --method tools/list {line}") == fault


@pytest.mark.parametrize(
    ("contents", "line", "problem", "hints"),
    [
        ("", "", "the file is empty", ()),
        (SERVERS, "", "--server is required because the file has 2 servers", ("servers: local, remote",)),
        (SERVERS, "--server remotes", "unknown server 'remotes'", ("did you mean remote?",)),
        ('{"servers": {"a": {}}}', "", "the server 'a' has no 'command'", ()),
    ],
    ids=["empty", "no-name", "misspelled", "bad-entry"],
)
def test_config_file_error_is_reported(contents: str, line: str, problem: str, hints: tuple[str, ...]) -> None:
    assert completed(f"--config y.json --method tools/list {line}", {File("y.json"): contents}) == Failure(
        Invalid("INVALID_CONFIG", "y.json", problem, hints)
    )


def test_invalid_target_is_rejected_on_completion() -> None:
    broken = evolve(draft("node --method tools/list"), server=("x",), given=draft("https://x.example --follow").given)

    assert complete(broken, {}, {}, CATALOG) == invalid("target", "unexpected word 'x' after the URL https://x.example")


def with_headers(*headers: Header) -> Invocation:
    """Build an invocation with these headers."""
    return evolve(completed("node --method tools/list").unwrap(), target=Http("https://x.example", headers))


@pytest.mark.parametrize(
    ("header", "hidden"),
    [
        (Header("X-Key", "k3y"), ("k3y",)),
        (Header("Cookie", "a=b; c=d"), ("a=b; c=d",)),
        (Header("Authorization", "Bearer t0ken"), ("Bearer t0ken", "t0ken")),
        (Header("authorization", "Basic dXNlcjpwYXNz"), ("Basic dXNlcjpwYXNz", "dXNlcjpwYXNz")),
        (Header("Proxy-Authorization", "Bearer t0ken"), ("Bearer t0ken", "t0ken")),
        (Header("User-Agent", "me"), ()),
        (Header("ACCEPT", "text/html"), ()),
        (Header("Content-Type", "x"), ()),
        (Header("MCP-Protocol-Version", "2025-11-25"), ()),
    ],
    ids=lambda value: value.name if isinstance(value, Header) else "",
)
def test_header_values_are_secrets_except_in_standard_headers(header: Header, hidden: tuple[str, ...]) -> None:
    assert secrets(with_headers(header)) == hidden


def test_secrets_are_collected_from_all_headers() -> None:
    assert secrets(with_headers(Header("A", "1"), Header("Accept", "2"), Header("B", "3"))) == ("1", "3")


@pytest.mark.parametrize("where", [Stdio(("node",), {"API_KEY": "k3y"}), None], ids=["stdio", "none"])
def test_target_without_headers_has_no_secrets(where: Target | None) -> None:
    assert secrets(evolve(with_headers(), target=where)) == ()


def test_sse_header_values_are_secrets() -> None:
    sse = Sse("https://x.example/sse", (Header("X-Key", "k3y"),))

    assert secrets(evolve(with_headers(), target=sse)) == ("k3y",)


def test_oauth_secrets_are_masked() -> None:
    auth = AuthOptions(oauth_client_id="me", oauth_client_secret=Secret("s3cret"), oauth_private_key=PrivateKey("pem"))

    assert secrets(evolve(with_headers(), target=None, auth=auth)) == ("s3cret", "pem")


def test_secret_flags_of_a_method_are_masked() -> None:
    assert secrets(evolve(with_headers(), target=None, args=AuthOptions(oauth_assertion=Secret("w0rd")))) == ("w0rd",)


def test_secrets_in_script_steps_are_masked() -> None:
    method = Method("sign", AuthOptions, lambda _: request("x"), "sign")
    flags = {
        "oauthClientId": exact('"me"'),
        "oauthClientSecret": exact('"s3cret"'),
        "oauthAssertion": exact('"${word}"'),
    }
    steps = (ScriptStep(0, method, None, flags), ScriptStep(1, None, "a/notification", {}))
    script = Script(steps, {"word": exact('"w0rd"')})

    assert secrets(evolve(with_headers(), target=None, script=script)) == ("s3cret", "w0rd")


def test_breakpoint_and_expression_flags_create_a_probe() -> None:
    line = "--method tools/list --breakpoint src/a.ts:4 --expression x --max-results 5 -- node a.js"

    assert completed(line).unwrap().probe == Probe((SourceLine("src/a.ts", 4),), ("x",), RecordingLimits(5))


def test_max_results_of_zero_is_rejected() -> None:
    line = "--method tools/list --breakpoint a.ts:4 --expression x --max-results 0 -- node a.js"

    assert completed(line) == invalid("--max-results", "expected at least 1, got 0")


def test_method_without_a_connection_has_no_probe() -> None:
    assert completed("--method oauth/discover --breakpoint a.ts:4 --expression x").unwrap().probe is None


def test_discovered_config_file_is_equivalent_to_the_config_flag() -> None:
    found = with_config(draft("--method tools/list --server local"), "mcp.json")

    assert required_sources(found) == (("--config", File("mcp.json")),)
    assert found == draft("--method tools/list --server local --config mcp.json")


@pytest.mark.parametrize(
    ("line", "hints"),
    [
        ("node a.js --method tools/list", ()),
        ("node a.js --method tools/list --timeout 30", ("--timeout 30 means 30 ms; write 30s for seconds",)),
        ("--timeout 30 --method tools/list -- node", ("--timeout 30 means 30 ms; write 30s for seconds",)),
    ],
)
def test_words_of_the_line_explain_a_late_response(line: str, hints: tuple[str, ...]) -> None:
    assert completed(line).unwrap().hints(TimedOut("REQUEST_TIMEOUT", 0.03, "x")) == hints
