"""The marks of footnotes and the menus of a page that say what they are: out of the text, and no
word with them.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.html import document_fromstring

from research_core.web.html import parse
from research_core.web.html.notes import drop_menus, drop_notes
from tests.everyday import mark_nth_everyday
from tests.timing import check_cpu_time


def shown(html: str) -> str:
    text: str = parse(
        f"<html><body><article>{html}<p>And more words of the page, which are there to be read.</p></article></body></html>".encode()
    )["text"]
    return text.removesuffix("\n\nAnd more words of the page, which are there to be read.")


def note(mark: str) -> str:
    """As MediaWiki writes it."""
    return f'<sup id="cite_ref-1" class="reference"><a href="#cite_note-1">{mark}</a></sup>'


@pytest.mark.parametrize(
    "mark",
    [
        "[1]",
        "[12]",
        "&#91;3&#93;",
        "[a]",
        "[n 2]",
        "[note 3]",
        "[ 4 ]",
        "[1–3]",
        "[1,2]",
        "<span>[</span>5<span>]</span>",
        "[Anm. 1]",
        "[註 1]",
    ],
)
def test_the_mark_of_a_footnote_is_no_word_of_its_sentence(mark: str) -> None:
    sentence = f"<p>The pier has settled{note(mark)} by four centimetres.{note(mark)}{note('[9]')} It was built in 1974.</p>"
    assert shown(sentence) == "The pier has settled by four centimetres. It was built in 1974."


@pytest.mark.parametrize(
    "html",
    [
        "settled <a href='#ref1'>[1]</a> by four",
        "settled <a href='https://example.org/paper#B1'>[1, 2]</a> by four",
        "settled [<a href='#r1'>1</a>] by four",
        "settled [<a href='#r1'>1</a>, <a href='#r2'>2</a>–<a href='#r4'>4</a>] by four",
        "settled<sup>[<a href='#r1'>1</a>,<a href='#r2'>2</a>]</sup> by four",
        "<i>settled</i> [<a href='#r1'>1</a>] by four",
    ],
)
def test_so_are_numbers_in_brackets_that_lead_to_a_list_below(html: str) -> None:
    assert (
        shown(f"<p>The pier has {html} centimetres.</p>")
        == "The pier has settled by four centimetres."
    )


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>It is 10<sup>2</sup> metres, or H<sub>2</sub>O.</p>", "It is 10² metres, or H2O."),
        ("<p>It was so<sup>[<i><a href='/wiki/C'>citation needed</a></i>]</sup> for long.</p>", "It was so[citation needed] for long."),
        ("<p>It was so in 2010<sup>[3]</sup> and ever since.</p>", "It was so in 2010[3] and ever since."),
        ("<p>See <a href='/a'>[1]</a> for the rest of it.</p>", "See [1] for the rest of it."),
        ("<p>He said that [the pier] <a href='#x'>had settled</a> [in 1974].</p>", "He said that [the pier] had settled [in 1974]."),
        ("<p>In the interval [<a href='#x'>0</a>, 5) all is well.</p>", "In the interval [0, 5) all is well."),
        ("<ul><li><a href='#c1'>[1]</a> Moor, A.: On piers.</li></ul>", "- [1] Moor, A.: On piers."),
        ("<p>[<a href='#c1'>1</a>] Moor, A.: On piers, 1974.</p>", "[1] Moor, A.: On piers, 1974."),
        ("<p><sup>[1]</sup> The harbour office keeps them all.</p>", "[1] The harbour office keeps them all."),
    ],
)  # fmt: skip
def test_what_is_no_mark_stays(html: str, text: str) -> None:
    assert shown(html) == text


@pytest.mark.parametrize(
    "menu",
    [
        "<div id=toc class=toc><h2>Contents</h2><ul><li><a href='#a'>Readings</a></ul></div>",
        "<div role=navigation><p><a href=/a>Piers of the north</a> · <a href=/b>Piers of the south</a></p></div>",
        "<table class=navbox><tr><th><a href=/p>Piers</a><td><a href=/a>North</a><tr><td><a href=/b>South</a></table>",
    ],
)
def test_a_menu_that_says_it_is_one_is_left_out(menu: str) -> None:
    said = "<h1>Gauge</h1><p>The gauge on the north pier reads high by four centimetres, because the pier has settled.</p>"
    assert shown(said + menu) == shown(said)


def test_what_is_called_a_menu_and_holds_words_is_text() -> None:
    rows = (
        "<tr><td><a href=/n>North</a><td>14.2 at noon<tr><td><a href=/s>South</a><td>13.9 at noon"
    )
    table = f"<table class=navbox><tr><th>Pier<th>Readings{rows}</table>"
    assert "| North | 14.2 at noon |" in shown(
        f"<p>The gauges read as follows, each at noon of the same day.</p>{table}"
    )
    long = "<div role=navigation><p>The gauge on the north pier reads high by four centimetres, because the pier has settled.</p></div>"
    assert "four centimetres" in shown(long)


def test_coordinates_are_read_once() -> None:
    place = (
        "<span class=geo-default>41°17′S 174°27′E</span><span class=geo-multi-punct>\ufeff / \ufeff</span>"
        "<span class=geo-nondefault>41.283°S 174.450°E</span>"
    )
    assert (
        shown(f"<p>The pier lies at {place} in the harbour of the town.</p>")
        == "The pier lies at 41°17′S 174°27′E in the harbour of the town."
    )


PIECES = st.sampled_from(
    [
        "<p>",
        "</p>",
        "<sup>",
        "</sup>",
        "<a href='#x'>",
        "</a>",
        "[",
        "]",
        "1",
        "2",
        ",",
        " ",
        "abc",
        "<li>",
        "<b>",
        "</b>",
        "<br>",
        "[1]",
    ]
)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_no_word_is_lost_with_a_mark(html: str) -> None:
    tree = document_fromstring(f"<html><body>{html}</body></html>")
    words = tree.text_content().count("abc")
    drop_notes(tree)
    assert tree.text_content().count("abc") == words
    assert set(tree.text_content()) <= set(html)


@pytest.mark.parametrize(
    "html",
    mark_nth_everyday(
        [
            "<p>a" + "<sup><a href='#x'>[1]</a></sup>" * 20_000,
            "<p>a [" + "<a href='#x'>1</a>, " * 20_000,
            "<p>a" + "[<a href='#x'>1</a>" * 20_000,
            "<p>" + "<sup><a href='#x'>[1]</a>" * 250 + "a" * 100_000 + "</sup>" * 250,
            "<div role=navigation>" * 250 + "<a href=x>a b c</a> words " * 20_000,
            "<p>a " + "<sup> </sup>" * 10_000 + "<sup><a href='#x'>[1]</a></sup>" * 10_000,
        ],
        3,
    ),
    ids=range(6),
)
def test_many_marks_take_their_number(html: str) -> None:
    tree = document_fromstring(html)
    with check_cpu_time(5):
        drop_notes(tree)
        drop_menus(tree)
