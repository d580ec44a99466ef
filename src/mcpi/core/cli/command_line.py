"""Check a parsed command line as far as possible without reading anything."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from attrs import evolve, field

from mcpi.core.cli.flag_rules import (
    DOCUMENTS,
    EXCLUDED_BY_SCRIPT,
    INFORMATION_FLAGS,
    NEVER_IGNORED,
    OPPOSITES,
    flag_problem,
    output_format,
)
from mcpi.core.cli.words import NAMED, NO_SUCH_FLAG, RUN_SCRIPT, SCRIPTS, counterpart, is_url, own_flags
from mcpi.core.flags.declare import ALIASES, GivenFlags, by_spelling, flags_of
from mcpi.core.flags.options import GROUPS, AuthOptions
from mcpi.core.flags.pairs import invalid
from mcpi.core.frozen import frozen
from mcpi.core.outcome.faults import Correction, Invalid, with_correction, with_nearest
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.catalog import Catalog
from mcpi.core.plans.method import AnyMethod, vendor_method
from mcpi.core.plans.responders import Responder
from mcpi.core.secrets.detection import mask_url, mask_word
from mcpi.core.targets.target import Http, Sse, Stdio, Target, parse_target
from mcpi.core.text.suggestions import nearest

T = TypeVar("T")

FEW = 3
"""Maximum number of methods that an error lists."""
FLAG_CUTOFF = 0.66
"""Minimum similarity of a flag that is suggested."""
OTHERS_CUTOFF = 0.75
"""Minimum similarity of a suggested flag that belongs to another method."""
FLAGS_BY_TARGET: Mapping[str, tuple[str, ...]] = {
    "URL": ("--header", "--token", *(flag.name for flag in flags_of(AuthOptions))),
    "command": ("--env", "--cwd", "--breakpoint", "--wait"),
}
"""Flags that apply to only one kind of target."""


@frozen
class Draft:
    """A command line whose flags are valid; files, variables and standard input have not been read yet."""

    given: GivenFlags
    method: AnyMethod | None
    responders: tuple[Responder[Any], ...]
    server: tuple[str, ...] = ()
    options: Mapping[type, Any] = field(factory=dict)
    """The options that differ from their defaults, by class."""

    def of(self, owner: type[T]) -> T:
        """Return the options of a class."""
        found: T = self.options[owner] if owner in self.options else owner()
        return found

    @property
    def owners(self) -> tuple[type, ...]:
        """The option classes whose flags are allowed."""
        own = (self.method.args,) if self.method is not None else ()
        return (*GROUPS, *(responder.args for responder in self.responders), *own)

    @property
    def words(self) -> tuple[str, ...]:
        """The words that are not flags: those of the target, and the arguments of a tool or prompt."""
        arguments = (self.given.values.get(flag, ()) for flag in ("--tool-arg", "--prompt-arg"))
        return (*self.given.words, *(word for values in arguments for word in values))

    @property
    def names_all_targets(self) -> bool:
        """True if the method connects only to targets that its own flags name."""
        method = self.method
        return method is not None and method.connects and not method.connects_with(self.options.get(method.args))

    @property
    def prints_information(self) -> bool:
        """True if information about mcpi itself is requested."""
        return prints_information(self.given)


def prints_information(given: GivenFlags) -> bool:
    """Tell whether information about mcpi itself is requested."""
    return any(flag in given.values for flag in INFORMATION_FLAGS)


def passed_flags_warning(draft: Draft) -> tuple[str, ...]:
    """Return the warning about flags of mcpi in the server's command, which the user may have meant for mcpi."""
    has_flags = any(word.startswith("-") for word in draft.server)
    passed = own_flags(draft.server, by_spelling(draft.owners)) if has_flags else []
    was, it = ("was", "it") if len(passed) == 1 else ("were", "them")
    text = f"{' and '.join(passed)} {was} passed to the server; to give {it} to mcpi, put {it} before --"
    return (text,) if passed else ()


def flags_with_ignored_variables(own: Collection[str], *, has_words: bool) -> set[str]:
    """Return the flags whose variables are ignored because the command line already has a target or a mode."""
    mute = set(map(OPPOSITES.__getitem__, OPPOSITES.keys() & set(own)))
    if has_words or "--demo" in own:
        mute |= {"--config", "--demo", "--server"}
    elif "--config" in own:
        mute |= {"--demo"}
    if "--follow" in own:
        mute |= set(DOCUMENTS)
    elif any(flag in own for flag in DOCUMENTS):
        mute |= {"--follow"} if "--script" in own else {"--follow", "--ndjson"}
    if "--script" in own:
        mute |= {"--params", *EXCLUDED_BY_SCRIPT} - set(NEVER_IGNORED)
    elif any(flag in own for flag in ("--method", "--follow", "--watch")):
        mute |= {"--script"}
    return mute


def find_method(catalog: Catalog, name: str, *, has_params: bool) -> Result[AnyMethod]:
    """Return the method of that name; with parameters it may be one that only the server knows."""
    match catalog.find(name):
        case Failure(Invalid(code="UNKNOWN_METHOD")) if has_params:
            return Success(vendor_method(name))
        case found:
            return found


def two_methods(first: str, second: str) -> Failure[Invalid]:
    """Return the failure for a positional method in addition to --method."""
    return invalid("--method", f"{first} and {second} are both methods; give only one")


def unknown_flag(token: str, known: Iterable[str], catalog: Catalog, method: AnyMethod | None) -> Invalid:
    """Return the fault for a flag that the method does not take, with the nearest existing flag."""
    # The password of -uUSER:PASSWORD is not repeated.
    name = token.partition("=")[0]
    spelled = "-u" if name.startswith("-u") and ":" in name else name
    owners = [(flag.name, one.method.name) for one in catalog.owned.values() for flag in flags_of(one.method.args)]
    method_args = () if method is None else (method.args,)
    canonical = ALIASES.get(spelled, spelled)
    takers = [name for flag, name in owners if flag == canonical]
    if takers:
        problem = f"{spelled} is a flag of {_few(takers)}"
        if method is not None:
            fault = Invalid("INVALID_ARGUMENT", spelled, f"{problem}, not of {method.name}")
            return with_nearest(fault, spelled, counterpart(canonical, method.name))
        meant = Correction("", (takers[0],))
        return Invalid("INVALID_ARGUMENT", spelled, f"{problem}; no method given", correction=meant)
    others, own = dict(reversed(owners)), dict.fromkeys(known)
    from mcpi.core.cli.foreign_flags import FLAGS  # noqa: PLC0415 - only mistakes need it

    positive = spelled.replace("--no-", "--", 1)
    switches = (flag.name for owner in (*GROUPS, *method_args) for flag in flags_of(owner) if flag.is_switch)
    if positive != spelled and positive in switches:
        off = Correction(token, (), f"{positive} is off by default")
        return with_correction(Invalid("INVALID_ARGUMENT", spelled, NO_SUCH_FLAG), off)
    foreign = FLAGS.get(spelled)
    near = None
    if foreign is not None and foreign.kind == "hint":
        hint = f"{foreign.reason}: {foreign.right}" if foreign.right else foreign.reason
        return Invalid("INVALID_ARGUMENT", spelled, NO_SUCH_FLAG, (hint,))
    if foreign is not None and (
        foreign.kind == "method" or foreign.right in (own if foreign.needs else {**others, **own})
    ):
        near = counterpart(foreign.right, "" if method is None else method.name) or foreign.right
    if foreign is None or spelled == "--url":
        alike = [one for one in others if nearest(spelled, [one], OTHERS_CUTOFF)]
        near = nearest(spelled, dict.fromkeys((*alike, *own)), FLAG_CUTOFF)
    fault = Invalid("INVALID_ARGUMENT", spelled, NO_SUCH_FLAG)
    if near not in others or near in own or method is None:
        return with_nearest(fault, spelled, near)
    return evolve(fault, hints=(f"{near} is a flag of {others[near]}",))


def _few(names: Sequence[str]) -> str:
    """List at most three of the names."""
    return ", ".join(names[:FEW]) + (f" and {len(names) - FEW} more" if len(names) > FEW else "")


def checked(draft: Draft) -> Result[Draft]:
    """Check that the flags can be combined; their values are already parsed."""
    if draft.prints_information:
        is_json = any(flag.startswith(("--list-", "--print-schema")) for flag in draft.given.values)
        return (output_format(draft.given) if is_json else None) or Success(draft)
    if not all(map(str.isascii, (*draft.words, *draft.server[:1]))):
        from mcpi.core.cli.mistakes.typography import typographic_problem  # noqa: PLC0415 - only mistakes need it

        problem = typographic_problem(draft.words, by_spelling(draft.owners), draft.server)
        if problem is not None:
            return Failure(problem)
    clash = flag_problem(draft.given, draft.method)
    if clash is not None and draft.method is None and "--script" not in draft.given.values:
        from mcpi.core.cli.mistakes.missing_methods import unknown_method  # noqa: PLC0415 - only mistakes need it

        unknown = unknown_method(draft.given, draft.server)
        clash = clash if unknown is None else Failure(unknown)
    return _target_checked(draft) if clash is None else clash


SIDES = "each is a lock file, a URL, config:NAME or a command in quotes: mcpi diff mcpi.lock.json 'node server.js'"
NO_SIDE = Failure(Invalid("MISSING_ARGUMENT", "target", "nothing to compare: give OLD and NEW", (SIDES,)))


def _target_checked(draft: Draft) -> Result[Draft]:
    given = draft.given
    misplaced = _misplaced_words(draft)
    if misplaced is not None:
        return Failure(misplaced)
    named = [name for name in ("--demo", "--config") if name in given.values]
    target = (*given.words, *draft.server)
    if target:
        named.append(f"the target {mask_word(target[0])!r}")
    if len(named) > 1 or ("--server" in given.values and named not in ([], ["--config"])):
        return _two_targets(given, named, target)
    if draft.names_all_targets:
        rest = [name for name in named if name != "--config"]
        problem = "OLD and NEW already name both sides"
        return invalid(rest[0], problem, f"omit {rest[0]}, OLD or NEW") if rest else Success(draft)
    # A script must be read before it is known if it needs a server.
    needs = "--script" not in given.values if draft.method is None else draft.method.connects
    if needs and not (named or "--server" in given.values):
        from mcpi.core.cli.pasteable import no_target  # noqa: PLC0415 - only mistakes need it

        return no_target(*_words_of(draft)) if draft.method is None or draft.method.needs_target is None else NO_SIDE
    return _words_checked(draft, target)


def _misplaced_words(draft: Draft) -> Invalid | None:
    """Return the fault for words of the target that belong elsewhere."""
    words = draft.given.words
    first = words[0] if words else ""
    method = "" if draft.method is None else draft.method.name
    if (method and "=" in first) or ("--script" in draft.given.values and any("=" in word for word in words[:2])):
        from mcpi.core.cli.mistakes.missing_names import unflagged_arguments  # noqa: PLC0415 - only mistakes need it

        return unflagged_arguments(draft.given, method)
    is_script = first.endswith(SCRIPTS) or ("--script" in draft.given.values and first in RUN_SCRIPT)
    if method not in {"diff", "debug/script", "lock"} and not is_script:
        return None
    from mcpi.core.cli.mistakes.misplaced_words import target_problem  # noqa: PLC0415 - see above

    return target_problem(draft.given, method, draft.server)


def _two_targets(given: GivenFlags, named: Sequence[str], target: tuple[str, ...]) -> Failure[Invalid]:
    """Return the failure for two targets; correct a word that names a config file."""
    word, has_server = target[0] if len(target) == 1 else "", "--server" in given.values
    if len(named) == 1 and named == ["--demo"]:
        return invalid("--demo", "--demo cannot be combined with --server")
    if len(named) == 1 and word.endswith((".json", ".jsonc")):
        problem = f"{word!r} is a config file; use --config"
        return Failure(with_correction(invalid("target", problem).failure(), Correction(word, ("--config", word))))
    both = [*(["--server"] if has_server and "--config" not in named else []), *named]
    return invalid(both[0], f"{' and '.join(both)} are both targets; give only one")


def _words_of(draft: Draft) -> tuple[str, ...]:
    """Return the method, with its name and arguments, as words."""
    if draft.method is None:
        return ()
    flags = NAMED.get(draft.method.name, ())
    return (draft.method.name, *(value for flag in flags for value in draft.given.values.get(flag, ())))


def _words_checked(draft: Draft, target: tuple[str, ...]) -> Result[Draft]:
    if not target:
        return (_unfit_demo(draft.given) if "--demo" in draft.given.values else None) or Success(draft)
    transport = draft.given.values.get("--transport", (None,))[-1]
    match parse_target(target, transport):  # type: ignore[arg-type]
        case Success(made):
            return target_flag_problem(draft.given, made) or Success(draft)
        case Failure() as failed:
            is_value = "--wait" in draft.given.values and is_url(target[0])
            return (target_flag_problem(draft.given, Http(target[0])) if is_value else None) or failed


def _unfit_demo(given: GivenFlags) -> Failure[Invalid] | None:
    if given.values.get("--transport", ("stdio",))[-1] != "stdio" and "--transport" not in given.origins:
        return invalid("--transport", "the demo server supports only stdio")
    for name in ("--env", "--cwd"):
        if name in given.values and name not in given.origins:
            return invalid(name, "applies only to a command, not to the demo server")
    return _unfit(given, "URL", "the demo server")


def target_flag_problem(given: GivenFlags, target: Target) -> Failure[Invalid] | None:
    """Reject flags that do not apply to the target."""
    match target:
        case Stdio(command):
            return _unfit(given, "URL", f"the command {command[0]!r}")
        case Http(url) | Sse(url):
            return _unfit(given, "command", f"the URL {mask_url(url)}")


def _unfit(given: GivenFlags, kind: str, target: str) -> Failure[Invalid] | None:
    for name in FLAGS_BY_TARGET[kind]:
        if name in given.values and name not in given.origins:
            hints = ("to wait until a server has started, use --retry N",) if name == "--wait" else ()
            return invalid(name, f"applies only to a {kind}, not to {target}", *hints)
    return None
