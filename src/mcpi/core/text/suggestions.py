"""Find the word that a user most likely meant."""

from collections.abc import Iterable

SIMILAR = 0.85
"""Similarity of misspelled words."""
CUTOFF = 0.61


def nearest(word: str, words: Iterable[str], cutoff: float = CUTOFF) -> str | None:
    """Return the word that follows the name of a server, the most similar one, or a flag with the word as a part."""
    from difflib import get_close_matches  # noqa: PLC0415 - only needed for mistakes

    is_flag = word.startswith("--")
    known: dict[str, str] = {}
    for one in sorted(words, key=lambda one: one.startswith("--") != is_flag):
        # Ignore the leading dashes: they would make all flags look similar.
        known.setdefault(one.lower().removeprefix("--"), one)
    spelled = word.lower().removeprefix("--")
    # Other clients write SERVER.TOOL or mcp__SERVER__TOOL.
    ends = (one for one in known if one and spelled.endswith((f".{one}", f"__{one}")))
    named = [] if spelled in known else sorted(ends, key=len)
    close = get_close_matches(spelled, known, n=1, cutoff=cutoff)
    wider = [one for one in known if is_flag and spelled in one.split("-")]
    return next((known[one] for one in (*named[-1:], *close, *wider)), None)


def is_similar(word: str, words: Iterable[str]) -> bool:
    """Tell whether the word is almost certainly a misspelling of one of the words."""
    from difflib import get_close_matches  # noqa: PLC0415 - only needed for mistakes

    return bool(get_close_matches(word, words, n=1, cutoff=SIMILAR))


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return a question to append to a message, or an empty string if no word is similar."""
    near = nearest(word, words)
    return f" (did you mean {near}?)" if near else ""
