"""What carries messages: a process, or HTTP in its two forms."""
