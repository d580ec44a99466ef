"""skills/list, skills/get and resources/directory/read, of the skills extension."""

from attrs import frozen

from mcpi.core.lists import ListFlags, all_pages
from mcpi.core.method import AnyMethod, Method
from mcpi.core.steps import Plan, adopt, request
from mcpi.plugins.spec import hookimpl

SKILLS = "io.modelcontextprotocol/skills"


@frozen(kw_only=True)
class ListSkills(ListFlags):
    """All skills of the server."""


@frozen(kw_only=True)
class OneSkill:
    """One skill, or one directory of its resources."""

    uri: str
    """The URI of the skill or directory."""


def list_skills(args: ListSkills) -> Plan:
    """The list as the server has it."""
    yield from adopt(extension=SKILLS)
    return (yield from all_pages("skills/list", "skills", args))


def get_skill(args: OneSkill) -> Plan:
    """One entry of the list."""
    yield from adopt(extension=SKILLS)
    return (yield from request("skills/get", {"uri": args.uri}))


def read_directory(args: OneSkill) -> Plan:
    """What the directory holds."""
    yield from adopt(extension=SKILLS)
    return (yield from request("resources/directory/read", {"uri": args.uri}))


@hookimpl
def mcpi_methods() -> tuple[AnyMethod, ...]:
    """The methods of this group."""
    needs = f"extensions/{SKILLS}"
    return (
        Method("skills/list", ListSkills, list_skills, "list the skills", needs=needs),
        Method("skills/get", OneSkill, get_skill, "get one skill's entry", needs=needs),
        Method("resources/directory/read", OneSkill, read_directory, "read a directory of resources", needs=needs),
    )
