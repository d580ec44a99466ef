"""Parse the servers of a config file and expand their variables."""

import re
from collections.abc import Mapping

from attrs import evolve

from mcpi.core.flags.pairs import Header, parse_header
from mcpi.core.jsontext.comments import without_comments
from mcpi.core.jsontext.exact import JsonSyntaxProblem, parse_json_text
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text, type_name
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, ParseResult, Result, Success, collect
from mcpi.core.secrets.detection import mask_url
from mcpi.core.targets.target import Http, Sse, Stdio, Target, parse_target
from mcpi.core.text.suggestions import nearest
from mcpi.core.wire.urls import Transport

_TYPES: Mapping[str, Transport] = {
    "stdio": "stdio",
    "sse": "sse",
    "http": "http",
    "streamable-http": "http",
    "streamableHttp": "http",
    "streamable_http": "http",
    "local": "stdio",
}
_FIELD_TYPES: Mapping[str, tuple[type, str]] = {
    "args": (list, "an array"),
    "env": (dict, "an object"),
    "headers": (dict, "an object"),
    "cwd": (str, "a string"),
}
_VARIABLE = re.compile(r"\$\{(?:env:)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")
_INPUT = re.compile(r"\$\{input:(?P<input>[^}]+)\}")
_EITHER = re.compile(f"{_INPUT.pattern}|{_VARIABLE.pattern}")
_KEYS = ("mcpServers", "servers", "context_servers")
"""Keys that hold the servers: Claude, Cursor and most others; VS Code; Zed."""
_URLS: Mapping[str, JsonObject] = {"serverUrl": {}, "httpUrl": {"type": "http"}}
"""Other keys for the URL, with the fields that they imply: Windsurf; Gemini."""
_FOLDERS = (".vscode", ".cursor", ".zed")
"""Folders in which editors keep the settings of the parent folder."""


def config_error(path: str, problem: str, *hints: str) -> Failure[Invalid]:
    """Return a failure for an invalid config file."""
    return Failure(Invalid("INVALID_CONFIG", path, problem, hints))


def parse_servers(path: str, text: str) -> Result[JsonObject]:
    """Parse the servers of a config file, by name."""
    found = parse_json_text(text.removeprefix("\ufeff"))
    if isinstance(found, JsonSyntaxProblem):
        # VS Code, Zed and others allow comments.
        found = parse_json_text(without_comments(text.removeprefix("\ufeff")))
    if isinstance(found, JsonSyntaxProblem):
        if not text.strip():
            return config_error(path, "the file is empty")
        line = text.count("\n", 0, found.position) + 1
        return config_error(path, f"not JSON: {found.problem} on line {line}")
    members = as_object(found.value)
    for key in _KEYS:
        for place in (members, as_object(members.get("mcp"))):
            if isinstance(place.get(key), dict):
                return Success(as_object(place[key]))
    what = "one without" if isinstance(found.value, dict) else type_name(found.value)
    return config_error(path, f"expected an object with 'mcpServers', found {what}")


def normalize_entry(entry: JsonObject) -> JsonObject:
    """Convert an entry to the form that most tools use."""
    for key, meant in _URLS.items():
        if key in entry and "url" not in entry:
            entry = {**meant, **entry, "url": entry[key]}
    command = entry.get("command")
    if isinstance(command, dict):
        entry = {**entry, **command, "command": command.get("path")}
    return entry


def select_server(path: str, servers: JsonObject, name: str | None) -> Result[tuple[str, JsonObject]]:
    """Return the server with this name, or the only server if no name is given."""
    if not servers:
        return config_error(path, "it has no servers")
    if name is None and len(servers) == 1:
        name = next(iter(servers))
    if name is None:
        listed = ", ".join(servers) or "none"
        return config_error(
            path, f"--server must say which of its {len(servers)} servers is meant", f"it has: {listed}"
        )
    if name not in servers:
        near = nearest(name, servers)
        hint = f"did you mean {near}?" if near else f"it has: {', '.join(servers) or 'none'}"
        return config_error(path, f"there is no server {name!r}", hint)
    entry = servers[name]
    if not isinstance(entry, dict):
        return config_error(path, f"the server {name!r} is of the type {type_name(entry)}, not an object")
    return Success((name, entry))


def expand(path: str, where: str, text: str, environment: Mapping[str, str]) -> Result[str]:
    """Expand ${VAR}, ${VAR:-default} and ${input:NAME}; an editor would ask the user for an input."""
    for match in _INPUT.finditer(text):
        if _input_variable(match["input"]) not in environment:
            problem = f"{where} wants {match[0]}, for which an editor would ask a person"
            return config_error(path, problem, f"set the environment variable {_input_variable(match['input'])}")
    for match in _VARIABLE.finditer(text):
        if match["default"] is None and match["name"] not in environment:
            return config_error(path, f"{where} wants the environment variable {match['name']}, which is not set")

    def filled(match: re.Match[str]) -> str:
        if match["input"]:
            return environment[_input_variable(match["input"])]
        return environment.get(match["name"]) or match["default"] or ""

    # Expand both in one pass: the value of an input may look like a variable, but must not be expanded.
    return Success(_EITHER.sub(filled, text))


def _input_variable(name: str) -> str:
    """Return the environment variable that holds an input."""
    return re.sub(r"[^A-Z0-9]", "_", name.upper())


def _editor_variables(path: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that editors define in addition to the environment."""
    folder = path.replace("\\", "/").rpartition("/")[0] or "."
    above, _, name = folder.rpartition("/")
    if name in _FOLDERS:
        folder = above or "."
    home = environment.get("HOME") or environment.get("USERPROFILE") or "~"
    return {"workspaceFolder": folder, "userHome": home, "pathSeparator": "/"}


def env_file(path: str, name: str, entry: JsonObject, environment: Mapping[str, str]) -> Result[str]:
    """Return the path of the file with more variables for the server, or an empty string."""
    text = as_text(entry.get("envFile"))
    return expand(path, f"{name}.envFile", text, {**_editor_variables(path, environment), **environment})


def with_variables(entry: JsonObject, variables: Mapping[str, str]) -> JsonObject:
    """Add the variables of the entry's file; the entry's own variables win."""
    rest = {key: value for key, value in entry.items() if key != "envFile"}
    return {**rest, "env": {**variables, **as_object(entry.get("env"))}} if variables else rest


def build_target(path: str, name: str, entry: JsonObject, environment: Mapping[str, str]) -> Result[Target]:
    """Build the target from an entry of a config file."""
    entry = normalize_entry(entry)
    environment = {**_editor_variables(path, environment), **environment}
    if as_text(entry.get("envFile")):
        return config_error(path, f"{name}.envFile is not read here", "give what it holds in env")
    named = _transport(path, name, entry)
    if isinstance(named, Failure):
        return named
    transport = named.unwrap()
    first = "url" if transport in {"http", "sse"} or (transport is None and "url" in entry) else "command"
    if not isinstance(entry.get(first), str) or not entry[first]:
        return config_error(path, f"the server {name!r} has no {first!r}")
    texts = [(first, entry[first]), *(("args", one) for one in as_list(entry.get("args")) if first == "command")]
    words = collect(_text(path, f"{name}.{key}", value, environment) for key, value in texts)
    if isinstance(words, Failure):
        return words
    # Expanded variables may be secret: an error quotes the text of the file.
    shown = mask_url(as_text(entry[first]))
    if first == "url" and "://" not in words.unwrap()[0]:
        return config_error(path, f"{name}.url is no URL: {shown!r}", "write http:// or https://")
    match parse_target(words.unwrap(), transport, shown):
        case Success(found):
            return _complete(path, name, entry, found, environment)
        case Failure(fault):
            return config_error(path, f"the server {name!r}: {fault.problem}")


def _transport(path: str, name: str, entry: JsonObject) -> ParseResult[Transport | None]:
    """Check the types of the entry's fields and return its transport, or None if it names none."""
    for key, (shape, expected) in _FIELD_TYPES.items():
        if entry.get(key) is not None and not isinstance(entry[key], shape):
            return config_error(path, f"{name}.{key} is of the type {type_name(entry[key])}, not {expected}")
    kind = entry.get("type", entry.get("transport"))
    if kind is None:
        return Success(None)
    if not isinstance(kind, str) or kind not in _TYPES:
        return config_error(path, f"the server {name!r} has the unknown type {kind!r}", f"known: {', '.join(_TYPES)}")
    return Success(_TYPES[kind])


def _complete(path: str, name: str, entry: JsonObject, found: Target, environment: Mapping[str, str]) -> Result[Target]:
    key = "env" if isinstance(found, Stdio) else "headers"
    values = as_object(entry.get(key))
    texts = collect(_text(path, f"{name}.{key}.{one}", value, environment) for one, value in values.items())
    match texts:
        case Success(filled):
            pass
        case Failure() as failed:
            return failed
    match found:
        case Stdio():
            cwd = entry.get("cwd")
            at = expand(path, f"{name}.cwd", cwd, environment) if isinstance(cwd, str) else Success(None)
            if isinstance(at, Failure):
                return at
            return Success(evolve(found, env=dict(zip(values, filled, strict=True)), cwd=at.unwrap()))
        case Http() | Sse():
            headers = collect(_header(path, one, text) for one, text in zip(values, filled, strict=True))
            if isinstance(headers, Failure):
                return headers
            return Success(evolve(found, headers=headers.unwrap()))


def _text(path: str, where: str, value: Json, environment: Mapping[str, str]) -> Result[str]:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return config_error(path, f"{where} is of the type {type_name(value)}, not a string")
    return expand(path, where, str(value), environment)


def _header(path: str, name: str, value: str) -> ParseResult[Header]:
    match parse_header(path, f"{name}: {value}"):
        case Success(header):
            return Success(header)
        case Failure(fault):
            return config_error(path, fault.problem)
