"""Success and failure: results, faults, and their messages."""
