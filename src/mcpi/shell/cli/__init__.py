"""The command-line interface: run, print, help, and completion."""
