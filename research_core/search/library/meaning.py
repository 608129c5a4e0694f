"""Embed a library's passages, store the vectors, and compare them with a query's.

Without the model, or before the whole library is embedded, it is searched by words alone, and
`EmbeddingState.sentence` says why. `index` fuses this ranking with that of words. Title and passage
are embedded together, since a passage alone often does not name its subject.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from research_core.i18n import _, format_number, ngettext
from research_core.search.library.passages import PASSAGE_SIZE, split_passages
from research_core.search.library.shelf import Document, Shelf
from research_core.text.embeddings import COSINE_DIGITS, VECTOR_SIZE, Embedder
from research_core.text.embeddings.exact import cosines, scale_to_unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

#: Increment if passages are cut or composed differently; part of the name of stored vectors.
VERSION = 1
#: The rest of a longer document is found by words only: about 280,000 characters.
MAX_PASSAGES = 400
#: Passages a second on one core of the measured machine, to estimate the duration.
SECONDS_PER_PASSAGE = 25.0
OnEmbedded = Callable[[int, int, str], None]


@dataclass(frozen=True)
class EmbeddingState:
    """How much of a library is embedded.

    why: the sentence why there is no model, or ""; missing: documents not embedded yet; seconds:
    about how long embedding them takes.
    """

    why: str
    documents: int
    missing: int
    seconds: float

    @property
    def on(self) -> bool:
        return not self.why and self.documents > 0 and not self.missing

    def sentence(self) -> str:
        """Say in one line how this library is searched, and why."""
        if self.on:
            return _("Searched by words and meaning.")
        if self.why:
            # late: a library that is searched by meaning needs none
            from research_core.web.failure_texts import translate_failure

            why = translate_failure(self.why)
            return _("Searched by words only. {reason}").format(reason=why)
        if not self.documents:
            return _("No documents yet.")
        return ngettext(
            "Searched by words only. {count} document is not indexed by meaning yet ({time}).",
            "Searched by words only. {count} documents are not indexed by meaning yet ({time}).",
            self.missing,
        ).format(count=format_number(self.missing), time=format_duration(self.seconds))


def format_duration(seconds: float) -> str:
    """Describe a duration in words, to the minute."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return _("less than a minute")
    text = ngettext("about {count} minute", "about {count} minutes", minutes)
    return text.format(count=minutes)


def name_model(embedder: Embedder) -> str:
    """Return the name under which the model's vectors are stored."""
    return f"{embedder.name}/{VERSION}"


def read_state(shelf: Shelf | None, embedder: Embedder, documents: int) -> EmbeddingState:
    """Return how much of this library is embedded; documents: how many it holds."""
    if embedder.why or shelf is None:
        return EmbeddingState(embedder.why, documents, documents, 0.0)
    missing = shelf.list_unembedded(name_model(embedder))
    passages = sum(min(size / PASSAGE_SIZE + 1, MAX_PASSAGES) for _, size in missing)
    return EmbeddingState("", documents, len(missing), passages / SECONDS_PER_PASSAGE)


def embed_new(
    shelf: Shelf,
    embedder: Embedder,
    heard: OnEmbedded | None = None,
    *,
    within_s: float | None = None,
    go_on: Callable[[], bool] = lambda: True,
) -> int:
    """Embed new documents, storing each when done, and return how many are left.

    within_s: start no further document after so long; go_on: asked before each document.
    """
    model, began = name_model(embedder), time.monotonic()
    missing = [url for url, _ in shelf.list_unembedded(model)]
    for n, url in enumerate(missing, 1):
        if not go_on() or (within_s is not None and time.monotonic() - began > within_s):
            return len(missing) - n + 1
        held = shelf.read(url)
        if held is not None:
            new = Document(url, held["title"], held["text"], held["kind"])
            there = shelf.vectors(model, [new.key]).get(new.key)
            shelf.store_vectors(
                new, model, _embed_document(new, embedder) if there is None else there
            )
        if heard:
            heard(n, len(missing), held["title"] if held else url)
    return 0


def _embed_document(document: Document, embedder: Embedder) -> bytes:
    import numpy as np

    texts = [
        f"{document.title}. {document.text[start:end]}"
        for start, end in list(split_passages(document.text))[:MAX_PASSAGES]
    ]
    return bytes(embedder.embed(texts).astype(np.float16).tobytes()) if texts else b""


class Vectors:
    """The vectors of one library's passages in memory, 1.5 kB each.

    Not thread-safe: the owner holds a lock around it.
    """

    def __init__(self) -> None:
        self._model = ""
        self._held: dict[str, Matrix] = {}
        self._order: tuple[str, ...] = ()
        self._matrix: Matrix | None = None
        self._starts: list[int] = []

    def find_closest(
        self, shelf: Shelf, model: str, query: Matrix, keys: Mapping[int, str], depth: int
    ) -> dict[int, tuple[float, int]] | None:
        """Return document id -> (cosine, number from 0) of the closest passages.

        At least `depth` documents, more if the last ones tie; None while any document's vectors are
        missing. keys: document id -> vector key, for each document of the library.
        """
        import numpy as np

        ids = sorted(keys)
        if (
            not self._load_missing(shelf, model, tuple(keys[id] for id in ids))
            or self._matrix is None
        ):
            return None
        # Rounded, because what the model gives differs a little from processor to processor.
        near = np.round(cosines(self._matrix, scale_to_unit(query[None]))[:, 0], COSINE_DIGITS)
        ends = [*self._starts[1:], len(near)]
        # Only documents with passages: reduceat() would take the next one's for an empty one.
        full = [n for n, start in enumerate(self._starts) if ends[n] > start]
        if not full:
            return {}
        best = np.maximum.reduceat(near, [self._starts[n] for n in full])
        least = np.sort(best)[-min(depth, len(best))]
        chosen: dict[int, tuple[float, int]] = {}
        for n, cosine in zip(full, best, strict=True):
            if cosine >= least:
                passage = near[self._starts[n] : ends[n]].argmax()
                chosen[ids[n]] = (float(cosine), int(passage))
        return chosen

    def _load_missing(self, shelf: Shelf, model: str, order: tuple[str, ...]) -> bool:
        """Load new vectors; return False if any are missing."""
        import numpy as np

        if model != self._model:
            self._model = model
            self._held = {}
            self._order = ()
            self._matrix = None
        if order == self._order and self._matrix is not None:
            return True
        known = dict(self._held)
        for key, body in shelf.vectors(model, set(order) - set(known)).items():
            stored = np.frombuffer(body, np.float16)
            known[key] = stored.astype(np.float32).reshape(-1, VECTOR_SIZE)
        if not all(key in known for key in order):
            return False
        rows = [known[key] for key in order]
        self._matrix = np.concatenate([np.empty((0, VECTOR_SIZE), np.float32), *rows])
        self._starts = np.cumsum([0, *map(len, rows)])[:-1].tolist()
        self._held = {
            key: self._matrix[start : start + len(row)]
            for key, start, row in zip(order, self._starts, rows, strict=True)
        }
        self._order = order
        return True
