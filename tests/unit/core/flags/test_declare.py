"""Flags are declared as fields of attrs classes."""

from typing import Literal

from attrs import evolve, frozen

from mcpi.core.flags.declare import ALIASES, Flag, GivenFlags, by_spelling, camel_case, flags_of
from mcpi.core.flags.pairs import Header, Pair
from mcpi.core.flags.types import JSON, PAIR, TEXT, Secret
from mcpi.core.jsontext.exact import Exact


@frozen(kw_only=True)
class Options:
    """Flags of every type used in these tests."""

    tool_name: str
    tool_arg: tuple[Pair, ...] = ()
    tool_args: Exact | None = None
    header: tuple[Header, ...] = ()
    env: tuple[str, ...] = ()
    token: Secret | None = None
    retry: int = 0
    era: Literal["auto", "modern"] = "auto"
    verbose: bool = False
    color: bool = True


KNOWN = {flag.name: flag for flag in flags_of(Options)}


def test_fields_become_flags() -> None:
    assert flags_of(Options)[:3] == (
        Flag("--tool-name", "tool_name", TEXT, repeatable=False, required=True, default=KNOWN["--tool-name"].default),
        Flag("--tool-arg", "tool_arg", PAIR, repeatable=True, required=False, default=()),
        Flag("--tool-args", "tool_args", JSON, repeatable=False, required=False, default=None),
    )


def test_flags_are_in_the_order_of_the_fields() -> None:
    assert [flag.name for flag in flags_of(Options)] == [
        "--tool-name",
        "--tool-arg",
        "--tool-args",
        "--header",
        "--env",
        "--token",
        "--retry",
        "--era",
        "--verbose",
        "--color",
    ]


def test_flags_of_a_class_are_cached() -> None:
    assert flags_of(Options) is flags_of(Options)


def test_flag_has_an_environment_variable_and_a_json_key() -> None:
    flag = KNOWN["--tool-name"]

    assert (flag.variable, flag.key) == ("MCPI_TOOL_NAME", "toolName")


def test_json_key_of_several_words_is_camel_case() -> None:
    assert evolve(KNOWN["--era"], field="output_schema_validate").key == "outputSchemaValidate"


def test_json_key_of_one_word_is_the_flag_name() -> None:
    assert KNOWN["--era"].key == "era"


def test_spellings_of_a_flag_include_its_aliases() -> None:
    assert KNOWN["--tool-arg"].spellings == ("--tool-arg", "-a")
    assert KNOWN["--tool-args"].spellings == ("--tool-args", "--tool-args-json")
    assert by_spelling((Options,))["-e"] is KNOWN["--env"]


def test_boolean_field_is_a_switch() -> None:
    assert [flag.name for flag in flags_of(Options) if flag.is_switch] == ["--verbose", "--color"]


def test_aliases_differ_from_flag_names() -> None:
    assert {*ALIASES} & {*KNOWN} == set()


def test_origin_of_a_value_is_its_flag_or_variable() -> None:
    given = GivenFlags({"--token": ("x",), "--retry": ("1",)}, (), {"--token": "MCPI_TOKEN"})

    assert [given.origin(KNOWN[name]) for name in ("--token", "--retry")] == ["MCPI_TOKEN", "--retry"]


def test_camel_case_joins_words() -> None:
    assert camel_case("tool_name") == "toolName"
