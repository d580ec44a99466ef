"""The border of the conversation."""

from mcpi.core.debugger.debug_effects import Ask, AskAll, Tell


def test_a_command_has_no_parameters_unless_it_has() -> None:
    assert Ask("x") == Ask("x", {})
    assert Tell("x") == Tell("x", {})
    assert AskAll((Ask("x"),)).asks == (Ask("x", {}),)
