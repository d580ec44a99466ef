"""Warnings and log messages on stderr during a run."""

from mcpi.core.jsontext.exact import Printable
from mcpi.core.jsontext.writing import dump
from mcpi.core.plans.events import Event, NotificationReceived, ServerRequestReceived, TransportNote, ViolationSeen
from mcpi.core.plans.responders import handler_hints
from mcpi.core.record.transcript import log_entry
from mcpi.core.wire.violations import quote

_INVALID_ANSWER = (-32602, -32603)
"""Codes of errors sent because the user's answer is invalid; other errors are sent on purpose."""


def warning_line(event: Event) -> str | None:
    """Format the event as a line for stderr; return None if it needs none."""
    match event:
        case ViolationSeen(violation):
            quoted = f": {violation.evidence}" if violation.evidence else ""
            return f"warning: {violation.detail}{quoted}"
        case ServerRequestReceived(method=method, params=params, handled=False):
            how = "".join(f" ({one})" for one in handler_hints([method]))
            requested = f": {quote(dump(params))}" if params is not None else ""
            return f"warning: the server requested {method}, but no handler was given; mcpi declined it{how}{requested}"
        case ServerRequestReceived(method=method, response={"error": {"code": code, "message": str(message)}}) if (
            code in _INVALID_ANSWER
        ):
            return f"warning: invalid response to the server's {method}: {message}"
        case NotificationReceived("notifications/message", params):
            entry = log_entry(params, "")
            logger = f" {_as_text(entry['logger'])}:" if entry["logger"] else ""
            return f"log {_as_text(entry['level'])}:{logger} {entry['message']}"
        case TransportNote("another-version", {"requested": requested, "used": used}):
            return f"warning: version {requested} was requested, but the server uses {used}"
        case TransportNote("unchecked" | "warning", {"reason": sentence}):
            return f"warning: {sentence}"
        case TransportNote("debug", result):
            return f"debug {dump(result)}"
        case _:
            return None


def is_documented(event: Event) -> bool:
    """Tell whether the envelope and the event stream contain the event."""
    return not isinstance(event, TransportNote) or event.event == "debug"


def _as_text(value: Printable) -> str:
    """Return a string as it is, and any other value as JSON."""
    return value if isinstance(value, str) else quote(dump(value))
