"""A text that stands in several boxes is read whole; several texts on one page are not read for
one.
"""

from __future__ import annotations

from itertools import islice

import pytest
from lxml.html import document_fromstring

from research_core.web.html import parse
from research_core.web.html.coverage import widen_text
from tests.everyday import mark_nth_everyday
from tests.timing import check_cpu_time

SENTENCES = [
    f"In the year {1970 + n} the gauge on the {place} pier read high by {n + 4} centimetres, as the pier had settled since it was put up."
    for n, place in enumerate(
        [
            "north",
            "south",
            "west",
            "east",
            "old",
            "new",
            "upper",
            "lower",
            "outer",
            "inner",
            "first",
            "last",
        ]
    )
]

#: Long enough, each, to be taken for the whole.
TEXTS = [" ".join(SENTENCES[n : n + 3]) for n in range(0, 12, 3)]


def boxes(*texts: str, name: str = "entry-content", between: str = "") -> str:
    """A page whose text stands in boxes of one class, as many page builders write it."""
    inner = between.join(
        f"<div class=row><div class='{name}'><p>{text}</p></div></div>" for text in texts
    )
    return f"<html><head><title>Gauges</title></head><body><div id=page><h1>Gauges</h1>{inner}</div></body></html>"


def read(html: str) -> str:
    return str(parse(html.encode(), "https://example.org/")["text"])


@pytest.mark.parametrize(
    "name", ["entry-content", "article-content", "text-content", "post-text", "article-body"]
)
def test_a_text_in_several_boxes_is_read_whole(name: str) -> None:
    text = read(boxes(*TEXTS, name=name))
    assert [part for part in TEXTS if part not in text] == []


def test_what_stands_beside_it_is_left_out() -> None:
    beside = (
        f"<nav><p>{SENTENCES[0].replace('pier', 'quay')}</p></nav>"
        f"<div class=comments><p>{SENTENCES[1].replace('pier', 'quay')}</p></div>"
        "<ul><li><a href=/a>All of the gauges of the harbour</a><li><a href=/b>All of the piers</a></ul>"
    )
    text = read(boxes(*TEXTS).replace("<h1>", f"{beside}<h1>"))
    assert TEXTS[-1] in text
    assert "quay" not in text
    assert "All of the" not in text


def test_several_texts_with_links_of_their_own_are_not_one() -> None:
    shares = "<p><a href=/s>Share</a> <a href=/t>Save</a></p>"
    several = boxes(*(f"{text}</p>{shares}<p>" for text in TEXTS))
    linked = boxes(
        TEXTS[0],
        *(
            f"</p><h2><a href='/{n}'>Another text</a></h2><p>{text}"
            for n, text in enumerate(TEXTS[1:])
        ),
    )
    for page in (several, linked):
        text = read(page)
        assert (TEXTS[0] in text, TEXTS[-1] in text) == (True, False)


def test_a_text_that_was_taken_is_left_as_it_is() -> None:
    html = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)
    for taken in ("\n\n".join(SENTENCES[:7]), "\n\n".join(SENTENCES)):
        assert widen_text(document_fromstring(f"<div>{html}</div>"), taken) == taken


def test_little_that_is_missed_is_not_looked_for() -> None:
    html = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES[:4])
    assert widen_text(document_fromstring(f"<div>{html}</div>"), SENTENCES[0]) == SENTENCES[0]


HOSTILE = {
    "lists in lists": "<ul><li>a b" * 250 + f"<p>{SENTENCES[0]}</p>" * 2_000,
    "paragraphs": "".join(f"<p>{SENTENCES[0]} {n}</p>" for n in range(20_000)),
    "headings in boxes": "<div><h2>" * 120 + f"<p>{SENTENCES[0]}</p>" * 5_000,
    "links": "<p>" + "<a href=/x>a b c</a> d e f " * 40_000,
}


@pytest.mark.parametrize("name", mark_nth_everyday(HOSTILE, 4))
def test_it_takes_the_time_of_its_length(name: str) -> None:
    tree = document_fromstring(HOSTILE[name])
    with check_cpu_time(5):
        assert widen_text(tree, "x" * 2_000)


def test_the_same_page_gives_the_same_text() -> None:
    page = boxes(*TEXTS)
    assert len(set(islice(map(read, [page] * 5), 5))) == 1
