"""Transports: stdio, Streamable HTTP, and HTTP with SSE."""
