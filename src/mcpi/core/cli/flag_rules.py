"""Rules about flags that go together, or that exclude each other."""

from mcpi.core.cli.words import NO_METHOD
from mcpi.core.flags.declare import STDIN, GivenFlags
from mcpi.core.flags.pairs import invalid
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure
from mcpi.core.plans.method import AnyMethod
from mcpi.core.wire.versions import era_of

WHAT = ("for example: mcpi node server.js --method tools/list", "mcpi --help lists the methods and flags")
"""Hints for a command line without a method."""
BESIDE_SCRIPT = ("--method", "--follow", "--watch", "--expect", "--dry-run", "--summary")
"""The flags that say what a script says itself."""
BINDING = ("--expect", "--dry-run")
"""Those of them that are not ignored even where the environment gives them: less would be checked, or more be sent."""
DOCUMENTS = ("--structured", "--watch", "--output", "--summary")
"""The flags that want one document rather than a stream."""
MODES = ("--follow", "--watch", "--script")
"""The flags that give a command line a purpose without a method."""
OPPOSITES = {"--fail-on-error": "--no-fail-on-error", "--no-fail-on-error": "--fail-on-error"}
"""Flags that exclude each other."""
FILES = ("--trace", "--report-junit", "--report-tap", "--report-html", "--report-sarif", "--report-md")
"""The flags that want a file beside the result; that itself may go to stdout, where it goes anyhow."""


def beside_params(method: AnyMethod, params: str, flag: str = "") -> Failure[Invalid] | None:
    """Check that --params suits the method and has no flag of the method's own beside it."""
    if not method.is_protocol_method:
        return invalid(params, f"{method.name} is not a protocol method and takes only its own flags")
    return invalid(params, f"cannot be combined with {flag}") if flag else None


def _contradiction(given: GivenFlags) -> Failure[Invalid] | None:
    """Refuse two flags of which one is the opposite of the other."""
    named = [flag for flag in given.values if flag in OPPOSITES]
    return invalid(named[1], f"conflicts with {named[0]}") if named[1:] else None


def _method_flags(given: GivenFlags, method: AnyMethod | None) -> Failure[Invalid] | None:
    """Check the method, its parameters, and the modes."""
    raw, params = "--params" in given.values, given.origins.get("--params", "--params")
    if method is None and raw:
        return invalid(params, "requires --method")
    if method is None and not any(mode in given.values for mode in MODES):
        return Failure(Invalid("MISSING_ARGUMENT", "--method", NO_METHOD, WHAT))
    return beside_params(method, params) if method is not None and raw else None


def _debug_flags(given: GivenFlags, method: AnyMethod | None) -> Failure[Invalid] | None:
    """Check that --breakpoint and --expression come together."""
    if method is not None and not method.connects:
        return None
    for flag, other in (("--breakpoint", "--expression"), ("--expression", "--breakpoint")):
        if flag in given.values and other not in given.values:
            return invalid(given.origins.get(flag, flag), f"requires {other}")
    for flag in ("--max-results", "--fail-on-no-hit"):
        if flag in given.values and "--breakpoint" not in given.values:
            return invalid(given.origins.get(flag, flag), "requires --breakpoint")
    return None


def _script_flags(given: GivenFlags) -> Failure[Invalid] | None:
    """Check the flags that exclude --script, and those that need it."""
    named = [name for name in given.values if name not in given.origins]
    if "--script" in given.values:
        beside = [given.origins.get(name, name) for name in given.values if name in BESIDE_SCRIPT]
        if "--ndjson" in named and "--output" in named:
            return invalid("--ndjson", "prints a stream and cannot be combined with --output")
        return invalid("--script", f"cannot be combined with {beside[0]}") if beside else None
    if "--var" in named:
        return invalid("--var", "requires --script")
    if "--ndjson" in named and "--follow" not in given.values:
        return invalid("--ndjson", "requires --script or --follow")
    return None


def _era_flags(given: GivenFlags) -> Failure[Invalid] | None:
    """Check that --protocol-version belongs to the --era."""
    era, version = (given.values.get(flag, (None,))[-1] for flag in ("--era", "--protocol-version"))
    if version is None or era in {None, "auto", era_of(version)}:
        return None
    origin = given.origins.get("--protocol-version", "--protocol-version")
    return invalid(origin, f"{version} belongs to the {era_of(version)} era and conflicts with --era {era}")


def _file_flags(given: GivenFlags) -> Failure[Invalid] | None:
    """Refuse stdout for a file that is written in addition to the result."""
    for name in FILES:
        if STDIN in given.values.get(name, ()):
            return invalid(
                given.origins.get(name, name), "stdout is reserved for the result", "for example /dev/stderr"
            )
    return None


def _follow_flags(given: GivenFlags) -> Failure[Invalid] | None:
    """Flags that mean nothing together."""
    named = {name for name in given.values if name not in given.origins}
    follow = "--follow" in given.values
    for other in DOCUMENTS if "--follow" in named else ():
        if other in named:
            return invalid(
                "--follow", f"prints a stream and cannot be combined with {other}", "use --watch for a document"
            )
    for flag in ("--max-events", "--refetch", "--ping-interval"):
        if flag in named and not follow:
            return invalid(flag, "requires --follow")
    return None


def _lone_flags(given: GivenFlags) -> Failure[Invalid] | None:
    """Refuse flags about a request or a result if there is no method."""
    if "--dry-run" in given.values:
        origin = given.origins.get("--dry-run", "--dry-run")
        return invalid(origin, "requires --method")
    if "--expect" in given.values and "--expect" not in given.origins:
        return invalid("--expect", "requires --method")
    return None


def flag_problem(given: GivenFlags, method: AnyMethod | None) -> Failure[Invalid] | None:
    """Return the failure if flags contradict each other, or mean nothing for the method."""
    clash = _contradiction(given) or _method_flags(given, method) or _follow_flags(given) or _script_flags(given)
    clash = clash or _file_flags(given) or _debug_flags(given, method) or _era_flags(given)
    return _lone_flags(given) if clash is None and method is None else clash
