"""Parse the servers of a config file."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, NewType, TypeAlias

from attrs import evolve, field

from mcpi.core.flags.pairs import Header, parse_header
from mcpi.core.flags.structure import (
    CONVERTER,
    InvalidValueError,
    Mistake,
    exact_members,
    structure,
    without,
    wrong_type,
)
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.comments import located, without_comments
from mcpi.core.jsontext.exact import Exact, JsonSyntaxProblem, parse_json_text
from mcpi.core.jsontext.values import JsonObject, as_object, as_text, type_name
from mcpi.core.outcome.faults import with_nearest
from mcpi.core.outcome.result import Failure, ParseResult, Result, Success, collect
from mcpi.core.secrets.detection import mask_url
from mcpi.core.targets.config_variables import config_error, expand, expanded_secrets, url_variables
from mcpi.core.targets.target import NEEDS_SERVER, Http, Sse, Stdio, Target, parse_target
from mcpi.core.targets.unknown_members import misspelled_members
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
ServerType: TypeAlias = Annotated[Transport, "any spelling"]
"""The transport, in any of its spellings."""
OptionalText = NewType("OptionalText", str)
"""A string; a value of another type counts as empty."""
Word = NewType("Word", str)
"""A string, or a number as a string."""
_KEYS = ("mcpServers", "servers", "context_servers")
"""Keys that hold the servers: Claude, Cursor and most others; VS Code; Zed."""
_URLS: Mapping[str, JsonObject] = {"serverUrl": {}, "httpUrl": {"type": "http"}}
"""Other keys for the URL, with the fields that they imply: Windsurf; Gemini."""
_FOLDERS = (".vscode", ".cursor", ".zed")
"""Folders in which editors keep the settings of the parent folder."""


@frozen(kw_only=True)
class ServerEntry:
    """The fields of a server in a config file; other fields are allowed."""

    EXTRA_KEYS: ClassVar = True

    type: ServerType | None = None
    command: OptionalText = OptionalText("")
    env_file: OptionalText = OptionalText("")
    args: list[Word] = field(factory=list)
    env: Mapping[str, Word] = field(factory=dict)
    cwd: str | None = None
    url: OptionalText | None = None
    headers: Mapping[str, Word] = field(factory=dict)

    @property
    def by_url(self) -> bool:
        """Return True if the server is reached by a URL."""
        return self.url is not None if self.type is None else self.type != "stdio"


def _server_type(value: Exact, _: object) -> Transport:
    kind = value.value
    if not isinstance(kind, str) or kind not in _TYPES:
        raise InvalidValueError(repr(kind), expected=f"expected {', '.join(_TYPES)}")
    return _TYPES[kind]


def _word(value: Exact, _: object) -> str:
    if isinstance(value.value, bool) or not isinstance(value.value, str | int | float):
        raise wrong_type("a string", value)
    return str(value.value)


CONVERTER.register_structure_hook_func(lambda kind: kind == ServerType, _server_type)
CONVERTER.register_structure_hook(OptionalText, lambda value, _: as_text(value.value))
CONVERTER.register_structure_hook(Word, _word)


def parse_servers(path: str, text: str) -> Result[JsonObject]:
    """Parse the servers of a config file, by name."""
    text = text.removeprefix("\ufeff")
    found = parse_json_text(text)
    if isinstance(found, JsonSyntaxProblem):
        # VS Code, Zed and others allow comments.
        found = parse_json_text(without_comments(text))
    if isinstance(found, JsonSyntaxProblem):
        if not text.strip():
            return config_error(path, "the file is empty")
        return config_error(path, located(found, text))
    members = as_object(found.value)
    for key in _KEYS:
        for place in (members, as_object(members.get("mcp"))):
            if isinstance(place.get(key), dict):
                return Success(as_object(place[key]))
    return config_error(
        path,
        "the file has no object 'mcpServers'"
        if isinstance(found.value, dict)
        else f"expected an object with 'mcpServers', found {type_name(found.value)}",
        *misspelled_members(members, _KEYS),
    )


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
        return config_error(path, "the file has no servers")
    if name is None and len(servers) == 1:
        name = next(iter(servers))
    if name is None:
        listed = ", ".join(servers) or "none"
        return config_error(path, f"{NEEDS_SERVER} because the file has {len(servers)} servers", f"servers: {listed}")
    if name not in servers:
        near = nearest(name, servers)
        hints = () if near else (f"servers: {', '.join(servers) or 'none'}",)
        unknown = config_error(path, f"unknown server {name!r}", *hints).failure()
        return Failure(with_nearest(unknown, name, near))
    entry = servers[name]
    if not isinstance(entry, dict):
        return config_error(path, f"the server {name!r} is of type {type_name(entry)}, not an object")
    return Success((name, entry))


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
    """Add the variables of the entry's file; the entry's own variables take precedence."""
    rest = {key: value for key, value in entry.items() if key != "envFile"}
    return {**rest, "env": {**variables, **as_object(entry.get("env"))}} if variables else rest


def build_target(path: str, name: str, entry: JsonObject, environment: Mapping[str, str]) -> Result[Target]:
    """Build the target from an entry of a config file."""
    environment = {**_editor_variables(path, environment), **environment}
    match _entry(path, name, entry):
        case Success(read):
            pass
        case Failure() as failed:
            return failed
    misspelled = misspelled_members(entry)
    first = read.url if read.by_url else read.command
    if not first:
        lacks = f"the server {name!r} has no 'url'" if read.by_url else f"the server {name!r} has no 'command'"
        return config_error(path, lacks, *misspelled)
    texts = [("url", first)] if read.by_url else [("command", first), *(("args", one) for one in read.args)]
    words = collect(expand(path, f"{name}.{key}", text, environment) for key, text in texts)
    if isinstance(words, Failure):
        return words
    # Expanded variables may be secret: an error quotes the text of the file.
    shown = mask_url(first)
    hints = url_variables(first, environment) if read.by_url else ()
    if read.by_url and "://" not in words.unwrap()[0]:
        return config_error(path, f"{name}.url is not a URL: {shown!r}", *hints, "use http:// or https://")
    match parse_target(words.unwrap(), read.type, shown):
        case Success(found):
            used = (*(text for _, text in texts), *read.env.values(), *read.headers.values(), read.cwd or "")
            remarks = tuple(f"{path}: the server {name!r} has the {one}" for one in misspelled)
            found = evolve(found, expanded=expanded_secrets(used, environment), remarks=remarks)
            return _complete(path, name, read, found, environment)
        case Failure(fault):
            return config_error(path, f"the server {name!r}: {fault.problem}", *hints)


def _entry(path: str, name: str, entry: JsonObject) -> ParseResult[ServerEntry]:
    """Read the fields of an entry; mistakes inside of fields that its transport does not use are ignored."""
    given = exact_members(normalize_entry(entry))
    if "transport" in given:
        given.setdefault("type", given["transport"])
    mistakes: tuple[Mistake, ...] = ()
    match structure(ServerEntry, given):
        case Success(read):
            pass
        case Failure(mistakes):
            read = structure(ServerEntry, without(given, mistakes)).unwrap()
    if read.env_file:
        return config_error(path, f"{name}.envFile is not supported here", "move its variables to env")
    used = ("headers",) if read.by_url else ("args", "env")
    reported = [one for one in mistakes if one.key != "type" and (len(one.path) == 1 or one.key in used)]
    if reported:
        wrong = (f"{name}.{one.place} is of type {one.found}, not {one.expected}" for one in reported)
        return config_error(path, "; ".join(wrong))
    kind = next((one for one in mistakes if one.key == "type"), None)
    if kind is not None:
        return config_error(path, f"the server {name!r} has the unknown type {kind.problem}", kind.expected)
    return Success(read)


def _complete(
    path: str, name: str, entry: ServerEntry, found: Target, environment: Mapping[str, str]
) -> Result[Target]:
    key, values = ("env", entry.env) if isinstance(found, Stdio) else ("headers", entry.headers)
    texts = collect(expand(path, f"{name}.{key}.{one}", value, environment) for one, value in values.items())
    match texts:
        case Success(filled):
            pass
        case Failure() as failed:
            return failed
    match found:
        case Stdio():
            cwd = entry.cwd
            at = Success(None) if cwd is None else expand(path, f"{name}.cwd", cwd, environment)
            if isinstance(at, Failure):
                return at
            variables = dict(zip(values, filled, strict=True))
            return Success(evolve(found, env=variables, cwd=at.unwrap(), origin=f"the server {name!r} in {path}"))
        case Http() | Sse():
            headers = collect(_header(path, one, text) for one, text in zip(values, filled, strict=True))
            if isinstance(headers, Failure):
                return headers
            return Success(evolve(found, headers=headers.unwrap()))


def _header(path: str, name: str, value: str) -> ParseResult[Header]:
    match parse_header(path, f"{name}: {value}"):
        case Success(header):
            return Success(header)
        case Failure(fault):
            return config_error(path, fault.problem)
