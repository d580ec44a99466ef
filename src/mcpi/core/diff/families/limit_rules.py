"""Rules about limits of numbers, lengths and sizes."""

from mcpi.core.diff.families.diff_rule import VALIDATION, DiffRule, Effect


def _bound(name: str, noun: str, section: str, *, lower: bool) -> tuple[DiffRule, ...]:
    """Rules of a limit."""
    raised: Effect = "tighter" if lower else "looser"
    lowered: Effect = "looser" if lower else "tighter"
    evidence = f"{VALIDATION}#section-{section}"
    return (
        DiffRule(f"{name}-added", "tighter", f"{noun} was added", evidence),
        DiffRule(f"{name}-removed", "looser", f"{noun} was removed", evidence),
        DiffRule(f"{name}-raised", raised, f"{noun} was raised", evidence),
        DiffRule(f"{name}-lowered", lowered, f"{noun} was lowered", evidence),
    )


RULES = (
    *_bound("minimum", "the minimum", "6.2.4", lower=True),
    *_bound("maximum", "the maximum", "6.2.2", lower=False),
    *_bound("min-length", "the minimum length", "6.3.2", lower=True),
    *_bound("max-length", "the maximum length", "6.3.1", lower=False),
    *_bound("min-items", "the minimum number of items", "6.4.2", lower=True),
    *_bound("max-items", "the maximum number of items", "6.4.1", lower=False),
    *_bound("min-properties", "the minimum number of properties", "6.5.2", lower=True),
    *_bound("max-properties", "the maximum number of properties", "6.5.1", lower=False),
)
