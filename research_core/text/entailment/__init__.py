"""Measure with a model that the user supplies whether a passage entails a claim.

The setting `ASSAY_ENTAILMENT_MODEL` names an ONNX file. Beside it stand its tokenizer.json (of the
kind Unigram or WordPiece) and its config.json, which says which output means entailment. Nothing is
downloaded, and no code of the model's package runs.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from research_core.errors import SettingsError
from research_core.text.entailment.tokenizer import PairTokenizer, read_tokenizer

#: The most tokens of a passage and a claim together.
MAX_TOKENS = 512
#: Decimals kept of a likelihood, as the last digits differ between processors.
LIKELIHOOD_DIGITS = 3
NEXT_STEP = "Correct ASSAY_ENTAILMENT_MODEL, or remove it to do without the model."


class Entailment(Protocol):
    """A model that compares a passage with a claim."""

    def measure(self, premise: str, claim: str) -> float:
        """Return how likely the passage entails the claim, 0.0 to 1.0, rounded."""


@dataclass(frozen=True)
class OnnxEntailment:
    """The model in this file, read at first use. Methods raise SettingsError if it is unusable."""

    path: Path
    _held: list[Any] = field(default_factory=list, repr=False, compare=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def measure(self, premise: str, claim: str) -> float:
        """Return how likely the passage entails the claim, 0.0 to 1.0, rounded."""
        import numpy as np

        session = self._session()
        ids, types = self.tokenizer.encode_pair(premise, claim, MAX_TOKENS)
        given = {
            "input_ids": np.array([ids], np.int64),
            "attention_mask": np.ones((1, len(ids)), np.int64),
            "token_type_ids": np.array([types], np.int64),
        }
        wanted = [one.name for one in session.get_inputs()]
        unknown = [name for name in wanted if name not in given]
        if unknown:
            raise SettingsError(
                f"The entailment model asks for unknown inputs: {', '.join(unknown)}.",
                next_step=NEXT_STEP,
            )
        outputs = session.run(None, {name: given[name] for name in wanted})[0]
        logits = [float(number) for number in np.asarray(outputs, np.float64).reshape(-1)]
        return round(self._find_likelihood(logits), LIKELIHOOD_DIGITS)

    def _find_likelihood(self, logits: Sequence[float]) -> float:
        """Return the share of entailment among the outputs."""
        if len(logits) == 1:
            return 1 / (1 + math.exp(-max(-30.0, min(30.0, logits[0]))))
        if self.label >= len(logits):
            raise SettingsError(
                f"The entailment model has {len(logits)} outputs; its config.json names more.",
                next_step=NEXT_STEP,
            )
        highest = max(logits)
        shares = [math.exp(number - highest) for number in logits]
        return shares[self.label] / sum(shares)

    @cached_property
    def tokenizer(self) -> PairTokenizer:
        """The tokenizer beside the model."""
        return read_tokenizer(self.path.with_name("tokenizer.json"))

    @cached_property
    def label(self) -> int:
        """The number of the output that means entailment, by config.json."""
        file = self.path.with_name("config.json")
        try:
            config = json.loads(file.read_text(encoding="utf-8"))
            labels = {int(number): str(name) for number, name in config["id2label"].items()}
        except (OSError, ValueError, KeyError, AttributeError) as error:
            raise SettingsError(
                f"The labels of the entailment model cannot be read from {file}.",
                next_step=NEXT_STEP,
            ) from error
        for number, name in sorted(labels.items()):
            if name.casefold() in ("entailment", "entailed", "supported", "consistent"):
                return number
        raise SettingsError(f"{file} has no label “entailment”.", next_step=NEXT_STEP)

    def _session(self) -> Any:
        """Return the runtime session, created at first use."""
        try:
            import_module("numpy")  # for the reason given in `MiniLM._session`
            import onnxruntime
            from onnxruntime.capi import onnxruntime_pybind11_state
        except ImportError as error:
            raise SettingsError(
                f"The entailment model cannot run here: {error}.", next_step=NEXT_STEP
            ) from error
        with self._lock:
            if not self._held:
                if not self.path.is_file():
                    raise SettingsError(f"There is no file {self.path}.", next_step=NEXT_STEP)
                options = onnxruntime.SessionOptions()
                options.intra_op_num_threads = options.inter_op_num_threads = 1
                options.log_severity_level = 3
                # The runtime's errors have no common class of their own.
                errors = tuple(
                    one
                    for one in vars(onnxruntime_pybind11_state).values()
                    if isinstance(one, type) and issubclass(one, Exception)
                )
                try:
                    session = onnxruntime.InferenceSession(
                        str(self.path), options, providers=["CPUExecutionProvider"]
                    )
                except errors as error:
                    raise SettingsError(
                        f"The entailment model {self.path} cannot be loaded.", next_step=NEXT_STEP
                    ) from error
                self._held.append(session)
            return self._held[0]


def find_entailment(path: str) -> Entailment:
    """Return the model of the setting; its file is not read yet."""
    return OnnxEntailment(Path(path).expanduser())
