"""Variables in config files are expanded, and named if their values are not valid."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.targets.config_file import build_target
from mcpi.core.targets.config_variables import expand

PATH = "servers.json"


def invalid(problem: str, *hints: str) -> Failure[Invalid]:
    """The fault of an invalid config file."""
    return Failure(Invalid("INVALID_CONFIG", PATH, problem, hints))


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("plain", "plain"),
        ("${HOME}", "/home/ada"),
        ("${env:HOME}", "/home/ada"),
        ("${HOME}/x:${HOME}", "/home/ada/x:/home/ada"),
        ("${HOME:-/root}", "/home/ada"),
        ("${MISSING:-/root}", "/root"),
        ("${env:MISSING:-a b}", "a b"),
        ("${MISSING:-}", ""),
        ("${EMPTY}", ""),
        ("${EMPTY:-full}", "full"),
        ("$HOME", "$HOME"),
        ("${HOME", "${HOME"),
        ("${}", "${}"),
        ("${1X}", "${1X}"),
        ("${TRICK}", "${HOME}"),
    ],
)
def test_variables_are_expanded(text: str, expanded: str) -> None:
    environment = {"HOME": "/home/ada", "EMPTY": "", "TRICK": "${HOME}"}

    assert expand(PATH, "a.command", text, environment) == Success(expanded)


def test_value_of_an_input_variable_is_not_expanded_again() -> None:
    assert expand(PATH, "a.env.KEY", "${input:pw}-${HOME}", {"PW": "pa${NOPE}ss", "HOME": "x"}) == Success(
        "pa${NOPE}ss-x"
    )


def test_unset_variable_is_named() -> None:
    assert expand(PATH, "a.env.KEY", "${HOME}${TOKEN}", {"HOME": "x"}) == invalid(
        "a.env.KEY requires the environment variable TOKEN, which is not set"
    )


PIECES = st.sampled_from(["${A}", "${A:-", "}", "${env:B:-b}", "$", "${", "\\1"]) | st.text(max_size=3)


@given(st.lists(PIECES).map("".join), st.dictionaries(st.sampled_from("AB"), st.text(max_size=3)))
def test_any_text_expands_or_returns_a_failure(text: str, environment: dict[str, str]) -> None:
    match expand(PATH, "a", text, environment):
        case Success(expanded):
            assert "${" in text or expanded == text
        case Failure():
            assert "${" in text


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("http://127.0.0.1:${PORT:-3456}/mcp", "check the environment variable PORT"),
        ("http://127.0.0.1:${env:PORT}/mcp?key=${TOKEN}", "check the environment variable PORT"),
        ("http://${HOST}:${input:port}/${TOKEN}", "check the environment variables HOST and PORT"),
        ("${URL}", "check the environment variable URL"),
    ],
)
def test_variables_of_an_invalid_url_are_named_without_their_values(url: str, hint: str) -> None:
    environment = {"PORT": "abc", "HOST": "h", "TOKEN": "t", "URL": "http://h:abc/mcp"}

    assert build_target(PATH, "a", {"url": url}, environment) == invalid(
        f"the server 'a': {url!r} is not a URL: the port is not a number", hint
    )


def test_variable_with_an_invalid_default_is_not_named() -> None:
    url = "http://h:${PORT:-abc}/mcp"

    assert build_target(PATH, "a", {"url": url}, {}) == invalid(
        f"the server 'a': {url!r} is not a URL: the port is not a number"
    )


def test_variable_without_a_scheme_is_named() -> None:
    assert build_target(PATH, "a", {"url": "${URL}"}, {"URL": "h/mcp"}) == invalid(
        "a.url is not a URL: '${URL}'", "check the environment variable URL", "use http:// or https://"
    )
