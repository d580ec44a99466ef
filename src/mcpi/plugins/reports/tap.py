"""TAP report in version 13, which all TAP consumers support."""

from mcpi.plugins.api import (
    Printable,
    Report,
    ReportedStep,
    ReportFormat,
    as_object,
    as_text,
    dump,
    failure_message,
    hookimpl,
    to_plain,
    violations,
)


def render(report: Report) -> str:
    """Render a line per step, followed by the details of a failure."""
    lines = ["TAP version 13", f"1..{len(report.steps)}"]
    for number, step in enumerate(report.steps, 1):
        lines += _step(number, step)
    return "\n".join(lines) + "\n"


def _step(number: int, step: ReportedStep) -> list[str]:
    directive = {"allowed": " # TODO allowed to fail", "skipped": " # SKIP not run"}.get(step.verdict, "")
    head = f"{'not ok' if step.failed else 'ok'} {number} - {_title(step.title)}{directive}"
    error = step.envelope.get("error")
    warnings = [f"# warning: {' '.join(one.split())}" for one in violations(step)]
    if not step.failed or error is None:
        return [head, *warnings]
    about = as_object(to_plain(error))
    members: dict[str, Printable] = {
        "message": failure_message(step),
        "code": as_text(about.get("code")),
        "durationMs": to_plain(step.envelope.get("durationMs")),
        "details": about.get("details") or about.get("rpc", {}),
    }
    # The block is YAML, and every JSON value is valid YAML.
    return [head, "  ---", *(f"  {name}: {dump(value)}" for name, value in members.items()), "  ...", *warnings]


def _title(title: str) -> str:
    return title.replace("\\", "\\\\").replace("#", "\\#").replace("\n", " ")


@hookimpl
def mcpi_outputs() -> tuple[ReportFormat, ...]:
    """Return the TAP format."""
    return (ReportFormat("tap", render, "Test Anything Protocol"),)
