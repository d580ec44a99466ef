"""Render the images in docs/images from real runs on a terminal: `python docs/capture.py`."""

import fcntl
import io
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

from rich.console import Console
from rich.text import Text

IMAGES = Path(__file__).parent / "images"
ROOT = Path(__file__).parents[1]
COLUMNS = 100
ERASE = "\r\x1b[K"
FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
SLOW = "mcpi --demo --era handshake --method tools/call --tool-name slow --tool-arg steps=20 --compact"
INDENTED = re.compile(r'x="([\d.]+)" y="([\d.]+)" textLength="([\d.]+)"([^>]*)>((?:&#160;)+)')
CELL = 12.2
"""The width of a character in the images."""
ERRORS = (
    "mcpi --demo --method tools/call --tool-name add --tool-arg a=two --tool-arg b=3",
    "mcpi --method tools/list --era handshake -- sh -c 'echo no DATABASE_URL >&2; exit 3'",
    "mcpi --method tools/list --compact --era handshake -- python3 fixtures/servers/faulty.py noise_before x",
)
PICTURES = {
    "summary": (("mcpi --demo --summary",), 0),
    "help": (("mcpi tools/call --help",), 0),
    "error": (ERRORS, 0),
    "progress": ((SLOW,), 12),
}
"""For each image: the commands, and the number of erased lines after which it is taken; 0 is the end."""


BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ADD = {"method": "tools/call", "toolName": "add", "toolArgs": {"a": 1, "b": 2}}
CHECKS = [
    {"method": "discover", "name": "offers", "expect": {"/capabilities/tools": True}},
    {**ADD, "name": "right sum", "expect": {"/structuredContent/sum": 3}},
    {
        **ADD,
        "name": "wrong sum",
        "expect": {"/structuredContent/sum": 4, "/content": {"length": 3}},
        "onError": "continue",
    },
    {"method": "tools/call", "toolName": "nope", "name": "may fail", "allowFailure": True},
    {"method": "resources/read", "uri": "demo://nothing", "name": "read"},
    {"method": "ping", "name": "never"},
]
"""The script whose report is shown."""


def seen(command: str) -> str:
    """Return the command's output on a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "MCPI_PLUGINS": "off", "COLUMNS": str(COLUMNS)}
    environment.pop("NO_COLOR", None)
    bash = shutil.which("bash") or "bash"
    process = subprocess.Popen(  # noqa: S603 - the commands are those above
        [bash, "-c", command], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=environment, cwd=ROOT
    )
    os.close(theirs)
    data = b""
    while True:
        try:
            chunk = os.read(ours, 1 << 16)
        except OSError:
            break
        if not chunk:
            break
        data += chunk
    process.wait()
    return data.decode().replace("\r\n", "\n")


def shown(text: str, moment: int) -> str:
    """Return the final text on the terminal, or the text after `moment` erased lines."""
    parts = text.split(ERASE)
    if moment:
        return parts[moment]
    return "\n".join(line.split(ERASE)[-1] for line in text.split("\n"))


def moved(found: re.Match[str]) -> str:
    """Return a text element without its leading spaces, which not every program draws."""
    across, down, length, more, spaces = found.groups()
    width = CELL * len(spaces) / len("&#160;")
    return f'x="{float(across) + width:g}" y="{down}" textLength="{float(length) - width:g}"{more}>'


def picture_report() -> None:
    """Take a screenshot of a report with failures, with headless Chromium."""
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        sys.stderr.write(f"report.png is unchanged, because none of these is installed: {', '.join(BROWSERS)}\n")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "checks.json").write_text(json.dumps(CHECKS), "utf-8")
        line = ["mcpi", "checks.json", "--demo", "--era", "handshake", "--report-html", "report.html", "--quiet"]
        subprocess.run(line, cwd=folder, stdout=subprocess.DEVNULL, check=False)  # noqa: S603 - see above
        flags = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1000,1640")
        shot = f"--screenshot={IMAGES / 'report.png'}"
        page = (folder / "report.html").as_uri()
        subprocess.run([browser, *flags, shot, page], stderr=subprocess.DEVNULL, check=True)  # noqa: S603 - see above


def main() -> None:
    """Write the images."""
    picture_report()
    for name, (commands, moment) in PICTURES.items():
        screen = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
        for command in commands:
            screen.print(Text.assemble(("$ ", "bold green"), command))
            screen.print(Text.from_ansi(shown(seen(command), moment).rstrip("\n")))
        svg = screen.export_svg(title="mcpi", unique_id=name)
        # Do not load fonts from other sites; the reader's fonts are sufficient.
        (IMAGES / f"{name}.svg").write_text(INDENTED.sub(moved, FONTS.sub("", svg)), "utf-8")


if __name__ == "__main__":
    main()
