"""A rule as data, and one violation of it."""

from typing import Literal, TypeAlias

from mcpi.core.findings.finding import Severity
from mcpi.core.frozen import frozen

Client: TypeAlias = Literal["claude", "openai", "gemini", "vscode", "cursor"]
CLIENTS: tuple[Client, ...] = ("claude", "openai", "gemini", "vscode", "cursor")
SPECIFICATION = "https://modelcontextprotocol.io/specification/2025-11-25"
JSON_SCHEMA = "https://json-schema.org/draft/2020-12/json-schema-validation"


@frozen
class Rule:
    """A rule: its sentence, the reason for it, and the fix for a violation."""

    id: str
    severity: Severity
    sentence: str
    """The rule in one sentence, with `must` for errors and `should` for the others."""
    why: str
    """The consequence of a violation."""
    fix: str
    evidence: str
    """A link that shows who rejects a violation, or which specification forbids it."""
    rejected_by: tuple[Client, ...] = ()
    pedantic: bool = False
    """True for a style rule, which is only checked with --pedantic."""
    grouped: bool = False
    """True to report several places of one definition as one finding."""
    depends_on_client: bool = False
    """True if a violation matters only for the clients that reject it."""


@frozen
class RuleViolation:
    """One violation of a rule in a definition."""

    rule: Rule
    pointer: str
    message: str
    severity: Severity | None = None
    """The severity, if it differs from that of the rule."""
    rejected_by: tuple[Client, ...] | None = None
    """The clients, if they differ from those of the rule."""
