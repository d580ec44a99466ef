"""mcpi-serve and mcpi-debug-script, the MCP servers."""
