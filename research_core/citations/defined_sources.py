"""Find the lines of a report that define a mark in it, outside of any list of sources.

"[1] Review. https://…" right below its paragraph, "Source 1: https://…", "Sources: [1] … [2] …".
Only a line with a number that another line cites defines it; anything else is text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from research_core.citations.addresses import find_urls
from research_core.citations.linter import ListedSource, SourceList
from research_core.citations.source_labels import LABEL_WORDS
from research_core.text.references import ReferenceLine

#: Numbers that one mark may have ("[1, 3-5]"), and the longest line that is read.
MAX_RANGE, MAX_LINE_CHARS = 50, 5_000
_MARK = re.compile(r"\[\^?(\d{1,4}(?:\s?[,;–-]\s?\d{1,4}){0,50})\]")
_RANGE = re.compile(r"(\d{1,4})(?:\s?[–-]\s?(\d{1,4}))?")
_LEAD = re.compile(
    rf"\s{{0,3}}(?:[-*•]\s{{1,3}})?[*_(（]{{0,3}}(?P<label>{LABEL_WORDS}(?![^\W\d_]))?[*_]{{0,3}}"
    r"\s?[:：]?[*_]{0,3}\s{0,3}",
    re.IGNORECASE,
)
#: The number of an entry in brackets, and one without: followed by a sign or by its address.
_BRACKETED = re.compile(r"\[\^?(\d{1,4})\][:：.]?")
_BARE = re.compile(
    r"(\d{1,4})(?:\s?[:：)）]|\s[–—-](?=\s)|[.](?=\s)|(?=\s(?:https?://|\[)))\s{0,3}"
)


def find_defined_sources(lines: Sequence[str], taken: Collection[int]) -> Iterator[SourceList]:
    """Yield a list of sources for each line that defines marks.

    taken: numbers of lines, from 0, that belong to lists already.
    """
    cited = [_find_numbers(line) for line in lines]
    counts: dict[str, int] = {}
    for numbers in cited:
        for number in numbers:
            counts[number] = counts.get(number, 0) + 1
    last = _find_end(lines, taken)
    for place, line in enumerate(lines):
        if place in taken or len(line) > MAX_LINE_CHARS:
            continue
        entries = _read_entries(line, place, is_last=place == last)
        is_cited = [counts.get(one.id, 0) > (one.id in cited[place]) for one in entries]
        if entries and all(is_cited):
            yield SourceList(tuple(entries), place, place + 1)


def _find_end(lines: Sequence[str], taken: Collection[int]) -> int:
    """Return the number of the last line that is neither empty nor taken, -1 if none is."""
    for place in range(len(lines) - 1, -1, -1):
        if lines[place].strip() and place not in taken:
            return place
    return -1


def _find_numbers(line: str) -> set[str]:
    """Return the numbers that a line cites in brackets."""
    numbers: set[str] = set()
    for mark in _MARK.finditer(line):
        for first, end in _RANGE.findall(mark[1]):
            span = range(int(first), int(end or first) + 1)[:MAX_RANGE]
            numbers.update(map(str, span))
    return numbers


def _read_entries(line: str, place: int, *, is_last: bool) -> list[ListedSource]:
    """Return the entries of a line that consists of them, each with an address; else none.

    The last line of a report may be an entry without an address, if it has the form of one.
    """
    lead = _LEAD.match(line)
    at = lead.end() if lead else 0
    bracketed = list(_BRACKETED.finditer(line, at))
    # A link with a number as its words is a citation.
    starts = [found for found in bracketed if not line.startswith("(", found.end())]
    if starts and starts[0].start() == at:
        ends = [*(found.start() for found in starts[1:]), len(line)]
        entries: list[ListedSource] = []
        for found, end in zip(starts, ends, strict=True):
            text = line[found.start() : end].strip(" ,;，；、")
            urls = tuple(url for _, url in find_urls(text))
            if not urls and not (is_last and len(starts) == 1 and _is_reference(text)):
                return []
            entries.append(ListedSource(found[1], text, place + 1, urls))
        return entries
    bare = _BARE.match(line, at)
    if bare is None:
        return []
    urls = tuple(url for _, url in find_urls(line))
    return [ListedSource(bare[1], line[at:].strip(), place + 1, urls)] if urls else []


def _is_reference(text: str) -> bool:
    signs = ReferenceLine(0, len(text), text).signs
    return signs.names_source and not signs.spoken
