"""Flags accepted by every method."""

import pytest
from attrs import fields
from attrs.exceptions import FrozenInstanceError

from mcpi.core.flags.declare import ALIASES, flags_of
from mcpi.core.flags.options import (
    GROUPS,
    AuthOptions,
    DebugOptions,
    ModeOptions,
    OutputOptions,
    ProtocolOptions,
    TargetOptions,
    TimeOptions,
)
from mcpi.core.flags.types import (
    ASSIGNMENT,
    DURATION,
    FLAG_TYPES,
    HEADER,
    JSON,
    NUMBER,
    PAIR,
    SECRET,
    SIZE,
    SWITCH,
    VARIABLE,
    VERSION,
    Filename,
    FlagType,
    Folder,
    Name,
    NamedFile,
)
from mcpi.plugins.methods.tools.tools import CallTool

ALL = {flag.name: flag for group in GROUPS for flag in flags_of(group)}

EXPECTED: list[tuple[str, FlagType, bool, object]] = [
    ("--method", FLAG_TYPES[Name], False, None),
    ("--params", JSON, False, None),
    ("--follow", SWITCH, False, False),
    ("--watch", DURATION, False, None),
    ("--max-events", NUMBER, False, None),
    ("--ping-interval", DURATION, False, 30.0),
    ("--script", FLAG_TYPES[Filename], False, None),
    ("--var", VARIABLE, True, ()),
    ("--ndjson", SWITCH, False, False),
    ("--report-junit", FLAG_TYPES[Filename], False, None),
    ("--report-tap", FLAG_TYPES[Filename], False, None),
    ("--report-html", FLAG_TYPES[Filename], False, None),
    ("--help", SWITCH, False, False),
    ("--version", SWITCH, False, False),
    ("--config", FLAG_TYPES[Filename], False, None),
    ("--server", FLAG_TYPES[Name], False, None),
    ("--demo", SWITCH, False, False),
    ("--env", ASSIGNMENT, True, ()),
    ("--cwd", FLAG_TYPES[Folder], False, None),
    ("--header", HEADER, True, ()),
    ("--token", SECRET, False, None),
    ("--protocol-version", VERSION, False, None),
    ("--client-capabilities", JSON, False, None),
    ("--metadata", PAIR, True, ()),
    ("--force", SWITCH, False, False),
    ("--timeout", DURATION, False, None),
    ("--connect-timeout", DURATION, False, None),
    ("--max-total-timeout", DURATION, False, 300.0),
    ("--retry", NUMBER, False, 0),
    ("--structured", SWITCH, False, False),
    ("--fail-on-error", SWITCH, False, None),
    ("--no-fail-on-error", SWITCH, False, False),
    ("--fail-on-violation", SWITCH, False, False),
    ("--compact", SWITCH, False, False),
    ("--output", FLAG_TYPES[Filename], False, None),
    ("--trace", FLAG_TYPES[Filename], False, None),
    ("--verbose", SWITCH, False, False),
    ("--quiet", SWITCH, False, False),
    ("--dry-run", SWITCH, False, False),
    ("--max-message-bytes", SIZE, False, 134_217_728),
]


@pytest.mark.parametrize("row", EXPECTED, ids=lambda row: row[0])
def test_flag_has_its_documented_type_and_default(row: tuple[str, FlagType, bool, object]) -> None:
    flag = ALL[row[0]]

    assert (flag.name, flag.flag_type, flag.repeatable, flag.default) == row


@pytest.mark.parametrize(
    ("name", "choices", "default"),
    [("--transport", ("stdio", "sse", "http"), None), ("--era", ("auto", "handshake", "modern"), "auto")],
)
def test_choice_flags_have_their_choices_and_default(name: str, choices: tuple[str, ...], default: str | None) -> None:
    assert (ALL[name].flag_type.choices, ALL[name].default) == (choices, default)


def test_requested_reports_are_listed_by_name() -> None:
    flags = OutputOptions(report_junit="a.xml", report_html="b.html", report=(NamedFile(("acme", "c")),))

    assert flags.reports == (
        ("--report-junit", "junit", "a.xml"),
        ("--report-html", "html", "b.html"),
        ("--report", "acme", "c"),
    )


def test_output_files_are_listed_with_their_flags() -> None:
    flags = OutputOptions(output="r.json", report_tap="a.tap", report=(NamedFile(("acme", "c")),), trace="t")

    assert flags.files == (("--output", "r.json"), ("--report-tap", "a.tap"), ("--report", "c"))
    assert OutputOptions().files == ()


def test_each_report_has_its_own_flag() -> None:
    assert [OutputOptions().reports, OutputOptions(report_tap="x").reports] == [(), (("--report-tap", "tap", "x"),)]


def test_no_flag_is_in_two_groups() -> None:
    assert len(ALL) == sum(len(flags_of(group)) for group in GROUPS)


def test_no_common_flag_is_required() -> None:
    assert [flag.name for flag in ALL.values() if flag.required] == []


def test_repeatable_flag_is_empty_by_default() -> None:
    assert {flag.default for flag in ALL.values() if flag.repeatable} == {()}


def test_switches_are_off_by_default_except_fail_on_error() -> None:
    on = [flag.name for flag in ALL.values() if flag.flag_type is SWITCH and flag.default is not False]

    assert on == ["--fail-on-error"]


@pytest.mark.parametrize(
    ("options", "fail"),
    [
        (OutputOptions(), None),
        (OutputOptions(fail_on_error=True), True),
        (OutputOptions(fail_on_error=False), False),
        (OutputOptions(no_fail_on_error=True), False),
    ],
)
def test_fail_on_error_flags_control_the_failure_on_tool_errors(options: OutputOptions, fail: bool | None) -> None:  # noqa: FBT001 - a case
    assert options.tool_errors_fail is fail


def test_short_flags_map_to_existing_flags() -> None:
    known = {*ALL, *(flag.name for flag in flags_of(CallTool))}

    assert [name for name in ALIASES.values() if name not in known] == []


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_each_group_has_a_docstring(group: type) -> None:
    assert group.__doc__


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_all_option_fields_are_keyword_only(group: type) -> None:
    assert {field.name for field in fields(group) if not field.kw_only} == set()


def test_groups_are_in_the_order_of_the_help() -> None:
    assert (
        ModeOptions,
        TargetOptions,
        AuthOptions,
        ProtocolOptions,
        TimeOptions,
        OutputOptions,
        DebugOptions,
    ) == GROUPS


def test_options_are_immutable() -> None:
    flags = OutputOptions()

    with pytest.raises(FrozenInstanceError):
        flags.compact = True  # type: ignore[misc]
