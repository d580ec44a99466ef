"""Parse .env files."""

import re

_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")
_QUOTED = re.compile(r"""(?:"((?:[^"\\]|\\.)*)"|'([^']*)')\s*(?:#.*)?""")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def parse_variables(text: str) -> dict[str, str]:
    """Parse the variables by name; lines that set none are skipped."""
    found = (_LINE.fullmatch(line) for line in text.splitlines())
    return {line[1]: _value(line[2]) for line in found if line is not None}


def _value(text: str) -> str:
    quoted = _QUOTED.fullmatch(text)
    if quoted is None:
        return re.split(r"\s+#", text, maxsplit=1)[0].strip()
    if quoted[1] is None:
        return quoted[2]
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), quoted[1])
