"""Find several words that quotation marks have joined into one, and JSON without quotation marks."""

import re
from collections.abc import Collection, Mapping, Sequence

from mcpi.core.cli.foreign_flags import method_named
from mcpi.core.cli.words import roles
from mcpi.core.flags.declare import Flag
from mcpi.core.flags.types import JSON
from mcpi.core.outcome.faults import Correction, Invalid, with_correction
from mcpi.core.outcome.result import Success
from mcpi.core.secrets.detection import mask_word
from mcpi.core.targets.target import is_launcher, split_command

_UNQUOTED = re.compile(r"\{?\w+:(?!//)")
"""The beginning of a JSON object without quotation marks."""
REASON = "write the words without quotes"


def quoted_problem(words: Sequence[str], known: Mapping[str, Flag], methods: Collection[str]) -> Invalid | None:
    """Return the fault for a first word that contains a method, or a command, and further words."""
    bare = roles(words, known).bare
    word = words[bare[0]] if bare else ""
    match split_command(word):
        case Success((first, _, *_) as parts) if is_launcher(first) or method_named(first, methods):
            fault = Invalid("INVALID_ARGUMENT", "", f"{mask_word(word)!r} is one word because of the quotes")
            return with_correction(fault, Correction(word, parts, REASON))
        case _:
            return None


def unquoted_json(words: Sequence[str], known: Mapping[str, Flag]) -> Invalid | None:
    """Return the fault for a JSON object without quotes, which the shell may have split."""
    for place in roles(words, known).flags:
        flag, text = known.get(words[place]), "".join(words[place + 1 : place + 2])
        if flag is not None and flag.flag_type is JSON and _UNQUOTED.match(text):
            key = text.partition(":")[0].strip("{")
            hint = f"quote the JSON: {words[place]} '{{\"{key}\": ...}}'"
            return Invalid(
                "INVALID_ARGUMENT", flag.name, "the JSON has no double quotes; the shell may have removed them", (hint,)
            )
    return None
