"""Violations of the protocol."""

from typing import Literal, TypeAlias

from mcpi.core.frozen import frozen

Rule: TypeAlias = Literal[
    "not-json",
    "too-deep",
    "invalid-utf8",
    "byte-order-mark",
    "batch",
    "wrong-jsonrpc",
    "unclear-message",
    "positional-params",
    "null-id",
    "unknown-id",
    "repeated-id",
    "id-type",
    "result-and-error",
    "method-and-result",
    "malformed-error",
    "no-line-end",
    "server-request",
    "undeclared-capability",
    "missing-result-type",
    "unknown-result-type",
    "missing-cache-hint",
    "unasked-log",
    "unacknowledged-stream",
    "illegal-header",
    "repeated-cursor",
    "endless-pages",
    "progress-token",
    "content-type",
    "sse",
    "schema",
    "output-schema",
    "sent-schema",
]
SENT: Rule = "sent-schema"
"""The rule for messages from mcpi, which may contain what the user wrote: the server is not to blame."""

MAX_QUOTED = 300
"""Maximum number of characters of evidence to quote."""


@frozen
class Violation:
    """A broken rule of the protocol, with the text that broke it."""

    rule: Rule
    detail: str
    evidence: str = ""

    @property
    def is_log(self) -> bool:
        """Tell whether the text is not JSON, and probably a log; a broken message begins with a brace."""
        return self.rule == "not-json" and not self.evidence.startswith("{")

    def as_json(self) -> dict[str, str]:
        """Return the violation as the envelope and the event stream show it."""
        return {"rule": self.rule, "detail": self.detail, "evidence": self.evidence}


def quote(text: str) -> str:
    """Shorten the text for display."""
    return text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}… ({len(text)} characters)"
