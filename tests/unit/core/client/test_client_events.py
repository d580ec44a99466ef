"""Every client event has a type."""

from typing import get_args

from mcpi.core.client.client_events import ClientEvent, EventType
from mcpi.core.client.records import Record


def test_each_event_has_a_unique_type() -> None:
    types = []
    for event in get_args(ClientEvent):
        assert issubclass(event, Record)
        types.append(event()["type"])

    assert tuple(types) == get_args(EventType)
