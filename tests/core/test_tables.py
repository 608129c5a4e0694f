"""Rows of cells as Markdown pipe tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.web.tables import pipe_table


@pytest.mark.parametrize(
    ("rows", "table"),
    [
        ([["Mark", "Offset"], ["A", "14.2"]], "| Mark | Offset |\n|---|---|\n| A | 14.2 |"),
        ([["a", "b", "c"], ["d"]], "| a | b | c |\n|---|---|---|\n| d |  |  |"),
        ([["a", "", "b"], ["", "", ""], ["c", " ", "d"]], "| a | b |\n|---|---|\n| c | d |"),
        ([["a|b", "two\nlines"]], "| a\\|b | two lines |\n|---|---|"),
        ([["", ""]], ""),
        ([], ""),
    ],
)
def test_rows_become_a_table(rows: list[list[str]], table: str) -> None:
    assert pipe_table(rows) == table


@given(st.lists(st.lists(st.text(alphabet="ab|\n \\", max_size=6), max_size=4), max_size=5))
def test_every_line_has_as_many_cells_as_the_heading(rows: list[list[str]]) -> None:
    lines = pipe_table(rows).splitlines()
    assert len({line.replace("\\|", "").count("|") for line in lines}) <= 1
    assert len(lines) in (0, 1 + sum(any(cell.strip() for cell in row) for row in rows))
