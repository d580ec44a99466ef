"""HTTP exchanges outside the protocol: no redirects, a size limit, and errors returned as failures."""

import asyncio
from collections import deque

from attrs import evolve

from mcpi.core.auth.metadata import Attempt
from mcpi.core.outcome.explain import sentence
from mcpi.core.outcome.faults import InvalidResponse, TimedOut, Unreachable
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.world_steps import Fetch, Response
from mcpi.core.record.http_message import HttpMessage
from mcpi.core.targets.target import Http
from mcpi.shell.context import Context
from mcpi.shell.transports import http_client, http_faults
from mcpi.shell.transports.http_clients.http_errors import HttpError
from mcpi.shell.transports.http_clients.http_message_parts import HttpRequest, HttpResponse
from mcpi.shell.transports.http_clients.routing_client import RoutingClient
from mcpi.shell.transports.traffic import TrafficListener

HTTP_ERRORS = 400
MAX_BODY_BYTES = 1 << 20
"""Maximum size of a body in bytes; metadata and tokens are small."""


class Fetcher:
    """An HTTP client for exchanges outside the protocol; it keeps cookies."""

    def __init__(self, context: Context, tap: TrafficListener, timeout: float) -> None:
        """Set up without connecting; connections are opened on first use."""
        self._context = context
        self._tap = tap
        self._timeout = timeout
        self._clients: dict[bool, RoutingClient] = {}

    async def fetch(self, request: Fetch) -> Result[Response]:
        """Perform the exchange; return the response, or the reason for the failure."""
        # The query string may contain secrets.
        shown = request.url.partition("?")[0]
        label = f"{request.verb} {shown}"
        client = self._client(request.url)
        if isinstance(client, Failure):
            return client
        outcome = await self._outcome(client.unwrap(), request, label)
        match outcome:
            case Success(response):
                ok = response.status < HTTP_ERRORS
                attempt = Attempt(shown, response.status, "" if ok else f"HTTP status {response.status}", request.verb)
            case Failure(fault):
                attempt = Attempt(shown, None, sentence(fault), request.verb)
        self._tap.attempted(attempt)
        return outcome

    async def _outcome(self, client: RoutingClient, request: Fetch, label: str) -> Result[Response]:
        shown = request.url.partition("?")[0]
        received = deque([""], maxlen=1)
        try:
            async with asyncio.timeout(self._timeout):
                return Success(await self._exchange(client, request, received.append))
        except TimeoutError:
            return Failure(TimedOut("REQUEST_TIMEOUT", self._timeout, label, _without_text(received[-1])))
        except http_client.BodyTooLong:
            return Failure(http_client.too_long_fault(shown, MAX_BODY_BYTES))
        except http_client.BodyTruncated as error:
            return Failure(Unreachable("CONNECTION_LOST", f"{shown} answered {request.verb} with {error}"))
        except HttpError as error:
            return Failure(http_faults.fault_of(error, shown, request.verb))
        except UnicodeError:
            return Failure(InvalidResponse("INVALID_RESPONSE", f"{shown} is not a URL that can be requested"))

    async def _exchange(self, client: RoutingClient, request: Fetch, note_partial: http_client.NotePartial) -> Response:
        headers = http_client.encode_headers(request.headers)
        sent = HttpRequest(request.verb, request.url, headers, request.body.encode() or None)
        async with http_client.logged_exchange(client, sent, self._log) as response:
            endless = _endless(response)
            body = b"" if endless else await http_client.read_body(response, MAX_BODY_BYTES, note_partial)
            return Response(response.status, request.url, dict(response.headers), body.decode(errors="replace"))

    def _log(self, message: HttpMessage) -> None:
        # Query strings may contain secrets, such as the code in a redirect.
        line = _without_query(message.line) if message.mark == ">" else message.line
        headers = tuple(
            (name, _without_query(value) if name.lower() == "location" else value) for name, value in message.headers
        )
        self._tap.http(evolve(message, line=line, headers=headers), self._context.clock.now())

    def _client(self, url: str) -> Result[RoutingClient]:
        secure = url.lower().startswith("https")
        if secure not in self._clients:
            client = http_client.make_client(Http(url), self._context.environment)
            if isinstance(client, Failure):
                return client
            self._clients[secure] = client.unwrap()
        return Success(self._clients[secure])

    async def close(self) -> None:
        """Close all connections."""
        for client in self._clients.values():
            await client.close()


def _without_query(url: str) -> str:
    shown, mark, _ = url.partition("?")
    return f"{shown}{mark and '?***'}"


def _without_text(received: str) -> str:
    """Return the status and size of a partial response, without its text, which may contain a token."""
    return received.partition(":")[0]


def _endless(response: HttpResponse) -> bool:
    """Return True if the body is an event stream, which may never end."""
    return response.headers.get("content-type", "").startswith("text/event-stream")
