"""One command line carried out."""

import gc
import os
from pathlib import Path
from typing import TYPE_CHECKING

from mcpi.core.cli import split as words
from mcpi.core.cli.command_line import INFORMING, Draft
from mcpi.core.cli.invocation import Invocation
from mcpi.core.flags.declare import STDIN, fill
from mcpi.core.flags.options import ModeOptions, OutputOptions
from mcpi.core.flags.types import read_switch
from mcpi.core.jsontext.exact import Printable
from mcpi.core.jsontext.writing import dump, pretty
from mcpi.core.outcome.faults import Fault
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.catalog import Catalog, with_hints
from mcpi.core.plans.plan import PlanResult, begin
from mcpi.core.record.envelope import ConnectionFacts, RunInfo, envelope
from mcpi.core.record.result_text import ShownResult, show
from mcpi.core.targets.target import Stdio
from mcpi.core.text.suggestions import nearest
from mcpi.core.version import __version__
from mcpi.shell.discovery.loader import Plugins
from mcpi.shell.io import inputs as command_line
from mcpi.shell.io import output

if TYPE_CHECKING:
    from mcpi.shell.process.child import Child
    from mcpi.shell.process.spawn import PrestartedServer


def run(argv: list[str], early: "PrestartedServer | None") -> int:
    """The exit code; a reader who went away is no failure."""
    try:
        return _run(argv, early)
    except output.ReaderLeft:
        return 0
    except output.UnwritableError as error:
        output.write_lines([f"mcpi: standard output cannot be written: {error}"])
        return 1


def _run(argv: list[str], early: "PrestartedServer | None") -> int:
    only = words.method_group(argv)
    catalog = Plugins(os.environ, only).catalog
    read = command_line.read(argv, catalog)
    if only is not None and (not isinstance(read, Success) or _wants_all(read.unwrap())):
        catalog = Plugins(os.environ).catalog
        read = command_line.read(argv, catalog)
    match read:
        case Success(draft):
            pass
        case Failure(fault):
            return _refused(with_hints(fault, catalog.hints), argv)
    if any(flag in draft.given.values for flag in INFORMING):
        return _inform(draft, catalog)
    match command_line.complete(draft, catalog):
        case Success(invocation):
            return _carry_out(invocation, early)
        case Failure(fault):
            return _refused(with_hints(fault, catalog.hints), argv)


def _wants_all(draft: Draft) -> bool:
    """Whether plugins matter that nobody named."""
    return any(flag in INFORMING or flag.startswith("--report") for flag in draft.given.values)


def _inform(draft: Draft, catalog: Catalog) -> int:
    """What mcpi knows of itself."""
    asked = draft.given.values
    if "--version" in asked:
        return _say(f"mcpi {__version__}\n", draft)
    if "--print-schema" in asked:
        return _print_schema(draft)
    if "--completion" in asked:
        return _say(_packaged("completion", asked["--completion"][-1]), draft)
    if "--agent-help" in asked:
        return _say(_packaged("agent-help.txt"), draft)
    if "--list-methods" in asked or "--list-plugins" in asked:
        from mcpi.core.cli.listings import methods, plugins  # noqa: PLC0415 - only for those who ask
        from mcpi.shell.discovery.field_docs import texts_of  # noqa: PLC0415 - see above

        listed = plugins(catalog) if "--list-plugins" in asked else methods(catalog, texts_of)
        return _print(listed, draft)
    return _list_servers(draft) if "--list-servers" in asked else _help(draft, catalog)


def _say(text: str, draft: Draft, *, json: bool = False) -> int:
    """What was asked for goes where it was wanted."""
    path = draft.given.values.get("--output", (STDIN,))[-1]
    if path == STDIN:
        output.write(output.for_terminal(text) if json else text)
        return 0
    match output.save("--output", path, text):
        case Success():
            return 0
        case Failure(fault):
            return _refused(fault, [])


def _packaged(*names: str) -> str:
    """A text that comes with the package."""
    return Path(__file__).parents[1].joinpath(*names).read_text(encoding="utf-8")


def _print(value: Printable, draft: Draft) -> int:
    text = dump(value) if "--compact" in draft.given.values else pretty(value)
    return _say(f"{text}\n", draft, json=True)


def _list_servers(draft: Draft) -> int:
    """The servers of the file that is named, or of those that are known."""
    from mcpi.shell.cli.known_configs import found, of_file  # noqa: PLC0415 - only for those who ask

    path = draft.given.values.get("--config", (None,))[-1]
    match found() if path is None else of_file(path):
        case Success(servers):
            return _print(servers, draft)
        case Failure(fault):
            return _refused(fault, [])


def _help(draft: Draft, catalog: Catalog) -> int:
    """The whole help; that of one method where its name is all that is said."""
    from mcpi.shell.cli.help_page import gather, text  # noqa: PLC0415 - only for those who ask

    topic = draft.method.name if draft.method is not None else None
    words = () if draft.server else draft.given.words
    if topic is None and len(words) == 1:
        match catalog.find(words[0]):
            case Success(method):
                topic = method.name
            case Failure(fault) if nearest(words[0], catalog.owned):
                return _refused(fault, [])
            case Failure():
                pass
    known = gather((owned.method for owned in catalog.owned.values()), catalog.responders)
    return _say(text(known, topic) or text(known, None) or "", draft)


def _print_schema(draft: Draft) -> int:
    """The schema of a document that we write or read."""
    match fill(ModeOptions, draft.given, {}):
        case Success(mode):
            return _say(_packaged("schemas", f"{mode.print_schema}.json"), draft, json=True)
        case Failure(fault):
            return _refused(fault, [])


def _carry_out(invocation: Invocation, early: "PrestartedServer | None") -> int:
    """The exit code; the server boots while what talks to it is still being imported."""
    if invocation.probe is not None and not invocation.output.dry_run:
        from mcpi.shell.cli.live_debug import with_inspector  # noqa: PLC0415 - rarely wanted

        match with_inspector(invocation):
            case Success(ready):
                invocation = ready
            case Failure(fault):
                return _refused(fault, ["--structured"] if invocation.output.structured else [])
    begun = begin(invocation.plan()) if invocation.method is not None else None
    from mcpi.shell.process.child import start  # noqa: PLC0415 - a mistake needs nothing of it
    from mcpi.shell.process.spawn import expect_signals, kill_remaining  # noqa: PLC0415 - see above

    child: Result[Child] | None = None
    dry = invocation.output.dry_run
    connects = invocation.method is None or invocation.method.connects
    expect_signals()
    try:
        if not isinstance(begun, PlanResult) and isinstance(invocation.target, Stdio) and connects and not dry:
            child = start(invocation.target, early)
        from mcpi.shell.cli.execute import Execution  # noqa: PLC0415 - see above

        gc.freeze()
        gc.enable()
        return Execution(invocation).carry_out(begun, child)
    finally:
        kill_remaining()


def _refused(fault: Fault, argv: list[str]) -> int:
    """The command line itself was wrong: who wants a document, there or in the environment, gets one."""
    flags = OutputOptions(structured=_switched("--structured", argv), compact=_switched("--compact", argv))
    ended = PlanResult(None, fault)
    return _finish(show(ended, envelope(RunInfo(), ended, None, ConnectionFacts()), flags))


def _switched(flag: str, argv: list[str]) -> bool:
    """Whether the switch is on, as far as that can be told of a command line that means nothing."""
    said = [word.partition("=") for word in argv if word.partition("=")[0] == flag]
    _, equals, value = said[-1] if said else ("", "=", os.environ.get(f"MCPI_{flag.strip('-').upper()}", ""))
    return not equals or read_switch(flag, value) == Success(True)  # noqa: FBT003 - it is what was read


def _finish(shown: ShownResult) -> int:
    """What is shown is written."""
    if shown.stdout:
        output.write(output.for_terminal(shown.stdout))
    if shown.stderr:
        output.write_lines((f"{'' if place else 'mcpi: '}{line}" for place, line in enumerate(shown.stderr)), "error")
    return shown.exit_code
