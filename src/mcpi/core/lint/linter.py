"""Check a server's lists against all rules."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from attrs import evolve

from mcpi.core.findings.finding import SEVERITIES, Finding, count_severities, finding_json
from mcpi.core.findings.ignores import Ignore, apply_ignores
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable
from mcpi.core.jsontext.pointers import unescape_token
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.jsontext.writing import dump
from mcpi.core.lint.definitions import (
    KINDS,
    BooleanNode,
    Definition,
    SchemaNode,
    ServerLists,
    schema_nodes,
    unused_definitions,
)
from mcpi.core.lint.families import client_limits, client_schemas, cost, instructions, protocol, schemas, style
from mcpi.core.lint.families.cost import TokenBudget
from mcpi.core.lint.rule import CLIENTS, Client, Rule, RuleViolation
from mcpi.core.lint.rules import RULES, UNUSED_IGNORE
from mcpi.core.lint.texts import argument_prose, check_characters, prose
from mcpi.core.lint.token_estimate import estimate_each
from mcpi.core.text.suggestions import nearest


@frozen(kw_only=True)
class LintOptions:
    """Options of a lint run."""

    clients: tuple[Client, ...] = CLIENTS
    ignores: tuple[Ignore, ...] = ()
    pedantic: bool = False
    budget: TokenBudget | None = None


@frozen
class LintResult:
    """The findings about a server, and the tokens of its tool list."""

    findings: tuple[Finding, ...]
    tools: int
    tokens: int
    tool_tokens: Mapping[str, int]

    def document(self) -> dict[str, Printable]:
        """Return the output of `mcpi lint`."""
        counts = count_severities(self.findings)
        summary: dict[str, Printable] = {f"{severity}s": counts[severity] for severity in SEVERITIES}
        summary |= {"tools": self.tools, "tokens": self.tokens, "toolTokens": self.tool_tokens}
        return {"findings": [finding_json(one) for one in self.findings], "summary": summary}


def lint(server: ServerLists, options: LintOptions) -> LintResult:
    """Check everything that a server lists; errors come first."""
    definitions = [*server.definitions()]
    texts = [_compact(one.value) for one in definitions]
    tools = [one.name for one in definitions if one.kind == "tool"]
    names = frozenset(tools)
    sizes = estimate_each(texts[: len(tools)])
    found: list[Finding] = []
    for definition, text in zip(definitions, texts, strict=True):
        violated = [*_check_definition(definition, text, server, names, pedantic=options.pedantic)]
        found += _findings(definition, violated, options.clients) if violated else ()
    for definition, one in protocol.find_duplicates(definitions):
        found += _findings(definition, [one], options.clients)
    for at, size in enumerate(sizes):
        found += _findings(definitions[at], [*cost.check_tool_tokens(size)], options.clients)
    total = sum(sizes)
    found += _findings(None, [*_check_lists(server, total, options)], options.clients)
    kept, unused = apply_ignores(found, options.ignores)
    shown = [*_summarized(kept), *map(_unused, unused)]
    ordered = sorted(shown, key=lambda one: SEVERITIES.index(one.severity))
    return LintResult(tuple(ordered), len(server.lists.get("tools", ())), total, dict(zip(tools, sizes, strict=True)))


def _check_definition(
    definition: Definition, text: str, server: ServerLists, names: Collection[str], *, pedantic: bool
) -> Iterator[RuleViolation]:
    yield from protocol.check_definition(definition)
    yield from check_characters(definition.value, text)
    if pedantic:
        yield from style.check_definition(definition)
    texts = [*prose(definition.value), *argument_prose(definition.value)]
    if definition.kind == "tool":
        yield from client_limits.check_tool(definition)
        yield from protocol.check_output_schema(definition, server)
        if "x-mcp-header" in text:
            yield from protocol.check_headers(definition)
        for part in ("inputSchema", "outputSchema"):
            schema = definition.value.get(part)
            if isinstance(schema, dict):
                yield from _check_schema(schema, f"/{part}", texts, is_output=part == "outputSchema")
    yield from instructions.check_texts(texts, names, definition.name)


def _check_schema(
    schema: JsonObject, pointer: str, texts: list[tuple[str, str]], *, is_output: bool
) -> list[RuleViolation]:
    """Check a schema, and add its texts to those of the definition."""
    found: list[RuleViolation] = []
    unused = () if is_output else unused_definitions(schema, pointer)
    for node in schema_nodes(schema, pointer, is_output=is_output):
        if isinstance(node, BooleanNode):
            found += schemas.check_boolean(node)
            continue
        if "description" in node.schema or "title" in node.schema:
            texts += prose(node.schema, node.pointer)
        # Clients send input schemas to models, without definitions that nothing refers to.
        is_sent = not is_output and not (unused and node.pointer.startswith(unused))
        if is_sent:
            found += client_schemas.check_node(node)
        for keyword, value in node.schema.items():
            is_text = value.__class__ is str
            if is_text and (keyword == "description" or (keyword == "type" and value in _SIMPLE_TYPES)):
                continue
            if keyword in _KEYWORDS:
                found += _check_keyword(node, keyword, is_sent=is_sent)
    return found


_SIMPLE_TYPES = frozenset({"string", "integer", "number", "boolean", "object"})
"""The valid values of `type`, which is the most frequent keyword."""


def _check_keyword(node: SchemaNode, keyword: str, *, is_sent: bool) -> list[RuleViolation]:
    types, check, client_check = _KEYWORDS[keyword]
    value = node.schema[keyword]
    if types is not None and value.__class__ not in types:
        return [schemas.wrong_value(node, keyword)]
    found = [] if check is None else [*check(node, value)]
    return [*found, *client_check(node)] if is_sent and client_check is not None else found


_KEYWORDS = {
    keyword: (schemas.VALUE_TYPES.get(keyword), schemas.CHECKS.get(keyword), client_schemas.CHECKS.get(keyword))
    for keyword in (*schemas.VALUE_TYPES, *schemas.CHECKS, *client_schemas.CHECKS)
}
"""The types of each keyword's value, and its checks; one table is faster, as a list can have many thousand keywords."""


def _check_lists(server: ServerLists, tokens: int, options: LintOptions) -> Iterator[RuleViolation]:
    yield from protocol.check_lists(server)
    yield from client_limits.check_lists(server)
    yield from cost.check_tokens(tokens, options.budget)
    if options.pedantic:
        yield from style.check_lists(server)
    if server.instructions:
        value: JsonObject = {"instructions": server.instructions}
        yield from check_characters(value, _compact(value))
        yield from instructions.check_texts([("/instructions", server.instructions)], ())


def _findings(
    definition: Definition | None, violated: Sequence[RuleViolation], clients: Collection[Client]
) -> Iterator[Finding]:
    """Build the findings about one definition; several places that violate a grouped rule become one finding."""
    for one, more in _grouped(violated):
        rejecting = one.rule.rejected_by if one.rejected_by is None else one.rejected_by
        asked = tuple(client for client in rejecting if client in clients)
        if one.rule.depends_on_client and not asked:
            continue
        message = f"{one.message} (and {more} more place{'s' if more > 1 else ''})" if more else one.message
        yield Finding(
            one.rule.id,
            one.severity or one.rule.severity,
            message,
            "" if definition is None else definition.kind,
            "" if definition is None else definition.name,
            one.pointer,
            asked,
            one.rule.evidence,
            one.rule.fix,
        )


def _grouped(violated: Iterable[RuleViolation]) -> Iterator[tuple[RuleViolation, int]]:
    """Yield each violation with the number of further places; grouped rules merge those with equal messages."""
    firsts: dict[tuple[Rule, object, object], int] = {}
    found: list[tuple[RuleViolation, int]] = []
    for one in violated:
        key = (one.rule, one.severity, one.message)
        if one.rule.grouped and key in firsts:
            at = firsts[key]
            found[at] = (found[at][0], found[at][1] + 1)
            continue
        firsts[key] = len(found)
        found.append((one, 0))
    yield from found


def _summarized(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the findings; if many definitions violate a grouped rule, the last finding names the remaining ones."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for one in findings:
        if RULES[one.rule].grouped:
            groups.setdefault((one.rule, one.severity), []).append(one)
        else:
            yield one
    for group in groups.values():
        few = group if len(group) <= _MAX_GROUP else group[: _MAX_GROUP - 1]
        yield from few
        rest = group[len(few) :]
        if rest:
            message = f"also found in {_few([*_places(rest)])}"
            yield evolve(rest[0], kind="", name="", pointer=f"/{KINDS[rest[0].kind][0]}", message=message)


def _places(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield each definition, with the parameters that the findings are about."""
    parameters: dict[str, dict[str, None]] = {}
    for one in findings:
        _, found, name = one.pointer.rpartition("/properties/")
        parameters.setdefault(one.subject, {}).update({unescape_token(name.partition("/")[0]): None} if found else {})
    for subject, names in parameters.items():
        yield f"{subject} ({_few([*names])})" if names else subject


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return f"{', '.join(names[:_MAX_NAMES])}{more}"


_MAX_GROUP, _MAX_NAMES = 3, 10
"""Maximum number of findings of a grouped rule, and of names in the last one."""


def _unused(ignore: Ignore) -> Finding:
    reason = "which matches no finding" if ignore.rule in RULES else "which is not a rule"
    near = None if ignore.rule in RULES else nearest(ignore.rule, RULES)
    message = f"{ignore.origin} ignores {ignore.text}, {reason}{f' (did you mean {near}?)' if near else ''}"
    rule = UNUSED_IGNORE
    return Finding(rule.id, rule.severity, message, pointer="", evidence=rule.evidence, fix=rule.fix)


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def _compact(value: JsonObject) -> str:
    try:
        return _ENCODER.encode(value)
    except (ValueError, RecursionError):
        return dump(value)
