"""The classes that declare the flags, as the help shows them."""

import re
from collections.abc import Callable, Iterable, Mapping

from mcpi.core.cli.help_text import FlagHelp, GroupHelp, Help, MethodHelp
from mcpi.core.flags.declare import ALIASES, Flag, flags_of
from mcpi.core.flags.options import GROUPS
from mcpi.core.flags.types import SWITCH
from mcpi.core.plans.method import AnyMethod

_CLASS = re.compile(r"^class (\w+)[(:\[]", re.MULTILINE)
_FIELD = re.compile(r'^    (\w+): [^\n]+\n    """(.*?)"""', re.MULTILINE | re.DOTALL)

ORDER = (
    "Target",
    "Method",
    "Script",
    "Stream",
    "Answers",
    "Time",
    "Output",
    "Protocol",
    "OAuth",
    "Debugging",
    "Information",
)
"""The titles, in the order in which they are shown."""
TITLES = {"Mode": "Method", "Auth": "OAuth", "Debug": "Debugging"}
"""What the classes are called where their own name says less."""
APART = {
    **dict.fromkeys(("script", "var", "ndjson"), "Script"),
    **dict.fromkeys(("follow", "watch", "max_events", "refetch", "ping_interval"), "Stream"),
    **dict.fromkeys(("print_schema", "list_servers", "list_methods", "list_plugins"), "Information"),
    **dict.fromkeys(("completion", "agent_help", "help", "version"), "Information"),
}
"""Flags that are shown under another title than those of their class."""
ABOUT = {
    "Script": "many steps on one connection",
    "Stream": "what happens, as it happens",
    "Answers": "to what the server asks of its client",
    "Information": "what mcpi says of itself",
}

Texts = Callable[[type], Mapping[str, str]]
"""What stands under each field of a class."""


def field_texts(source: str) -> dict[str, dict[str, str]]:
    """What stands under each field of each class in a module's source."""
    heads = [*_CLASS.finditer(source)]
    ends = (*(head.start() for head in heads[1:]), len(source))
    return {
        head[1]: {field: " ".join(text.split()) for field, text in _FIELD.findall(source[head.end() : end])}
        for head, end in zip(heads, ends, strict=False)
    }


def described(methods: Iterable[AnyMethod], answers: Iterable[type], texts: Texts) -> Help:
    """All flags in their groups, and all methods by name."""
    groups = {title: GroupHelp(title=title, about=ABOUT.get(title, ""), flags=[]) for title in ORDER}
    owner: type
    for owner in GROUPS:
        name = owner.__name__.removesuffix("Options")
        title = TITLES.get(name, name)
        groups[title]["about"] = groups[title]["about"] or _about(owner)
        for flag, shown in zip(flags_of(owner), flags(owner, texts(owner)), strict=True):
            groups[APART.get(flag.field, title)]["flags"].append(shown)
    for owner in answers:
        groups["Answers"]["flags"] += flags(owner, texts(owner))
    by_name = sorted(methods, key=lambda method: method.name)
    return {"groups": list(groups.values()), "methods": [_method(method, texts) for method in by_name]}


def flags(owner: type, texts: Mapping[str, str]) -> list[FlagHelp]:
    """The flags of a class."""
    return [_flag(flag, texts.get(flag.field, "")) for flag in flags_of(owner)]


def _flag(flag: Flag, text: str) -> FlagHelp:
    short = next((alias for alias, name in ALIASES.items() if name == flag.name and alias[1] != "-"), "")
    value = "" if flag.flag_type is SWITCH else flag.flag_type.name
    return FlagHelp(
        name=flag.name, short=short, value=value, text=text, required=flag.required, repeatable=flag.repeatable
    )


def _method(method: AnyMethod, texts: Texts) -> MethodHelp:
    own = flags(method.args, texts(method.args))
    return MethodHelp(name=method.name, summary=method.summary, connects=method.connects, flags=own)


def _about(owner: type) -> str:
    said = (owner.__doc__ or "").strip().rstrip(".")
    return said[:1].lower() + said[1:]
