"""Find the lines of a report that define a mark in it, outside of any list of sources.

"[1] Review. https://…" right below its paragraph, "Source 1: https://…", "Sources: [1] … [2] …".
Only a line with a number that another line cites defines it; anything else is text, and so is a
sentence that ends with its address, in a numbered list or behind a mark.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from research_core.citations.addresses import find_urls
from research_core.citations.assertions import has_verb, is_assertion
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
#: The opening of a link before its address, or the other signs around one.
_LINK_OPENING = re.compile(r"\[([^\[\]]{0,400})\]\(\s?$")
_OPENINGS, _CLOSINGS = "(（[<", ")）]>"
#: "24 %", "$5": what a title hardly holds.
_AMOUNT = re.compile(r"\d\s?[%％‰€£$¥]|[€£$¥]\s?\d")
_NUMBER = re.compile(r"(?<![\w.])(?!(?:1[5-9]|20)\d\d(?!\d))\d")
_STOP = re.compile(r"[.!?。！？…][\"”’»』」]?$")
_STOP_BEHIND = re.compile(r"[\s)）\]>]{0,4}[.!?。！？]")
#: A word in small letters: behind a mark, the sentence goes on with it.
_SMALL_WORD = re.compile(r"[^\W\d_]+(?=[\s,])")
_DATED = re.compile(r"[(（](?:1[5-9]|20)\d\d[a-z年]?[)）]")
#: "Plants close - BBC News", the title of a page.
_PUBLISHER = re.compile(r"\S\s+[|–—-]\s+[^\W\d_][^|.\n]{1,60}$")
_CASELESS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
#: The fewest words of a sentence, and words behind an address that go on with one.
MIN_WORDS = 3


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
    has_label = bool(lead and lead["label"])
    if starts and starts[0].start() == at:
        ends = [*(found.start() for found in starts[1:]), len(line)]
        entries: list[ListedSource] = []
        for found, end in zip(starts, ends, strict=True):
            text = line[found.start() : end].strip(" ,;，；、")
            urls = tuple(url for _, url in find_urls(text))
            if not urls and not (is_last and len(starts) == 1 and _is_reference(text)):
                return []
            is_plain = not has_label and not found[0].endswith((":", "："))
            if urls and is_plain and _goes_on(line[found.end() : end].strip()):
                return []
            entries.append(ListedSource(found[1], text, place + 1, urls))
        return entries
    bare = _BARE.match(line, at)
    if bare is None:
        return []
    urls = tuple(url for _, url in find_urls(line[at:]))
    if urls and not has_label:
        others = {number for number in _find_numbers(line) - {bare[1]} if len(number) < 4}
        if others or _states(line[bare.end() :].strip()):
            return []
    return [ListedSource(bare[1], line[at:].strip(), place + 1, urls)] if urls else []


@dataclass(frozen=True)
class _Entry:
    """The parts of a line with an address: the words before it and those behind it.

    is_enclosed: whether brackets stand around the address; has_stop: whether the end of a sentence
    stands behind it.
    """

    words: str
    behind: str
    is_enclosed: bool
    has_stop: bool

    @property
    def is_stated(self) -> bool:
        """Return whether the words before the address have the verb or amount of a statement."""
        words = self.words
        if len(words.split()) < MIN_WORDS:
            return bool(_CASELESS.search(words)) and bool(_AMOUNT.search(words))
        return (
            ReferenceLine(0, len(words), words).signs.spoken
            or has_verb(words)
            or bool(_AMOUNT.search(words))
        )

    @property
    def is_whole(self) -> bool:
        """Return whether the words are a sentence by their end, in whatever language."""
        if _CASELESS.search(self.words):
            is_ended = bool(_STOP.search(self.words)) or (self.is_enclosed and self.has_stop)
            return is_ended and is_assertion(self.words + "。")
        if len(self.words.split()) < MIN_WORDS:
            return False
        if self.is_enclosed and self.has_stop:
            return True
        is_ended = self.is_enclosed or bool(_STOP.search(self.words))
        return is_ended and bool(_NUMBER.search(self.words))

    @property
    def names_work(self) -> bool:
        """Return whether the words have the author, the title or the place of a publication."""
        signs = ReferenceLine(0, len(self.words), self.words).signs
        named = signs.author or signs.published or signs.title
        dated = _DATED.search(self.words) or _PUBLISHER.search(self.words)
        return not signs.spoken and bool(named or dated)


def _read_entry(text: str) -> _Entry | None:
    """Return the parts of a text with an address, None if it begins with it or its link."""
    start, url = next(iter(find_urls(text)))
    behind = text[start + len(url) :]
    before = text[:start]
    link = _LINK_OPENING.search(before)
    if link:
        before = before[: link.start()]
        behind = behind.removeprefix(")")
    is_enclosed = any(before.count(a) > before.count(b) for a, b in zip("(（", ")）", strict=True))
    words = before.rstrip(f" {_OPENINGS}*_:：,，")
    if not words.strip(" *_"):
        return None
    has_stop = bool(_STOP_BEHIND.match(behind))
    return _Entry(words, behind.strip(f" {_CLOSINGS}.。,;，；"), is_enclosed, has_stop)


def _states(text: str) -> bool:
    """Return whether an item of a numbered list, with an address, is a sentence and no source."""
    entry = _read_entry(text)
    if entry is None or entry.names_work:
        return False
    if len(entry.behind.split()) >= MIN_WORDS and not _is_reference(text):
        return True
    return entry.is_stated or entry.is_whole


def _goes_on(text: str) -> bool:
    """Return whether a sentence goes on behind a mark at the beginning of a line."""
    entry = _read_entry(text)
    if entry is None or entry.names_work:
        return False
    small = _SMALL_WORD.match(entry.words)
    if small and small[0].islower():
        is_sentence = entry.is_stated or entry.is_whole or entry.is_enclosed
        return is_sentence or len(entry.behind.split()) >= MIN_WORDS
    return entry.is_enclosed and entry.has_stop and (entry.is_stated or entry.is_whole)


def _is_reference(text: str) -> bool:
    signs = ReferenceLine(0, len(text), text).signs
    return signs.names_source and not signs.spoken
