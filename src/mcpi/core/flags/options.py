"""The flags that every method accepts, in the groups that the help shows."""

from typing import Literal

from mcpi.core.flags.pairs import Expectation, Header, Pair
from mcpi.core.flags.places import DEFAULT_MAX_RESULTS, SourceLine
from mcpi.core.flags.types import (
    Address,
    Assignment,
    Duration,
    Filename,
    Folder,
    Name,
    PrivateKey,
    Secret,
    Size,
    Version,
)
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact
from mcpi.core.wire.urls import Transport

DEFAULT_TOTAL_TIMEOUT = 300.0
"""Default limit for one response, in seconds, however often progress resets the timeout."""


@frozen(kw_only=True)
class TargetOptions:
    """What to connect to."""

    transport: Transport | None = None
    """How to talk to the target; found out from it unless given."""
    config: Filename | None = None
    """A file with servers, as editors and agents write it: .mcp.json, .vscode/mcp.json, claude_desktop_config.json."""
    server: Name | None = None
    """Which server of the config file; may be left out when it has one."""
    demo: bool = False
    """The embedded demo server as the target."""
    env: tuple[Assignment, ...] = ()
    """NAME=VALUE for the server's environment (also -e); repeatable."""
    cwd: Folder | None = None
    """The directory to start the server in."""
    header: tuple[Header, ...] = ()
    """An HTTP header, 'Name: Value' (also -H); the value may be env:NAME or file:PATH; repeatable."""
    token: Secret | None = None
    """A bearer token, short for --header 'Authorization: Bearer TOKEN'; may be env:NAME or file:PATH."""


@frozen(kw_only=True)
class AuthOptions:
    """How to get a token where a server wants one; secrets may be env:NAME or file:PATH."""

    auth: Literal["auto", "register", "none"] = "auto"
    """Token source when a server requires one: auto uses what is given or stored; register also registers a client."""
    auth_open: str | None = None
    """A command that shows an authorization URL to a person, such as xdg-open; mcpi waits for the browser."""
    auth_store: Filename | None = None
    """A file (0600) that keeps tokens and registrations between runs; without it nothing is kept."""
    client_metadata_url: Address | None = None
    """The client's metadata document, for servers that take its URL as the client's id."""
    client_name: Name = "mcpi"
    """The name under which to register."""
    redirect_uri: Address | None = None
    """Where the authorization server sends the browser: a free port of loopback unless given; oauth/register and
    oauth/authorize-url want it."""
    oauth_grant: Literal["authorization_code", "client_credentials", "jwt-bearer", "token-exchange"] | None = None
    """How to get a token; found out from what is given and what the server offers unless said."""
    oauth_client_id: str | None = None
    """The id of a client that the authorization server knows; oauth/authorize-url wants it."""
    oauth_client_secret: Secret | None = None
    """Its secret."""
    oauth_private_key: PrivateKey | None = None
    """Its private key instead, a PEM file (or env:NAME)."""
    oauth_signing_alg: str | None = None
    """What to sign with, such as ES256; by the kind of key unless given."""
    oauth_scope: str | None = None
    """The scopes to ask for, parted by spaces, instead of those that the server names."""
    oauth_resource: str | None = None
    """The resource to ask for instead of the one that the server names."""
    oauth_assertion: Secret | None = None
    """A signed word about us, such as a workload's identity, for the jwt-bearer grant."""
    oauth_subject_token: Secret | None = None
    """A person's identity token, for the token-exchange grant at an identity provider."""
    oauth_subject_token_type: str = "urn:ietf:params:oauth:token-type:id_token"  # noqa: S105 - the name of a type
    """What kind of token that is."""
    oauth_idp_token_endpoint: Address | None = None
    """The token endpoint of the identity provider."""
    oauth_idp_client_id: str | None = None
    """Our id there."""
    oauth_idp_client_secret: Secret | None = None
    """Our secret there."""


@frozen(kw_only=True)
class ProtocolOptions:
    """How to speak the protocol."""

    era: Literal["auto", "handshake", "modern"] = "auto"
    """Speak with a handshake (up to 2025-11-25), without (2026-07-28), or find out."""
    protocol_version: Version | None = None
    """The version to offer."""
    client_capabilities: Exact | None = None
    """Declare exactly these capabilities of ours."""
    metadata: tuple[Pair, ...] = ()
    """key=value for the _meta of every request; repeatable."""
    validate: bool = False
    """Check all traffic by the schema of the negotiated version; what breaks it is a violation."""
    force: bool = False
    """Send although the server did not declare the capability."""


@frozen(kw_only=True)
class TimeOptions:
    """How long to wait; a bare number is milliseconds, 500ms, 30s and 2m work too."""

    timeout: Duration | None = None
    """Response timeout (default 30s); progress notifications reset it. If given, it also limits connecting and reading
    files; with --follow, the whole run."""
    connect_timeout: Duration | None = None
    """Timeout for starting, connecting and negotiating (default 30s)."""
    max_total_timeout: Duration = Duration(DEFAULT_TOTAL_TIMEOUT)
    """Limit for a response timeout that progress notifications extend (default 5m)."""
    retry: int = 0
    """Attempts to connect after the first, waiting 1, 2, 4 s; a request is never repeated."""


@frozen(kw_only=True)
class OutputOptions:
    """What is shown, and where."""

    structured: bool = False
    """One document for success and failure, with everything that was seen."""
    summary: bool = False
    """First aid for a person, on stderr: what the server is, offers and violates (--validate), how fast it answers;
    with --method discover unless another is given. On a terminal it takes the place of the JSON."""
    fail_on_error: bool | None = None
    """Exit 1 if a tool reports isError (default for scripts)."""
    no_fail_on_error: bool = False
    """Exit 0 if a tool reports isError (default for single calls)."""
    fail_on_violation: bool = False
    """Exit 1 if the server violates the protocol; implies --validate."""
    compact: bool = False
    """JSON on one line."""
    output: Filename | None = None
    """Write the result to this file."""
    trace: Filename | None = None
    """Write every message both ways to this file, a JSON line each."""
    report_junit: Filename | None = None
    """Write what happened to this file as JUnit's XML, for a CI system."""
    report_tap: Filename | None = None
    """Write what happened to this file as TAP."""
    report_html: Filename | None = None
    """Write what happened to this file as a page for a person."""
    report_sarif: Filename | None = None
    """Write the findings to this file as SARIF, for code scanning."""
    report_md: Filename | None = None
    """Write what happened to this file as Markdown."""
    report: tuple[Assignment, ...] = ()
    """NAME=FILE: write a report of that name, also of a plugin's; repeatable."""
    verbose: bool = False
    """Show messages (> sent, < received, * information) and tracebacks on stderr."""
    quiet: bool = False
    """Nothing on stderr but the error."""
    wait: bool = False
    """Return only when the server is gone, not as soon as the result is there."""
    dry_run: bool = False
    """Print what would be sent, send nothing."""
    max_message_bytes: Size = Size(128 << 20)
    """A message beyond it is a fault (128 MiB); 64m and 1g work too."""

    @property
    def tool_errors_fail(self) -> bool | None:
        """Whether isError is a failure; None if no flag says."""
        return False if self.no_fail_on_error else self.fail_on_error

    @property
    def reports(self) -> tuple[tuple[str, str, str], ...]:
        """The requested reports, as flag, name and file."""
        own = (
            *(("junit", self.report_junit), ("tap", self.report_tap), ("html", self.report_html)),
            *(("sarif", self.report_sarif), ("md", self.report_md)),
        )
        named = ((f"--report-{name}", name, path) for name, path in own if path is not None)
        return (*named, *(("--report", name, path) for name, path in self.report))

    @property
    def files(self) -> tuple[tuple[str, str], ...]:
        """The result and report files to write, each with its flag."""
        result = () if self.output is None else (("--output", self.output),)
        return (*result, *((flag, path) for flag, _, path in self.reports))


@frozen(kw_only=True)
class ModeOptions:
    """What to do."""

    method: Name | None = None
    """The method to carry out; --help lists them."""
    params: Exact | None = None
    """The method's parameters as JSON, sent as they are; for any method, also unknown ones."""
    follow: bool = False
    """Stay connected and print what happens, a JSON line each; with any method, or alone."""
    script: Filename | None = None
    """Carry out the steps of this file (- is standard input) on one connection."""
    var: tuple[Assignment, ...] = ()
    """NAME=VALUE for a script's ${NAME}; repeatable."""
    ndjson: bool = False
    """Print each step's envelope as a line, as it is done."""
    expect: tuple[Expectation, ...] = ()
    """/POINTER=VALUE or /POINTER:OPERATOR=VALUE that must hold of the result, else exit 1; repeatable."""
    watch: Duration | None = None
    """Stay connected for so long, then print one document with everything seen."""
    max_events: int | None = None
    """Leave follow mode after so many events."""
    refetch: bool = False
    """In follow mode read a list again when it has changed."""
    ping_interval: Duration = Duration(30.0)
    """In follow mode ask for a sign of life after so long without one (30s); 0 is never."""
    print_schema: Literal["envelope", "script"] | None = None
    """Print the JSON schema of what --structured prints, or of a script."""
    list_servers: bool = False
    """Print the servers of --config, or of the files that editors and agents keep here and at home, as JSON."""
    list_methods: bool = False
    """Print all methods with their flags, as JSON."""
    list_plugins: bool = False
    """Print all plugins with what they offer, or why they do not, as JSON."""
    completion: Literal["bash", "zsh", "fish"] | None = None
    """Print what makes a shell complete flags, methods, servers and tools: eval "$(mcpi --completion bash)"."""
    agent_help: bool = False
    """Print one page for an agent to read before its first call."""
    help: bool = False
    """Show this help."""
    version: bool = False
    """Show the version."""


@frozen(kw_only=True)
class DebugOptions:
    """A look into a server that runs on Node.js, while it is called."""

    breakpoint: tuple[SourceLine, ...] = ()
    """FILE:LINE or FILE:LINE:COLUMN of the server where the expression is evaluated; source maps are followed."""
    expression: tuple[str, ...] = ()
    """JavaScript to evaluate at each hit; it sees local variables, arguments and this."""
    max_results: int = DEFAULT_MAX_RESULTS
    """Maximum number of values to keep (10000)."""
    fail_on_no_hit: bool = False
    """Exit with 1 if the breakpoint was never hit."""


GROUPS = (ModeOptions, TargetOptions, AuthOptions, ProtocolOptions, TimeOptions, OutputOptions, DebugOptions)
