"""Write results to stdout and messages to stderr."""

import os
import select
from collections.abc import Iterable, Mapping
from typing import IO, TextIO

from mcpi.core.jsontext.indentation import IndentedLines, slices
from mcpi.core.text import colors
from mcpi.core.text.terminal_safe import escape_controls
from mcpi.shell.context import Context
from mcpi.shell.io import terminal
from mcpi.shell.io.buffered_line_writer import BufferedLineWriter

_LARGEST_COLORED = 1 << 22
_ERASE = "\r\x1b[K"


class StdoutClosed(Exception):  # noqa: N818 - not an error: the reader closed the pipe on purpose
    """The reader of stdout has closed it."""


class StdoutError(Exception):
    """Writing to stdout failed, for another reason than a closed pipe."""


class Output:
    """The two output streams of a command, and the status line on stderr."""

    def __init__(self, context: Context) -> None:
        """Write to the context's streams."""
        self.stdout: TextIO = context.stdout
        self.stderr: TextIO = context.stderr
        self.environment: Mapping[str, str] = context.environment
        self._status_shown = False
        number = file_descriptor(self.stderr)
        self._patient = None if number is None else BufferedLineWriter(number)

    def close(self) -> None:
        """Wait until a slow reader of stderr has read everything, unless it makes no progress."""
        if self._patient is not None:
            self._patient.finish()

    def format_for_terminal(self, written: str | IndentedLines) -> str | IndentedLines:
        """Color JSON and escape control characters if stdout is a terminal; return other text unchanged."""
        if not self.stdout.isatty():
            return written
        text = str(written)
        colored = terminal.uses_colors(self.stdout, self.environment) and len(text) <= _LARGEST_COLORED
        return colors.colorize_json(text) if colored else colors.escape_json_controls(text)

    def write(self, text: str | IndentedLines) -> None:
        """Write the whole text to stdout at once."""
        self._erase_status()
        number = file_descriptor(self.stdout)
        if number is None:
            self.stdout.write(str(text))
            return
        try:
            # Encode in slices: a large result would otherwise take twice its memory.
            for part in slices(text) if isinstance(text, str) else text:
                _write_all(number, part.encode(errors="backslashreplace"))
        except OSError as error:
            raise stdout_error(error) from error

    def write_lines(self, lines: Iterable[str], style: str = "") -> None:
        """Write lines to stderr, with a style for the first; errors of a closed stderr are ignored."""
        # The server's text may contain line breaks; it must not start a line that looks like one of mcpi's.
        shown = [escape_controls(line).replace("\n", "\\n") for line in lines]
        if style and shown:
            shown[0] = self.stderr_paint(style, shown[0])
        self.write_raw_lines(shown)

    def write_raw_lines(self, lines: Iterable[str]) -> None:
        """Write lines to stderr unescaped; they may contain mcpi's color codes."""
        self._erase_status()
        self._write_stderr("".join(f"{line}\n" for line in lines))

    def write_status(self, line: str) -> None:
        """Show a line on stderr until something else is written."""
        self._status_shown = True
        self._write_stderr(f"{_ERASE}{line}")

    @property
    def stdout_paint(self) -> colors.Paint:
        """The function that colors text for stdout, if it is a terminal that shows colors."""
        return terminal.paint(self.stdout, self.environment)

    @property
    def stderr_paint(self) -> colors.Paint:
        """The function that colors text for stderr."""
        return terminal.paint(self.stderr, self.environment)

    @property
    def shows_progress(self) -> bool:
        """Tell whether a progress line can be shown."""
        return terminal.shows_progress(self.stderr, self.environment)

    @property
    def width(self) -> int:
        """The width of the terminal."""
        return terminal.width(self.stdout, self.environment)

    def _erase_status(self) -> None:
        if self._status_shown:
            self._status_shown = False
            self._write_stderr(_ERASE)

    def _write_stderr(self, text: str) -> None:
        try:
            if self._patient is not None:
                self._patient.write(text.encode(self.stderr.encoding, "backslashreplace"))
            else:
                self.stderr.write(text)
        except OSError:
            pass


def print_text(context: Context, program: str, text: str) -> int:
    """Print a text and return the exit code; a reader that closes the pipe early is not a failure."""
    output = Output(context)
    try:
        output.write(text)
    except StdoutClosed:
        return 0
    except StdoutError as error:
        output.write_lines([f"{program}: standard output cannot be written: {error}"])
        output.close()
        return 1
    return 0


def file_descriptor(stream: IO[str] | IO[bytes]) -> int | None:
    """Return the file descriptor of a stream, or None for a stream in memory."""
    try:
        return stream.fileno()
    except (OSError, ValueError):
        return None


def stdout_error(error: OSError) -> Exception:
    """Return StdoutClosed for a closed pipe, and StdoutError for any other error."""
    return StdoutClosed() if isinstance(error, BrokenPipeError) else StdoutError(error.strerror)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view) :]
        except BlockingIOError:
            # Another process that shares the pipe may have made it non-blocking.
            select.select([], [fd], [])
