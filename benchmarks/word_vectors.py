"""Make the table of what words mean that comes with Assay: `python benchmarks/word_vectors.py
[--wordnet /usr/share/wordnet]`.

It has all-MiniLM-L6-v2 (the extra `semantic`) read sentences, gives each word the mean of what the
model made of it wherever it stood, and has it read each word piece alone, for words that stood
nowhere. What is left needs no model: `research_core/text/embeddings/words.npz`. Read are the
definitions and examples of WordNet 3.0 (Debian: `wordnet-base`) and, of the shared halves, the
texts of sets that may be used for more than measuring; no judgement of a person goes in. About 15
minutes.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.results import shared
from research_core.text import embeddings
from research_core.text.embeddings import word_vectors
from research_core.text.embeddings.wordpiece import END, START, VOCABULARY, encode
from research_core.text.sentences import find_sentences
from research_core.text.similarity import rarity
from research_core.text.words import tokenize

#: Texts that are read, by folder and set; sets marked there as for measuring only (MEDIQA,
#: AttributionBench) are not.
READ = (
    *(("relevance", name) for name in ("medquad_liveqa", "trecqa_wang", "noveleval")),
    *(("citation", name) for name in ("healthver", "climatefever", "wice")),
)
SHORTEST, LONGEST, PIECES, PROCESSES, AT_ONCE = 20, 600, 126, 2, 500
#: A word that was read fewer times has no row; one that was read more often weighs no more where
#: directions are chosen.
SEEN, OFTEN = 3, 50

Array = Any


def definitions(folder: Path) -> Iterator[str]:
    """WordNet's synsets as "word, word: definition; "example""."""
    for kind in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{kind}").read_text(encoding="latin-1").splitlines():
            if not line.startswith("  "):
                head, gloss = line.split(" | ", 1)
                parts = head.split()
                named = (
                    re.sub(r"\(\w+\)$", "", parts[4 + 2 * place]).replace("_", " ")
                    for place in range(int(parts[3], 16))
                )
                yield f"{', '.join(named)}: {gloss.strip()}"


def told(data: Path) -> Iterator[str]:
    """The texts of the rows that are read, and the questions, or claims, they were judged for."""
    for folder, name in READ:
        for line in (data / folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["split"] == "share":
                asked = row.get("question") or row["claim"]
                held = row.get("text") or row.get("evidence_sentences") or row["evidence"]
                yield asked
                yield (held if isinstance(held, str) else " ".join(map(str, held))).replace(
                    "<num>", "12"
                )


def cut(texts: Iterable[str]) -> list[str]:
    """Their sentences, each once, in order of the alphabet."""
    found = {text[start:end].strip() for text in texts for start, end in find_sentences(text)}
    return sorted(each for each in found if SHORTEST < len(each) < LONGEST)


def read(some: Sequence[str]) -> tuple[list[str], Array]:
    """(the words of the sentences, a row for each as the model has it there, of length 1)."""
    session = embeddings.find_embedder()._session()  # type: ignore[attr-defined]
    named, parts = [], []
    for sentence in some:
        pieces: list[int] = []
        spans = []
        for word in tokenize(sentence):
            found = encode(word, PIECES)[1:-1]
            if len(pieces) + len(found) > PIECES:
                break
            spans.append((word, len(pieces) + 1, len(pieces) + 1 + len(found)))
            pieces += found
        rows = _asked(session, pieces)
        kept = [
            (word, rows[start:end].mean(0))
            for word, start, end in spans
            if end > start and not word[0].isdigit()
        ]
        named += [word for word, _ in kept]
        parts += [row for _, row in kept]
    return named, _long(np.array(parts, np.float32).reshape(-1, embeddings.VECTOR_SIZE))


def _asked(session: Any, pieces: Sequence[int]) -> Array:
    """A row for each piece and the two marks around them."""
    given = np.array([[START, *pieces, END]], np.int64)
    return session.run(
        None,
        {
            "input_ids": given,
            "attention_mask": np.ones_like(given),
            "token_type_ids": np.zeros_like(given),
        },
    )[0][0]


def observed(every: Sequence[str]) -> tuple[dict[str, Array], dict[str, int]]:
    """(the sum of what the model made of each word, how often it was read)."""
    sums: dict[str, Array] = {}
    counts: dict[str, int] = {}
    with ProcessPoolExecutor(PROCESSES) as pool:
        for named, parts in pool.map(
            read, [every[at : at + AT_ONCE] for at in range(0, len(every), AT_ONCE)]
        ):
            for word, part in zip(named, parts, strict=True):
                sums[word] = (
                    sums[word] + part if word in sums else part.copy()
                )  # a row of its own, or it holds on to all of them
                counts[word] = counts.get(word, 0) + 1
    return sums, counts


def averaged(sums: dict[str, Array], counts: dict[str, int]) -> tuple[list[str], Array]:
    """The words that have a row, and the row of each: its mean, less that of all words, as long as
    the word is rare.
    """
    mean = sum(sums.values()) / sum(counts.values())
    kept = sorted(word for word in sums if counts[word] >= SEEN and len(word) > 1)
    rows = _long(np.array([sums[word] / counts[word] - mean for word in kept], np.float32))
    return kept, rows * np.array([[rarity(word)] for word in kept], np.float32)


def pieces() -> Array:
    """A row for each word piece, as the model has it by itself, less the mean of all."""
    session = embeddings.find_embedder()._session()  # type: ignore[attr-defined]
    rows = np.vstack(
        [
            _asked(session, [number]).mean(0)
            for number in range(len(VOCABULARY.read_text(encoding="utf-8").split("\n")) - 1)
        ]
    )
    rows = _long(rows)
    return _long(rows - rows.mean(0))


def turned(rows: Array, counts: Sequence[int], others: Array) -> tuple[Array, Array]:
    """Both in the `words.SIZE` directions in which the rows differ most, often read words weighing
    more.
    """
    even = _long(rows)
    most = np.linalg.eigh((even * np.minimum(counts, OFTEN)[:, None]).T @ even)[1][
        :, : -word_vectors.ROW_SIZE - 1 : -1
    ]
    return rows @ most, others @ most


def _long(rows: Array) -> Array:
    return (rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9)).astype(np.float32)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    given = options.parse_args()
    every = cut([*definitions(given.wordnet), *told(shared("relevance").parent)])
    print(f"{len(every):,} sentences")
    sums, counts = observed(every)
    kept, rows = averaged(sums, counts)
    word_vectors.write_table(
        word_vectors.FOLDER, kept, *turned(rows, [counts[word] for word in kept], pieces())
    )
    print(f"{len(kept):,} words")


if __name__ == "__main__":
    main()
