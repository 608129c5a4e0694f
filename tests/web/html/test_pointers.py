"""Lines that lead to other texts are out; sentences, and links into the same page, are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.html import document_fromstring

from research_core.web.html import parse
from research_core.web.html.pointers import drop_pointers
from tests.timing import check_cpu_time

AROUND = (
    "<p>The gauge on the north pier reads high by four centimetres, because the pier has settled since the gauge was put up.</p>",
    "<p>Readings before that year were taken by hand at noon, and are kept in the harbour office with the weather of the day.</p>",
)


def between(html: str) -> str:
    """What the text says between two paragraphs."""
    text = str(
        parse(
            f"<html><body><article>{html.join(AROUND)}{AROUND[0].replace('north', 'south')}</article></body></html>".encode()
        )["text"]
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
        (
            "<p>Read more slowly what is written here, for it is of use to all who read gauges.</p>",
            "Read more slowly",
        ),
        (
            "<h2><a href='#related'>Related work</a></h2><p>Others have read gauges too, in their day.</p>",
            "## Related work\n\nOthers",
        ),
        ("<p>See also the <a href='#t1'>first table</a>.</p>", "See also the first table."),
        (
            "<p>Recommended are the gauges of the <a href=/s>south pier</a>, which are read twice a day.</p>",
            "Recommended are the gauges",
        ),
        (
            "<p>The <a href=/r>related report</a> says so as well, and at some length.</p>",
            "The related report says so",
        ),
    ],
)
def test_a_sentence_that_begins_so_stays(line: str, text: str) -> None:
    assert between(line).startswith(text)


PAGE = "https://ex.org/dir/page?x=1"
STAYS = (
    '<a name="dose"><p>Recommended: doses for adults are low</p></a>',
    '<a name="dose"><p>Read more: doses for adults are low</p></a>',
    '<a href="#s4"><h2>Related articles</h2></a>',
    '<a href="#s4"><h2>Read more</h2></a>',
    '<ul><li><a href="/rda">Recommended dietary allowance of vitamin C</a>: 90 mg a day for men.</li></ul>',
    '<p><a href="/ias24">Related party transactions rose by 40 percent in 2023, the auditors found.</a></p>',
    '<p><a href="/s">Auch die Grünen wollen hier die Steuern senken, sagte Habeck am Montag.</a></p>',
    '<p>Voir aussi <a href="/l">l’article L. 121-1 du code de la consommation, qui interdit ces pratiques</a>.</p>',
    '<h3><a href="/x">Más sobre la inflación de 2023: 3,1 %</a></h3>',
    '<p><a href="/u">Przeczytaj ustawę</a>: kara wynosi 500 zł.</p>',
    '<p>See also <a href="/r">Roe v. Wade, 410 U.S. 113 (1973)</a></p>',
    '<li><a href="/s">Mehr als 500 Tote forderte das Thema Hitze in Bayern 2023.</a></li>',
    '<li><a href="/x">Saiba mais</a>: 0800 722 6001</li>',
    "<p><a href=/x>Related posts in the ministry were abolished</a></p>",
    "<p>See also: <a href=/x>Roe v. Wade, 410 U.S. 113 (1973)</a></p>",
    "<p>Recommended: <a href=/x>400 mg twice a day</a></p>",
    "<p>Siehe auch <a href=/x>§ 433 BGB</a></p>",
    '<p>Read more: <a href="/dir/page#s4">Section on doses</a></p>',
    '<p>Read more: <a href="https://ex.org/dir/page?x=1">Section on doses</a></p>',
    '<p>Read more: <a href="mailto:a@b.c">the editor</a></p>',
    '<p>Read more: <a href=" JavaScript:void(0)">Side effects of the drug</a></p>',
    '<p>Read more: <a href="http://[">Side effects of the drug</a></p>',
    "<p>Learn more: call <a href=/x>the hotline</a> at 555 0100</p>",
    "<p>Zum Thema <a href=/x>Klimawandel</a></p>",
    "<p>También puede <a href=/x>tomarse con agua</a></p>",
    "<p>À lire : <a href=/x>le prix est de 12 euros</a></p>",
    "<p>Related: <a href=/x>The court held in its judgment that the tax on sugar is void in all the states.</a></p>",
    "<p>Lees meer over de <a href=/x>wet</a>: de boete is hoog.</p>",
    "<p>Смотрите также <a href=/x>статью закона</a></p>",
    "<p>相关阅读<a href=/x>第5条规定罚款</a></p>",
    "<p>関連記事<a href=/x>2023年の値は3でした</a></p>",
    "<a href=/x><p>Recommended doses for adults are low</p></a>",
    '<h2><a href="/other">Related work</a></h2>',
    "<p>Veja mais <a href=/x>adiante no texto</a></p>",
    "<p>Read more: <a href=/x>T</a> <!-- c --> costs 5</p>",
    '<a href="/x"><div>Read more: the pier</div><p>' + "a part of the page " * 20 + "</p></a>",
)
GOES = (
    "<p>Read more: <a href=/x>Five dead in storm of 2023</a></p>",
    "<p><a href=/x>Read more</a></p>",
    '<p><a href="/x">Learn more about vitamin C</a></p>',
    '<a href="/x"><h3>Read also: the pier</h3></a>',
    "<p>Lesen Sie auch <a href=/x>Wie der Pier gebaut wurde</a></p>",
    "<h3><a href=/x>Related articles</a></h3>",
    "<div><h4>Más noticias</h4><ul><li><a href=/a>El muelle</a></li></ul></div>",
    "<p>관련기사 <a href=/x>북쪽 부두</a></p>",
    "<p>관련 기사: <a href=/x>북쪽 부두</a></p>",
    "<p>関連記事：<a href=/x>北の桟橋</a></p>",
    "<p>Lire aussi&nbsp;: <a href=/x>La jetée</a></p>",
    "<p>Leggi anche: <a href=/x>Il molo</a></p>",
    "<p>See also: <a href=/x>Piers of the north</a></p>",
    "<p>Läs också: <a href=/x>Piren</a> | <a href=/y>Hamnen</a></p>",
    '<p>Read more: <a href="/x#top">How piers are built</a></p>',
    '<p>Read more: <a href="page?x=2">The next page</a></p>',
    "<p>Schon gelesen? <a href=/x>Der Pier</a></p>",
    "<p><strong>Recommended reading</strong>: <a href=//e.org/x>Piers</a></p>",
)


def said(line: str, url: str = PAGE) -> tuple[str, str]:
    """The text of a tree with this line in it, before and after."""
    tree = document_fromstring(f"<html><body><section>Before {line} after.</section></body></html>")
    before = str(tree.text_content())
    drop_pointers(tree, url)
    return before, str(tree.text_content())


@pytest.mark.parametrize("line", STAYS)
def test_a_line_that_says_something_stays(line: str) -> None:
    before, after = said(line)
    assert after == before


@pytest.mark.parametrize("line", GOES)
def test_a_line_of_links_alone_goes(line: str) -> None:
    assert said(line)[1].split() == ["Before", "after."]


def test_a_page_without_an_address_has_no_links_away_by_fragment() -> None:
    line = "<p>Read more: <a href='page.html#s4'>Doses</a></p>"
    before, after = said(line, "")
    assert after == before
    assert "Doses" not in said(line)[1]


@pytest.mark.parametrize("anchor", ["<a name=top>", "<a href=/x>"])
def test_an_anchor_that_is_never_closed_makes_no_line_a_link(anchor: str) -> None:
    before, after = said(
        f"{anchor}<h1>Guide</h1>{AROUND[0]}<h2>Related articles</h2><p>Read more</p>{AROUND[1]}"
    )
    assert after == before


def test_a_link_to_the_page_itself_is_told_by_its_address() -> None:
    line = f"<article>{AROUND[0]}<p>Read more: <a href='/dir/page#s4'>Doses</a></p>{AROUND[1]}</article>"
    assert "Read more" in parse(line.encode(), PAGE)["text"]
    assert "Read more" not in parse(line.encode(), "https://ex.org/other")["text"]


PIECES = st.sampled_from(
    [
        "<p>",
        "</p>",
        "<a href=/x>",
        "</a>",
        "<div>",
        "</div>",
        "Read more: ",
        "Related ",
        "abc ",
        "<li>",
        "<b>",
        "</b>",
        "word " * 60,
    ]
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
        "<a href=/x>" + "<p>Read more: a</p>" * 20_000,
        "<a href=/x><div>" * 200 + "<p>Read more: a</p>" * 20_000,
        "<div>Related " * 250 + "<a href=x>a</a>" * 20_000,
    ],
)
def test_it_takes_the_time_of_its_length(html: str) -> None:
    tree = document_fromstring(html)
    with check_cpu_time(5):
        drop_pointers(tree)
