"""The example inspectors in docs/examples: one for the terminal, one for the browser."""

import asyncio
import importlib.util
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from typing import Any

import httpx2
import pytest
import uvicorn

import mcpi
import warm
from running import free_port, listens, wait_until
from support.browser import open_page

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
LONGEST = 200


def example(name: str) -> Any:
    """Import an example as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A config file with the demo server."""
    command, *args = warm.demo()
    entry = {"command": command, "args": args}
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"demo": entry}}))
    return path


async def until(condition: Callable[[], object]) -> None:
    """Wait until the condition holds."""
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 - the screen is not an event
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("name", ["tui", "web"])
def test_example_is_short_and_imports_only_mcpi(name: str) -> None:
    text = (EXAMPLES / f"{name}.py").read_text()

    assert len(text.splitlines()) < LONGEST
    assert "mcpi." in text
    assert "from mcpi" not in text


def test_terminal_inspector_calls_a_tool_and_answers_an_elicitation(config: Path) -> None:
    tui = example("tui")

    async def work() -> tuple[str, str, str, int]:
        app = tui.Tui(mcpi.load_servers(str(config)))
        async with app.run_test(size=(140, 50)) as pilot:

            def shown() -> str:
                return str(app.query_one("#result").render())

            async def choose(tool: str) -> None:
                names = [one.name for one in app.client.tools]
                app.query_one("#tools").index = names.index(tool)
                app.query_one("#tools").action_select_cursor()
                await until(lambda: app.query(tui.Form) and app.query_one(tui.Form).border_title == tool)
                await pilot.pause()

            app.query_one("#servers").action_select_cursor()
            await until(lambda: app.client is not None and app.client.tools)
            await until(lambda: len(app.query_one("#tools").children) == len(app.client.tools))
            await choose("add")
            a, b = app.query("Form Input")
            a.value, b.value = "2", "3"
            await pilot.click("#call")
            await until(lambda: "5" in shown())
            added = shown()
            await choose("ask-user")
            await pilot.click("#call")
            await until(lambda: app.query("#answer"))
            await pilot.pause()
            await pilot.click("#answer")
            await until(lambda: "accept" in shown())
            return app.sub_title, added, shown(), len(app.query_one("#messages").lines)

    status, added, answered, messages = asyncio.run(work())
    assert (status, added) == ("connected", "5")
    assert json.loads(answered) == {
        "action": "accept",
        "content": {"name": "Ada", "drink": "tea", "cups": 2, "sugar": False},
    }
    assert messages > 10


@pytest.fixture
def page(config: Path) -> Iterator[str]:
    """The address of the web inspector."""
    port = free_port()
    served = example("web").app(mcpi.load_servers(str(config)))
    server = uvicorn.Server(uvicorn.Config(served, port=port, log_level="error", timeout_graceful_shutdown=1))
    thread = Thread(target=server.run)
    thread.start()
    wait_until(lambda: listens(port))
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


def events(lines: Iterator[str]) -> Iterator[Any]:
    """The events of an event stream."""
    return (json.loads(line.removeprefix("data: ")) for line in lines if line)


def first(stream: Iterator[Any], kind: str) -> Any:
    """The first non-empty event of a type."""
    return next(event for event in stream if event["type"] == kind and (kind == "status" or event[kind]))


def test_web_inspector_api_calls_a_tool_and_answers_an_elicitation(page: str) -> None:
    with httpx2.Client(base_url=page, timeout=30) as client, client.stream("GET", "/events") as response:
        stream = events(response.iter_lines())
        assert client.get("/servers").json() == ["demo"]
        assert "EventSource" in client.get("/").text
        assert client.post("/connect", json={"index": 0}).json()["serverInfo"]["name"] == "mcpi-demo"
        tools = [tool["name"] for tool in first(stream, "tools")["tools"]]
        added = client.post("/call", json={"name": "add", "arguments": {"a": 2, "b": 3}}).json()
        with ThreadPoolExecutor() as pool:
            future = pool.submit(client.post, "/call", json={"name": "ask-user", "arguments": {}})
            (question,) = first(stream, "pending")["pending"]
            client.post("/answer", json={"id": question["id"], "result": {"action": "decline"}})
            answer = future.result().json()["text"]
        late = client.post("/answer", json={"id": question["id"], "result": {}}).json()

    assert ("add" in tools, added) == (True, {"text": "5"})
    assert (json.loads(answer)["action"], late["code"]) == ("decline", "INVALID_ARGUMENT")


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.mark.skipif(CHROMIUM is None, reason="requires Chromium")
def test_web_inspector_works_in_a_real_browser(page: str, tmp_path: Path) -> None:
    def button(text: str) -> str:
        return f"[...document.querySelectorAll('button')].find(one => one.textContent === '{text}')"

    with open_page(page, str(CHROMIUM), tmp_path / "profile") as shown:
        shown.wait_for("document.querySelectorAll('#servers option').length")
        shown.run("document.getElementById('connect').click()")
        shown.wait_for(f"{button('ask-user')} !== undefined")
        shown.run(f"{button('ask-user')}.click()")
        shown.run(f"{button('Call')}.click()")
        shown.wait_for(button("Send") + " !== undefined")
        shown.run("document.querySelector('#question [name=name]').value = 'Grace'")
        image = shown.screenshot()
        shown.run(f"{button('Send')}.click()")
        answer = shown.wait_for("(text => text.includes('{') && text)(document.getElementById('result').textContent)")
        messages = shown.run("document.querySelectorAll('#messages details').length")

    assert json.loads(answer)["content"]["name"] == "Grace"
    assert messages > 10
    assert image.startswith(b"\x89PNG")


def test_web_inspector_rejects_cross_site_requests(page: str) -> None:
    with httpx2.Client(base_url=page) as client:
        text = {"content-type": "text/plain"}
        assert client.post("/connect", content='{"index": 0}', headers=text).status_code == 415
        assert client.get("/servers", headers={"host": "evil.example"}).status_code == 400
