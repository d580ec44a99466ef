"""Join values that the shell has split at a space, and correct arguments without a key and files without @."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from mcpi.core.cli.mistakes.corrected_line import CorrectedLine
from mcpi.core.cli.mistakes.missing_names import starts_server
from mcpi.core.cli.mistakes.typography import typographic_problem, without_quotes
from mcpi.core.cli.split import before_separator, value_of
from mcpi.core.cli.words import NAMED, SCRIPTS, is_url, named_flags, roles
from mcpi.core.flags.declare import STDIN, Flag
from mcpi.core.flags.pairs import NO_PAIR, is_pair, marked_file
from mcpi.core.flags.types import ASSIGNMENT, ELICITATION, HEADER, JSON, NAMED_FILE, PAIR, SAMPLING
from mcpi.core.jsontext.exact import Exact, parse_json_text
from mcpi.core.outcome.faults import DID_YOU_MEAN, Correction, Invalid, with_correction
from mcpi.core.targets.target import is_launcher

_SCHEMES = frozenset({"basic", "bearer", "token"})
_KEY = re.compile(r"[A-Za-z_]\w*")
_GAP = "\0"
EACH_ARGUMENT = "write each argument as key:=json"
_FROM_FILE = "to read all arguments from a file"


def joined_flag(argv: Sequence[str], known: Mapping[str, Flag], methods: Collection[str] = ()) -> CorrectedLine | None:
    """Join the value of a header or of a variable with the word after it."""
    words = before_separator(argv)
    flags, bare = roles(words, known)
    for place in flags:
        flag, value, after = known.get(words[place]), place + 1, place + 2
        if flag is None or after not in bare or (place and is_launcher(words[place - 1])):
            continue
        ending = words[value].rpartition(":")[2].strip().lower()
        if flag.flag_type is HEADER and ":" in words[value] and ending in {"", *_SCHEMES}:
            more = 1 + (words[after].lower() in _SCHEMES and after + 1 in bare)
            if not ending and len([at for at in bare if at < place]) > 1 and not {*words} & NAMED.keys():
                more = next(
                    (at for at in range(1, len(words)) if after + at not in bare or is_url(words[after + at])), 0
                )
            joined = " ".join(words[value : after + more])
            return CorrectedLine((*argv[:value], joined, *argv[after + more :]), "quote the header")
        if flag.name == "--token" and words[value].lower() in _SCHEMES:
            return CorrectedLine((*argv[:value], *argv[after:]), "--token requires the token alone")
        is_value = words[after] not in methods and not starts_server(words[after])
        if flag.flag_type in (ASSIGNMENT, NAMED_FILE) and "=" not in words[value] and is_value:
            joined = f"{words[value]}={words[after]}"
            return CorrectedLine((*argv[:value], joined, *argv[after + 1 :]))
    return None


def with_singular_flag(name: str, argv: Sequence[str], known: Mapping[str, Flag]) -> CorrectedLine | None:
    """Replace the flag for all arguments by the one for single arguments."""
    words = before_separator(argv)
    for place in roles(words, known).flags:
        spelled, equals, value = words[place].partition("=")
        flag = known.get(spelled)
        given = value if equals else "".join(words[place + 1 : place + 2])
        if flag is not None and flag.name == name and is_pair(given) and not given.startswith("{"):
            single = name.removesuffix("s")
            return CorrectedLine((*argv[:place], f"{single}={value}" if equals else single, *argv[place + 1 :]))
        if flag is not None and flag.name == name and (pairs := member_pairs(given)):
            each = (word for pair in pairs for word in (name.removesuffix("s"), pair))
            return CorrectedLine((*argv[:place], *each, *argv[place + (1 if equals else 2) :]), EACH_ARGUMENT)
    return None


def member_pairs(text: str) -> tuple[str, ...]:
    """Return the members of a JSON object as key:=json, or nothing if a key does not allow that."""
    parsed = parse_json_text(text)
    members = parsed.members() if isinstance(parsed, Exact) else {}
    pairs = tuple(f"{key}:={value.text}" for key, value in members.items() if key and "=" not in key)
    return pairs if len(pairs) == len(members) else ()


def corrected_arguments(argv: Sequence[str], known: Mapping[str, Flag]) -> CorrectedLine | None:
    """Correct the first words that should be key=value: the rest of a value, key:value, or values without keys."""
    words = before_separator(argv)
    corrected = _corrected_flag(argv, words, known) or _with_name_first(argv, words, known)
    if corrected is not None:
        return corrected
    arguments = _arguments(words, known)
    place = next((at for at in arguments if not is_pair(words[at])), None)
    if place is None:
        return None
    found = typographic_problem(words[place : place + 1], known)
    if found is not None and found.correction is not None:
        return CorrectedLine((*argv[:place], *found.correction.right, *argv[place + 1 :]))
    end = next((at for at in range(place, len(words)) if at not in arguments or is_pair(words[at])), len(words))
    if words[place].startswith("{"):
        return None
    before = words[place - 1]
    if is_pair(before) and not all(is_pair(_as_pair(word)) for word in words[place:end]):
        return _rest_of_value(argv, place, end)
    flag = NAMED.get(words[roles(words, known).bare[0]], ("", ""))[1]
    if flag and len(arguments) == 1 and (words[place][:1] in {"@", STDIN} or words[place].endswith(SCRIPTS)):
        source = words[place] if words[place][:1] in {"@", STDIN} else f"@{words[place]}"
        reason = "to read all arguments from standard input" if words[place] == STDIN else _FROM_FILE
        return CorrectedLine((*argv[:place], f"{flag}s", source, *argv[end:]), reason)
    pairs = _paired(words[place:end])
    if not all(map(is_pair, pairs)):
        return _describing(argv, known)
    return CorrectedLine((*argv[:place], *pairs, *argv[end:]), "arguments are key=value")


def _with_name_first(argv: Sequence[str], words: Sequence[str], known: Mapping[str, Flag]) -> CorrectedLine | None:
    """Put the name of the tool or prompt before its arguments: tools/call a=1 add."""
    bare = [at for at in roles(words, known).bare if not is_url(words[at])]
    method = words[bare[0]] if bare else ""
    if NAMED.get(method, ("",))[0] in named_flags(words, known) or not all(_is_argument(words[at]) for at in bare[1:2]):
        return None
    name = next((at for at in reversed(bare[2:]) if not _is_argument(words[at])), None)
    if name is None:
        return None
    line = (*argv[: bare[1]], argv[name], *argv[bare[1] : name], *argv[name + 1 :])
    return CorrectedLine(line, "put the name before its arguments")


def _is_argument(word: str) -> bool:
    return is_pair(word) or word.startswith("{")


def with_marked_file(
    fault: Invalid, argv: Sequence[str], known: Mapping[str, Flag], is_file: Callable[[str], bool]
) -> Invalid:
    """Add a correction if the value of a JSON flag, or the word instead of arguments, is the name of a file."""
    flag, words = known.get(fault.where), before_separator(argv)
    if fault.correction is not None or flag is None:
        return fault
    if flag.flag_type in (JSON, SAMPLING, ELICITATION):
        value = value_of(flag.spellings, words) or ""
        if isinstance(parse_json_text(value), Exact) or not is_file(value):
            return fault
        return with_correction(fault, marked_file(value))
    if not fault.problem.startswith(NO_PAIR):
        return fault
    arguments = _arguments(words, known)
    is_only = len(arguments) == 1 and flag.name not in named_flags(words, known)
    file = words[arguments[0]] if is_only else ""
    if is_file(file):
        return with_correction(fault, Correction(file, (f"{flag.name}s", f"@{file}"), _FROM_FILE))
    place = next((at for at in roles(words, known).flags if words[at] in flag.spellings), len(words))
    value = "".join(words[place + 1 : place + 2])
    return with_correction(fault, _flag_with_file(words[place], value, f"{flag.name}s")) if is_file(value) else fault


def _flag_with_file(single: str, file: str, every: str) -> Correction:
    """Return the correction of a flag for one argument that has the name of a file as its value."""
    return Correction.chain(Correction(file, (f"@{file}",), _FROM_FILE), Correction(single, (every,)))


def _rest_of_value(argv: Sequence[str], place: int, end: int) -> CorrectedLine:
    """Join words with the value before them; a single word may also be an argument without a value."""
    word, (key, equals, value) = argv[place], argv[place - 1].partition("=")
    is_name = end == place + 1 and word.islower() and _KEY.fullmatch(word) is not None
    if is_name and isinstance(parse_json_text(value), Exact):
        return CorrectedLine((*argv[:place], f"{word}=VALUE", *argv[end:]), f"{word} has no value")
    text = without_quotes(" ".join(filter(None, (value, *argv[place:end]))))
    reason = "quote values with spaces" if " " in text else DID_YOU_MEAN
    reason = f"{reason}, or write {word}=VALUE" if is_name and value else reason
    return CorrectedLine((*argv[: place - 1], f"{key}{equals}{text}", *argv[end:]), reason)


def _corrected_flag(argv: Sequence[str], words: Sequence[str], known: Mapping[str, Flag]) -> CorrectedLine | None:
    """Correct the first flag whose value should be key=value: -a sku A1."""
    flags, bare = roles(words, known)
    for place in flags:
        spelled, equals, value = words[place].partition("=")
        flag, end = known.get(spelled), place + (1 if equals else 2)
        value = value if equals else "".join(words[place + 1 : end])
        if flag is None or flag.flag_type is not PAIR or is_pair(value) or not value:
            continue
        has_more = end in bare and not is_pair(words[end]) and not is_url(words[end]) and not equals
        if _KEY.fullmatch(value.removesuffix(":")) and has_more:
            value, end = f"{value.removesuffix(':')}={words[end]}", end + 1
        elif value.startswith(("{", "@")) and f"{flag.name}s" in known:
            reason = _FROM_FILE if value.startswith("@") else DID_YOU_MEAN
            return CorrectedLine((*argv[:place], f"{flag.name}s", value, *argv[end:]), reason)
        elif not equals and is_pair(_as_pair(value)):
            value = _as_pair(value)
        elif _KEY.fullmatch(value):
            return CorrectedLine((*argv[:place], spelled, f"{value}=VALUE", *argv[end:]), f"{value} has no value")
        else:
            continue
        return CorrectedLine((*argv[:place], spelled, value, *argv[end:]), "arguments are key=value")
    return None


def _arguments(words: Sequence[str], known: Mapping[str, Flag]) -> list[int]:
    """Return the places of the words after the method and the name."""
    return [at for at in roles(words, known).bare if not is_url(words[at])][2:]


def _paired(words: Sequence[str]) -> list[str]:
    """Return the words as pairs: `a = 1` and `a 1` become a=1; a value without a key is unchanged."""
    joined = re.sub(f"{_GAP}(:?=){_GAP}?", r"\1", re.sub(f"{_GAP}?:{_GAP}", ":", _GAP.join(words))).split(_GAP)
    keys, values = joined[::2], joined[1::2]
    if len(keys) == len(values) and all(map(_KEY.fullmatch, keys)) and not any(map(is_pair, values)):
        return [f"{key}={value}" for key, value in zip(keys, values, strict=True)]
    return [word if is_pair(word) else _as_pair(word) for word in joined]


def _as_pair(word: str) -> str:
    key, colon, value = word.partition(":")
    return f"{key.strip()}={value.strip()}" if colon and _KEY.fullmatch(key.strip()) else word


def _describing(argv: Sequence[str], known: Mapping[str, Flag]) -> CorrectedLine:
    """Return the line that lists the arguments of the tool or prompt."""
    words = before_separator(argv)
    dropped, method = _arguments(words, known), roles(words, known).bare[0]
    ours = ("describe" if at == method else word for at, word in enumerate(words) if at not in dropped)
    return CorrectedLine((*ours, *argv[len(words) :]), "arguments are key=value; to list them")
