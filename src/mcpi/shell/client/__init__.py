"""The Python client: mcpi.Inspector and the pytest plugin."""
