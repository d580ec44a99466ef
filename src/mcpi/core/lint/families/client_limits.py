"""Rules about names, lengths and counts that a named client or model API limits."""

import re
from collections.abc import Iterator
from typing import TypeAlias

from mcpi.core.jsontext.values import as_object, as_text
from mcpi.core.lint.definitions import Definition, ServerLists
from mcpi.core.lint.rule import Client, Rule, RuleViolation
from mcpi.core.wire.violations import quote

MAX_NAME = 64
CURSOR_NAME = 58
"""Maximum length of a tool name in Cursor, with a server name of one letter."""
OPENAI_DESCRIPTION, CLAUDE_DESCRIPTION = 1024, 2048
MAX_TOOLS, CURSOR_TOOLS = 128, 80
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_FORBIDDEN = re.compile(r"[^a-zA-Z0-9_-]")

TOOL_NAME = Rule(
    "tool-name",
    "error",
    'The name of a tool must contain only ASCII letters, digits, "_", "-" and ".".',
    "Claude, OpenAI and VS Code reject names with other characters. The rule tool-name-dotted is about dots.",
    'Replace all other characters in the name, for example with "_".',
    "https://github.com/NetApp/netapp-dataops-toolkit/issues/38",
    ("claude", "openai", "vscode"),
    depends_on_client=True,
)
DOTTED_NAME = Rule(
    "tool-name-dotted",
    "warning",
    "The name of a tool should not contain dots.",
    "The MCP specification allows dots, but the model APIs of Claude and OpenAI reject them. Only some clients "
    "replace the dots before they send the name.",
    'Replace each dot with "_".',
    "https://github.com/github/copilot-cli/issues/2581",
    ("claude", "openai"),
    depends_on_client=True,
)
NAME_LENGTH = Rule(
    "tool-name-length",
    "error",
    f"The name of a tool must not be longer than {MAX_NAME} characters.",
    "The MCP specification and Claude's API allow 128 characters, but OpenAI, VS Code, Cursor and some features of "
    "Claude, such as tool search, allow only 64.",
    f"Shorten the name to at most {MAX_NAME} characters.",
    "https://github.com/microsoft/vscode/issues/243602",
    ("claude", "openai", "vscode", "cursor"),
    depends_on_client=True,
)
LONG_NAME = Rule(
    "tool-name-long",
    "warning",
    f"The name of a tool should not be longer than {CURSOR_NAME} characters.",
    "Cursor can drop the tool: it limits the server's name and the tool's name to 60 characters in total.",
    "Shorten the name. The longer the server's name in Cursor, the shorter the tool's name must be.",
    "https://github.com/ComposioHQ/composio/issues/2788",
    ("cursor",),
    depends_on_client=True,
)
DESCRIPTION_LENGTH = Rule(
    "description-length",
    "info",
    f"The description of a tool should not be longer than {OPENAI_DESCRIPTION} characters.",
    f"OpenAI can reject a longer description, and Claude Code cuts it off after {CLAUDE_DESCRIPTION} characters.",
    "Keep only what a model needs to choose the tool, and move the rest to a resource or to the tool's results.",
    "https://github.com/anthropics/claude-code/issues/41593",
    ("openai",),
    depends_on_client=True,
)
NO_PROPERTIES = Rule(
    "input-without-properties",
    "info",
    'An input schema should have "properties", even if the tool has no parameters.',
    'OpenAI rejects an object schema without "properties". Some clients add the keyword before they send the schema, '
    "but not all.",
    'Add "properties": {}.',
    "https://github.com/openai/openai-agents-python/pull/454",
    ("openai",),
    depends_on_client=True,
)
TOO_MANY_TOOLS = Rule(
    "too-many-tools",
    "warning",
    f"A server should not list more than {MAX_TOOLS} tools.",
    f"OpenAI and VS Code allow at most {MAX_TOOLS} tools in a request, including those of other servers. Cursor warns "
    f"if all servers together have more than {CURSOR_TOOLS}. For a server with {CURSOR_TOOLS + 1} to {MAX_TOOLS} "
    "tools, the severity is info.",
    "Offer fewer tools, or let users enable groups of tools.",
    "https://github.com/microsoft/vscode-copilot-release/issues/11653",
    ("openai", "vscode", "cursor"),
    depends_on_client=True,
)
RULES = (TOOL_NAME, DOTTED_NAME, NAME_LENGTH, LONG_NAME, DESCRIPTION_LENGTH, NO_PROPERTIES, TOO_MANY_TOOLS)

_Checked: TypeAlias = Iterator[RuleViolation]


def check_tool(tool: Definition) -> _Checked:
    """Check the name and the description of a tool."""
    name, description = tool.value.get("name"), as_text(tool.value.get("description"))
    if isinstance(name, str) and name and (len(name) > CURSOR_NAME or _NAME.fullmatch(name) is None):
        yield from _check_name(name)
    if len(description) > OPENAI_DESCRIPTION:
        over_claude = len(description) > CLAUDE_DESCRIPTION
        clients: tuple[Client, ...] = ("openai", "claude") if over_claude else ("openai",)
        limit = CLAUDE_DESCRIPTION if over_claude else OPENAI_DESCRIPTION
        message = f"the description has {len(description)} characters; the limit is {limit}"
        yield RuleViolation(DESCRIPTION_LENGTH, "/description", message, rejected_by=clients)
    schema = as_object(tool.value.get("inputSchema"))
    if schema.get("type") == "object" and "properties" not in schema:
        yield RuleViolation(NO_PROPERTIES, "/inputSchema", 'the input schema has no "properties"')


def _check_name(name: str) -> _Checked:
    if len(name) > MAX_NAME:
        yield RuleViolation(NAME_LENGTH, "/name", f"the name has {len(name)} characters; the limit is {MAX_NAME}")
    elif len(name) > CURSOR_NAME:
        message = f"the name has {len(name)} characters; Cursor allows 60 for the server's and tool's names together"
        yield RuleViolation(LONG_NAME, "/name", message)
    wrong = dict.fromkeys(_FORBIDDEN.findall(name))
    if wrong and set(wrong) != {"."}:
        shown = " ".join(repr(one) for one in wrong)
        message = f"the name {quote(name)!r} contains {quote(shown)}; it must match ^[a-zA-Z0-9_-]{{1,64}}$"
        yield RuleViolation(TOOL_NAME, "/name", message)
    elif wrong:
        yield RuleViolation(DOTTED_NAME, "/name", f"the name {quote(name)!r} contains dots")


def check_lists(server: ServerLists) -> _Checked:
    """Check the number of tools."""
    count = len(server.lists.get("tools", ()))
    if count > MAX_TOOLS:
        message = f"the server lists {count} tools; OpenAI and VS Code allow at most {MAX_TOOLS}"
        yield RuleViolation(TOO_MANY_TOOLS, "/tools", message)
    elif count > CURSOR_TOOLS:
        limit = f"Cursor warns if all servers together have more than {CURSOR_TOOLS}"
        message = f"the server lists {count} tools; {limit}"
        yield RuleViolation(TOO_MANY_TOOLS, "/tools", message, "info", ("cursor",))
