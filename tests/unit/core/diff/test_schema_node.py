"""Parts of a schema: pointers, references and types of values."""

from mcpi.core.diff.schema_node import SchemaRoot, is_whole, token


def test_reference_is_resolved_only_within_the_document() -> None:
    root = SchemaRoot({"$defs": {"a b": {"type": "string"}}}, "/inputSchema")
    found = root.referenced("#/$defs/a%20b")

    assert found is not None
    assert (found.json, found.pointer) == ({"type": "string"}, "/inputSchema/$defs/a b")
    assert root.referenced("#/$defs/c") is None
    assert root.referenced("other.json#/a") is None
    assert root.referenced(None) is None


def test_references_are_inlined_unless_circular() -> None:
    root = SchemaRoot({"a": {"type": "string"}, "b": {"x": {"$ref": "#/b"}}}, "")

    assert root.inlined({"title": "T", "properties": {"title": {"description": "D"}}}) == {"properties": {"title": {}}}
    assert root.inlined([{"if": {"$ref": "#/a"}}, 1]) == [{"if": {"type": "string"}}, 1]
    assert "$ref" in str(root.inlined({"$ref": "#/b"}))


def test_integral_float_is_a_whole_number() -> None:
    assert [is_whole(one) for one in (1, 1.0, 1.5, True, "1", float("inf"))] == [True, True, False, False, False, False]


def test_pointer_token_is_escaped() -> None:
    assert (token("a/b~c"), token(1)) == ("/a~1b~0c", "/1")
