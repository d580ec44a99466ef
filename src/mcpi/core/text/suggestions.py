"""Find the word that a user most likely meant."""

from collections.abc import Iterable

SIMILAR = 0.85
"""Similarity of misspelled words."""
CUTOFF = 0.61


def nearest(word: str, words: Iterable[str], cutoff: float = CUTOFF) -> str | None:
    """Return the most similar word, else a flag that has the given word as one of its parts."""
    from difflib import get_close_matches  # noqa: PLC0415 - only needed for mistakes

    is_flag = word.startswith("--")
    known: dict[str, str] = {}
    for one in sorted(words, key=lambda one: one.startswith("--") != is_flag):
        # Ignore the leading dashes: they would make all flags look similar.
        known.setdefault(one.lower().removeprefix("--"), one)
    spelled = word.lower().removeprefix("--")
    close = get_close_matches(spelled, known, n=1, cutoff=cutoff)
    wider = [one for one in known if is_flag and spelled in one.split("-")]
    return known[[*close, *wider][0]] if close or wider else None


def is_similar(word: str, words: Iterable[str]) -> bool:
    """Tell whether the word is almost certainly a misspelling of one of the words."""
    from difflib import get_close_matches  # noqa: PLC0415 - only needed for mistakes

    return bool(get_close_matches(word, words, n=1, cutoff=SIMILAR))


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return a question to append to a message, or an empty string if no word is similar."""
    near = nearest(word, words)
    return f" (did you mean {near}?)" if near else ""
