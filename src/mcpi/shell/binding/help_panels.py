"""Collect the help of an App through cyclopts, and format it as plain text for a terminal of any width."""

from collections.abc import Iterable, Mapping
from textwrap import wrap
from typing import Any, cast

from attrs import field, frozen
from cyclopts import App, Group, Parameter

from mcpi.core.flags.declare import Flag, flags_of
from mcpi.core.text.colors import Paint, no_color
from mcpi.core.text.layout import clamp_width
from mcpi.shell.binding.flag_parser import new_app
from mcpi.shell.binding.option_view import option, option_view, with_options

_INDENT, _COLUMN = 2, 30


@frozen
class HelpRow:
    """One flag or command: its names, the value that it takes, and its description."""

    name: str
    text: str
    short: str = ""
    value: str = ""
    is_required: bool = False

    @property
    def spelled(self) -> str:
        """Join the spellings of a flag and its value."""
        name = f"{self.short}, {self.name}" if self.short else self.name
        return f"{name} {self.value}".rstrip()


@frozen
class Section:
    """Rows that are shown under one title."""

    title: str
    about: str = ""
    rows: tuple[HelpRow, ...] = ()

    def shown(self, width: int, paint: Paint = no_color) -> str:
        """Return the title and the rows as text; empty without rows."""
        if not self.rows:
            return ""
        heads = wrap(f"{self.title}: {self.about}".rstrip(), clamp_width(width))
        first = heads[0].replace(self.title, paint("title", self.title), 1)
        rows = [(row.spelled, f"{row.text} (required)" if row.is_required else row.text) for row in self.rows]
        return "\n".join((first, *heads[1:], *table(rows, clamp_width(width), paint)))


class _Console:
    """A console that prints nothing; the formatter keeps its input."""

    options = None


@frozen
class _SectionFormatter:
    """A help formatter that keeps the panels as sections."""

    sections: list[Section] = field(factory=list)

    def __call__(self, _: object, __: object, panel: Any) -> None:  # noqa: ANN401 - a HelpPanel, whose import is slow
        rows = [
            HelpRow(
                name=(entry.positive_names or entry.names or ("",))[0],
                text=_plain(entry.description),
                short=next(iter(entry.positive_shorts), ""),
                value=entry.metavar or "",
                is_required=entry.required,
            )
            for entry in panel.entries
        ]
        if rows:
            self.sections.append(Section(_plain(panel.title), _plain(panel.description), tuple(rows)))

    def render_usage(self, *_: object) -> None:
        """Omit the usage."""

    def render_description(self, *_: object) -> None:
        """Omit the description."""


def options_app(owner: type, program: str, texts: Mapping[str, str]) -> App:
    """Return an App with the documented flags of one class, for generating help; it cannot run."""
    group = Group("Flags")
    seen = option_view(owner, help_of={flag.field: described(flag, texts, group) for flag in flags_of(owner)})
    app = new_app(program, help_format="plaintext")
    app.default(with_options(lambda _, __: None, [option("options", owner, seen)]))
    return app


def described(flag: Flag, texts: Mapping[str, str], group: Group) -> Parameter:
    """Return the description of a flag."""
    return Parameter(help=texts.get(flag.field, ""), metavar=flag.flag_type.name, group=group, show_default=False)


def sections_of(app: App, *command: str) -> tuple[Section, ...]:
    """Return the sections of the App's help, or of a command's."""
    formatter = _SectionFormatter()
    app.help_formatter = cast("Any", formatter)
    console: Any = _Console()
    app.help_print(command, console=console)
    return tuple(formatter.sections)


def _plain(text: Any) -> str:  # noqa: ANN401 - a string, or what rich prints
    inner = getattr(text, "primary_renderable", text)
    return " ".join(str(getattr(inner, "plain", inner) or "").split())


def table(rows: Iterable[tuple[str, str]], width: int, paint: Paint = no_color, column: int = _COLUMN) -> list[str]:
    """Lay out names and their texts in two columns."""
    lines: list[str] = []
    for left, right in rows:
        lines_right = wrap(right, width - column, break_on_hyphens=False) or [""]
        name = f"{'':{_INDENT}}{paint('name', left)}"
        free = column - _INDENT - len(left)
        if free <= 1:
            lines.append(name)
            name, free = "", column
        lines.append(f"{name}{'':{free}}{lines_right[0]}".rstrip())
        lines += [f"{'':{column}}{line}" for line in lines_right[1:]]
    return lines


def titled(title: str, text: str, paint: Paint) -> str:
    """Return the text under its title."""
    return f"{paint('title', title)}:\n{text}"
