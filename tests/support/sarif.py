"""Check SARIF files by the schema of OASIS, and by what code scanning requires beyond it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft4Validator

SCHEMA = json.loads((Path(__file__).parents[2] / "fixtures" / "sarif" / "sarif-schema-2.1.0.json").read_text("utf-8"))
MAX_RESULTS = 25_000
_VALIDATOR = Draft4Validator(SCHEMA)
_TEXTS = (("shortDescription", 1024), ("fullDescription", 1024), ("help", 100_000))
_RELATIVE = re.compile(r"[^/:][^:]*")


def sarif_problems(document: Any) -> list[str]:
    """Return the violations of the schema and of the code scanning rules."""
    return [error.message for error in _VALIDATOR.iter_errors(document)] or [*_code_scanning_problems(document)]


def _code_scanning_problems(document: Any) -> Iterator[str]:
    """Yield the violations of GitHub's page "SARIF support for code scanning"."""
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    yield from (f"{rule['id']}: {name}" for rule in rules for name, limit in _TEXTS if not _fits(rule[name], limit))
    if len(run["results"]) > MAX_RESULTS:
        yield "too many results"
    fingerprints = [one["partialFingerprints"]["primaryLocationLineHash"] for one in run["results"]]
    if len({*fingerprints}) < len(fingerprints):
        yield "two results have the same fingerprint"
    for one in run["results"]:
        physical = one["locations"][0]["physicalLocation"]
        if rules[one["ruleIndex"]]["id"] != one["ruleId"] or not one["message"]["text"]:
            yield f"{one['ruleId']}: rule or message"
        if {*physical["region"]} != {"startLine", "startColumn", "endLine", "endColumn"}:
            yield f"{one['ruleId']}: region"
        if not _RELATIVE.fullmatch(physical["artifactLocation"]["uri"]):
            yield f"{one['ruleId']}: a path relative to the repository, not {physical['artifactLocation']['uri']}"


def _fits(described: Any, limit: int) -> bool:
    return 0 < len(described["text"]) <= limit
