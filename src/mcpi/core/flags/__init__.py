"""Flags: declarations, types, options, and parsing of values."""
