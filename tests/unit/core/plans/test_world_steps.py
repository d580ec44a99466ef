"""Steps for actions outside the session are plain values."""

from mcpi.core.plans.world_steps import ListenForRedirect, Sign, Store


def test_optional_parameters_are_empty_by_default() -> None:
    assert (Sign({"a": 1}).key, Sign({"a": 1}).kind, ListenForRedirect().redirect_uri) == ("", "JWT", "")


def test_storing_none_deletes_the_entry() -> None:
    assert Store("tokens", "resource", None).value is None
