"""From the words of a command line to a validated invocation."""
