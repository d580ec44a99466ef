"""Diff rules by family."""
