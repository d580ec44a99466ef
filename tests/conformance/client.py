"""The client started by the conformance suite: each scenario is a few command lines of the installed mcpi."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

MCPI = str(Path(sys.executable).with_name("mcpi"))
DOCUMENT = "https://conformance-test.local/client-metadata.json"
LIST = ("--method", "tools/list")
CALL = ("--method", "tools/call", "--tool-name", "test-tool")
SKILL = "skill://pdf-processing/SKILL.md"


def tool(name: str, **arguments: Any) -> tuple[str, ...]:
    """A tool call with arguments."""
    return ("--method", "tools/call", "--tool-name", name, "--tool-args", json.dumps(arguments))


def named(name: str) -> tuple[str, ...]:
    """A tool call without arguments."""
    return ("--method", "tools/call", "--tool-name", name)


def listed_tools() -> list[str]:
    """The names of all tools of the scenario, including those that mcpi lists but does not call."""
    if os.environ["MCP_CONFORMANCE_SCENARIO"] != "http-invalid-tool-headers":
        return []
    listed = subprocess.run((MCPI, sys.argv[-1], *LIST), capture_output=True, check=True)
    return [one["name"] for one in json.loads(listed.stdout)["tools"]]


def script(*steps: dict[str, Any]) -> tuple[str, ...]:
    """Steps on one connection."""
    return ("--script", json.dumps(steps))


def plain() -> tuple[tuple[str, ...], ...]:
    """A tool list and a tool call, on one connection."""
    return (script({"method": "tools/list"}, {"method": "tools/call", "toolName": "test-tool"}),)


def scenario(name: str, context: dict[str, Any]) -> tuple[tuple[str, ...], ...]:
    """The command lines of a scenario, without the URL."""
    own = {
        "initialize": (LIST,),
        # The server rejects the first version and names a supported one.
        "request-metadata": ((*LIST, "--era", "modern", "--protocol-version", "2027-01-01"),),
        "tools_call": (tool("add_numbers", a=5, b=3),),
        "elicitation-sep1034-client-defaults": (
            (*tool("test_client_elicitation_defaults"), "--handle-elicitation", "auto"),
        ),
        "sse-retry": (tool("test_reconnection"),),
        "json-schema-ref-no-deref": (LIST,),
        "json-schema-2020-12-preservation": (
            script(
                {"method": "tools/list", "capture": {"schema": "/tools/0/inputSchema"}},
                {"method": "tools/call", "toolName": "json_schema_echo", "toolArgs": {"schema": "${schema}"}},
            ),
        ),
        "sep-2322-client-request-state": rounds(),
        "http-standard-headers": headers(),
        "http-custom-headers": tuple(tool(one["name"], **one["arguments"]) for one in context.get("toolCalls", ())),
        "http-invalid-tool-headers": (LIST, tool("valid_tool", region="us-west1"), *map(named, listed_tools())),
        "sep-2640-client-no-prefetch": (("--method", "skills/list"),),
    }
    if name in own:
        return own[name]
    if name.startswith("sep-2640-client-verify"):
        return (("--method", "skills/read", "--uri", SKILL),)
    return tuple((*line, *authorization(name, context)) for line in plain())


def rounds() -> tuple[tuple[str, ...], ...]:
    """Calls that require input, with an unrelated call in between."""
    names = ("test_mrtr_echo_state", "test_mrtr_unrelated", "test_mrtr_no_state", "test_mrtr_no_result_type")
    steps = ({"method": "tools/call", "toolName": name, "toolArgs": {}} for name in names)
    return ((*script(*steps), "--handle-elicitation", '{"confirmed": true}'),)


def headers() -> tuple[tuple[str, ...], ...]:
    """All requests that carry a name in a header."""
    return (
        script(
            {"method": "tools/list"},
            {"method": "tools/call", "toolName": "test_headers"},
            {"method": "tools/call", "toolName": "my-hyphenated-tool"},
            {"method": "resources/list"},
            {"method": "resources/read", "uri": "file:///path/to/file%20name.txt"},
            {"method": "prompts/list"},
            {"method": "prompts/get", "promptName": "test_prompt"},
        ),
    )


def authorization(name: str, context: dict[str, Any]) -> tuple[str, ...]:
    """The authorization flags of a scenario; secrets are passed in environment variables."""
    given = {
        "oauth_client_id": "--oauth-client-id",
        "client_id": "--oauth-client-id",
        "idp_client_id": "--oauth-idp-client-id",
        "idp_token_endpoint": "--oauth-idp-token-endpoint",
        "signing_algorithm": "--oauth-signing-alg",
    }
    secret = {
        "client_secret": "--oauth-client-secret",
        "private_key_pem": "--oauth-private-key",
        "idp_id_token": "--oauth-subject-token",
        "valid_jwt": "--oauth-assertion",
    }
    flags = [word for key, flag in given.items() if key in context for word in (flag, context[key])]
    for key, flag in secret.items():
        if key in context:
            os.environ[f"CONFORMANCE_{key.upper()}"] = context[key]
            flags += (flag, f"env:CONFORMANCE_{key.upper()}")
    if "client-credentials" in name:
        flags += ("--oauth-grant", "client_credentials")
    return (*flags, "--client-metadata-url", DOCUMENT, "--auth", "register")


def main() -> int:
    """The exit code of the first failing command."""
    name, url = os.environ["MCP_CONFORMANCE_SCENARIO"], sys.argv[-1]
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    version = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION")
    version_flags = ("--protocol-version", version) if version else ()
    code = 0
    for line in scenario(name, context):
        given = line
        text = None
        if line[0] == "--script":
            given, text = ("--script", "-", *line[2:]), line[1]
        own = () if "--protocol-version" in given else version_flags
        done = subprocess.run((MCPI, url, *given, *own), input=text, text=True, check=False)
        code = code or done.returncode
    sys.stdout.write(f"\nmcpi ended with {code}\n")
    return code


if __name__ == "__main__":
    raise SystemExit(main())
