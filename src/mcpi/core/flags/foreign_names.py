"""Names that other tools have for flags with a value, and for the keys of a script's step."""

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
    "--transport": ("-t",),
    "--header": ("--headers",),
    "--trace": ("--record",),
    "--token": ("--bearer", "--bearer-token", "--auth-token", "--access-token"),
    "--env": ("--environment",),
    "--cwd": ("--workdir", "--working-directory", "--directory"),
    "--timeout": ("--max-time", "--wait-time", "--request-timeout"),
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
    "item": ("toolName", "promptName", "uri"),
}
"""The other names of the keys of scripts and steps."""


def meant_key(key: str, known: Collection[str]) -> str | None:
    """Return the known key for this name from another tool, or else the most similar key."""
    named = [own for own, others in KEY_NAMES.items() if key in others]
    named += [_key(own) for own, others in FLAG_NAMES.items() if key in map(_key, others)]
    # The arguments of a prompt have the same other names as those of a tool.
    named += [one.replace("tool", "prompt") for one in named]
    return next((one for one in named if one in known), None) or nearest(key, known)


def _key(flag: str) -> str:
    return camel_case(flag.lstrip("-").replace("-", "_"))
