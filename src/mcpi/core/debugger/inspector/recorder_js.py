"""The JavaScript recorder: it records values inside the VM without stopping the program.

A breakpoint whose condition records the value and then evaluates to false needs no round trip per hit.
"""

import json
import re
from collections.abc import Iterable

from mcpi.core.debugger.inspector.value_encoder_js import ENCODER
from mcpi.core.flags.places import RecordingLimits
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import JsonSyntaxProblem, parse_json_text
from mcpi.core.jsontext.portable import make_portable
from mcpi.core.jsontext.values import JsonObject, as_object, as_text

BINDING = "__mcpi_send"
_PROPERTY = "__mcpi"
# For a name that is not a local variable, V8 searches a table that grows with each hit until the next garbage
# collection. A property of a literal avoids this search.
HELPER = f"true.{_PROPERTY}"
"""The expression for the recorder in a condition; undefined in a realm without a recorder."""
FULL, STARTED = "full", "started"
"""The payloads that report a reached limit, and the first evaluation."""
ENVELOPE = len('{"type":"number","value":}')
"""Number of characters of a result that are not part of its value."""


@frozen
class Form:
    """An expression as it is evaluated in a frame."""

    text: str
    is_async: bool = False
    condition: str = ""
    """JavaScript that must be true for a hit to count; empty for every hit."""


def recorder_script(limits: RecordingLimits) -> str:
    """Build the script that installs the recorder, as a property that is neither global nor enumerable."""
    return f"""(() => {{
const send = globalThis.{BINDING};
delete globalThis.{BINDING};
if (typeof send !== 'function') return;
const encode = {ENCODER}({limits.value_bytes});
const then = Function.prototype.call.bind(Promise.prototype.then);
const run = Math.random().toString(36).slice(2);
let left = {limits.results}, room = {limits.total_bytes}, most = {limits.value_bytes}, promises = 0, started = false;
const bytes = () => room < most ? room : most;
const pass = (head, text) => {{ room -= text.length - {ENVELOPE}; send(head + text); }};
const more = () => {{
  if (!started) {{ started = true; send('{STARTED}'); }}
  if (left > 0 && room > 0) return left-- > 0;
  if (left >= 0) {{ left = -1; send('{FULL}'); }}
  return false;
}};
const value = (tag, value) => {{ pass(tag + ' ', encode.value(value, bytes())); }};
const settle = (tag, promise) => {{
  const number = run + ++promises;
  then(promise, (value) => pass(tag + '!' + number + ' ', encode.value(value, bytes())),
    (thrown) => pass(tag + '!' + number + ' ', encode.error(thrown, bytes())));
  return number;
}};
const later = (tag, promise) => {{ send(tag + '?' + settle(tag, promise)); }};
const record = {{
  more, settle,
  get value() {{ return more() ? value : undefined }},
  get later() {{ return more() ? later : undefined }},
  error(tag, thrown) {{ pass(tag + ' ', encode.error(thrown, bytes())); return false; }},
  restart(results, total, value) {{ left = results; room = total; most = value; started = false; }},
}};
// Configurable, so that a program that removes unknown properties (SES) can remove it; each hit pauses from then on. If
// the prototype is frozen, there may be the recorder of an earlier session.
if (!Reflect.defineProperty(Boolean.prototype, '{_PROPERTY}', {{value: Object.freeze(record), configurable: true}}))
  {HELPER}?.restart({limits.results}, {limits.total_bytes}, {limits.value_bytes});
}})()"""


def as_expression(source: str) -> Form:
    """Wrap the source so that only an expression is valid: `{z}` is an object; a line comment ends before the `)`."""
    return Form(f"({source}\n)")


def as_async(source: str) -> Form:
    """Wrap the source so that `await` is valid; the value follows when its promise settles."""
    return Form(f"(async()=>({source}\n))()", is_async=True)


def as_statements(source: str) -> Form:
    """Build an expression for the value of statements."""
    return Form(in_eval(source))


def in_eval(source: str) -> str:
    """Build an expression that compiles the source when it is evaluated; direct eval also sees the locals."""
    # If the condition of a breakpoint does not compile, V8 treats it as false; an error in eval can be caught.
    return f"eval({json.dumps(source)})"


def condition(recorded: Iterable[tuple[int, Form]]) -> str:
    """Build the condition of a breakpoint that records and never stops, unless the recorder is missing."""
    forms = list(recorded)
    # V8 compiles the condition again at each hit, and looks each name up: the shorter, the faster.
    calls = "".join(_record(number, form) for number, form in forms)
    if not any(form.condition for _, form in forms):
        return calls
    tests = "||".join(_test(form) for _, form in forms)
    return f"if(!{HELPER}){tests};else{{{calls}false}}"


def pause_condition(form: Form) -> str:
    """Build the condition of a breakpoint that stops the program at each hit until the recorder's limit is reached."""
    below_limit = f"!{HELPER}||{HELPER}.more()"
    return f"{_test(form)}&&({below_limit})" if form.condition else below_limit


def _test(form: Form) -> str:
    return f"({form.condition}\n)" if form.condition else "true"


def _record(number: int, form: Form) -> str:
    # The getter counts the hit before the expression is evaluated, and returns undefined beyond the limit. If the
    # breakpoint's condition throws, V8 treats it as false. Another realm (vm) may have no recorder: stop there.
    call = "later" if form.is_async else "value"
    recorded = f"try{{{HELPER}.{call}?.({number},{form.text})}}catch(e){{{HELPER}?.error({number},e)??true}}"
    if not form.condition:
        return recorded
    # If the user's condition throws, the error is recorded as the value of the hit.
    return f"try{{if({_test(form)}){{{recorded}}}}}catch(e){{{HELPER}.more()&&{HELPER}.error({number},e)}}"


def on_pause(number: int, form: Form, limits: RecordingLimits, condition: str = "") -> str:
    """Build an expression that returns the payload of a hit; '' if the condition fails."""
    # A realm may have no recorder: the expression has its own encoder, and cannot await a promise there.
    encode = f"{ENCODER}({limits.value_bytes})"
    recorded = "try{return encode.value(read())}catch(e){return encode.error(e)}"
    text = f"'{number} '+((encode,read)=>{{{recorded}}})({encode},()=>{form.text})"
    if form.is_async:
        text = f"({HELPER}?'{number}?'+{HELPER}.settle({number},{form.text}):{text})"
    return f"({condition}\n)?{text}:''" if condition else text


@frozen
class Hit:
    """A payload of the recorder: the breakpoint's number, the promise if the value follows, and the value."""

    number: int
    promise: str = ""
    value: str | None = None


_PAYLOAD = re.compile(r"(?P<number>[0-9]+)(?:(?P<sign>[?!])(?P<promise>[0-9a-z]+))?(?: (?P<value>.*))?", re.DOTALL)


def parse_hit(payload: str) -> Hit | None:
    """Parse a payload; return None if it is not one."""
    match = _PAYLOAD.fullmatch(payload)
    return Hit(int(match["number"]), match["promise"] or "", match["value"]) if match else None


# Errors for syntax that is valid only inside a class or a method.
_VALID_IN_FRAME = ("Private field", "'super' keyword", "new.target")


def compile_error(compiled: JsonObject) -> str | None:
    """Return the compile error of an expression."""
    details = as_object(as_object(compiled.get("result")).get("exceptionDetails"))
    if not details:
        return None
    sentence = as_text(as_object(details.get("exception")).get("description")) or as_text(details.get("text"))
    return sentence.partition("\n")[0]


def is_valid_in_frame(error: str) -> bool:
    """Tell whether an expression with this compile error may be valid in the frame."""
    return any(words in error for words in _VALID_IN_FRAME)


_LONE_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


def parse_payload(payload: str) -> JsonObject:
    """Parse the value of a payload into a result: the type, the value, and optional details."""
    found = parse_json_text(payload)
    if isinstance(found, JsonSyntaxProblem):
        return {"type": "error", "value": f"[Unserializable: {make_portable(payload[:200])}]"}
    return as_object(make_portable(found.value) if _LONE_SURROGATE.search(payload) else found.value)
