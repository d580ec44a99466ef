"""Detection of the functions in a source by its tokens."""

import pytest

from mcpi.core.debugger.sources.function_ranges import find_functions, function_of_line, innermost


def found(text: str) -> list[tuple[str, str]]:
    """Return each function's name and its text from header to closing brace."""
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
    return [
        (one.name, text[starts[one.start[0]] + one.start[1] : starts[one.end[0]] + one.end[1] + 1])
        for one in find_functions(text)
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("f", "function f(a = {b: 1}) { return 1 }"),
        ("f", "async function f() {}"),
        ("f", "function* f() {}"),
        ("anonymous", "function () {}"),
        ("anonymous", "() => {}"),
        ("anonymous", "a => {}"),
        ("anonymous", "({a}) => {}"),
        ("m", "m(a) {}"),
        ("m", "static async *m() {}"),
        ("anonymous", "[Symbol.iterator]() {}"),
        ("static block", "static {}"),
        ("m", "m<T>(a: T): Promise<T> {}"),
        ("anonymous", "(a: number, b?: string): void => {}"),
        ("f", "function f(this: Foo, {a}: {a: string}): asserts a is string {}"),
    ],
)
def test_each_form_of_function_is_found(name: str, text: str) -> None:
    assert found(text) == [(name, text)]
    assert found(f"class A extends B {{ {text} }}") == [(name, text)]


@pytest.mark.parametrize(
    "text",
    [
        "if (a) { b() } else { c() }",
        "for (const a of b) {} while (c) {} do {} while (d)",
        "switch (a) { case (1): {} default: {} }",
        "try {} catch (e) {} finally {}",
        "class A extends f(x) {}",
        "const a = {b: {c: 1}}, d = e ? f(x) : {g: 1}",
        "{}",
        "({})",
        "interface A { m(): void; }",
        "'function f() {}'; \"() => {\"; /[{]() => {}/; // () => {}\n/* () => {} */",
        "`() => {}`",
        "a / b / {} / c",
        "}",
        "`${",
        "(",
        ") {}",
    ],
)
def test_other_blocks_are_not_functions(text: str) -> None:
    assert found(text) == []


def test_a_function_is_named_by_its_variable_or_property() -> None:
    text = "const a = async (x) => {}, o = {b: function () {}, 'c'() {}}; export const d = y => {};"

    assert [name for name, _ in found(text)] == ["a", "b", "'c'", "d"]


def test_functions_in_templates_are_found() -> None:
    text = "function f() { return `a ${g(() => { return `in ${1}` })} }` }"

    assert [name for name, _ in found(text)] == ["anonymous", "f"]


def test_scan_of_a_return_type_is_limited() -> None:
    union = " | ".join("abcdefghijklmnopqrstuvwxyzABCDEFGH")

    assert found(f"function f(): {union} {{ }}") == []


SOURCE = """\
// above
function outer() {
  const inner = () => {
    // comment
  };
}
"""


def test_innermost_function_contains_the_position() -> None:
    functions = find_functions(SOURCE)

    def name(line: int, column: int = 0) -> str | None:
        one = innermost(functions, (line, column))
        return one.name if one else None

    assert [name(0), name(1), name(2), name(3), name(4, 3), name(5), name(5, 1)] == [
        None,
        "outer",
        "outer",
        "inner",
        "outer",
        "outer",
        None,
    ]


def test_line_on_which_a_function_starts_belongs_to_it() -> None:
    functions = find_functions(SOURCE)

    names = [one.name if (one := function_of_line(functions, line, 2)) else None for line in range(5)]
    assert names == [None, "outer", "inner", "inner", "inner"]
