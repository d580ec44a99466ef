"""The names of properties."""

from mcpi.core.text.unicode_properties import BINARY_PROPERTIES, CATEGORIES, SCRIPTS, is_property


def test_names_are_there_in_both_spellings() -> None:
    assert {"Letter", "L", "Lu", "Uppercase_Letter"} <= CATEGORIES
    assert {"Greek", "Grek", "Latin", "Latn", "Han"} <= SCRIPTS
    assert {"ASCII", "Alphabetic", "Alpha", "Emoji"} <= BINARY_PROPERTIES


def test_a_property_has_a_value_of_its_name() -> None:
    assert is_property("", "Letter")
    assert is_property("sc", "Greek")
    assert not is_property("sc", "Letter")
    assert not is_property("Age", "Letter")
