"""Comparison of two versions of a server, to find changes that break clients."""
