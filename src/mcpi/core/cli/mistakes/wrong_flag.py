"""A flag that mcpi does not have, and the words around it."""

from collections.abc import Mapping, Sequence

from mcpi.core.cli.foreign_flags import MEANT
from mcpi.core.cli.mistakes.missing_names import starts_server
from mcpi.core.cli.split import before_separator, value_of
from mcpi.core.cli.words import NAMED, SCRIPTS, TARGETS, is_url, named_flags, roles
from mcpi.core.flags.declare import Flag
from mcpi.core.frozen import frozen
from mcpi.core.targets.target import is_launcher


@frozen
class WrongFlag:
    """A flag that mcpi does not have, and the words around it."""

    name: str
    place: int
    argv: Sequence[str]
    known: Mapping[str, Flag]

    @property
    def words(self) -> Sequence[str]:
        """The words before the separator."""
        return before_separator(self.argv)

    @property
    def bare(self) -> Sequence[int]:
        """The places of the words that are neither flags nor values."""
        return roles(self.words, self.known).bare

    @property
    def equals(self) -> bool:
        """True if the flag is written as --flag=value."""
        return "=" in self.words[self.place]

    @property
    def value(self) -> str | None:
        """The text after the equals sign, or the next word, if it can be a value."""
        if self.equals:
            return self.words[self.place].partition("=")[2]
        after = self.words[self.place + 1 : self.place + 2]
        is_value = bool(after) and (not after[0].startswith("-") or after[0][1:2].isdigit())
        return after[0] if is_value else None

    @property
    def end(self) -> int:
        """The place after the value."""
        return self.place + (1 if self.equals else 2)

    @property
    def method(self) -> str:
        """The method, if it is the first word; other tools may have another name for it."""
        first = next((self.words[at] for at in self.bare if not is_url(self.words[at])), "")
        return MEANT.get(first, first)

    @property
    def argument(self) -> str:
        """The flag of the method's arguments, if it has any."""
        return NAMED.get(self.called, ("", ""))[1]

    @property
    def called(self) -> str:
        """The method that a flag or a word names."""
        return value_of(("--method", "-m"), self.words) or self.method

    @property
    def has_target(self) -> bool:
        """True if the target is given by the separator, a flag or a URL."""
        is_given = len(self.words) < len(self.argv) or bool(named_flags(self.words, self.known) & {*TARGETS})
        return is_given or any(is_url(self.words[at]) for at in self.bare if at != self.place + 1)

    @property
    def has_script(self) -> bool:
        """True if a word may be the file of a script."""
        is_script = (self.words[at].endswith(SCRIPTS) for at in self.bare)
        return any(is_script) or "--script" in named_flags(self.words, self.known)

    @property
    def has_name(self) -> bool:
        """True if the name of the tool or prompt is before the flag."""
        before = [at for at in self.bare if at < self.place and not is_url(self.words[at])]
        flag = next((name for name, argument in NAMED.values() if argument and argument == self.argument), "")
        return len(before) > 1 or flag in named_flags(self.words, self.known)

    @property
    def follows_command(self) -> bool:
        """True if the server's command is before the flag."""
        before = [self.words[at] for at in self.bare if at < self.place]
        return len(self.words) == len(self.argv) and any(starts_server(word) for word in before)


def find_wrong_flag(name: str, argv: Sequence[str], known: Mapping[str, Flag]) -> WrongFlag | None:
    """Find the flag, unless it belongs to a launcher; a negative number is the value of the flag before it."""
    words = before_separator(argv)
    place = next((at for at in roles(words, known).flags if words[at].partition("=")[0] == name), None)
    if place is None or (place and is_launcher(words[place - 1])):
        return None
    before = words[place - 1] if place else ""
    is_value = name[1:].isdecimal() and before.startswith("--") and "=" not in before and before not in known
    return WrongFlag(before, place - 1, argv, known) if is_value else WrongFlag(name, place, argv, known)
