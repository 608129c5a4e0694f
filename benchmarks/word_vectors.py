"""Make the table of word meanings that comes with Assay, `text/embeddings/words.npz`.

    python benchmarks/word_vectors.py [--wordnet /usr/share/wordnet]

Needs about 15 minutes. Data: definitions and examples of WordNet 3.0
(Debian: `wordnet-base`), and the texts of the shared halves of sets that may be used for more than
measuring; no judgement of a person goes in. all-MiniLM-L6-v2 embeds the sentences, and a word's
vector is the mean of what the model made of it wherever it stood. The model also embeds each word
piece alone, for words that are in no sentence. The table needs no model. Prints the counts.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.inputs import find_shared_folder, make_parser, read_json_lines
from research_core.text import embeddings
from research_core.text.embeddings import word_vectors
from research_core.text.embeddings.wordpiece import END, START, VOCABULARY, encode
from research_core.text.sentences import find_sentences
from research_core.text.similarity import rarity
from research_core.text.words import tokenize

#: The sets whose texts are embedded, by folder. Sets that may be used for measuring only (MEDIQA,
#: AttributionBench) are left out.
TEXT_SETS = (
    "relevance/medquad_liveqa",
    "relevance/trecqa_wang",
    "relevance/noveleval",
    "citation/healthver",
    "citation/climatefever",
    "citation/wice",
)
#: Sentences of this many characters or fewer, or of so many or more, are left out.
MAX_TOO_SHORT = 20
MIN_TOO_LONG = 600
#: Word pieces of a sentence that the model takes, besides the two marks around them.
MAX_PIECES = 126
PROCESSES = 2
SENTENCES_PER_TASK = 500
#: A word that was embedded fewer times has no row.
MIN_COUNT = 3
#: A word that was embedded more often weighs no more when directions are chosen.
MAX_WEIGHT = 50

Array = Any


class WordRows(NamedTuple):
    """Words, and an array with a row for each."""

    words: list[str]
    rows: Array


# -- sentences -------------------------------------------------------------------------------------


def iter_definitions(folder: Path) -> Iterator[str]:
    """Yield WordNet's synsets as `word, word: definition; "example"`."""
    for kind in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{kind}").read_text(encoding="latin-1").splitlines():
            if line.startswith("  "):  # the licence
                continue
            head, gloss = line.split(" | ", 1)
            fields = head.split()
            # From the fifth field on, every other one is a word; the fourth is their hex count.
            words = []
            for number in range(int(fields[3], 16)):
                word = re.sub(r"\(\w+\)$", "", fields[4 + 2 * number])
                words.append(word.replace("_", " "))
            yield f"{', '.join(words)}: {gloss.strip()}"


def iter_texts(data: Path) -> Iterator[str]:
    """Yield the texts of the shared halves, and the questions or claims they were judged for."""
    for name in TEXT_SETS:
        for row in read_json_lines(data / f"{name}.jsonl"):
            if row["split"] != "share":
                continue
            yield row.get("question") or row["claim"]
            text = row.get("text") or row.get("evidence_sentences") or row["evidence"]
            if not isinstance(text, str):
                text = " ".join(map(str, text))
            yield text.replace("<num>", "12")  # TREC-QA prints it for every number


def split_sentences(texts: Iterable[str]) -> list[str]:
    """Return the sentences of the texts, each once, sorted."""
    sentences = set()
    for text in texts:
        for start, end in find_sentences(text):
            sentence = text[start:end].strip()
            if MAX_TOO_SHORT < len(sentence) < MIN_TOO_LONG:
                sentences.add(sentence)
    return sorted(sentences)


# -- embedding -------------------------------------------------------------------------------------


def embed_words(sentences: Sequence[str]) -> WordRows:
    """Return the words of the sentences with their vectors there, of length 1."""
    session = embeddings.find_embedder()._session()  # type: ignore[attr-defined]
    words = []
    rows = []
    for sentence in sentences:
        pieces: list[int] = []
        spans = []
        for word in tokenize(sentence):
            word_pieces = encode(word, MAX_PIECES)[1:-1]
            if len(pieces) + len(word_pieces) > MAX_PIECES:
                break
            start = len(pieces) + 1  # after the mark of the beginning
            spans.append((word, start, start + len(word_pieces)))
            pieces += word_pieces
        piece_rows = _run_model(session, pieces)
        for word, start, end in spans:
            if end > start and not word[0].isdigit():
                words.append(word)
                rows.append(piece_rows[start:end].mean(0))
    array = np.array(rows, np.float32).reshape(-1, embeddings.VECTOR_SIZE)
    return WordRows(words, _normalise(array))


def _run_model(session: Any, pieces: Sequence[int]) -> Array:
    """Return a row for each piece and for the two marks around them."""
    ids = np.array([[START, *pieces, END]], np.int64)
    inputs = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
    }
    return session.run(None, inputs)[0][0]


def sum_by_word(sentences: Sequence[str]) -> tuple[dict[str, Array], dict[str, int]]:
    """Return the sum of each word's vectors, and how many there were."""
    tasks = []
    for start in range(0, len(sentences), SENTENCES_PER_TASK):
        tasks.append(sentences[start : start + SENTENCES_PER_TASK])
    sums: dict[str, Array] = {}
    counts: dict[str, int] = {}
    with ProcessPoolExecutor(PROCESSES) as pool:
        for words, rows in pool.map(embed_words, tasks):
            for word, row in zip(words, rows, strict=True):
                # A copy, because a row would keep the array of the whole task in memory.
                sums[word] = sums[word] + row if word in sums else row.copy()
                counts[word] = counts.get(word, 0) + 1
    return sums, counts


def average_words(sums: dict[str, Array], counts: dict[str, int]) -> WordRows:
    """Return the words that have a row, and their rows.

    A row is the word's mean less that of all words, and as long as the word is rare.
    """
    mean = sum(sums.values()) / sum(counts.values())
    words = sorted(word for word in sums if counts[word] >= MIN_COUNT and len(word) > 1)
    rows = np.array([sums[word] / counts[word] - mean for word in words], np.float32)
    lengths = np.array([[rarity(word)] for word in words], np.float32)
    return WordRows(words, _normalise(rows) * lengths)


def embed_pieces() -> Array:
    """Return a row for each word piece, embedded alone, less the mean of all."""
    session = embeddings.find_embedder()._session()  # type: ignore[attr-defined]
    pieces = len(VOCABULARY.read_text(encoding="utf-8").split("\n")) - 1
    rows = _normalise(np.vstack([_run_model(session, [piece]).mean(0) for piece in range(pieces)]))
    return _normalise(rows - rows.mean(0))


def reduce_dimensions(rows: Array, counts: Sequence[int], others: Array) -> tuple[Array, Array]:
    """Return both arrays in the `word_vectors.ROW_SIZE` directions in which `rows` differ most.

    counts: how often each word was embedded, which is its weight.
    """
    directions = _normalise(rows)
    weights = np.minimum(counts, MAX_WEIGHT)[:, None]
    eigenvectors = np.linalg.eigh((directions * weights).T @ directions)[1]
    # In order of their eigenvalues; the last are the strongest.
    strongest = eigenvectors[:, : -word_vectors.ROW_SIZE - 1 : -1]
    return rows @ strongest, others @ strongest


def _normalise(rows: Array) -> Array:
    """Return the rows with length 1."""
    return (rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9)).astype(np.float32)


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    options = parser.parse_args()
    data = find_shared_folder("relevance").parent
    sentences = split_sentences([*iter_definitions(options.wordnet), *iter_texts(data)])
    print(f"{len(sentences):,} sentences")
    sums, counts = sum_by_word(sentences)
    words, rows = average_words(sums, counts)
    word_counts = [counts[word] for word in words]
    tables = reduce_dimensions(rows, word_counts, embed_pieces())
    word_vectors.write_table(word_vectors.FOLDER, words, *tables)
    print(f"{len(words):,} words")


if __name__ == "__main__":
    main()
