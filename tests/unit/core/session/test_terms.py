"""How we talk unless the user says otherwise."""

import pytest

from mcpi.core.flags.options import DEFAULT_TOTAL_TIMEOUT
from mcpi.core.session.terms import StageTimes, Terms, total_timeout
from mcpi.core.wire.server_info import ClientInfo


def test_patience_is_half_a_minute_and_five_minutes_at_most() -> None:
    terms = Terms(ClientInfo({}))

    assert (terms.timeout, terms.total_timeout, terms.connect_timeout, terms.retries) == (30.0, 300.0, 30.0, 0)


@pytest.mark.parametrize(
    ("patience", "most", "limit"),
    [
        (30.0, DEFAULT_TOTAL_TIMEOUT, 300.0),
        (600.0, DEFAULT_TOTAL_TIMEOUT, 600.0),
        (30.0, 5.0, 5.0),
        (600.0, 60.0, 60.0),
    ],
)
def test_the_default_limit_gives_way_to_a_longer_patience_and_a_given_one_does_not(
    patience: float, most: float, limit: float
) -> None:
    assert (
        Terms(ClientInfo({}), timeout=patience, max_total_timeout=most).total_timeout
        == total_timeout(most, patience)
        == limit
    )


def test_the_era_is_found_out() -> None:
    terms = Terms(ClientInfo({}))

    assert (terms.era, terms.version, terms.discover, terms.open_server_stream) == ("auto", None, True, True)


def test_nothing_is_added_to_what_is_sent() -> None:
    terms = Terms(ClientInfo({}))

    assert (terms.meta, terms.log_level, terms.transport) == ({}, None, "stdio")


def test_nothing_has_happened_yet() -> None:
    assert StageTimes() == StageTimes(None, None, None)
