"""Rank the sentences of texts by how near they are to a question in meaning.

Words and places recommend a few sentences of a page; only these are embedded, as each takes about
12 ms. The choice of passages and the judge embed the same sentences in the same form as far as
possible, so that the embedder has kept the rows of most: a sentence stands under the heading that
its own text holds, and most are recommended by the words of the question alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from research_core.text.passages import split_parts
from research_core.text.sentence_meaning import (
    add_context,
    list_asking_sentences,
    measure_nearness,
)
from research_core.text.similarity import parse_question, word_root
from research_core.text.words import tokenize

if TYPE_CHECKING:
    from research_core.text.embeddings import Embedder

#: Sentences of one page that are embedded at most. With 40 word pieces each they take 0.09 s.
MAX_EMBEDDED = 8
#: Those of them that the words of the question recommend, where more is asked beside it.
MAX_BY_QUESTION = 5
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
    """A sentence with its heading; `roots`, `above`: the words asked for that each of them holds."""

    number: int
    place: int
    text: str
    heading: str
    roots: frozenset[str]
    above: frozenset[str]
    is_first: bool

    def measure_share(self, weights: Mapping[str, float]) -> float:
        """Return the share of these words that it holds, by weight, those of its heading in part."""
        held = sum(
            weights.get(root, 0.0) * (1.0 if root in self.roots else HEADING_WEIGHT)
            for root in sorted(self.roots | self.above)
        )
        return held / (sum(weights.values()) or 1.0)


def rank_sentences(
    questions: Sequence[str], title: str, texts: Sequence[str], embedder: Embedder
) -> list[RankedSentence]:
    """Return the sentences that were compared, at most MAX_EMBEDDED, the nearest first.

    questions: what is asked, the whole question first; title: of the page that the texts are of.
    Raises SettingsError if the model cannot be used.
    """
    weights = parse_question(" ".join(questions)).words
    own_weights = parse_question(questions[0]).words
    asked_roots = weights.keys() | own_weights.keys()
    found: list[_Candidate] = []
    for number, text in enumerate(texts):
        found += _find_candidates(number, text, asked_roots)
    candidates = _sort_by_words(found, own_weights)[:MAX_BY_QUESTION]
    candidates += [each for each in _sort_by_words(found, weights) if each not in candidates]
    del candidates[MAX_EMBEDDED:]
    asking = [text for question in questions for text in list_asking_sentences(question)]
    shown = [add_context(title, each.heading, each.text) for each in candidates]
    near = measure_nearness(embedder, asking, shown)
    ranked = [
        RankedSentence(each.number, each.place, each.measure_share(weights), cosine)
        for each, cosine in zip(candidates, near, strict=True)
    ]
    return sorted(ranked, key=lambda each: (-each.near, each.number, each.place))


def _sort_by_words(
    candidates: Sequence[_Candidate], weights: Mapping[str, float]
) -> list[_Candidate]:
    """Return the sentences that hold most of these words first; ties in reading order."""

    def rank(each: _Candidate) -> tuple[float, int, int]:
        value = each.measure_share(weights) + FIRST_SENTENCE_BONUS * each.is_first
        return -value, each.number, each.place

    return sorted(candidates, key=rank)


def _find_candidates(number: int, text: str, asked_roots: Set[str]) -> Iterator[_Candidate]:
    """Yield every part of a text that is neither a heading nor code."""
    above: frozenset[str] = frozenset()
    heading, is_first = "", True
    for place, part in enumerate(split_parts(text)):
        shown = text[part.start : part.end]
        roots = asked_roots & frozenset(map(word_root, tokenize(shown)))
        if part.kind == "heading":
            heading, above, is_first = shown, frozenset(roots), True
            continue
        if part.kind == "code":
            continue
        yield _Candidate(number, place, shown, heading, frozenset(roots), above, is_first)
        is_first = False
