"""Every dialogue in fixtures/dialogues is replayed against its method."""

import pytest

from mcpi.core.jsontext.exact import to_plain
from mcpi.core.jsontext.writing import dump
from support.dialogue import DIALOGUES, Dialogue, fault_document, methods, run_dialogue

METHODS = methods()
_KNOWN = {
    "about",
    "method",
    "flags",
    "argv",
    "server",
    "handled",
    "exchanges",
    "secondsSlept",
    "result",
    "fault",
    "violations",
}


@pytest.mark.parametrize("dialogue", DIALOGUES, ids=lambda dialogue: dialogue.name)
def test_dialogue_is_replayed_as_recorded(dialogue: Dialogue) -> None:
    played = run_dialogue(dialogue, METHODS[dialogue.group][dialogue.method])

    assert dump(to_plain(played.result.result)) == dump(dialogue.data.get("result"))
    assert fault_document(played.result.fault) == dialogue.data.get("fault")
    assert [one.as_json() for one in played.violations] == dialogue.data.get("violations", [])
    assert played.seconds_slept == dialogue.data.get("secondsSlept", 0)
    assert played.remaining == 0, "not all of the dialogue took place"


@pytest.mark.parametrize("dialogue", DIALOGUES, ids=lambda dialogue: dialogue.name)
def test_dialogue_has_a_description_and_an_expected_outcome(dialogue: Dialogue) -> None:
    assert dialogue.data["about"]
    assert set(dialogue.data) <= _KNOWN
    assert {"result", "fault"} & set(dialogue.data)
