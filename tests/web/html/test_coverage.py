"""A text that stands in several boxes is read whole; several texts on one page are not read for
one.
"""

from __future__ import annotations

import json
from itertools import islice

import pytest
from lxml.html import document_fromstring

from research_core.web.html import parse, read_html
from research_core.web.html.coverage import cover_text
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
        assert cover_text(document_fromstring(f"<div>{html}</div>"), taken).text == taken


def test_little_that_is_missed_is_not_looked_for() -> None:
    html = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES[:4])
    assert cover_text(document_fromstring(f"<div>{html}</div>"), SENTENCES[0]).text == SENTENCES[0]


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
        assert cover_text(tree, "x" * 2_000).text


def test_the_same_page_gives_the_same_text() -> None:
    page = boxes(*TEXTS)
    assert len(set(islice(map(read, [page] * 5), 5))) == 1


# ---------------------------------------------------------------- more than half is missing

STORY = [
    f"In the year {1900 + n} the gauge of pier {n} read high by {n + 4} centimetres, since the pier"
    " had settled by as much after it was put up."
    for n in range(60)
]
PIECES = [STORY[n : n + 12] for n in range(0, 60, 12)]
TOP_STORIES = "".join(
    f"<div class=card><a href=/{n}>Top story number {n} of the harbour</a><p>The story of pier {n}"
    " has many turns, and the harbour office has told only some of them so far.</p></div>"
    for n in range(30)
)


def write_paragraphs(sentences: list[str]) -> str:
    return "".join(f"<p>{' '.join(sentences[n : n + 3])}</p>" for n in range(0, len(sentences), 3))


def wrap_pieces(opening: str, closing: str, between: str = "") -> str:
    inner = between.join(f"{opening}{write_paragraphs(piece)}{closing}" for piece in PIECES)
    return f"<h1>Gauges of the piers</h1>{inner}"


def make_page(body: str, head: str = "") -> str:
    return f"<html><head><title>Gauges</title>{head}</head><body>{body}</body></html>"


AD = "<div class=ad-slot><span>Advertisement</span></div>"
BOX = "<div class=row><div class='body__inner article__body'>"
SPLIT_LAYOUTS = {
    "boxes in rows, advertisements between": f"<main>{wrap_pieces(BOX, '</div></div>', AD)}</main>",
    "sections with a known class": wrap_pieces("<section class=entry-content>", "</section>"),
    "boxes in one article with repeated links": "<article>"
    + wrap_pieces(
        "<div><div class=post-content>",
        "<p><a href=/buy>Buy it here</a> <a href=/shop>Or there</a></p></div></div>",
    )
    + "</article>",
    "an advertisement between boxes links twice": "<main><div class=story>"
    + wrap_pieces(
        "<div><div class=article-body>",
        "</div></div>",
        "<aside><a href=/ad>Advertisement</a> <a href=/x>Skip it</a></aside>",
    )
    + "</div></main>",
    "a top story list after them": "<main>"
    + wrap_pieces("<div><div class=page-content>", "</div></div>")
    + f"</main><div class=rail>{TOP_STORIES}</div>",
    "a main element with a line in it": "<main><p>Skip to the gauges of the harbour.</p></main>"
    + wrap_pieces("<div class=x>", "</div>"),
    "articles that are cards": "<div class=page>"
    + wrap_pieces("<div class=x>", "</div>")
    + "</div><article><a href=/a>More of it</a></article><article><a href=/b>Still more</a></article>",
    "parts that are called teasers": "<main>"
    + wrap_pieces("<div class='entry-content teaser'>", "</div>", AD)
    + "</main>",
    "sections called teasers with headings of their own": "<article>"
    + wrap_pieces("<section class='article__body c-teaser'><h2>A pier</h2>", "</section>")
    + "</article>",
    "boxes in teasers with a link to a map": "<div class=page>"
    + wrap_pieces(
        "<div class=article-teaser><div class=post-content>",
        "<p>See <a href=/x>the map</a>.</p></div></div>",
    )
    + "</div>",
    "a paragraph in each teaser": "<main><h1>Gauges of the piers</h1>"
    + "".join(
        f"<div class='teaser'><div class=entry-content><p>{' '.join(STORY[n : n + 3])}</p></div></div>"
        for n in range(0, 60, 3)
    )
    + "</main>",
    "parts called teasers, and one that leads elsewhere": "<main>"
    + wrap_pieces("<div class='entry-content teaser'>", "</div>")
    + "<div class=teaser><h3><a href=/a>Top story of the west mole</a></h3><p>The story of the"
    " lighthouse has many turns, and the harbour office has told only some of them.</p></div></main>",
    "a newsletter box first": "<main><div class=entry-content><p>Sign up for our newsletter to get"
    " every story of the harbour in your inbox.</p><form><input type=email></form></div>"
    + wrap_pieces("<div><div class=entry-content>", "</div></div>")
    + "</main>",
}


@pytest.mark.parametrize("layout", SPLIT_LAYOUTS)
def test_a_long_text_in_several_boxes_is_read_whole(layout: str) -> None:
    page = read_html(make_page(SPLIT_LAYOUTS[layout]).encode(), "https://example.org/")
    assert [part for part in STORY if part not in page.text] == []
    assert "Top story" not in page.text
    assert "newsletter" not in page.text
    assert (page.partial, page.metadata.cut) == (False, "")


def declare(**facts: object) -> str:
    node = {"@context": "https://schema.org", "@type": "NewsArticle", "headline": "Gauges", **facts}
    return f'<script type="application/ld+json">{json.dumps(node)}</script>'


TEASER = f"<main><article><h1>Gauges</h1>{write_paragraphs(STORY[:6])}</article></main>"
WORDS_OF_TEASER = len(" ".join(STORY[:6]).split())
JAPANESE = "一九七〇年、北の桟橋の潮位計は四センチ高い値を示した。桟橋が沈んでいたためである。"
#: (page, whether less than half was read)
DECLARED = {
    "a word count": (make_page(TEASER, declare(wordCount=1200)), True),
    "a word count in text": (make_page(TEASER, declare(wordCount="900")), True),
    "the text itself": (make_page(TEASER, declare(articleBody=" ".join(STORY))), True),
    "long text": (make_page(TEASER, declare(articleBody=" ".join(STORY * 8))), True),
    "in a graph": (
        make_page(
            TEASER,
            '<script type="application/ld+json">{"@graph": [{"@type": "WebSite"}, {"@type":'
            ' ["Article"], "wordCount": 800}]}</script>',
        ),
        True,
    ),
    "German": (
        make_page(
            "<article><h1>Pegel</h1><p>Der Pegel am Nordkai zeigte vier Zentimeter zu viel an, weil"
            " der Kai sich seit seinem Bau gesetzt hatte. Mehr lesen Abonnenten.</p></article>",
            declare(wordCount=640),
        ),
        True,
    ),
    "Japanese": (
        make_page(f"<article><p>{JAPANESE * 4}</p></article>", declare(articleBody=JAPANESE * 30)),
        True,
    ),
    "as many words": (make_page(TEASER, declare(wordCount=WORDS_OF_TEASER)), False),
    "letters for words": (make_page(TEASER, declare(wordCount=len(" ".join(STORY[:6])))), False),
    "an opening only": (make_page(TEASER, declare(articleBody=STORY[0])), False),
    "two articles": (
        make_page(TEASER, declare(wordCount=1200) + declare(wordCount=900)),
        False,
    ),
    "another kind of thing": (
        make_page(TEASER, declare(wordCount=1200).replace("NewsArticle", "WebSite")),
        False,
    ),
    "no number": (make_page(TEASER, declare(wordCount=[1, {}], articleBody=7)), False),
    "Japanese, all of it": (
        make_page(f"<article><p>{JAPANESE * 9}</p></article>", declare(articleBody=JAPANESE * 9)),
        False,
    ),
}


@pytest.mark.parametrize("name", DECLARED)
def test_a_text_much_shorter_than_declared_is_partial(name: str) -> None:
    markup, is_partial = DECLARED[name]
    page = read_html(markup.encode(), "https://example.org/gauges")
    assert page.partial is is_partial
    assert page.metadata.cut.endswith(" words of the article could be read.") is is_partial


def test_what_is_only_declared_is_not_read() -> None:
    page = read_html(
        make_page(TEASER, declare(articleBody=" ".join(STORY))).encode(), "https://example.org/"
    )
    assert STORY[5] in page.text
    assert STORY[20] not in page.text


def test_several_texts_of_which_one_was_read_are_partial() -> None:
    shares = "<p><a href=/s>Share</a> <a href=/t>Save</a></p>"
    texts = "".join(
        f"<div class=row><div class=entry-content>{write_paragraphs(piece)}{shares}</div></div>"
        for piece in PIECES
    )
    page = read_html(make_page(f"<div id=page>{texts}</div>").encode(), "https://example.org/")
    assert page.partial
    assert (STORY[0] in page.text, STORY[-1] in page.text) == (True, False)
