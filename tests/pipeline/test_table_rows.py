"""The tables of a writer: each citation stays in its cell."""

from __future__ import annotations

import pytest

from research_core.pipeline import draft
from research_core.pipeline.synthesize import clean_body
from research_core.pipeline.table_rows import tidy_tables

ONE, TWO = "p00000001", "p00000002"
HEAD = "## Main Findings\n\n| Kind | One | Two | Source |\n|---|---|---|---|\n"
#: A row, and the citations of each of its cells.
ROWS = {
    "marks in their cells": (f"| A | 40 EUR [{ONE}] | 60 EUR [{TWO}] |", ((), (ONE,), (TWO,))),
    "full stops": (f"| A | 40 EUR. [{ONE}] | 60 EUR [{TWO}]. |", ((), (ONE,), (TWO,))),
    "marks first": (f"| A | [{ONE}] 40 EUR | [{TWO}] 60 EUR |", ((), (ONE,), (TWO,))),
    "two marks": (f"| Größe | 40 €[{ONE}, {TWO}] | 60 € |", ((), (ONE, TWO), ())),
    "no bar at the end": (f"| A | 40 EUR [{ONE}] | 60 EUR [{TWO}]", ((), (ONE,), (TWO,))),
    "no outer bars": (f"大きさ | 40 [{ONE}] | 60 [{TWO}]", ((), (ONE,), (TWO,))),
    "an escaped bar at the end": (f"| A | 40 [{ONE}] | 60 \\|", ((), (ONE,), ())),
    "a column that repeats": (
        f"| A | 40 EUR [{ONE}] | 60 EUR [{TWO}] | [{ONE}] [{TWO}] |",
        ((), (ONE,), (TWO,), ()),
    ),
    "a column of marks": (f"| A | 40 EUR | 60 EUR | [{ONE}] |", ((ONE,),)),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_citation_stays_in_its_cell(name: str) -> None:
    row, citations = ROWS[name]
    text = tidy_tables(clean_body(f"{HEAD}{row}\n\nAfter it.", finish="stop"))
    *_, table, after = draft.parse(text)
    assert table.kind == "table"
    assert tuple(cell.citations for cell in table.sentences) == citations
    assert (after.kind, after.sentences[0].text) == ("paragraph", "After it.")
    assert tidy_tables(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "A | B",
        "A bar | in a text.\n\n---\n\nMore | text.",
        "- one | two\n- three | four",
        "## Heading\n---|---\nx",
        "",
        "|---|---|",
    ],
)
def test_what_is_no_table_stays_as_it_is(text: str) -> None:
    assert tidy_tables(text) == text
