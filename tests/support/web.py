"""An in-memory web: pages by URL, a stopped clock, and a counter in place of randomness."""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlsplit

from attrs import Factory, define

from mcpi.core.auth.token_store import apply_change
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.steps import Step, Steps
from mcpi.core.plans.world_steps import (
    Fetch,
    ListenForRedirect,
    LoadStored,
    LockStored,
    MarkSecret,
    OpenBrowser,
    RandomToken,
    Response,
    Sign,
    Store,
    UnlockStored,
    WallClock,
)
from support.replay import next_step

Page: TypeAlias = "Response | Callable[[Fetch], Response] | Failure[Any]"

NOW = 1_000_000
LISTENING = "http://127.0.0.1:7777/callback"
MCP, AS = "https://mcp.example/mcp", "https://as.example"
PRM = "https://mcp.example/.well-known/oauth-protected-resource/mcp"
METADATA = f"{AS}/.well-known/oauth-authorization-server"
SERVER: dict[str, Any] = {
    "issuer": AS,
    "authorization_endpoint": f"{AS}/authorize",
    "token_endpoint": f"{AS}/token",
    "registration_endpoint": f"{AS}/register",
    "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
    "code_challenge_methods_supported": ["S256"],
}


@define
class FakeWeb:
    """Records the requests, and returns the configured responses."""

    pages: dict[str, Page] = Factory(dict)
    stored: JsonObject = Factory(dict)
    fetched: list[Fetch] = Factory(list)
    signed: list[Sign] = Factory(list)
    hidden: list[str] = Factory(list)
    browsed: list[OpenBrowser] = Factory(list)
    now: int = NOW
    tokens_drawn: int = 0
    browser: "Result[str] | None" = None
    listener: "Result[str] | None" = None
    occupied: str = ""
    """A redirect URI whose port is in use by another process."""
    stored_by_another_run: JsonObject | None = None
    """Data that another run stores before the store is locked."""
    lock: "Result[None]" = Factory(lambda: Success(None))
    changes: list[str] = Factory(list)
    """The changes of the store and of its lock, in order."""
    signature: "Result[str]" = Factory(lambda: Success("signed.by.test"))

    def outcome(self, steps: Steps[Any]) -> Any:
        """The result of the steps, or the fault that ended them."""
        ended = self.run(steps)
        return ended.result if ended.fault is None else ended.fault

    def run(self, steps: Steps[Any]) -> PlanResult:
        """Run the steps, and return how they end."""
        reply: object = None
        while not isinstance(step := next_step(steps, reply), PlanResult):
            reply = self._reply(step)
        return step

    def _reply(self, step: Step) -> object:
        match step:
            case Fetch(url):
                self.fetched.append(step)
                return self._page(step, self.pages.get(url.partition("?")[0], Response(404, url, {}, "")))
            case RandomToken():
                self.tokens_drawn += 1
                return f"chance-{self.tokens_drawn}"
            case WallClock():
                return self.now
            case Sign():
                self.signed.append(step)
                return self.signature
            case _:
                return self._reply_other(step)

    def _page(self, step: Fetch, page: Page) -> object:
        if isinstance(page, Failure):
            return page
        return Success(page if isinstance(page, Response) else page(step))

    def _reply_other(self, step: Step) -> object:
        match step:
            case ListenForRedirect(wanted):
                if wanted and wanted == self.occupied:
                    return Failure(Invalid("INVALID_ARGUMENT", "--redirect-uri", f"cannot listen at {wanted}"))
                return self.listener if self.listener is not None else Success(wanted or LISTENING)
            case LoadStored() | LockStored() | UnlockStored() | Store():
                return self._reply_of_store(step)
            case MarkSecret(secrets):
                self.hidden += secrets
                return None
            case OpenBrowser():
                self.browsed.append(step)
                return self.browser
            case _:
                raise AssertionError(f"the test's web cannot do {step}")

    def _reply_of_store(self, step: LoadStored | LockStored | UnlockStored | Store) -> object:
        match step:
            case LoadStored():
                return Success(self.stored)
            case LockStored():
                self.changes.append("lock")
                self.stored = self.stored if self.stored_by_another_run is None else self.stored_by_another_run
                return self.lock
            case UnlockStored():
                self.changes.append("unlock")
                return None
            case Store(section):
                self.changes.append(f"store {section}")
                self.stored = json.loads(json.dumps(apply_change(self.stored, step)))
                return Success(None)

    @property
    def requests(self) -> list[str]:
        """The requests, in order."""
        return [f"{one.verb} {one.url.partition('?')[0]}" for one in self.fetched]

    def form(self, number: int = -1) -> dict[str, str]:
        """The form data sent."""
        return form_fields(self.fetched[number].body)

    def query(self, path: str) -> dict[str, str]:
        """The query of the last request to a URL."""
        return form_fields(next(urlsplit(one.url).query for one in reversed(self.fetched) if one.url.startswith(path)))


def form_fields(text: str) -> dict[str, str]:
    """The fields of a form or a query, each with its last value."""
    return {name: values[-1] for name, values in parse_qs(text, keep_blank_values=True).items()}


def page(value: object, status: int = 200, url: str = "", **headers: str) -> Response:
    """A JSON response."""
    return Response(status, url, {name.replace("_", "-"): text for name, text in headers.items()}, json.dumps(value))


def redirect_back(*, iss: str | None = None, **more: str) -> Callable[[Fetch], Response]:
    """An authorization endpoint that redirects back immediately."""

    def redirect(requests: Fetch) -> Response:
        given = form_fields(urlsplit(requests.url).query)
        metadata = {"code": "the-code", "state": given["state"], **({"iss": iss} if iss else {}), **more}
        query = "&".join(f"{name}={value}" for name, value in metadata.items())
        return Response(302, requests.url, {"location": f"{given['redirect_uri']}?{query}"}, "")

    return redirect


def oauth_web(**server: object) -> FakeWeb:
    """A server whose authorization server issues a token to every client."""
    metadata = {name: value for name, value in {**SERVER, **server}.items() if value is not None}
    return FakeWeb(
        {
            PRM: page({"resource": MCP, "authorization_servers": [AS], "scopes_supported": ["read"]}),
            METADATA: page(metadata),
            f"{AS}/register": page({"client_id": "new-client"}, 201),
            f"{AS}/authorize": redirect_back(),
            f"{AS}/token": page({"access_token": "the-token", "token_type": "Bearer", "expires_in": 60}),
        }
    )


def unauthorized(header: str = "Bearer", **more: str) -> Mapping[str, str]:
    """The headers of a 401 response."""
    return {"www-authenticate": header, **{name.replace("_", "-"): value for name, value in more.items()}}
