"""What a server did that the protocol does not allow."""

from typing import Literal, TypeAlias

from mcpi.core.frozen import frozen

Rule: TypeAlias = Literal[
    "not-json",
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
]

QUOTED = 300
"""How many characters of evidence are quoted."""


@frozen
class Violation:
    """One rule broken, and the words that broke it."""

    rule: Rule
    detail: str
    evidence: str = ""

    def as_json(self) -> dict[str, str]:
        """The violation as the envelope and the stream show it."""
        return {"rule": self.rule, "detail": self.detail, "evidence": self.evidence}


def quote(text: str) -> str:
    """The text, shortened to what a person reads."""
    return text if len(text) <= QUOTED else f"{text[:QUOTED]}… ({len(text)} characters)"
