"""Rank the sentences of texts by how near they are to a question in meaning.

Words and places recommend a few sentences of each text; only these are embedded, as each takes
about 12 ms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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

#: Sentences of one page that are embedded. With 40 word pieces each they take 0.15 s.
MAX_EMBEDDED = 14
#: What the words of a heading weigh beside those of the sentence, and what the first sentence of a
#: section has over the others.
HEADING_WEIGHT, FIRST_SENTENCE_BONUS = 0.5, 0.1


@dataclass(frozen=True)
class RankedSentence:
    """A sentence or table row of one of the texts.

    number: of its text, from 0; place: among the parts of that text, as `split_parts` gives them;
    share: 0 to 1, of the question's words, by weight; near: its cosine with the question, -1 to 1.
    """

    number: int
    place: int
    share: float
    near: float


@dataclass(frozen=True)
class _Candidate:
    number: int
    place: int
    text: str
    heading: str
    share: float
    is_first: bool


def rank_sentences(
    questions: Sequence[str], title: str, texts: Sequence[str], embedder: Embedder
) -> list[RankedSentence]:
    """Return the sentences that were compared, at most MAX_EMBEDDED, the nearest first.

    questions: what is asked, the whole question first; title: of the page that the texts are of.
    Raises SettingsError if the model cannot be used.
    """
    weights = parse_question(" ".join(questions)).words
    candidates: list[_Candidate] = []
    for number, text in enumerate(texts):
        candidates += _find_candidates(number, text, tuple(split_parts(text)), weights)
    candidates.sort(
        key=lambda each: (
            -each.share - FIRST_SENTENCE_BONUS * each.is_first,
            each.number,
            each.place,
        )
    )
    del candidates[MAX_EMBEDDED:]
    asking = [text for question in questions for text in list_asking_sentences(question)]
    shown = [add_context(title, each.heading, each.text) for each in candidates]
    near = measure_nearness(embedder, asking, shown)
    ranked = [
        RankedSentence(each.number, each.place, each.share, cosine)
        for each, cosine in zip(candidates, near, strict=True)
    ]
    return sorted(ranked, key=lambda each: (-each.near, each.number, each.place))


def _find_candidates(
    number: int, text: str, parts: Sequence[PassagePart], weights: Mapping[str, float]
) -> Iterator[_Candidate]:
    """Yield every part that is neither a heading nor code, with its share of the words asked."""
    total = sum(weights.values()) or 1.0
    above: frozenset[str] = frozenset()
    heading, is_first = "", True
    for place, part in enumerate(parts):
        shown = text[part.start : part.end]
        roots = frozenset(map(word_root, tokenize(shown))) & weights.keys()
        if part.kind == "heading":
            heading, above, is_first = shown, roots, True
            continue
        if part.kind == "code":
            continue
        held = sum(
            weights[root] * (1.0 if root in roots else HEADING_WEIGHT)
            for root in sorted(roots | above)
        )
        yield _Candidate(number, place, shown, heading, held / total, is_first)
        is_first = False
