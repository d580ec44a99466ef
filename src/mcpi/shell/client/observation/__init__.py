"""The client's observations: messages, server state, and listeners."""
