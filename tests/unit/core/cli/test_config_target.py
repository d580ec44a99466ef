"""Servers of a config file, with the variables of their envFile."""

from mcpi.core.cli.command_line import Draft
from mcpi.core.cli.config_target import config_sources, config_target
from mcpi.core.flags.declare import GivenFlags
from mcpi.core.flags.pairs import File
from mcpi.core.flags.types import Source
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.targets.target import Http, Stdio

TEXT = """{"servers": {
  "plain": {"command": "node"},
  "more": {"command": "node", "envFile": "${DIR}/.env", "env": {"A": "own"}},
  "web": {"url": "https://h/sse"}
}}"""
CONTENTS: dict[Source, str] = {File("mcp.json"): TEXT, File("d/.env"): "A=1\nB=2"}


def draft(server: str | None, path: str = "mcp.json") -> Draft:
    values = {"--config": (path,)} | ({"--server": (server,)} if server else {})
    return Draft(GivenFlags(values), None, ())


def wrong(problem: str, *hints: str) -> Failure[Invalid]:
    return Failure(Invalid("INVALID_CONFIG", "mcp.json", problem, hints))


def test_server_without_an_env_file_needs_no_further_source() -> None:
    assert config_sources(draft("plain"), CONTENTS, {}) == Success(())
    assert config_target(draft("plain"), None, CONTENTS, {}) == Success(Stdio(("node",)))


def test_env_file_is_read_and_overridden_by_the_env_of_the_entry() -> None:
    assert config_sources(draft("more"), CONTENTS, {"DIR": "d"}) == Success((("--config", File("d/.env")),))
    assert config_target(draft("more"), None, CONTENTS, {"DIR": "d"}) == Success(
        Stdio(("node",), {"A": "own", "B": "2"})
    )


def test_transport_flag_overrides_the_config_file() -> None:
    assert config_target(draft("web"), "http", CONTENTS, {}) == Success(Http("https://h/sse"))


def test_config_errors_are_reported_for_sources_and_target() -> None:
    gone = wrong("unknown server 'mor'", "did you mean more?")
    unset = wrong("more.envFile requires the environment variable DIR, which is not set")
    empty = wrong("the file is empty")

    assert (config_sources(draft("mor"), CONTENTS, {}), config_target(draft("mor"), None, CONTENTS, {})) == (gone, gone)
    assert config_sources(draft("more"), CONTENTS, {}) == unset
    assert config_sources(draft("more"), {File("mcp.json"): ""}, {}) == empty
