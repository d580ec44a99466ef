"""The protocol without IO: bytes in, messages out."""
