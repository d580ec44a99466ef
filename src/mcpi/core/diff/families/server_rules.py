"""Rules about the server: its name, its capabilities, its protocol versions; and about what nobody depends on."""

from mcpi.core.diff.families.diff_rule import JSON_SCHEMA, SPECIFICATION, DiffRule

_CAPABILITIES = f"{SPECIFICATION}/basic/lifecycle#capability-negotiation"
_VERSIONS = f"{SPECIFICATION}/basic/lifecycle#version-negotiation"
_KEEP_VERSION = "Go on answering clients that ask for the old version."
_KEEP_CAPABILITY = "Go on declaring the capability as before."

RULES = (
    DiffRule(
        "server-info-changed",
        "cosmetic",
        "the server's name and version are for display",
        f"{SPECIFICATION}/schema#implementation",
    ),
    DiffRule("capability-removed", "breaking", "clients that use the capability fail", _CAPABILITIES, _KEEP_CAPABILITY),
    DiffRule("capability-added", "additive", "a new capability does not affect existing clients", _CAPABILITIES),
    DiffRule("capability-changed", "breaking", "clients may depend on the setting", _CAPABILITIES, _KEEP_CAPABILITY),
    DiffRule(
        "protocol-version-removed",
        "breaking",
        "clients that speak only the old version cannot connect",
        _VERSIONS,
        _KEEP_VERSION,
    ),
    DiffRule(
        "protocol-version-lowered",
        "breaking",
        "the server no longer negotiates the newer version",
        _VERSIONS,
        "Negotiate the newest version that the client and the server both speak.",
    ),
    DiffRule("protocol-version-added", "additive", "the server speaks one more version", _VERSIONS),
    DiffRule("protocol-version-raised", "additive", "the server negotiates a newer version", _VERSIONS),
    DiffRule("metadata-changed", "cosmetic", "clients do not depend on it", f"{SPECIFICATION}/basic#_meta"),
    DiffRule(
        "schema-rewritten", "cosmetic", "the schema is written in another way and means the same", f"{JSON_SCHEMA}"
    ),
)
