"""Findings about a server's definitions: the value that reports render, and the rules for accepting and failing."""
