"""Built-in answers to a server's requests."""
