"""The last data that a server sent, quoted when a timeout expires."""


class LastReceived:
    """The last message, and the part of another one that arrived after it."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._message = self._notification = self._partial = ""

    def add(self, message: str) -> None:
        """Keep a message."""
        self._message, self._partial = message, ""

    def add_notification(self, message: str) -> None:
        """Keep a notification, also beyond the end of the handshake."""
        self._message = self._notification = message
        self._partial = ""

    def add_partial(self, description: str) -> None:
        """Keep the description of a part of a message."""
        self._partial = description

    def finish_handshake(self) -> None:
        """Forget the responses of the handshake: they do not help with a timeout that expires later."""
        self._message, self._partial = self._notification, ""

    def __str__(self) -> str:
        """Return what is kept, or an empty string."""
        return ", then ".join(filter(None, (self._message, self._partial)))
