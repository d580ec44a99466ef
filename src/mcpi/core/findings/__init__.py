"""Lint findings: the data that reports render, and ignored findings."""
