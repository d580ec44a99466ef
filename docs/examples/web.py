"""A web inspector: select a server, call its tools, watch the messages, respond to elicitation.

Usage: python web.py [mcp.json], then open http://127.0.0.1:8000    (requires: pip install starlette uvicorn mcpi-cli)
"""

import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

import mcpi

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>mcpi</title>
<style>
  body { font: 14px system-ui; margin: 1rem; display: grid; gap: 1rem; grid-template-columns: 1fr 1fr 2fr }
  header { grid-column: 1 / -1 } section { border: 1px solid #ccc; border-radius: 6px; padding: .5rem; overflow: auto }
  label { display: block; margin: .3rem 0 } pre { white-space: pre-wrap; margin: 0 } .error { color: #b00 }
  button { margin: .1rem } #messages { max-height: 80vh; font-family: monospace }
</style>
<header><select id="servers"></select> <button id="connect">Connect</button> <span id="status"></span></header>
<section><h3>Tools</h3><div id="tools"></div></section>
<section><h3>Call</h3><form id="form"></form><pre id="result"></pre><form id="question"></form></section>
<section><h3>Messages</h3><div id="messages"></div></section>
<script>
const $ = id => document.getElementById(id)
const make = (tag, text = "") => Object.assign(document.createElement(tag), { textContent: text })
const post = async (path, body) => (await fetch(path, {
  method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) })).json()

function fill(form, schema, buttons) {
  form.replaceChildren()
  for (const [name, about] of Object.entries(schema.properties ?? {})) {
    const label = make("label", `${about.title ?? name}: `)
    const field = make(about.enum ? "select" : "input")
    for (const one of about.enum ?? []) field.append(make("option", one))
    if (about.type === "boolean") field.type = "checkbox"
    field.name = name
    if (about.type === "boolean") field.checked = about.default ?? false
    else if (about.default !== undefined)
      field.value = typeof about.default === "string" ? about.default : JSON.stringify(about.default)
    label.append(field)
    form.append(label)
  }
  for (const [text, work] of Object.entries(buttons)) {
    const button = make("button", text)
    button.type = "button"
    button.onclick = () => work(values(form, schema))
    form.append(button)
  }
}

function values(form, schema) {
  const found = {}
  for (const [name, about] of Object.entries(schema.properties ?? {})) {
    const field = form.elements[name]
    if (about.type === "boolean") found[name] = field.checked
    else if (field.value !== "") {
      found[name] = field.value
      if ((about.type ?? "string") !== "string") try { found[name] = JSON.parse(field.value) } catch { /* a string */ }
    }
  }
  return found
}

const shows = {
  status: event => $("status").textContent = event.status,
  error: event => $("result").textContent = `${event.error.code}: ${event.error.message}`,
  tools: event => $("tools").replaceChildren(...event.tools.map(tool => {
    const button = make("button", tool.title ?? tool.name)
    button.onclick = () => fill($("form"), tool.inputSchema, { Call: async given => {
      $("result").textContent = "..."
      $("result").textContent = (await post("/call", { name: tool.name, arguments: given })).text
    } })
    return button
  })),
  message: ({ entry }) => {
    const took = entry.durationMs === undefined ? "" : ` ${entry.durationMs} ms`
    const line = make("details")
    line.append(make("summary", `${entry.direction} ${entry.kind} ${entry.method ?? ""}${took}`))
    line.append(make("pre", JSON.stringify(entry.message, null, 2)))
    $("messages").prepend(line)
  },
  pending: ({ pending: [first] }) => {
    $("question").replaceChildren()
    if (!first) return
    const answer = action => content => post("/answer", { id: first.id, result: { action, content } })
    fill($("question"), first.params.requestedSchema ?? {}, { Send: answer("accept"), Decline: answer("decline") })
    $("question").prepend(make("p", first.params.message))
  },
}

new EventSource("/events").onmessage = ({ data }) => {
  const event = JSON.parse(data)
  shows[event.type]?.(event)
}
fetch("/servers").then(found => found.json()).then(names =>
  $("servers").append(...names.map(name => make("option", name))))
$("connect").onclick = () => post("/connect", { index: $("servers").selectedIndex })
</script>
"""


async def body(request: Request) -> dict[str, Any]:
    """Return the JSON body; other sites cannot send this content type without permission (CORS)."""
    if request.headers.get("content-type") != "application/json":
        raise HTTPException(415)
    found: dict[str, Any] = await request.json()
    return found


class Web:
    """The web inspector: one connection, shown in any number of browser windows."""

    def __init__(self, servers: list[mcpi.ServerConfig]) -> None:
        """Set the servers to choose from."""
        self.servers = servers
        self.client = mcpi.Inspector(None)
        self.pages: list[mcpi.Subscription[mcpi.ClientEvent]] = []

    async def page(self, _: Request) -> Response:
        """Return the page."""
        return HTMLResponse(PAGE)

    async def names(self, _: Request) -> Response:
        """Return the names of the servers."""
        return JSONResponse([one.name for one in self.servers])

    async def events(self, _: Request) -> Response:
        """Stream the events of the connection, even after another server is chosen."""
        return StreamingResponse(self.stream(), media_type="text/event-stream")

    async def stream(self) -> AsyncIterator[str]:
        """Yield the current state, then each change."""
        while True:
            client, events = self.client, self.client.events()
            known: list[mcpi.ClientEvent] = [mcpi.StatusChange(status=client.status)]
            known += [mcpi.ToolsChange(tools=client.tools or []), mcpi.PendingChange(pending=client.pending)]
            for event in known:
                yield f"data: {json.dumps(event)}\n\n"
            async for event in events:
                yield f"data: {json.dumps(event)}\n\n"

    async def connect(self, request: Request) -> Response:
        """Close the previous connection, and connect to the chosen server."""
        server = self.servers[int((await body(request))["index"])]
        handlers = {"elicitation/create": mcpi.leave_pending}
        options = mcpi.InspectorOptions(fetch=True)
        before, self.client = self.client, mcpi.Inspector(server, handlers=handlers, options=options)
        await before.close()
        try:
            return JSONResponse(await self.client.connect())
        except mcpi.McpiError as error:
            return JSONResponse(error.info)

    async def call(self, request: Request) -> Response:
        """Call a tool."""
        given = await body(request)
        try:
            result = await self.client.call_tool(given["name"], given["arguments"])
            return JSONResponse({"text": result.text or json.dumps(result)})
        except mcpi.McpiError as error:
            return JSONResponse({"text": f"{error.code}: {error}"})

    async def answer(self, request: Request) -> Response:
        """Respond to a pending request from the server."""
        given = await body(request)
        try:
            self.client.resolve(given["id"], given["result"])
        except mcpi.McpiError as error:
            return JSONResponse(error.info)
        return JSONResponse({})


def app(servers: list[mcpi.ServerConfig]) -> Starlette:
    """Build the application; it rejects requests from other sites."""
    web = Web(servers)
    routes = [
        Route("/", web.page),
        Route("/servers", web.names),
        Route("/events", web.events),
        *(Route(path, work, methods=["POST"]) for path, work in (("/connect", web.connect), ("/call", web.call))),
        Route("/answer", web.answer, methods=["POST"]),
    ]
    return Starlette(routes=routes, middleware=[Middleware(TrustedHostMiddleware, ["127.0.0.1", "localhost"])])


if __name__ == "__main__":
    uvicorn.run(app(mcpi.load_servers(sys.argv[1] if len(sys.argv) > 1 else None)))
