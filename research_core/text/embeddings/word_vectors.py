"""Look up word vectors in the table shipped with Assay.

"Physician" is near "doctor" without a model. A row is the mean of what all-MiniLM-L6-v2 made of a
word in the sentences it was given (`benchmarks/word_vectors.py`), longer the rarer the word. A word
that is not in the table is composed of its pieces. The table knows English words one by one: no
order, no senses, no numbers.

Made with all-MiniLM-L6-v2 (sentence-transformers, Apache License 2.0) of sentences of WordNet 3.0
(Copyright 2006 by Princeton University, all rights reserved, under the WordNet licence) and of
texts shared for such use; none of these sentences is here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from research_core.text.embeddings.exact import scale_to_unit, sum_rows
from research_core.text.embeddings.wordpiece import UNKNOWN, encode

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

FOLDER, WORDS, ROWS = Path(__file__).parent, "words.txt", "words.npz"
#: Numbers in a row.
ROW_SIZE = 192
#: The length of the row of a composed word, and the most pieces it is composed of.
COMPOSED_LENGTH, MAX_PIECES = 5.5, 32


@dataclass(frozen=True)
class ScaledRows:
    """Rows of ROW_SIZE integers from -127 to 127, and the factor of each row."""

    whole: NDArray[np.int8]
    scales: Vectors

    def at(self, places: Sequence[int]) -> Vectors:
        """Return the rows at these places as float32."""
        chosen = list(places)
        rows: Vectors = self.whole[chosen] * self.scales[chosen][:, None]
        return rows


@dataclass(frozen=True)
class WordTable:
    """Vectors of words and word pieces.

    `places` maps each word to its row; `pieces` has a row for each word piece of `wordpiece`, by
    its number.
    """

    places: Mapping[str, int]
    words: ScaledRows
    pieces: ScaledRows

    def directions(self, words: Sequence[str]) -> Vectors:
        """Return a row for each lower-case word, not normalised.

        The row is zero for a number and for a word with an unknown piece. Every number is a
        multiple of 2**-25, as `sum_rows` requires.
        """
        import numpy as np

        rows = np.zeros((len(words), ROW_SIZE), np.float32)
        known = [number for number, word in enumerate(words) if word in self.places]
        rows[known] = self.words.at([self.places[words[number]] for number in known])
        for number, word in enumerate(words):
            if word not in self.places:
                rows[number] = self._compose(word)
        return rows

    def _compose(self, word: str) -> Vectors:
        """Return the row of a word that is composed of its pieces, zeros for a number."""
        import numpy as np

        pieces = [] if word[:1].isdigit() else encode(word, MAX_PIECES)[1:-1]
        if UNKNOWN in pieces:
            pieces = []
        summed = sum_rows(self.pieces.at(pieces))
        row: Vectors = scale_to_unit(summed)[0] * np.float32(COMPOSED_LENGTH)
        return row


@cache
def load_shipped_table() -> WordTable:
    """Return the table shipped with Assay, read at first use."""
    return read_table(FOLDER)


def read_table(folder: Path) -> WordTable:
    """Read a table from a folder."""
    import numpy as np

    listed = (folder / WORDS).read_text(encoding="utf-8").split("\n")[:-1]
    places = {word: number for number, word in enumerate(listed)}
    with np.load(folder / ROWS) as arrays:
        words = ScaledRows(arrays["words"], arrays["words_scales"].astype(np.float32))
        pieces = ScaledRows(arrays["pieces"], arrays["pieces_scales"].astype(np.float32))
    return WordTable(places, words, pieces)


def write_table(folder: Path, listed: Sequence[str], words: Vectors, pieces: Vectors) -> None:
    """Write a table to a folder; `words` and `pieces` are rows of ROW_SIZE numbers."""
    import numpy as np

    arrays = {}
    for name, rows in (("words", words), ("pieces", pieces)):
        scales = (np.abs(rows).max(axis=1) / 127).astype(np.float16)
        divisors = np.maximum(scales.astype(np.float32), 1e-6)[:, None]
        arrays[name] = np.rint(rows / divisors).clip(-127, 127).astype(np.int8)
        arrays[f"{name}_scales"] = scales
    (folder / WORDS).write_text("".join(f"{word}\n" for word in listed), encoding="utf-8")
    np.savez(folder / ROWS, **arrays)
