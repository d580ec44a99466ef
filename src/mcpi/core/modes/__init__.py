"""Modes of a run: one-shot, follow, and dry run."""
