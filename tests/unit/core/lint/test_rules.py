"""Lint rules as data."""

import re

from mcpi.core.lint.rule import CLIENTS
from mcpi.core.lint.rules import FAMILIES, RULES


def test_rule_ids_are_unique_and_in_kebab_case() -> None:
    assert sum(map(len, FAMILIES.values())) == len(RULES)
    assert [name for name in RULES if not re.fullmatch(r"[a-z]+(-[a-z]+)*", name)] == []


def test_errors_must_and_other_findings_should_be_avoided() -> None:
    modals = {"error": "must", "warning": "should", "info": "should"}

    assert [rule.id for rule in RULES.values() if f" {modals[rule.severity]} " not in rule.sentence] == []


def test_each_rule_has_a_description_a_reason_a_fix_and_a_link() -> None:
    texts = [text for rule in RULES.values() for text in (rule.sentence, rule.why, rule.fix)]

    assert [text for text in texts if not text.endswith(".") or not text[0].isupper()] == []
    assert [rule.id for rule in RULES.values() if not rule.evidence.startswith("https://")] == []


def test_client_specific_rule_lists_its_clients() -> None:
    assert [rule.id for rule in RULES.values() if rule.depends_on_client and not rule.rejected_by] == []
    assert {client for rule in RULES.values() for client in rule.rejected_by} == {*CLIENTS}


def test_all_style_rules_are_infos_of_one_family() -> None:
    assert {rule.severity for rule in FAMILIES["pedantic"]} == {"info"}
    assert [rule.id for rule in RULES.values() if rule.pedantic != (rule in FAMILIES["pedantic"])] == []
