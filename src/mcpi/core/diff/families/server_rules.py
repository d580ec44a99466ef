"""Rules about the server: name, capabilities and protocol versions; and about changes that clients do not notice."""

from mcpi.core.diff.families.diff_rule import JSON_SCHEMA, SPECIFICATION, DiffRule

_CAPABILITIES = f"{SPECIFICATION}/basic/lifecycle#capability-negotiation"
_VERSIONS = f"{SPECIFICATION}/basic/lifecycle#version-negotiation"
_KEEP_VERSION = "Continue to support the version."
_KEEP_CAPABILITY = "Continue to support the capability, and declare it as before."

RULES = (
    DiffRule(
        "server-info-changed",
        "cosmetic",
        "the information about the server changed: clients only display it",
        f"{SPECIFICATION}/schema#implementation",
    ),
    DiffRule(
        "capability-removed",
        "breaking",
        "the capability was removed: clients that use it fail",
        _CAPABILITIES,
        _KEEP_CAPABILITY,
    ),
    DiffRule(
        "capability-added", "additive", "a capability was added: existing clients are not affected", _CAPABILITIES
    ),
    DiffRule(
        "capability-changed",
        "breaking",
        "a setting of the capability changed: clients may depend on the old value",
        _CAPABILITIES,
        "Keep the old value of the setting.",
    ),
    DiffRule(
        "protocol-version-removed",
        "breaking",
        "a protocol version was removed: clients that support only this version cannot connect",
        _VERSIONS,
        _KEEP_VERSION,
    ),
    DiffRule(
        "protocol-version-lowered",
        "breaking",
        "the server negotiates an older protocol version: features of the newer one are no longer available",
        _VERSIONS,
        "Negotiate the newest version that both the client and the server support.",
    ),
    DiffRule(
        "protocol-version-added",
        "additive",
        "a protocol version was added: existing clients are not affected",
        _VERSIONS,
    ),
    DiffRule(
        "protocol-version-raised",
        "additive",
        "the server negotiates a newer protocol version: clients can use its features",
        _VERSIONS,
    ),
    DiffRule(
        "metadata-changed",
        "cosmetic",
        "metadata changed: clients do not depend on it",
        f"{SPECIFICATION}/basic#_meta",
    ),
    DiffRule(
        "schema-rewritten", "cosmetic", "the schema is written differently, but has the same meaning", JSON_SCHEMA
    ),
)
