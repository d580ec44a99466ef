"""Validation of URIs and URI templates."""

import pytest

from mcpi.core.lint.syntax.uris import template_problem, template_variables, uri_problem


@pytest.mark.parametrize(
    ("uri", "problem"),
    [
        ("file:///a/b.txt", ""),
        ("https://user@example.com:1/?q=%20#f", ""),
        ("http://[2001:db8::1]:80/", ""),
        ("demo://\u00e9", ""),
        ("users/me", "it has no scheme such as file: or https:"),
        ("s_x://a", "it has no scheme such as file: or https:"),
        ("file:///a b", "a space is not allowed in a URI"),
        ("file:///{a}", "{ is not allowed in a URI"),
        ("file:///a\x00", "U+0000 is not allowed in a URI"),
        ("file:///%zz", "% is not followed by two hexadecimal digits"),
        ("file:", "it ends after the scheme"),
        ("http://[zz]/", "the host is invalid"),
    ],
)
def test_invalid_uri_is_reported_with_its_problem(uri: str, problem: str) -> None:
    assert uri_problem(uri) == problem


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("file:///{path}", ""),
        ("https://a/{+path}{?q,limit*}{&x:3}", ""),
        ("{scheme}://a", ""),
        ("db://{table.name}/{%41b}", ""),
        ("file:///{path", "unbalanced { at position 8"),
        ("file:///path}", "unbalanced } at position 12"),
        ("file:///{}", "{} names no variable"),
        ("file:///{=a}", "{=a} has the operator =, which RFC 6570 reserves"),
        ("file:///{a b}", "{a b} has the invalid variable name 'a b'"),
        ("file:///{a,}", "{a,} has the invalid variable name ''"),
        ("file:///a b/{c}", "a space is not allowed outside of {}"),
        ("file:///%z/{c}", "% is not followed by two hexadecimal digits"),
        ("/path/{c}", "it has no scheme such as file: or https:"),
    ],
)
def test_invalid_uri_template_is_reported_with_its_problem(template: str, problem: str) -> None:
    assert template_problem(template) == problem


def test_variables_of_a_template_are_listed() -> None:
    assert template_variables("a:{b}{?c,d*}{+e:3}") == ("b", "c", "d", "e")
    assert template_variables("a:b") == ()
