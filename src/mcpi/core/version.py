"""The version of mcpi, the name of its distribution, and the address of its documentation."""

__version__ = "0.1.0"
DISTRIBUTION = "mcpi-cli"
"""Name of the distribution; plugins of other distributions cannot replace its methods."""
DOCS = "https://github.com/mcpi-cli/mcpi/blob/main/docs"
"""Address of the documentation, which the distribution does not contain."""
