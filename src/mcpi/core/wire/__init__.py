"""The protocol as bytes in and events out."""
