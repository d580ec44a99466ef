"""Methods skills/list, skills/get, skills/read and resources/directory/read of the skills extension."""

from mcpi.core.frozen import frozen
from mcpi.plugins.api import (
    AnyMethod,
    ListFlags,
    Method,
    NegotiatedServer,
    Plan,
    Uri,
    all_pages,
    as_object,
    elements,
    extend_terms,
    hookimpl,
    must,
    request,
)

SKILLS = "io.modelcontextprotocol/skills"
NEEDS = f"extensions/{SKILLS}"


@frozen(kw_only=True)
class ListSkills(ListFlags):
    """All skills of the server."""


@frozen(kw_only=True)
class OneSkill:
    """One skill."""

    uri: Uri
    """URI of the skill's SKILL.md."""


@frozen(kw_only=True)
class OneFile:
    """One file of a skill."""

    uri: Uri
    """URI of the file, such as the skill's SKILL.md."""


@frozen(kw_only=True)
class OneDirectory(ListFlags):
    """One directory of resources."""

    uri: Uri
    """URI of the directory."""


def list_skills(args: ListSkills) -> Plan:
    """Fetch all skills."""
    yield from extend_terms(extension=SKILLS)
    return (yield from all_pages("skills/list", "skills", args))


def get_skill(args: OneSkill) -> Plan:
    """Fetch one skill's entry."""
    yield from extend_terms(extension=SKILLS)
    return (yield from request("skills/get", {"uri": args.uri}))


def read_file(args: OneFile) -> Plan:
    """Read a file and verify it against its skill's entry; a file that no skill lists is not read."""
    from mcpi.plugins.methods.skills.skill_files import find_entry, verify  # noqa: PLC0415 - loaded for every call, rarely needed

    yield from extend_terms(extension=SKILLS)
    listed = yield from must(elements((yield from all_pages("skills/list", "skills")), "skills"))
    entry = yield from must(find_entry(listed, args.uri))
    result = yield from request("resources/read", {"uri": args.uri})
    return (yield from must(verify(entry, args.uri, result)))


def read_directory(args: OneDirectory) -> Plan:
    """Fetch the resources of a directory."""
    yield from extend_terms(extension=SKILLS)
    return (yield from all_pages("resources/directory/read", "resources", args, about={"uri": args.uri}))


def _need_directories(server: NegotiatedServer) -> str:
    # MCP skills extension: "Clients MUST NOT call resources/directory/read against a server that has not declared
    # directoryRead: true".
    settings = as_object(as_object(as_object(server.capabilities.value).get("extensions")).get(SKILLS))
    return NEEDS if settings.get("directoryRead") is True else f"{NEEDS} with directoryRead"


@hookimpl
def mcpi_methods() -> tuple[AnyMethod, ...]:
    """Return the methods of this group."""
    return (
        Method("skills/list", ListSkills, list_skills, "list the skills", required_capability=NEEDS),
        Method("skills/get", OneSkill, get_skill, "get the entry of one skill", required_capability=NEEDS),
        Method(
            "resources/directory/read",
            OneDirectory,
            read_directory,
            "read a directory of resources",
            required_capability=NEEDS,
            negotiated_capability=_need_directories,
        ),
        Method(
            "skills/read",
            OneFile,
            read_file,
            "read a file of a skill and verify it",
            required_capability=NEEDS,
            is_protocol_method=False,
        ),
    )


@hookimpl
def mcpi_tools() -> tuple[str, ...]:
    """Return the methods that agents can call."""
    return ("skills/list", "skills/get", "skills/read", "resources/directory/read")
