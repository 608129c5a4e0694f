"""Amounts with a unit: a unit is a whole word in every script."""

from __future__ import annotations

import pytest

from research_core.text.support.measures import read_measures

#: Amounts with their unit, and words that only begin as a unit does.
UNITS = [
    ("5 городов", frozenset()),
    ("5 г соли", frozenset({"g"})),
    ("12 лодок", frozenset()),
    ("12 л воды", frozenset({"litre"})),
    ("30 milk cartons", frozenset()),
    ("30 ml of milk", frozenset({"ml"})),
    ("7 Tagesordnungspunkte", frozenset()),
    ("7 Tage", frozenset({"day"})),
    ("4 måneder", frozenset()),
    ("9 公斤", frozenset({"kg"})),
    ("8 किमी", frozenset({"km"})),
]


@pytest.mark.parametrize(("text", "units"), UNITS)
def test_a_unit_is_a_whole_word(text: str, units: frozenset[str]) -> None:
    found = read_measures(text)
    assert frozenset().union(*(measure.units for measure in found)) == units
