"""Other clients, each as fast as its own documentation knows how to start it."""

from collections.abc import Mapping

from workloads import Peer


def peers() -> Mapping[str, Peer]:
    """Those that are there."""
    return {}
