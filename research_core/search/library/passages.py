"""Split a text into passages of about one paragraph, given by their positions."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: Characters of a passage. Measured; see CONTRIBUTING.
PASSAGE_SIZE = 700
_BREAK = re.compile(r"\n\n+")


def split_passages(text: str, size: int = PASSAGE_SIZE) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each passage, none longer than twice the size.

    Passages end between blocks if there are any, else between words; only white space lies between
    two of them.
    """
    held: tuple[int, int] | None = None
    length = 0
    for start, end in _split_blocks(text, size):
        if held and length + end - start > size:
            yield held
            held, length = None, 0
        held = (held[0] if held else start, end)
        length += end - start
    if held:
        yield held


def _split_blocks(text: str, size: int) -> Iterator[tuple[int, int]]:
    """Yield the blocks of a text without surrounding white space, long ones split."""
    start = 0
    gaps = [found.span() for found in _BREAK.finditer(text)]
    for gap_start, gap_end in (*gaps, (len(text), len(text))):
        for low, high in _split_long_block(text, start, gap_start, size):
            part = text[low:high]
            left = len(part) - len(part.lstrip())
            right = len(part.rstrip())
            if right > left:
                yield low + left, low + right
        start = gap_end


def _split_long_block(text: str, start: int, end: int, size: int) -> Iterator[tuple[int, int]]:
    is_table = text.startswith("|", start)  # a table is split between rows only
    while end - start > 2 * size:
        to = start + size
        sentence_end = 0 if is_table else text.rfind(". ", start, to) + 1
        at = max(sentence_end, text.rfind("\n", start, to))
        if at <= start + size // 2:
            at = text.rfind(" ", start, to)
        if at <= start:
            at = to
        yield start, at
        start = at
    yield start, end
