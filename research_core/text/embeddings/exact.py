"""Cosines that are the same on every processor and in every batch.

A sum of rounded products depends on the order of the additions, and that order depends on the
processor (each has its own BLAS kernel) and on the shape of the batch. Here nothing is rounded
while adding: `scale_to_unit` keeps every number as a multiple of 2**-24, so a product of two is a
multiple of 2**-48, and a float64 holds every partial sum of such products exactly. An exact sum is
the same in any order, with or without fused multiply-add, so numpy may use any kernel.

Rounding the result instead would only make a difference rare: two values that differ in their last
bit may lie on both sides of the boundary between two decimals. What goes in must be the same, of
course: this module cannot make up for a model whose rows differ from processor to processor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Cosines = NDArray[np.float64]

#: The longest row: the squares of this many numbers of `_WHOLE` bits add up exactly.
MOST_NUMBERS = 512
_WHOLE, _UNIT = 22, 24
#: Rows multiplied at a time, so that their float64 copies stay in the cache.
_BLOCK = 512


def scale_to_unit(rows: NDArray[np.floating]) -> Vectors:
    """Scale each row to length 1, its numbers rounded to multiples of 2**-24. Zeros stay zeros.

    A row has at most MOST_NUMBERS numbers. The result is exact in float32, and each number is
    within 2e-7 of the true one.
    """
    import numpy as np

    if rows.shape[1] > MOST_NUMBERS:
        raise ValueError(f"A row of {rows.shape[1]} numbers is too long to be added up exactly.")
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    exponents = np.frexp(largest)[1]
    # Whole numbers of at most 22 bits, whose squares a float64 adds up exactly.
    whole = np.rint(np.ldexp(rows.astype(np.float64), _WHOLE - exponents))
    lengths = np.sqrt((whole**2).sum(axis=1, keepdims=True))
    multiples = np.rint(whole / np.maximum(lengths, 1.0) * 2.0**_UNIT)
    unit: Vectors = np.ldexp(multiples, -_UNIT).astype(np.float32)
    return unit


def cosines(rows: Vectors, others: Vectors) -> Cosines:
    """Return the product of each of the rows (down) with each of the others (across).

    Both come from `scale_to_unit`, or from it by way of float16, which holds only multiples of
    2**-24.
    """
    import numpy as np

    columns = others.astype(np.float64).T
    found = np.empty((len(rows), len(others)), np.float64)
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK].astype(np.float64)
        found[start : start + _BLOCK] = block @ columns
    return found
