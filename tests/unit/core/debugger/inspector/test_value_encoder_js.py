"""Source text of the encoder; its output is covered by tests/integration/test_debug_script.py."""

from mcpi.core.debugger.inspector.value_encoder_js import ENCODER, MAX_LEVELS


def test_encoder_source_is_a_function_of_its_limit() -> None:
    assert ENCODER.startswith("((maxBytes) => {")
    assert f"LEVELS = {MAX_LEVELS}" in ENCODER
