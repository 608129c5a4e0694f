"""Choose the passages of a page by the meaning of its sentences.

A page that fits is taken whole. Of a longer one, the sentences that words and places recommend are
embedded with their title and heading, and the passages are built around the nearest of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from research_core.text.passages import PassagePart, split_parts
from research_core.text.sentence_meaning import (
    add_context,
    list_asking_sentences,
    measure_nearness,
)
from research_core.text.similarity import parse_question, word_root
from research_core.text.words import tokenize

if TYPE_CHECKING:
    from research_core.text.embeddings import Embedder

#: Increment if other passages are chosen: part of the key of recorded choices.
VERSION = 1
#: Sentences of one page that are embedded. With 40 word pieces each they take 0.15 s.
MAX_EMBEDDED = 14
#: What the words of a heading weigh beside those of the sentence, and what the first sentence of a
#: section has over the others.
HEADING_WEIGHT, FIRST_SENTENCE_BONUS = 0.5, 0.1
#: What the words of the question add to a cosine at most.
WORD_BONUS = 0.1
#: A passage further from the question than the nearest one by this cosine is left out.
MAX_DISTANCE = 0.3
#: A section shorter than this is continued into the next one.
MIN_PASSAGE_LENGTH = 300

Span = tuple[int, int]


@dataclass(frozen=True)
class Candidate:
    """A sentence or table row. place: among the parts of the page; share: 0 to 1, of the words."""

    place: int
    heading: str
    share: float
    is_first: bool


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
    parts = tuple(split_parts(text))
    if not parts:
        return []
    fits = parts[-1].end - parts[0].start <= limit * size
    sections = tuple(_cut_sections(parts, size, at_headings=not fits))
    if len(sections) <= limit:
        return [_find_span(parts, section, size) for section in sections]
    ranked = _rank_candidates(questions, title, text, parts, embedder)
    return sorted(_choose_around(ranked, parts, sections, limit=limit, size=size))


def _cut_sections(parts: Sequence[PassagePart], size: int, *, at_headings: bool) -> Iterator[range]:
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


def _find_span(parts: Sequence[PassagePart], run: range, size: int) -> Span:
    first = parts[run[0]]
    start = first.begins if first.begins >= 0 else first.start
    return start, min(parts[run[-1]].end, start + size)


def _rank_candidates(
    questions: Sequence[str],
    title: str,
    text: str,
    parts: Sequence[PassagePart],
    embedder: Embedder,
) -> list[tuple[float, int]]:
    """Return (value, place) of the sentences that were embedded, the nearest first."""
    candidates = sorted(
        _find_candidates(" ".join(questions), text, parts),
        key=lambda each: (-each.share - FIRST_SENTENCE_BONUS * each.is_first, each.place),
    )[:MAX_EMBEDDED]
    texts = [
        add_context(title, each.heading, text[parts[each.place].start : parts[each.place].end])
        for each in candidates
    ]
    asking = [text for question in questions for text in list_asking_sentences(question)]
    near = measure_nearness(embedder, asking, texts)
    ranked = [
        (round(cosine + WORD_BONUS * each.share, 4), each.place)
        for cosine, each in zip(near, candidates, strict=True)
    ]
    return sorted(ranked, key=lambda each: (-each[0], each[1]))


def _find_candidates(asked: str, text: str, parts: Sequence[PassagePart]) -> Iterator[Candidate]:
    """Yield every part that is neither a heading nor code, with its share of the words asked."""
    weights = parse_question(asked).words
    total = sum(weights.values()) or 1.0
    roots: list[frozenset[str]] = []
    for part in parts:
        words = frozenset(map(word_root, tokenize(text[part.start : part.end])))
        roots.append(words & weights.keys())
    heading, is_first = -1, True
    for place, part in enumerate(parts):
        if part.kind == "heading":
            heading, is_first = place, True
            continue
        if part.kind == "code":
            continue
        above = roots[heading] if heading >= 0 else frozenset[str]()
        share = sum(
            weights[word] * (1.0 if word in roots[place] else HEADING_WEIGHT)
            for word in sorted(roots[place] | above)
        )
        shown = text[parts[heading].start : parts[heading].end] if heading >= 0 else ""
        yield Candidate(place, shown, share / total, is_first)
        is_first = False


def _choose_around(
    ranked: Sequence[tuple[float, int]],
    parts: Sequence[PassagePart],
    sections: Sequence[range],
    *,
    limit: int,
    size: int,
) -> list[Span]:
    """Return the sections that hold the nearest sentences, each once."""
    section_of = {place: number for number, run in enumerate(sections) for place in run}
    least = ranked[0][0] - MAX_DISTANCE if ranked else 0.0
    chosen: dict[int, None] = {}
    for value, place in ranked:
        if value < least or len(chosen) == limit:
            break
        chosen.setdefault(section_of[place])
    return [_find_span(parts, sections[number], size) for number in chosen]
