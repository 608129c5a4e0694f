"""The lead of a text is read with it, once, and nothing else that stands beside a headline."""

from __future__ import annotations

import pytest
from lxml.html import document_fromstring

from research_core.web.html import parse
from research_core.web.html.lead import find_lead, insert_lead
from tests.timing import check_cpu_time

LEAD = "The pier of the north harbour has settled by four centimetres since 1974, and its gauge reads high."
BODY = "".join(
    f"<p>In the year {1974 + n} the readings were taken by hand at noon, and kept in the office together with the weather of the day.</p>"
    for n in range(9)
)


def page(
    top: str,
    *,
    description: str = LEAD,
    name: str = "og:description",
    body: str = BODY,
    after: str = "",
) -> str:
    head = f'<title>Gauge</title><meta property="{name}" content="{description}">'
    return (
        f"<html><head>{head}</head><body><article><h1>Gauge</h1>{top}<div "
        f"class=entry-content>{body}</div>{after}</article></body></html>"
    )


def read(html: str) -> str:
    return str(parse(html.encode(), "https://example.org/")["text"])


@pytest.mark.parametrize(
    "top",
    [
        f"<div class=teaser-text>{LEAD}</div>",
        f"<p class=article-teaser>{LEAD}</p>",
        f"<h2 class=teaser>{LEAD}</h2>",
        f"<header class=teaser><p><strong>{LEAD}</strong></p></header>",
        f"<div class=teaser><span>  {LEAD.replace(' by ', ' <b>by</b> ')}\n</span></div>",
    ],
)
@pytest.mark.parametrize("name", ["og:description", "description", "twitter:description"])
def test_the_lead_is_the_first_of_the_text(top: str, name: str) -> None:
    text = read(page(top, name=name))
    assert text.count("has settled by four centimetres") == 1
    first = text.removeprefix("# Gauge\n\n").split("\n\n")[0]
    assert first.lstrip("# ") == LEAD
    assert "In the year 1982" in text


@pytest.mark.parametrize(
    "cut", [f"{LEAD[:70]}…", f"{LEAD} And more of it.", LEAD.upper(), LEAD.replace(" ", "  ")]
)
def test_a_description_may_be_cut_or_spelled_otherwise(cut: str) -> None:
    assert (
        find_lead(
            document_fromstring(page(f"<p class=teaser>{LEAD}</p>", description=cut)),
            "In the year 1974 the readings",
        )
        == LEAD
    )


NONE = {
    "no description": page(f"<p>{LEAD}</p>", description=""),
    "another description": page(
        f"<p>{LEAD}</p>",
        description="All that there is to know of the harbours of the north, day by day.",
    ),
    "a short description": page(
        "<p>The pier has settled.</p>", description="The pier has settled."
    ),
    "a footer": page("", after=f"<footer><p>{LEAD}</p></footer>"),
    "below the text": page("", after=f"<p>{LEAD}</p>"),
    "a caption": page(f"<figure><p>{LEAD}</p></figure>"),
    "a caption by class": page(f"<div class=photo-caption><p>{LEAD}</p></div>"),
    "a link": page(f"<a href=/x><p>{LEAD}</p></a>"),
    "a box with more": page(f"<div class=x><div>{LEAD}{'And more of it. ' * 90}</div></div>"),
}


@pytest.mark.parametrize("html", NONE.values(), ids=NONE)
def test_nothing_else_is_one(html: str) -> None:
    opening = "In the year 1974 the readings were taken by hand at noon, and kept in the office together with the weather of the day."
    assert find_lead(document_fromstring(html), opening) == ""


def test_a_description_that_is_on_no_page_is_not_read() -> None:
    assert "has settled" not in read(page(""))
    assert "has settled" not in read(page(f"<p style='display:none'>{LEAD}</p>"))


def test_a_lead_that_was_read_is_not_read_twice() -> None:
    assert read(page("", body=f"<p>{LEAD}</p>{BODY}")).count("has settled") == 1
    assert insert_lead(f"A text.\n\n{LEAD}", LEAD) == f"A text.\n\n{LEAD}"
    assert insert_lead("A text.", LEAD) == f"{LEAD}\n\nA text."
    assert insert_lead("# Title\n\nA text.", LEAD) == f"# Title\n\n{LEAD}\n\nA text."
    assert insert_lead("A text.", "") == "A text."


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 250 + "<p>a b c d e</p>" * 10_000,
        "<div>" * 250 + "x" * 400_000,
        "<span> " * 30_000,
    ],
)
def test_it_takes_the_time_of_its_length(html: str) -> None:
    tree = document_fromstring(page("").replace("<h1>", f"{html}<h1>"))
    with check_cpu_time(5):
        find_lead(tree, "Another text.")
