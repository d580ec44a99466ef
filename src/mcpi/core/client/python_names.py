"""Name the arguments of Python functions in faults, instead of flags."""

import re
from collections.abc import Iterable, Mapping

from mcpi.core.client.agent_tools import rewrite
from mcpi.core.flags.declare import camel_case
from mcpi.core.outcome.faults import Fault

_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
_WORD = re.compile(r"(?<![\w-])[a-z]+(?:[A-Z][a-z]*)+(?![\w-])")
_OPTIONS: Mapping[str, str] = {
    "force": "InspectorOptions(force=True)",
    "connect-timeout": "InspectorOptions(connect_timeout=...)",
    "max-total-timeout": "InspectorOptions(max_total_timeout=...)",
    "handle-sampling": "set_sampling_handler",
    "handle-elicitation": "set_elicitation_handler",
    "roots": "set_roots",
    "params": "request(method, params)",
    "era": "InspectorOptions(era=...)",
    "auth-open": "OAuth(show_url=...)",
    "auth-store": "OAuth(store=...)",
}


def with_python_names(fault: Fault, arguments: Iterable[str] = ()) -> Fault:
    """Rewrite flags as arguments of Python functions; `arguments` are those of the call."""
    names = {camel_case(name): name for name in arguments}

    def flag(found: re.Match[str]) -> str:
        return _OPTIONS.get(found[1]) or found[1].replace("-", "_")

    def convert(text: str) -> str:
        return _WORD.sub(lambda word: names.get(word[0], word[0]), _FLAG.sub(flag, text))

    return rewrite(fault, convert)
