"""The lines of a stretch of a page: what each is, without its marks, in the runs given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text.layout import LayoutLine, layout_lines, plain_lines

TEXT = """\
## Dives

Sperm whales dive.
They are whales.

- One | two
  - three
4. four

| Whale | Depth \\| m |  |
|---|---|---|
| Sperm | 2000 |  |

```
dive( 1 )

  up()
```
"""


def line(kind: str, *cells: str, level: int = 0) -> LayoutLine:
    runs = tuple(((cell, 0),) if cell else () for cell in cells)
    return LayoutLine(kind, runs, level)  # type: ignore[arg-type]


def test_the_kinds_of_lines() -> None:
    assert [each for each in layout_lines([(TEXT, 0)]) if each.kind != "gap"] == [
        line("heading", "Dives", level=2),
        line("text", "Sperm whales dive."),
        line("text", "They are whales."),
        line("item", "One | two"),
        line("item", "three", level=1),
        line("text", "4. four"),
        line("head", "Whale", "Depth | m", ""),
        line("row", "Sperm", "2000", ""),
        line("code", "dive( 1 )"),
        line("code"),
        line("code", "  up()"),
    ]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("| 1 | 2 |\n| 3 | 4 |", ["row", "row"]),  # cut below the first row
        ("a | b\n--|--\nc | d", ["head", "row"]),
        ("Title\n=====\n\nText", ["heading", "gap", "text"]),
        ("14.2 | 0.6 |", ["text"]),
        ("", ["gap"]),
    ],
)
def test_parts_of_pages(text: str, kinds: list[str]) -> None:
    assert [each.kind for each in layout_lines([(text, 0)])] == kinds


def test_runs_go_on_across_lines_and_cells() -> None:
    text = "One two.\n\n| a | bcd |\n| e | f |"
    found = [
        each.cells
        for each in layout_lines([(text[:4], 0), (text[4:17], 1), (text[17:], 2)])
        if each.cells
    ]
    assert found == [
        ((("One ", 0), ("two.", 1)),),
        ((("a", 1),), (("b", 1), ("cd", 2))),
        ((("e", 2),), (("f", 2),)),
    ]


def test_lines_as_characters() -> None:
    assert plain_lines(TEXT)[:8] == [
        "Dives",
        "Sperm whales dive.",
        "They are whales.",
        "• One | two",
        "• three",
        "4. four",
        "Whale | Depth | m",
        "Sperm | 2000",
    ]


PIECES = st.sampled_from(
    ["# a", "b\n", "- c", "\n", "|", " | d ", "|---|", "\\|", "```", "e", " ", "===", "1. "]
)


@given(
    st.lists(
        st.tuples(st.lists(PIECES).map("".join) | st.text(max_size=9), st.integers(0, 2)),
        max_size=6,
    )
)
def test_every_letter_is_in_a_line_and_in_its_shade(runs: list[tuple[str, int]]) -> None:
    runs = [(text.replace("```", "``"), shade) for text, shade in runs]
    given = [(c, shade) for text, shade in runs for c in text if c.isalpha()]
    if "```" not in "".join(text for text, _ in runs):
        assert [
            (c, s)
            for each in layout_lines(runs)
            for cell in each.cells
            for text, s in cell
            for c in text
            if c.isalpha()
        ] == given
