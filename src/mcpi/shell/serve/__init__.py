"""The MCP servers mcpi-serve and mcpi-debug-script."""
