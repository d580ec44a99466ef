"""What a plan asks of the world is a value."""

from mcpi.core.plans.world_steps import ListenForRedirect, Sign, Store


def test_what_is_not_said_is_left_to_the_shell() -> None:
    assert (Sign({"a": 1}).key, Sign({"a": 1}).kind, ListenForRedirect().redirect_uri) == ("", "JWT", "")


def test_to_keep_nothing_is_to_forget() -> None:
    assert Store("tokens", "resource", None).value is None
