"""Measure how near a text is to a question, with the word vectors shipped with Assay.

Adds up single words and sees no order: "the dog bit the man" equals its inversion. Forms of one
word have nearness 1, even if the table does not know the word.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from research_core.text.antonyms import (
    CLOSE_PAIRS,
    CONTRARY_PAIRS,
    CONTRASTING_PAIRS,
    map_opposites,
)
from research_core.text.embeddings.exact import cosines, scale_to_unit, sum_rows
from research_core.text.embeddings.word_vectors import load_shipped_table
from research_core.text.similarity import content_tokens, rarity, word_root

if TYPE_CHECKING:
    from research_core.text.embeddings.exact import Cosines, Vectors

#: The number of the question's rarest words that are compared singly.
CORE_WORDS = 2
#: The cosine from which a word may stand for another.
MIN_AKIN_COSINE = 0.6
_OPPOSITES = map_opposites(CONTRARY_PAIRS, CONTRASTING_PAIRS, CLOSE_PAIRS)


def measure_nearness(asked: str, passages: Sequence[str], opening: str) -> Mapping[str, float]:
    """Return how near the passages, and the opening of the first, are to the question.

    All values are 0.0 if either side has no words. `gist`, -1 to 1: the highest cosine of a
    passage's summed words with those of the question. `core`, 0 to 1: how near the passages come to
    the question's rarest words. `reached`, 0 to 1: how near the opening comes to the question word
    it is farthest from. `topic`, -1 to 1: how near the words of the opening come to the question,
    weighted by rarity.
    """
    found = {"gist": 0.0, "core": 0.0, "reached": 0.0, "topic": 0.0}
    wanted = _distinct_words(asked)
    there = _distinct_words("\n".join(passages))
    if wanted and there:
        question = _sum_vector(asked)
        gists = [float(cosines(_sum_vector(passage), question)[0, 0]) for passage in passages]
        found["gist"] = max(gists)
        core = sorted(range(len(wanted)), key=lambda number: -rarity(wanted[number]))[:CORE_WORDS]
        found["core"] = float(_word_cosines(wanted, there).max(axis=1).clip(0)[core].mean())
    begun = _distinct_words(opening)
    if wanted and begun:
        matrix = _word_cosines(wanted, begun)
        weights = [max(rarity(word) - 1.0, 0.01) for word in begun]
        weighted = [
            float(near) * weight for near, weight in zip(matrix.max(axis=0), weights, strict=True)
        ]
        found["reached"] = float(matrix.max(axis=1).clip(0).min())
        found["topic"] = math.fsum(weighted) / math.fsum(weights)
    return found


def nearest_word(word: str, text: str) -> str:
    """Return the word of the text nearest in meaning, or "" if none is near.

    Opposites are left out, because they are used of the same things and therefore near.
    """
    opposites = _OPPOSITES.get(word_root(word.lower()), frozenset())
    candidates = tuple(
        other for other in _distinct_words(text) if word_root(other) not in opposites
    )
    if not candidates:
        return ""
    near = cosines(_unit_vectors(candidates), _unit_vectors((word.lower(),)))[:, 0]
    best = int(near.argmax())
    return candidates[best] if near[best] >= MIN_AKIN_COSINE else ""


def _word_cosines(wanted: tuple[str, ...], there: tuple[str, ...]) -> Cosines:
    """Return cosines, a row for each wanted word and a column for each word there.

    Forms of one word have 1.0.
    """
    found = cosines(_unit_vectors(wanted), _unit_vectors(there))
    roots = [word_root(word) for word in there]
    for row, word in zip(found, wanted, strict=True):
        own = word_root(word)
        for number, root in enumerate(roots):
            if root == own:
                row[number] = 1.0
    return found


@lru_cache(maxsize=512)
def _distinct_words(text: str) -> tuple[str, ...]:
    """Return the distinct content words of a text, in order."""
    return tuple(dict.fromkeys(content_tokens(text)))


@lru_cache(maxsize=512)
def _sum_vector(text: str) -> Vectors:
    """Return the sum of the vectors of a text's words, scaled to length 1."""
    return scale_to_unit(sum_rows(load_shipped_table().directions(_distinct_words(text))))


@lru_cache(maxsize=512)
def _unit_vectors(words: tuple[str, ...]) -> Vectors:
    """Return the vectors of the words, each scaled to length 1."""
    return scale_to_unit(load_shipped_table().directions(words))
