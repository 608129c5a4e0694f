"""No filter of a search is ignored without a word, whatever its value: it changes what is asked, or
the answer tells that it did not.

That a row goes by each parameter that it names at all is in test_contract; here each value of it is
tried (defect 4 of the facts).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from research_core.search.providers import KINDS, select_rows
from tests.contracts import Case
from tests.search.providers.test_contract import CASES, outcome

SPANS = ("hour", "day", "week", "month", "year")
COLORS = (
    "black",
    "blue",
    "brown",
    "gray",
    "green",
    "orange",
    "pink",
    "purple",
    "red",
    "teal",
    "white",
    "yellow",
)
#: The values of the specification, or a few of them where they are many.
VALUES: dict[str, tuple[str, ...]] = {
    "time_range": SPANS,
    "sort_by": ("date",),
    "country": ("us", "gb", "de", "jp", "br", "li"),
    "language": ("en", "de", "fr", "ja", "pt"),
    "size": ("huge", "icon", "large", "medium", "small", "xlarge", "xxlarge"),
    "type": ("clipart", "face", "lineart", "stock", "photo", "animated"),
    "color_type": ("color", "gray", "mono", "trans"),
    "dominant_color": COLORS,
    "file_type": ("jpg", "gif", "png", "bmp", "svg", "webp"),
}
STRICT = {"web": ("off", "high"), "news": ("off", "strict"), "images": ("off", "high")}
TRIED = {(case.name, case.kind): case for case in CASES if case.kind in STRICT}
each_row = pytest.mark.parametrize("case", TRIED.values(), ids=lambda case: case.id)


def asked(case: Case, **given: str) -> Any:
    """What is asked of the service and found with these parameters alone."""
    usual = KINDS[case.kind].query(case.query.text)
    return outcome(replace(case, query=replace(usual, **given)), case.answers)


def told(case: Case, **given: str) -> set[str]:
    """Those of these parameters that the answer names as ignored."""
    (row,) = select_rows([case.name], case.kind)
    query = replace(KINDS[case.kind].query(case.query.text), **given)
    return {name for name in given if name not in row.honours or name in row.beyond(query)}


@each_row
def test_every_value_changes_what_is_asked_or_is_told(case: Case) -> None:
    fields = KINDS[case.kind].query.__dataclass_fields__
    for name, values in VALUES.items():
        for value in values if name in fields else ():
            assert asked(case, **{name: value}) != asked(case) or told(case, **{name: value}), (
                f"{name}={value}"
            )


@each_row
def test_two_spans_ask_for_two_things_unless_one_is_told(case: Case) -> None:
    for one, other in combinations(
        SPANS if "time_range" in KINDS[case.kind].query.__dataclass_fields__ else (), 2
    ):
        same = asked(case, time_range=one) == asked(case, time_range=other)
        assert not same or told(case, time_range=one) or told(case, time_range=other), (one, other)


@each_row
def test_safe_search_is_switched_off_or_told(case: Case) -> None:
    off, on = STRICT[case.kind]
    assert asked(case, safe=off) != asked(case, safe=on) or told(case, safe=off)
