"""Building blocks of the Python client and the agent gateway."""
