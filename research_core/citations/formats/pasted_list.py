"""Split a pasted list of references into its entries.

Entries may be numbered, bulleted, separated by empty lines, one per line, or wrapped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from research_core.text.references import ReferenceLine, find_references

_NUMBER = re.compile(
    r"\s*(?:\[(\d{1,4})\]|\((\d{1,4})\)|(\d{1,4})[.)](?!\d)|\[\^?(\d{1,4})\]:)\s*(?=\S)"
)
_BULLET = re.compile(r"\s*[-*•‣◦–]\s+(?=\S)")
_REFERENCE_SIGN = re.compile(r"(?:1[5-9]|20)\d\d|\b10\.\d{4,9}/|https?://|\bn\.\s?d\.")
_ENTRY_END = re.compile(r"(?:[.)\]>”\"]|https?://\S+|10\.\d{4,9}/\S+|\d)\s*$")
_ENTRY_START = re.compile(
    r"\s*(?:[^\W\d_a-z]|[“\"«„(\[‘]|(?:van|von|de|der|den|del|di|da|du|la|le|al|el)\s|https?:)"
)


def split_entries(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line of each entry, from 1, and the entry as one line of text."""
    lines = _select_list_lines(text)
    begins = (
        _find_numbered(lines)
        or _find_bulleted(lines)
        or _find_hanging(lines)
        or _find_unmarked(lines)
    )
    entry: list[str] = []
    at = 0
    for place, (number, said) in enumerate(lines):
        if place in begins:
            if entry:
                yield at, " ".join(entry)
            entry, at = [], number
        if said.strip() and (entry or place in begins):
            entry.append(said.strip())
    if entry:
        yield at, " ".join(entry)


def strip_list_mark(text: str) -> str:
    """Return an entry without its number or bullet."""
    found = _NUMBER.match(text) or _BULLET.match(text)
    return text[found.end() :] if found else text.strip()


def _select_list_lines(text: str) -> list[tuple[int, str]]:
    """Return the numbered lines that may hold entries.

    In a text with prose these are its lists of references, else all lines but headings.
    """
    lines, at, spans = list[tuple[int, str]](), 0, find_references(text)
    outside = text
    for start, end in reversed(spans):
        outside = outside[:start] + outside[end:]
    mixed = spans and any(
        ReferenceLine(0, 0, said.strip()).is_prose for said in outside.split("\n") if said.strip()
    )
    for number, said in enumerate(text.split("\n"), 1):
        inside = not mixed or any(start < at + len(said) and at <= end for start, end in spans)
        heading = bool(said.strip()) and ReferenceLine(0, 0, said.strip()).sure is not None
        if inside and not heading:
            lines.append((number, said))
        at += len(said) + 1
    return lines


def _find_numbered(lines: Sequence[tuple[int, str]]) -> set[int]:
    """Return the indexes of lines numbered in sequence, if the first entry has a number."""
    begins, last = set[int](), None
    for place, (_, said) in enumerate(lines):
        found = _NUMBER.match(said)
        number = int(next(filter(None, found.groups()))) if found else None
        if number is None:
            if last is None and said.strip():
                return set()
        elif last is None or number in (last + 1, last + 2) or (number == last == 1):
            begins.add(place)
            last = number
    return begins


def _find_bulleted(lines: Sequence[tuple[int, str]]) -> set[int]:
    """Return the indexes of lines with a bullet, if the first line has one."""
    filled = [index for index, (_, text) in enumerate(lines) if text.strip()]
    if not filled or not _BULLET.match(lines[filled[0]][1]):
        return set()
    return {index for index in filled if _BULLET.match(lines[index][1])}


def _find_hanging(lines: Sequence[tuple[int, str]]) -> set[int]:
    """Return the indexes of outdented lines, if others are indented below them."""
    said = [place for place, (_, text) in enumerate(lines) if text.strip()]
    out = {place for place in said if not lines[place][1][:1].isspace()}
    return out if said and said[0] in out and len(out) < len(said) else set()


def _find_unmarked(lines: Sequence[tuple[int, str]]) -> set[int]:
    """Return the indexes of lines where an entry can begin and the one before can have ended."""
    begins, entry, apart = set[int](), "", True
    blocks = sum(1 for (_, one), (_, other) in pairwise(lines) if one.strip() and not other.strip())
    for place, (_, said) in enumerate(lines):
        if not said.strip():
            apart = True
            continue
        can = bool(_ENTRY_START.match(said))
        ended = bool(_REFERENCE_SIGN.search(entry)) and bool(_ENTRY_END.search(entry))
        own = bool(_REFERENCE_SIGN.search(said)) or ReferenceLine(0, 0, said.strip()).signs.author
        if not entry or (apart and (blocks or can)) or (can and ended and own):
            begins.add(place)
            entry = ""
        entry, apart = f"{entry[-2000:]} {said.strip()}", False
    return begins
