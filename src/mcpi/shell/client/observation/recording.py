"""Record what a client receives during a part of its connection, such as a test."""

from typing import TYPE_CHECKING

from mcpi.core.client.client_events import NotificationSeen
from mcpi.core.client.entries import MessageEntry
from mcpi.core.record.transcript import Transcript
from mcpi.core.text.timestamps import iso
from mcpi.shell.client.observation.listeners import Subscription
from mcpi.shell.context import process_context

if TYPE_CHECKING:
    from mcpi.shell.client.inspector import Inspector


class Recording:
    """The messages that a client receives from now on."""

    def __init__(self, inspector: "Inspector") -> None:
        """Start recording."""
        context = process_context()
        self.began: str = iso(context.clock.wall())
        self.transcript: Transcript = Transcript(context.epoch(), keep=True)
        self.notifications: Subscription[NotificationSeen] = inspector.events(NotificationSeen)
        self._inspector = inspector
        inspector.transcripts.append(self.transcript)

    def messages(self) -> list[MessageEntry]:
        """Return the messages since the start of the recording."""
        return [one for one in self._inspector.messages if one.time >= self.began]

    def stderr(self) -> list[str]:
        """Return the lines that the server has written to stderr since the start of the recording."""
        return [one.text for one in self._inspector.stderr if one.time >= self.began]

    def end(self) -> None:
        """Stop recording."""
        self.notifications.close()
        self._inspector.transcripts.remove(self.transcript)
