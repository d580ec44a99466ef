"""Names that other tools have for flags with a value, and for the keys of a script's step."""

import re
from collections.abc import Collection, Mapping

from mcpi.core.flags.declare import camel_case
from mcpi.core.text.suggestions import nearest

FLAG_NAMES: Mapping[str, tuple[str, ...]] = {
    "--tool-name": ("--tool", "--name"),
    "--tool-arg": ("--arg", "--argument", "--tool-argument", "--param"),
    "--tool-args": ("--args", "--arguments", "--tool-arguments", "--input", "--tool-args-file", "--args-file"),
    "--prompt-name": ("--prompt",),
    "--uri": ("--resource", "--resource-uri"),
    "--params": ("--data", "-d", "--body"),
    "--expect": ("--assert",),
    "--transport": ("-t",),
    "--header": ("--headers",),
    "--trace": ("--record",),
    "--token": ("--bearer", "--bearer-token", "--auth-token", "--access-token"),
    "--env": ("--environment",),
    "--cwd": ("--workdir", "--working-directory", "--directory"),
    "--timeout": ("--max-time", "--wait-time", "--request-timeout"),
    "--connect-timeout": ("--wait-timeout", "--startup-timeout", "--start-timeout"),
    "--report-junit": ("--junitxml", "--junit-xml"),
    "--var": ("--variable", "--env-var"),
    "--config": ("-c",),
    "--output": ("--out", "--output-file"),
    "--handle-sampling": ("--sampling",),
    "--handle-elicitation": ("--elicit", "--elicitation"),
}
"""The other names of each flag."""
KEY_NAMES: Mapping[str, tuple[str, ...]] = {
    "steps": ("tests", "cases", "calls", "requests", "scenarios"),
    "vars": ("variables", "env"),
    "name": ("title", "description", "label"),
    "method": ("action", "request", "type"),
    "expect": ("assert", "asserts", "assertions", "check", "checks", "verify"),
    "capture": ("extract", "save", "store", "set"),
    "allowFailure": ("continueOnError", "ignoreError", "ignoreErrors", "optional"),
    "onError": ("stopOnError", "failFast", "bail", "onFailure"),
    "retry": ("attempts", "repeat"),
    "wait": ("waitFor",),
    "times": ("count", "max", "maxAttempts", "maxRetries", "retries", "limit"),
    "interval": ("delay", "wait", "pause", "backoff", "sleep"),
    "old": ("lock", "lockFile", "baseline"),
    '"expect": {"/isError": true}': ("expectError", "expectFailure", "shouldFail", "isError"),
    "item": ("toolName", "promptName", "uri"),
}
"""The other names of the keys of scripts and steps, or of a key with its value."""
PAUSES = ("sleep", "delay", "pause")
"""Keys of other tools that a step does not have."""
NO_PAUSE = "'wait' waits for a notification; to wait for a condition, use 'retry' with 'interval'"
_LAST_WORD = re.compile("(?<=[a-z])[A-Z][a-z]*$")


def meant_key(key: str, known: Collection[str]) -> str | None:
    """Return the known key for this name from another tool, or else the most similar key."""
    named = [own for own, others in KEY_NAMES.items() if key in others]
    named += [_key(own) for own, others in FLAG_NAMES.items() if key in map(_key, others)]
    # The arguments of a prompt have the same other names as those of a tool.
    named += [one.replace("tool", "prompt") for one in named]
    found = next((one for one in named if one.split('"')[one[0] == '"'] in known), None) or nearest(key, known)
    return found or next((one for one in sorted(known) if _is_sibling(one, key)), None)


def _is_sibling(one: str, other: str) -> bool:
    """Tell whether both are keys of similar methods, such as toolArgs and promptArgs."""
    last, others = _LAST_WORD.search(one), _LAST_WORD.search(other)
    return last is not None and others is not None and last[0] == others[0]


def _key(flag: str) -> str:
    return camel_case(flag.lstrip("-").replace("-", "_"))
