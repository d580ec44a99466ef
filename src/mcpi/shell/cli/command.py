"""Run one command line and return its exit code."""

import gc
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mcpi.core.cli.command_line import Draft, passed_flags_warning
from mcpi.core.cli.flag_rules import INFORMATION_FLAGS
from mcpi.core.cli.invocation import Invocation, with_config
from mcpi.core.cli.words import method_group, normalized_line
from mcpi.core.flags.declare import STDIN, by_spelling
from mcpi.core.flags.options import GROUPS, ModeOptions, OutputOptions
from mcpi.core.flags.types import early_timeouts, read_switch
from mcpi.core.jsontext.exact import Printable
from mcpi.core.jsontext.writing import dump, pretty
from mcpi.core.outcome.faults import INTERRUPTED, Fault
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.catalog import Catalog, with_hints
from mcpi.core.plans.plan import PlanResult, begin
from mcpi.core.record.envelope import ConnectionFacts, RunInfo, envelope
from mcpi.core.record.result_text import format_result
from mcpi.core.targets.target import Stdio
from mcpi.core.version import __version__
from mcpi.shell.cli import app
from mcpi.shell.cli.report_files import needs_step_summary
from mcpi.shell.context import Context
from mcpi.shell.discovery.loader import Plugins
from mcpi.shell.io import inputs
from mcpi.shell.io.files import write_output_file
from mcpi.shell.io.output import Output, StdoutClosed, StdoutError

if TYPE_CHECKING:
    from mcpi.shell.process.child import Child
    from mcpi.shell.process.spawn import PrestartedServer


GC_THRESHOLDS = (50_000, 20, 20)
"""Thresholds of Python's garbage collector: new objects, and collections of the younger generations."""


class Command:
    """One command line in one context."""

    def __init__(self, context: Context, early: "PrestartedServer | None" = None) -> None:
        """Take over the server that was started early, if there is one."""
        self.context: Context = context._replace(argv=normalized_line(context.argv, by_spelling(GROUPS)))
        self.output: Output = Output(context)
        self._early = early

    def run(self) -> int:
        """Return the exit code; a reader that closes stdout early is not a failure."""
        try:
            code = self._run()
        except StdoutClosed:
            code = 0
        except StdoutError as error:
            self.output.write_lines([f"mcpi: standard output cannot be written: {error}"])
            code = 1
        if code != INTERRUPTED:
            self.output.close()
        return code

    def _run(self) -> int:
        catalog, read = self._parsed()
        if isinstance(read, Success) and read.unwrap().prints_information:
            return self._inform(read.unwrap(), catalog)
        match self._completed(read, catalog):
            case Success(invocation):
                if invocation.method is not None and invocation.method.needs_target is not None:
                    self._name_targets(read.unwrap(), catalog)
                draft = read.unwrap()
                remarks = () if invocation.target is None else invocation.target.remarks
                self._warn(draft, (*remarks, *passed_flags_warning(draft)))
                code = self._execute(invocation)
                self._warn(draft, () if code else early_timeouts(draft.given.values))
                return code
            case Failure(fault):
                explained = with_hints(self._with_suggestion(fault, catalog), catalog.hints)
                if isinstance(read, Failure) or read.unwrap().of(ModeOptions).script is None:
                    return self._refuse(explained, self.context.argv, catalog)
                return self._refuse_script(read.unwrap(), explained, catalog)

    def _parsed(self) -> tuple[Catalog, Result[Draft]]:
        """Parse the command line with as few plugins as possible; after a mistake, load the plugins of all methods."""
        argv, environment = self.context.argv, self.context.environment
        flags = [word.partition("=")[0] for word in argv]
        only = None if any(map(_needs_methods, flags)) else method_group(argv, by_spelling(GROUPS))
        reports = any(map(_needs_reports, flags))
        while True:
            catalog = Plugins(environment, only, reports=reports).catalog
            read = app.read(argv, environment, catalog)
            given = read.unwrap().given.values if isinstance(read, Success) else ()
            lacks_methods = only is not None and (isinstance(read, Failure) or any(map(_needs_methods, given)))
            summarizes = isinstance(read, Success) and needs_step_summary(self.context, read.unwrap().method)
            lacks_reports = not reports and (summarizes or any(map(_needs_reports, given)))
            if not lacks_methods and not lacks_reports:
                return catalog, inputs.without_shared_files(self.context, read)
            only, reports = None if lacks_methods else only, reports or lacks_reports

    def _with_suggestion(self, fault: Fault, catalog: Catalog) -> Fault:
        """Add the command line that the user may have meant."""
        from mcpi.shell.cli.suggested_line import with_suggestion  # noqa: PLC0415 - only mistakes need it

        return with_suggestion(self.context, fault, catalog)

    def _refuse_script(self, draft: Draft, fault: Fault, catalog: Catalog) -> int:
        """Report a script that is not run, also in its files: a CI system must not show those of the previous run."""
        from mcpi.shell.cli.report_files import write_refused_reports  # noqa: PLC0415 - not needed for a mistake

        saved = write_refused_reports(self.context, draft, fault, catalog)
        if isinstance(saved, Failure):
            self._refuse(saved.failure())
        path = draft.of(OutputOptions).output
        return self._refuse(fault, self.context.argv, catalog, None if path == STDIN else path)

    def _warn(self, draft: Draft, lines: Sequence[str]) -> None:
        if lines and "--quiet" not in draft.given.values:
            self.output.write_lines([f"mcpi: warning: {line}" for line in lines], "warning")

    def _name_targets(self, draft: Draft, catalog: Catalog) -> None:
        """Let the plan connect to targets that it names."""
        from mcpi.shell.cli.side_target import side_target  # noqa: PLC0415 - rarely needed

        context = self.context
        self.context = context._replace(targets=lambda text: side_target(context, draft, catalog, text))

    def _completed(self, read: Result[Draft], catalog: Catalog) -> Result[Invocation]:
        """Return the invocation of a valid command line, with the contents of all files and variables that it names."""
        located = self._located(read.unwrap()) if isinstance(read, Success) else read
        match located:
            case Success(draft):
                return inputs.complete(self.context, draft, catalog)
            case Failure() as failed:
                return failed

    def _located(self, draft: Draft) -> Result[Draft]:
        """Find the config file of a --server without --config, and report its path."""
        values = draft.given.values
        if "--server" not in values or "--config" in values:
            return Success(draft)
        from mcpi.shell.discovery.known_configs import file_with  # noqa: PLC0415 - rarely needed

        match file_with(self.context, values["--server"][-1]):
            case Success(path):
                if "--quiet" not in values:
                    self.output.write_lines([f"mcpi: using the server {values['--server'][-1]} from {path}"])
                return Success(with_config(draft, path))
            case Failure() as failed:
                return failed

    def _inform(self, draft: Draft, catalog: Catalog) -> int:
        """Print information about mcpi itself."""
        asked = draft.given.values
        if "--version" in asked:
            return self._say(f"mcpi {__version__}\n", draft)
        if "--print-schema" in asked:
            return self._print_schema(draft)
        if "--completion" in asked:
            return self._say(_packaged("completion", asked["--completion"][-1]), draft)
        if "--agent-help" in asked:
            return self._say(_packaged("agent-help.txt"), draft)
        if "--list-methods" in asked or "--list-plugins" in asked:
            from mcpi.core.cli.listings import methods, plugins  # noqa: PLC0415 - rarely needed
            from mcpi.shell.discovery.field_docs import texts_of  # noqa: PLC0415 - see above

            listed = plugins(catalog) if "--list-plugins" in asked else methods(catalog, texts_of)
            return self._print(listed, draft)
        return self._list_servers(draft) if "--list-servers" in asked else self._help(draft, catalog)

    def _say(self, text: str, draft: Draft, *, json: bool = False) -> int:
        """Write the text to stdout or to the file of --output."""
        path = draft.given.values.get("--output", (STDIN,))[-1]
        if path == STDIN:
            self.output.write(self.output.format_for_terminal(text) if json else text)
            return 0
        match write_output_file(self.context, "--output", path, text):
            case Success():
                return 0
            case Failure(fault):
                return self._refuse(fault)

    def _print(self, value: Printable, draft: Draft) -> int:
        text = dump(value) if "--compact" in draft.given.values else pretty(value)
        return self._say(f"{text}\n", draft, json=True)

    def _list_servers(self, draft: Draft) -> int:
        """List the servers of the named file, or of all known files."""
        from mcpi.shell.discovery.known_configs import found, of_file  # noqa: PLC0415 - rarely needed

        path = draft.given.values.get("--config", (None,))[-1]
        match found(self.context) if path is None else of_file(self.context, path):
            case Success(servers):
                return self._print(servers, draft)
            case Failure(fault):
                return self._refuse(fault)

    def _help(self, draft: Draft, catalog: Catalog) -> int:
        """Print the help on one screen, on every flag, or on the one method that is named."""
        from mcpi.shell.cli.help.help_page import ALL, SCRIPT, page  # noqa: PLC0415 - rarely needed

        topic = draft.method.name if draft.method is not None else None
        named = () if draft.server else draft.given.words
        if topic is None and len(named) == 1:
            from mcpi.core.cli.mistakes.missing_methods import unknown_topic  # noqa: PLC0415 - see above

            topic = named[0]
            fault = unknown_topic(topic, (*catalog.owned, ALL, SCRIPT), app.known_flags(catalog))
            if fault is not None:
                return self._refuse(self._with_suggestion(fault, catalog))
        return self._say(page(self.context, catalog, topic, general=ALL in self.context.argv), draft)

    def _print_schema(self, draft: Draft) -> int:
        """Print the schema of a document that mcpi writes or reads."""
        name = draft.given.values["--print-schema"][-1]
        return self._say(_packaged("schemas", f"{name}.json"), draft, json=True)

    def _execute(self, invocation: Invocation) -> int:
        """Carry out the invocation; the server boots while the rest of mcpi is being imported."""
        if invocation.probe is not None and not invocation.output.dry_run:
            from mcpi.shell.cli.live_debug import with_debugged_target  # noqa: PLC0415 - rarely needed

            match with_debugged_target(self.context, invocation):
                case Success(ready):
                    invocation = ready
                case Failure(fault):
                    return self._refuse(fault, ["--structured"] if invocation.output.structured else ())
        begun = begin(invocation.plan()) if invocation.method is not None else None
        from mcpi.shell.process.child import start_server  # noqa: PLC0415 - not needed for a mistake
        from mcpi.shell.process.spawn import exit_on_signals, stop_tracked  # noqa: PLC0415 - see above

        child: Result[Child] | None = None
        dry = invocation.output.dry_run or self.context.transport is not None
        connects = invocation.method is None or invocation.method.connects_with(invocation.args)
        exit_on_signals()
        try:
            if not isinstance(begun, PlanResult) and isinstance(invocation.target, Stdio) and connects and not dry:
                child = start_server(self.context, invocation.target, self._early)
            from mcpi.shell.cli.execute import Execution  # noqa: PLC0415 - see above

            gc.freeze()
            # Parsed JSON has no cycles, and searching for them after every 700 values takes longer than parsing.
            gc.set_threshold(*GC_THRESHOLDS)
            gc.enable()
            return Execution(self.context, self.output, invocation).carry_out(begun, child)
        finally:
            stop_tracked()

    def _refuse(
        self, fault: Fault, argv: Sequence[str] = (), catalog: Catalog | None = None, path: str | None = None
    ) -> int:
        """Report a mistake on the command line, as an envelope if --structured or its environment variable is set.

        The envelope is written to the file, if there is a path.
        """
        flags = OutputOptions(
            structured=self._is_switched_on("--structured", argv), compact=self._is_switched_on("--compact", argv)
        )
        result = PlanResult(None, fault)
        method = None
        if flags.structured and catalog is not None:
            method = app.method_of(argv, self.context.environment, catalog)
        shown = format_result(result, envelope(RunInfo(method), result, None, ConnectionFacts()), flags)
        text = str(shown.stdout)
        saved = write_output_file(self.context, "--output", path, text) if text and path is not None else None
        if isinstance(saved, Failure):
            self._refuse(saved.failure())
        if text and not isinstance(saved, Success):
            self.output.write(self.output.format_for_terminal(shown.stdout))
        lines = (f"{'' if place else 'mcpi: '}{line}" for place, line in enumerate(shown.stderr))
        if shown.stderr:
            self.output.write_lines(lines, "error")
        return shown.exit_code

    def _is_switched_on(self, flag: str, argv: Sequence[str]) -> bool:
        """Tell whether a switch is on, on a command line that may be invalid."""
        given = [word.partition("=") for word in argv if word.partition("=")[0] == flag]
        variable = f"MCPI_{flag.strip('-').upper()}"
        _, equals, value = given[-1] if given else ("", "=", self.context.environment.get(variable, ""))
        return not equals or read_switch(flag, value) == Success(True)  # noqa: FBT003 - the value that was read


def _needs_methods(flag: str) -> bool:
    """Tell whether the flag may need the plugins of all methods."""
    return flag in INFORMATION_FLAGS or flag == "--script"


def _needs_reports(flag: str) -> bool:
    """Tell whether the flag needs the plugins of reports."""
    return flag in INFORMATION_FLAGS or flag.startswith("--report")


def _packaged(*names: str) -> str:
    """Read a text that comes with the package."""
    return Path(__file__).parents[2].joinpath(*names).read_text(encoding="utf-8")
