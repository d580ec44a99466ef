"""Grammars that rules judge by: regular expressions, URIs and URI templates."""
