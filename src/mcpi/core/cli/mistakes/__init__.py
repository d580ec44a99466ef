"""Recognize common mistakes of command lines."""
