"""The last data that a server sent, quoted when a timeout expires."""


class LastReceived:
    """The last message, and the part of another one that arrived after it."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._message = self._notification = self._partial = self._method = ""

    def add(self, message: str) -> None:
        """Keep a message."""
        self._message, self._partial = message, ""

    def add_notification(self, message: str) -> None:
        """Keep a notification, also after the start of other requests."""
        self._message = self._notification = message
        self._partial = ""

    def add_partial(self, description: str) -> None:
        """Keep the description of a part of a message."""
        self._partial = description

    def start_request(self, method: str, *, in_handshake: bool) -> None:
        """Forget the responses to other methods; the last one to the same method may be the state of a task."""
        if method != self._method and not in_handshake:
            self.forget_responses()
        self._method = method

    def forget_responses(self) -> None:
        """Forget the responses: they do not help with a timeout that expires later."""
        self._message, self._partial = self._notification, ""

    def __str__(self) -> str:
        """Return what is kept, or an empty string."""
        return ", then ".join(filter(None, (self._message, self._partial)))
