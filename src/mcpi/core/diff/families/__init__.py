"""The rules of a diff, by family."""
