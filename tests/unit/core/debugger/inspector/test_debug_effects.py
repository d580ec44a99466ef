"""The border of the conversation."""

from mcpi.core.debugger.inspector.debug_effects import SendAndForget, SendCommand, SendCommands


def test_a_command_has_no_parameters_unless_it_has() -> None:
    assert SendCommand("x") == SendCommand("x", {})
    assert SendAndForget("x") == SendAndForget("x", {})
    assert SendCommands((SendCommand("x"),)).commands == (SendCommand("x", {}),)
