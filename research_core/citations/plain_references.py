"""Find lists of references whose entries are plain paragraphs, without a number or a bullet.

This is the form of most style guides ("Meyer, A. (2020). Rents. https://…"). An entry stands below
a heading of sources and begins with its author and year, or ends with its address. Everything else
below such a heading is text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from research_core.citations.addresses import find_urls
from research_core.citations.linter import (
    HEADING,
    RULE,
    ListedSource,
    SourceList,
    is_source_heading,
)
from research_core.text.references import ReferenceLine

#: The most paragraphs in a row that are no entry, before a list counts as ended.
MAX_OTHER_PARAGRAPHS = 1
_NO_YEAR = r"n\.\s?d\.|o\.\s?J\.|s\.\s?f\.|s\.\s?d\.|u\.\s?å\."
#: "World Bank. (2021, May 4). Rents": whoever wrote it, the year in brackets, a point.
_DATED = re.compile(
    rf"[^\W\d_][^()\n]{{1,200}}\((?:[^()\n]{{0,20}}\W)?(?:(?:1[5-9]|20)\d\d[a-z]?|{_NO_YEAR})"
    r"[^()\n]{0,30}\)[.:]"
)
_OTHER_LIST = re.compile(r"\s*(?:[-*+•]\s|\d{1,4}[.)]\s|\\?[\[［【]\^?\d|\||[¹²³⁰⁴-⁹]|<sup)")
_MARKUP = re.compile(r"[*_]{1,3}")


def find_plain_references(lines: Sequence[str], taken: Collection[int]) -> Iterator[SourceList]:
    """Yield each run of entries below a heading of sources; the first run has the heading.

    taken: numbers of lines, from 0, that belong to lists already.
    """
    number = 0
    while number < len(lines):
        if number in taken or not is_source_heading(lines[number]):
            number += 1
            continue
        yield from _read_runs(lines, number, taken)
        number += 1


def _read_runs(lines: Sequence[str], heading: int, taken: Collection[int]) -> Iterator[SourceList]:
    run: list[ListedSource] = []
    first = heading
    end = number = heading + 1
    others = 0
    while number < len(lines) and others <= MAX_OTHER_PARAGRAPHS:
        line = lines[number]
        if number in taken or HEADING.match(line) or RULE.match(line) or _OTHER_LIST.match(line):
            break
        if not line.strip():
            number += 1
            continue
        if is_source_heading(line):
            break
        start, number = number, _find_paragraph_end(lines, number, taken)
        entries = _read_paragraph(lines, start, number)
        if not entries:
            others += 1
            if run:
                yield SourceList(tuple(run), first, end)
            run = []
            continue
        if not run and others:
            first = start
        run += entries
        end = number
        others = 0
    if run:
        yield SourceList(tuple(run), first, end)


def _find_paragraph_end(lines: Sequence[str], number: int, taken: Collection[int]) -> int:
    while (
        number < len(lines)
        and lines[number].strip()
        and number not in taken
        and not HEADING.match(lines[number])
        and not RULE.match(lines[number])
    ):
        number += 1
    return number


def _read_paragraph(lines: Sequence[str], start: int, end: int) -> list[ListedSource]:
    """Return the entries of a paragraph, none unless it begins with one.

    An entry goes on in the lines below it that do not begin one.
    """
    begins = [number for number in range(start, end) if _begins_entry(lines[number])]
    if not begins or begins[0] != start:
        whole = " ".join(line.strip() for line in lines[start:end])
        if not _begins_entry(whole):
            return []
        begins = [start]
    found: list[ListedSource] = []
    for first, last in zip(begins, [*begins[1:], end], strict=True):
        text = " ".join(line.strip() for line in lines[first:last])
        urls = tuple(url for _, url in find_urls(text))
        found.append(ListedSource("", text, first + 1, urls))
    return found


def _begins_entry(line: str) -> bool:
    bare = _MARKUP.sub("", line.strip()).removeprefix("[")
    signs = ReferenceLine(0, len(bare), bare).signs
    if signs.spoken:
        return False
    return _DATED.match(bare) is not None or (signs.author and signs.year)
