"""The skills extension: listing, reading, and verification."""
