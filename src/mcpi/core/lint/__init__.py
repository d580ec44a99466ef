"""Lint rules as data, and the functions that check a server's definitions."""
