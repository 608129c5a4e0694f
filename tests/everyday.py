"""Choose the cases of a table that run every day; the others run only with --full."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import settings

#: Examples of a property each of which takes a whole run or writes a whole pack of files.
FEW = 8
#: A profile with at least this many examples is that of the full suite: it is left as it is.
FULL = 200


def mark_first_everyday(values: Iterable[Any], count: int = 1) -> list[Any]:
    """Return the values as parameters; all after the first `count` are marked `full`."""
    return [_case((value,), number < count) for number, value in enumerate(values)]


def mark_first_rows_everyday(rows: Iterable[Sequence[Any]], count: int = 1) -> list[Any]:
    """Do the same for tests of several arguments: each row holds one value for each of them."""
    return [_case(row, number < count) for number, row in enumerate(rows)]


def _case(row: Sequence[Any], everyday: bool) -> Any:
    return pytest.param(*row, marks=() if everyday else pytest.mark.full)


def costly_examples() -> settings:
    """Return settings for a property with costly examples: few every day, all in the full suite."""
    usual = settings().max_examples
    return settings(max_examples=usual if usual >= FULL else min(FEW, usual))


def mark_nth_everyday(values: Iterable[Any], step: int) -> list[Any]:
    """Return the values as parameters; all but every `step`th are marked `full`."""
    return [_case((value,), number % step == 0) for number, value in enumerate(values)]
