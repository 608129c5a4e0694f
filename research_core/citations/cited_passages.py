"""List every citation of a report's text, and show the cited passage in its page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from research_core.models import Passage, Report, ReportSource, Sentence


@dataclass(frozen=True)
class SourceCitation:
    """One cited source of a sentence.

    number: from 1 in reading order; place: of the sentence in the text, from 0; passages: none of a
    source that was not read; mark: that of the source in a report of others, "" for its number;
    is_dangling: the mark leads to no source, and `source` only says so. is_quoted: the sentence is
    the text of the passage.
    """

    number: int
    place: int
    sentence: Sentence
    source: ReportSource
    passages: tuple[Passage, ...]
    mark: str = ""
    is_dangling: bool = False
    is_quoted: bool = False

    @property
    def state(self) -> str:
        """The result of the check; "quoted" for a text that would be compared with itself."""
        return "quoted" if self.is_quoted else self.sentence.state

    @property
    def label(self) -> str:
        """The mark of the source as the reader sees it."""
        return self.mark or str(self.source.number)


def list_citations(built: Report) -> tuple[SourceCitation, ...]:
    """Return every citation of the text, one for each source of a sentence."""
    # Of two sources with the same passage the first counts.
    origin: dict[str, tuple[ReportSource, Passage]] = {}
    source_of: dict[int, ReportSource] = {}
    for source in reversed(built.sources):
        if source.number:
            source_of[source.number] = source
            origin |= {passage.id: (source, passage) for passage in source.passages}
    citations: list[SourceCitation] = []
    for place, sentence in enumerate(_list_sentences(built)):
        by_source: dict[int, list[Passage]] = {}
        for name in sentence.citations:
            if name in origin:
                source, passage = origin[name]
                by_source.setdefault(source.number, []).append(passage)
        for number, passages in by_source.items():
            citations.append(
                SourceCitation(
                    number=len(citations) + 1,
                    place=place,
                    sentence=sentence,
                    source=source_of[number],
                    passages=tuple(passages),
                    is_quoted=built.is_quotation(sentence),
                )
            )
    return tuple(citations)


def _list_sentences(built: Report) -> list[Sentence]:
    return [sentence for block in built.blocks for sentence in block.sentences]


def pair_sentences_with_citations(
    built: Report, found: Sequence[SourceCitation]
) -> Iterator[tuple[Sentence, tuple[SourceCitation, ...]]]:
    """Yield each sentence of the text in order with its own citations."""
    at_place: dict[int, list[SourceCitation]] = {}
    for citation in found:
        at_place.setdefault(citation.place, []).append(citation)
    for place, sentence in enumerate(_list_sentences(built)):
        yield sentence, tuple(at_place.get(place, ()))


@dataclass(frozen=True)
class Excerpt:
    """A passage in its page, verbatim.

    Pieces are (text, whether it is part of the passage, whether it is the sentence itself).
    """

    pieces: tuple[tuple[str, bool, bool], ...]


def build_excerpt(page: str, passage: Passage, sentence: str = "", *, around: int = 400) -> Excerpt:
    """Return the passage with about `around` characters of its page on either side.

    The sentence is marked if the passage contains it literally.
    """
    start, end = passage.start, passage.end
    if page[start:end] != passage.text:
        start, end = 0, 0
    before = page[max(0, start - around) : start]
    if start > around:
        before = "…" + _trim_to_word_start(page, start - around, before)
    after = page[end : end + around] if end else ""
    if end and end + around < len(page):
        after = _trim_to_word_end(page, end + around, after) + "…"
    first, last = _find_literal_span(sentence, passage.text)
    pieces = (
        (before, False, False),
        (passage.text[:first], True, False),
        (passage.text[first:last], True, True),
        (passage.text[last:], True, False),
        (after, False, False),
    )
    return Excerpt(tuple(piece for piece in pieces if piece[0]))


def _trim_to_word_start(page: str, at: int, text: str) -> str:
    """Drop the cut-off first word, or the cut-off first row inside a table."""
    if _is_table_row(page, at):
        return "\n" + text.partition("\n")[2]
    return text.partition(" ")[2]


def _trim_to_word_end(page: str, at: int, text: str) -> str:
    if _is_table_row(page, at):
        return text.rpartition("\n")[0] + "\n"
    return text.rpartition(" ")[0]


def _is_table_row(page: str, at: int) -> bool:
    return page.startswith("|", page.rfind("\n", max(0, at - 2_000), at) + 1)


def _find_literal_span(sentence: str, text: str) -> tuple[int, int]:
    """Return the span of the sentence in the text, ignoring white space; (0, 0) if absent."""
    words = [re.escape(word) for word in sentence.split()]
    if not words:
        return 0, 0
    found = re.search(r"\s+".join(words), text)
    return found.span() if found else (0, 0)


def measure_passage_position(passage: Passage, page: str) -> float:
    """Return the share of the stored page before a passage, 0.0-1.0; 0 if it is not stored."""
    return passage.start / len(page) if page else 0.0
