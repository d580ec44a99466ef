"""Grammars that rules use: regular expressions, URIs and URI templates."""
