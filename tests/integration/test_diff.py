"""lock and diff as installed commands: real files and servers, both eras, scripts and agents."""

import json
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import warm
from running import Mcpi
from support.sarif import sarif_problems

SERVER = """
import json, sys
tools = json.load(open(sys.argv[1]))
for line in sys.stdin:
    message = json.loads(line)
    match message.get("method"):
        case "initialize":
            result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                      "serverInfo": {"name": "paged", "version": "1"}}
        case "tools/list":
            at = int((message.get("params") or {}).get("cursor", 0))
            result = {"tools": tools[at:at + 1], **({"nextCursor": str(at + 1)} if at + 1 < len(tools) else {})}
        case _:
            if "id" in message:
                error = {"code": -32601, "message": "no"}
                print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}), flush=True)
            continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


@pytest.fixture
def commands(tmp_path: Path) -> tuple[str, str]:
    """The command lines of two servers, as single words; the second requires more arguments."""
    (tmp_path / "server.py").write_text(SERVER)
    schema = {"type": "object", "properties": {"q": {"type": "string"}}}
    for name, more in (("old", {}), ("new", {"required": ["q"]})):
        tools = [{"name": one, "inputSchema": {**schema, **more}} for one in ("b", "a")]
        (tmp_path / f"{name}.tools").write_text(json.dumps(tools))
    old, new = (f"{sys.executable} {tmp_path}/server.py {tmp_path}/{name}.tools" for name in ("old", "new"))
    return old, new


def test_lock_file_is_reproducible_and_diff_reports_a_breaking_change(
    mcpi: Mcpi, commands: tuple[str, str], tmp_path: Path
) -> None:
    old, new = commands
    files = [tmp_path / "mcpi.lock", tmp_path / "again.json"]
    for file in files:
        assert mcpi("lock", "--output", str(file), "--", *old.split()).exit_code == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    assert [tool["name"] for tool in json.loads(files[0].read_text())["tools"]] == ["a", "b"]

    same = mcpi("diff", str(files[0]), old)
    assert (same.json["changes"], same.stderr) == ([], "mcpi: diff: no changes\n")
    sarif = tmp_path / "mcpi.sarif"
    ran = mcpi("diff", str(files[0]), new, "--report-sarif", str(sarif))
    assert ran.exit_code == 1
    assert sarif_problems(json.loads(sarif.read_text("utf-8"))) == []
    assert [(one["tool"], one["rule"], one["witness"]) for one in ran.json["changes"]] == [
        ("a", "required-added", {}),
        ("b", "required-added", {}),
    ]
    assert ran.stderr.startswith("mcpi: 2 changes: 2 breaking\n")
    assert mcpi("diff", str(files[0]), "--", *new.split()).json == ran.json

    accepted = tmp_path / "accepted.json"
    accepted.write_text('[{"rule": "required-added", "reason": "announced"}]')
    ran = mcpi("diff", old, new, "--accept", str(accepted))
    assert (ran.exit_code, ran.json["summary"]["breaking"], len(ran.json["accepted"])) == (0, 0, 2)
    assert ran.stderr == "mcpi: diff: no changes, 2 accepted\n"


def test_one_server_has_no_breaking_changes_between_eras(mcpi: Mcpi, tmp_path: Path) -> None:
    ran = mcpi("diff", "--demo", "--old-era", "modern", "--new-era", "handshake")
    assert [one["class"] for one in ran.json["changes"] if one["class"] in {"breaking", "additive"}] == []

    assert mcpi("lock", "--demo", "--era", "handshake", "-o", "old.lock", cwd=tmp_path).exit_code == 0
    ran = mcpi("diff", "old.lock", "--demo", cwd=tmp_path)
    assert [(one["rule"], one["class"]) for one in ran.json["changes"]] == [("protocol-version-raised", "additive")]

    ran = mcpi("diff", "old.lock", "--demo", "--fail-on", "any", "--report-junit", "junit.xml", cwd=tmp_path)
    cases = ET.parse(tmp_path / "junit.xml").getroot().iter("testcase")  # noqa: S314 - written by mcpi
    failed = [case.get("name") for case in cases if case.find("failure") is not None]
    assert (ran.exit_code, failed) == (1, ["protocol-version-raised: /protocolVersion"])


def test_script_compares_a_server_with_its_earlier_lock(mcpi: Mcpi) -> None:
    steps = [{"method": "lock", "capture": {"before": ""}}, {"method": "diff", "old": "${before}"}]
    ran = mcpi("--script", "-", "--demo", stdin=json.dumps(steps))

    assert [one["success"] for one in ran.json] == [True, True]
    assert ran.json[1]["result"]["changes"] == []


def test_agent_diff_is_limited_to_allowed_commands(mcpi: Mcpi, commands: tuple[str, str]) -> None:
    old, new = commands
    sides = {"old": old, "new": new}
    steps = [
        {"method": "tools/call", "toolName": "diff", "toolArgs": sides},
        {"method": "tools/call", "toolName": "diff", "toolArgs": {**sides, "new": "sh -c true"}},
    ]
    ran = mcpi(
        "--script", "-", "--", warm.command("mcpi-serve"), "--allow-command", sys.executable, stdin=json.dumps(steps)
    )

    assert ran.json[0]["result"]["structuredContent"]["result"]["summary"]["breaking"] == 2
    assert "is not allowed" in ran.json[1]["result"]["content"][0]["text"]


def test_file_that_is_not_a_lock_file_is_not_suggested_itself(mcpi: Mcpi, tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text("<x/>")
    ran = mcpi("diff", "report.xml", "--demo", cwd=tmp_path)

    assert (ran.exit_code, ran.stderr) == (1, "mcpi: command not found: 'report.xml'\n")
