"""Methods of the tools group, and the rules for tasks and unknown tools."""
