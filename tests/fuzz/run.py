"""Fuzz for some minutes and print the counts: run.py [--minutes M] [--seed N]; failures are named by seed."""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from random import Random, SystemRandom

from fuzz import wire
from fuzz.http_responses import http_response
from fuzz.sessions import invocations, run_script, run_session, target_name
from mcpi.shell.context import RECURSION_LIMIT

Target = Callable[[Random], object]


def targets() -> Iterator[tuple[str, Target]]:
    """All fuzz targets by name."""
    for one in wire.TARGETS * 50:
        yield one.__name__, one
        yield run_script.__name__, run_script
        yield http_response.__name__, http_response
    for invocation in invocations():
        yield f"session {target_name(invocation)}", partial(run_session, invocation)


def main() -> int:
    """The exit code, 0 if no failure was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(1 << 32))
    args = parser.parse_args()
    sys.setrecursionlimit(RECURSION_LIMIT)
    executions: Counter[str] = Counter()
    seed, until, entries = args.seed, time.monotonic() + 60 * args.minutes, list(targets())
    while time.monotonic() < until:
        for title, target in entries:
            seed += 1
            try:
                target(Random(seed))  # noqa: S311 - must be repeatable
            except BaseException:
                sys.stderr.write(f"{title} failed with --seed {seed - 1}\n")
                raise
            executions[title.partition(" ")[0]] += 1
    counts = {"executions": executions.total(), **executions, "firstSeed": args.seed}
    sys.stdout.write(json.dumps(counts, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
