"""Find where a stored page supports a sentence that its cited passages do not.

This is a pure function of the sentence and the page, which is stored under the hash of its text, so
a replay finds the same place. It changes no state: the check uses the cited passages alone, as
specified, and this result is shown beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest

from research_core.models import Passage, Sentence
from research_core.text.references import find_references
from research_core.text.sentences import find_sentences
from research_core.text.similarity import content_tokens, rarity, word_root
from research_core.text.support import check_support
from research_core.text.support.places import RUN_LENGTH
from research_core.text.support.weights import LEAST_HELD
from research_core.text.words import tokenize

#: So many places, those that hold most of the sentence's words, are held against it as a passage
#: would be.
MAX_TRIED = 4
_DOUBTFUL = ("partly", "not found")


def find_support_in_page(sentence: Sentence, cited: Sequence[Passage], page: str) -> Passage | None:
    """Return the place of the page that supports the sentence.

    Returns None if there is none or the cited passages support it. page: its stored text, "" if not
    stored; cited: passages of this page. The returned passage has no id, because nobody cited it.
    """
    if sentence.state not in _DOUBTFUL:
        return None
    for start, end in _rank_places(sentence.text, cited, page):
        text = page[start:end]
        state, _ = check_support(sentence.text, [text])
        if state == "supported":
            return Passage("", text, start, end)
    return None


def _rank_places(sentence: str, cited: Sequence[Passage], page: str) -> list[tuple[int, int]]:
    """Return the places with most of the sentence's words by weight, the shorter first.

    A place that overlaps a cited passage must have a word of the sentence that no cited passage
    has.
    """
    weights = {word_root(word): rarity(word) for word in content_tokens(sentence)}
    least = LEAST_HELD * math.fsum(weights.values())
    known = set()
    for passage in cited:
        known |= weights.keys() & {word_root(word) for word in tokenize(passage.text)}
    places = []
    for start, end, words in _list_runs(_split_page(page)):
        held = weights.keys() & words
        weight = math.fsum(weights[word] for word in held)
        if weight < least:
            continue
        if held - known or not _overlaps(start, end, cited):
            places.append((-weight, end - start, start, end))
    return [(start, end) for *_, start, end in nsmallest(MAX_TRIED, places)]


def _overlaps(start: int, end: int, passages: Sequence[Passage]) -> bool:
    return any(start < passage.end and passage.start < end for passage in passages)


@dataclass(frozen=True)
class _PageSentence:
    """A sentence of a page: its place and the roots of its words."""

    start: int
    end: int
    words: frozenset[str]


@lru_cache(maxsize=64)
def _split_page(page: str) -> tuple[_PageSentence, ...]:
    """Return the sentences of a page in order, without its lists of references."""
    lists = find_references(page)
    found = []
    for start, end in find_sentences(page):
        if not any(first <= start < last for first, last in lists):
            words = frozenset(map(word_root, tokenize(page[start:end])))
            found.append(_PageSentence(start, end, words))
    return tuple(found)


def _list_runs(said: Sequence[_PageSentence]) -> Iterator[tuple[int, int, frozenset[str]]]:
    for first, one in enumerate(said):
        words = one.words
        yield one.start, one.end, words
        for last in said[first + 1 : first + RUN_LENGTH]:
            words = words | last.words
            yield one.start, last.end, words
