"""Take screenshots of the two example inspectors: `PYTHONPATH=tests python docs/capture_client.py`."""

import asyncio
import json
import shutil
import sys
import tempfile
from pathlib import Path
from threading import Thread

import uvicorn

sys.path.insert(0, str(Path(__file__).parent / "examples"))

import tui

import mcpi
import web
from running import free_port, listens, wait_until
from support.browser import opened

IMAGES = Path(__file__).parent / "images"
DEMO = {"command": sys.executable, "args": ["-m", "mcpi.shell.demo.demo_server"]}


async def in_terminal(servers: list[mcpi.ServerConfig]) -> None:
    """Take a screenshot of the form for an elicitation."""
    app = tui.Tui(servers)
    async with app.run_test(size=(120, 36)) as pilot:
        app.query_one("#servers", tui.ListView).action_select_cursor()
        tools = app.query_one("#tools", tui.ListView)
        while app.client is None or not app.client.tools or len(tools.children) < len(app.client.tools):  # noqa: ASYNC110 - the screen is no event
            await asyncio.sleep(0.05)
        tools.index = [tool.name for tool in app.client.tools].index("ask-user")
        tools.action_select_cursor()
        await pilot.pause(0.5)
        await pilot.click("#call")
        await pilot.pause(1)
        (IMAGES / "tui.svg").write_text(app.export_screenshot(title="mcpi"))


def in_browser(servers: list[mcpi.ServerConfig], folder: Path) -> None:
    """Take a screenshot of the page while an elicitation is pending."""
    port = free_port()
    server = uvicorn.Server(
        uvicorn.Config(web.app(servers), port=port, log_level="critical", timeout_graceful_shutdown=1)
    )
    thread = Thread(target=server.run)
    thread.start()
    wait_until(lambda: listens(port))
    button = "[...document.querySelectorAll('button')].find(one => one.textContent === '{}')"
    chromium = shutil.which("chromium")
    assert chromium is not None
    with opened(f"http://127.0.0.1:{port}", chromium, folder / "profile") as page:
        page.until("document.querySelectorAll('#servers option').length")
        page.run("document.getElementById('connect').click()")
        page.until(button.format("ask-user") + " !== undefined")
        page.run(button.format("ask-user") + ".click()")
        page.run(button.format("Call") + ".click()")
        page.until(button.format("Send") + " !== undefined")
        (IMAGES / "web.png").write_bytes(page.picture())
        page.run(button.format("Decline") + ".click()")
        page.until("document.getElementById('result').textContent.includes('decline')")
    server.should_exit = True
    thread.join()


def main() -> None:
    """Take both screenshots with the demo server."""
    with tempfile.TemporaryDirectory() as name:
        config = Path(name) / "mcp.json"
        config.write_text(json.dumps({"mcpServers": {"demo": DEMO}}))
        servers = mcpi.load_servers(str(config))
        asyncio.run(in_terminal(servers))
        in_browser(servers, Path(name))


if __name__ == "__main__":
    main()
