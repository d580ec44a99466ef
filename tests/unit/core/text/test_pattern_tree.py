"""The parts of a regular expression: sets of characters."""

import pytest

from mcpi.core.text.pattern_tree import CharacterSet, Choice, Ranges, Sequence, complement, merged


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ((), ()),
        (((5, 9), (1, 2)), ((1, 2), (5, 9))),
        (((1, 9), (2, 3)), ((1, 9),)),
        (((1, 2), (3, 4), (4, 8)), ((1, 8),)),
    ],
)
def test_ranges_are_merged_in_order(ranges: Ranges, expected: Ranges) -> None:
    assert merged(ranges) == expected


def test_the_complement_of_ranges_has_all_other_characters() -> None:
    assert complement(((0, 9), (11, 0x10FFFE))) == ((10, 10), (0x10FFFF, 0x10FFFF))


def test_character_set_may_be_negated_or_case_insensitive() -> None:
    letters = ((97, 99),)

    assert [CharacterSet(letters).accepts(one) for one in "aBd"] == [True, False, False]
    assert [CharacterSet(letters, negated=True).accepts(one) for one in "aBd"] == [False, True, True]
    assert [CharacterSet(letters, ignore_case=True).accepts(one) for one in "aBd"] == [True, True, False]
    assert not CharacterSet(((0x53, 0x53),), ignore_case=True).accepts("ß")


def test_an_empty_sequence_is_not_an_empty_choice() -> None:
    # The first matches the empty text, the second matches no text.
    assert len({Sequence(()), Choice(())}) == 2
