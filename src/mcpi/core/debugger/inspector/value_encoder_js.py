"""The JavaScript that writes a value as JSON, with marks for everything that JSON lacks."""

MAX_LEVELS = 32
"""Maximum number of levels of objects and arrays that are written."""

# The builtins are captured before the program runs, so that it cannot patch them. A mark is an object whose first
# member starts with $; docs/debug-script.md lists them all.
ENCODER = r"""((maxBytes) => {
const {stringify} = JSON, {is, keys, getPrototypeOf, getOwnPropertyDescriptor: own} = Object, {isArray} = Array;
const uncurry = (method) => Function.prototype.call.bind(method);
const getter = (owner, name) => uncurry(own(owner, name).get);
const String_ = String, Map_ = Map, LEVELS = MAX_LEVELS;
const charCode = uncurry(String.prototype.charCodeAt), slice = uncurry(String.prototype.slice);
const replace = uncurry(String.prototype.replaceAll), startsWith = uncurry(String.prototype.startsWith);
const source = uncurry(Function.prototype.toString), tagOf = uncurry(Object.prototype.toString);
const push = uncurry(Array.prototype.push), join = uncurry(Array.prototype.join);
const mapSize = getter(Map.prototype, 'size'), mapEach = uncurry(Map.prototype.forEach);
const setSize = getter(Set.prototype, 'size'), setEach = uncurry(Set.prototype.forEach);
const time = uncurry(Date.prototype.getTime), iso = uncurry(Date.prototype.toISOString);
const pattern = uncurry(RegExp.prototype.toString);
const TypedArray = getPrototypeOf(Uint8Array.prototype);
const typedName = getter(TypedArray, Symbol.toStringTag), typedLength = getter(TypedArray, 'length');
const bufferLength = getter(ArrayBuffer.prototype, 'byteLength');
const mapGet = uncurry(Map.prototype.get), mapSet = uncurry(Map.prototype.set), ObjectPrototype = Object.prototype;
const lower = uncurry(String.prototype.toLowerCase), execute = uncurry(RegExp.prototype.exec);
const MARKS = ['undefined', 'number', 'bigint', 'symbol', 'function', 'date', 'regexp', 'map', 'set', 'error',
  'promise', 'typedArray', 'arrayBuffer', 'class', 'object', 'throws', 'empty', 'circular', 'shared', 'truncated'];
const isMark = {__proto__: null};
for (const name of MARKS) isMark['$' + name] = true;
let inspect = null;
try { inspect = process.getBuiltinModule('util').inspect } catch {}
const test = (read, value) => { try { read(value); return true } catch { return false } };
const said = (thrown) => { try { return String_(thrown) } catch { return 'an error without text' } };
let left = 0, cut = false, seen = null, converted = null;
const cost = (text) => {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = charCode(text, i);
    if (code > 127) bytes += code > 2047 ? 2 : 1;
  }
  return bytes;
};
const spend = (text) => { left -= text.length; return text };
const string = (value) => {
  if (value.length <= left) {
    const text = stringify(value), bytes = cost(text);
    if (bytes <= left) { left -= bytes; return text }
  }
  cut = true;
  let length = left > 0 ? (left < value.length ? left : value.length) : 0, text = '""';
  while (length > 0) {
    const code = charCode(value, length - 1);
    text = stringify(slice(value, 0, code >= 0xd800 && code < 0xdc00 ? length - 1 : length));
    const bytes = cost(text);
    if (bytes <= left) break;
    length = (length * left / bytes - 1) >> 0;
    text = '""';
  }
  left -= cost(text);
  return `{"$truncated":"string","length":${value.length},"value":${text}}`;
};
const mark = (name, text, rest = '') => spend(`{"$${name}":`) + text + rest + spend('}');
const number = (value) =>
  value - value !== 0 ? mark('number', `"${value}"`) : is(value, -0) ? mark('number', '"-0"') : spend(stringify(value));
// A node is a place in the value: its pointer is built only when it is needed.
const pointer = ({up, key}) =>
  up ? `${pointer(up)}/${replace(replace(String_(key), '~', '~0'), '/', '~1')}` : '';
const members = (path, level, names, read) => {
  const parts = [];
  for (let i = 0; i < names.length; i++) {
    if (left <= 0) { cut = true; push(parts, `"$truncated":{"omitted":${names.length - i}}`); break }
    const name = string(names[i]);
    if (name[0] === '{') { push(parts, `"$truncated":{"omitted":${names.length - i}}`); break }
    push(parts, name + spend(":") + member(path, names[i], level, () => read(names[i])));
  }
  return spend('{') + join(parts, ',') + '}';
};
const member = (path, key, level, read) => {
  let value;
  try { value = read() } catch (thrown) { return mark('throws', string(said(thrown))) }
  return encode(value, path, key, level);
};
const elements = (path, level, length, read) => {
  const parts = [];
  for (let i = 0; i < length; i++) {
    if (left <= 0) { cut = true; push(parts, `{"$truncated":"elements","omitted":${length - i}}`); break }
    spend(',');
    push(parts, member(path, i, level, () => read(i)));
  }
  return '[' + join(parts, ',') + ']';
};
const array = (value, path, level) => {
  const parts = [];
  for (let i = 0; i < value.length; i++) {
    if (left <= 0) { cut = true; push(parts, `{"$truncated":"elements","omitted":${value.length - i}}`); break }
    spend(',');
    push(parts, !(i in value) ? mark('empty', 'true') : member(path, i, level, () => value[i]));
  }
  return '[' + join(parts, ',') + ']';
};
const collect = (each, value, pair) => {
  const found = [];
  each(value, (item, key) => push(found, pair ? [key, item] : item));
  return found;
};
const className = (value) => {
  try {
    for (let proto = getPrototypeOf(value); proto !== null; proto = getPrototypeOf(proto)) {
      const found = own(proto, 'constructor');
      if (found && typeof found.value === 'function') {
        const name = own(found.value, 'name');
        return name && typeof name.value === 'string' ? name.value : '';
      }
    }
  } catch {}
  return '';
};
const isPlain = (value) => {
  const proto = getPrototypeOf(value);
  if (proto === ObjectPrototype || proto === null) return tagOf(value) !== '[object Arguments]';
  return className(value) === 'Object' && tagOf(value) === '[object Object]';
};
// Iterators, generators and arguments have no class of their own.
const kindName = (value) => {
  const name = className(value);
  return name === 'Object' ? slice(tagOf(value), 8, -1) : name;
};
const named = (value, usual) => {
  const name = className(value);
  return name === usual ? '' : spend(',"class":') + string(name);
};
const properties = (value, path, level) => {
  const names = keys(value);
  return names.length ? spend(',"properties":') + members(path, level, names, (name) => value[name]) : '';
};
const failure = (value, path, level) => {
  let name = className(value), rest = '';
  try { name = String_(value.name) } catch {}
  const text = string(name);
  for (const name of ['message', 'stack']) {
    rest += spend(`,"${name}":`) + member(path, name, level, () => value[name]);
  }
  for (const name of ['cause', 'errors']) {
    const found = own(value, name);
    if (found && !found.enumerable) rest += spend(`,"${name}":`) + member(path, name, level, () => value[name]);
  }
  return mark('error', text, named(value, name) + rest + properties(value, path, level));
};
const promise = (value) => {
  let text = '';
  try { text = inspect(value, {depth: 2}) } catch {}
  const found = execute(/^[^{]*\{\s*(?:<(pending|rejected)>)?\s*([^]*?),?\s*\}$/, text);
  const state = !text ? 'unknown' : found && found[1] ? found[1] : 'fulfilled';
  const rest = found && found[2] ? spend(',"text":') + string(found[2]) : '';
  return mark('promise', `"${state}"`, rest);
};
const special = (value, path, level) => {
  const typed = typedName(value);
  if (typed) {
    const name = named(value, typed);
    return mark('typedArray', `"${typed}"`, name + spend(',"values":') +
      elements(path, level, typedLength(value), (at) => value[at]));
  }
  switch (tagOf(value)) {
    case '[object Map]': if (!test(mapSize, value)) break;
      return mark('map', array(collect(mapEach, value, true), path, level), named(value, 'Map'));
    case '[object Set]': if (!test(setSize, value)) break;
      return mark('set', array(collect(setEach, value), path, level), named(value, 'Set'));
    case '[object Date]': if (!test(time, value)) break;
      return mark('date', string(is(time(value), NaN) ? 'Invalid Date' : iso(value)), named(value, 'Date'));
    case '[object ArrayBuffer]': if (!test(bufferLength, value)) break;
      return mark('arrayBuffer', `${bufferLength(value)}`);
    case '[object RegExp]': return mark('regexp', string(pattern(value)), named(value, 'RegExp'));
    case '[object Error]': return failure(value, path, level);
    case '[object Promise]': return promise(value);
    case '[object Number]': case '[object String]': case '[object Boolean]': case '[object BigInt]':
    case '[object Symbol]':
      return mark('class', string(className(value)), spend(',"value":') + encode(value.valueOf(), path, '', level));
  }
  if (isError(value)) return failure(value, path, level);
  const name = string(kindName(value));
  const text = isArray(value) ? array(value, path, level) : body(value, path, level);
  return mark('class', name, spend(',"value":') + text);
};
const isError = (value) => {
  for (let proto = value, hops = 0; proto !== null && hops < 100; proto = getPrototypeOf(proto), hops++) {
    if (proto !== value && className(proto) === 'Error' && own(proto, 'message')) return true;
  }
  return false;
};
// As in JSON.stringify, the method toJSON of an object that another toJSON returned is not called.
const converts = (value) => value !== converted && typeof value.toJSON === 'function';
const body = (value, path, level) => {
  if (!converts(value)) return members(path, level, keys(value), (name) => value[name]);
  try { converted = value.toJSON('') } catch (thrown) { return mark('throws', string(said(thrown))) }
  return converted === value ? body(value, path, level) : encode(converted, path, '', level - 1);
};
const object = (value, path, level) => {
  if (level > LEVELS) { cut = true; return mark('truncated', '"depth"', `,"of":${string(className(value))}`) }
  const inner = level + 1;
  if (isArray(value) && className(value) === 'Array') return array(value, path, inner);
  if (!isPlain(value)) return special(value, path, inner);
  if (converts(value)) return mark('class', '"Object"', spend(',"value":') + body(value, path, inner));
  const names = keys(value), text = members(path, inner, names, (name) => value[name]);
  for (let i = 0; i < names.length; i++) if (isMark[names[i]]) return mark('object', text);
  return text;
};
const encode = (value, up, key, level) => {
  switch (typeof value) {
    case 'object': {
      if (value === null) return spend('null');
      const before = mapGet(seen, value);
      if (before !== undefined) return mark(before.open ? 'circular' : 'shared', string(pointer(before)));
      const path = {up, key, open: true};
      mapSet(seen, value, path);
      try { return object(value, path, level) }
      catch (thrown) { return mark('throws', string(said(thrown))) }
      finally { path.open = false }
    }
    case 'undefined': return mark('undefined', 'true');
    case 'number': return number(value);
    case 'bigint': return mark('bigint', string(String_(value)));
    case 'symbol': return mark('symbol', string(String_(value)));
    case 'function': return mark('function', string(source(value)));
    case 'string': return string(value);
    default: return spend(stringify(value));
  }
};
const TAGS = {__proto__: null};
for (const name of ['Map', 'Set', 'Date', 'RegExp', 'Promise', 'WeakMap', 'WeakSet', 'Error']) TAGS[name] = lower(name);
const subtype = (value) => {
  if (isArray(value)) return 'array';
  if (isPlain(value)) return '';
  return typedName(value) ? 'typedarray' : TAGS[slice(tagOf(value), 8, -1)] || (isError(value) ? 'error' : '');
};
const kind = (value) => { try { return subtype(value) } catch { return '' } };
const RESERVE = 512;
const begin = (bytes) => {
  left = bytes - (bytes > 2 * RESERVE ? RESERVE : 0);
  cut = false; seen = new Map_(); converted = null;
};
return {
  value(value, bytes = maxBytes) {
    if (typeof value === 'number' && value - value === 0 && !is(value, -0)) return `{"type":"number","value":${value}}`;
    begin(bytes);
    const type = typeof value, found = type !== 'object' ? '' : value === null ? 'null' : kind(value);
    const text = encode(value, null, '', 1);
    seen = null;
    return `{"type":"${type}"${found ? `,"subtype":"${found}"` : ''},"value":${text}${cut ? ',"truncated":true' : ''}}`;
  },
  error(thrown, bytes = maxBytes) {
    begin(bytes);
    const text = string(said(thrown));
    seen = null;
    return `{"type":"error","value":${text}${cut ? ',"truncated":true' : ''}}`;
  },
};
})""".replace("MAX_LEVELS", str(MAX_LEVELS))
