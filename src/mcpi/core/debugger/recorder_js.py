"""The JavaScript that we bring along: it records a value inside the VM and lets the program go on.

A breakpoint whose condition stores the value and then says "do not stop" needs no round trip for a hit.
"""

import json
import re

from mcpi.core.jsontext.exact import Unreadable, read
from mcpi.core.jsontext.portable import DEEPEST, clean
from mcpi.core.jsontext.values import JsonObject, as_object, as_text

BINDING = "__mcpi_send"
HELPER = "__mcpi_debug"
DIRECT, MAPPED, FULL = "d", "m", "f"
"""How a payload begins: a hit in the file as it was named, one in what was generated from it, or no more room."""

# What is captured here cannot be patched by the program later. One value is encoded once: a second attempt is made
# with the same value, as a second evaluation of the expression might have effects.
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


def helper(most: int) -> str:
    """What is evaluated once, before the program runs: the recorder, where no leak detector looks for it."""
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
    """The source where only an expression can stand; `{z}` is an object there, and a comment ends."""
    return f"({source}\n)"


def as_statements(source: str) -> str:
    """The value of statements: direct eval sees the locals too."""
    return f"eval({json.dumps(source)})"


def condition(tag: str, form: str) -> str:
    """The condition of a breakpoint that records and never stops, but where the recorder is missing."""
    # A condition that throws counts as false without a word. In another realm (vm, jest) there is no recorder.
    recorded = f"if({HELPER}.more())try{{{HELPER}.value('{tag}',{form})}}catch(e){{{HELPER}.error('{tag}',e)}}"
    return f"if(typeof {HELPER}!=='object')true;else{{{recorded}false}}"


def on_pause(form: str) -> str:
    """The same record as the value of an evaluation, for a realm that has no recorder."""
    return f"try{{{ENCODER}.value({form})}}catch(e){{{ENCODER}.error(e)}}"


# These exist only inside a class or a method, so that the frame will tell.
_ONLY_INSIDE = ("Private field", "'super' keyword", "new.target")


def complaint(compiled: JsonObject) -> str | None:
    """What the compiler says of an expression, unless it can be right in the frame."""
    details = as_object(as_object(compiled.get("result")).get("exceptionDetails"))
    if not details:
        return None
    sentence = as_text(as_object(details.get("exception")).get("description")) or as_text(details.get("text"))
    return None if any(words in sentence for words in _ONLY_INSIDE) else sentence.partition("\n")[0]


_OPENING = re.compile(r"[{\[]")
_SUSPECT = re.compile(r"\\u[dD][89a-fA-F]|[0-9][eE]\+?[0-9]{3}|[\ud800-\udfff]")


def shape(payload: str) -> JsonObject:
    """One result: its type and its value, with what more is known of it."""
    found = read(payload)
    if isinstance(found, Unreadable):
        return {"type": "error", "value": f"[Unserializable: {clean(payload[:200])}]"}
    return as_object(clean(found.value) if _needs_care(payload) else found.value)


def _needs_care(payload: str) -> bool:
    if _SUSPECT.search(payload):
        return True
    return len(payload) > DEEPEST and sum(1 for _ in _OPENING.finditer(payload)) > DEEPEST
