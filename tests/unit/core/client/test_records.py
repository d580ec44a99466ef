"""Records are JSON objects with attributes."""

import json

import pytest

from mcpi.core.client.records import Record, empty


class Animal(Record):
    """A record used in the tests."""

    type: str = "animal"
    pet_name: str
    age: int | None = None
    legs: list[int] = empty(factory=list)


class Dog(Animal):
    """A record with an additional member."""

    barks: bool = True


class Cat(Animal):
    """A record without additional members."""


def test_record_subclass_may_add_no_members() -> None:
    assert (Cat.of({}).type, Cat(pet_name="x")) == ("animal", {"type": "animal", "petName": "x"})


def test_record_serializes_as_json() -> None:
    assert json.dumps(Animal(pet_name="x")) == '{"type": "animal", "petName": "x"}'
    assert Dog(pet_name="x") == {"type": "animal", "barks": True, "petName": "x"}


def test_members_are_attributes() -> None:
    animal = Animal.of({"petName": "x", "unknown": 1})

    assert (animal.pet_name, animal.age, animal.type, animal["unknown"]) == ("x", None, "animal", 1)
    assert repr(animal) == "Animal({'petName': 'x', 'unknown': 1})"


def test_empty_default_is_created_for_each_record() -> None:
    animal = Animal.of({})
    animal.legs.append(1)

    assert (animal.legs, Animal(pet_name="x", legs=[4]).legs) == ([], [4])


def test_a_missing_member_is_an_error() -> None:
    with pytest.raises(AttributeError, match="Animal has no member 'petName'"):
        _ = Animal.of({}).pet_name


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("petName", "Animal has no attribute 'petName'; use pet_name"),
        ("vendorName", "Animal has no attribute 'vendorName'; use ['vendorName']"),
        ("other", "Animal has no attribute 'other'"),
    ],
)
def test_name_of_a_member_is_not_an_attribute(name: str, error: str) -> None:
    with pytest.raises(AttributeError) as raised:
        getattr(Animal.of({"petName": "x", "vendorName": 1}), name)

    assert str(raised.value) == error


def test_attributes_cannot_be_set() -> None:
    with pytest.raises(AttributeError, match="petName cannot be set"):
        Animal(pet_name="x").pet_name = "y"  # type: ignore[misc] # which type checkers see


def test_attribute_of_the_class_is_its_descriptor() -> None:
    assert Animal.pet_name is Animal.__dict__["pet_name"]


def test_record_can_be_used_in_a_match_statement() -> None:
    match Dog(pet_name="x"):
        case Dog(pet_name=name):
            assert name == "x"
