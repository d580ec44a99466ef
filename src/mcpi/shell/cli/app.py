"""The command line of mcpi as a cyclopts App: each method is a command, and --method NAME calls the same command."""

import inspect
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Annotated, Any

from attrs import evolve
from cyclopts import App, ArgumentCollection, CycloptsError, MissingArgumentError, Parameter, Token

from mcpi.core.cli import command_line as drafts
from mcpi.core.cli import words as lines
from mcpi.core.cli.command_line import Draft
from mcpi.core.cli.flag_rules import check_params
from mcpi.core.cli.split import before_separator, split_line
from mcpi.core.flags.declare import Flag, GivenFlags, by_spelling, flags_of
from mcpi.core.flags.options import GROUPS, ModeOptions
from mcpi.core.flags.pairs import invalid
from mcpi.core.flags.types import read_switch
from mcpi.core.outcome.faults import Fault, Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.catalog import Catalog
from mcpi.core.plans.method import AnyMethod
from mcpi.shell.binding.flag_parser import (
    check_words,
    fault_of,
    given_flags,
    missing_value,
    new_app,
    normalized_switches,
    share_values,
)
from mcpi.shell.binding.option_view import WORDS, Refused, option, option_view, with_options

METHOD = ("--method", "-m")
METHOD_FLAG = Parameter(name=METHOD, negative=(), n_tokens=1, allow_leading_hyphen=True, json_list=False)
MODE_FLAGS = frozenset(flag.name for flag in flags_of(ModeOptions))
RESERVED = "__complete"


def read(
    argv: Sequence[str], environment: Mapping[str, str], catalog: Catalog, *, whole: bool = False
) -> Result[Draft]:
    """Parse the command line without reading files or standard input.

    Only the given flags are registered, because each one takes time; `whole` registers all flags.
    """
    return CommandLine(argv, environment, catalog, whole=whole).read()


def method_of(argv: Sequence[str], environment: Mapping[str, str], catalog: Catalog) -> str | None:
    """Return the name of the method of a command line that may be invalid."""
    line = CommandLine(argv, environment, catalog)
    line.read()
    return line.method_name


def _general(catalog: Catalog) -> tuple[type, ...]:
    return (*GROUPS, *(responder.args for responder in catalog.responders))


def known_flags(catalog: Catalog) -> Mapping[str, Flag]:
    """Return the flags of all methods by their spellings."""
    methods = (owned.method.args for owned in catalog.owned.values())
    return by_spelling(dict.fromkeys((*methods, *_general(catalog))))


class CommandLine:
    """One command line, and the App that parses it."""

    def __init__(
        self, argv: Sequence[str], environment: Mapping[str, str], catalog: Catalog, *, whole: bool = False
    ) -> None:
        """Split off the server's command and find the method among the words."""
        self._environment = environment
        self._catalog = catalog
        self._whole = whole
        self._general: tuple[type, ...] = _general(catalog)
        self._known: Mapping[str, Flag] = known_flags(catalog)
        argv = lines.with_repeated_flags(argv, self._known)
        before = before_separator(argv)
        place = lines.subcommand_place(before, self._known, catalog.owned)
        self._word = None if place is None else before[place]
        self._ours, self._server = split_line(argv, has_method=place is not None)
        self._method: AnyMethod | None = None
        self._asked: str | None = None
        self._variable = ""
        self._words: Sequence[str] = ()
        self._given: GivenFlags | None = None

    @property
    def method_name(self) -> str | None:
        """Name of the method, as far as the line has been parsed."""
        return self._method.name if self._method is not None else None

    def read(self) -> Result[Draft]:
        """Parse the line."""
        # A separate App instead of `App.meta`, which would double the parsing time.
        meta = new_app(lines.PROGRAM)
        meta.default(self._launch)
        try:
            result: Result[Draft] = meta(_free(self._ours))
        except Refused as refused:
            return self._refuse(refused.fault, refused.flag, refused.spelled)
        except CycloptsError as error:
            spelled = error.keyword if isinstance(error, MissingArgumentError) else None
            needed_by = self._method.name if self._method is not None else ""
            return self._refuse(fault_of(error, needed_by, self._known), "", spelled or "")
        return result

    def _launch(self, *words: WORDS, method: Annotated[tuple[str, ...], METHOD_FLAG] = ()) -> Result[Draft]:
        """Run the command of the method that --method or a word names, or the command without a method."""
        self._check_method_flag(method)
        rest = list(words)
        place = lines.subcommand_place(rest, self._known, self._catalog.owned)
        self._word = rest.pop(place) if self._word is not None and place is not None else None
        names = (*method, *(() if self._word is None else (self._word,)))
        names = (*names, *self._second_method(rest))
        if len(names) > 1:
            raise Refused(drafts.two_methods(*names[:2]).failure(), spelled="-m")
        self._find(names[0] if names else None, lines.named_flags(rest, self._known))
        if self._method is not None and self._method.name == "diff":
            rest = list(lines.with_sides(rest, self._known))
        elif self._word is not None:
            has_command = bool(self._server)
            rest = list(lines.with_named_words(self._word, rest, self._known, has_command=has_command))
        self._words = rest
        return self._call(normalized_switches(rest, self._known, self._unknown))

    def _check_method_flag(self, names: Sequence[str]) -> None:
        """Reject a flag as the value of --method, --method as the value of a flag, and -mNAME."""
        for name in names:
            if name.partition("=")[0] in self._known and not {f"{flag}={name}" for flag in METHOD} & {*self._ours}:
                raise missing_value("--method", name)
        flags = lines.roles(self._ours, self._known).flags
        for at, word in enumerate(self._ours):
            flag = word.partition("=")[0]
            if flag in METHOD and at not in flags:
                raise missing_value(self._ours[at - 1], word)
            if flag.startswith("-m") and flag not in METHOD and at in flags:
                raise Refused(self._unknown(word), spelled=word)

    def _second_method(self, words: Sequence[str]) -> Sequence[str]:
        """Return a method at the place of the target, as far as the methods are loaded."""
        if self._word is None or self._word in lines.NAMED or self._word == "diff":
            return ()
        place = lines.subcommand_place(words, self._known, self._catalog.owned)
        return () if place is None else words[place : place + 1]

    def _find(self, name: str | None, given: Collection[str]) -> None:
        """Find the method; a script needs none, and --summary alone means discover."""
        self._asked, self._variable = name, ""
        if name is None and "--script" not in given:
            self._asked = self._environment.get("MCPI_METHOD") or None
            self._variable = "MCPI_METHOD" if self._asked else ""
            name = self._asked or ("discover" if "--summary" in given else None)
        if name is None:
            return
        has_params = "--params" in given or bool(self._environment.get("MCPI_PARAMS"))
        match drafts.find_method(self._catalog, name, has_params=has_params):
            case Success(method):
                self._method = method
            case Failure(fault):
                raise Refused(fault, spelled="-m")

    def _call(self, words: list[str]) -> Result[Draft]:
        """Register the command with the flags that are named, and run it."""
        named = lines.named_flags(words, self._known)
        if any(name.startswith("MCPI_") for name in self._environment):
            named |= {flag.name for flag in self._known.values() if flag.variable in self._environment}
        own = () if self._method is None or "--params" in named else (self._method.args,)
        owners = {f"options{number}": owner for number, owner in enumerate((*self._general, *own))}
        command = with_options(self._run, list(self._options(owners, named)))
        self._owners = owners
        app = new_app(lines.PROGRAM, config=(self._hook,))
        if self._method is None:
            app.default(command)
        else:
            app.command(command, name=self._method.name)
            words = [self._method.name, *words]
        result: Result[Draft] = app(_free(words))
        return result

    def _options(self, owners: Mapping[str, type], named: set[str]) -> Iterable[inspect.Parameter]:
        for name, owner in owners.items():
            if self._whole and flags_of(owner):
                yield option(name, owner, option_view(owner))
            elif any(flag.required or flag.name in named for flag in flags_of(owner)):
                yield option(name, owner, option_view(owner, named))

    def _hook(self, _: App, __: tuple[str, ...], arguments: ArgumentCollection) -> None:
        """Check the words, and add the values of variables, before any value is converted."""
        allowed = by_spelling((*self._general, *(() if self._method is None else (self._method.args,))))
        check_words(arguments, self._ours, allowed, self._unknown)
        problem = self._hear(arguments, allowed)
        share_values(arguments)
        given = evolve(given_flags(arguments, allowed), repeated=lines.repeated_flags(self._words, self._known))
        if self._asked is not None:
            origins = {**given.origins, **({"--method": self._variable} if self._variable else {})}
            given = evolve(given, values={**given.values, "--method": (self._asked,)}, origins=origins)
        self._given = given
        if problem is not None and (problem.flag in MODE_FLAGS or not drafts.prints_information(given)):
            raise problem

    def _hear(self, arguments: ArgumentCollection, allowed: Mapping[str, Flag]) -> Refused | None:
        """Add the values of the variables for flags that are not on the command line; return the first problem."""
        own = given_flags(arguments, allowed)
        names = {*own.values, *(("--method",) if self._asked is not None and not self._variable else ())}
        mute = drafts.flags_with_ignored_variables(names, has_words=bool(own.words or self._server))
        problem: Refused | None = None
        for argument in arguments:
            flag = allowed.get(argument.name) if argument.keys else None
            text = None if flag is None else self._environment.get(flag.variable)
            if flag is None or text is None or argument.tokens or flag.name in mute:
                continue
            if not flag.is_switch:
                texts = (text.splitlines() if flag.repeatable else [text]) if text else []
                for index, one in enumerate(texts):
                    argument.append(Token(keyword=flag.variable, value=one, source="env", index=index))
                continue
            match read_switch(flag.variable, text):
                case Success(is_on):
                    argument.append(Token(keyword=flag.variable, implicit_value=is_on, source="env"))
                case Failure(fault):
                    problem = problem or Refused(fault, flag.name)
        return problem

    def _run(self, _: tuple[str, ...], values: Mapping[str, Any]) -> Result[Draft]:
        """Return the draft, once all values have been converted."""
        found = drafts.checked(self._draft({self._owners[name]: value for name, value in values.items()}))
        if isinstance(found, Success):
            self._check_target(found.unwrap().given.words)
        return found

    def _check_target(self, words: Sequence[str]) -> None:
        """Reject a word that is separated from the other words of the target."""
        bare = [place for place in lines.roles(self._ours, self._known).bare if self._ours[place] in words]
        for number, place in enumerate(bare[1:], 1):
            if place != bare[number - 1] + 1:
                target = [self._ours[one] for one in bare[:number]]
                raise Refused(lines.stray_word(self._ours[place], target), spelled=self._ours[bare[number - 1] + 1])

    def _draft(self, options: Mapping[type, Any]) -> Draft:
        assert self._given is not None
        if self._method is not None:
            options = {
                **options,
                ModeOptions: evolve(options.get(ModeOptions) or ModeOptions(), method=self._method.name),
            }
        given = {owner: value for owner, value in options.items() if flags_of(owner)}
        return Draft(self._given, self._method, self._catalog.responders, tuple(self._server), given)

    def _unknown(self, word: str) -> Fault:
        """Return the fault for an unknown flag, or for one that the method does not take."""
        spelled = word.partition("=")[0]
        flag = self._known.get(spelled)
        if self._method is not None and flag in flags_of(self._method.args) and flag is not None:
            is_named = "--params" in lines.named_flags(self._words, self._known)
            beside = check_params(self._method, "--params" if is_named else "MCPI_PARAMS", flag.name)
            assert beside is not None
            return beside.failure()
        own = () if self._method is None else (self._method.args,)
        known = [flag.name for owner in (*self._general, *own) for flag in flags_of(owner)]
        return drafts.unknown_flag(word, known, self._catalog, self._method)

    def _refuse(self, fault: Fault, flag: str, spelled: str) -> Result[Draft]:
        """Return the failure, with the corrected line if the flag may be the server's; flags like --help ignore it."""
        if self._given is not None and drafts.prints_information(self._given) and flag not in MODE_FLAGS:
            return Success(self._draft({}))
        return Failure(self._corrected(fault, spelled) if isinstance(fault, Invalid) else fault)

    def _corrected(self, fault: Invalid, spelled: str) -> Invalid:
        """Add the line that the user may have meant."""
        place = lines.subcommand_place(self._ours, self._known, self._catalog.owned)
        words = [word for at, word in enumerate(self._ours) if at != place]
        method = self._word or ""
        if fault.where == lines.NAMED.get(method, ("",))[0] and not spelled and fault.where not in self._server:
            from mcpi.core.cli.mistakes.missing_names import with_name_hint  # noqa: PLC0415 - only mistakes need it

            return with_name_hint(fault, method, words, self._server, self._known)
        from mcpi.core.cli.mistakes.server_flags import with_server_flags_hint  # noqa: PLC0415 - see above

        line = (method, words, self._server)
        return with_server_flags_hint(fault, spelled, line, self._known, self._catalog.owned)


def _free(words: Sequence[str]) -> list[str]:
    """Return the words; raise Refused if the first one is reserved by cyclopts."""
    if words and words[0] == RESERVED:
        raise Refused(invalid("target", f"{RESERVED} is a reserved name", "put a server's command after --").failure())
    return list(words)
