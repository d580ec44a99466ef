"""Child processes, pipes, and signals."""
