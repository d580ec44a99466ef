"""Parsing of the command line into a validated invocation."""
