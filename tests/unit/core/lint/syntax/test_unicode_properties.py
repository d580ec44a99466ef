"""The names of properties."""

from mcpi.core.lint.syntax.unicode_properties import BINARY_PROPERTIES, CATEGORIES, SCRIPTS


def test_names_are_there_in_both_spellings() -> None:
    assert {"Letter", "L", "Lu", "Uppercase_Letter"} <= CATEGORIES
    assert {"Greek", "Grek", "Latin", "Latn", "Han"} <= SCRIPTS
    assert {"ASCII", "Alphabetic", "Alpha", "Emoji"} <= BINARY_PROPERTIES
