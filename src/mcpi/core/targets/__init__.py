"""Targets: commands, URLs, config files, and server lists."""
