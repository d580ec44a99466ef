"""The help pages as printed by the command."""

import sys

import pytest

from running import COMMAND, Mcpi, cost
from terminal import on_terminal

OFF = {"MCPI_PLUGINS": "off"}


ROWS, COLUMNS = 24, 80


@pytest.mark.parametrize("words", [("--help",), ("-h",), ("node", "--help")])
def test_help_fits_on_one_screen(mcpi: Mcpi, words: tuple[str, ...]) -> None:
    lines = mcpi(*words, env=OFF).stdout.splitlines()

    assert 0 < len(lines) < ROWS
    assert max(map(len, lines)) <= COLUMNS


def test_short_help_lists_every_method(mcpi: Mcpi) -> None:
    shown = mcpi("--help").stdout

    assert [one["name"] for one in mcpi("--list-methods").json if one["name"].rpartition("/")[2] not in shown] == []


def test_full_help_lists_every_flag(mcpi: Mcpi) -> None:
    shown = mcpi("--help", "all").stdout
    own = [flag["flag"] for method in mcpi("--list-methods").json for flag in method["parameters"]]

    assert [flag for flag in own if f"  {flag}" not in shown and f", {flag}" not in shown] == []
    assert "Examples:" in shown


def test_help_of_a_method_also_shows_the_general_flags_on_request(mcpi: Mcpi) -> None:
    shown = mcpi("diff", "--help", "all").stdout

    assert shown.index("\n  --accept FILE") < shown.index("\nTime: ") < shown.index("\n  --retry N")
    assert "also shows" not in shown


@pytest.mark.parametrize("words", [("help", "script"), ("script", "--help"), ("--script", "--help")])
def test_script_help_lists_every_key(mcpi: Mcpi, words: tuple[str, ...]) -> None:
    shown = mcpi(*words).stdout
    keys = mcpi("--print-schema", "script").json["$defs"]["step"]["properties"]
    named = ("method", "wait", "expect", "capture", "onError", "retry", "vars")
    texts = [key for key in named if f"\n  {key}" not in shown]

    assert texts == []
    assert keys["expect"]["description"].split()[0] in shown


@pytest.mark.parametrize(
    "words", [("resources/read", "--help"), ("--help", "resources/read"), ("--method", "resources/read", "-h")]
)
def test_method_help_shows_only_the_flags_of_the_method(mcpi: Mcpi, words: tuple[str, ...]) -> None:
    ran = mcpi(*words)

    assert ran.stdout == (
        "resources/read: read a resource\n"
        "\n"
        "Usage:\n"
        "  mcpi resources/read URI [flags] -- COMMAND\n"
        "  mcpi resources/read URL URI [flags]\n"
        "  mcpi resources/read TARGET --uri URI [flags]\n"
        "\n"
        "Arguments:\n"
        "  --uri URI                   URI of the resource. (required)\n"
        "\n"
        "TARGET is a command (after -- if it has flags), a URL, --demo, or --config FILE.\n"
        "mcpi resources/read --help all also shows the general flags (target, time,\n"
        "output and so on).\n"
    )


@pytest.mark.parametrize(
    ("method", "forms"),
    [
        ("tools/call", ("NAME key=value... [flags] -- COMMAND", "URL NAME key=value... [flags]")),
        ("prompts/get", ("NAME key=value... [flags] -- COMMAND", "URL NAME key=value... [flags]")),
        ("describe", ("NAME [flags] -- COMMAND", "URL NAME [flags]", "TARGET --item NAME [flags]")),
        ("diff", ("OLD NEW [flags]", "OLD [flags] -- COMMAND")),
        ("oauth/discover", ("URL [flags]",)),
        ("tools/list", ("TARGET [flags]",)),
    ],
)
def test_help_of_a_method_shows_the_forms_of_its_command_line(mcpi: Mcpi, method: str, forms: tuple[str, ...]) -> None:
    usage = mcpi(method, "--help").stdout.partition("Usage:\n")[2].splitlines()

    assert usage[: len(forms)] == [f"  mcpi {method} {form}" for form in forms]


def test_plugin_method_has_a_help_page(mcpi: Mcpi) -> None:
    assert "--at-least N" in mcpi("--help", "acme/count").stdout


@pytest.mark.parametrize("env", [OFF, {}])
def test_help_of_a_misspelled_method_suggests_the_method(mcpi: Mcpi, env: dict[str, str]) -> None:
    ran = mcpi("--help", "tools/cal", env=env)

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert "did you mean: mcpi --help tools/call\n" in ran.stderr


def test_help_flag_after_a_server_command_prints_the_main_help(mcpi: Mcpi) -> None:
    assert mcpi("node", "--help").stdout == mcpi("--help").stdout


def test_help_wraps_to_the_terminal_width(mcpi: Mcpi) -> None:
    lines = mcpi("--help", "tools/call", env={"COLUMNS": "60"}).stdout.splitlines()

    assert max(map(len, lines)) <= 60 < len(max(mcpi("--help", "tools/call").stdout.splitlines(), key=len))


def test_headings_are_bold_only_on_a_terminal(mcpi: Mcpi) -> None:
    assert "\x1b[1mUsage\x1b[0m:" in on_terminal("--help").stdout
    assert "\x1b" not in on_terminal("--help", env={"NO_COLOR": "1"}).stdout
    assert "\x1b" not in mcpi("--help").stdout


def test_help_takes_less_than_four_times_the_cyclopts_import() -> None:
    assert cost((COMMAND, "--help"), OFF) < 4 * cost((sys.executable, "-c", "import cyclopts"))
