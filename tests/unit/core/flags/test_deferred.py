"""Deferred flag values are parsed after their sources have been read."""

import pytest
from attrs import frozen

from mcpi.core.flags.declare import Flag, flags_of
from mcpi.core.flags.deferred import Deferred, parse_value, settle, sources
from mcpi.core.flags.pairs import File, Pair, Variable
from mcpi.core.flags.types import JSON, PAIR, SECRET, Filename, Name, Secret
from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success


@frozen(kw_only=True)
class Options:
    """Flags whose values may come from files or variables."""

    tool_arg: tuple[Pair, ...] = ()
    params: Exact | None = None
    token: Secret | None = None
    tool_name: Name = ""
    trace: Filename | None = None


ARG, PARAMS, TOKEN, NAME, FILE = flags_of(Options)
FROM_FILE = Deferred("--tool-arg", PAIR, "a=@f", File("f"))
STDIN = Deferred("MCPI_PARAMS", JSON, "-", File("-"))


def parsed(flag: Flag, text: str) -> object:
    """Parse a valid text."""
    return parse_value(flag, flag.name, text).unwrap()


def test_value_that_names_a_source_is_deferred() -> None:
    assert parsed(ARG, "a=@f") == FROM_FILE
    assert parsed(TOKEN, "env:T") == Deferred("--token", SECRET, "env:T", Variable("T"))


def test_other_values_are_parsed_immediately() -> None:
    assert parsed(ARG, "a=1") == Pair("a", "1")
    assert parse_value(ARG, "--tool-arg", "x") == Failure(
        Invalid("INVALID_ARGUMENT", "--tool-arg", "expected key=value or key:=json, got 'x'")
    )


@pytest.mark.parametrize("flag", [NAME, ARG, PARAMS, TOKEN])
def test_invalid_utf8_is_rejected(flag: Flag) -> None:
    problem = "contains invalid UTF-8: 0xff 0xfe at byte 4"

    assert parse_value(flag, flag.name, "é=\udcff\udcfe") == Failure(Invalid("INVALID_ARGUMENT", flag.name, problem))


def test_file_name_may_contain_any_bytes() -> None:
    assert parsed(FILE, "\udcff") == "\udcff"
    assert parsed(ARG, "a=@\udcff") == Deferred("--tool-arg", PAIR, "a=@\udcff", File("\udcff"))


def test_sources_are_listed_with_their_flag_or_variable() -> None:
    options = Options(tool_arg=(Pair("b", "1"), FROM_FILE), params=STDIN)  # type: ignore[arg-type]

    assert list(sources([options, Options()])) == [("--tool-arg", File("f")), ("MCPI_PARAMS", File("-"))]


def test_deferred_values_are_parsed_from_their_sources() -> None:
    options = Options(tool_arg=(Pair("b", "1"), FROM_FILE), params=STDIN)  # type: ignore[arg-type]
    settled = settle(options, {File("f"): "text", File("-"): "{}"}).unwrap()

    assert settled.tool_arg == (Pair("b", "1"), Pair("a", "text"))
    assert settled.params is not None
    assert settled.params.value == {}


def test_options_without_deferred_values_are_unchanged() -> None:
    options = Options(tool_arg=(Pair("b", "1"),))

    assert settle(options, {}) == Success(options)


def test_invalid_value_in_a_source_is_reported_for_its_flag() -> None:
    options = Options(params=STDIN)  # type: ignore[arg-type]

    assert settle(options, {File("-"): ""}).failure().where == "MCPI_PARAMS"  # type: ignore[union-attr]
