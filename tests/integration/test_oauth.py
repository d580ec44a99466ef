"""The steps to a token, and the login after a 401, with a real authorization server on loopback."""

import json
import re
import shlex
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from running import Mcpi, Ran

ROOT = Path(__file__).parents[2]
BACK = "http://127.0.0.1:8123/back"
SECRET = "the-secret-of-known"  # noqa: S105 - a secret of the fixture
KNOWN = ("--oauth-client-id", "known", "--oauth-client-secret", "env:KNOWN_SECRET", "--redirect-uri", BACK)
WRONG = ("--oauth-client-id", "known", "--oauth-client-secret", "not it", "--redirect-uri", BACK)
ENV = {"KNOWN_SECRET": SECRET}
LIST = ("--method", "tools/list")
REGISTER = ("--auth", "register")
CALL = ("--method", "tools/call", "--tool-name", "whoami")

Serve = Callable[..., str]

_TOKEN = re.compile(r"(?:access|refresh|code)-[0-9a-f]{32}")
"""The tokens and codes issued by the fixture."""


@pytest.fixture
def guarded(served: Serve) -> Serve:
    """Start the server that requires a token."""

    def start(*faults: str) -> str:
        return served(sys.executable, str(ROOT / "fixtures" / "servers" / "authorized.py"), "PORT", *faults)

    return start


class Watched:
    """Run mcpi with all output enabled, and keep everything printed."""

    def __init__(self, mcpi: Mcpi, folder: Path) -> None:
        self._mcpi = mcpi
        self._trace = folder / "trace.jsonl"
        self.shown: list[str] = []

    def __call__(self, *args: str) -> Ran:
        """Run the command; a result that contains secrets by design is not kept for the search."""
        ran = self._mcpi(*args, "--verbose", "--trace", str(self._trace), env=ENV)
        printing = any(one in args for one in ("oauth/token", "oauth/refresh", "oauth/register", "oauth/authorize-url"))
        self.shown += [ran.stderr, "" if printing else ran.stdout]
        if self._trace.exists():
            self.shown.append(self._trace.read_text("utf-8"))
        return ran


@pytest.fixture
def watched(mcpi: Mcpi, tmp_path: Path) -> Iterator[Watched]:
    """Run the command, and finally search everything printed for secrets."""
    runs = Watched(mcpi, tmp_path)
    yield runs
    for text in runs.shown:
        assert SECRET not in text
        assert not _TOKEN.search(text)


def ask(url: str, path: str) -> str:
    """The response of the fixture on one of its own paths."""
    with urllib.request.urlopen(url.replace("/mcp", path), timeout=10) as answer:  # noqa: S310 - an http URL
        return str(answer.read().decode())


def seen(url: str) -> list[str]:
    """The requests the authorization server received."""
    ours = ("/register", "/authorize", "/token", "/oauth-authorization-server")
    return [one for one in json.loads(ask(url, "/seen")) if any(path in one for path in ours)]


def problem(ran: Ran) -> str:
    """The error message."""
    assert ran.exit_code == 1
    return [line for line in ran.stderr.splitlines() if line.startswith("mcpi: ")][-1]


def code_for(watched: Watched, url: str) -> tuple[dict[str, Any], str]:
    """The result of oauth/authorize-url, and the code that a user would copy back."""
    prepared = watched("--method", "oauth/authorize-url", "--server-url", url, *KNOWN).json
    opener = urllib.request.build_opener(Stay)
    try:
        opener.open(prepared["url"], timeout=10)
    except urllib.request.HTTPError as redirect:
        redirect.close()
        query = parse_qs(urlsplit(redirect.headers["location"]).query)
    assert query["state"] == [prepared["state"]]
    return prepared, query["code"][0]


class Stay(urllib.request.HTTPRedirectHandler):
    """A redirect handler that follows no redirect."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Do not follow the redirect."""


def redeem(watched: Watched, url: str, code: str, verifier: str, *more: str) -> Ran:
    flags = ("--oauth-code", code, f"--oauth-code-verifier={verifier}")
    return watched("--method", "oauth/token", "--server-url", url, *KNOWN, *flags, *more)


# Single steps.


def test_discover_prints_the_metadata_and_each_request(guarded: Serve, watched: Watched) -> None:
    url = guarded()
    ran = watched("oauth/discover", url, "--structured")
    found = ran.json["result"]
    base = url.removesuffix("/mcp")

    assert (found["token_endpoint"], found["resource"], found["scope"]) == (f"{base}/token", url, "read")
    assert [(one["method"], one["status"]) for one in found["attempts"]] == [("POST", 401), ("GET", 200), ("GET", 200)]
    made = [(one["method"], one["url"], one["status"]) for one in ran.json["connection"]["attempts"]]
    assert made == [(one["method"], one["url"], one["status"]) for one in found["attempts"]]


def test_register_prints_the_client(guarded: Serve, watched: Watched) -> None:
    url = guarded()
    flags = ("--redirect-uri", BACK, "--client-name", "mine")
    made = watched("--method", "oauth/register", "--server-url", url, *flags).json

    assert (made["client_name"], made["redirect_uris"], made["application_type"]) == ("mine", [BACK], "native")
    assert made["grant_types"] == ["authorization_code", "refresh_token"]


def test_code_is_exchanged_for_a_token_and_the_token_refreshed(guarded: Serve, watched: Watched) -> None:
    url = guarded()
    prepared, code = code_for(watched, url)
    token = redeem(watched, url, code, prepared["code_verifier"]).json
    refresh = f"--oauth-refresh-token={token['refresh_token']}"
    again = watched("--method", "oauth/refresh", "--server-url", url, *KNOWN, refresh).json

    assert (token["token_type"], token["scope"]) == ("Bearer", "read")
    assert again["access_token"] != token["access_token"]
    assert watched(url, *LIST, "--token", again["access_token"]).exit_code == 0


@pytest.mark.parametrize("target", ["{}", "--server-url={}"])
def test_each_step_takes_the_target_url_and_reports_its_requests(guarded: Serve, mcpi: Mcpi, target: str) -> None:
    url = guarded()
    where, base = target.format(url), url.removesuffix("/mcp")
    client = ("--oauth-client-id", "known", "--oauth-client-secret", SECRET)
    steps: dict[tuple[str, ...], list[tuple[str, str, int]]] = {
        ("oauth/discover",): [],
        ("oauth/register", "--redirect-uri", BACK): [("POST", f"{base}/register", 201)],
        ("oauth/authorize-url", *client, "--redirect-uri", BACK): [],
        # A redirect URI is not required.
        ("oauth/token", *client, "--oauth-grant", "client_credentials"): [("POST", f"{base}/token", 200)],
        ("oauth/refresh", *client, "--oauth-refresh-token", "old"): [("POST", f"{base}/token", 400)],
    }
    discovery = [
        ("POST", url, 401),
        ("GET", f"{base}/.well-known/oauth-protected-resource/mcp", 200),
        ("GET", f"{base}/.well-known/oauth-authorization-server", 200),
    ]

    for step, more in steps.items():
        ran = mcpi(*step, where, "--structured")
        attempts = ran.json["connection"]["attempts"]
        assert [(one["method"], one["url"], one["status"]) for one in attempts] == [*discovery, *more], step
        assert ran.exit_code == (1 if step[0] == "oauth/refresh" else 0)
        assert ("code_verifier" in ran.stdout) == (step[0] == "oauth/authorize-url")


def test_redirect_uri_is_sent_with_the_code(guarded: Serve, watched: Watched) -> None:
    url = guarded()
    prepared, code = code_for(watched, url)
    client = ("--oauth-client-id", "known", "--oauth-client-secret", "env:KNOWN_SECRET")
    given = (*client, "--oauth-code", code, f"--oauth-code-verifier={prepared['code_verifier']}")
    without = watched("oauth/token", url, *given)
    ran = watched("oauth/token", url, *given, "--redirect-uri", BACK)

    # The server knows that a redirect URI is missing; mcpi does not require one.
    assert (without.exit_code, "invalid_request" in without.stderr) == (1, True)
    assert ran.exit_code == 0


def test_code_can_be_used_once(guarded: Serve, watched: Watched) -> None:
    url = guarded()
    prepared, code = code_for(watched, url)
    redeem(watched, url, code, prepared["code_verifier"])

    assert "invalid_grant: authorization code does not exist" in problem(
        redeem(watched, url, code, prepared["code_verifier"])
    )


def test_wrong_code_verifier_is_rejected(guarded: Serve, watched: Watched) -> None:
    url = guarded()
    _, code = code_for(watched, url)

    assert "invalid_grant: incorrect code_verifier" in problem(redeem(watched, url, code, "x" * 43))


def test_code_of_another_issuer_is_not_sent(guarded: Serve, watched: Watched) -> None:
    url = guarded()
    prepared, code = code_for(watched, url)
    ran = redeem(watched, url, code, prepared["code_verifier"], "--oauth-iss", "https://elsewhere.example")

    assert "is from https://elsewhere.example, not from" in problem(ran)
    assert not [one for one in seen(url) if one.startswith("POST /token")]


@pytest.mark.parametrize(
    "error",
    [
        "invalid_request",
        "invalid_client",
        "invalid_grant",
        "unauthorized_client",
        "unsupported_grant_type",
        "invalid_scope",
    ],
)
def test_oauth_error_fields_are_reported(guarded: Serve, watched: Watched, error: str) -> None:
    url = guarded(f"refuse={error}")
    prepared, code = code_for(watched, url)
    ran = redeem(watched, url, code, prepared["code_verifier"], "--structured")
    shown = json.loads(ran.stdout)["error"]

    assert (ran.exit_code, shown["code"], shown["category"]) == (1, "AUTHENTICATION_FAILED", "transport")
    assert shown["details"] == {"status": 400, "error": error, "error_description": f"refused: {error}"}


def test_unknown_client_is_reported(guarded: Serve, watched: Watched) -> None:
    flags = ("--oauth-client-id", "nobody", "--redirect-uri", BACK, "--oauth-code", "c", "--oauth-code-verifier", "v")
    ran = watched("--method", "oauth/token", "--server-url", guarded(), *flags)

    assert "with invalid_client: " in problem(ran)


def test_wrong_client_secret_is_reported_and_the_right_one_accepted(guarded: Serve, watched: Watched) -> None:
    url = guarded()
    prepared, code = code_for(watched, url)
    flags = ("--oauth-code", code, "--oauth-code-verifier", prepared["code_verifier"], *WRONG, "--structured")
    wrong = watched("--method", "oauth/token", "--server-url", url, *flags)
    right = redeem(watched, url, code, prepared["code_verifier"])

    details = json.loads(wrong.stdout)["error"]["details"]
    assert (wrong.exit_code, details["status"], details["error"]) == (1, 401, "invalid_client")
    assert right.json["scope"] == "read"


@pytest.mark.parametrize(("assertion", "code"), [("signed-assertion-of-ada", 0), ("invalid-assertion", 1)])
def test_jwt_assertion_is_exchanged_for_a_token(guarded: Serve, watched: Watched, assertion: str, code: int) -> None:
    url = guarded()
    grant = ("--oauth-grant", "jwt-bearer", "--oauth-assertion", assertion, "--oauth-scope", "write")
    ran = watched("--method", "oauth/token", "--server-url", url, *KNOWN, *grant)

    assert ran.exit_code == code
    if code:
        assert "invalid_grant: unknown signer" in problem(ran)
    else:
        assert (ran.json["token_type"], ran.json["scope"]) == ("Bearer", "write")
        assert watched(url, *CALL, *KNOWN, *grant).json["content"][0]["text"] == "write"


def test_client_credentials_grant_returns_a_token(guarded: Serve, watched: Watched) -> None:
    url = guarded()
    grant = (*KNOWN, "--oauth-grant", "client_credentials", "--oauth-scope", "write")
    ran = watched("--method", "oauth/token", "--server-url", url, *grant)

    assert (ran.exit_code, ran.json["token_type"], ran.json["scope"]) == (0, "Bearer", "write")
    assert watched(url, *CALL, *grant).json["content"][0]["text"] == "write"
    assert {one for one in seen(url) if one.startswith("POST /token")} == {"POST /token client_credentials"}


def test_error_uri_is_reported(guarded: Serve, watched: Watched) -> None:
    url = guarded()
    wrong = ("--oauth-client-id", "known", "--oauth-client-secret", "another", "--oauth-grant", "client_credentials")
    ran = watched("--method", "oauth/token", "--server-url", url, *wrong, "--structured")

    page = f"{url.removesuffix('/mcp')}/about/clients"
    assert json.loads(ran.stdout)["error"]["details"] == {
        "status": 401,
        "error": "invalid_client",
        "error_uri": page,
    }
    assert page in watched("--method", "oauth/token", "--server-url", url, *wrong).stderr


@pytest.mark.parametrize(("subject", "code"), [("identity-token-of-ada", 0), ("invalid", 1)])
def test_identity_provider_token_is_exchanged(guarded: Serve, watched: Watched, subject: str, code: int) -> None:
    url = guarded()
    provider = f"{url.removesuffix('/mcp')}/token"
    grant = (
        *("--oauth-subject-token", subject, "--oauth-idp-token-endpoint", provider, "--oauth-scope", "write"),
        *("--oauth-idp-client-id", "known", "--oauth-idp-client-secret", "the-secret-of-known"),
    )
    ran = watched(url, *CALL, *KNOWN, *grant)

    assert ran.exit_code == code
    if code:
        assert "invalid_request: unknown subject" in problem(ran)
    else:
        assert ran.json["content"][0]["text"] == "write"
        grants = [one.removeprefix("POST /token urn:ietf:params:oauth:grant-type:") for one in seen(url)]
        assert [one for one in grants if one in {"token-exchange", "jwt-bearer"}] == ["token-exchange", "jwt-bearer"]


def test_missing_refresh_token_is_reported(guarded: Serve, watched: Watched) -> None:
    ran = watched("--method", "oauth/refresh", "--server-url", guarded())

    assert "--oauth-refresh-token" in problem(ran)


def test_self_signed_certificate_is_rejected(served: Serve, watched: Watched, tmp_path: Path) -> None:
    pem = tmp_path / "server.pem"
    subprocess.run(
        shlex.split(
            f"openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout {pem}.key -out {pem}"
        ),
        check=True,
        capture_output=True,
    )
    pem.write_bytes(pem.read_bytes() + Path(f"{pem}.key").read_bytes())
    server = str(ROOT / "fixtures" / "servers" / "authorized.py")
    url = served(sys.executable, server, "PORT", "tls", str(pem)).replace("http:", "https:")
    ran = watched("--method", "oauth/discover", "--server-url", url, "--structured")

    assert (ran.exit_code, json.loads(ran.stdout)["error"]["code"]) == (1, "TLS_FAILED")


# Login after a 401 response.


def test_register_mode_registers_a_client_and_obtains_a_token(guarded: Serve, watched: Watched) -> None:
    url = guarded()

    assert watched(url, *LIST, *REGISTER).json["tools"][0]["name"] == "whoami"
    assert seen(url)[1:] == ["POST /register", "GET /authorize", "POST /token authorization_code"]


def test_default_call_neither_registers_nor_authorizes(guarded: Serve, watched: Watched) -> None:
    url = guarded()
    ran = watched(url, *LIST)

    assert problem(ran).endswith("/mcp requires a user to authorize mcpi")
    assert f"mcpi oauth/register {url} --redirect-uri http://127.0.0.1:8123/back" in ran.stderr
    assert [one for one in seen(url) if "/register" in one or "/authorize" in one] == []


def test_given_client_is_used_and_never_replaced_by_registration(guarded: Serve, watched: Watched) -> None:
    url = guarded()
    watched(url, *LIST, *KNOWN)
    assert [one for one in seen(url) if "/register" in one or "/authorize" in one] == ["GET /authorize"]

    unknown = watched(url, *LIST, "--client-metadata-url", "https://example.com/client.json")
    assert "--auth register allows mcpi to register one" in unknown.stderr
    assert "POST /register" not in seen(url)


def test_code_verifier_is_printed_only_by_authorize_url(guarded: Serve, mcpi: Mcpi, tmp_path: Path) -> None:
    url, trace = guarded(), tmp_path / "trace"
    shown = mcpi(url, *LIST, *REGISTER, "--verbose", "--structured", "--trace", str(trace))

    assert shown.exit_code == 0
    assert "code_verifier" not in shown.stdout + shown.stderr + trace.read_text()


def test_insufficient_scope_triggers_step_up_authorization(guarded: Serve, watched: Watched) -> None:
    assert watched(guarded(), *CALL, *REGISTER).json["content"][0]["text"] == "read write"


def test_known_client_is_not_registered(guarded: Serve, watched: Watched) -> None:
    url = guarded()

    assert watched(url, *LIST, *KNOWN).exit_code == 0
    assert "POST /register" not in seen(url)


def test_auth_none_reports_the_401(guarded: Serve, watched: Watched) -> None:
    url = guarded()

    assert "answered server/discover with HTTP status 401" in problem(watched(url, *LIST, "--auth", "none"))
    assert len(seen(url)) == 0


def test_given_token_is_not_replaced(guarded: Serve, watched: Watched) -> None:
    url = guarded()

    assert watched(url, *LIST, "--token", "wrong").exit_code == 1
    assert len(seen(url)) == 0


def test_stored_token_is_reused_and_private(guarded: Serve, watched: Watched, tmp_path: Path) -> None:
    url, store = guarded(), tmp_path / "store.json"
    keeping = ("--auth-store", str(store))
    watched(url, *LIST, *keeping)
    before = len(seen(url))

    assert watched(url, *LIST, *keeping).exit_code == 0
    assert store.stat().st_mode & 0o777 == 0o600
    assert not [one for one in seen(url)[before:] if one.startswith("POST")]


def test_stored_token_invalid_in_a_header_is_reported_and_masked(
    guarded: Serve, watched: Watched, tmp_path: Path
) -> None:
    url, store = guarded(), tmp_path / "store.json"
    keeping = ("--auth-store", str(store))
    watched(url, *LIST, *keeping)
    store.write_text(re.sub(r"access-[0-9a-f]+", r"\\ud800unsendable", store.read_text()))

    ran = watched(url, *LIST, *keeping)

    assert "cannot be sent to" in problem(ran)
    assert not [word for word in ("unsendable", "Traceback", "never retrieved") if word in ran.stderr]


def test_expired_token_is_refreshed(guarded: Serve, watched: Watched, tmp_path: Path) -> None:
    url = guarded()
    keeping = ("--auth-store", str(tmp_path / "store.json"))
    watched(url, *LIST, *keeping)
    ask(url, "/expire")

    assert watched(url, *LIST, *keeping).exit_code == 0
    assert [one for one in seen(url) if one.startswith("POST /token")][1:] == ["POST /token refresh_token"]


def test_parallel_runs_refresh_the_stored_token_once(guarded: Serve, mcpi: Mcpi, tmp_path: Path) -> None:
    url = guarded()
    run = partial(mcpi, url, *LIST, "--auth-store", str(tmp_path / "store.json"))
    run()
    ask(url, "/expire")

    with ThreadPoolExecutor() as pool:
        started = [pool.submit(run) for _ in range(4)]

    assert [one.result().exit_code for one in started] == [0, 0, 0, 0]
    assert [one for one in seen(url) if one.startswith("POST /token")][1:] == ["POST /token refresh_token"]


def test_expired_refresh_token_starts_a_new_authorization(guarded: Serve, watched: Watched, tmp_path: Path) -> None:
    url = guarded()
    keeping = ("--auth-store", str(tmp_path / "store.json"))
    watched(url, *LIST, *keeping)
    ask(url, "/forget")

    assert watched(url, *LIST, *keeping).exit_code == 0
    assert [one for one in seen(url) if one.startswith("POST /token")][1:] == [
        "POST /token refresh_token",
        "POST /token authorization_code",
    ]


def test_foreign_file_is_not_overwritten_as_token_store(guarded: Serve, watched: Watched, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text('{"mine": true}')

    assert "is not an mcpi token store" in problem(watched(guarded(), *LIST, "--auth-store", str(other)))
    assert other.read_text() == '{"mine": true}'


def test_no_file_is_written_without_auth_store(guarded: Serve, mcpi: Mcpi, tmp_path: Path) -> None:
    mcpi(guarded(), *LIST, cwd=tmp_path, env={"HOME": str(tmp_path)})

    assert list(tmp_path.iterdir()) == []


def test_login_page_requiring_a_user_prints_the_next_command(guarded: Serve, watched: Watched) -> None:
    url = guarded("person")
    ran = watched(url, *LIST, *KNOWN)

    assert problem(ran).endswith("/authorize requires a user to authorize mcpi")
    assert f"mcpi oauth/authorize-url {url} --oauth-client-id known --redirect-uri {BACK}" in ran.stderr
    assert "verifier" not in ran.stderr


def test_auth_open_waits_for_the_login(guarded: Serve, watched: Watched, tmp_path: Path) -> None:
    browser = tmp_path / "browser.py"
    browser.write_text("import sys, urllib.request\nurllib.request.urlopen(sys.argv[1], timeout=10)\n")

    ran = watched(guarded(), *LIST, "--auth-open", f"{sys.executable} {browser}")
    assert (ran.exit_code, "waiting up to 300 s for the login at http" in ran.stderr) == (0, True)


def test_further_lines_of_an_error_description_are_indented(guarded: Serve, watched: Watched) -> None:
    ran = watched(guarded("denied_at_length"), *LIST, *REGISTER)

    found = [line for line in ran.stderr.splitlines() if "all is well" in line]
    assert found == ["  mcpi: all is well"]


FORGED_REDIRECT = """
import sys, urllib.error, urllib.parse, urllib.request
callback = urllib.parse.parse_qs(urllib.parse.urlsplit(sys.argv[1]).query)["redirect_uri"][0]
try:
    urllib.request.urlopen(f"{callback}?code=stolen&state=guessed", timeout=10)
except urllib.error.HTTPError as error:
    assert error.code == 400
urllib.request.urlopen(sys.argv[1], timeout=10)
"""


def test_callback_with_wrong_state_does_not_end_the_login(guarded: Serve, watched: Watched, tmp_path: Path) -> None:
    browser = tmp_path / "browser.py"
    browser.write_text(FORGED_REDIRECT)

    assert watched(guarded(), *LIST, "--auth-open", f"{sys.executable} {browser}").exit_code == 0


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("false", "'false' exited with code 1"),
        ("/nowhere/x", "'/nowhere/x' cannot be started"),
        ("'", "No closing quotation"),
    ],
)
def test_failed_browser_command_is_reported(guarded: Serve, watched: Watched, command: str, message: str) -> None:
    assert message in problem(watched(guarded(), *LIST, "--auth-open", command))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("state", "differs from that in the request"),
        ("iss", "is from https://elsewhere.example, not from"),
        ("issuer", "names the issuer https://elsewhere.example instead of"),
        ("resource", "describes the resource https://elsewhere.example/mcp instead of"),
        ("denied", "denied the authorization with access_denied: not today"),
        ("refuse=invalid_grant", "invalid_grant: refused: invalid_grant"),
    ],
)
def test_invalid_oauth_response_fails_before_a_token_is_used(
    guarded: Serve, watched: Watched, fault: str, message: str
) -> None:
    url = guarded(fault)
    ran = watched(url, *LIST, *REGISTER, "--structured")
    error = json.loads(ran.stdout)["error"]

    assert (ran.exit_code, error["code"]) == (1, "AUTHENTICATION_FAILED")
    assert message in error["message"]


def test_unreachable_url_is_reported(mcpi: Mcpi) -> None:
    ran = mcpi("--method", "oauth/discover", "--server-url", "http://127.0.0.1:9/mcp")

    assert "cannot connect to http://127.0.0.1:9/mcp" in problem(ran)


def test_auth_flags_require_a_url(mcpi: Mcpi) -> None:
    assert "--auth-store applies only to a URL" in problem(mcpi("node", "server.js", *LIST, "--auth-store", "x"))
