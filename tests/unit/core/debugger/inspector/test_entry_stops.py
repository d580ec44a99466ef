"""Source texts compiled by module loaders, and their first statements."""

import pytest

from mcpi.core.debugger.inspector.entry_stops import (
    LOADER_FUNCTIONS,
    MODULE_SYNTAX,
    LoadedText,
    describe_text,
    entry_position,
    parse_text,
    probe_source,
    probe_start,
    stops_for,
)
from mcpi.core.jsontext.values import Json

COMPILE, FUNCTION, SCRIPT = LOADER_FUNCTIONS


def test_loader_stops_for_the_files_and_for_texts_with_a_source_map() -> None:
    text = stops_for(COMPILE, ["/p/a.js", '/p/"b".js'])

    assert 'f==="/p/a.js"||f==="/p/\\"b\\".js"||f.startsWith(\'file:\')' in text
    assert "sourceMappingURL=" in text
    assert text.endswith("(arguments[0],arguments[1])")
    assert "arguments[2]?.filename" in stops_for(FUNCTION, [])
    assert describe_text(SCRIPT).startswith("({text:arguments[0],file:")


def answer(file: str, offset: Json) -> LoadedText | None:
    return parse_text({"result": {"result": {"value": {"text": "x", "file": file, "offset": offset}}}})


def test_loaded_text_has_its_file_and_offset() -> None:
    assert answer("/p/a.js", [1, -9]) == LoadedText("x", "/p/a.js", (1, -9))
    assert answer("file:///p/a%20b.js", [0, None]) == LoadedText("x", "/p/a b.js", (0, 0))
    assert answer("evalmachine.<anonymous>", [0, 0]) is None
    assert answer("file://", None) is None
    assert parse_text({}) is None


def test_probe_source_keeps_the_positions_of_the_text() -> None:
    assert probe_source(COMPILE, "#!node\nx") == "(function(){//node\nx\n})"
    assert probe_source(SCRIPT, "x") == ";x"
    assert (probe_start(COMPILE), probe_start(SCRIPT)) == ((0, 11), (0, 0))


def test_position_of_the_first_statement_is_translated() -> None:
    assert entry_position(COMPILE, (0, 0), (0, 12)) == (0, 0)
    assert entry_position(SCRIPT, (2, 5), (0, 4)) == (2, 8)
    assert entry_position(FUNCTION, (1, 5), (3, 4)) == (4, 4)


@pytest.mark.parametrize(("text", "is_module"), [("\n  export a", True), ("import a", True), ("imported()", False)])
def test_module_syntax_is_detected_by_import_or_export(text: str, *, is_module: bool) -> None:
    assert (MODULE_SYNTAX.search(text) is not None) == is_module
