"""What the core asks of the world beside a connection: exchanges, chance, the time of day, keys, a browser, a store."""

import asyncio
import secrets
import shlex
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

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
    MarkSecret,
    OpenBrowser,
    RandomToken,
    Sign,
    Store,
    WallClock,
)
from mcpi.core.secrets.redactor import Redactor
from mcpi.core.session.effects import Effect, Effects
from mcpi.shell.auth.fetch import Fetcher
from mcpi.shell.auth.token_file import TokenFile
from mcpi.shell.context import Context
from mcpi.shell.transports.credentials import Credentials
from mcpi.shell.transports.traffic import TrafficListener

if TYPE_CHECKING:
    from mcpi.shell.auth.loopback import CallbackListener
    from mcpi.shell.auth.signing import Signer


@frozen
class TokenRequest:
    """For which server tokens are wanted, how, and how long that may take."""

    server: str = ""
    auth: AuthOptions = field(factory=AuthOptions)
    patience: float = 30.0
    """Seconds for one exchange."""
    total: float = 300.0
    """Seconds for a person."""
    tell: Callable[[str], None] = lambda _: None
    """Who hears what is waited for."""


class WorldPerformer:
    """Does what no transport does; made only when something of it is wanted."""

    def __init__(
        self,
        context: Context,
        credentials: Credentials,
        tap: TrafficListener,
        wanted: TokenRequest,
        redact: Redactor | None = None,
    ) -> None:
        """Nothing has been touched."""
        self._redact = redact
        self._wall = context.clock.wall
        self._context = context
        self._credentials = credentials
        self._fetcher = Fetcher(context, tap, wanted.patience)
        self._patience, self._tell = wanted.total, wanted.tell
        self._store = TokenFile(context, wanted.auth.auth_store)
        self._signer: Signer | None = None
        self._listening: CallbackListener | None = None
        self._authorization = Authorization(wanted.server, wanted.auth)

    def authorize(self, fault: HttpFailed) -> Effects[Result[Token]]:
        """The steps to a token that the server may take."""
        return cast("Effects[Result[Token]]", catch_failure(self._authorization.obtain_token(fault)))

    def use(self, outcome: Result[Token]) -> Result[None]:
        """From now on the token goes with each request."""
        match outcome:
            case Success(token):
                self._credentials.use(lambda *request: self._headers(token, *request))
                return Success(None)
            case Failure() as failed:
                return failed

    def _headers(self, token: Token, verb: str, url: str, body: bytes, nonce: str) -> dict[str, str]:
        headers = {"authorization": f"{token.kind} {token.access}"}
        if token.kind != proofs.SCHEME:
            return headers
        said = proofs.dpop_claims(verb, url, int(self._wall()), secrets.token_urlsafe(), nonce)
        claims = proofs.bind_to_request(said, token.access, body)
        proof = self._signed(Sign(claims, algorithm=self._authorization.algorithm, kind=proofs.KIND))
        return {**headers, "dpop": proof.unwrap()}

    async def perform(self, act: Effect) -> object:
        """The reply to an act."""
        match act:
            case Fetch():
                self._hide([act.headers.get("authorization", "").partition(" ")[2]])
                return await self._fetcher.fetch(act)
            case OpenBrowser(url, command):
                return await self._browse(url, command)
            case ListenForRedirect(wanted):
                return await self._listener().start(wanted)
            case RandomToken():
                return secrets.token_urlsafe()
            case WallClock():
                return int(self._wall())
            case _:
                return self._held(act)

    def _hide(self, texts: Iterable[str]) -> None:
        if self._redact is not None:
            self._redact.add(texts)

    def _held(self, act: Effect) -> object:
        match act:
            case Sign():
                return self._signed(act)
            case LoadStored():
                return self._store.recall()
            case Store():
                return self._store.keep(act)
            case MarkSecret(texts):
                self._hide(texts)
                return None
            case _:
                raise AssertionError(act)

    def _signed(self, wanted: Sign) -> Result[str]:
        if self._signer is None:
            from mcpi.shell.auth.signing import Signer  # noqa: PLC0415 - cryptography is heavy and rarely wanted

            self._signer = Signer()
        return self._signer.sign(wanted)

    def _listener(self) -> "CallbackListener":
        if self._listening is None:
            from mcpi.shell.auth.loopback import CallbackListener  # noqa: PLC0415 - see above

            self._listening = CallbackListener()
        return self._listening

    async def _browse(self, url: str, command: str) -> Result[str]:
        """Where the browser was sent that the command opened."""
        came = self._listener().expect()
        try:
            words = [*shlex.split(command), url]
        except ValueError as error:
            return _unopened(f"{command!r} is no command: {error}")
        try:
            shower = await asyncio.create_subprocess_exec(
                *words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                cwd=self._context.folder(None),
                env=dict(self._context.environment),
            )
        except OSError as error:
            return _unopened(f"{words[0]!r} cannot be started: {error.strerror}")
        self._tell(f"waiting for a person, up to {self._patience:g} s, at {url}")
        ended = asyncio.ensure_future(shower.wait())
        try:
            async with asyncio.timeout(self._patience):
                await asyncio.wait(
                    cast("list[asyncio.Future[Any]]", [came, ended]), return_when=asyncio.FIRST_COMPLETED
                )
                # Who opens a browser may well be gone before the browser has come.
                if not came.done() and ended.result() != 0:
                    return _unopened(f"{command!r} ended with exit code {ended.result()}")
                return Success(await came)
        except TimeoutError:
            return Failure(TimedOut("REQUEST_TIMEOUT", self._patience, "the authorization by a person"))
        finally:
            came.cancel()
            ended.cancel()

    async def close(self) -> None:
        """Nothing is left open."""
        if self._listening is not None:
            self._listening.close()
        await self._fetcher.close()


def _unopened(problem: str) -> Failure[Unauthorized]:
    return Failure(Unauthorized(f"nobody could be asked: {problem}", hints=("see --auth-open",)))
