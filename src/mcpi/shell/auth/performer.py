"""Performer of effects outside a connection: HTTP, random tokens, the time, signing, a browser, the token store."""

import asyncio
import secrets
import shlex
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qs, urlsplit

from attrs import field

from mcpi.core.auth import proofs
from mcpi.core.auth.access_token import Token
from mcpi.core.auth.flow import Authorization
from mcpi.core.flags.options import AuthOptions
from mcpi.core.frozen import frozen
from mcpi.core.outcome.faults import HttpFailed, TimedOut, Unauthorized
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.steps import catch_failure
from mcpi.core.plans.world_steps import (
    Fetch,
    ListenForRedirect,
    LoadStored,
    LockStored,
    MarkSecret,
    OpenBrowser,
    RandomToken,
    ReadTextFile,
    Sign,
    Store,
    UnlockStored,
    WallClock,
)
from mcpi.core.secrets.redactor import Redactor
from mcpi.core.session.effects import Effect, Effects
from mcpi.shell.auth.fetch import Fetcher
from mcpi.shell.auth.token_file import TokenFile
from mcpi.shell.context import Context
from mcpi.shell.io.inputs import text_of
from mcpi.shell.transports.credentials import Credentials
from mcpi.shell.transports.traffic import TrafficListener

if TYPE_CHECKING:
    from mcpi.shell.auth.loopback import CallbackListener
    from mcpi.shell.auth.signing import Signer


@frozen
class TokenRequest:
    """A server that requires a token, with the options and timeouts for obtaining it."""

    server: str = ""
    auth: AuthOptions = field(factory=AuthOptions)
    timeout: float = 30.0
    """Timeout of one HTTP exchange in seconds."""
    user_timeout: float = 300.0
    """Timeout of the user's authorization in a browser, in seconds."""
    notify: Callable[[str], None] = lambda _: None
    """Called with a message when mcpi waits for the user."""
    show_url: Callable[[str], Awaitable[object]] | None = None
    """Shows the authorization URL to the user, instead of a command."""


class WorldPerformer:
    """The performer of effects outside a connection, created on first use."""

    def __init__(
        self,
        context: Context,
        credentials: Credentials,
        tap: TrafficListener,
        request: TokenRequest,
        redact: Redactor | None = None,
    ) -> None:
        """Set up without opening connections or files."""
        self._redact = redact
        self._wall_clock = context.clock.wall
        self._context = context
        self._credentials = credentials
        self._fetcher = Fetcher(context, tap, request.timeout)
        self._user_timeout, self._notify, self._show_url = request.user_timeout, request.notify, request.show_url
        self._store = TokenFile(context, request.auth.auth_store, request.timeout)
        self._signer: Signer | None = None
        self._callback_listener: CallbackListener | None = None
        self._authorization = Authorization(request.server, request.auth)

    def authorize(self, fault: HttpFailed) -> Effects[Result[Token]]:
        """Return the effects that obtain a token after the fault."""
        return cast("Effects[Result[Token]]", catch_failure(self._authorization.obtain_token(fault)))

    def use_token(self, outcome: Result[Token]) -> Result[None]:
        """Send the token with each further request; return the failure if there is no token."""
        match outcome:
            case Success(token):
                self._credentials.set_header_factory(lambda *request: self._headers(token, *request))
                return Success(None)
            case Failure() as failed:
                return failed

    def _headers(self, token: Token, verb: str, url: str, body: bytes, nonce: str) -> dict[str, str]:
        headers = {"authorization": f"{token.kind} {token.access}"}
        if token.kind != proofs.SCHEME:
            return headers
        unbound = proofs.dpop_claims(verb, url, int(self._wall_clock()), secrets.token_urlsafe(), nonce)
        claims = proofs.bind_to_request(unbound, token.access, body)
        proof = self._sign(Sign(claims, algorithm=self._authorization.algorithm, kind=proofs.KIND))
        return {**headers, "dpop": proof.unwrap()}

    async def perform(self, effect: Effect) -> object:
        """Perform the effect and return its reply."""
        match effect:
            case Fetch():
                self._mark_secret([effect.headers.get("authorization", "").partition(" ")[2]])
                return await self._fetcher.fetch(effect)
            case OpenBrowser(url, command):
                return await self._browse(url, command)
            case ListenForRedirect(redirect_uri):
                return await self._listener().start(redirect_uri)
            case LockStored():
                return await self._store.lock()
            case Store():
                return await self._store.store(effect)
            case RandomToken():
                return secrets.token_urlsafe()
            case WallClock():
                return int(self._wall_clock())
            case _:
                return self._perform_locally(effect)

    def _mark_secret(self, texts: Iterable[str]) -> None:
        if self._redact is not None:
            self._redact.add(texts)

    def _perform_locally(self, effect: Effect) -> object:
        match effect:
            case Sign():
                return self._sign(effect)
            case LoadStored():
                return self._store.load()
            case UnlockStored():
                self._store.unlock()
                return None
            case MarkSecret(texts):
                self._mark_secret(texts)
                return None
            case ReadTextFile(flag, path):
                return text_of(self._context, flag, path)
            case _:
                raise AssertionError(effect)

    def _sign(self, effect: Sign) -> Result[str]:
        if self._signer is None:
            from mcpi.shell.auth.signing import Signer  # noqa: PLC0415 - cryptography is slow to import and rarely needed

            self._signer = Signer()
        return self._signer.sign(effect)

    def _listener(self) -> "CallbackListener":
        if self._callback_listener is None:
            from mcpi.shell.auth.loopback import CallbackListener  # noqa: PLC0415 - see above

            self._callback_listener = CallbackListener()
        return self._callback_listener

    async def _browse(self, url: str, command: str) -> Result[str]:
        """Open the URL with the command, and return the URL of the redirect."""
        state = parse_qs(urlsplit(url).query).get("state", [""])[0]
        redirected = self._listener().next_redirect(state)
        if self._show_url is not None:
            return await self._show(url, redirected, self._show_url)
        try:
            program, *words = [*shlex.split(command), url]
        except ValueError as error:
            return _browser_failed(f"{command!r} is not a valid command: {error}")
        try:
            opener = await asyncio.create_subprocess_exec(
                program,
                *words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                cwd=self._context.folder(None),
                env=dict(self._context.environment),
            )
        except OSError as error:
            return _browser_failed(f"{program!r} cannot be started: {error.strerror}")
        self._notify(f"waiting up to {self._user_timeout:g} s for the login at {url}")
        exited = asyncio.ensure_future(opener.wait())
        try:
            async with asyncio.timeout(self._user_timeout):
                await asyncio.wait(
                    cast("list[asyncio.Future[Any]]", [redirected, exited]), return_when=asyncio.FIRST_COMPLETED
                )
                # The command may exit successfully before the browser is redirected.
                if not redirected.done() and (code := exited.result()) != 0:
                    return _browser_failed(f"{command!r} exited with code {code}")
                return Success(await redirected)
        except TimeoutError:
            problem = "the login did not finish"
            return Failure(TimedOut("REQUEST_TIMEOUT", self._user_timeout, "the login", problem=problem))
        finally:
            redirected.cancel()
            exited.cancel()

    async def _show(
        self, url: str, redirected: "asyncio.Future[str]", show_url: Callable[[str], Awaitable[object]]
    ) -> Result[str]:
        """Show the URL with the function, and return the URL of the redirect."""
        try:
            async with asyncio.timeout(self._user_timeout):
                await show_url(url)
                return Success(await redirected)
        except TimeoutError:
            problem = "the login did not finish"
            return Failure(TimedOut("REQUEST_TIMEOUT", self._user_timeout, "the login", problem=problem))
        except Exception as error:  # noqa: BLE001 - user code may raise anything
            return _browser_failed(f"the function that shows the URL raised {type(error).__name__}: {error}")
        finally:
            redirected.cancel()

    async def close(self) -> None:
        """Stop listening, unlock the token store, and close all connections."""
        self._store.unlock()
        if self._callback_listener is not None:
            self._callback_listener.close()
        await self._fetcher.close()


def _browser_failed(problem: str) -> Failure[Unauthorized]:
    return Failure(Unauthorized(f"cannot open the authorization page: {problem}", hints=("see --auth-open",)))
