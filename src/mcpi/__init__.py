"""Exercise and diagnose MCP servers from flags, with JSON out."""

__version__ = "0.1.0"
