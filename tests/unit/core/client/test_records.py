"""Records are JSON objects with attributes."""

import json

import pytest

from mcpi.core.client.records import Record, empty


class Animal(Record):
    """A record of the tests."""

    type: str = "animal"
    pet_name: str
    age: int | None = None
    legs: list[int] = empty(factory=list)


class Dog(Animal):
    """A record with more members."""

    barks: bool = True


class Cat(Animal):
    """A record without more members."""


def test_a_record_may_add_nothing() -> None:
    assert (Cat.of({}).type, Cat(pet_name="x")) == ("animal", {"type": "animal", "petName": "x"})


def test_a_record_is_json_as_it_is() -> None:
    assert json.dumps(Animal(pet_name="x")) == '{"type": "animal", "petName": "x"}'
    assert Dog(pet_name="x") == {"type": "animal", "barks": True, "petName": "x"}


def test_members_are_attributes() -> None:
    animal = Animal.of({"petName": "x", "unknown": 1})

    assert (animal.pet_name, animal.age, animal.type, animal["unknown"]) == ("x", None, "animal", 1)
    assert repr(animal) == "Animal({'petName': 'x', 'unknown': 1})"


def test_an_empty_default_is_a_new_value_each_time() -> None:
    animal = Animal.of({})
    animal.legs.append(1)

    assert (animal.legs, Animal(pet_name="x", legs=[4]).legs) == ([], [4])


def test_a_missing_member_is_an_error() -> None:
    with pytest.raises(AttributeError, match="Animal has no member 'petName'"):
        _ = Animal.of({}).pet_name


def test_attributes_cannot_be_set() -> None:
    with pytest.raises(AttributeError, match="petName cannot be set"):
        Animal(pet_name="x").pet_name = "y"  # type: ignore[misc] # which type checkers see


def test_the_class_describes_its_attributes() -> None:
    assert Animal.pet_name is Animal.__dict__["pet_name"]


def test_a_record_can_be_matched() -> None:
    match Dog(pet_name="x"):
        case Dog(pet_name=name):
            assert name == "x"
