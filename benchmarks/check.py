"""Start-up within its budget, in instructions: python check.py; 1 if a budget is exceeded.

A budget is a multiple of what `import cyclopts` takes in the same run, so that another Python or another version of the
library moves both.
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
YARDSTICK = (sys.executable, "-c", "import cyclopts")
TOLERANCE = 1.08
"""How much more than the budget is allowed: versions of Python and of libraries differ by some of it."""


@frozen
class Budget:
    """What a command may cost; lower it when it falls."""

    name: str
    most: float
    """The maximum ratio to the instructions of `import cyclopts`."""
    command: tuple[str, ...]
    code: int = 0


def main() -> int:
    """A line for each budget."""
    if VALGRIND is None:
        print("valgrind is not installed, so no instructions are counted (Debian: apt-get install valgrind)")
        return 0
    with distant() as url, ThreadPoolExecutor(2) as pool:
        budgets = (
            Budget("http", 2.70, (COMMAND, url, "--method", "tools/list")),
            Budget("stdio", 2.50, (COMMAND, "--method", "tools/list", "--", *PLAIN)),
            Budget("mistake", 2.75, (COMMAND, "--method", "tools/lst", "node", "server.js"), 1),
            Budget("version", 0.25, (COMMAND, "--version")),
        )
        # Installed plugins are not measured.
        env = {"MCPI_PLUGINS": "off"}
        unit = pool.submit(count, YARDSTICK)
        counted = [pool.submit(count, one.command, env, one.code) for one in budgets]
        ratios = [one.result() / unit.result() for one in counted]
    for budget, ratio in zip(budgets, ratios, strict=True):
        said = "within" if ratio <= budget.most * TOLERANCE else "MORE THAN"
        print(f"{budget.name}: {ratio:.3f} times import cyclopts, {said} {budget.most} (and {TOLERANCE - 1:.0%})")
    return int(any(ratio > one.most * TOLERANCE for one, ratio in zip(budgets, ratios, strict=True)))


if __name__ == "__main__":
    sys.exit(main())
