"""A headless Chromium, driven over its debugging protocol."""

import base64
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from websockets.sync.client import ClientConnection, connect


class Page:
    """A page in the browser."""

    def __init__(self, socket: ClientConnection, session: str) -> None:
        self._socket = socket
        self._session = session
        self._numbers = count(100)

    def send(self, method: str, **params: Any) -> Any:
        """The result of a command."""
        return send(self._socket, next(self._numbers), method, params, self._session)

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait_for(self, expression: str) -> Any:
        """Wait until the expression is true, and return its value."""
        end = monotonic() + 30
        while not (value := self.run(expression)):
            assert monotonic() < end, expression
            sleep(0.05)
        return value

    def screenshot(self) -> bytes:
        """A screenshot as PNG."""
        return base64.b64decode(self.send("Page.captureScreenshot")["data"])


def send(socket: ClientConnection, number: int, method: str, params: Any, session: str | None = None) -> Any:
    """The result of a command; events are skipped."""
    socket.send(
        json.dumps({"id": number, "method": method, "params": params, **({"sessionId": session} if session else {})})
    )
    while True:
        message = json.loads(socket.recv(timeout=30))
        if message.get("id") == number:
            assert "result" in message, message
            return message["result"]


@contextmanager
def open_page(url: str, program: str, folder: Path) -> Iterator[Page]:
    """The page at a URL."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", f"--user-data-dir={folder}"]
    with subprocess.Popen(
        [program, *flags, "--window-size=1200,700", "about:blank"], stderr=subprocess.PIPE, text=True
    ) as browser:
        try:
            assert browser.stderr is not None
            address = next(line.split()[-1] for line in browser.stderr if "DevTools listening on" in line)
            with connect(address, max_size=None) as socket:
                target = send(socket, 1, "Target.createTarget", {"url": url})["targetId"]
                attached = send(socket, 2, "Target.attachToTarget", {"targetId": target, "flatten": True})
                yield Page(socket, attached["sessionId"])
        finally:
            browser.terminate()
            browser.communicate()
