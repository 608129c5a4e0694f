"""Documents of every kind, damaged at random: each gives a page or a clear error, never anything
else.

Small documents that are in order are made here, then bytes of them, or of their parts, are lost,
doubled or replaced. Other documents are put together at random out of what the kind is made of.
Readers are called in this process; that of PDF, whose reader is no Python, in a child, which must
not die of it either.
"""

from __future__ import annotations

import json
import re
import resource
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import ERROR_KINDS, FetchError
from research_core.model_messages import Json
from research_core.models import Page
from research_core.text.dates import parse_iso_date
from research_core.text.words import strip_invisible
from research_core.web import html
from research_core.web.documents.data import parse_json, parse_separated
from research_core.web.documents.markup import convert_to_html, parse_xml
from research_core.web.documents.office import parse as parse_office
from research_core.web.documents.plain_text import read_text
from research_core.web.documents.sandbox import SHARED_SANDBOX
from research_core.web.documents.tables import format_table
from tests.office_files import archive, core, docx, p, parts_of, pptx, r, shape, table
from tests.pdf_files import pdf

MOST = (
    2**30
)  # bytes of data this process may take besides what it holds: a document of 1 kB that takes more is a bomb


@pytest.fixture(autouse=True)
def guarded() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    held = re.search(r"VmData:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    assert held
    resource.setrlimit(resource.RLIMIT_DATA, (1024 * int(held[1]) + MOST, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_DATA, before)


def ends_well(
    parse: Callable[..., Page | Json], body: bytes, *may_fail_as: str, **options: Any
) -> None:
    """It gives a page of clean text, or a FetchError of a known kind, of these where any are named."""
    try:
        found = parse(body, **options)
    except FetchError as error:
        assert error.kind in (may_fail_as or ERROR_KINDS)  # noqa: PT017 – damaged documents may fail, in this way alone
        assert error.message == strip_invisible(error.message)  # noqa: PT017
        return
    if isinstance(found, Page):
        said, dates = (
            [found.text, found.title, *found.metadata.authors],
            [found.published, found.metadata.modified],
        )
    else:
        said, dates = (
            [found["text"], found["title"], *found["metadata"]["authors"]],
            [found["published"], found["metadata"]["modified"]],
        )
    assert said[0].strip()
    assert said == [strip_invisible(each) for each in said]
    assert dates == [parse_iso_date(each) for each in dates]  # "" or what a calendar has
    json.dumps(said)


# ---------------------------------------------------------------- damage

SIGNS = [
    b"<",
    b">",
    b"</",
    b"/>",
    b"&",
    b";",
    b'"',
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b"\\",
    b"\x00",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\n\n",
    b"|",
]


@st.composite
def damaged(draw: st.DrawFn, body: bytes, *, more: list[bytes] | None = None) -> bytes:
    """The bytes after one to four accidents: a stretch lost, doubled, replaced by junk, or all the
    rest cut off.
    """
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(body)))
        end = min(len(body), place + draw(st.integers(0, 40)))
        junk = draw(st.binary(max_size=12) | st.sampled_from([*SIGNS, *(more or [])]))
        after = {
            "lost": b"",
            "doubled": body[place:end] * draw(st.integers(2, 9)),
            "replaced": junk,
            "cut": b"",
        }
        accident = draw(st.sampled_from(sorted(after)))
        body = body[:place] + after[accident] + (b"" if accident == "cut" else body[end:])
    return body


def damage_of(*bodies: bytes, more: list[bytes] | None = None) -> st.SearchStrategy[bytes]:
    return st.one_of([damaged(body, more=more) for body in bodies])


# ---------------------------------------------------------------- HTML and XHTML

PAGE = b"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>The gauge</title><meta name="author" content="Jane Doe">
<meta property="article:published_time" content="2024-03-05T10:00:00Z"><link rel="canonical" href="https://example.org/a">
<script type="application/ld+json">{"@type": "Article", "author": [{"name": "Jane Doe"}], "datePublished": "2024-03-05"}</script>
<style>.gone { display: none } #far { left: -9999px }</style></head><body><nav><a href="/">Home</a></nav><article><h1>The gauge</h1>
<p>The gauge on the north pier <b>rose</b> by 2.4 mm a year.</p><ul><li>one<li>two</ul><table><tr><th>Mark<th>Offset<tr><td>A<td>14</table>
<p class="gone">These words are left where nobody reads.</p><pre>code</pre><!-- a note --></article><noscript>x</noscript></body></html>"""
XHTML = b"""<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "xhtml1-strict.dtd">
<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head><h:title>T&eacute;</h:title><h:script src="x"/></h:head><h:body><h:p>One&nbsp;two
<h:br/></h:p><h:p><![CDATA[a < b]]></h:p></h:body></h:html>"""
TAGS = (
    "a b p div span table tr td th ul li pre code svg math template "
    "select option noscript style script title head body frameset br"
).split()


def tagged(text: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Elements in and beside each other, some never closed, some closed that were not opened."""
    opening = st.builds(
        "<{}{}>".format,
        st.sampled_from(TAGS),
        st.sampled_from(["", " hidden", ' style="display:none', ' class="a b"', "/"]),
    )
    return st.lists(
        opening | st.builds("</{}>".format, st.sampled_from(TAGS)) | text, max_size=30
    ).map("".join)


words = st.text(max_size=8) | st.sampled_from(
    [
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "&#0;",
        "&#xD800;",
        "&amp",
        "&notin;",
        "\x00",
        "<?x",
        "\u200b",
    ]
)


@given(damage_of(PAGE) | tagged(words).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_damaged_html(body: bytes) -> None:
    ends_well(html.parse, body, "content_empty", url="https://example.org/a")


@given(
    damage_of(XHTML, more=[b"<!ENTITY a '&a;'>", b"<?xml version='1.1'?>", b"xmlns:h='x'"])
    | tagged(words).map(str.encode)
)
def test_damaged_xhtml(body: bytes) -> None:
    assert convert_to_html(body).keys() == {"html"}
    ends_well(
        lambda given: html.parse(
            convert_to_html(given)["html"].encode("utf-8", "replace"),
            "",
            "text/html; charset=utf-8",
        ),
        body,
        "content_empty",
    )


# ---------------------------------------------------------------- Markdown, text, JSON, separated values

MARKDOWN = b"""---\ntitle: "The gauge"\nauthor: Jane Doe, John Roe\ndate: 2024-03-05\nupdated: D:20240306\n---\n\n# The gauge\n\nIt reads [high](https://example.org).
\n- one\n- two\n  1. three\n\n| Mark | Offset |\n|---|---|\n| A | 14.2 |\n\n```\ncode\n```\n\n<!-- note -->\n[x]: https://example.org 'y'
\n<p style="display:none">These words are left where nobody reads.</p>\n\nA line that was bro-\nken to fit a width,\nand its end.\n"""
JSON = b"""{"title": "The gauge", "date": "2024-03-05", "authors": [{"name": "Jane Doe"}, "John Roe"], "readings": [
{"mark": "A", "mm": 14.2}, {"mark": "B", "mm": -1e400, "note": null}],
"body": "<p>One</p><p hidden>These words are left where nobody reads.</p>", "tags": ["a"]}"""
CSV = b'mark;offset;note\nA;14,2;"a; ""quoted"" one"\nB;3,5;"two\nlines"\n\n;;\nC;;\n'


@given(
    damage_of(MARKDOWN, more=[b"---", b"<!--", b"```", b"[//]: #", b"<p hidden>", b"2023-02-31"])
)
def test_damaged_markdown(body: bytes) -> None:
    ends_well(read_text, body, "content_empty", kind="markdown")


@given(
    damage_of(MARKDOWN)
    | st.binary(max_size=200)
    | st.text(max_size=100).map(lambda text: text.encode("utf-16"))
)
def test_damaged_text(body: bytes) -> None:
    ends_well(read_text, body, "content_empty", prose=len(body) % 2 == 0)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | tagged(words),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(
            st.sampled_from(["title", "authors", "date", "name"]) | st.text(max_size=6), inner
        )
    ),
    max_leaves=15,
)


@given(
    damage_of(JSON, b"\n".join([JSON.replace(b"\n", b"")] * 2))
    | values.map(lambda value: json.dumps(value).encode())
)
def test_damaged_json(body: bytes) -> None:
    ends_well(parse_json, body, "content_empty", "unsupported")


@given(damage_of(CSV, CSV.replace(b";", b"\t"), CSV.replace(b";", b","), more=[b'"', b";", b"\r"]))
def test_damaged_separated_values(body: bytes) -> None:
    ends_well(parse_separated, body, "content_empty")


@given(st.lists(st.lists(st.text(max_size=6), max_size=5), max_size=5))
def test_any_rows_make_a_table(rows: list[list[str]]) -> None:
    """As many cells in every row, and the words of each where they were."""
    written = [re.split(r"(?<!\\)\|", line) for line in format_table(rows).split("\n") if line]
    assert len({len(cells) for cells in written}) <= 1
    assert all(cells[0] == cells[-1] == "" for cells in written)
    said = [[" ".join(text.split()) for text in row if text.split()] for row in rows]
    told = [
        [cell.strip(" ").replace("\\|", "|") for cell in cells[1:-1] if cell.strip(" ")]
        for n, cells in enumerate(written)
        if n != 1
    ]
    assert told == [row for row in said if row]


# ---------------------------------------------------------------- feeds and other XML

RSS = b"""<?xml version="1.0"?><rss version="2.0" xmlns:content="c" xmlns:dc="d"><channel><title>News &amp; views</title>
<description>All.</description><language>en</language><item><title>One</title>
<link>https://example.org/1</link><pubDate>Mon, 12 Feb 2024 10:00:00 GMT</pubDate>
<dc:creator>Jane Doe</dc:creator><content:encoded><![CDATA[<p>Long <b>text</b></p>]]></content:encoded></item></channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><title type="html">A &amp;amp; B</title><updated>2024-03-01</updated>
<entry><title>E</title><link rel="alternate" href="https://example.org/2"/><author><name>Jane Doe</name></author><content type="xhtml">
<div xmlns="http://www.w3.org/1999/xhtml"><p>In <i>it</i></p></div></content></entry></feed>"""
LIST = b"""<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e "one"><!ENTITY f "&e;&e;">]><a xml:lang="de"><title>T</title><b>w&f;<c>x</c></b></a>"""  # noqa: E501
XML_SIGNS = [
    b"<!ENTITY a SYSTEM 'file:///etc/passwd'>",
    b"&a;",
    b"<![CDATA[",
    b"]]>",
    b"<item>",
    b"xmlns='x'",
    b"&#0;",
    b"<?x ?>",
    b"<entry/>",
]


@given(damage_of(RSS, ATOM, LIST, more=XML_SIGNS))
def test_damaged_feeds_and_xml(body: bytes) -> None:
    ends_well(parse_xml, body, "content_empty", "unsupported")


# ---------------------------------------------------------------- PDF

PAPER = pdf(
    "The gauge on the north pier rose by\n2.4 millimetres a year.",
    "Second page (with brackets) \\ and more",
    information="/Title (Of the tides)",
)
PDF_SIGNS = [
    b"endobj", b"stream\n", b"endstream", b"<<", b">>", b"/Kids [2 0 R]", b"/Count 2147483647", b"/Length 99999999999", b"2 0 R",
    b"/Type /Page", b"xref\n0 99999999", b"startxref\n0", b"/Prev 10", b"/Filter /FlateDecode", b"/Encrypt 1 0 R", b"-2147483648",
    b"() Tj", b" Tr ",
]  # fmt: skip


@given(damage_of(PAPER, more=PDF_SIGNS))
def test_damaged_pdf(body: bytes) -> None:
    ends_well(lambda given: SHARED_SANDBOX.read("pdf", given), body, "content_empty", "unsupported")


# ---------------------------------------------------------------- office documents

_BODY = (
    p("Heading", '<w:pStyle w:val="H"/>') + p("a", '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>')
    + table(("a", "b"), ("c", "d")) + f'<w:p>{r("seen ")}{r("These words are left where nobody reads.", "<w:vanish/>")}'
    + f'<w:del>{r("gone")}</w:del>'
    + '<w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
)  # fmt: skip
_NUMBERING = '<w:abstractNum w:abstractNumId="3"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>'
_STYLES = '<w:style w:styleId="H"><w:name w:val="heading 1"/><w:basedOn w:val="H"/></w:style>'
WORD = parts_of(
    docx(
        _BODY,
        styles=_STYLES,
        numbering=_NUMBERING + '<w:num w:numId="1"><w:abstractNumId w:val="3"/></w:num>',
        footnotes=f'<w:footnote w:id="2">{p("A note.")}</w:footnote>',
        said=core("Of the tides", "Jane Doe"),
    )
)
_FIRST_SLIDE = shape("The tides", kind="title") + shape("a", "b", kind="body")
SLIDES = parts_of(
    pptx(
        _FIRST_SLIDE,
        shape("off", at=(9999, 0)),
        notes={1: shape("Say it.", kind="body")},
        said=core("T"),
    )
)
OFFICE_SIGNS = [
    b'w:val="-99999999999999999999"', b'w:val="\xd9\xa3"', b'w:ilvl w:val="9999999"', b"<w:tbl>", b"<w:tr>", b"<w:tc>", b"</w:p>", b"<w:p>",
    b"<a:p>", b'w:gridSpan w:val="99999999"', b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"../../../../etc/passwd",
    b"/ppt/presentation.xml", b'r:id=""',
]  # fmt: skip


def damaged_parts(parts: Mapping[str, bytes]) -> st.SearchStrategy[bytes]:
    """The container with one or two of its parts damaged, so that the damage lies within and not in
    the container.
    """
    names = st.lists(st.sampled_from(sorted(parts)), min_size=1, max_size=2, unique=True)
    some = names.flatmap(
        lambda chosen: st.fixed_dictionaries(
            {name: damaged(parts[name], more=OFFICE_SIGNS) | st.just(b"") for name in chosen}
        )
    )
    return some.map(lambda changed: archive({**parts, **changed}))


@given(
    damaged_parts(WORD)
    | damage_of(archive(WORD), more=[b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06"])
)
def test_damaged_docx(body: bytes) -> None:
    ends_well(parse_office, body, "content_empty", "unsupported", "too_large")


@given(
    damaged_parts(SLIDES)
    | damage_of(archive(SLIDES), more=[b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06"])
)
def test_damaged_pptx(body: bytes) -> None:
    ends_well(parse_office, body, "content_empty", "unsupported", "too_large")


PIECES = (
    "p r t tbl tr tc tcPr pPr rPr pStyle vanish del ins delText br tab drawing txbxContent AlternateContent Choice Fallback sdt sdtContent "
    "hyperlink oMath footnoteReference numPr ilvl numId gridSpan color sz shd trPr"
).split()


def word_xml() -> st.SearchStrategy[str]:
    """Elements of Word in any order within each other, with values that fit and values that do not."""
    name, said = (
        st.sampled_from(PIECES),
        st.sampled_from(["0", "1", "-1", "FFFFFF", "heading 1", "H", "9" * 30, "\u0663", ""]),
    )
    leaf = st.sampled_from(["text", "", "&amp;", "x" * 40]) | st.builds(
        '<w:{} w:val="{}" w:id="2"/>'.format, name, said
    )
    return st.recursive(
        leaf,
        lambda inner: st.builds(
            '<w:{0} w:val="{1}">{2}</w:{0}>'.format,
            name,
            said,
            st.lists(inner, max_size=4).map("".join),
        ),
        max_leaves=20,
    )


@given(word_xml(), word_xml(), word_xml())
def test_any_word_xml(body: str, styles: str, numbering: str) -> None:
    ends_well(
        parse_office, docx(body, styles=styles, numbering=numbering), "content_empty", "unsupported"
    )
