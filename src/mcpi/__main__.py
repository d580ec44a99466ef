"""`python -m mcpi`."""

from mcpi.shell.main import entry

entry()
