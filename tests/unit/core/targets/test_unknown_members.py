"""Misspelled members of config files."""

import pytest
from attrs import fields

from mcpi.core.flags.structure import json_key
from mcpi.core.targets.config_file import ServerEntry
from mcpi.core.targets.unknown_members import misspelled_members


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("envs", "env"),
        ("Env", "env"),
        ("arg", "args"),
        ("header", "headers"),
        ("comand", "command"),
        ("serverURL", "serverUrl"),
        ("env_file", "envFile"),
    ],
)
def test_member_that_is_nearly_a_known_one_is_reported(given: str, meant: str) -> None:
    assert misspelled_members(["command", given]) == (f"unknown member {given!r} (did you mean {meant}?)",)


def test_known_members_and_those_of_other_clients_are_not_reported() -> None:
    others = "disabled alwaysAllow autoApprove timeout type description tools trust includeTools oauth name id icon"

    assert (
        misspelled_members(["envFile", "httpUrl", "cwd", *others.split(), "headersHelper", "enabled", "gallery"]) == ()
    )


def test_no_member_that_mcpi_reads_is_reported() -> None:
    assert misspelled_members([json_key(one) for one in fields(ServerEntry)]) == ()
