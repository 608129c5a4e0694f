"""Choose the passages of a page by the meaning of its sentences.

A page that fits is taken whole. Of a longer one, the sentences that words and places recommend are
embedded with their title and heading, and the passages are built around the nearest of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from research_core.text.passages import PassagePart, split_parts
from research_core.text.sentence_ranking import RankedSentence, rank_sentences

if TYPE_CHECKING:
    from research_core.text.embeddings import Embedder

#: Increment if other passages are chosen: part of the key of recorded choices.
VERSION = 3
#: What the words of the question add to a cosine at most.
WORD_BONUS = 0.1
#: A passage further from the question than the nearest one by this cosine is left out.
MAX_DISTANCE = 0.3
#: A section shorter than this is continued into the next one.
MIN_PASSAGE_LENGTH = 300

Span = tuple[int, int]


def choose_spans(
    questions: Sequence[str],
    title: str,
    text: str,
    embedder: Embedder,
    *,
    limit: int = 5,
    size: int = 700,
) -> list[Span]:
    """Return where the passages begin and end, in page order: at most `limit` of `size` characters.

    questions: what is asked, the whole question first. Raises SettingsError if the model cannot be
    used.
    """
    parts = split_parts(text)
    if not parts:
        return []
    fits = parts[-1].end - parts[0].start <= limit * size
    sections = tuple(cut_sections(parts, size, at_headings=not fits))
    spans = [find_span(parts, section, size) for section in sections]
    if len(spans) <= limit:
        return spans
    shown = [text[start:end] for start, end in spans]
    ranked = rank_sentences(questions, title, shown, embedder)
    return [spans[number] for number in sorted(_choose_texts(ranked, limit))]


def cut_sections(parts: Sequence[PassagePart], size: int, *, at_headings: bool) -> Iterator[range]:
    """Cut a page into runs of parts of at most `size` characters.

    at_headings: begin a new run at each heading, if the one before has MIN_PASSAGE_LENGTH.
    """
    first = 0
    for place, part in enumerate(parts):
        if place == first:
            continue
        begin = parts[first].start
        is_full = part.end - begin > size or part.text != parts[first].text
        is_long_enough = part.start - begin >= MIN_PASSAGE_LENGTH
        is_next_section = at_headings and part.kind == "heading" and is_long_enough
        if (is_full or is_next_section) and part.begins >= 0:
            yield range(first, place)
            first = place
    yield range(first, len(parts))


def find_span(parts: Sequence[PassagePart], run: range, size: int) -> Span:
    """Return where a run of parts begins and ends; of a long one, the first `size` characters."""
    first = parts[run[0]]
    start = first.begins if first.begins >= 0 else first.start
    return start, min(parts[run[-1]].end, start + size)


def _choose_texts(ranked: Sequence[RankedSentence], limit: int) -> set[int]:
    """Return the numbers of the texts that hold the nearest sentences, at most `limit`."""
    values = {each: each.near + WORD_BONUS * each.share for each in ranked}
    least = max(values.values(), default=0.0) - MAX_DISTANCE
    chosen: set[int] = set()
    for each in sorted(values, key=lambda each: (-values[each], each.number, each.place)):
        if values[each] < least or len(chosen) == limit:
            break
        chosen.add(each.number)
    return chosen
