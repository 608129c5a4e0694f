"""Find the web links of a PDF page, which stand in annotations over its words.

Their places are marked in the text of the page by private characters, so that lines keep their
lengths; `write_links` writes Markdown in their place once the lines are joined.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pypdfium2 import raw

from research_core.text.words import strip_invisible

#: The most links of a document, and the characters of an address and of the words of a link.
MAX_LINKS, MAX_URL_CHARS, MAX_WORDS = 10_000, 2_000, 400
#: Points by which the frame of a link may miss the middle of a character, across and up.
ACROSS, UP = 0.3, 2.0
#: Characters before the words of a link by which they are found again in columns.
ANCHOR_CHARS = 40
#: Private characters: before the words of a link, and behind them, which adds its number.
_BEFORE, _BEHIND = "\U000f0000", 0x100000
_MARKED = re.compile(
    "\U000f0000(?P<words>[^\U000f0000\U00100000-\U0010fffd]{0,800})(?P<number>[\U00100000-\U0010fffd])"
)
_MARKS = re.compile("[\U000f0000\U00100000-\U0010fffd]")
Box = tuple[float, float, float, float]
Thing = Any


@dataclass
class LinkMarks:
    """Marks the links of the pages of a document.

    urls: the addresses, by number; looked_at: how many links were looked at, MAX_LINKS at most.
    """

    document: Thing
    urls: list[str] = field(default_factory=list)
    looked_at: int = 0

    def mark_page(self, page: Thing, words: Thing, drawn: str, ordered: str) -> str:
        """Return the text of a page with the places of its links marked.

        words: its text page; drawn: its text as drawn; ordered: the text that is marked, which is
        `drawn` or has the same characters in another order.
        """
        drawn, ordered = (_MARKS.sub("\ufffd", text) for text in (drawn, ordered))
        done = 0
        parts: list[str] = []
        for start, end, url in self._find_places(page, words, drawn, ordered):
            if start >= done:
                behind = chr(_BEHIND + len(self.urls))
                self.urls.append(url)
                parts += [ordered[done:start], _BEFORE, ordered[start:end], behind]
                done = end
        return "".join(parts) + ordered[done:]

    def _find_places(
        self, page: Thing, words: Thing, drawn: str, ordered: str
    ) -> list[tuple[int, int, str]]:
        """Return the start and end of each link in `ordered`, in order, with its address.

        The lines of one link, of which some programs make a link each, are put together.
        """
        places: list[tuple[int, int, str]] = []
        units = _count_units(drawn)
        for url, boxes in _list_links(self.document, page):
            if self.looked_at >= MAX_LINKS:
                break
            self.looked_at += 1
            span = _find_span(words, drawn, units, boxes)
            place = span if span is None or drawn == ordered else _find_again(span, drawn, ordered)
            if place is not None:
                places.append((*place, url))
        joined: list[tuple[int, int, str]] = []
        for start, end, url in sorted(places):
            if joined and joined[-1][2] == url and not ordered[joined[-1][1] : start].strip():
                start, end = joined[-1][0], max(end, joined[-1][1])
                joined.pop()
            joined.append((start, end, url))
        return joined


def write_links(text: str, urls: Sequence[str]) -> str:
    """Return the text with Markdown links in place of the marks.

    Words that are an address become the address of the link, which is never broken by a line.
    """

    def write(found: re.Match[str]) -> str:
        number = ord(found["number"]) - _BEHIND
        words = " ".join(found["words"].split())
        if number >= len(urls) or not words:
            return found["words"]
        url = urls[number]
        if re.search(r"[()]", re.sub(r"\([^()]*\)", "", url)):
            url = url.replace("(", "%28").replace(")", "%29")
        bare = re.sub(r"\s", "", words).lower()
        if bare.startswith(("http://", "https://", "www.")):
            return url
        inner = words[1:-1] if words[0] == "[" and words[-1] == "]" else words
        return f"[{inner.replace('[', '(').replace(']', ')')}]({url})"

    return _MARKS.sub("", _MARKED.sub(write, text))


def _list_links(document: Thing, page: Thing) -> Iterator[tuple[str, list[Box]]]:
    """Yield the address of each link of a page to the web, and its frames, one for each line."""
    position, link = ctypes.c_int(0), raw.FPDF_LINK()
    for _ in range(MAX_LINKS):
        if not raw.FPDFLink_Enumerate(page.raw, position, link):
            return
        url = _read_url(document, link)
        if url.lower().startswith(("http://", "https://")):
            yield url, _read_boxes(link)


def _read_url(document: Thing, link: Thing) -> str:
    action = raw.FPDFLink_GetAction(link)
    if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
        return ""
    length = raw.FPDFAction_GetURIPath(document.raw, action, None, 0)
    if length > MAX_URL_CHARS:
        return ""
    held = ctypes.create_string_buffer(length + 1)
    raw.FPDFAction_GetURIPath(document.raw, action, held, length)
    url = strip_invisible(held.value.decode("utf-8", "replace")).strip()
    return "" if re.search(r"[\s<>]", url) else url


def _read_boxes(link: Thing) -> list[Box]:
    """Return (left, bottom, right, top) of each line of a link."""
    boxes: list[Box] = []
    for number in range(raw.FPDFLink_CountQuadPoints(link)):
        quad = raw.FS_QUADPOINTSF()
        if raw.FPDFLink_GetQuadPoints(link, number, quad):
            across = (quad.x1, quad.x2, quad.x3, quad.x4)
            up = (quad.y1, quad.y2, quad.y3, quad.y4)
            boxes.append((min(across), min(up), max(across), max(up)))
    frame = raw.FS_RECTF()
    if not boxes and raw.FPDFLink_GetAnnotRect(link, frame):
        boxes.append((frame.left, frame.bottom, frame.right, frame.top))
    return boxes


def _count_units(text: str) -> Sequence[int]:
    """Return the place in a text of each of its UTF-16 units, by which the reader counts."""
    if text.isascii() or max(text) <= "\uffff":
        return range(len(text))
    return [place for place, sign in enumerate(text) for _ in range(1 + (sign > "\uffff"))]


def _find_span(
    words: Thing, drawn: str, units: Sequence[int], boxes: Sequence[Box]
) -> tuple[int, int] | None:
    """Return the places in the drawn text of the first and behind the last character of a link."""
    found: list[int] = []
    for box in boxes:
        first = _find_character(words, box)
        if first < 0:
            continue
        found += _extend(words, box, first, -1)
        found += _extend(words, box, first, 1)
    if not found or max(found) - min(found) > MAX_WORDS:
        return None
    start = raw.FPDFText_GetTextIndexFromCharIndex(words.raw, min(found))
    end = raw.FPDFText_GetTextIndexFromCharIndex(words.raw, max(found))
    if not 0 <= start <= end < len(units):
        return None
    start, end = units[start], units[end]
    linked = drawn[start : end + 1]
    if not linked.strip():
        return None
    start += len(linked) - len(linked.lstrip())
    return start, start + len(linked.strip())


def _find_character(words: Thing, box: Box) -> int:
    """Return the number of a character in the frame, or a negative number."""
    left, bottom, right, top = box
    height = (bottom + top) / 2
    for share in (0.5, 0.1, 0.9):
        number = int(
            raw.FPDFText_GetCharIndexAtPos(words.raw, left + share * (right - left), height, UP, UP)
        )
        if number >= 0 and _is_inside(words, number, box):
            return number
    return -1


def _extend(words: Thing, box: Box, first: int, step: int) -> list[int]:
    """Return the numbers of the characters next to `first` that are in the frame too."""
    found = [first]
    for number in range(first + step, first + step * MAX_WORDS, step):
        if number < 0 or not _is_inside(words, number, box):
            break
        found.append(number)
    return found


def _is_inside(words: Thing, number: int, box: Box) -> bool:
    """Return True if the middle of a character is in the frame; its blanks have no extent."""
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    if not raw.FPDFText_GetCharBox(words.raw, number, left, right, bottom, top):
        return False
    across, up = (left.value + right.value) / 2, (bottom.value + top.value) / 2
    inside = box[0] - ACROSS <= across <= box[2] + ACROSS
    return inside and box[1] - UP <= up <= box[3] + UP


def _find_again(span: tuple[int, int], drawn: str, ordered: str) -> tuple[int, int] | None:
    """Return where the words of a link stand in the text whose columns are in order."""
    words = drawn[span[0] : span[1]]
    line = drawn[max(0, span[0] - ANCHOR_CHARS) : span[0]].splitlines()
    before = line[-1] if line and not drawn[: span[0]].endswith("\n") else ""
    for anchor in (before, before[-10:], ""):
        if ordered.count(anchor + words) == 1:
            start = ordered.index(anchor + words) + len(anchor)
            return start, start + len(words)
    return None
