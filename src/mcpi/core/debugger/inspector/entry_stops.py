"""Stop a program before a script runs, so that its breakpoints are set in time.

V8 can stop before a module or a classic script, but not before a function that is compiled from text, which is how
Node.js loads CommonJS and how jest loads everything. For these, stop at the loader's functions, find the first
statement in the text that is about to be compiled, and stop the script there.
"""

import json
import re
from collections.abc import Sequence

from mcpi.core.debugger.sources.file_urls import path_of
from mcpi.core.debugger.sources.function_ranges import Position
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import Json, JsonObject, as_object, as_text

MODULE_SYNTAX = re.compile(r"^\s*(?:import|export)\b", re.MULTILINE)
_BUILTIN = "process.getBuiltinModule"
_OPTION = "(typeof arguments[{0}]==='string'?arguments[{0}]:arguments[{0}]?.filename)"


@frozen
class LoaderFunction:
    """A function that compiles text: how to find it, its file name argument, and what it puts before the text."""

    function: str
    file: str
    options: str
    prefix: str


LOADER_FUNCTIONS = (
    LoaderFunction(f"{_BUILTIN}('module').prototype._compile", "arguments[1]", "undefined", "(function(){"),
    LoaderFunction(f"{_BUILTIN}('vm').compileFunction", _OPTION.format(2), "arguments[2]", "(function(){"),
    LoaderFunction(f"{_BUILTIN}('vm').Script", _OPTION.format(1), "arguments[1]", ";"),
)


def stops_for(loader: LoaderFunction, paths: Sequence[str]) -> str:
    """Build the condition for a stop: the file is one of these, or has a source map that may refer to one."""
    is_file = "||".join([*(f"f==={json.dumps(path)}" for path in paths), "f.startsWith('file:')"])
    has_map = "c.lastIndexOf('sourceMappingURL=')>=0&&!f.includes('/node_modules/')"
    test = f"typeof c==='string'&&typeof f==='string'&&({is_file}||{has_map})"
    return f"((c,f)=>{test})(arguments[0],{loader.file})"


def describe_text(loader: LoaderFunction) -> str:
    """Build the expression for the text, its file, and the offset of its first line."""
    offset = f"((o)=>[o?.lineOffset|0,o?.columnOffset|0])({loader.options})"
    return f"({{text:arguments[0],file:{loader.file},offset:{offset}}})"


@frozen
class LoadedText:
    """A text that is about to be compiled."""

    text: str
    path: str
    offset: Position


def parse_text(answer: JsonObject) -> LoadedText | None:
    """Parse the evaluated description."""
    value = as_object(as_object(as_object(answer.get("result")).get("result")).get("value"))
    file, offset = as_text(value.get("file")), value.get("offset")
    path = path_of(file) if file.startswith("file:") else file
    if path is None or not path.startswith("/") or not isinstance(offset, list):
        return None
    return LoadedText(as_text(value.get("text")), path, (_number(offset[0]), _number(offset[1])))


def probe_source(loader: LoaderFunction, text: str) -> str:
    """Build a script with the same positions, in which V8 finds the first statement."""
    body = f"//{text[2:]}" if text.startswith("#!") else text
    return f"{loader.prefix}{body}\n}})" if loader.prefix != ";" else f";{body}"


def probe_start(loader: LoaderFunction) -> Position:
    """Return the position of the function's opening brace, or of the script's first character."""
    return 0, len(loader.prefix) - 1


def entry_position(loader: LoaderFunction, offset: Position, first: Position) -> Position:
    """Translate the first statement's position from the probe to the script."""
    line, column = first
    if line == 0:
        column += offset[1] - len(loader.prefix)
    return line + offset[0], column


def _number(value: Json) -> int:
    return value if isinstance(value, int) else 0
