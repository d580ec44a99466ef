"""List the error messages of the source, with the code of each, for review."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from attrs import fields, frozen

from mcpi.core.outcome import faults

SOURCE = Path(__file__).parents[1] / "src" / "mcpi"
TREES = {path: ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))}
CONSTANTS = {
    node.targets[0].id: str(node.value.value)
    for tree in TREES.values()
    for node in tree.body
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Constant)
}
"""The values of the modules' constants."""
CLASSES: dict[str, type] = {
    owner.__name__: owner
    for owner in (
        faults.Invalid,
        faults.Unreachable,
        faults.Unauthorized,
        faults.TimedOut,
        faults.HttpFailed,
        faults.InvalidResponse,
        faults.MissingCapability,
        faults.OperationFailed,
    )
}
FIXED = {
    "Unauthorized": "AUTHENTICATION_FAILED",
    "HttpFailed": "HTTP_STATUS",
    "MissingCapability": "CAPABILITY_MISSING",
}
"""The codes of the faults that have only one."""
RESULTS = {"type_name": "type", "len": "number", "era_of": "era"}
"""The names of variable parts that are results of these functions."""
NAMES = {
    "strerror": "reason",
    "start": "position",
    **dict.fromkeys(("kind", "kind_name"), "type"),
    "spelled": "flag",
    "mistake": "problem",
}
"""The names of variable parts that have another name in the source, where it is usual or more exact."""
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@frozen(order=True)
class Message:
    """The text of an error, with the code of the fault; variable parts are in braces."""

    code: str
    text: str
    hints: tuple[str, ...]
    module: str


@frozen
class Builder:
    """A class or a function that makes a fault from a problem."""

    parameters: tuple[str, ...]
    code: str = ""


def table() -> Iterator[str]:
    """Yield the page."""
    yield "# Error messages\n"
    yield "This page lists the error messages by code, with variable parts in braces. mcpi prints many of them after"
    yield "the flag, file or argument that they are about, as in `--timeout: expected a duration …`. It appends the"
    yield "timeout to the messages under `request-timeout`, as in `--script: cannot read standard input within 500 ms`."
    yield "[Errors](../errors.md) explains the codes."
    code = ""
    for message in sorted(set(_messages())):
        if message.code != code:
            code = message.code
            yield f"\n## {code.lower().replace('_', '-')}\n"
            yield from ("| message | hints | module |", "| --- | --- | --- |")
        yield f"| {_cell(message.text)} | {_cell('; '.join(message.hints))} | `{message.module}` |"
    yield ""


def _cell(text: str) -> str:
    return re.sub(r"([|<*_`\\\[\]])", r"\\\1", " ".join(text.split()))


def _messages() -> Iterator[Message]:
    shared = {
        name: Builder(tuple(one.name for one in fields(owner)), FIXED.get(name, "")) for name, owner in CLASSES.items()
    }
    shared |= {
        node.name: found
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, Function)
        and not node.name.startswith("_")
        and (found := _builder(node, shared)) is not None
    }
    for path, tree in TREES.items():
        own = {
            node.name: found
            for node in ast.walk(tree)
            if isinstance(node, Function) and (found := _builder(node, shared)) is not None
        }
        module = path.relative_to(SOURCE).as_posix().removesuffix(".py")
        for call in ast.walk(tree):
            if isinstance(call, ast.Call):
                builder = (shared | own).get(ast.unparse(call.func).rpartition(".")[2])
                yield from () if builder is None else _of_call(call, builder, module)


def _builder(node: Function, known: dict[str, Builder]) -> Builder | None:
    """Return the builder, if the function passes its parameter `problem` on to a fault."""
    parameters = tuple(one.arg for one in node.args.args if one.arg != "self")
    if "problem" not in parameters:
        return None
    more = () if node.args.vararg is None else (f"*{node.args.vararg.arg}",)
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and (inner := known.get(ast.unparse(call.func).rpartition(".")[2])) is not None:
            return Builder((*parameters, *more), _code(_arguments(call, inner), inner))
    return None


def _arguments(call: ast.Call, builder: Builder) -> dict[str, list[ast.expr]]:
    """Return the arguments of a call by the names of the parameters."""
    found = {one.arg: [one.value] for one in call.keywords if one.arg is not None}
    for place, argument in enumerate(call.args):
        name = builder.parameters[min(place, len(builder.parameters) - 1)].removeprefix("*")
        found.setdefault(name, []).append(argument)
    return found


def _code(arguments: dict[str, list[ast.expr]], builder: Builder) -> str:
    return " or ".join(text for one in arguments.get("code", ()) for text in _texts(one)) or builder.code


def _of_call(call: ast.Call, builder: Builder, module: str) -> Iterator[Message]:
    arguments = _arguments(call, builder)
    hints = tuple(text for one in arguments.get("hints", ()) for text in _texts(one))
    for problem in arguments.get("problem", ()):
        for text in _texts(problem):
            yield Message(_code(arguments, builder), text, hints, module)


def _texts(node: ast.expr) -> Iterator[str]:
    """Yield the text of an expression; that of each branch, if it has several."""
    match node:
        case ast.Constant(value=str(text)) if text:
            yield text
        case ast.JoinedStr(values=values):
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else _shown(one) for one in values)
        case ast.IfExp(body=body, orelse=orelse):
            yield from (*_texts(body), *_texts(orelse))
        case ast.Tuple(elts=elements):
            for one in elements:
                yield from _texts(one)
        case _:
            return


def _shown(node: ast.expr) -> str:
    """Return the name of a variable part, without the calls that format it; the value of a constant."""
    match node:
        case ast.FormattedValue(value=value):
            return _shown(value)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return CONSTANTS.get(name) or f"{{{NAMES.get(name, name).strip('_')}}}"
        case ast.Call(func=ast.Name(id=name)) if name in RESULTS:
            return f"{{{RESULTS[name]}}}"
        case ast.Call(args=[ast.GeneratorExp() as items, *_]):
            return _shown(items.generators[0].iter)
        case ast.Call(args=[first, *_]) if not isinstance(first, ast.Constant):
            return _shown(first)
        case ast.Call(func=ast.Attribute(value=value)) | ast.Subscript(value=value):
            return _shown(value)
        case _:
            inner = [one for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute)]
            return _shown(inner[0]) if inner else "{...}"
