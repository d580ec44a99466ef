"""Shell completion: called by the scripts of --completion each time the user presses Tab."""

import shlex
import subprocess
import sys
from collections.abc import Sequence

from mcpi.core.cli.completer import CompletionRequest, Words, completion_request, connecting, fitting, with_named_flags
from mcpi.core.cli.split import value_of
from mcpi.core.flags.declare import flags_of
from mcpi.core.flags.options import GROUPS
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text
from mcpi.core.plans.catalog import Catalog
from mcpi.core.text.terminal_safe import escape_controls
from mcpi.core.wire.notifications import PROMPTS, RESOURCES, SERVER_LISTS, TOOLS, ServerList
from mcpi.shell.context import Context
from mcpi.shell.discovery.field_docs import texts_of
from mcpi.shell.discovery.loader import Plugins

CONNECTING, ANSWERING = 2000, 1000
"""Timeout in milliseconds for connecting to a server and for its response."""
COMPLETION_TIMEOUT = 4.5
"""Timeout in seconds for the whole completion, in which stopping a server may take one second."""
_LIMITS = ("--connect-timeout", f"{CONNECTING}", "--timeout", f"{ANSWERING}", "--max-total-timeout", f"{ANSWERING}")
LISTS = {one.key: (one.method, (one,)) for one in (TOOLS, PROMPTS, RESOURCES)} | {"items": ("discover", SERVER_LISTS)}
"""The method that returns the lists of each kind of names, and these lists."""


def answer(context: Context, argv: Sequence[str]) -> str:
    """Return the reply that the completion script of the shell expects: the kind, then one word per line."""
    shell, *words = argv or ("",)
    if shell == "bash":
        words = _words(words[0] if words else "")
    catalog = Plugins(context.environment).catalog
    words = list(with_named_flags(words, catalog))
    texts = _texts(catalog) if words and words[-1].startswith("-") else {}
    found = completion_request(words, catalog, texts)
    kind = found.kind if found.kind in {"files", "folders"} else "words"
    shown = fitting(found if found.kind == "words" else found._replace(words=_learnt(context, found, words, catalog)))
    return "\n".join((kind, *(_line(shell, word, text, found.before + found.typed) for word, text in shown))) + "\n"


def _words(line: str) -> list[str]:
    """Split a line into words, of which the last may be incomplete; bash itself would also split at : and =."""
    for closing in ("", '"', "'"):
        try:
            words = shlex.split(line + closing)[1:]
        except ValueError:
            continue
        return [*words, ""] if not closing and (not line or line[-1].isspace()) else words
    return [""]


def _line(shell: str, word: str, text: str, typed: str) -> str:
    if shell == "zsh":
        return f"{word.replace(':', chr(92) + ':')}:{text}"
    if shell == "fish":
        return f"{word}\t{text}"
    # bash treats only the text after the last : or = as the word.
    return word[max(typed.rfind(":"), typed.rfind("=")) + 1 :]


def _texts(catalog: Catalog) -> dict[str, str]:
    """Return the help of each flag."""
    methods = (owned.method.args for owned in catalog.owned.values())
    owners: dict[type, None] = dict.fromkeys((*methods, *(one.args for one in catalog.responders), *GROUPS))
    return {flag.name: texts_of(owner).get(flag.field, "") for owner in owners for flag in flags_of(owner)}


def _learnt(context: Context, found: CompletionRequest, words: Sequence[str], catalog: Catalog) -> Words:
    """Look up names in a config file or on a server; return none if that takes too long."""
    before = words[:-1]
    if found.kind == "servers":
        return _servers(context, value_of(("--config",), before) or context.environment.get("MCPI_CONFIG", ""))
    if found.kind == "arguments":
        tool = _named(context, before, catalog, "tools", value_of(("--tool-name", "-n"), before))
        properties = as_object(as_object(tool.get("inputSchema")).get("properties"))
        return tuple((f"{name}=", _about(one)) for name, one in properties.items())
    if found.kind == "prompt-arguments":
        prompt = _named(context, before, catalog, "prompts", value_of(("--prompt-name",), before))
        taken = ((as_text(as_object(one).get("name")), _about(one)) for one in as_list(prompt.get("arguments")))
        return tuple((f"{name}=", about) for name, about in taken if name)
    if found.kind in LISTS:
        lists = _lists(context, before, catalog, found.kind)
        return tuple((as_text(one.get(kind.identifier)), _about(one)) for kind, one in lists)
    return ()


def _about(value: Json) -> str:
    """Return the description on one line, safe for a terminal."""
    return escape_controls(" ".join(as_text(as_object(value).get("description")).split()))


def _servers(context: Context, path: str) -> Words:
    from mcpi.core.outcome.result import Success  # noqa: PLC0415 - only where a config file is named
    from mcpi.core.targets.config_file import parse_servers  # noqa: PLC0415 - see above
    from mcpi.shell.io.inputs import text_of  # noqa: PLC0415 - see above

    text = text_of(context, "--config", path)
    servers = parse_servers(path, text.unwrap()) if isinstance(text, Success) else text
    return tuple((name, "") for name in servers.unwrap()) if isinstance(servers, Success) else ()


def _named(context: Context, words: Sequence[str], catalog: Catalog, kind: str, name: str | None) -> JsonObject:
    return next((one for _, one in _lists(context, words, catalog, kind) if one.get("name") == name), {})


def _lists(context: Context, words: Sequence[str], catalog: Catalog, kind: str) -> list[tuple[ServerList, JsonObject]]:
    """Return the elements of the server's lists, each with its list; none if that takes too long."""
    from mcpi.core.jsontext.exact import JsonSyntaxProblem, parse_json_text  # noqa: PLC0415 - only where a server is asked

    method, lists = LISTS[kind]
    found = parse_json_text(_printed(context, ["--method", method, "--compact", *_LIMITS, *connecting(words, catalog)]))
    if isinstance(found, JsonSyntaxProblem):
        return []
    members = as_object(found.value)
    return [(one, as_object(element)) for one in lists for element in as_list(members.get(one.key))]


def _printed(context: Context, words: list[str]) -> str:
    """Return the output of an mcpi command; an empty text if it takes too long."""
    try:
        asked = subprocess.Popen(  # noqa: S603 - the server that the user is about to call
            [sys.executable, "-P", "-m", "mcpi", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=context.folder(None),
            env=dict(context.environment),
        )
    except (OSError, ValueError):
        return ""
    try:
        return asked.communicate(timeout=COMPLETION_TIMEOUT)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        # SIGTERM, not SIGKILL, so that the command can stop its server; do not wait for that.
        asked.terminate()
        return ""
