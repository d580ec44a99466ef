"""Rules about the server: name, capabilities and protocol versions; and about changes that clients do not notice."""

from mcpi.core.diff.families.diff_rule import JSON_SCHEMA, SPECIFICATION, DiffRule

_CAPABILITIES = f"{SPECIFICATION}/basic/lifecycle#capability-negotiation"
_VERSIONS = f"{SPECIFICATION}/basic/lifecycle#version-negotiation"
_KEEP_VERSION = "Continue to support the old version."
_KEEP_CAPABILITY = "Continue to declare the capability as before."

RULES = (
    DiffRule(
        "server-info-changed",
        "cosmetic",
        "the server's name and version are only for display",
        f"{SPECIFICATION}/schema#implementation",
    ),
    DiffRule("capability-removed", "breaking", "clients that use the capability fail", _CAPABILITIES, _KEEP_CAPABILITY),
    DiffRule("capability-added", "additive", "a new capability does not affect existing clients", _CAPABILITIES),
    DiffRule("capability-changed", "breaking", "clients may depend on the setting", _CAPABILITIES, _KEEP_CAPABILITY),
    DiffRule(
        "protocol-version-removed",
        "breaking",
        "clients that support only the old version cannot connect",
        _VERSIONS,
        _KEEP_VERSION,
    ),
    DiffRule(
        "protocol-version-lowered",
        "breaking",
        "the server no longer negotiates the newer version",
        _VERSIONS,
        "Negotiate the newest version that both the client and the server support.",
    ),
    DiffRule("protocol-version-added", "additive", "the server supports an additional version", _VERSIONS),
    DiffRule("protocol-version-raised", "additive", "the server negotiates a newer version", _VERSIONS),
    DiffRule("metadata-changed", "cosmetic", "clients do not depend on the metadata", f"{SPECIFICATION}/basic#_meta"),
    DiffRule(
        "schema-rewritten", "cosmetic", "the schema is written differently but has the same meaning", f"{JSON_SCHEMA}"
    ),
)
