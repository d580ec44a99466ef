"""A terminal inspector: select a server, call its tools, watch the messages, respond to elicitation.

Usage: python tui.py [mcp.json]    (requires: pip install textual mcpi-cli)
"""

import json
import sys
from typing import Any

from textual import on, work
from textual.app import App, ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.widget import Widget
from textual.widgets import Button, Checkbox, Footer, Header, Input, Label, ListItem, ListView, RichLog, Select, Static

import mcpi


class Form(VerticalScroll):
    """A form with a field for each property of a JSON schema, and a button."""

    def __init__(self, title: str, schema: dict[str, Any], button: str) -> None:
        """Set the schema; `button` is the id of the button."""
        super().__init__()
        self.border_title = title
        self.schema = schema
        self.button = button

    def compose(self) -> ComposeResult:
        """Yield a label and a field for each property."""
        required = self.schema.get("required", [])
        for name, about in self.schema.get("properties", {}).items():
            kind = about.get("type", "string")
            yield Label(f"{about.get('title', name)}{'*' if name in required else ''} ({kind})", markup=False)
            yield self.field(name, about)
        yield Button("Send", id=self.button, variant="primary")
        if self.button == "answer":
            yield Button("Decline", id="decline")

    def field(self, name: str, about: dict[str, Any]) -> Widget:
        """Return a field for the property."""
        default = about.get("default")
        if about.get("type") == "boolean":
            return Checkbox(value=bool(default), name=name)
        if "enum" in about:
            options = [(str(one), one) for one in about["enum"]]
            return Select(options, name=name) if default is None else Select(options, name=name, value=default)
        text = "" if default is None else default if isinstance(default, str) else json.dumps(default)
        return Input(text, name=name, placeholder=str(about.get("description", "")))

    def values(self) -> dict[str, Any]:
        """Return the values of the fields; empty ones are omitted."""
        found: dict[str, Any] = {}
        for field in self.query("Input, Checkbox, Select"):
            value = getattr(field, "value", None)
            if field.name is not None and value not in ("", None, Select.NULL):
                found[field.name] = value
        properties = self.schema.get("properties", {})
        return {name: convert(value, properties.get(name, {})) for name, value in found.items()}


def convert(value: Any, about: dict[str, Any]) -> Any:  # noqa: ANN401 - any JSON
    """Convert the text of a field to the type of its property, if possible."""
    if not isinstance(value, str) or about.get("type", "string") == "string":
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


class Tui(App[None]):
    """The terminal inspector."""

    CSS = """
    #servers, #tools { width: 24; border: round $primary; }
    #result { height: 8; border: round $primary; }
    #messages { width: 1fr; border: round $primary; }
    Form { width: 40; border: round $accent; height: 1fr; }
    """
    BINDINGS = [("ctrl+q", "quit", "Quit")]  # noqa: RUF012 - as textual declares it
    TITLE = "mcpi"

    def __init__(self, servers: list[mcpi.ServerConfig]) -> None:
        """Set the servers to choose from."""
        super().__init__()
        self.servers = servers
        self.client: mcpi.Inspector | None = None
        self.tool: mcpi.Tool | None = None
        self.question: mcpi.PendingRequest | None = None

    def compose(self) -> ComposeResult:
        """Yield the panes."""
        yield Header()
        with Horizontal():
            servers = ListView(*[ListItem(Label(one.name, markup=False)) for one in self.servers], id="servers")
            servers.border_title = "Servers"
            yield servers
            yield ListView(id="tools")
            yield VerticalScroll(id="form")
            yield RichLog(id="messages", wrap=True)
        yield Static(id="result", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Set the titles of the panes."""
        self.query_one("#tools").border_title = "Tools"
        self.query_one("#messages").border_title = "Messages"
        self.query_one("#result").border_title = "Result"

    def show(self, text: str) -> None:
        """Show a text in the result pane."""
        self.query_one("#result", Static).update(text)

    @on(ListView.Selected, "#servers")
    def choose_server(self, event: ListView.Selected) -> None:
        """Connect to the chosen server."""
        self.run_server(self.servers[event.list_view.index or 0])

    @work(exclusive=True, group="server")
    async def run_server(self, server: mcpi.ServerConfig) -> None:
        """Connect, and show the events until another server is chosen."""
        handlers = {"elicitation/create": mcpi.leave_pending}
        try:
            self.client = mcpi.Inspector(server, handlers=handlers, options=mcpi.InspectorOptions(fetch=True))
            events = self.client.events()
            async with self.client:
                async for event in events:
                    await self.show_event(event)
        except mcpi.McpiError as error:
            self.show(f"{error.code}: {error}\n" + "\n".join(error.hints))

    async def show_event(self, event: mcpi.ClientEvent) -> None:
        """Update the pane that the event concerns."""
        match event:
            case mcpi.StatusChange(status=status):
                self.sub_title = status
            case mcpi.ToolsChange(tools=tools):
                view = self.query_one("#tools", ListView)
                await view.clear()
                await view.extend(ListItem(Label(tool.title or tool.name, markup=False)) for tool in tools)
            case mcpi.MessageSeen(entry=entry):
                arrow = "->" if entry.direction == "sent" else "<-"
                took = "" if entry.duration_ms is None else f" {entry.duration_ms:g} ms"
                self.query_one("#messages", RichLog).write(f"{arrow} {entry.kind} {entry.method or ''}{took}")
            case mcpi.PendingChange(pending=pending):
                self.question = pending[0] if pending else None
                if self.question is not None:
                    schema = self.question.params.get("requestedSchema", {})
                    await self.show_form(Form(str(self.question.params.get("message", "")), schema, "answer"))
            case mcpi.ErrorSeen(error=error):
                self.show(f"{error.code}: {error.message}")
            case _:
                pass

    async def show_form(self, form: Form) -> None:
        """Replace the form."""
        place = self.query_one("#form")
        await place.remove_children()
        await place.mount(form)

    @on(ListView.Selected, "#tools")
    async def choose_tool(self, event: ListView.Selected) -> None:
        """Show the form of the chosen tool."""
        tools = self.client.tools if self.client is not None else None
        if tools:
            self.tool = tools[event.list_view.index or 0]
            await self.show_form(Form(self.tool.name, self.tool.input_schema, "call"))

    @on(Button.Pressed, "#call")
    @work(group="calls")
    async def call_tool(self) -> None:
        """Call the tool with the values of the form."""
        if self.client is None or self.tool is None:
            return
        self.show("...")
        try:
            result = await self.client.call_tool(self.tool.name, self.query_one(Form).values())
            self.show(result.text or json.dumps(result, indent=2))
        except mcpi.McpiError as error:
            self.show(f"{error.code}: {error}")

    @on(Button.Pressed, "#answer")
    def answer(self) -> None:
        """Respond to the elicitation with the values of the form."""
        if self.client is not None and self.question is not None:
            self.client.resolve(self.question.id, {"action": "accept", "content": self.query_one(Form).values()})

    @on(Button.Pressed, "#decline")
    def decline(self) -> None:
        """Decline the elicitation."""
        if self.client is not None and self.question is not None:
            self.client.resolve(self.question.id, {"action": "decline"})


if __name__ == "__main__":
    Tui(mcpi.load_servers(sys.argv[1] if len(sys.argv) > 1 else None)).run()
