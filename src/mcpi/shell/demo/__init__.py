"""The embedded demo server."""
