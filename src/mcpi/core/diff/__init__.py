"""Compare two snapshots of a server: which changes break its clients."""
