"""Names from other tools, and the corresponding names in mcpi."""

import re
from collections.abc import Collection, Mapping
from typing import Literal, TypeAlias

from mcpi.core.flags.foreign_names import FLAG_NAMES
from mcpi.core.frozen import frozen
from mcpi.core.text.suggestions import nearest

Kind: TypeAlias = Literal["flag", "method", "dropped", "target", "body", "pipe", "reports", "script", "hint"]


@frozen
class ForeignFlag:
    """A flag of other tools and its counterpart: a flag, method, target, request body or output filter, or none.

    A counterpart that only a user can fill in is a `hint`: words with placeholders, or only a reason.
    """

    kind: Kind
    right: str = ""
    takes_value: bool = False
    reason: str = "did you mean"
    needs: str = ""
    """The pattern of a word that the command line must contain for the counterpart to make sense."""
    in_script: str = ""
    """The reason to omit the flag and its value from the command line of a script."""

    @property
    def may_be_the_servers(self) -> bool:
        """True if servers often have a flag of this name."""
        return not self.takes_value and self.kind in {"flag", "dropped", "hint"}

    @property
    def is_unneeded(self) -> bool:
        """True if mcpi does not need the flag; after a command, it is a flag of the server."""
        return self.reason == _NOT_NEEDED


_TRANSFER = ("-L", "--location", "-N", "--no-buffer", "-S", "--show-error", "-plaintext")
"""Flags of curl and grpcurl that control the transfer."""
_JSON, _NOT_NEEDED = "the output is already JSON", "not needed"
OF_SCRIPTS = ("a script stops at the first failed step", 'use "onError": "continue" in the script')
"""The reasons why scripts need no flag."""
_RETRY = 'to retry a step, add "retry": {"times": 3, "interval": "2s"} to it; --retry only retries connecting'
_WARNINGS = "to fail if lint finds warnings"
_POSITION = "give the target without a flag"
_CERTIFICATE, _HTTP = "for a private certificate, set SSL_CERT_FILE", "https?://"
ALL_STEPS = "a script runs all of its steps"
BASIC = "Authorization: Basic $(printf %s USER:PASSWORD | base64)"
"""The header for a user and a password, for a shell to expand in double quotes."""
_SCRIPT = r".*\.jsonc?$"
_TARGETS = (
    *("--url", "--server-url", "--http-url", "--sse-url", "--mcp-url", "--base-url", "--endpoint", "--address"),
    *("--stdio", "--http", "--sse", "--command", "--cmd", "--server-command", "--target"),
)
_RENAMED_SWITCHES = {
    "--verbose": ("--debug", "-vv", "-vvv", "-i", "--include"),
    "--quiet": ("--silent", "-s", "-sS"),
    "--version": ("-V",),
    "--compact": ("--minify", "--one-line"),
    "--dry-run": ("--dryrun", "--noop"),
    "--list-methods": ("--methods",),
    "--pedantic": ("--strict",),
    "--fail-on-error": ("--fail", "--fail-with-body"),
}
_METHODS = {
    "tools/list": ("--list-tools", "--tools", "--tools-list"),
    "prompts/list": ("--list-prompts", "--prompts"),
    "resources/list": ("--list-resources", "--resources"),
    "resources/templates/list": ("--list-templates", "--list-resource-templates"),
    "server/info": ("--info", "--server-info"),
    "discover": ("--discover", "--list"),
    "ping": ("--ping",),
    "debug/script": ("--debug-script",),
}
_CALLS = {
    "tools/call": ("--call", "--call-tool"),
    "prompts/get": ("--get-prompt",),
    "resources/read": ("--read", "--read-resource"),
}
FLAGS: Mapping[str, ForeignFlag] = {
    **{other: ForeignFlag("flag", own, takes_value=True) for own, others in FLAG_NAMES.items() for other in others},
    **{other: ForeignFlag("flag", own) for own, others in _RENAMED_SWITCHES.items() for other in others},
    **{other: ForeignFlag("method", own, in_script=ALL_STEPS) for own, others in _METHODS.items() for other in others},
    **{other: ForeignFlag("method", own, takes_value=True) for own, others in _CALLS.items() for other in others},
    **{other: ForeignFlag("dropped", reason=_JSON) for other in ("--json", "--pretty", "--raw", "--pretty-print")},
    **{other: ForeignFlag("dropped", takes_value=True, reason=_JSON) for other in ("--format", "--output-format")},
    **{other: ForeignFlag("dropped", reason=OF_SCRIPTS[0], needs=_SCRIPT) for other in ("--bail", "--fail-fast")},
    **{
        other: ForeignFlag("dropped", reason=OF_SCRIPTS[1], needs=_SCRIPT)
        for other in ("--keep-going", "--no-bail", "--no-fail-fast", "--continue-on-error")
    },
    "--schema": ForeignFlag("dropped", reason="tools/list prints the schemas", needs=r"(tools/)?list$"),
    **{other: ForeignFlag("script", takes_value=True, needs=_SCRIPT) for other in ("-f", "--file")},
    **{other: ForeignFlag("reports", "--report", takes_value=True) for other in ("--reporter", "--reporters")},
    **{
        other: ForeignFlag(
            "hint", f'-H "{BASIC}"', takes_value=True, reason="send the user and the password in a header"
        )
        for other in ("-u", "--user")
    },
    "--variables-file": ForeignFlag(
        "hint", "--var NAME=VALUE", takes_value=True, reason="give each variable with a flag"
    ),
    **{
        other: ForeignFlag(
            "hint", "--breakpoint FILE:1 --expression CODE", reason="to evaluate code in a Node.js server"
        )
        for other in ("--inspect", "--inspect-brk")
    },
    **{
        other: ForeignFlag("hint", "--retry 5", reason="to wait until a server has started")
        for other in ("--wait-for-server", "--wait-for", "--wait-ready", "--retry-connect")
    },
    "--retry-connrefused": ForeignFlag("dropped", reason="--retry includes refused connections"),
    **{
        other: ForeignFlag("dropped", takes_value=True, reason="--retry waits 1, 2, then 4 s", in_script=_RETRY)
        for other in ("--retry-delay", "--retry-interval")
    },
    **{other: ForeignFlag("dropped", reason=_NOT_NEEDED) for other in ("--cli", "--no-interactive", *_TRANSFER)},
    **{
        other: ForeignFlag("dropped", takes_value=True, reason="every request is a POST")
        for other in ("-X", "--request")
    },
    "--insecure": ForeignFlag("dropped", reason=_CERTIFICATE, needs=_HTTP),
    "-k": ForeignFlag("dropped", reason=_CERTIFICATE, needs=_HTTP, in_script=ALL_STEPS),
    **{
        other: ForeignFlag("dropped", takes_value=True, reason=_CERTIFICATE, needs=_HTTP)
        for other in ("--cacert", "--verify")
    },
    **{
        other: ForeignFlag("dropped", takes_value=True, reason=ALL_STEPS, needs=_SCRIPT, in_script=ALL_STEPS)
        for other in ("--grep", "--only")
    },
    **{
        other: ForeignFlag("flag", "--old", takes_value=True, needs="(diff|compare)$")
        for other in ("--lock", "--lock-file", "--lockfile", "--baseline", "--against")
    },
    **{
        other: ForeignFlag("hint", "--expect /isError=true", reason="to expect an error")
        for other in ("--expect-error", "--expect-fail", "--expect-failure", "--should-fail")
    },
    **{
        other: ForeignFlag("hint", "--fail-on warning", takes_value=other == "--max-warnings", reason=_WARNINGS)
        for other in ("--max-warnings", "--fail-on-warning", "--fail-on-warnings", "--warnings-as-errors", "-Werror")
    },
    "--snapshot": ForeignFlag("hint", reason="lock saves the server's definitions, and diff compares them"),
    **{
        other: ForeignFlag("body", takes_value=True, reason="the body is built from the method and its flags")
        for other in ("-d", "--data", "--data-raw", "--body", "-p", "--input-json", "--args-json")
    },
    **{other: ForeignFlag("target", takes_value=True, reason=_POSITION) for other in _TARGETS},
    **{
        other: ForeignFlag("pipe", takes_value=True, reason="filter the output with jq", in_script=ALL_STEPS)
        for other in ("--filter", "--query", "--select")
    },
    "--jq": ForeignFlag("pipe", takes_value=True, reason="filter the output with jq"),
    **{
        other: ForeignFlag("pipe", "-r '.content[].text'", reason="to print only the text", needs=r"(tools/)?call$")
        for other in ("-r", "--raw-output", "--text", "--text-only")
    },
}
"""The flags of other tools."""

_WORDS = {
    "tools/list": ("list", "ls", "tools", "list/tools", "list/tool"),
    "tools/call": ("tool", "call", "call/tool", "tool/call", "run", "invoke", "exec"),
    "prompts/list": ("prompts", "list/prompts", "list/prompt"),
    "prompts/get": ("prompt", "get", "get/prompt", "prompt/get"),
    "resources/list": ("resources", "list/resources", "list/resource"),
    "resources/read": ("resource", "read", "cat", "read/resource", "resource/read"),
    "resources/templates/list": ("templates", "list/templates", "list/resource/templates"),
    "server/info": ("info", "initialize"),
    "discover": ("inspect", "show", "dump", "init"),
    "describe": ("tools/get", "tool/get", "tools/show", "get/tool"),
    "ping": ("health", "status"),
    "resources/subscribe": ("subscribe",),
    "resources/unsubscribe": ("unsubscribe",),
    "lint": ("check", "doctor", "test", "validate", "verify"),
    "lock": ("snapshot",),
    "diff": ("compare",),
    "debug/script": ("debug",),
    "oauth/authorize-url": ("login",),
}
MEANT: Mapping[str, str] = {word: method for method, words in _WORDS.items() for word in words}
"""The methods by words that other tools use for them."""
FLAG_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("follow", "logs", "tail", "watch"), "--follow"),
    **dict.fromkeys(("record", "trace", "capture"), "--trace trace.jsonl"),
    "servers": "--list-servers",
}
"""The flags for commands of other tools, with a value if they take one."""


_NEARLY = 0.8


def method_named(word: str, methods: Collection[str]) -> str | None:
    """Return the method for a word that another tool uses, or the method with the most similar name."""
    plain = re.sub(r"[-_.:]", "/", word.lower())
    if plain in methods:
        return plain
    plain = meant if (meant := re.sub(r"(?<=[a-z])(?=[A-Z])", "/", word).lower()) in MEANT else plain
    if plain in MEANT:
        return MEANT[plain] if MEANT[plain] in methods else None
    joined = {re.sub("[-_./:]", "", one.lower()): one for one in methods}
    near = nearest(plain, methods) if "/" in plain else misspelled_method(plain, methods)
    return joined.get(plain.replace("/", "")) or near


def misspelled_method(word: str, methods: Collection[str]) -> str | None:
    """Return the method without a slash that the word misspells; the word may also be a tool's name."""
    return nearest(word.lower(), [one for one in methods if "/" not in one], _NEARLY)
