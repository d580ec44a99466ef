"""Answers for agents: images and audio as separate content, and long answers in pages."""

import base64
import binascii
from collections.abc import Iterator
from typing import Literal, TypeAlias

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success

DEFAULT_ANSWER_SIZE = 32_768
"""Default for the maximum number of characters of one answer."""
MAX_MEDIA = 4 << 20
"""Maximum number of characters, in base64, of all images and audio of one answer."""
MAX_STORED = 16 << 20
"""Maximum number of characters of all answers that are kept."""
MediaKind: TypeAlias = Literal["image", "audio"]
_KINDS: tuple[MediaKind, ...] = ("image", "audio")


@frozen
class Media:
    """An image or audio, in base64."""

    kind: MediaKind
    mime_type: str
    data: str


def take_media(value: Json, room: int = MAX_MEDIA) -> tuple[Json, list[Media]]:
    """Replace images and audio with notes, and return them separately; those beyond the size limit stay."""
    taken: list[Media] = []

    def replaced(value: Json) -> Json:
        match value:
            case list():
                return [replaced(one) for one in value]
            case dict():
                for name, media in _media(value):
                    if sum(len(one.data) for one in (*taken, media)) <= room:
                        taken.append(media)
                        size = len(media.data) * 3 // 4
                        note = f"[{media.kind}, {size} bytes: content block {len(taken) + 1} of this answer]"
                        value = {**value, name: note}
                return {name: replaced(member) for name, member in value.items()}
            case _:
                return value

    return replaced(value), taken


def _media(value: JsonObject) -> Iterator[tuple[str, Media]]:
    """Yield the member of a content block, or of a resource's contents, that has an image or audio."""
    kind = value.get("mimeType")
    for name in ("data", "blob"):
        data = value.get(name)
        if isinstance(kind, str) and isinstance(data, str) and data and _is_base64(data):
            yield from ((name, Media(one, kind, data)) for one in _KINDS if kind.startswith(f"{one}/"))


def _is_base64(data: str) -> bool:
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


@frozen
class Page:
    """A part of a long answer."""

    part: str
    answer: str
    offset: int
    characters: int
    """Length of the whole answer."""

    @property
    def next_offset(self) -> int | None:
        """Offset of the rest; None at the end."""
        end = self.offset + len(self.part)
        return end if end < self.characters else None

    def document(self) -> JsonObject:
        """Build the answer as JSON."""
        found: JsonObject = {"part": self.part, "offset": self.offset, "characters": self.characters}
        if self.next_offset is None:
            return found
        return {"truncated": True, "answer": self.answer, "nextOffset": self.next_offset, **found}

    def text(self) -> str:
        """Build the answer as text, with a note about the rest."""
        if self.next_offset is None:
            return self.part
        where = f"characters {self.offset} to {self.next_offset} of {self.characters}"
        return (
            f'{self.part}\n[truncated: {where}; read_more {{"answer": "{self.answer}", "offset": {self.next_offset}}}]'
        )


class StoredAnswers:
    """The last long answers, up to a total size."""

    def __init__(self, limit: int = DEFAULT_ANSWER_SIZE, capacity: int = MAX_STORED) -> None:
        """Start empty; `limit` is the size of one page."""
        self.limit = limit
        self._capacity = capacity
        self._texts: dict[str, str] = {}
        self._last = 0

    def first_page(self, text: str) -> Page | None:
        """Keep a text that is longer than a page, and return its first page; None for a shorter one."""
        if len(text) <= self.limit:
            return None
        self._last += 1
        name = f"answer-{self._last}"
        self._texts[name] = text[: self._capacity]
        while sum(map(len, self._texts.values())) > self._capacity:
            del self._texts[next(iter(self._texts))]
        return self._page(name, 0)

    def read(self, name: str, offset: int) -> Result[Page]:
        """Return the page of a stored answer that starts at the offset."""
        if name not in self._texts:
            kept = f"available: {', '.join(self._texts)}" if self._texts else "no answer was truncated"
            return Failure(Invalid("INVALID_ARGUMENT", "answer", f"unknown answer {name!r}", (kept,)))
        if offset >= len(self._texts[name]):
            problem = f"{name} has {len(self._texts[name])} characters; the offset {offset} is past the end"
            return Failure(Invalid("INVALID_ARGUMENT", "offset", problem))
        return Success(self._page(name, offset))

    def _page(self, name: str, offset: int) -> Page:
        text = self._texts[name]
        return Page(text[offset : offset + self.limit], name, offset, len(text))
