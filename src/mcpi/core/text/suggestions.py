"""Find the word a user most likely meant."""

from collections.abc import Iterable


def nearest(word: str, words: Iterable[str]) -> str | None:
    """The word that was probably meant: one that is spelled alike, else one of which it is a part."""
    from difflib import get_close_matches  # noqa: PLC0415 - only mistakes need it

    is_flag = word.startswith("--")
    known: dict[str, str] = {}
    for one in sorted(words, key=lambda one: one.startswith("--") != is_flag):
        # The dashes that all flags have make none of them more like another.
        known.setdefault(one.lower().removeprefix("--"), one)
    spelled = word.lower().removeprefix("--")
    close = get_close_matches(spelled, known, n=1, cutoff=0.61)
    wider = [one for one in known if is_flag and spelled in one.split("-")]
    return known[[*close, *wider][0]] if close or wider else None
