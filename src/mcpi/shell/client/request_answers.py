"""Answer the requests of a server: set handlers, and resolve or reject what is pending."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import evolve

from mcpi.core.client.argument_types import check_argument
from mcpi.core.jsontext.exact import Params, Printable, to_plain
from mcpi.core.outcome.faults import Invalid
from mcpi.core.plans.responders import Handlers
from mcpi.core.session.server_requests import ServerRequests
from mcpi.shell.client.errors import McpiError
from mcpi.shell.client.event_loops import Caller
from mcpi.shell.client.inspector_options import InspectorOptions, client_info
from mcpi.shell.client.observation.client_view import ClientView
from mcpi.shell.client.pending_requests import RequestHandler


class RequestAnswers(ClientView, ABC):
    """The handlers of a client, and the requests that wait for an answer."""

    options: InspectorOptions
    _caller: Caller | None = None

    @abstractmethod
    async def notify(self, method: str, params: Params | None = None) -> None:
        """Send a notification."""

    def _do(self, work: Callable[[], Any]) -> Any:  # noqa: ANN401 - the result of the function
        """Call the function on the event loop of the connection."""
        return work() if self._caller is None else self._caller.do(work)

    def set_sampling_handler(self, function: RequestHandler | None) -> None:
        """Set or remove the function that answers sampling/createMessage."""
        self.set_request_handler("sampling/createMessage", function)

    def set_elicitation_handler(self, function: RequestHandler | None) -> None:
        """Set or remove the function that answers elicitation/create."""
        self.set_request_handler("elicitation/create", function)

    async def set_roots(self, roots: Sequence[Mapping[str, Printable]]) -> None:
        """Set the roots, and notify the server if it is connected and belongs to the handshake era."""
        self.set_request_handler("roots/list", roots_handler(roots))
        if self.server is not None and self.server.era == "handshake":
            await self.notify("notifications/roots/list_changed")

    def set_request_handler(self, method: str, function: RequestHandler | None) -> None:
        """Set or remove the function that answers requests of this method; see also `leave_pending`."""
        self._do(lambda: self._set_handler(method, function))

    def _set_handler(self, method: str, function: RequestHandler | None) -> None:
        before = self._pending.handlers.get(method)
        self._pending.set_handler(method, function)
        handler = self._pending.handlers.get(method)
        if self.status != "connected":
            return
        session = self._session
        if session.modern:
            client = client_info(self.options, self._pending.handlers)
            session.terms = evolve(session.terms, client=client)
            session.server_requests.declared = client.capabilities_for("modern")
        elif before is None and handler is not None and not session.server_requests.is_declared(method):
            self._pending.set_handler(method, None)
            name = handler.responder.capability
            problem = f"the capability {name!r} was not declared when connecting"
            hint = "set a handler (such as leave_pending) before connecting"
            raise McpiError(Invalid("INVALID_ARGUMENT", method, problem, (hint,)))

    def use_handlers(self, handlers: Handlers) -> None:
        """Add these handlers; the client must have declared their capabilities when it connected."""
        self._pending.handlers.update(handlers)
        requests = self._session.server_requests
        self._session.server_requests = ServerRequests(self._pending.handlers, requests.declared)

    def resolve(self, id: str, result: Mapping[str, Printable]) -> None:  # noqa: A002 - the name of the entry's field
        """Answer a pending request from the server."""
        self._do(lambda: self._pending.resolve(id, result))

    def reject(self, id: str, reason: str = "rejected by the user") -> None:  # noqa: A002 - see above
        """Reject a pending request from the server with an error."""
        self._do(lambda: self._pending.reject(id, reason))


def roots_handler(roots: Sequence[Mapping[str, Printable]]) -> RequestHandler:
    """Build the handler that answers roots/list."""
    check_argument("roots", roots, Sequence[Mapping[str, Any]])
    found = {"roots": [to_plain(dict(root)) for root in roots]}
    return lambda _: found
