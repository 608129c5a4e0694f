"""Rows of cells as Markdown pipe tables, and which tables of a page become such with all that their
cells say.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.html import document_fromstring

from research_core.web.documents.tables import format_table
from research_core.web.html import parse
from research_core.web.html.tables import MAX_COLUMNS, MAX_WRITTEN_CELLS, spread_spans
from tests.everyday import mark_nth_everyday
from tests.timing import check_cpu_time


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
    assert format_table(rows) == table


@given(st.lists(st.lists(st.text(alphabet="ab|\n \\", max_size=6), max_size=4), max_size=5))
def test_every_line_has_as_many_cells_as_the_heading(rows: list[list[str]]) -> None:
    lines = format_table(rows).splitlines()
    assert len({line.replace("\\|", "").count("|") for line in lines}) <= 1
    assert len(lines) in (0, 1 + sum(any(cell.strip() for cell in row) for row in rows))


FILLER = "<p>The gauge on the north pier was read on four mornings in May, and the mean of the readings was taken.</p>"


def of_page(table: str) -> str:
    """What stands between the paragraphs of a page, as its main text has it."""
    text = str(
        parse(
            f"<html><body><article>{FILLER * 3}{table}{FILLER * 3}</article></body></html>".encode()
        )["text"]
    )
    return text.replace(FILLER[3:-4], "").strip()


CELLS = [
    ("<a href=x>Linked</a>", "Linked"),
    ("<b>bold</b> <i>it</i>", "bold it"),
    ("<div><a href=x>in a block</a></div>", "in a block"),
    ("<i><a href=x>Italy</a></i>", "Italy"),
    (
        "<div class=plainlist><ul><li><a href=1>English</a></li><li><a href=2>Maori</a></li></ul></div>",
        "English Maori",
    ),
    ("<ul><li>d<li>e</ul>", "d e"),
    ("<dl><dt>term</dt><dd>meaning</dd></dl>", "term meaning"),
    ("<time datetime=2001-05-12>12 May</time>", "12 May"),
    ("<button>Rome</button>", "Rome"),
    ("<label>kept</label>", "kept"),
    ("<figure><figcaption>below</figcaption></figure>", "below"),
    ("<blockquote>quoted</blockquote>", "quoted"),
    ("<details><summary>s</summary>t</details>", "s t"),
    ("\u2714", "\u2714"),
    ("<span>\u2717</span>", "\u2717"),
    ("<a href=x><img src=check.svg alt=yes></a>", "yes"),
    ("<i class=icon aria-label=Supported></i>", "Supported"),
    ("<img src=x alt='What nobody sees, written at length for machines'>", ""),
    ("<img src=flag alt=Flag> France", "France"),
]


@pytest.mark.parametrize(("html", "text"), CELLS)
def test_a_cell_keeps_its_words(html: str, text: str) -> None:
    table = f"<table><tr><th>Item</th><th>Said</th></tr><tr><td>one</td><td>{html}</td></tr><tr><td>two</td><td>x</td></tr></table>"
    assert of_page(table) == f"| Item | Said |\n|---|---|\n| one | {text} |\n| two | x |"


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "<div>{}</div>",
        "<blockquote>{}</blockquote>",
        "<figure>{}</figure>",
        "<center>{}</center>",
    ],
)
def test_a_table_stays_whatever_it_stands_in(around: str) -> None:
    table = (
        "<table><tr><th>Release</th><th>Date</th></tr><tr><td>4.2</td><td>April</td></tr></table>"
    )
    assert of_page(around.format(table)) == "| Release | Date |\n|---|---|\n| 4.2 | April |"


def test_tables_within_a_layout_are_each_a_table() -> None:
    inner = "<table><tr><th colspan=2>{0}</th></tr><tr><td>Herbert</td><td>{1}</td></tr><tr><td>Ann</td><td>{2}</td></tr></table>"
    grid = f"<tr><td>{inner.format('By lines', 9, 8)}</td><td>{inner.format('By changes', 7, 6)}</td></tr>"
    text = of_page(
        f"<table><tr><th colspan=2>Most active</th></tr>{grid}{grid.replace('By', 'Then by')}</table>"
    )
    assert (
        "By lines\n\n| Herbert | 9 |\n|---|---|\n| Ann | 8 |\n\nBy changes\n\n| Herbert | 7 |"
        in text
    )
    assert text.startswith("Most active")
    assert text.count("|---|---|") == 4


def test_a_menu_in_a_table_is_none_of_the_text() -> None:
    links = "".join(
        f"<tr><td><a href={n}>The {n}th place of this site</a></td><td><a href={n}>and another</a></td></tr>"
        for n in range(20)
    )
    assert of_page(f"<table>{links}</table>") == ""


SPANS = {
    "rows and columns": "<tr>"
    + "<td rowspan=999 colspan=999>abc</td>" * 60
    + "</tr>"
    + "<tr><td>x</td></tr>" * 900,
    "rows": "<tr>" + "<td rowspan=999>abc</td>" * 60 + "</tr>" + "<tr><td>x</td></tr>" * 900,
    "columns": ("<tr>" + "<td colspan=999>abc</td>" * 20 + "</tr>") * 300,
    "columns that fit": "<tr><td colspan=62>a<td>b" * 6_000,
    "one row": "<tr>" + "<td>a" * 30_000,
    "one wide row": "<tr>" + "<td>a" * 64 + "<tr><td>a" * 9_000,
}


@pytest.mark.parametrize("name", mark_nth_everyday(SPANS, 4))
def test_a_small_page_cannot_ask_for_cells_without_end(name: str) -> None:
    html = f"<html><body><article>{FILLER * 3}<table>{SPANS[name]}</table>{FILLER * 3}</article></body></html>"
    tree = document_fromstring(html)
    given, wide = len(list(tree.iter())), max(map(len, tree.iter("tr")))
    spread_spans(tree)
    assert len(list(tree.iter())) <= given + MAX_WRITTEN_CELLS
    assert max(map(len, tree.iter("tr"))) <= wide + MAX_COLUMNS
    with check_cpu_time(4):  # under a second on a machine of its own
        assert FILLER[3:-4] in parse(html.encode())["text"]


def test_what_spans_too_much_says_it_once() -> None:
    text = of_page("<table><tr><td colspan=999>a<tr><td>b<td rowspan=900>c<tr><td>d</table>")
    assert text == "a\n\n| b | c |\n|---|---|\n| d | c |"
