"""Built-in plugins, and the hooks for third-party plugins."""
