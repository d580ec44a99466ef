"""The tools of the demo server that use sampling and elicitation."""

import json
from typing import Any, TypeVar

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from pydantic import Field, ValidationError

from mcpi.shell.demo.call import Arguments, Reply, ToolCall, ToolError, is_modern, text_result

FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name", "description": "Your name.", "default": "Ada"},
        "drink": {"type": "string", "title": "Drink", "enum": ["tea", "coffee", "water"], "default": "tea"},
        "cups": {"type": "integer", "title": "Cups", "minimum": 1, "maximum": 10, "default": 2},
        "sugar": {"type": "boolean", "title": "Sugar", "default": False},
    },
    "required": ["name", "drink"],
}

AnswerT = TypeVar("AnswerT", bound=types.Result)


class AskModelArguments(Arguments):
    """The arguments of `ask-model`."""

    prompt: str = Field(default="Say hello.", description="The prompt for the client's model.")


async def ask_model(call: ToolCall[AskModelArguments]) -> Reply:
    """Return the text that the client's model generates."""
    has = call.ctx.session.client_capabilities
    needed = types.ClientCapabilities(sampling=types.SamplingCapability())
    require_capability(call, needed, declared=has is not None and has.sampling is not None)
    question = types.SamplingMessage(role="user", content=types.TextContent(text=call.arguments.prompt))
    params = types.CreateMessageRequestParams(messages=[question], max_tokens=200)
    answer = await ask_client(call, types.CreateMessageRequest(params=params), types.CreateMessageResultWithTools)
    if isinstance(answer, types.InputRequiredResult):
        return answer
    texts = [block.text for block in answer.content_as_list if isinstance(block, types.TextContent)]
    return text_result("\n".join(texts) if texts else "The model returned no text.")


async def ask_user(call: ToolCall[Arguments]) -> Reply:
    """Return the user's action on the form, and the content of the form."""
    has = call.ctx.session.client_capabilities
    elicitation = has.elicitation if has is not None else None
    # MCP 2025-11-25, client/elicitation: an empty capabilities object is equivalent to form mode only.
    declared = elicitation is not None and (elicitation.form is not None or elicitation.url is None)
    form = types.ElicitationCapability(form=types.FormElicitationCapability())
    require_capability(call, types.ClientCapabilities(elicitation=form), declared=declared)
    params = types.ElicitRequestFormParams(message="What would you like to drink?", requested_schema=FORM)
    answer = await ask_client(call, types.ElicitRequest(params=params), types.ElicitResult)
    if isinstance(answer, types.InputRequiredResult):
        return answer
    content_json = answer.model_dump(mode="json", exclude_none=True, include={"action", "content"})
    return text_result(json.dumps(content_json, ensure_ascii=False), content_json)


def require_capability(call: ToolCall[Any], needed: types.ClientCapabilities, *, declared: bool) -> None:
    """Fail the call if the client has not declared the needed capability."""
    if declared:
        return
    required = needed.model_dump(by_alias=True, mode="json", exclude_none=True)
    message = f"{call.params.name} requires a client that declares the capability {', '.join(required)}."
    if is_modern(call.ctx):
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, message, {"requiredCapabilities": required})
    raise ToolError(message)


async def ask_client(
    call: ToolCall[Any], question: types.CreateMessageRequest | types.ElicitRequest, answer: type[AnswerT]
) -> AnswerT | types.InputRequiredResult:
    """Return the client's response or, in the modern era, a result that requests it as input."""
    if is_modern(call.ctx):
        return input_response(call.params, question, answer)
    metadata = ServerMessageMetadata(related_request_id=call.ctx.request_id)
    try:
        return await call.ctx.session.send_request(question, answer, metadata=metadata)
    except MCPError as error:
        message = f"The client answered {question.method} with error {error.code}: {error.message}"
        raise ToolError(message) from error
    except ValidationError as error:
        message = f"The client sent an invalid response to {question.method}."
        raise ToolError(message) from error


def input_response(
    params: types.CallToolRequestParams,
    question: types.CreateMessageRequest | types.ElicitRequest,
    answer: type[AnswerT],
) -> AnswerT | types.InputRequiredResult:
    """Return the response that was sent with the call, or a result that requests it as input."""
    state = f"{params.name} requested input"
    given = (params.input_responses or {}).get(params.name)
    if given is None:
        return types.InputRequiredResult(input_requests={params.name: question}, request_state=state)
    # MCP 2026-07-28: the client passes requestState back verbatim, and the server trusts no other value.
    if params.request_state != state:
        message = f"requestState must be returned unchanged: {state!r}"
        raise MCPError(types.INVALID_PARAMS, message)
    return answer.model_validate(given.model_dump(by_alias=True), by_name=False)
