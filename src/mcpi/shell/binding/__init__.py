"""Command lines read by cyclopts into the option classes."""
