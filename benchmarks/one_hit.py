"""Seconds that one hit takes, from the start of the program to its verdict: python one_hit.py NODE SCRIPT."""

import asyncio
import sys
import time

from mcpi.core.debugger.program.probe import Probe, Program
from mcpi.core.flags.places import SourceLine
from mcpi.shell.context import process_context
from mcpi.shell.debugger.run_program import debug_program

NODE, SCRIPT = sys.argv[1:]
PROGRAM = Program(f"exec '{NODE}' --inspect-brk=0 '{SCRIPT}'", Probe((SourceLine(SCRIPT, 2),), ("n",)), 30.0)


async def main() -> float:
    """Return the duration of the second of two runs; the first one imports the modules that both need."""
    await debug_program(process_context(), PROGRAM)
    began = time.monotonic()
    verdict = await debug_program(process_context(), PROGRAM)
    assert verdict.document == {"results": [{"type": "number", "value": 0}]}
    return time.monotonic() - began


print(asyncio.run(main()))
