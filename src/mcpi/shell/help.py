"""The help, gathered from the classes that declare the flags."""

import shutil

from mcpi.core import help as core
from mcpi.core.catalog import Catalog
from mcpi.core.draft import Draft
from mcpi.core.options import GROUPS
from mcpi.shell.texts import texts_of

INTRO = """mcpi exercises and diagnoses MCP servers: every input is a flag or a file, every output is JSON.

Usage: mcpi [flags] COMMAND... [flags]         a server to start
       mcpi [flags] URL [flags]                a server to talk to by HTTP
       mcpi [flags] -- COMMAND --its-flags     what follows -- belongs to the server"""

EXAMPLES = """Examples:
  mcpi node server.js --method tools/list
  mcpi node server.js --method tools/call --tool-name get_weather --tool-arg city=London
  mcpi https://mcp.example.com/mcp --method resources/read --uri file:///report.csv --token env:TOKEN
  mcpi --method discover -- npx -y @modelcontextprotocol/server-everything
  mcpi --demo --method tools/list

Every flag has an environment variable (--timeout: MCPI_TIMEOUT). JSON may be @FILE or - for standard input.
Exit codes: 0 done, 1 failed, 2 the server answered with an error, 124 out of time, 130 interrupted."""


def text(draft: Draft, catalog: Catalog) -> str:
    """The whole help, or that of one method."""
    width = shutil.get_terminal_size((100, 24)).columns
    methods = sorted((owned.method for owned in catalog.owned.values()), key=lambda method: method.name)
    groups = [core.group(_title(owner), owner, texts_of(owner)) for owner in GROUPS]
    groups += [core.group("Answers", one.args, texts_of(one.args)) for one in draft.responders]
    if draft.method is not None:
        own = core.group(draft.method.name, draft.method.args, texts_of(draft.method.args))
        return core.render(f"{draft.method.name}: {draft.method.summary}", [own], [], "", width)
    groups += [core.group(method.name, method.args, texts_of(method.args)) for method in methods]
    return core.render(INTRO, groups, methods, EXAMPLES, width)


def _title(owner: type) -> str:
    return owner.__name__.removesuffix("Options")
