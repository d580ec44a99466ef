"""The version of mcpi and the name of its distribution."""

__version__ = "0.1.0"
DISTRIBUTION = "mcpi-cli"
"""Name of the distribution; plugins of other distributions cannot replace its methods."""
