"""A model of meaning that knows a few words and their like.

Tests of searching by meaning hand it in for the real one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from research_core.text.embeddings import VECTOR_SIZE
from research_core.text.words import tokenize

#: Words that mean the same to it.
MEANINGS = {
    "car": 0,
    "automobile": 0,
    "vehicle": 0,
    "eel": 1,
    "anguilla": 1,
    "tea": 2,
    "infusion": 2,
}


@dataclass
class Thesaurus:
    """A model that knows a few words and their like; every other word is a direction of its own.
    Counts what it is asked.
    """

    name: str = "thesaurus"
    why: str = ""
    asked: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> Any:
        self.asked += texts
        rows = np.full((len(texts), VECTOR_SIZE), 1e-3, np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in tokenize(text):
                row[MEANINGS.get(word, 10 + sum(word.encode()) % (VECTOR_SIZE - 10))] += (
                    5 if word in MEANINGS else 1
                )
            row /= np.linalg.norm(row)
        return rows

    def load(self) -> None:
        """Nothing to read."""
