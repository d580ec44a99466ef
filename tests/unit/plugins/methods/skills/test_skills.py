"""skills/list, skills/get, skills/read and resources/directory/read, beyond the dialogues in fixtures."""

import pytest

from mcpi.core.jsontext.values import Json
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.plugins.methods.skills.skills import (
    ListSkills,
    OneDirectory,
    OneFile,
    OneSkill,
    get_skill,
    list_skills,
    mcpi_methods,
    mcpi_tools,
    read_directory,
    read_file,
)
from support.dialogue import DIALOGUES
from support.replay import exact

NEEDS = "extensions/io.modelcontextprotocol/skills"


def test_skills_methods_are_registered() -> None:
    assert [(one.name, one.args, one.plan, one.required_capability, one.era) for one in mcpi_methods()] == [
        ("skills/list", ListSkills, list_skills, NEEDS, None),
        ("skills/get", OneSkill, get_skill, NEEDS, None),
        ("resources/directory/read", OneDirectory, read_directory, NEEDS, None),
        ("skills/read", OneFile, read_file, NEEDS, None),
    ]


def test_every_method_has_dialogues() -> None:
    found = {one.method for one in DIALOGUES if one.group == "skills"}

    assert found == {one.name for one in mcpi_methods()}


@pytest.mark.parametrize(
    ("settings", "declared"),
    [
        ({"directoryRead": True}, True),
        ({"directoryRead": False}, False),
        ({"directoryRead": "yes"}, False),
        ({}, False),
        (None, False),
        ([], False),
    ],
)
def test_directory_read_requires_the_declared_setting(settings: Json, declared: bool) -> None:  # noqa: FBT001 - a table
    capabilities = exact({"extensions": {"io.modelcontextprotocol/skills": settings}})
    server = NegotiatedServer("modern", "2026-07-28", capabilities=capabilities)
    refine = mcpi_methods()[2].negotiated_capability

    assert refine is not None
    assert (refine(server), server.declares(refine(server))) == (
        (NEEDS, True) if declared else (f"{NEEDS} with directoryRead", False)
    )


@pytest.mark.parametrize("capabilities", [{}, {"extensions": None}, {"extensions": {}}, None, []])
def test_directory_read_requires_the_extension(capabilities: Json) -> None:
    server = NegotiatedServer("modern", "2026-07-28", capabilities=exact(capabilities))
    refine = mcpi_methods()[2].negotiated_capability

    assert refine is not None
    assert not server.declares(refine(server))


def test_methods_are_tools_for_agents() -> None:
    assert mcpi_tools() == ("skills/list", "skills/get", "skills/read", "resources/directory/read")
