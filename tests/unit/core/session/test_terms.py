"""The default terms of a session."""

import pytest

from mcpi.core.flags.options import DEFAULT_TOTAL_TIMEOUT
from mcpi.core.session.terms import StageTimes, Terms, total_timeout
from mcpi.core.wire.server_info import ClientInfo


def test_default_timeout_is_30_s_and_default_total_timeout_300_s() -> None:
    terms = Terms(ClientInfo({}))

    assert (terms.timeout, terms.total_timeout, terms.connect_timeout, terms.retries) == (30.0, 300.0, 30.0, 0)


@pytest.mark.parametrize(
    ("time_limit", "most", "limit"),
    [
        (30.0, DEFAULT_TOTAL_TIMEOUT, 300.0),
        (600.0, DEFAULT_TOTAL_TIMEOUT, 600.0),
        (30.0, 5.0, 5.0),
        (600.0, 60.0, 60.0),
    ],
)
def test_longer_timeout_raises_only_the_default_total_timeout(time_limit: float, most: float, limit: float) -> None:
    assert (
        Terms(ClientInfo({}), timeout=time_limit, max_total_timeout=most).total_timeout
        == total_timeout(most, time_limit)
        == limit
    )


def test_era_is_negotiated_by_default() -> None:
    terms = Terms(ClientInfo({}))

    assert (terms.era, terms.version, terms.discover, terms.open_server_stream) == ("auto", None, True, True)


def test_requests_have_no_extra_metadata_by_default() -> None:
    terms = Terms(ClientInfo({}))

    assert (terms.meta, terms.log_level, terms.transport) == ({}, None, "stdio")


def test_stage_times_are_initially_unset() -> None:
    assert StageTimes() == StageTimes(None, None, None)
