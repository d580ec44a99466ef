"""One HTTP exchange beside the protocol: no redirects, a body that ends somewhere, no exception."""

import asyncio

import httpx2

from mcpi.core.outcome.faults import InvalidResponse, TimedOut, Unreachable
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.world_steps import Fetch, Response
from mcpi.core.targets.target import Http
from mcpi.shell.context import Context
from mcpi.shell.transports import http_client
from mcpi.shell.transports.traffic import TrafficListener

MOST = 1 << 20
"""Bytes of a body; metadata and tokens are small."""


class Fetcher:
    """Carries out exchanges; what a server gives as a cookie it gets back."""

    def __init__(self, context: Context, tap: TrafficListener, patience: float) -> None:
        """Nothing is connected."""
        self._context = context
        self._tap = tap
        self._patience = patience
        self._clients: dict[bool, httpx2.AsyncClient] = {}

    async def fetch(self, wanted: Fetch) -> Result[Response]:
        """What came back, or why nothing did."""
        # What stands behind the path may be a secret.
        shown = wanted.url.partition("?")[0]
        doing = f"{wanted.verb} {shown}"
        client = self._client(wanted.url)
        if isinstance(client, Failure):
            return client
        try:
            async with asyncio.timeout(self._patience):
                return Success(await self._exchange(client.unwrap(), wanted, doing))
        except TimeoutError:
            return Failure(TimedOut("REQUEST_TIMEOUT", self._patience, doing))
        except http_client.BodyTooLong:
            return Failure(http_client.too_long(shown, MOST))
        except http_client.BodyCut as error:
            return Failure(Unreachable("CONNECTION_LOST", f"{shown}: {error}"))
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            return Failure(http_client.fault_of(error, shown, wanted.verb))
        except UnicodeError:
            return Failure(InvalidResponse("INVALID_RESPONSE", f"{shown} is no address that can be asked"))

    async def _exchange(self, client: httpx2.AsyncClient, wanted: Fetch, doing: str) -> Response:
        content = wanted.body.encode() or None
        async with client.stream(wanted.verb, wanted.url, content=content, headers=dict(wanted.headers)) as response:
            self._tap.info(f"{doing}: HTTP {response.status_code}", self._context.clock.now())
            body = await http_client.whole(response, MOST) if not _endless(response) else b""
            headers = {name.lower(): value for name, value in response.headers.items()}
            return Response(response.status_code, wanted.url, headers, body.decode(errors="replace"))

    def _client(self, url: str) -> Result[httpx2.AsyncClient]:
        secure = url.lower().startswith("https")
        if secure not in self._clients:
            made = http_client.make_client(Http(url), self._context.environment)
            if isinstance(made, Failure):
                return made
            self._clients[secure] = made.unwrap()
        return Success(self._clients[secure])

    async def close(self) -> None:
        """Nothing is connected any more."""
        for client in self._clients.values():
            await client.aclose()


def _endless(response: httpx2.Response) -> bool:
    """Whether the body is a stream that goes on."""
    kind: str = response.headers.get("content-type", "")
    return kind.startswith("text/event-stream")
