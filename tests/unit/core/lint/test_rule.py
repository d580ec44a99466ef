"""A rule and its violation."""

from mcpi.core.lint.rule import Rule, RuleViolation

RULE = Rule("a-rule", "warning", "A rule.", "It fails.", "Fix it.", "https://example.com")


def test_violation_defaults_to_the_severity_and_clients_of_its_rule() -> None:
    violated = RuleViolation(RULE, "/name", "wrong")

    assert (violated.severity, violated.rejected_by) == (None, None)
    assert (RULE.pedantic, RULE.grouped, RULE.depends_on_client) == (False, False, False)
