"""Check that start-up stays within its budget of instructions: python check.py exits with 1 if it does not.

A budget is a multiple of the instructions of `import cyclopts` in the same run, so that it holds for other versions of
Python and cyclopts.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from attrs import frozen

from distant import distant
from instructions import VALGRIND, count

HERE = Path(__file__).parent
COMMAND = str(Path(sys.executable).with_name("mcpi"))
PLAIN = (sys.executable, "-SI", str(HERE.parent / "fixtures" / "servers" / "plain.py"))
UNIT = (sys.executable, "-c", "import cyclopts")
TOLERANCE = 1.08
"""The budget may be exceeded by this factor, because versions of Python and of libraries differ."""


@frozen
class Budget:
    """The maximum cost of a command; lower it when the command becomes cheaper."""

    name: str
    most: float
    """The maximum ratio to the instructions of `import cyclopts`."""
    command: tuple[str, ...]
    code: int = 0


def main() -> int:
    """Print a line for each budget."""
    if VALGRIND is None:
        print("valgrind is not installed, so no instructions are counted (Debian: apt-get install valgrind)")
        return 0
    with distant() as url, ThreadPoolExecutor(2) as pool:
        budgets = (
            Budget("http", 2.29, (COMMAND, url, "--method", "tools/list")),
            Budget("stdio", 2.13, (COMMAND, "--method", "tools/list", "--", *PLAIN)),
            Budget("mistake", 2.00, (COMMAND, "--method", "tools/lst", "node", "server.js"), 1),
            Budget("version", 0.25, (COMMAND, "--version")),
        )
        # Installed plugins are not measured.
        env = {"MCPI_PLUGINS": "off"}
        unit = pool.submit(count, UNIT)
        counted = [pool.submit(count, one.command, env, one.code) for one in budgets]
        ratios = [one.result() / unit.result() for one in counted]
    for budget, ratio in zip(budgets, ratios, strict=True):
        verdict = "within" if ratio <= budget.most * TOLERANCE else "MORE THAN"
        print(f"{budget.name}: {ratio:.3f} times import cyclopts, {verdict} {budget.most} (and {TOLERANCE - 1:.0%})")
    return int(any(ratio > one.most * TOLERANCE for one, ratio in zip(budgets, ratios, strict=True)))


if __name__ == "__main__":
    sys.exit(main())
