"""The JavaScript recorder: it records values inside the VM without stopping the program.

A breakpoint whose condition records the value and then evaluates to false needs no round trip per hit.
"""

import json
import re

from mcpi.core.jsontext.exact import JsonSyntaxProblem, parse_json_text
from mcpi.core.jsontext.portable import MAX_DEPTH, make_portable
from mcpi.core.jsontext.values import JsonObject, as_object, as_text

BINDING = "__mcpi_send"
HELPER = "__mcpi_debug"
DIRECT, MAPPED, FULL = "d", "m", "f"
"""First character of a payload: a hit in the named file, a hit in generated code, or the limit was reached."""

# The program cannot patch the builtins captured here. The expression is evaluated only once, as another evaluation
# might have side effects: a second attempt to encode uses the same value.
ENCODER = r"""(() => {
const {stringify} = JSON, {is, prototype: {toString}} = Object, {isArray, from} = Array, String_ = String;
const source = Function.prototype.toString, call = Function.prototype.call.bind(Function.prototype.call);
const LONGEST = 1000;
const said = thrown => { try { return String_(thrown) } catch { return 'an error that has no text' } };
const short = text => text.length > LONGEST ? text.slice(0, LONGEST) + '…' : text;
const guarded = value => {
  const above = [];
  return stringify(value, function (_, inner) {
    if (typeof inner === 'bigint') return inner + 'n';
    if (typeof inner !== 'object' || inner === null) return inner;
    while (above.length && above[above.length - 1] !== this) above.pop();
    if (above.includes(inner)) return '[Circular]';
    above.push(inner);
    return inner;
  });
};
const text = value => {
  try { return stringify(value) ?? 'null' } catch {}
  try { return guarded(value) ?? 'null' } catch (thrown) { return stringify(`[Unserializable: ${said(thrown)}]`) }
};
const KINDS = {
  Map: map => `Map(${map.size}) ${text(from(map))}`, Set: set => `Set(${set.size}) ${text(from(set))}`,
  Error: said, RegExp: said, Promise: () => 'Promise', WeakMap: () => 'WeakMap', WeakSet: () => 'WeakSet',
};
const about = value => {
  if (isArray(value)) return ',"subtype":"array"';
  try {
    const kind = call(toString, value).slice(8, -1), describe = KINDS[kind];
    if (kind === 'Date') return ',"subtype":"date"';
    return describe ? `,"subtype":"${kind.toLowerCase()}","description":${stringify(short(describe(value)))}` : '';
  } catch { return '' }
};
const number = value => is(value, -0) ? '"-0"' : value - value === 0 ? stringify(value) : `"${value}"`;
return {
  value: value => {
    const type = typeof value;
    switch (type) {
      case 'object':
        if (value === null) return '{"type":"object","subtype":"null","value":null}';
        return `{"type":"object"${about(value)},"value":${text(value)}}`;
      case 'undefined': return '{"type":"undefined","value":null}';
      case 'number': return `{"type":"number","value":${number(value)}}`;
      case 'bigint': return `{"type":"bigint","value":"${value}n"}`;
      case 'symbol': return `{"type":"symbol","value":${stringify(String_(value))}}`;
      case 'function': return `{"type":"function","value":${stringify(call(source, value))}}`;
      default: return `{"type":"${type}","value":${stringify(value)}}`;
    }
  },
  error: thrown => `{"type":"error","value":${stringify(said(thrown))}}`,
};
})()"""


def recorder_script(most: int) -> str:
    """Build the script that installs the recorder before the program runs, as a property hidden from leak detectors."""
    return f"""(() => {{
const send = globalThis.{BINDING};
delete globalThis.{BINDING};
if (typeof send !== 'function') return;
const encode = {ENCODER};
let left = {most};
const record = {{
  more() {{
    if (left > 0) return left-- > 0;
    if (left === 0) {{ left = -1; send('{FULL}'); }}
    return false;
  }},
  value(tag, value) {{ send(tag + encode.value(value)); }},
  error(tag, thrown) {{ send(tag + encode.error(thrown)); }},
}};
Object.defineProperty(globalThis, '{HELPER}', {{value: Object.freeze(record), configurable: true}});
}})()"""


def as_expression(source: str) -> str:
    """Wrap the source so that only an expression is valid: `{z}` is an object, and a line comment ends."""
    return f"({source}\n)"


def as_statements(source: str) -> str:
    """Build an expression for the value of statements; direct eval also sees the locals."""
    return f"eval({json.dumps(source)})"


def condition(tag: str, form: str) -> str:
    """Build the condition of a breakpoint that records and never stops, unless the recorder is missing."""
    # A condition that throws counts as false, without an error. In another realm (vm, jest) there is no recorder.
    recorded = f"if({HELPER}.more())try{{{HELPER}.value('{tag}',{form})}}catch(e){{{HELPER}.error('{tag}',e)}}"
    return f"if(typeof {HELPER}!=='object')true;else{{{recorded}false}}"


def on_pause(form: str) -> str:
    """Build an expression that returns the same record, for a realm without a recorder."""
    return f"try{{{ENCODER}.value({form})}}catch(e){{{ENCODER}.error(e)}}"


# Errors for syntax that is valid only inside a class or a method: it is checked when evaluated in the frame.
_VALID_IN_FRAME = ("Private field", "'super' keyword", "new.target")


def compile_error(compiled: JsonObject) -> str | None:
    """Return the compile error of an expression, unless the expression may be valid in the frame."""
    details = as_object(as_object(compiled.get("result")).get("exceptionDetails"))
    if not details:
        return None
    sentence = as_text(as_object(details.get("exception")).get("description")) or as_text(details.get("text"))
    return None if any(words in sentence for words in _VALID_IN_FRAME) else sentence.partition("\n")[0]


_OPENING_BRACKET = re.compile(r"[{\[]")
_NEEDS_CLEANING = re.compile(r"\\u[dD][89a-fA-F]|[0-9][eE]\+?[0-9]{3}|[\ud800-\udfff]")


def parse_payload(payload: str) -> JsonObject:
    """Parse a payload into a result: the type, the value, and optional details."""
    found = parse_json_text(payload)
    if isinstance(found, JsonSyntaxProblem):
        return {"type": "error", "value": f"[Unserializable: {make_portable(payload[:200])}]"}
    return as_object(make_portable(found.value) if _needs_cleaning(payload) else found.value)


def _needs_cleaning(payload: str) -> bool:
    if _NEEDS_CLEANING.search(payload):
        return True
    return len(payload) > MAX_DEPTH and sum(1 for _ in _OPENING_BRACKET.finditer(payload)) > MAX_DEPTH
