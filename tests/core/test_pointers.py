"""Lines that lead to other texts are out; sentences, and links into the same page, are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.html import document_fromstring

from research_core.web.html import parse
from research_core.web.html.pointers import drop_pointers
from tests.patience import in_time

AROUND = (
    "<p>The gauge on the north pier reads high by four centimetres, because the pier has settled since the gauge was put up.</p>",
    "<p>Readings before that year were taken by hand at noon, and are kept in the harbour office with the weather of the day.</p>",
)


def between(html: str) -> str:
    """What the text says between two paragraphs."""
    text = str(
        parse(f"<html><body><article>{html.join(AROUND)}{AROUND[0].replace('north', 'south')}</article></body></html>".encode())["text"]
    )
    return text.partition("was put up.")[2].partition("Readings")[0].strip()


@pytest.mark.parametrize(
    "line",
    [
        "<p>Read more: <a href=/a>How the pier was built, and by whom</a></p>",
        "<p><strong>READ ALSO: <a href=/a>How the pier was built</a></strong></p>",
        "<p><a href=/a><em>Related:</em> How the pier was built</a></p>",
        "<div class=x><h3>Related stories</h3><ul><li><a href=/a>How piers are built</a><li><a href=/b>The old pier</a></ul></div>",
        "<p>Lesen Sie auch: <a href=/a>Wie der Pier gebaut wurde</a></p>",
        "<p>Mehr zum Thema: <a href=/a>Der alte Pier</a></p>",
        "<p>À lire aussi : <a href=/a>La jetée du nord et son histoire</a></p>",
        "<p>VEA TAMBIÉN: <a href=/a>El muelle del norte y su historia</a></p>",
        "<p>Leia também: <a href=/a>O molhe do norte</a></p>",
        "<p>Czytaj też: <a href=/a>Molo północne i jego historia</a></p>",
        "<p>Читайте также: <a href=/a>Северный пирс</a></p>",
        "<p>相关阅读：<a href=/a>北码头的历史</a></p>",
    ],
)
def test_a_line_that_leads_to_another_text_is_left_out(line: str) -> None:
    assert between(line) == ""


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (
            "<p>Related work by <a href=/a>Moor</a> has shown that piers of that kind settle for decades.</p>",
            "Related work by Moor has shown",
        ),
        ("<p>Read more slowly what is written here, for it is of use to all who read gauges.</p>", "Read more slowly"),
        ("<h2><a href='#related'>Related work</a></h2><p>Others have read gauges too, in their day.</p>", "## Related work\n\nOthers"),
        ("<p>See also the <a href='#t1'>first table</a>.</p>", "See also the first table."),
        ("<p>Recommended are the gauges of the <a href=/s>south pier</a>, which are read twice a day.</p>", "Recommended are the gauges"),
        ("<p>The <a href=/r>related report</a> says so as well, and at some length.</p>", "The related report says so"),
    ],
)
def test_a_sentence_that_begins_so_stays(line: str, text: str) -> None:
    assert between(line).startswith(text)


PIECES = st.sampled_from(
    ["<p>", "</p>", "<a href=/x>", "</a>", "<div>", "</div>", "Read more: ", "Related ", "abc ", "<li>", "<b>", "</b>", "word " * 60]
)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_no_long_text_goes(html: str) -> None:
    tree = document_fromstring(f"<html><body>{html}</body></html>")
    long = tree.text_content().count("word " * 60)
    drop_pointers(tree)
    assert tree.text_content().count("word " * 60) == long


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 250 + "<a href=x> </a> " * 20_000,
        "<p>Read more <a href=x>a</a></p>" * 10_000,
        "<div>Related " * 250 + "<a href=x>a</a>" * 20_000,
    ],
)
def test_it_takes_the_time_of_its_length(html: str) -> None:
    tree = document_fromstring(html)
    with in_time(5):
        drop_pointers(tree)
