"""Third-party plugins, installed as distributions."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import warm
from running import Mcpi, measured

Serving = Callable[..., tuple[str, ...]]
Install = Callable[..., dict[str, str]]
BUY = ("--method", "tools/call", "--tool-name", "buy")
RENT = ("--method", "tools/call", "--tool-name", "rent")
QUOTA = "the quota is exceeded; it resets at midnight UTC"
HOOK = "from mcpi.plugins.api import hookimpl\n\n@hookimpl\n"
METHOD = """
from attrs import frozen
from mcpi.plugins.api import Method, hookimpl, request

@frozen
class NoFlags:
    pass

def method(name):
    return Method(name, NoFlags, lambda _: request("ping"), "from {module}")

@hookimpl
def mcpi_methods():
    return tuple(map(method, {methods}))
"""


@pytest.fixture
def demo() -> tuple[str, ...]:
    """The embedded demo server."""
    return ("--demo", "--quiet", "--era", "handshake")


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Install a one-module plugin into a directory, and return an environment that finds it."""

    def put(name: str, source: str, version: str = "1.0", group: str = "mcpi") -> dict[str, str]:
        (tmp_path / f"{name}.py").write_text(source)
        info = tmp_path / f"{name}_dist-{version}.dist-info"
        info.mkdir()
        (info / "entry_points.txt").write_text(f"[console_scripts]\nx = y:z\n\n[{group}]\n{name} = {name}\n")
        return {"PYTHONPATH": str(tmp_path)}

    return put


def offering(module: str, *methods: str) -> str:
    """The source of a plugin that defines these methods."""
    return METHOD.format(module=module, methods=methods)


def listed(ran: Any) -> dict[str, Any]:
    """The listed plugins or methods by name."""
    return {one["name"]: one for one in ran.json}


def test_third_party_method_can_be_called(mcpi: Mcpi, demo: tuple[str, ...]) -> None:
    ran = mcpi(*demo, "--method", "acme/count", "--at-least", "3")

    assert (ran.exit_code, ran.json) == (0, {"tools": 8, "enough": True})


def test_plugin_flags_are_in_the_help(mcpi: Mcpi) -> None:
    ran = mcpi("--help", "all")

    assert "acme/count" in ran.stdout
    assert "Report whether the server has at least this many tools." in " ".join(ran.stdout.split())


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--approve-up-to", "7"), {"approved": True}),
        (("--approve-up-to", "3"), {"approved": False}),
        ((), {"code": -32602, "message": "no price is approved"}),
    ],
)
def test_plugin_answers_a_server_request(mcpi: Mcpi, server: Serving, flags: tuple[str, ...], message: Any) -> None:
    ran = mcpi(*BUY, *flags, "--structured", "--", *server("acme"))

    assert (ran.exit_code, json.loads(ran.json["result"]["content"][0]["text"])) == (0, message)
    assert ran.json["serverRequests"][0]["method"] == "acme/approve"
    assert ("experimental" in ran.json["connection"]["clientCapabilities"]) is bool(flags)


def test_plugin_report_is_written(mcpi: Mcpi, server: Serving, tmp_path: Path) -> None:
    file = tmp_path / "report.txt"

    assert mcpi(*RENT, "--report", f"lines={file}", "--", *server("acme")).exit_code == 2
    assert file.read_text() == "FAILED tools/call rent\n"


def test_plugin_hint_is_printed_below_a_server_error(mcpi: Mcpi, server: Serving) -> None:
    ran = mcpi(*RENT, "--", *server("acme"))

    assert (ran.exit_code, ran.json) == (2, {"error": {"code": -32077, "message": "quota"}})
    assert ran.stderr == f"mcpi: tools/call failed: -32077 quota\n  {QUOTA}\n"


def test_plugin_hint_is_in_each_step_envelope(mcpi: Mcpi, server: Serving) -> None:
    step = {"method": "tools/call", "toolName": "rent"}
    one = mcpi(*RENT, "--structured", "--", *server("acme"))
    script = mcpi("--script", "-", "--", *server("acme"), stdin=json.dumps([step]))

    assert (one.json["error"]["hints"], script.json[0]["error"]["hints"]) == ([QUOTA], [QUOTA])


def test_plugin_hints_follow_built_in_hints(mcpi: Mcpi) -> None:
    ran = mcpi("--method", "ping", "--", "acme-serv")

    assert ran.exit_code == 1
    assert ran.stderr.splitlines()[-1] == "  install acme's servers with: npm install -g acme-servers"


def test_plugin_hint_is_given_for_command_line_errors(mcpi: Mcpi, install: Install) -> None:
    source = f"{HOOK}def mcpi_hints(fault):\n    return [f'seen: {{fault.where}}']\n"
    ran = mcpi("--demo", "--nonsense", "--structured", env=install("wise", source))

    assert ran.json["error"]["hints"][-1] == "seen: --nonsense"


def test_failing_hint_hook_is_reported(mcpi: Mcpi, install: Install) -> None:
    ran = mcpi("--demo", "--nonsense", env=install("poor", f"{HOOK}def mcpi_hints(fault):\n    return 1 / 0\n"))

    assert ran.exit_code == 1
    assert "the plugin 'poor' of poor-dist failed to return hints: ZeroDivisionError: division by zero" in ran.stderr


def test_broken_plugin_does_not_affect_other_methods(mcpi: Mcpi, demo: tuple[str, ...]) -> None:
    ran = mcpi(*demo, "--method", "ping")

    assert (ran.exit_code, ran.json, ran.stderr) == (0, {}, "")


def test_method_of_a_broken_plugin_reports_the_failure(mcpi: Mcpi, demo: tuple[str, ...]) -> None:
    ran = mcpi(*demo, "--method", "broken/thing")

    assert ran.exit_code == 1
    assert "the plugin 'broken' of mcpi-broken failed" in ran.stderr
    assert "this plugin is broken on purpose" in ran.stderr


@pytest.mark.parametrize("off", ["off", "0", "none", "NO"])
def test_plugins_can_be_disabled(mcpi: Mcpi, demo: tuple[str, ...], off: str) -> None:
    ran = mcpi(*demo, "--method", "acme/count", env={"MCPI_PLUGINS": off})
    rest = mcpi("--list-plugins", env={"MCPI_PLUGINS": off})

    assert (ran.exit_code, "unknown method 'acme/count'" in ran.stderr) == (1, True)
    assert {plugin["distribution"] for plugin in rest.json} == {"mcpi-cli"}


def test_list_plugins_prints_methods_responders_outputs_and_tools(mcpi: Mcpi) -> None:
    ran = mcpi("--list-plugins")

    assert ran.exit_code == 0
    assert listed(ran)["acme"] == {
        "name": "acme",
        "distribution": "mcpi-acme",
        "version": "1.0.0",
        "methods": ["acme/count"],
        "responders": ["acme/approve"],
        "outputs": ["lines"],
        "tools": ["acme/count"],
        "problem": None,
    }
    broken = listed(ran)["broken"]
    assert (broken["methods"], broken["problem"]) == ([], "RuntimeError: this plugin is broken on purpose")


def test_built_in_plugins_are_listed_first_then_others_by_name(mcpi: Mcpi, install: Install) -> None:
    install("zebra", offering("zebra", "zebra/x"))
    env = install("ant", offering("ant", "ant/x"))
    plugins = mcpi("--list-plugins", "--compact", env=env)
    names = [plugin["name"] for plugin in plugins.json if plugin["distribution"] == "mcpi-cli"]
    others = [plugin["name"] for plugin in plugins.json][len(names) :]

    assert (names, others) == (sorted(names), ["ant", "acme", "broken", "zebra"])
    assert len(plugins.stdout.splitlines()) == 1
    assert mcpi("--list-plugins", "--compact", env=env).stdout == plugins.stdout


def test_list_methods_output_can_be_written_to_a_file(mcpi: Mcpi, tmp_path: Path) -> None:
    path = tmp_path / "methods.json"
    refused = mcpi("--list-methods", "--output", str(tmp_path / "nowhere" / "x.json"))

    assert mcpi("--list-methods", "--output", str(path)).stdout == ""
    assert json.loads(path.read_text(encoding="utf-8")) == mcpi("--list-methods").json
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr.startswith("mcpi: --output: cannot write")


def test_list_methods_prints_the_flags(mcpi: Mcpi) -> None:
    ran = mcpi("--list-methods")
    names = [method["name"] for method in ran.json]
    count = listed(ran)["acme/count"]

    assert (ran.exit_code, names) == (0, sorted(names))
    assert {"tools/list", "tools/call", "discover", "debug/script", "oauth/token"} <= set(names)
    assert (count["summary"], count["plugin"], count["distribution"]) == ("count the tools", "acme", "mcpi-acme")
    assert count["parameters"] == [
        {
            "flag": "--at-least",
            "key": "atLeast",
            "value": "N",
            "choices": [],
            "required": False,
            "repeatable": False,
            "default": 0,
            "help": "Report whether the server has at least this many tools.",
        },
        {
            "flag": "--shelves",
            "key": "shelves",
            "value": "N",
            "choices": [],
            "required": False,
            "repeatable": False,
            "default": None,
            "help": "Divide the tools among this many shelves, and report the number per shelf.",
        },
    ]
    found = [flag for method in ran.json for flag in method["parameters"]]
    assert [flag["flag"] for flag in found if not flag["help"]] == []
    assert [name for name, method in listed(ran).items() if not method["summary"]] == []


def test_built_in_method_cannot_be_overridden(mcpi: Mcpi, demo: tuple[str, ...], install: Install) -> None:
    env = install("thief", offering("thief", "tools/list", "thief/x"))

    assert len(mcpi(*demo, "--method", "tools/list", env=env).json["tools"]) == 8
    assert mcpi(*demo, "--method", "thief/x", env=env).json == {}
    assert listed(mcpi("--list-plugins", env=env))["thief"]["problem"] == "tools/list is a built-in method"
    assert listed(mcpi("--list-methods", env=env))["tools/list"]["plugin"] == "tools"


def test_method_defined_by_two_plugins_fails_and_names_both(
    mcpi: Mcpi, demo: tuple[str, ...], install: Install
) -> None:
    install("ant", offering("ant", "x/y", "ant/x"))
    env = install("bee", offering("bee", "x/y"))
    ran = mcpi(*demo, "--method", "x/y", "--structured", env=env)

    assert (ran.exit_code, ran.json["error"]["code"]) == (1, "PLUGIN_FAILED")
    expected = (
        "--method: the method x/y is provided by the plugin 'ant' of ant-dist and by the plugin 'bee' of bee-dist"
    )
    assert ran.json["error"]["message"] == expected
    assert mcpi(*demo, "--method", "ant/x", env=env).json == {}


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("import nowhere", "ModuleNotFoundError: No module named 'nowhere'"),
        (f"{HOOK}def mcpi_methods():\n    return 5\n", "TypeError: 'int' object is not iterable"),
        (f"{HOOK}def mcpi_metods():\n    return ()\n", "unknown hook 'mcpi_metods'"),
        (f"{HOOK}def mcpi_methods(wrong):\n    return ()\n", "wrong"),
        ("def mcpi_methods():\n    return ()\n", "mcpi_methods is not marked with @hookimpl"),
        ("x = 1\n", "it implements no hook"),
        ("import sys\nsys.exit(7)\n", "SystemExit: 7"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt: "),
        (f"{HOOK}def mcpi_methods():\n    raise SystemExit(7)\n", "SystemExit: 7"),
        (
            f"print('hello')\n{HOOK}def mcpi_methods():\n    return ()\n",
            r"plugins must not print to stdout; it printed 'hello\n'",
        ),
        (
            f"{HOOK}def mcpi_methods():\n    print('hello')\n    return ()\n",
            r"plugins must not print to stdout; it printed 'hello\n'",
        ),
        ("import sys\nsys.modules.pop('nothing')", "KeyError: 'nothing'"),
        (
            f"{HOOK}def mcpi_tools():\n    return 'odd/x'\n",
            "mcpi_tools returned a string; expected a list or a tuple",
        ),
        (
            "class Args: pass\n" + offering("odd", "odd/x").replace("NoFlags, lambda", "object, lambda"),
            "NotAnAttrsClass",
        ),
    ],
)
def test_plugin_that_fails_to_load_is_skipped(mcpi: Mcpi, install: Install, source: str, problem: str) -> None:
    env = install("odd", source)

    assert problem in listed(mcpi("--list-plugins", env=env))["odd"]["problem"]
    assert mcpi("--help", env=env).exit_code == 0
    ran = mcpi("--demo", "--era", "handshake", "--method", "ping", env=env)
    assert (ran.exit_code, ran.json) == (0, {})


def test_plugin_that_prints_is_disabled_whenever_it_is_loaded(mcpi: Mcpi, install: Install) -> None:
    # Before the call, mcpi loads the plugins of the method's name, then all of them.
    ran = mcpi("--demo", "--method", "odd/x", env=install("odd", f"print('hello')\n{offering('odd', 'odd/x')}"))

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert r"plugins must not print to stdout; it printed 'hello\n'" in ran.stderr


PRINTING = """
from attrs import frozen
from mcpi.plugins.api import Method, ReportFormat, connect, hookimpl

@frozen
class NoFlags:
    pass

def plan(_):
    print("from the plan")
    yield from connect()
    return {"ok": True}

def render(_):
    print("from the report")
    return "text\\n"

@hookimpl
def mcpi_methods():
    return (Method("loud/x", NoFlags, plan, "x"),)

@hookimpl
def mcpi_outputs():
    formats = {"loud": render, "broken": lambda _: {}["key"], "exits": exit, "empty": lambda _: None}
    return tuple(ReportFormat(name, function) for name, function in formats.items())
"""


def test_output_of_a_plan_and_a_report_goes_to_stderr(
    mcpi: Mcpi, demo: tuple[str, ...], install: Install, tmp_path: Path
) -> None:
    report = tmp_path / "report"
    ran = mcpi(*demo, "--method", "loud/x", "--report", f"loud={report}", env=install("loud", PRINTING))

    assert (ran.exit_code, ran.json, ran.stderr) == (0, {"ok": True}, "from the plan\nfrom the report\n")
    assert report.read_text() == "text\n"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("broken", "KeyError: 'key'"),
        ("exits", "SystemExit: "),
        ("empty", "TypeError: the report is not a string, but NoneType"),
    ],
)
def test_failing_report_is_reported_as_plugin_failure(
    name: str, problem: str, mcpi: Mcpi, demo: tuple[str, ...], install: Install
) -> None:
    ran = mcpi(*demo, "--method", "ping", "--report", f"{name}=report", env=install("loud", PRINTING))

    assert (ran.exit_code, ran.json) == (1, {})
    assert ran.stderr.startswith(f"mcpi: --report: the plugin raised {problem}")


def test_direct_stdout_writes_of_a_plugin_go_to_stderr(mcpi: Mcpi, demo: tuple[str, ...], install: Install) -> None:
    ran = mcpi(*demo, "--method", "ping", env=install("loud", "import os\nos.write(1, b'noise')\n"))

    assert (ran.exit_code, ran.json, ran.stderr) == (0, {}, "noise")


OBJECTS = """
from attrs import frozen
from mcpi.plugins.api import Method, hookimpl, request

@frozen
class NoFlags:
    pass

class Plugin:
    def __init__(self, name="class"):
        self.name = name

    @hookimpl(specname="mcpi_methods")
    def anything(self):
        return (Method(f"shape/{self.name}", NoFlags, lambda _: request("ping"), "one"),)

class Static:
    @staticmethod
    @hookimpl
    def mcpi_methods():
        return (Method("shape/static", NoFlags, lambda _: request("ping"), "one"),)

class Deep:
    plugin = Plugin("deep")

plugin = Plugin("object")
"""


@pytest.mark.parametrize(
    ("place", "method"),
    [("plugin", "object"), ("Plugin", "class"), ("Static", "static"), ("Deep.plugin", "deep")],
)
def test_objects_and_classes_are_accepted_as_plugins(  # noqa: PLR0913, PLR0917 - fixtures and a case
    mcpi: Mcpi, demo: tuple[str, ...], install: Install, tmp_path: Path, place: str, method: str
) -> None:
    env = install("shape", OBJECTS)
    entry_points = tmp_path / "shape_dist-1.0.dist-info" / "entry_points.txt"
    entry_points.write_text(f"[mcpi]\nshape = shape:{place}\n")

    assert mcpi(*demo, "--method", f"shape/{method}", env=env).json == {}


ORDERED = """
from mcpi.plugins.api import ReportFormat, hookimpl

@hookimpl{order}
def mcpi_outputs():
    return (ReportFormat("mine", lambda report: "{name}", "one"),)

@hookimpl{order}
def mcpi_hints(fault):
    return ("{name}",)
"""


@pytest.mark.parametrize(
    ("ant", "bee", "first"),
    [("", "", "ant"), ("", "(tryfirst=True)", "bee"), ("(trylast=True)", "", "bee"), ("(tryfirst=True)", "", "ant")],
)
def test_pluggy_hook_order_is_respected(  # noqa: PLR0913, PLR0917 - fixtures and a case
    mcpi: Mcpi, install: Install, tmp_path: Path, ant: str, bee: str, first: str
) -> None:
    install("ant", ORDERED.format(order=ant, name="ant"))
    env = install("bee", ORDERED.format(order=bee, name="bee"))
    report = tmp_path / "report"
    ran = mcpi("--demo", "--method", "server/info", "--report", f"mine={report}", env=env)
    hints = mcpi("--demo", "--nonsense", "--structured", env=env).json["error"]["hints"]

    assert (ran.exit_code, report.read_text(), hints[-2]) == (0, first, first)


def test_system_exit_in_a_method_is_reported_as_plugin_failure(
    mcpi: Mcpi, demo: tuple[str, ...], install: Install
) -> None:
    source = offering("late", "late/exit").replace('request("ping")', "exit(7)")
    ran = mcpi(*demo, "--method", "late/exit", "--structured", env=install("late", source))

    assert (ran.exit_code, ran.json["error"]["code"]) == (1, "PLUGIN_FAILED")


def test_exception_in_a_method_is_reported_as_plugin_failure(mcpi: Mcpi, demo: tuple[str, ...]) -> None:
    broken = (*demo, "--method", "acme/count", "--shelves", "0")
    raw, structured, verbose = mcpi(*broken), mcpi(*broken, "--structured"), measured(*broken, "--verbose")

    expected = "the plugin raised ZeroDivisionError"
    assert (raw.exit_code, raw.stdout, raw.stderr.count("\n")) == (1, "", 1)
    assert raw.stderr.startswith(f"mcpi: --method: {expected}")
    assert (structured.exit_code, structured.json["error"]["code"]) == (1, "PLUGIN_FAILED")
    assert "mcpi_acme.py" in structured.json["error"]["message"]
    # The traceback is printed only with --verbose.
    assert verbose.stderr.rstrip().splitlines()[-2].startswith("ZeroDivisionError")


LEAKY = """
from attrs import frozen
from mcpi.plugins.api import Method, Secret, hookimpl, request

@frozen(kw_only=True)
class Args:
    leaky_key: Secret | None = None

def plan(args):
    yield from request("ping")
    raise ValueError(f"bad key {args.leaky_key}")

@hookimpl
def mcpi_methods():
    return (Method("leaky/go", Args, plan, ""),)
"""


def test_plugin_traceback_masks_secrets(demo: tuple[str, ...], install: Install) -> None:
    secret = ("--leaky-key", "supersecretvalue")
    stderr = measured(*demo, "--method", "leaky/go", *secret, "--verbose", env=install("leaky", LEAKY)).stderr

    assert (stderr.count("bad key ***"), "supersecretvalue" in stderr) == (2, False)


def test_exception_in_a_step_does_not_affect_later_steps(mcpi: Mcpi, demo: tuple[str, ...]) -> None:
    steps = [{"method": "acme/count", "shelves": 0, "onError": "continue"}, {"method": "tools/list"}]
    ran = mcpi(*demo, "--script", "-", stdin=json.dumps(steps))

    broken, listed_tools = ran.json
    assert (ran.exit_code, broken["error"]["code"], listed_tools["success"]) == (1, "PLUGIN_FAILED", True)


def test_plugin_method_is_listed_by_mcpi_serve(mcpi: Mcpi) -> None:
    ran = mcpi("--method", "tools/list", "--", warm.command("mcpi-serve"))

    (tool,) = [tool for tool in ran.json["tools"] if tool["name"] == "call_method"]
    assert "acme/count(atLeast?, shelves?)" in tool["inputSchema"]["properties"]["method"]["description"]


LATE = "import sys\nsys.stderr.write('loaded')\n" + METHOD


@pytest.mark.parametrize(
    ("flags", "loaded"),
    [
        (("--method", "late/ping"), True),
        (("--method", "other/ping"), True),
        (("--method", "ping"), False),
        (("--method", "tools/list"), False),
        (("--method", "tools/lst"), True),
        (("--list-plugins",), True),
    ],
)
def test_lazy_plugin_is_loaded_only_when_needed(
    mcpi: Mcpi,
    demo: tuple[str, ...],
    install: Install,
    flags: tuple[str, ...],
    loaded: bool,  # noqa: FBT001 - a case
) -> None:
    source = LATE.format(module="late", methods=("late/ping", "other/ping"))
    ran = mcpi(*demo, *flags, env=install("late", source, group="mcpi.methods"))

    assert ("loaded" in ran.stderr) is loaded


GREEDY = """
from attrs import frozen
from mcpi.plugins.api import Method, hookimpl, request

@frozen(kw_only=True)
class Flags:
    timeout: str = ""

@hookimpl
def mcpi_methods():
    return (Method("greedy/take", Flags, lambda _: request("ping"), "take"),)
"""


def test_plugin_flag_named_like_a_general_flag_is_rejected(mcpi: Mcpi, demo: tuple[str, ...], install: Install) -> None:
    ran = mcpi(*demo, "--method", "greedy/take", env=install("greedy", GREEDY))

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert "its flag --timeout conflicts with a general flag" in ran.stderr
    assert mcpi(*demo, "--method", "ping", "--timeout", "5s", env={"PYTHONPATH": ""}).exit_code == 0
