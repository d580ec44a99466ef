"""Servers of a config file, with the variables of their envFile."""

from mcpi.core.cli.command_line import Draft
from mcpi.core.cli.config_target import config_sources, config_target
from mcpi.core.flags.declare import GivenFlags
from mcpi.core.flags.options import TargetOptions
from mcpi.core.flags.pairs import File, Header
from mcpi.core.flags.types import Assignment, Secret, Source
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.targets.target import Http, Stdio

TEXT = """{"servers": {
  "plain": {"command": "node"},
  "more": {"command": "node", "envFile": "${DIR}/.env", "env": {"A": "own"}},
  "web": {"url": "https://h/sse"}
}}"""
NO_FLAGS = TargetOptions()
CONTENTS: dict[Source, str] = {File("mcp.json"): TEXT, File("d/.env"): "A=1\nB=2"}


def draft(server: str | None, path: str = "mcp.json") -> Draft:
    values = {"--config": (path,)} | ({"--server": (server,)} if server else {})
    return Draft(GivenFlags(values), None, ())


def invalid(problem: str, *hints: str) -> Failure[Invalid]:
    return Failure(Invalid("INVALID_CONFIG", "mcp.json", problem, hints))


def test_server_without_an_env_file_needs_no_further_source() -> None:
    assert config_sources(draft("plain"), CONTENTS, {}) == Success(())
    assert config_target(draft("plain"), NO_FLAGS, CONTENTS, {}) == Success(Stdio(("node",)))


def test_env_file_is_read_and_overridden_by_the_env_of_the_entry() -> None:
    assert config_sources(draft("more"), CONTENTS, {"DIR": "d"}) == Success((("--config", File("d/.env")),))
    assert config_target(draft("more"), NO_FLAGS, CONTENTS, {"DIR": "d"}) == Success(
        Stdio(("node",), {"A": "own", "B": "2"})
    )


def test_transport_flag_overrides_the_config_file() -> None:
    assert config_target(draft("web"), TargetOptions(transport="http"), CONTENTS, {}) == Success(Http("https://h/sse"))


def test_variables_in_values_that_flags_override_need_not_be_set() -> None:
    texts: dict[Source, str] = {
        File("mcp.json"): """{"servers": {
          "own": {"command": "node", "cwd": "${GONE}", "env": {"KEY": "${GONE}", "OTHER": "2"}},
          "web": {"url": "https://h/mcp", "headers": {"Authorization": "${GONE}", "x-team": "${GONE}", "X-A": "b"}},
          "bad": {"command": "node", "env": 7}
        }}"""
    }
    own = TargetOptions(env=(Assignment(("KEY", "x")),), cwd="d")
    web = TargetOptions(token=Secret("t"), header=(Header("X-Team", "tools"),))

    assert config_target(draft("own"), own, texts, {}) == Success(Stdio(("node",), {"OTHER": "2"}))
    assert config_target(draft("web"), web, texts, {}) == Success(Http("https://h/mcp", (Header("X-A", "b"),)))
    assert config_target(draft("own"), NO_FLAGS, texts, {}) == invalid(
        "own.env.KEY requires the environment variable GONE, which is not set"
    )
    assert config_target(draft("bad"), own, texts, {}) == invalid("bad.env is of type number, not an object")


def test_config_errors_are_reported_for_sources_and_target() -> None:
    fault = invalid("unknown server 'mor'", "did you mean more?")
    unset = invalid("more.envFile requires the environment variable DIR, which is not set")
    empty = invalid("the file is empty")

    assert (config_sources(draft("mor"), CONTENTS, {}), config_target(draft("mor"), NO_FLAGS, CONTENTS, {})) == (
        fault,
        fault,
    )
    assert config_sources(draft("more"), CONTENTS, {}) == unset
    assert config_sources(draft("more"), {File("mcp.json"): ""}, {}) == empty
