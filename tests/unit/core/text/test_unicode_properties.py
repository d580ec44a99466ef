"""The names of Unicode properties."""

from mcpi.core.text.unicode_properties import BINARY_PROPERTIES, CATEGORIES, SCRIPTS, is_property


def test_long_and_short_property_names_are_known() -> None:
    assert {"Letter", "L", "Lu", "Uppercase_Letter"} <= CATEGORIES
    assert {"Greek", "Grek", "Latin", "Latn", "Han"} <= SCRIPTS
    assert {"ASCII", "Alphabetic", "Alpha", "Emoji"} <= BINARY_PROPERTIES


def test_property_value_must_belong_to_its_property() -> None:
    assert is_property("", "Letter")
    assert is_property("sc", "Greek")
    assert not is_property("sc", "Letter")
    assert not is_property("Age", "Letter")
