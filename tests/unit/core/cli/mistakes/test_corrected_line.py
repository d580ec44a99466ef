"""A corrected line is shown as a command to paste."""

from mcpi.core.cli.mistakes.corrected_line import CorrectedLine


def test_hint_has_the_reason_and_the_quoted_line() -> None:
    assert CorrectedLine(("ping", "node", "a b.js")).hint == "did you mean: mcpi ping node 'a b.js'"
    assert (
        CorrectedLine(("ping", "--demo"), "jq filters it", " | jq .").hint == "jq filters it: mcpi ping --demo | jq ."
    )
