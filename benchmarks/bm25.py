"""Rank texts by the words of a query alone, as the baseline of what a search or a judge must beat."""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Mapping

K1, B = 1.2, 0.75
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]+")
_WORD = re.compile(r"\w+")


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case, pairs of characters where it has no spaces."""
    text = text.lower()
    words = []
    for run in _UNSPACED.findall(text):
        words += [run[start : start + 2] for start in range(len(run) - 1)] or [run]
    return words + _WORD.findall(_UNSPACED.sub(" ", text))


class Bm25:
    """The BM25 scores of texts, with the frequencies of all of them.

    texts: by name. most_words: how many words count of each, None for all.
    """

    def __init__(self, texts: Mapping[str, str], most_words: int | None = None) -> None:
        self._counts: dict[str, Counter[str]] = {}
        self._lengths: dict[str, int] = {}
        self._holding: dict[str, list[str]] = {}
        for name, text in texts.items():
            words = split_words(text)[:most_words]
            self._counts[name] = Counter(words)
            self._lengths[name] = len(words)
            for word in self._counts[name]:
                self._holding.setdefault(word, []).append(name)
        self._mean_length = sum(self._lengths.values()) / (len(self._lengths) or 1)

    def score(self, query: str, name: str) -> float:
        """Return the score of a text, 0.0 or more."""
        return sum(self._score_word(word, name) for word in sorted(set(split_words(query))))

    def find(self, query: str, count: int) -> list[str]:
        """Return the names of so many texts that share a word with the query, the best first."""
        scores: dict[str, float] = {}
        for word in sorted(set(split_words(query))):
            for name in self._holding.get(word, ()):
                scores[name] = scores.get(name, 0.0) + self._score_word(word, name)
        return heapq.nsmallest(count, scores, key=lambda name: (-scores[name], name))

    def _score_word(self, word: str, name: str) -> float:
        count = self._counts[name].get(word, 0)
        if not count:
            return 0.0
        holding = len(self._holding[word])
        rarity = math.log(1 + (len(self._counts) - holding + 0.5) / (holding + 0.5))
        norm = K1 * (1 - B + B * self._lengths[name] / self._mean_length)
        return rarity * count * (K1 + 1) / (count + norm)
