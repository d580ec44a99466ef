"""Rules about flags that go together, or that exclude each other."""

from collections.abc import Callable, Iterable

from mcpi.core.cli.words import NO_METHOD, SIDES
from mcpi.core.flags.declare import STDIN, GivenFlags, flags_of
from mcpi.core.flags.pairs import File, invalid
from mcpi.core.flags.types import Source
from mcpi.core.frozen import frozen
from mcpi.core.outcome.faults import Correction, Invalid, with_correction
from mcpi.core.outcome.result import Failure
from mcpi.core.plans.method import AnyMethod
from mcpi.core.wire.versions import era_of

WHAT = ("for example: mcpi tools/list node server.js", "mcpi --help lists the methods and flags")
"""Hints for a command line without a method."""
INFORMATION_FLAGS = (
    *("--help", "--version", "--print-schema", "--list-methods", "--list-plugins", "--list-servers"),
    *("--completion", "--agent-help"),
)
"""Flags that print information about mcpi itself."""
EXCLUDED_BY_SCRIPT = ("--method", "--follow", "--watch", "--expect", "--dry-run", "--summary")
"""The flags that cannot be combined with --script."""
NEVER_IGNORED = ("--expect", "--dry-run")
"""Flags among them whose variables are not ignored silently, as that would skip checks or send requests."""
DOCUMENTS = ("--structured", "--watch", "--output", "--summary")
"""The flags that print one document rather than a stream."""
MODES = ("--follow", "--watch", "--script")
"""The flags with which a method is optional."""
OPPOSITES = {"--fail-on-error": "--no-fail-on-error", "--no-fail-on-error": "--fail-on-error"}
"""Flags that exclude each other; the last one on the command line wins over the environment."""
FILES = ("--trace", "--report-junit", "--report-tap", "--report-html", "--report-sarif", "--report-md")
"""The flags that write a file in addition to the result."""
FORMATS = frozenset({"json", "jsonl", "markdown", "pretty", "raw", "table", "text", "yaml"})
"""The values that --output has in other tools."""
WRITTEN = ("--output", *FILES, "--report", "--auth-store")
"""The flags that name a file to write."""
SINGLE = ("--script", "--params", "--config", "--server", "--output", *FILES)
"""The flags that name an input or an output, and take one value; so do the flags of methods."""


@frozen
class FlagRule:
    """A flag that requires at least one of several flags, or excludes several flags."""

    flag: str
    requires: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    hint: str = ""
    named: bool = False
    """True if the rule ignores flags that the environment sets."""


RULES = (
    FlagRule("--follow", excludes=DOCUMENTS, named=True, hint="use --watch to print one document"),
    FlagRule("--max-events", requires=("--follow",), named=True),
    FlagRule("--refetch", requires=("--follow",), named=True),
    FlagRule("--ping-interval", requires=("--follow",), named=True),
    FlagRule("--var", requires=("--script",), named=True),
    FlagRule("--ndjson", requires=("--script", "--follow", "--method"), named=True),
    FlagRule("--ndjson", excludes=("--output",), named=True),
    FlagRule("--script", excludes=EXCLUDED_BY_SCRIPT),
    FlagRule("--tool-args", excludes=("--tool-arg",)),
    FlagRule("--prompt-args", excludes=("--prompt-arg",)),
)
"""Rules for every command line."""
CALLS = (FlagRule("--ndjson", excludes=DOCUMENTS, named=True),)
"""Rules for command lines without a script."""
CONNECTED = (
    FlagRule("--breakpoint", requires=("--expression",)),
    FlagRule("--expression", requires=("--breakpoint",)),
    FlagRule("--max-results", requires=("--breakpoint",)),
    FlagRule("--fail-on-no-hit", requires=("--breakpoint",)),
)
"""Rules for command lines that connect to a server."""
WITHOUT_METHOD = (
    FlagRule("--dry-run", requires=("--method",)),
    FlagRule("--expect", requires=("--method",), named=True),
)
"""Rules for command lines without a method."""


def flag_problem(given: GivenFlags, method: AnyMethod | None) -> Failure[Invalid] | None:
    """Return the failure if flags exclude each other, or have no meaning for the method."""
    connects = CONNECTED if method is None or method.connects else ()
    found = _opposites(given) or _repeated(given, method) or _method_flags(given, method) or _first(given, RULES)
    found = found or (None if "--script" in given.values else _first(given, CALLS))
    found = found or output_format(given) or _file_flags(given) or _first(given, connects) or _era_flags(given)
    return found or (_first(given, WITHOUT_METHOD) if method is None else None)


def check_params(method: AnyMethod, params: str, flag: str = "") -> Failure[Invalid] | None:
    """Check that --params is valid for the method and not combined with the method's own flags."""
    if not method.is_protocol_method:
        return invalid(params, f"{method.name} is not a protocol method and takes only its own flags")
    return invalid(params, f"cannot be combined with {flag}") if flag else None


def _first(given: GivenFlags, rules: tuple[FlagRule, ...]) -> Failure[Invalid] | None:
    return next((broken for rule in rules if (broken := _broken(rule, given)) is not None), None)


def _broken(rule: FlagRule, given: GivenFlags) -> Failure[Invalid] | None:
    """Return the failure if the command line breaks the rule."""
    counted = [name for name in given.values if not (rule.named and name in given.origins)]
    if rule.flag not in counted:
        return None
    origin, hints = given.origins.get(rule.flag, rule.flag), (rule.hint,) if rule.hint else ()
    if rule.requires and not any(name in given.values for name in rule.requires):
        return invalid(origin, f"requires {_either(rule.requires)}", *hints)
    called = {"--method": f"the method {given.values['--method'][-1]}"} if "--method" in given.values else {}
    excluded = (given.origins.get(name, called.get(name, name)) for name in counted if name in rule.excludes)
    flag = next(excluded, None)
    return invalid(origin, f"cannot be combined with {flag}", *hints) if flag else None


def _opposites(given: GivenFlags) -> Failure[Invalid] | None:
    """Reject a flag and its opposite."""
    flag, *later = [name for name in given.values if name in OPPOSITES] or [""]
    return invalid(later[0], f"cannot be combined with {flag}") if later else None


def _repeated(given: GivenFlags, method: AnyMethod | None) -> Failure[Invalid] | None:
    """Reject a second value of a flag if the first one would be lost; for settings, the last value wins."""
    own = () if method is None else flags_of(method.args)
    single = {*SINGLE, *(flag.name for flag in own if not flag.repeatable and not flag.is_switch)}
    name = next((name for name in given.repeated if name in single), None)
    if name is None:
        return None
    return invalid(name, "given more than once, but takes one value", "to use each value, run mcpi once for each")


def _method_flags(given: GivenFlags, method: AnyMethod | None) -> Failure[Invalid] | None:
    """Check the method, its parameters, and the modes."""
    raw, params = "--params" in given.values, given.origins.get("--params", "--params")
    if method is None and raw:
        return invalid(params, "requires --method")
    if method is None and not any(mode in given.values for mode in MODES):
        return Failure(Invalid("MISSING_ARGUMENT", "--method", NO_METHOD, WHAT))
    return check_params(method, params) if method is not None and raw else None


def _era_flags(given: GivenFlags) -> Failure[Invalid] | None:
    """Check that --protocol-version belongs to the --era."""
    given_era, version = (given.values.get(flag, (None,))[-1] for flag in ("--era", "--protocol-version"))
    if version is None or given_era in {None, "auto", era_of(version)}:
        return None
    origin = given.origins.get("--protocol-version", "--protocol-version")
    return invalid(origin, f"{version} belongs to the {era_of(version)} era and conflicts with --era {given_era}")


def output_format(given: GivenFlags) -> Failure[Invalid] | None:
    """Reject the name of a format for --output, which takes a file."""
    word = given.values.get("--output", ("",))[-1]
    if word not in FORMATS:
        return None
    problem = f"expected a file, got the format {word!r}"
    fault = invalid("--output", problem, f"to write a file of this name, use ./{word}").failure()
    return Failure(with_correction(fault, Correction(word, (), "the output is already JSON")))


def _file_flags(given: GivenFlags) -> Failure[Invalid] | None:
    """Reject stdout for a file that is written in addition to the result."""
    files = {name: given.values.get(name, ()) for name in FILES}
    files["--report"] = tuple(value.partition("=")[2] for value in given.values.get("--report", ()))
    for name, paths in files.items():
        if STDIN in paths:
            return invalid(
                given.origins.get(name, name),
                "stdout is reserved for the result",
                "use another file, such as /dev/stderr",
            )
    return None


def shared_file(
    given: GivenFlags, read: Iterable[tuple[str, Source]], identify: Callable[[str], str]
) -> Failure[Invalid] | None:
    """Reject a file to write that is also read, or that another flag writes; `identify` maps a name to its file."""
    written = ((flag, value) for flag in WRITTEN for value in given.values.get(flag, ()))
    used = [(flag, value) for flag in (*SIDES, "--accept") for value in given.values.get(flag, ())]
    used += [(flag, source.path) for flag, source in read if isinstance(source, File)]
    taken = {identify(name): flag for flag, name in used}
    for flag, value in written:
        name = value.partition("=")[2] if flag == "--report" else value
        if name == STDIN or name.startswith("/dev/"):
            continue
        file, origin = identify(name), given.origins.get(flag, flag)
        if file in taken:
            return invalid(origin, f"{name} is already used by {taken[file]}", "choose another file")
        taken[file] = origin
    return None


def _either(flags: tuple[str, ...]) -> str:
    """List the flags: a, b or c."""
    return " or ".join(filter(None, (", ".join(flags[:-1]), flags[-1])))
