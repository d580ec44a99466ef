"""A run for the report tests: one step of each verdict."""

from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.plans.reports import Report, ReportedStep, TraceEntry

FAILURE: Printable = {
    "category": "application",
    "code": "EXPECTATION_FAILED",
    "message": "1 of 2 <expectations> failed",
    "details": {"failures": ["/sum: expected 4, got 3"]},
}
LOST: Printable = {
    "category": "transport",
    "code": "SERVER_EXITED",
    "message": "the server exited",
    "details": {"exitCode": 3},
}
RPC: Printable = {
    "category": "application",
    "code": "JSON_RPC_ERROR",
    "message": "no",
    "rpc": {"code": -32002},
    "details": {},
}

SENT: TraceEntry = {
    "time": "2026-11-18T12:00:00.000Z",
    "direction": "sent",
    "raw": '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add"}}',
    "parsed": Exact(
        '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add"}}',
        {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "add"}},
    ),
}
RECEIVED: TraceEntry = {
    "time": "2026-11-18T12:00:00.004Z",
    "direction": "received",
    "raw": '{"jsonrpc":"2.0","id":7,"result":{"sum":1.10}}',
    "parsed": Exact(
        '{"jsonrpc":"2.0","id":7,"result":{"sum":1.10}}', {"jsonrpc": "2.0", "id": 7, "result": {"sum": 1.1}}
    ),
    "answerMs": 3.9,
    "violations": [{"rule": "id-type", "detail": "an id of another type", "evidence": ""}],
}
NOISE: TraceEntry = {"time": "2026-11-18T12:00:00.005Z", "direction": "received", "raw": "<b>noise</b>", "parsed": None}
STDERR: TraceEntry = {"time": "2026-11-18T12:00:00.006Z", "direction": "stderr", "raw": "a <line> of the server"}

PASSED = ReportedStep(
    "sum",
    {
        "method": "tools/call",
        "durationMs": 12.0,
        "result": Exact('{"sum":1.10}', {"sum": 1.1}),
        "error": None,
        "logs": [{"level": "info", "message": "hello"}],
        "violations": [],
        "serverRequests": [],
        "stderr": ["started"],
    },
    messages=(SENT, RECEIVED, NOISE, STDERR),
)
FAILED = ReportedStep("wrong", {"method": "tools/call", "durationMs": 1, "result": {}, "error": FAILURE}, failed=True)
ALLOWED = ReportedStep(
    "may", {"method": "x", "durationMs": 1, "result": None, "error": RPC}, failed=True, failure_allowed=True
)
ERROR = ReportedStep("gone", {"method": None, "durationMs": None, "result": None, "error": LOST}, failed=True)
SKIPPED = ReportedStep("never", {"method": "x"}, skipped=True)
RUN = Report(
    "mcpi <script>.json",
    (PASSED, FAILED, ALLOWED, ERROR, SKIPPED),
    1,
    "2026-11-18T12:00:00.000Z",
    "1.2.3",
    {"transport": "stdio", "exit": 3},
    "<script>.json",
)
