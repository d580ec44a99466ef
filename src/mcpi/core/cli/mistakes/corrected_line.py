"""A corrected command line, and the hint that shows it."""

from mcpi.core.cli.pasteable import pasteable
from mcpi.core.cli.words import PROGRAM
from mcpi.core.frozen import frozen
from mcpi.core.outcome.faults import DID_YOU_MEAN


@frozen
class CorrectedLine:
    """A corrected command line."""

    argv: tuple[str, ...]
    reason: str = DID_YOU_MEAN
    rest: str = ""
    """A pipe to append to the command line, such as ` | jq .tools`."""

    @property
    def hint(self) -> str:
        """The hint, with a line to paste into a shell."""
        return f"{self.reason}: {PROGRAM} {pasteable(self.argv)}{self.rest}"
