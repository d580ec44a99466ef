"""oauth/discover, register, authorize-url, token and refresh: the steps to a token, one by one."""

from mcpi.core.frozen import frozen
from mcpi.core.kinds import Address, Secret
from mcpi.core.method import AnyMethod, Method
from mcpi.core.options import AuthOptions
from mcpi.core.steps import Plan
from mcpi.plugins.spec import hookimpl


@frozen(kw_only=True)
class Discover(AuthOptions):
    """Where a server's tokens come from."""

    server_url: Address
    """The URL of the MCP server."""


@frozen(kw_only=True)
class Register(Discover):
    """A new client."""


@frozen(kw_only=True)
class AuthorizeUrl(Discover):
    """The URL that a person opens."""


@frozen(kw_only=True)
class RedeemToken(Discover):
    """A token for a grant."""

    oauth_code: Secret | None = None
    """The authorization code, from the address that the browser was sent to."""
    oauth_code_verifier: Secret | None = None
    """The PKCE verifier that oauth/authorize-url printed."""
    oauth_iss: str | None = None
    """The iss from the address that the browser was sent to."""


@frozen(kw_only=True)
class RefreshToken(Discover):
    """A new token for a refresh token."""

    oauth_refresh_token: Secret
    """The refresh token."""


def discover(args: Discover) -> Plan:
    """The metadata, the resource, the scope to ask for, and each attempt."""
    from mcpi.core import oauth_methods  # noqa: PLC0415 - every call loads the plugins, few of them want OAuth

    return oauth_methods.discovered(args.server_url, args)


def register(args: Register) -> Plan:
    """What the authorization server says of the new client."""
    from mcpi.core import oauth_methods  # noqa: PLC0415 - see above

    return oauth_methods.enrolled(args.server_url, args)


def authorize_url(args: AuthorizeUrl) -> Plan:
    """The URL, and what to keep until its answer comes."""
    from mcpi.core import oauth_methods  # noqa: PLC0415 - see above

    return oauth_methods.prepared(args.server_url, args)


def token(args: RedeemToken) -> Plan:
    """What the token endpoint answers."""
    from mcpi.core import oauth_methods  # noqa: PLC0415 - see above

    code = oauth_methods.Code(args.oauth_code or "", args.oauth_code_verifier or "", args.oauth_iss)
    return oauth_methods.redeemed(args.server_url, args, code)


def refresh(args: RefreshToken) -> Plan:
    """What the token endpoint answers."""
    from mcpi.core import oauth_methods  # noqa: PLC0415 - see above

    return oauth_methods.refreshed(args.server_url, args, args.oauth_refresh_token)


@hookimpl
def mcpi_methods() -> tuple[AnyMethod, ...]:
    """The methods of this group; they talk to authorization servers, and to no MCP server but for its challenge."""
    return (
        Method("oauth/discover", Discover, discover, "where a server's tokens come from", wire=False, connects=False),
        Method("oauth/register", Register, register, "register a client", wire=False, connects=False),
        Method(
            "oauth/authorize-url",
            AuthorizeUrl,
            authorize_url,
            "the URL that a person opens",
            wire=False,
            connects=False,
        ),
        Method("oauth/token", RedeemToken, token, "a token for a code or another grant", wire=False, connects=False),
        Method("oauth/refresh", RefreshToken, refresh, "a new token for a refresh token", wire=False, connects=False),
    )
