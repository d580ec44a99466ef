"""Write the software bill of materials: what an installation of mcpi-cli consists of, as CycloneDX JSON.

`python packaging/sbom.py FILE` describes the environment of its interpreter, which has the wheel installed. The same
environment gives the same bytes.
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
    """Return the name as package indexes spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def required(one: Distribution) -> Iterator[str]:
    """Yield the names of the installed distributions that this one requires."""
    for line in one.requires or ():
        named = _NAME.match(line)
        if named is not None and _EXTRA.search(line) is None and found(named[0]) is not None:
            yield normalized(named[0])


def found(name: str) -> Distribution | None:
    """Return the installed distribution, or None: a requirement of another system is not installed."""
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def closure(root: str) -> dict[str, list[str]]:
    """Return all distributions that the root needs, each with its own requirements."""
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
