"""List the servers of config files, without their secrets."""

from collections.abc import Mapping

from mcpi.core.jsontext.exact import Printable
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text
from mcpi.core.outcome import explain
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.secrets.detection import mask_url, mask_words
from mcpi.core.targets.config_file import build_target, normalize_entry, with_variables
from mcpi.core.targets.target import transport_of


def describe_servers(path: str, servers: JsonObject, environment: Mapping[str, str]) -> list[Printable]:
    """Describe each server of the file: its name, its transport, and the problem if it cannot be used."""
    return [_listed(path, name, entry, environment) for name, entry in servers.items()]


def unreadable_entry(path: str, problem: str) -> dict[str, Printable]:
    """Describe a config file that cannot be read."""
    return {"name": None, "config": path, "kind": None, "problem": problem}


def _listed(path: str, name: str, entry: Json, environment: Mapping[str, str]) -> dict[str, Printable]:
    if not isinstance(entry, dict):
        return {**unreadable_entry(path, "its entry is not an object"), "name": name}
    usual = normalize_entry(entry)
    kind = "http" if as_text(usual.get("url")) else "stdio" if as_text(usual.get("command")) else None
    about: dict[str, Printable] = {"name": name, "config": path, "kind": kind}
    match build_target(path, name, with_variables(entry, {}), environment):
        case Success(found):
            problem = None
            about["kind"] = transport_of(found)
        case Failure(fault):
            problem = explain.sentence(fault).removeprefix(f"{path}: ")
    if as_text(usual.get("url")):
        about |= {"url": mask_url(as_text(usual["url"])), "headers": [*as_object(usual.get("headers"))]}
    elif kind is not None:
        words = [as_text(usual.get("command")), *(str(word) for word in as_list(usual.get("args")))]
        about |= {"command": [*mask_words(words)], "env": [*as_object(usual.get("env"))]}
    if entry.get("disabled") is True:
        about["disabled"] = True
    return {**about, "problem": problem}
