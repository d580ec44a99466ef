"""Faults contain the argument names of the Python API."""

import pytest

from mcpi.core.client.python_names import with_python_names
from mcpi.core.outcome.faults import Fault, Invalid, MissingCapability, RpcError
from support.replay import exact


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (
            Invalid("INVALID_ARGUMENT", "--tool-name", "no 'toolNam'; did you mean toolName?", ("see --tool-args",)),
            Invalid("INVALID_ARGUMENT", "tool_name", "no 'tool_nam'; did you mean tool_name?", ("see tool_args",)),
        ),
        (
            MissingCapability("x", "--roots", ("use --force to send it anyway", "a--b", "otherName")),
            MissingCapability(
                "x", "set_roots", ("use InspectorOptions(force=True) to send it anyway", "a--b", "otherName")
            ),
        ),
        (RpcError(-1, "--tool-name", exact({})), RpcError(-1, "--tool-name", exact({}))),
    ],
)
def test_flag_names_become_python_argument_names(fault: Fault, expected: Fault) -> None:
    assert with_python_names(fault, ("tool_name", "tool_nam")) == expected
