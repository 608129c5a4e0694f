"""What a page says of itself, from each kind of markup there is; bounds hold and nothing breaks it,
whatever tree it is.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.html import document_fromstring

from research_core.text.words import strip_invisible
from research_core.web.html import MAX_IN_PROCESS_BYTES, parse, read_html
from research_core.web.metadata import dates, page_markup
from research_core.web.metadata.bylines import MAX_NAMES
from research_core.web.metadata.jsonld import (
    MAX_BLOCK_BYTES,
    MAX_BLOCKS,
    MAX_DEPTH,
    MAX_TOTAL_BYTES,
)
from research_core.web.metadata.page_description import SITE_LENGTH, TITLE_LENGTH, describe_page
from research_core.web.metadata.page_markup import (
    MAX_ENTRIES,
    MAX_META_TAGS,
    MAX_VALUE_BYTES,
    normalize_language_tag,
)
from tests.everyday import mark_nth_everyday
from tests.timing import check_cpu_time

URL = "https://harbour.example.org/notes/gauge"
FILLER = (
    "<p>The gauge on the north pier was read on four mornings in May, and the mean of the readings was taken.</p>"
    * 4
)


def page(head: str = "", body: str = "", html: str = "") -> bytes:
    return f"<!doctype html><html {html}><head>{head}</head><body><article>{body}{FILLER}</article></body></html>".encode()


def ld(*blocks: Any) -> str:
    return "".join(
        f'<script type="application/ld+json">{json.dumps(block)}</script>' for block in blocks
    )


def about(head: str = "", body: str = "", html: str = "", url: str = URL) -> dict[str, Any]:
    return dict(parse(page(head, body, html), url)["metadata"])


PERSON = {"@type": "Person", "name": "Jane Doe"}


@pytest.mark.parametrize(
    ("head", "body", "authors"),
    [
        (ld({"@type": "NewsArticle", "author": PERSON}), "", ["Jane Doe"]),
        (ld({"@type": "NewsArticle", "author": [PERSON, {"@type": "Person", "name": "John Roe"}]}), "", ["Jane Doe", "John Roe"]),
        (ld({"@type": "NewsArticle", "author": "Jane Doe"}), "", ["Jane Doe"]),
        (ld({"@type": "NewsArticle", "creator": ["Jane Doe", "John Roe"]}), "", ["Jane Doe", "John Roe"]),
        (ld([{"@type": "BreadcrumbList"}, {"@type": ["Thing", "http://schema.org/Article"], "author": PERSON}]), "", ["Jane Doe"]),
        (
            ld({"@graph": [{"@type": "Article", "author": {"@id": "#jane"}}, {"@type": "Person", "@id": "#jane", "name": "Jane Doe"}]}),
            "", ["Jane Doe"],
        ),
        (ld({"@type": "WebPage", "author": PERSON}), "", ["Jane Doe"]),
        (
            ld({"@type": "Article", "author": {"@type": "Person", "givenName": "Gabriel", "familyName": "García Márquez"}}),
            "", ["Gabriel García\u00a0Márquez"],
        ),
        (ld({"@type": "Article", "author": {"@type": "Organization", "name": "Tide Office"}}), "", ["Tide Office"]),
        (ld({"@type": "Product", "review": {"@type": "Review", "author": PERSON}}), "", []),
        (
            ld({"@type": "NewsArticle", "url": "https://other.example.org/", "author": "Somebody Else"},
               {"@type": "NewsArticle", "url": URL, "author": PERSON}),
            "", ["Jane Doe"],
        ),
        ('<meta name="citation_author" content="Doe, Jane"><meta name="citation_author" content="Roe, John">', "",
         ["Jane Doe", "John Roe"]),
        ('<meta name="DC.creator" content="Doe, Jane">', "", ["Jane Doe"]),
        ('<meta name="author" content="Jane Doe"><meta name="author" content="John Roe">', "", ["Jane Doe", "John Roe"]),
        ('<meta name="author" content="jane@doe.example">', "", []),
        ('<meta property="article:author" content="https://facebook.example/jane">', "", []),
        ('<meta property="article:author" content="Jane Doe">', "", ["Jane Doe"]),
        ('<meta property="x article:author" content="Jane Doe">', "", ["Jane Doe"]),
        ("", '<span itemprop="author" itemscope><span itemprop="name">Jane Doe</span>, editor at large</span>', ["Jane Doe"]),
        ("", '<p class="byline">By <a href="/jane">Jane Doe</a> and <a href="/john">John Roe</a></p>', ["Jane Doe", "John Roe"]),
        ("", '<a rel="author" href="/jane">Jane Doe</a>', ["Jane Doe"]),
        ("", '<div><span class="author">Jane Doe</span>, <span class="author">John Roe</span></div>', ["Jane Doe", "John Roe"]),
        ("", '<a href="/authors/jane/">Jane Doe</a>', ["Jane Doe"]),
        ("", "<p>By Jane Doe</p>", ["Jane Doe"]),
        ("", "<p>Posted by marc on 5 April 2015</p>", ["marc"]),
        ("", "<p>By using this site you agree to its terms.</p>", []),
        ("", '<ol class="comment-list"><li class="comment"><b class="comment-author">Troll McTroll</b></li></ol>', []),
        ("", '<aside><span class="author">Jane Doe</span></aside>', []),
        ("", '<p class="byline" style="display:none">By Hidden Hand</p>', []),
        ('<meta name="author" content="Harbour Notes"><meta property="og:site_name" content="Harbour Notes">',
         '<p class="byline">By Jane Doe</p>', ["Jane Doe"]),
        ('<meta name="author" content="jane.doe">', '<p class="byline">By Jane Doe</p>', ["Jane Doe"]),
        # Two against one.
        (ld({"@type": "NewsArticle", "author": "Editor Inchief"}) + '<meta name="author" content="Jane Doe">',
         '<p class="byline">By Jane Doe</p>', ["Jane Doe"]),
        # One place adds a name.
        (ld({"@type": "NewsArticle", "author": PERSON}) + '<meta name="author" content="Jane Doe, John Roe">', "",
         ["Jane Doe", "John Roe"]),
    ],
)  # fmt: skip
def test_authors(head: str, body: str, authors: list[str]) -> None:
    assert about(head, body)["authors"] == authors


def article(author: Any) -> str:
    return ld({"@type": "NewsArticle", "author": author})


JOHN = {"@type": "Person", "name": "John Roe"}
TEXT = "".join(f"<p>{'The tide came in again over the sand. ' * 5}</p>" for _ in range(4))


@pytest.mark.parametrize(
    ("author", "authors"),
    [
        ({"@list": [PERSON, JOHN]}, ["Jane Doe", "John Roe"]),
        ({"@set": [PERSON, JOHN]}, ["Jane Doe", "John Roe"]),
        ({"@value": "Jane Doe"}, ["Jane Doe"]),
        ({"@type": "Person", "name": {"@value": "Анна Иванова", "@language": "ru"}}, ["Анна Иванова"]),
        ({"@type": "Role", "author": PERSON}, ["Jane Doe"]),
        ({"@type": "OrganizationRole", "roleName": "Redakteurin", "author": [PERSON, JOHN]}, ["Jane Doe", "John Roe"]),
        ({"@type": "Person", "name": "", "alternateName": "Luc Moreau"}, ["Luc Moreau"]),
        ({"author": {"author": {"author": {"author": {"author": PERSON}}}}}, []),
    ],
)  # fmt: skip
def test_an_author_within_another_value_of_json_ld(author: Any, authors: list[str]) -> None:
    assert about(article(author))["authors"] == authors


@pytest.mark.parametrize(
    ("label", "text", "authors"),
    [
        ("Written by", "Jane Doe", ["Jane Doe"]),
        ("Verfasst von", "Anna Müller", ["Anna Müller"]),
        ("Écrit par", "Luc Moreau", ["Luc Moreau"]),
        ("Escrito por", "Ana Ruiz", ["Ana Ruiz"]),
        ("Автор:", "Анна Иванова", ["Анна Иванова"]),
        ("投稿者", "山田太郎", ["山田太郎"]),
        ("Est. reading time", "5 minutes", []),
    ],
)
def test_the_author_of_a_card(label: str, text: str, authors: list[str]) -> None:
    head = f'<meta name="twitter:label2" content="{label}"><meta name="twitter:data2" content="{text}">'
    assert about(head)["authors"] == authors


@pytest.mark.parametrize(
    ("head", "body", "authors"),
    [
        ('<meta name="article_author" content="Jane Doe">', "", ["Jane Doe"]),
        ('<meta property="article:author:name" content="Anna Müller">', "", ["Anna Müller"]),
        ('<meta name="DC.Creator.PersonalName" content="Moreau, Luc">', "", ["Luc Moreau"]),
        ("", '<a href="/x" rel="author nofollow">Jane Doe</a>', ["Jane Doe"]),
        ("", '<a href="/x" rel="nofollow author">Ana Ruiz</a>', ["Ana Ruiz"]),
        ("", '<a href="/journalist/luc-moreau">Luc Moreau</a>', ["Luc Moreau"]),
        ("", '<a href="/firmas/ana-ruiz">Ana Ruiz</a>', ["Ana Ruiz"]),
        ("", '<div class="redattore">Mario Rossi</div>', ["Mario Rossi"]),
        ("", '<div class="forfatter">Mette Holm</div>', ["Mette Holm"]),
        ("", '<div class="yazar-adi">Ayşe Yılmaz</div>', ["Ayşe Yılmaz"]),
        ("", '<span class="kirjoittaja">Matti Virtanen</span>', ["Matti Virtanen"]),
    ],
)
def test_names_and_marks_of_authors_in_other_words(
    head: str, body: str, authors: list[str]
) -> None:
    assert about(head, body)["authors"] == authors


@pytest.mark.parametrize(
    ("body", "authors"),
    [
        ("<div><span>By</span><h3><a>Jane Doe</a></h3></div>", ["Jane Doe"]),
        ("<p><span>| By </span><span>Jane Doe</span></p>", ["Jane Doe"]),
        ("<div><div>Interview</div><div>ANNA MÜLLER</div></div>", ["Anna Müller"]),
        ("<div><b>Texte :</b> <i>Luc Moreau</i></div>", ["Luc Moreau"]),
        ("<ul><li>Por</li><li>Ana Ruiz y Juan Gil</li></ul>", ["Ana Ruiz", "Juan Gil"]),
        ("<div><span>By</span> now <span>Jane Doe</span></div>", []),
        ("<div><span>Text</span><span>in large letters</span></div>", []),
        ('<div class="author">Reef Press</div><p><em>Written by: <a>Jane Doe</a></em></p>', ["Jane Doe"]),
    ],
)  # fmt: skip
def test_the_first_word_of_a_byline_in_its_own_element(body: str, authors: list[str]) -> None:
    assert about("", body)["authors"] == authors


@pytest.mark.parametrize(
    ("end", "authors"),
    [
        ("<p><em>Jane Doe</em></p>", ["Jane Doe"]),
        ("<p><b><i>Anna Müller</i></b></p>", ["Anna Müller"]),
        ("<p><strong>Luc Moreau</strong></p><p> </p>", ["Luc Moreau"]),
        ('<p style="text-align: right">Ana Ruiz</p>', ["Ana Ruiz"]),
        ('<p align="right"><em>Анна Иванова</em></p>', ["Анна Иванова"]),
        ("<p>Jane Doe</p>", []),
        ("<p><strong>Further Reading</strong></p><ul><li>On tides</li></ul>", []),
        ("<p>John Roe</p><p><em>Jane Doe</em></p>", []),
        ("<p><em>See also</em> Jane Doe</p>", []),
    ],
)
def test_a_signature_ends_the_text(end: str, authors: list[str]) -> None:
    assert about("", f"<article>{TEXT}{end}</article>")["authors"] == authors


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>Offsets: why the gauge reads high | Harbour Notes</title>", "<h1>Offsets: why the gauge reads high</h1><h2>Offsets</h2>",
         "Offsets: why the gauge reads high"),
        ("<title>Why the gauge reads “high” | Harbour Notes</title>", '<h1>Why the gauge reads "high"</h1>', 'Why the gauge reads "high"'),
        (ld({"@type": "Article", "headline": "Why the gauge reads high"}) + "<title>Gauge</title>",
         "<h1><span>Harbour news</span> Why the gauge reads high</h1>", "Why the gauge reads high"),
        ('<meta property="og:title" content="The gauge | Harbour Notes"><meta property="og:site_name" content="Harbour Notes">', "",
         "The gauge"),
        ('<meta property="og:site_name" content="Harbour Notes"><title>Harbour Notes: The gauge</title>',
         "<h1>Harbour Notes</h1><h2>The gauge</h2>", "The gauge"),
        ('<meta name="citation_title" content="On the gauge"><title>PDF | On the gauge</title>', "", "On the gauge"),
        ('<meta property="og:title" content="Salt &amp;amp; silt">', "", "Salt & silt"),
        (f"<title>{'long ' * 200}</title>", "", f"{' '.join(['long'] * 60)}…"),
    ],
)  # fmt: skip
def test_titles(head: str, body: str, title: str) -> None:
    found = parse(page(head, body), URL)["title"]
    assert found == title
    assert len(found) <= TITLE_LENGTH


@pytest.mark.parametrize(
    ("head", "url", "site"),
    [
        ('<meta property="og:site_name" content="Harbour Notes">', URL, "Harbour Notes"),
        (
            '<meta name="citation_journal_title" content="Journal of Tides"><meta property="og:site_name" content="Press">',
            URL,
            "Journal of Tides",
        ),
        (ld({"@graph": [{"@type": "WebSite", "name": "Harbour Notes"}]}), URL, "Harbour Notes"),
        (
            ld(
                {
                    "@type": "Article",
                    "publisher": {"@type": "Organization", "name": "Harbour Notes"},
                }
            ),
            URL,
            "Harbour Notes",
        ),
        ('<meta name="application-name" content="Harbour Notes">', URL, "Harbour Notes"),
        (
            "<title>The gauge | Harbour Notes</title>",
            "https://harbour-notes.example/x",
            "Harbour Notes",
        ),
        ("<title>The gauge | Readings</title>", URL, ""),
        ("", URL, ""),
    ],
)
def test_sites(head: str, url: str, site: str) -> None:
    assert about(head, url=url)["site"] == site


@pytest.mark.parametrize(
    ("html", "head", "language"),
    [
        ('lang="de"', "", "de"),
        ('lang="en-us"', "", "en-US"),
        ('lang="zh_hans_cn"', "", "zh-Hans-CN"),
        ('lang="nonsense here"', '<meta property="og:locale" content="fr_FR">', "fr-FR"),
        ("", '<meta http-equiv="content-language" content="it">', "it"),
        ("", '<meta name="language" content="German">', ""),
        ("", "", ""),
    ],
)
def test_languages_are_those_declared(html: str, head: str, language: str) -> None:
    assert about(head, html=html)["language"] == language


@given(st.text(max_size=60))
def test_a_language_is_a_tag_or_nothing(text: str) -> None:
    assert normalize_language_tag(normalize_language_tag(text)) == normalize_language_tag(text)


@pytest.mark.parametrize(
    ("head", "url", "doi"),
    [
        (
            '<meta name="citation_doi" content="doi:10.1038/nature14539">',
            URL,
            "10.1038/nature14539",
        ),
        ('<meta name="dc.identifier" content="https://doi.org/10.1000/182">', URL, "10.1000/182"),
        ('<meta name="dc.identifier" content="ISBN 978-3">', URL, ""),
        ("", "https://journal.example.org/doi/full/10.1000/182", "10.1000/182"),
        ("", URL, ""),
    ],
)
def test_dois(head: str, url: str, doi: str) -> None:
    assert about(head, url=url)["doi"] == doi


@pytest.mark.parametrize(
    ("head", "canonical"),
    [
        (
            '<link rel="canonical" href="https://Harbour.example.org:443/a?utm_source=x#top">',
            "https://harbour.example.org/a",
        ),
        ('<link rel="Canonical" href="/a">', "https://harbour.example.org/a"),
        (
            '<meta property="og:url" content="https://harbour.example.org/b">',
            "https://harbour.example.org/b",
        ),
        ('<link rel="canonical" href="javascript:alert(1)">', ""),
        ('<link rel="canonical" href="http://[x">', ""),
        ("", ""),
    ],
)
def test_the_address_a_page_names_as_its_own(head: str, canonical: str) -> None:
    assert about(head)["canonical"] == canonical


# ---------------------------------------------------------------- dates


@pytest.mark.parametrize(
    ("head", "body", "url", "published", "modified"),
    [
        (ld({"@type": "Article", "datePublished": "2024-06-03T10:00:00Z", "dateModified": "2024-07-01"}), "", URL,
         "2024-06-03", "2024-07-01"),
        ('<meta property="article:modified_time" content="2024-07-01T08:00:00Z">', "<h1>The gauge</h1><p>3 June 2024</p>", URL,
         "2024-06-03", "2024-07-01"),
        ('<meta property="article:modified_time" content="2024-07-01T08:00:00Z">', "", URL, "", "2024-07-01"),
        ('<meta property="og:updated_time" content="2023-01-01"><meta name="date" content="2024-06-03">', "", URL, "2024-06-03", ""),
        ('<meta name="citation_publication_date" content="2015/05/27">', "", URL, "2015-05-27", ""),
        ('<meta name="citation_publication_date" content="2015/05">', "", URL, "2015-05", ""),
        ('<meta name="citation_date" content="2015">', "<h1>Tides</h1><p>27 May 2015</p>", URL, "2015-05-27", ""),
        ('<meta name="citation_date" content="2015">', "<h1>Tides</h1><p>3 March 2024</p>", URL, "2015", ""),
        ("", '<time itemprop="datePublished" datetime="2024-06-03 10:20">last week</time>', URL, "2024-06-03", ""),
        ("", "<h1>The gauge</h1><p>Pressemitteilung vom 3. Juni 2024 | Berlin</p>", URL, "2024-06-03", ""),
        ("", "<p>03.06.2024</p><h1>The gauge</h1>", URL, "2024-06-03", ""),
        ("", "", "https://harbour.example.org/2024/06/03/gauge", "2024-06-03", ""),
        ("", "", "https://harbour.example.org/news/03-06-2024", "2024-06-03", ""),
        # A day in Greenwich, and the one the page shows.
        (ld({"@type": "Article", "datePublished": "2024-06-04T01:30:00Z"}), "<h1>The gauge</h1><p>June 3, 2024</p>", URL, "2024-06-03", ""),
        (ld({"@type": "Article", "datePublished": "2024-06-04T01:30:00Z"}), "<h1>The gauge</h1><p>May 1, 2024</p>", URL, "2024-06-04", ""),
        ("", "<h1>The gauge</h1><p>We met on 3 June 2024 to read the gauge, as every year, and found it wrong.</p>", URL, "", ""),
    ],
)  # fmt: skip
def test_days(head: str, body: str, url: str, published: str, modified: str) -> None:
    found = parse(page(head, body), url)
    assert (found["published"], found["metadata"]["modified"]) == (published, modified)


@pytest.mark.parametrize(
    ("shown", "published"),
    [
        ('<time datetime="2024-05">May</time>', "2024-05"),
        ('<abbr class="published" title="2024-05">May</abbr>', "2024-05"),
        ('<p class="date">05/2024</p>', "2024-05"),
        ('<p class="date">2023-02-31</p>', "2023-02"),
        ('<time datetime="2024-05-09T10:00">May</time>', "2024-05-09"),
        ('<p class="date">12.3.21</p>', "2021-03-12"),
        ('<p class="date">12th of March, 2021</p>', "2021-03-12"),
    ],
)
def test_of_a_month_nobody_makes_a_day(shown: str, published: str) -> None:
    assert parse(page("", shown), URL)["published"] == published


def test_where_the_markup_names_a_day_that_cannot_be_no_other_is_guessed() -> None:
    body = page(
        ld({"@type": "Article", "datePublished": "2031-01-01"}),
        '<time datetime="2024-05-09">Opened</time>',
    )
    assert parse(body, URL)["published"] == "2031-01-01"
    assert parse(body, URL, latest="2026-11-21")["published"] == ""


# ---------------------------------------------------------------- the markup itself


def test_the_markup_is_kept_as_it_is_within_bounds() -> None:
    head = (
        ld({"@type": "Article", "headline": "A", "n": 1.5})
        + '<meta property="og:title" content="A"><meta property="og:type" content="article"><meta property="article:tag" content="x">'
        + '<meta name="citation_title" content="A"><meta name="citation_author" content="Doe, Jane">'
        + '<meta name="citation_author" content="Roe, John"><meta name="description" content="not kept">'
    )
    assert parse(page(head), URL)["structured"] == {
        "jsonLd": [{"@type": "Article", "headline": "A", "n": 1.5}],
        "openGraph": {"og:title": "A", "og:type": "article", "article:tag": "x"},
        "citation": {"citation_title": "A", "citation_author": "Doe, Jane; Roe, John"},
    }
    assert parse(page(), URL)["structured"] == {}


def test_markup_beyond_its_bounds_is_left_out() -> None:
    many = "".join(
        f'<meta property="og:x{n}" content="{"v" * 3000}"><meta name="citation_x{n}" content="w">'
        for n in range(200)
    )
    found = parse(page(many), URL)["structured"]
    assert len(found["openGraph"]) + len(found.get("citation", {})) == MAX_ENTRIES
    assert all(len(value.encode()) <= MAX_VALUE_BYTES for value in found["openGraph"].values())
    authors = "".join(
        f'<meta name="citation_author" content="Author{n}, A.">' for n in range(MAX_META_TAGS + 200)
    )
    said = about(authors)
    assert len(said["authors"]) == MAX_NAMES


def test_no_more_json_ld_is_read_than_the_bounds_allow() -> None:
    blocks = parse(page(ld(*({"@type": "Thing", "n": n} for n in range(30)))), URL)["structured"][
        "jsonLd"
    ]
    assert [block["n"] for block in blocks] == list(range(MAX_BLOCKS))
    large = {"@type": "Thing", "text": "x" * (MAX_BLOCK_BYTES - 100)}
    kept = parse(
        page(ld({"@type": "Thing", "text": "x" * MAX_BLOCK_BYTES}, large, large, large)), URL
    )["structured"]["jsonLd"]
    assert len(kept) == MAX_TOTAL_BYTES // MAX_BLOCK_BYTES


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ('{"@type": "Article",}', None),
        ('{"a": NaN}', None),
        ('{"a": 1e999}', None),
        ('"text alone"', None),
        ("", None),
        ("[" * 5000, None),
        ("[" * 5000 + "]" * 5000, None),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), None),
        ('{"a": "line\nbreak"};', {"a": "line\nbreak"}),
        ('<!-- {"a": 1} -->', {"a": 1}),
        ('//<![CDATA[\n{"a": 1}\n//]]>', {"a": 1}),
        ('{"a": "\\u202egnp.exe \\ud800\\u0000x"}', {"a": "gnp.exe x"}),
        ('{"\\u200ba": ["\\u2028"]}', {"a": ["\n"]}),
    ],
)
def test_what_is_no_json_is_passed_over_and_what_cannot_be_seen_goes(
    source: str, value: Any
) -> None:
    found = parse(page(f'<script type="application/ld+json">{source}</script>'), URL)["structured"]
    assert found.get("jsonLd", [None]) == [value]


KEYS = "@type @id @graph author creator name headline publisher url datePublished dateModified mainEntityOfPage".split()
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["Article", *KEYS]) | st.text(max_size=10), inner, max_size=5
        )
    ),
    max_leaves=20,
)
NAMES = st.sampled_from(
    [
        "author",
        "citation_author",
        "og:title",
        "article:published_time",
        "date",
        "og:locale",
        "citation_doi",
        "og:url",
    ]
)


@given(
    st.lists(JSON, max_size=3),
    st.lists(st.tuples(NAMES, st.text(max_size=200)), max_size=8),
    st.text(max_size=200),
)
def test_no_markup_breaks_it_and_what_comes_out_is_clean_and_json(
    blocks: list[Any], metas: list[tuple[str, str]], text: str
) -> None:
    tree = document_fromstring(
        "<html><head><title>x</title></head><body><h1>x</h1><p class='byline'>x</p></body></html>"
    )
    for block in blocks:
        script = tree.makeelement("script", {"type": "application/ld+json"})
        script.text = json.dumps(block)
        tree.head.append(script)
    for name, value in metas:
        tree.head.append(
            tree.makeelement(
                "meta", {"name": name, "content": "".join(filter(str.isprintable, value))}
            )
        )
    tree.body[-1].text = "".join(filter(str.isprintable, text))
    said = page_markup.read_declared(tree, URL)
    day = dates.find_published(tree, said, URL, "")
    title, facts = describe_page(tree, said, url=URL, published=day)
    assert json.loads(
        json.dumps(page_markup.collect_structured_metadata(said), allow_nan=False)
    ) == page_markup.collect_structured_metadata(said)
    assert len(title) <= TITLE_LENGTH
    assert len(facts.site) <= SITE_LENGTH
    assert len(facts.authors) <= MAX_NAMES
    for value in (
        title,
        facts.site,
        *facts.authors,
        facts.language,
        facts.doi,
        facts.canonical,
        day,
        facts.modified,
    ):
        assert value == strip_invisible(value)
        assert "\n" not in value


@pytest.mark.parametrize(
    "unit",
    mark_nth_everyday([
        '<meta name="author" content="by ">', '<span class="author">By A B</span>', '<a href="/author/x">Jane Doe</a>', "<h1>x</h1>",
        "<h1>3 June 2024</h1>", '<div class="author">', "<p>By </p>", '<i itemprop="author">', '<link rel="canonical" href="http://[">',
        "<title>x | </title>", '<script type="application/ld+json">{"@graph":[{"@type":"Article"}]}</script>',
        '<div itemscope itemprop="author">',
    ], 4),
)  # fmt: skip
def test_no_page_takes_longer_than_its_length(unit: str) -> None:
    tree = document_fromstring(f"<html><body>{unit * 8000}</body></html>")
    with check_cpu_time(0.5):
        said = page_markup.read_declared(tree, URL)
        describe_page(tree, said, url=URL, published=dates.find_published(tree, said, URL, ""))


def test_a_saved_page_and_one_read_in_a_child_say_the_same() -> None:
    head = '<link rel="canonical" href="https://harbour.example.org/a">' + ld(
        {"@type": "Article", "author": PERSON}
    )
    small, large = read_html(page(head), ""), read_html(page(head, " " * MAX_IN_PROCESS_BYTES), "")
    assert small.metadata == large.metadata
    assert small.structured == large.structured
    assert (small.metadata.authors, small.final_url) == (
        ("Jane Doe",),
        "https://harbour.example.org/a",
    )


def test_what_a_page_says_is_the_same_each_time() -> None:
    body = page(
        ld({"@type": "Article", "author": [PERSON, "John Roe"]}),
        '<p class="byline">By Jane Doe</p>',
    )
    assert parse(body, URL) == parse(body, URL)
