"""Cosines are the same on every processor and in every batch, and so is what is decided by them."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text.embeddings.exact import MOST_NUMBERS, cosines, scale_to_unit

#: Prints digests of what a process computes, and of a control that adds in float32.
PROGRAM = """
import hashlib
import json
import numpy as np
from research_core.text.embeddings import VECTOR_SIZE
from research_core.text.embeddings.exact import cosines, scale_to_unit
from research_core.search.library.meaning import Vectors
from research_core.text import stance, topic_match


class Shelf:
    def vectors(self, model, keys):
        return {key: stored[int(key)].astype(np.float16).tobytes() for key in keys}


def digest(numbers):
    return hashlib.sha256(np.asarray(numbers, np.float64).tobytes()).hexdigest()


drawn = np.random.default_rng(7).integers(-2000, 2000, size=(600, VECTOR_SIZE)).astype(np.float32)
stored = scale_to_unit(drawn).reshape(100, 6, VECTOR_SIZE)
query = drawn[3] + drawn[590]
close = Vectors().find_closest(Shelf(), "m", query, {number: str(number) for number in range(100)}, 30)
unit = scale_to_unit(drawn)
batches = [cosines(unit[:count], unit[40:count]) for count in (41, 64, 333, 600)]
row = dict.fromkeys(topic_match.load_weights()["words"]["weights"], 0.1) | {"lacking": 0.0}
chances = [topic_match.estimate_chance({**row, "close": step / 4000}) for step in range(4000)]
features = dict.fromkeys(stance.FEATURES, 0.1)
weights = stance.load_weights()["both"]
leans = [
    stance.compute_lean({**features, "shared": step / 1000}, weights) for step in range(1, 4000)
]
print(json.dumps({
    "chances": digest(chances),
    "leans": digest(leans),
    "units": digest(scale_to_unit(drawn)),
    "batches": [digest(batch) for batch in batches],
    "close": {str(number): [cosine.hex(), passage] for number, (cosine, passage) in close.items()},
    "control": digest(drawn[:50] @ drawn[50:90].T),
}))
"""
#: The environment of a process, by which OpenBLAS, numpy and the C library behave as on another
#: processor.
PROCESSORS: list[dict[str, str]] = [
    {},
    {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": "AVX512_SPR AVX512_ICL X86_V4"},
    {
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": "AVX512_SPR AVX512_ICL X86_V4 X86_V3",
    },
    {
        "OPENBLAS_CORETYPE": "Prescott",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-AVX2_Usable,-FMA_Usable",
    },
]


@pytest.mark.full
@pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"),
    reason="these kernels are those of x86 processors",
)
def test_every_processor_computes_the_same_to_the_last_bit() -> None:
    root = Path(__file__).parents[2]
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            cwd=root,
            env={**os.environ, **changed},
            stdout=subprocess.PIPE,
        )
        for changed in PROCESSORS
    ]
    printed: list[dict[str, Any]] = [
        json.loads(process.communicate(timeout=120)[0]) for process in started
    ]
    controls = [found.pop("control") for found in printed]
    assert any(control != controls[0] for control in controls), (
        "the kernels do not differ here, so nothing is tested"
    )
    first, *others = printed
    for name, expected in first.items():
        assert [found[name] == expected for found in others] == [True] * len(others), name


def test_a_cosine_does_not_depend_on_the_batch() -> None:
    rows = scale_to_unit(np.random.default_rng(1).normal(size=(1300, 384)))
    whole = cosines(rows, rows[:70])
    for count in (1, 2, 3, 5, 17, 64, 511, 512, 513, 1300):
        assert np.array_equal(cosines(rows[:count], rows[:70]), whole[:count])
        assert np.array_equal(cosines(rows[-count:], rows[:1]), whole[-count:, :1])
    assert cosines(rows[:0], rows).shape == (0, 1300)


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=MOST_NUMBERS))
def test_a_unit_row_has_length_one_and_the_direction_it_had(numbers: list[float]) -> None:
    row = np.array([numbers], np.float32)
    unit = scale_to_unit(row)
    length = float(np.linalg.norm(row.astype(np.float64)))
    if length == 0.0:
        assert not unit.any()
        return
    assert np.abs(unit[0] - row[0].astype(np.float64) / length).max() < 3e-7
    assert np.array_equal(np.rint(unit * 2.0**24), unit * 2.0**24)
    assert float(cosines(unit, unit)[0, 0]) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_zeros_have_no_direction_and_a_longer_row_is_refused(dtype: Any) -> None:
    assert not scale_to_unit(np.zeros((2, 5), dtype)).any()
    assert scale_to_unit(np.zeros((0, 5), dtype)).shape == (0, 5)
    with pytest.raises(ValueError, match="513 numbers"):
        scale_to_unit(np.zeros((1, MOST_NUMBERS + 1), dtype))


def test_vectors_kept_as_float16_are_multiplied_exactly() -> None:
    kept = (
        scale_to_unit(np.random.default_rng(2).normal(size=(40, 384)))
        .astype(np.float16)
        .astype(np.float32)
    )
    exact = [
        [
            sum(int(a * 2**24) * int(b * 2**24) for a, b in zip(one, other, strict=True))
            for other in kept[:5]
        ]
        for one in kept
    ]
    assert cosines(kept, kept[:5]).tolist() == [
        [number * 2.0**-48 for number in row] for row in exact
    ]
