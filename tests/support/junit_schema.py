"""The part of the Jenkins schema for JUnit reports (junit-10.xsd of the xUnit plugin) that applies to mcpi reports."""

import re
from xml.etree import ElementTree as ET

TEXT = re.compile(r".*", re.DOTALL)
SECONDS = re.compile(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?")
MESSAGE = {"type": TEXT, "message": TEXT}
COUNTS = dict.fromkeys(("tests", "failures", "errors"), TEXT)
SCHEMA = {
    "testsuites": (["testsuite"], {"name": TEXT, "time": SECONDS, **COUNTS}, []),
    "testsuite": (
        ["testsuite", "properties", "testcase", "system-out", "system-err"],
        {"name": TEXT, **COUNTS, "time": SECONDS, "skipped": TEXT, "timestamp": TEXT},
        ["name", *COUNTS],
    ),
    "testcase": (
        ["skipped", "error", "failure", "system-out", "system-err"],
        {"name": TEXT, "time": TEXT, "classname": TEXT},
        ["name"],
    ),
    **{name: ([], MESSAGE, []) for name in ("skipped", "error", "failure")},
    **{name: ([], {}, []) for name in ("system-out", "system-err")},
}
"""Of each element: its children, its attributes, and the attributes that are required."""
WITHOUT_TEXT = ("testsuites", "testsuite", "testcase")


def schema_problems(report: str) -> list[str]:
    """Each schema violation in the report."""
    root = ET.fromstring(report)  # noqa: S314 - written by mcpi
    found = [] if root.tag == "testsuites" else [f"the root is {root.tag}"]
    for element in root.iter():
        children, attributes, required = SCHEMA.get(element.tag, ([], {}, []))
        found += [f"{child.tag} in {element.tag}" for child in element if child.tag not in children]
        found += [f"{element.tag} without {name}" for name in required if name not in element.attrib]
        found += [
            f"{element.tag} with {name}={value}"
            for name, value in element.attrib.items()
            if name not in attributes or not attributes[name].fullmatch(value)
        ]
        if element.tag in WITHOUT_TEXT and (element.text or "").strip():
            found.append(f"text in {element.tag}")
    return found
