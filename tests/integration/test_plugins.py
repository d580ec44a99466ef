"""Plugins of others, installed as they would be."""

import pytest

from running import Mcpi


@pytest.fixture
def demo() -> tuple[str, ...]:
    """The embedded server."""
    return ("--demo", "--quiet")


def test_a_method_of_a_third_party_is_there(mcpi: Mcpi, demo: tuple[str, ...]) -> None:
    ran = mcpi(*demo, "--method", "acme/count", "--at-least", "3")

    assert (ran.exit_code, ran.json) == (0, {"tools": 8, "enough": True})


def test_its_flags_are_in_the_help(mcpi: Mcpi) -> None:
    ran = mcpi("--help")

    assert "acme/count" in ran.stdout
    assert "Say whether there are so many." in ran.stdout


def test_a_broken_plugin_harms_nobody(mcpi: Mcpi, demo: tuple[str, ...]) -> None:
    ran = mcpi(*demo, "--method", "ping", "--era", "handshake")

    assert (ran.exit_code, ran.json) == (0, {})


def test_who_asks_for_a_method_of_a_broken_plugin_is_told(mcpi: Mcpi, demo: tuple[str, ...]) -> None:
    ran = mcpi(*demo, "--method", "broken/thing")

    assert ran.exit_code == 1
    assert "the plugin 'broken' of mcpi-broken did not load" in ran.stderr
    assert "this plugin is broken on purpose" in ran.stderr


def test_plugins_can_be_switched_off(mcpi: Mcpi, demo: tuple[str, ...]) -> None:
    ran = mcpi(*demo, "--method", "acme/count", env={"MCPI_PLUGINS": "off"})

    assert ran.exit_code == 1
    assert "there is no method 'acme/count'" in ran.stderr
