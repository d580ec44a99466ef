"""Write the software bill of materials of an mcpi-cli installation as CycloneDX JSON.

Usage: python packaging/sbom.py FILE, with the interpreter of an environment in which the wheel is installed. The same
environment always produces the same bytes.
"""

import json
import re
import sys
import uuid
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

PROJECT = "mcpi-cli"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRA = re.compile(r";.*\bextra\b")


def normalized(name: str) -> str:
    """Return the name in its normalized form (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def required(one: Distribution) -> Iterator[str]:
    """Yield the names of the installed distributions that this one requires."""
    for line in one.requires or ():
        named = _NAME.match(line)
        if named is not None and _EXTRA.search(line) is None and found(named[0]) is not None:
            yield normalized(named[0])


def found(name: str) -> Distribution | None:
    """Return the installed distribution, or None; requirements for other platforms are not installed."""
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def closure(root: str) -> dict[str, list[str]]:
    """Return the root and all distributions that it depends on, each with its own requirements."""
    graph: dict[str, list[str]] = {}
    waiting = [normalized(root)]
    while waiting:
        name = waiting.pop()
        if name not in graph:
            graph[name] = sorted(set(required(distribution(name))))
            waiting += graph[name]
    return dict(sorted(graph.items()))


def reference(name: str) -> str:
    """Return the package URL of an installed distribution."""
    return f"pkg:pypi/{name}@{distribution(name).version}"


def component(name: str) -> dict[str, Any]:
    """Describe one distribution."""
    about = distribution(name).metadata
    text = about["License-Expression"] or ""
    licenses = {"licenses": [{"expression": text}]} if text else {}
    kind = "application" if name == PROJECT else "library"
    where = reference(name)
    return {"type": kind, "bom-ref": where, "name": name, "version": about["Version"], "purl": where, **licenses}


def bill() -> dict[str, Any]:
    """Return the whole document."""
    graph = closure(PROJECT)
    parts = [component(name) for name in graph if name != PROJECT]
    depends = [
        {"ref": reference(name), "dependsOn": [reference(one) for one in needs]} for name, needs in graph.items()
    ]
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(depends))
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{number}",
        "version": 1,
        "metadata": {"component": component(PROJECT)},
        "components": parts,
        "dependencies": depends,
    }


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(bill(), indent=2) + "\n", "utf-8")
