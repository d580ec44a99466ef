"""The help: as it was gathered when mcpi was built, or anew where packages of others add to it."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcpi.core.cli.help_text import Help, of_method, whole
from mcpi.core.version import DISTRIBUTION
from mcpi.shell.context import Context
from mcpi.shell.discovery.entry_points import entries, only_own
from mcpi.shell.io.terminal import paint, width

if TYPE_CHECKING:
    from mcpi.core.plans.method import AnyMethod
    from mcpi.core.plans.responders import Responder

GATHERED = Path(__file__).parents[2] / "help.json"


def gathered() -> Help:
    """The help as it was gathered when mcpi was built."""
    known: Help = json.loads(GATHERED.read_text(encoding="utf-8"))
    return known


def alone(context: Context) -> bool:
    """Whether no package of others adds to mcpi."""
    return only_own(context.environment) or all(entry.distribution == DISTRIBUTION for entry in entries(sys.path))


def gather(methods: "Iterable[AnyMethod]", responders: "Iterable[Responder[Any]]") -> Help:
    """The help of all that is loaded."""
    from mcpi.core.cli.help_data import described  # noqa: PLC0415 - the help as it was gathered needs none of it
    from mcpi.shell.discovery.field_docs import texts_of  # noqa: PLC0415 - see above

    return described(methods, (one.args for one in responders), texts_of)


def quick(context: Context) -> str | None:
    """The help, where it can be had without loading what it tells of."""
    words = [word for word in context.argv if word not in {"--help", "-h", "--method"}]
    if len(words) > 1 or not alone(context):
        return None
    return text(context, gathered(), words[0] if words else None)


def text(context: Context, known: Help, topic: str | None) -> str | None:
    """The whole help, or that of one method, if there is such a method."""
    wide = width(context.stdout, context.environment)
    colored = paint(context.stdout, context.environment)
    if topic is None:
        return whole(known, wide, colored)
    method = next((method for method in known["methods"] if method["name"] == topic), None)
    return None if method is None else of_method(known, method, wide, colored)
