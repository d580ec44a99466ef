"""The resources and prompts of the demo server, and the completions for both."""

from collections.abc import Mapping
from typing import NoReturn

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp.shared.uri_template import UriTemplate

from mcpi.shell.demo.call import COUNTER, Context, is_modern

README = "demo://readme"
LOGO = "demo://logo"
GREETING = UriTemplate.parse("demo://greeting/{name}")

README_TEXT = """# mcpi demo

A small MCP server for trying out clients.
Call `touch` to change demo://counter, and read demo://greeting/Ada for a greeting.
"""
# The letter M in 8x8 pixels.
LOGO_PNG = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAIAQAAAADsdIMmAAAAFElEQVR42mNoZDjMsJRhJkMjBAIAJg4Eh3xy5nwAAAAASUVORK5CYII="

RESOURCES = (
    types.Resource(
        uri=README, name="readme", title="Read me", description="About this server.", mime_type="text/markdown"
    ),
    types.Resource(uri=LOGO, name="logo", title="Logo", description="A small image.", mime_type="image/png", size=77),
    types.Resource(
        uri=COUNTER,
        name="counter",
        title="Counter",
        description="Number of calls to touch.",
        mime_type="text/plain",
    ),
)
TEMPLATES = (
    types.ResourceTemplate(
        uri_template=str(GREETING),
        name="greeting",
        title="Greeting",
        description="A greeting for the given name.",
        mime_type="text/plain",
    ),
)

STYLES = {"bullet": "as bullet points", "brief": "in one sentence", "formal": "in a formal tone"}
NAMES = ("Ada", "Alan", "Barbara", "Edsger", "Grace")
SUMMARIZE, HELLO = "summarize", "hello"
PROMPTS = {
    SUMMARIZE: types.Prompt(
        name=SUMMARIZE,
        title="Summarize",
        description="Summarize a text.",
        arguments=[
            types.PromptArgument(name="text", description="The text to summarize.", required=True),
            types.PromptArgument(name="style", description="bullet, brief or formal.", required=False),
        ],
    ),
    HELLO: types.Prompt(name=HELLO, title="Hello", description="Say hello."),
}
# The completion values, by prompt or template and then by argument.
COMPLETIONS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    SUMMARIZE: {"style": tuple(STYLES)},
    HELLO: {},
    str(GREETING): {"name": NAMES},
}


def raise_invalid_params(message: str) -> NoReturn:
    """Fail the request with the error Invalid params."""
    raise MCPError(types.INVALID_PARAMS, message)


async def list_resources(_ctx: Context, _params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    """Return all resources that do not come from a template."""
    return types.ListResourcesResult(resources=list(RESOURCES))


async def list_templates(
    _ctx: Context, _params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    """Return the only template."""
    return types.ListResourceTemplatesResult(resource_templates=list(TEMPLATES))


def resource_contents(ctx: Context, uri: str) -> types.TextResourceContents | types.BlobResourceContents:
    """Return the current contents of a resource."""
    if uri == LOGO:
        return types.BlobResourceContents(uri=uri, mime_type="image/png", blob=LOGO_PNG)
    if uri == README:
        return types.TextResourceContents(uri=uri, mime_type="text/markdown", text=README_TEXT)
    if uri == COUNTER:
        return types.TextResourceContents(uri=uri, mime_type="text/plain", text=str(ctx.lifespan_context.counter))
    if (greeting := GREETING.match(uri)) and greeting["name"]:
        return types.TextResourceContents(uri=uri, mime_type="text/plain", text=f"Hello, {greeting['name']}!")
    # MCP 2025-11-25, server/resources: -32002. MCP 2026-07-28: -32602, and -32002 is not used again.
    code = types.INVALID_PARAMS if is_modern(ctx) else -32002
    message = "Resource not found"
    raise MCPError(code, message, {"uri": uri})


async def read_resource(ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    """Read a resource."""
    return types.ReadResourceResult(contents=[resource_contents(ctx, params.uri)])


async def subscribe(ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
    """Subscribe to a resource, which must exist."""
    resource_contents(ctx, params.uri)
    ctx.lifespan_context.subscribed.add(params.uri)
    return types.EmptyResult()


async def unsubscribe(ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
    """Unsubscribe from a resource."""
    ctx.lifespan_context.subscribed.discard(params.uri)
    return types.EmptyResult()


async def list_prompts(_ctx: Context, _params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    """Return all prompts."""
    return types.ListPromptsResult(prompts=list(PROMPTS.values()))


async def get_prompt(_ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    """Return the only message of a prompt, with the arguments filled in."""
    prompt = PROMPTS.get(params.name)
    if prompt is None:
        raise_invalid_params(f"Unknown prompt: {params.name}")
    given = params.arguments or {}
    known = {argument.name: argument for argument in prompt.arguments or ()}
    if unknown := sorted(given.keys() - known):
        raise_invalid_params(f"The prompt {prompt.name} has no argument {unknown[0]}")
    if missing := [name for name, argument in known.items() if argument.required and name not in given]:
        raise_invalid_params(f"The prompt {prompt.name} requires the argument {missing[0]}")
    text = summarize_text(**given) if prompt.name == SUMMARIZE else "Say hello to me."
    message = types.PromptMessage(role="user", content=types.TextContent(text=text))
    return types.GetPromptResult(description=prompt.description, messages=[message])


def summarize_text(text: str, style: str | None = None) -> str:
    """Return the text of the summarize prompt."""
    if style is None:
        return f"Summarize this text:\n\n{text}"
    if style not in STYLES:
        raise_invalid_params(f"style must be one of {', '.join(STYLES)}, not {style}")
    return f"Summarize this text {STYLES[style]}:\n\n{text}"


async def complete(_ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    """Return the values that start with the typed text, ignoring case."""
    wanted = params.ref.name if isinstance(params.ref, types.PromptReference) else params.ref.uri
    choices = COMPLETIONS.get(wanted)
    if choices is None:
        raise_invalid_params(f"Unknown prompt or resource template: {wanted}")
    typed = params.argument.value.casefold()
    values = [choice for choice in choices.get(params.argument.name, ()) if choice.casefold().startswith(typed)]
    return types.CompleteResult(completion=types.Completion(values=values, total=len(values), has_more=False))
