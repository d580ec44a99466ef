"""Parse authentication challenges: the WWW-Authenticate header (RFC 9110, section 11.6.1)."""

from collections.abc import Mapping

from attrs import field

from mcpi.core.frozen import frozen
from mcpi.core.lazy_pattern import lazy_pattern
from mcpi.core.outcome.faults import Fault, HttpFailed

_WORD = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
# Possessive quantifiers: a header of a hundred thousand spaces causes no backtracking.
_PARAMETER = rf'({_WORD}+)\s*+=\s*+("[^"\\]*+(?:\\.[^"\\]*+)*+"|{_WORD}+)'
# A scheme may be followed by a single token68 value, as with Negotiate.
_SCHEME = rf"({_WORD}+)(?=\s|,|$)(?:\s++[\w\-.~+/]++=*+(?=\s*+(?:,|$)))?"
_PART = lazy_pattern(rf"\s*+,?\s*+(?:{_PARAMETER}|{_SCHEME})")
_ESCAPE = lazy_pattern(r"\\(.)")
UNAUTHORIZED, FORBIDDEN = 401, 403
DPOP_SCHEME, DPOP_NONCE_HEADER = "DPoP", "dpop-nonce"
"""The scheme of tokens that are bound to a key, and the header with the server's nonce for proofs (RFC 9449)."""


@frozen
class Challenge:
    """The authentication schemes that a server offers, and their parameters."""

    schemes: tuple[str, ...] = ()
    parameters: Mapping[str, str] = field(factory=dict)
    nonce: str = ""

    @property
    def metadata_url(self) -> str:
        """The URL of the protected resource's metadata (RFC 9728, section 5.1)."""
        return self.parameters.get("resource_metadata", "")

    @property
    def scope(self) -> str:
        """The required scopes."""
        return self.parameters.get("scope", "")

    @property
    def error(self) -> str:
        """The error code for the token that was sent (RFC 6750, section 3.1)."""
        return self.parameters.get("error", "")

    @property
    def requires_dpop(self) -> bool:
        """True if tokens must be bound to a key."""
        return DPOP_SCHEME.lower() in self.schemes


def parse(header: str, nonce: str = "") -> Challenge:
    """Parse a challenge header; if several schemes have the same parameter, the first one wins."""
    schemes: list[str] = []
    parameters: dict[str, str] = {}
    at = 0
    while (found := _PART.match(header, at)) is not None:
        at = found.end()
        if found[3]:
            schemes.append(found[3].lower())
        else:
            parameters.setdefault(found[1].lower(), _value(found[2]))
    return Challenge(tuple(schemes), parameters, nonce)


def _value(text: str) -> str:
    return _ESCAPE.sub(r"\1", text[1:-1]) if text.startswith('"') else text


def parse_response(headers: Mapping[str, str]) -> Challenge:
    """Parse the challenge of a response."""
    return parse(headers.get("www-authenticate", ""), headers.get(DPOP_NONCE_HEADER, ""))


def is_authorizable(fault: Fault) -> bool:
    """Tell whether a token, or one with more scopes, could resolve the fault."""
    match fault:
        case HttpFailed(status=status, headers=headers):
            if status == FORBIDDEN:
                # MCP 2026-07-28, authorization: at runtime "HTTP 403 Forbidden" with error="insufficient_scope".
                return "insufficient_scope" in headers.get("www-authenticate", "")
            return status == UNAUTHORIZED
        case _:
            return False
