"""The one place that says what this is called, and which version it is."""

__version__ = "0.1.0"
OWN = "mcpi-cli"
"""The distribution whose names nobody else may take."""
