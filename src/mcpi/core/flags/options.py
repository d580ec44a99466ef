"""The flags that every method accepts, in the groups that the help shows."""

from typing import Literal

from mcpi.core.flags.pairs import Expectation, Header, Pair
from mcpi.core.flags.places import DEFAULT_MAX_RESULTS, SourceLine
from mcpi.core.flags.types import (
    Address,
    Assignment,
    Command,
    Duration,
    Filename,
    Folder,
    Identifier,
    JavaScript,
    Name,
    NamedFile,
    PrivateKey,
    ScriptVariable,
    Secret,
    Size,
    Uri,
    Version,
)
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact
from mcpi.core.wire.urls import Transport

DEFAULT_TOTAL_TIMEOUT = 300.0
"""Default limit for one response, in seconds, however often progress resets the timeout."""


@frozen(kw_only=True)
class TargetOptions:
    """Server to connect to."""

    transport: Transport | None = None
    """Transport (auto-detected by default)."""
    config: Filename | None = None
    """Config file with servers, such as .mcp.json, .vscode/mcp.json or claude_desktop_config.json."""
    server: Name | None = None
    """Server to use from the config file; optional if the file has only one server. Without --config, mcpi searches the
    files that --list-servers finds."""
    demo: bool = False
    """Use the embedded demo server."""
    env: tuple[Assignment, ...] = ()
    """Environment variable for the server, NAME=VALUE; repeatable."""
    cwd: Folder | None = None
    """Working directory of the server."""
    header: tuple[Header, ...] = ()
    """HTTP header, 'Name: Value'; the value may be env:NAME or file:PATH; repeatable."""
    token: Secret | None = None
    """Bearer token, for the header 'Authorization: Bearer TOKEN'; the value may be env:NAME or file:PATH."""


@frozen(kw_only=True)
class AuthOptions:
    """How to get a token for servers that require one; secrets may be env:NAME or file:PATH."""

    auth: Literal["auto", "register", "none"] = "auto"
    """How to get a token if the server requires one. auto: use given or stored credentials, and register a client only
    if --auth-open or --auth-store is given; register: the same, but always allow registration; none: fail."""
    auth_open: Command | None = None
    """Command that opens the authorization URL in a browser, such as xdg-open; mcpi waits for the redirect."""
    auth_store: Filename | None = None
    """File (mode 0600) that stores tokens and registrations between runs (default: none)."""
    client_metadata_url: Address | None = None
    """URL of a client metadata document, for authorization servers that accept this URL as the client ID."""
    client_name: Name = "mcpi"
    """Client name for registration (default mcpi)."""
    redirect_uri: Address | None = None
    """Redirect URI; required by oauth/register and oauth/authorize-url (default for others: a loopback URL with a free
    port)."""
    oauth_grant: Literal["authorization_code", "client_credentials", "jwt-bearer", "token-exchange"] | None = None
    """Grant type (default: depends on the given flags and the server's metadata)."""
    oauth_client_id: Identifier | None = None
    """ID of a registered client; oauth/authorize-url requires this flag or --client-metadata-url."""
    oauth_client_secret: Secret | None = None
    """Secret of the client."""
    oauth_private_key: PrivateKey | None = None
    """Private key of the client, instead of a secret: a PEM file or env:NAME."""
    oauth_signing_alg: str | None = None
    """Signing algorithm, such as ES256 (default: depends on the key)."""
    oauth_scope: str | None = None
    """Scopes to request, separated by spaces (default: the scopes that the server asks for)."""
    oauth_resource: Uri | None = None
    """Resource to request (default: the server's resource identifier)."""
    oauth_assertion: Secret | None = None
    """Signed assertion (JWT), such as a workload identity token, for the jwt-bearer grant."""
    oauth_subject_token: Secret | None = None
    """Identity token of the user, for a token exchange with an identity provider."""
    oauth_subject_token_type: Uri = "urn:ietf:params:oauth:token-type:id_token"  # noqa: S105 - the name of a type
    """Type of the subject token (default: an ID token)."""
    oauth_idp_token_endpoint: Address | None = None
    """Token endpoint of the identity provider."""
    oauth_idp_client_id: Identifier | None = None
    """Client ID at the identity provider."""
    oauth_idp_client_secret: Secret | None = None
    """Client secret at the identity provider."""


@frozen(kw_only=True)
class ProtocolOptions:
    """Protocol versions, capabilities and validation."""

    era: Literal["auto", "handshake", "modern"] = "auto"
    """Protocol era: handshake (up to 2025-11-25) or modern (2026-07-28); auto-detected by default."""
    protocol_version: Version | None = None
    """Protocol version to offer."""
    client_capabilities: Exact | None = None
    """Declare exactly these client capabilities."""
    metadata: tuple[Pair, ...] = ()
    """key=value to add to _meta of every request; repeatable."""
    validate: bool = False
    """Validate all messages against the schema of the negotiated protocol version, and tool results against the output
    schemas of the tools; report violations."""
    force: bool = False
    """Send the request even if the server did not declare the required capability."""


@frozen(kw_only=True)
class TimeOptions:
    """Timeouts: 500ms, 30s or 2m; a bare number is milliseconds."""

    timeout: Duration | None = None
    """Response timeout (default 30s); progress notifications reset it. If given, it also limits the
    time to connect, and to read files and stdin. If given with --follow, it limits the whole run."""
    connect_timeout: Duration | None = None
    """Timeout for starting the server, connecting and negotiating (default: --timeout, or 30s)."""
    max_total_timeout: Duration = Duration(DEFAULT_TOTAL_TIMEOUT)
    """Maximum time for one response, even if progress notifications reset the timeout (default 5m)."""
    retry: int = 0
    """Number of times to retry connecting (default 0), after 1 s, 2 s, and then every 4 s; requests are never
    retried."""


@frozen(kw_only=True)
class OutputOptions:
    """Output formats and files."""

    structured: bool = False
    """Print one JSON document (the envelope) on success and failure, with logs, notifications and violations."""
    summary: bool = False
    """Print a human-readable summary on stderr, in addition to the JSON on stdout; if stdout is a terminal, print no
    JSON. Implies --validate; without a method, runs discover."""
    fail_on_error: bool | None = None
    """Exit 1 if a tool reports isError (default for scripts)."""
    no_fail_on_error: bool = False
    """Exit 0 if a tool reports isError (default for single calls)."""
    fail_on_violation: bool = False
    """Exit 1 if the server violates the protocol; implies --validate."""
    compact: bool = False
    """Print JSON on one line."""
    output: Filename | None = None
    """Write the result to this file (- is stdout)."""
    trace: Filename | None = None
    """Write all messages, sent and received, to this file, one line of JSON each."""
    report_junit: Filename | None = None
    """Write a JUnit XML report to this file, for CI systems."""
    report_tap: Filename | None = None
    """Write a TAP report to this file."""
    report_html: Filename | None = None
    """Write an HTML report to this file."""
    report_sarif: Filename | None = None
    """Write the findings of lint or diff to this file as SARIF, for code scanning."""
    report_md: Filename | None = None
    """Write a Markdown report to this file."""
    report: tuple[NamedFile, ...] = ()
    """Write a report in the format NAME, such as one that a plugin adds; repeatable."""
    verbose: bool = False
    """Print messages (> sent, < received, * information) and tracebacks on stderr."""
    quiet: bool = False
    """Print only errors on stderr."""
    wait: bool = False
    """Wait for the server to exit before mcpi exits."""
    dry_run: bool = False
    """Print the messages that would be sent, without sending them."""
    max_message_bytes: Size = Size(128 << 20)
    """Maximum size of a message, such as 64m or 1g (default 128 MiB)."""

    @property
    def tool_errors_fail(self) -> bool | None:
        """True if isError is a failure; None if no flag is given."""
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
    """Method, script, stream and information flags."""

    method: Name | None = None
    """Method to call; --help lists the methods."""
    params: Exact | None = None
    """Parameters as JSON, sent unchanged; works with any protocol method, including methods that mcpi does not know."""
    follow: bool = False
    """Stay connected and print events, one line of JSON each; works with or without a method."""
    script: Filename | None = None
    """Run the steps of this file (- is stdin) on one connection."""
    var: tuple[ScriptVariable, ...] = ()
    """Value of ${NAME} in the script: NAME=TEXT or NAME:=JSON; repeatable."""
    ndjson: bool = False
    """Print events as they arrive, and the result as an event; with --script, print the
    envelope of each step (see --structured) when the step ends."""
    expect: tuple[Expectation, ...] = ()
    """/POINTER=VALUE or /POINTER:OPERATOR=VALUE: check the result, and exit 1 if it does not match; repeatable."""
    watch: Duration | None = None
    """Stay connected for this long after the result, if any, then print one document with all events."""
    max_events: int | None = None
    """Stop follow mode after this number of events."""
    refetch: bool = False
    """In follow mode, fetch a list again when it has changed."""
    ping_interval: Duration = Duration(30.0)
    """In follow mode, ping the server after this long without a message (default 30s); 0 disables pings."""
    print_schema: Literal["envelope", "script", "describe"] | None = None
    """Print the JSON schema of the envelope (--structured), of a script, or of the result of describe."""
    list_servers: bool = False
    """Print the servers in the --config file, or in all known config files in the working and home directories, as
    JSON."""
    list_methods: bool = False
    """Print all methods with their flags, as JSON."""
    list_plugins: bool = False
    """Print all plugins with what they provide, or why they failed to load, as JSON."""
    completion: Literal["bash", "zsh", "fish"] | None = None
    """Print a completion script for this shell; to enable it in bash: eval "$(mcpi --completion bash)"."""
    agent_help: bool = False
    """Print a one-page guide for AI agents."""
    help: bool = False
    """Show this help."""
    version: bool = False
    """Show the version."""

    @property
    def prints_events(self) -> bool:
        """True if events are printed one by one: in follow mode, or for a single call with --ndjson."""
        return self.follow or (self.ndjson and self.script is None)


@frozen(kw_only=True)
class DebugOptions:
    """Evaluate expressions in a Node.js server during a call."""

    breakpoint: tuple[SourceLine, ...] = ()
    """FILE:LINE or FILE:LINE:COLUMN in the server's code at which to evaluate the expression; source maps are
    followed."""
    expression: tuple[JavaScript, ...] = ()
    """JavaScript to evaluate at each hit; it can use `this`, local variables and arguments."""
    max_results: int = DEFAULT_MAX_RESULTS
    """Maximum number of values to keep (default 10000)."""
    fail_on_no_hit: bool = False
    """Exit 1 if the breakpoint was never hit."""


GROUPS = (ModeOptions, TargetOptions, AuthOptions, ProtocolOptions, TimeOptions, OutputOptions, DebugOptions)
