"""HTML report: one page without external resources."""

from collections import Counter
from collections.abc import Mapping
from html import escape

from mcpi.plugins.api import (
    Exact,
    Finding,
    Json,
    JsonObject,
    Printable,
    Report,
    ReportedStep,
    ReportFormat,
    as_list,
    as_object,
    as_text,
    dump,
    failure_details,
    failure_reasons,
    findings_of,
    hookimpl,
    pretty,
    to_plain,
)
from mcpi.plugins.reports.html_style import STYLE

MAX_BODY = 200_000
"""Maximum number of characters shown of one body."""


def render(report: Report) -> str:
    """Render the page."""
    counts: Counter[str] = Counter(step.verdict for step in report.steps)
    verdict = "failed" if counts["failed"] or report.exit_code else "passed"
    head = f"<title>{escape(report.title)}: {verdict}</title>\n<style>{STYLE}</style>"
    meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    body = "\n".join((_header(report, verdict, counts), *map(_step, _titles(report), report.steps)))
    return f'<!doctype html>\n<html lang="en"><head>{meta}\n{head}</head>\n<body>\n{body}\n</body></html>\n'


def _titles(report: Report) -> list[str]:
    """Return the titles of the steps, which are numbered in a script."""
    titles = [step.title for step in report.steps]
    return [f"{number}  {title}" for number, title in enumerate(titles, 1)] if report.script else titles


def _header(report: Report, verdict: str, counts: "Counter[str]") -> str:
    named = [(name, counts[name]) for name in ("passed", "failed", "allowed", "skipped") if name in counts]
    chips = "".join(f'<span class="chip {name}">{count} {name}</span>' for name, count in named)
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(_as_text(value))}</dd>" for name, value in report.facts.items())
    return (
        f'<header class="{verdict}"><h1>{escape(report.title)}</h1><p class="chips">{chips}'
        f'<span class="chip">exit code {report.exit_code}</span></p><dl>{rows}'
        f"<dt>when</dt><dd>{escape(report.time)}</dd><dt>mcpi</dt><dd>{escape(report.version)}</dd></dl></header>"
    )


def _as_text(value: Printable) -> str:
    simple = to_plain(value)
    return simple if isinstance(simple, str) else dump(value)


def _step(title: str, step: ReportedStep) -> str:
    if step.skipped:
        return _skipped(title)
    verdict = step.verdict
    took = to_plain(step.envelope.get("durationMs"))
    sent, result = _collapsed("Parameters", _sent_params(step)), _collapsed("Result", step.envelope.get("result"))
    parts = [_error(step), _findings(step), sent, result, _sequence(step), _recorded(step)]
    state = " open" if step.failed else ""
    return (
        f'<details class="step {verdict}"{state}><summary><span class="verdict">{verdict}</span>'
        f'<span class="title">{escape(title)}</span><span class="time">{took} ms</span></summary>'
        f"{''.join(parts)}</details>"
    )


def _skipped(title: str) -> str:
    return (
        f'<div class="step skipped"><div class="row"><span class="verdict">skipped</span>'
        f'<span class="title">{escape(title)}</span></div></div>'
    )


def _sent_params(step: ReportedStep) -> Printable:
    """Return the parameters of the last request for the step's method."""
    sent = [message.get("parsed") for message in step.messages if message.get("direction") == "sent"]
    requests = [one.members() for one in sent if isinstance(one, Exact)]
    own = [one for one in requests if "method" in one and one["method"].value == to_plain(step.envelope.get("method"))]
    return own[-1].get("params") if own else None


def _error(step: ReportedStep) -> str:
    error = as_object(to_plain(step.envelope.get("error")))
    if not error:
        return ""
    reasons = failure_reasons(step)
    listed = "".join(f"<li><code>{escape(one)}</code></li>" for one in reasons)
    about = "\n".join(failure_details(step))
    more = f"<ul>{listed}</ul>" if listed else f"<pre>{escape(about)}</pre>" if about else ""
    hints = [as_text(one) for one in as_list(error.get("hints"))]
    more += "".join(f"<p>{escape(one)}</p>" for one in hints if one not in reasons)
    code, message = as_text(error.get("code")), as_text(error.get("message"))
    return f'<section class="error"><h3>{escape(code)}</h3><p>{escape(message)}</p>{more}</section>'


def _findings(step: ReportedStep) -> str:
    """Render the findings of a step as a table."""
    rows = "".join(
        f'<tr class="{one.severity}"><td>{escape(one.label or one.severity)}</td><td>{escape(one.place)}</td>'
        f"<td>{escape(one.message)}<small>{escape(' '.join(filter(None, (_rejected(one), one.fix))))}</small></td>"
        f"<td>{_rule_link(one)}</td></tr>"
        for one in findings_of(step.envelope) or ()
    )
    return f'<table class="findings">{rows}</table>' if rows else ""


def _rejected(finding: Finding) -> str:
    return f"{finding.rejection.capitalize()}." if finding.rejected_by else ""


def _rule_link(finding: Finding) -> str:
    rule = escape(finding.rule)
    return f'<a href="{escape(finding.evidence)}">{rule}</a>' if finding.evidence.startswith("https://") else rule


def _collapsed(name: str, value: Printable) -> str:
    if value is None:
        return ""
    return f"<details><summary>{name}</summary><pre>{_shortened(pretty(value))}</pre></details>"


def _shortened(text: str) -> str:
    more = len(text) - MAX_BODY
    return escape(text) if more <= 0 else f"{escape(text[:MAX_BODY])}\n… {more} more characters"


def _sequence(step: ReportedStep) -> str:
    """Render the messages between mcpi and the server in order."""
    if not step.messages:
        return ""
    reasons = _reasons_of_own_requests(step)
    rows = "".join(_message(message, reasons) for message in step.messages)
    return (
        '<section class="sequence"><div class="lanes"><span>mcpi</span><span>server</span></div>'
        f"<ol>{rows}</ol></section>"
    )


def _reasons_of_own_requests(step: ReportedStep) -> dict[str, str]:
    """Return the methods of the additional requests that mcpi sent, each with its reason."""
    sent = [as_object(one) for one in as_list(to_plain(step.envelope.get("implicit")))]
    # An entry with only _meta is an addition to a request of the step.
    found = {as_text(one.get("method")): as_text(one.get("reason")) for one in sent if {*_params(one)} != {"_meta"}}
    return {method: reason for method, reason in found.items() if method != to_plain(step.envelope.get("method"))}


def _params(message: JsonObject) -> JsonObject:
    return as_object(message.get("params"))


def _message(message: Mapping[str, Printable], reasons: Mapping[str, str]) -> str:
    direction, raw = _as_text(message.get("direction")), _as_text(message.get("raw"))
    clock = escape(_as_text(message.get("time"))[11:23])
    if direction not in {"sent", "received"}:
        return f'<li class="note {escape(direction)}"><time>{clock}</time><span class="line">{escape(raw)}</span></li>'
    took = message.get("answerMs")
    parsed = as_object(to_plain(message.get("parsed")))
    label = escape(_label(parsed))
    reason = reasons.get(as_text(parsed.get("method"))) if direction == "sent" else None
    label += "" if reason is None else f'<span class="own">mcpi\'s own request: {escape(reason)}</span>'
    after = f'<span class="took">{to_plain(took)} ms</span>' if took is not None else ""
    body = _shortened(pretty(message["parsed"]) if message.get("parsed") is not None else raw)
    wrong = "".join(
        f'<p class="violation">{escape(as_text(as_object(one).get("detail")))}</p>'
        for one in as_list(to_plain(message.get("violations")))
    )
    return (
        f'<li class="{direction}"><time>{clock}</time><details><summary><span class="arrow">{label}{after}</span>'
        f"</summary><pre>{body}</pre></details>{wrong}</li>"
    )


def _label(parsed: JsonObject) -> str:
    number = parsed.get("id")
    tag = "" if number is None else f" #{dump(number)}"
    if "method" in parsed:
        name = _params(parsed).get("name")
        return f"{_json_text(parsed['method'])}{f' {name}' if isinstance(name, str) else ''}{tag}"
    if "error" in parsed:
        return f"error {_json_text(as_object(parsed['error']).get('code'))}{tag}"
    return f"result{tag}" if "result" in parsed else "not a message"


def _json_text(value: Json) -> str:
    return value if isinstance(value, str) else dump(value)


def _recorded(step: ReportedStep) -> str:
    """Render logs, violations, server requests and stderr, each collapsed."""
    parts = [("Logs", "logs"), ("Violations", "violations"), ("Server requests", "serverRequests")]
    shown = [_collapsed(title, step.envelope.get(key)) for title, key in parts if to_plain(step.envelope.get(key))]
    stderr = "\n".join(as_text(line) for line in as_list(to_plain(step.envelope.get("stderr"))))
    if stderr:
        shown.append(f'<details><summary>stderr</summary><pre class="stderr">{_shortened(stderr)}</pre></details>')
    return "".join(shown)


@hookimpl
def mcpi_outputs() -> tuple[ReportFormat, ...]:
    """Return the HTML format."""
    return (ReportFormat("html", render, "HTML page"),)
