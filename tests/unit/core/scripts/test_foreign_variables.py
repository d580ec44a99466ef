"""References to variables in the syntax of other programs are found."""

import pytest

from mcpi.core.scripts.foreign_variables import ForeignReference, Mistake, references_in_step, references_in_value

MEMBER = "is not replaced, as a variable has no members; capture the member as a variable of its own"


def write(name: str) -> str:
    return f"is not replaced; write ${{{name}}}"


def passed(name: str) -> str:
    return f'is not replaced in a script; write ${{{name}}}, and pass --var {name}="${name}"'


@pytest.mark.parametrize(
    ("text", "name", "problem", "mistake"),
    [
        ("{{x}}", "x", write("x"), "if unused"),
        ("{{ x }}", "x", write("x"), "if unused"),
        ("${{ x }}", "x", write("x"), "if unused"),
        ("$x", "x", write("x"), "if unused"),
        ("${ x }", "x", write("x"), "if known"),
        ("${x }", "x", write("x"), "if known"),
        ("${x:-a}", "x", write("x"), "if known"),
        ("${x.a}", "x", MEMBER, "if known"),
        ("${x[0]}", "x", MEMBER, "if known"),
        ("${env:X}", "X", passed("X"), "always"),
        ("${env.X}", "X", passed("X"), "always"),
        ("${process.env.X}", "X", passed("X"), "always"),
    ],
)
def test_reference_in_a_step_is_found(text: str, name: str, problem: str, mistake: str) -> None:
    (found,) = references_in_step("step 1", f'{{"a": "b {text} c"}}')

    assert (found.place, found.name, found.text, found.problem) == ("step 1", name, text, problem)
    assert found.mistake == mistake


@pytest.mark.parametrize("text", ["", "a", "${x}", "{x}", "{{x y}}", "{{#x}}", "$1", "${1}", "${}", "$ x"])
def test_other_text_in_a_step_is_no_reference(text: str) -> None:
    assert list(references_in_step("step 1", text)) == []


def test_references_in_the_value_of_a_variable_are_found() -> None:
    assert [
        (one.place, one.name, one.text, one.problem) for one in references_in_value("v", '"${env.X} ${x} {{x}}"')
    ] == [
        ("vars.v", "X", "${env.X}", "is not replaced in a script; pass the value with --var v=VALUE"),
        ("vars.v", "x", "${x}", "is not replaced in vars; write its value"),
    ]
    assert list(references_in_value("v", "1")) == []


@pytest.mark.parametrize(
    ("mistake", "known", "used", "expected"),
    [
        ("always", (), ("x",), True),
        ("if known", ("x",), ("x",), True),
        ("if known", (), (), False),
        ("if unused", ("x",), (), True),
        ("if unused", ("x",), ("x",), False),
        ("if unused", (), (), False),
    ],
)
def test_reference_is_a_mistake_if_the_script_has_the_variable(
    mistake: Mistake, known: tuple[str, ...], used: tuple[str, ...], *, expected: bool
) -> None:
    assert ForeignReference("step 1", "x", "", "", mistake).is_mistake(known, used) is expected
