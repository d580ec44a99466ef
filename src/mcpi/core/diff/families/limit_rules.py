"""Rules about limits of numbers, lengths and sizes."""

from mcpi.core.diff.families.diff_rule import VALIDATION, DiffRule, Effect


def _bound(name: str, noun: str, section: str, *, lower: bool) -> tuple[DiffRule, ...]:
    """Rules of a limit."""
    raised: Effect = "tighter" if lower else "looser"
    lowered: Effect = "looser" if lower else "tighter"
    evidence = f"{VALIDATION}#section-{section}"
    return (
        DiffRule(f"{name}-added", "tighter", f"a {noun} was added", evidence),
        DiffRule(f"{name}-removed", "looser", f"the {noun} was removed", evidence),
        DiffRule(f"{name}-raised", raised, f"the {noun} was raised", evidence),
        DiffRule(f"{name}-lowered", lowered, f"the {noun} was lowered", evidence),
    )


RULES = (
    *_bound("minimum", "minimum", "6.2.4", lower=True),
    *_bound("maximum", "maximum", "6.2.2", lower=False),
    *_bound("min-length", "minimum length", "6.3.2", lower=True),
    *_bound("max-length", "maximum length", "6.3.1", lower=False),
    *_bound("min-items", "minimum number of items", "6.4.2", lower=True),
    *_bound("max-items", "maximum number of items", "6.4.1", lower=False),
    *_bound("min-properties", "minimum number of properties", "6.5.2", lower=True),
    *_bound("max-properties", "maximum number of properties", "6.5.1", lower=False),
)
