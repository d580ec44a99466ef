"""Lint rules with one module per family: the rules as data, and the functions that check them."""
