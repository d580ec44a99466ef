"""Effects of the debugger routines."""

from mcpi.core.debugger.inspector.debug_effects import SendAndForget, SendCommand, SendCommands


def test_command_parameters_default_to_an_empty_object() -> None:
    assert SendCommand("x") == SendCommand("x", {})
    assert SendAndForget("x") == SendAndForget("x", {})
    assert SendCommands((SendCommand("x"),)).commands == (SendCommand("x", {}),)
