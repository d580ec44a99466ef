"""Rules about characters that are invisible or easily confused with others."""

import re
import unicodedata
from collections.abc import Iterator

from mcpi.core.lint.rule import Rule, RuleViolation
from mcpi.core.wire.violations import quote

TAG_CHARACTERS = Rule(
    "tag-characters",
    "warning",
    "Text should not contain tag characters (U+E0000 to U+E007F), except in the emoji flags of "
    "England, Scotland and Wales.",
    "Users do not see these characters, but models read them as letters, so the characters can hide instructions.",
    "Remove the characters.",
    "https://unit42.paloaltonetworks.com/model-context-protocol-attack-vectors/",
)
ZERO_WIDTH = Rule(
    "zero-width",
    "warning",
    "Text should not contain invisible characters, except in emoji and in writing systems that require them.",
    "Users do not see these characters, but models read them. The characters can hide data, or make two different "
    "names look the same.",
    "Remove the characters.",
    "https://github.com/coproduct-opensource/nucleus/issues/1332",
)
BIDI_CONTROL = Rule(
    "bidi-control",
    "warning",
    "Text should not contain bidirectional control characters.",
    "These characters change the order in which text is displayed, so users can see text that differs "
    "from what the model reads.",
    "Remove the characters.",
    "https://trojansource.codes/",
)
HOMOGLYPH = Rule(
    "homoglyph",
    "warning",
    "A name should not mix look-alike letters of several scripts, such as Latin and Cyrillic.",
    "Two different names can look the same, so users can confuse one tool with another.",
    "Replace the letters, for example with the Latin letters that they look like.",
    "https://www.unicode.org/reports/tr39/#Mixed_Script_Detection",
)
CONTROL_CHARACTER = Rule(
    "control-character",
    "warning",
    "Text should not contain control characters other than tabs and line breaks.",
    "Terminals interpret some of them as commands, which can hide or overwrite text.",
    "Remove the characters.",
    "https://blog.trailofbits.com/2025/04/29/deceiving-users-with-ansi-terminal-codes-in-mcp/",
)
RULES = (TAG_CHARACTERS, ZERO_WIDTH, BIDI_CONTROL, HOMOGLYPH, CONTROL_CHARACTER)

_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# Unicode Emoji: the flags of England, Scotland and Wales are the only sequences of tag characters in use.
_FLAGS = re.compile(
    ""
    "\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)\U000e007f"
)
_TAGS = re.compile("[\U000e0000-\U000e007f]+")
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
)
_INVISIBLE_CHARACTERS = re.compile(f"[{_INVISIBLE}\U0001d173-\U0001d17a\U000e0100-\U000e01ef]")
_JOINERS = re.compile("[\u200c\u200d]")
_SELECTORS = re.compile("[\ufe00-\ufe0f]{2,}|(?:^|(?<=[\x00-\x22\x24-\x29\x2b-\x2f\x3a-\x7f]))[\ufe00-\ufe0f]")
_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_MARKS = re.compile("[\u200e\u200f\u061c]")
_JOINING_SCRIPTS = tuple(
    str.split(
        "ARABIC SYRIAC MONGOLIAN NKO MANDAIC DEVANAGARI BENGALI GURMUKHI GUJARATI ORIYA TAMIL TELUGU KANNADA MALAYALAM"
        " SINHALA KHMER MYANMAR TIBETAN"
    )
)
_LOOKALIKE_SCRIPTS = frozenset(
    {"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "FULLWIDTH", "MATHEMATICAL"}
)
_LOOKALIKES = dict(
    zip(
        "аеорсухіјѕһԁԛԝьАВЕКМНОРСТУХІЈЅοαινκρτυχωΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        "aeopcyxijshdqwbABEKMHOPCTYXIJSoaivkptuxwABEZHIKMNOPTYX",
        strict=True,
    )
)


def check_text(pointer: str, text: str) -> Iterator[RuleViolation]:
    """Check the characters of a text."""
    found = _CONTROLS.search(text)
    if found is not None:
        yield RuleViolation(CONTROL_CHARACTER, pointer, f"the text contains the control character {_code(found[0])}")
    if text.isascii():
        return
    tags = _TAGS.search(_FLAGS.sub("", text))
    if tags is not None:
        yield RuleViolation(
            TAG_CHARACTERS, pointer, f"the text contains {quote(_decoded(tags[0]))!r} in invisible tag characters"
        )
    hidden = _INVISIBLE_CHARACTERS.search(text) or _SELECTORS.search(text) or _stray_joiner(text)
    if hidden is not None:
        yield RuleViolation(ZERO_WIDTH, pointer, f"the text contains the invisible character {_code(hidden[0][0])}")
    turned = _DIRECTIONS.search(text) or (None if _has_right_to_left(text) else _MARKS.search(text))
    if turned is not None:
        yield RuleViolation(
            BIDI_CONTROL, pointer, f"the text contains the bidirectional control character {_code(turned[0])}"
        )


def check_name(pointer: str, name: str) -> Iterator[RuleViolation]:
    """Check a name for letters that look like others."""
    if name.isascii():
        return
    odd = [char for char in name if char.isalpha() and _script(char) in _LOOKALIKE_SCRIPTS]
    has_latin = any(char.isascii() and char.isalpha() for char in name)
    if odd and (has_latin or all(char in _LOOKALIKES for char in name if char.isalpha())):
        alike = unicodedata.normalize("NFKC", "".join(_LOOKALIKES.get(char, char) for char in name))
        message = f"the name contains {_code(odd[0])}, and looks like {quote(alike)!r}"
        yield RuleViolation(HOMOGLYPH, pointer, message)


def _code(char: str) -> str:
    name = unicodedata.name(char, "")
    return f"U+{ord(char):04X}{f' {name.lower()}' if name else ''}"


def _script(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0]


def _decoded(tags: str) -> str:
    """Return the ASCII text that tag characters spell."""
    return "".join(chr(ord(char) - 0xE0000) for char in tags if 0x20 <= ord(char) - 0xE0000 < 0x7F)  # noqa: PLR2004 - printable ASCII


def _stray_joiner(text: str) -> re.Match[str] | None:
    """Find a joiner that is not part of an emoji or of a script that requires it."""
    for found in _JOINERS.finditer(text):
        before, after = text[: found.start()][-1:], text[found.end() : found.end() + 1]
        if not (_joins(before) and (_joins(after) or found[0] == "\u200c")):
            return found
    return None


def _joins(char: str) -> bool:
    """Tell whether a joiner may be next to the character."""
    if not char:
        return False
    # An emoji, a symbol with an emoji form, a skin tone, or the emoji variation selector.
    is_emoji = unicodedata.category(char) in {"So", "Sk"} or char == "\ufe0f"
    return is_emoji or unicodedata.name(char, "").startswith(_JOINING_SCRIPTS)


def _has_right_to_left(text: str) -> bool:
    return any(unicodedata.bidirectional(char) in {"R", "AL"} for char in text if not _MARKS.match(char))
