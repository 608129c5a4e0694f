"""DOCX and PPTX as pages: headings, lists, tables, notes; what nobody sees is left out and counted;
other containers are named.
"""

from __future__ import annotations

import io

import docx as python_docx
import pytest

from research_core.errors import FetchError
from research_core.web.documents.office import parse
from research_core.web.documents.ooxml import HIDDEN_BY_AUTHOR
from research_core.web.documents.slides import HIDDEN_SLIDE
from research_core.web.documents.tally import OFF_SCREEN, SAME_COLOUR, TOO_SMALL
from research_core.web.documents.word import TRACKED_DELETION
from tests.office_files import (
    MC,
    W,
    archive,
    core,
    docx,
    p,
    parts_of,
    pptx,
    r,
    references,
    shape,
    table,
    types,
)

LONG = "These words were left where nobody would read them."


def text_of(body: str, **parts: str) -> str:
    return parse(docx(body, **parts)).text


# ---------------------------------------------------------------- Word


STYLES = """
<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/></w:style>
<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="H2"/></w:style>
<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="Out"><w:name w:val="Out"/><w:pPr><w:outlineLvl w:val="3"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>
<w:style w:type="paragraph" w:styleId="List"><w:name w:val="List Bullet"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
<w:style w:type="character" w:styleId="Gone"><w:name w:val="Gone"/><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="table" w:styleId="Dark"><w:name w:val="Dark"/><w:tcPr><w:shd w:val="clear" w:fill="202020"/></w:tcPr></w:style>
"""
NUMBERING = """
<w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="8"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl>
<w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>
"""


def styled(name: str) -> str:
    return f'<w:pStyle w:val="{name}"/>'


def item(text: str, level: int = 0, number: int = 2) -> str:
    return p(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (p("One") + p("Two"), "One\n\nTwo"),
        (p("Head", styled("Title")) + p("Part", styled("H2")), "# Head\n\n## Part"),
        (p("A", styled("Mine")) + p("B", styled("Out")) + p("C", styled("Loop")) + p("D", styled("None")), "## A\n\n#### B\n\nC\n\nD"),
        (p("Direct", '<w:outlineLvl w:val="0"/>'), "# Direct"),
        (p("Contents 1", styled("TOC1")) + p("Text"), "Text"),
        (p("a", styled("List")) + p("b", styled("List")) + p("c"), "- a\n- b\n\nc"),
        (item("a") + item("b") + item("x", 1) + item("y", 1) + item("c") + item("z", 1), "1. a\n2. b\n  1. x\n  2. y\n3. c\n  1. z"),
        (item("a", number=0), "a"),
        (item("deep", 99), "                - deep"),
        (f"<w:p>{r('a ')}<w:r><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r></w:p>", "a b\nc-d"),
        (f"<w:p><w:hyperlink>{r('link')}</w:hyperlink><w:ins>{r(' new')}</w:ins><w:fldSimple>{r(' 7')}</w:fldSimple></w:p>", "link new 7"),
        (f"<w:sdt><w:sdtContent>{p('in a control')}</w:sdtContent></w:sdt>", "in a control"),
        ("<w:p><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>4</w:t></w:r></w:p>", "4"),
        ('<w:p xmlns:m="m"><m:oMath><m:r><m:t>x</m:t></m:r><m:r><m:t>=2</m:t></m:r></m:oMath></w:p>', "x=2"),
        (table(("Mark", "Offset"), ("A", "14|2")), "| Mark | Offset |\n|---|---|\n| A | 14\\|2 |"),
        (table(("only", ""), ("one column", "")), "only\n\none column"),
        (table(("a" * 600, "b" * 600)), "a" * 600 + "\n\n" + "b" * 600),
        (
            f'<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{p("wide")}</w:tc><w:tc>{p("x")}</w:tc></w:tr>'
            f"<w:tr><w:tc>{p('1')}</w:tc><w:tc>{p('2')}</w:tc><w:tc>{p('3')}</w:tc></w:tr></w:tbl>",
            "| wide |  | x |\n|---|---|---|\n| 1 | 2 | 3 |",
        ),
        (
            f"<w:tbl><w:tr><w:tc>{table(('in', 'ner'))}{p('after')}</w:tc><w:tc>{p('b')}</w:tc></w:tr></w:tbl>",
            "| in ner after | b |\n|---|---|",
        ),
        (
            f"<w:p>{r('around')}<w:r><mc:AlternateContent {MC}><mc:Choice><w:drawing><w:txbxContent>{p('boxed')}</w:txbxContent>"
            f"</w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent>{p('boxed')}</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
            "</w:p>",
            "around\n\nboxed",
        ),
    ],
)  # fmt: skip
def test_a_word_document_is_blocks(body: str, text: str) -> None:
    assert text_of(body, styles=STYLES, numbering=NUMBERING) == text


def test_footnotes_stand_at_the_end_in_the_order_of_their_marks() -> None:
    notes = (
        f'<w:footnote w:id="-1" w:type="separator">{p()}</w:footnote><w:footnote w:id="5">{p("Later.")}</w:footnote>'
        f'<w:footnote w:id="9">{p("Sooner.")}</w:footnote><w:footnote w:id="10">{p("Never referred to.")}</w:footnote>'
    )
    marks = '<w:p><w:r><w:t>One</w:t><w:footnoteReference w:id="9"/><w:t>, two</w:t><w:footnoteReference w:id="5"/></w:r></w:p>'
    assert text_of(marks, footnotes=notes) == "One[^1], two[^2]\n\n[^1]: Sooner.\n\n[^2]: Later."


WHITE, TINY, VANISH = '<w:color w:val="FFFFFF"/>', '<w:sz w:val="2"/>', "<w:vanish/>"
SHADED = '<w:shd w:val="clear" w:fill="1F3864"/>'


@pytest.mark.parametrize(
    ("hidden", "reason"),
    [
        (p(LONG, run=VANISH), HIDDEN_BY_AUTHOR),
        (p(LONG, run='<w:vanish w:val="true"/>'), HIDDEN_BY_AUTHOR),
        (p(LONG, run='<w:rStyle w:val="Gone"/>'), HIDDEN_BY_AUTHOR),
        (f"<w:p>{r(LONG[:20], VANISH)}{r(LONG[20:], VANISH)}</w:p>", HIDDEN_BY_AUTHOR),
        (p(LONG, run=WHITE), SAME_COLOUR),
        (p(LONG, run=WHITE + '<w:shd w:val="clear" w:fill="FFFFFF"/>'), SAME_COLOUR),
        (p(LONG, run=TINY), TOO_SMALL),
        (f"<w:p><w:del><w:r><w:delText>{LONG}</w:delText></w:r></w:del></w:p>", TRACKED_DELETION),
        (f"<w:p><w:moveFrom>{r(LONG)}</w:moveFrom></w:p>", TRACKED_DELETION),
        (table((LONG, "b")).replace("<w:tr>", "<w:tr><w:trPr><w:del/></w:trPr>"), TRACKED_DELETION),
    ],
)
def test_what_nobody_sees_is_left_out_and_counted(hidden: str, reason: str) -> None:
    page = parse(docx(p("Shown.") + hidden, styles=STYLES))
    assert page.text == "Shown."
    assert page.hidden.counts == {reason: 1}
    assert page.hidden.samples[0][1].startswith(LONG)


@pytest.mark.parametrize(
    "seen",
    [
        p(LONG, run='<w:vanish w:val="0"/>'),
        p(LONG, run='<w:rStyle w:val="Gone"/><w:vanish w:val="false"/>'),
        p(LONG, run=WHITE + SHADED),
        p(LONG, SHADED, run=WHITE),
        p(LONG, run=WHITE + '<w:highlight w:val="blue"/>'),
        f"<w:tbl><w:tr><w:tc><w:tcPr>{SHADED}</w:tcPr>{p(LONG, run=WHITE)}</w:tc></w:tr></w:tbl>",
        f'<w:tbl><w:tblPr><w:tblStyle w:val="Dark"/></w:tblPr><w:tr><w:tc>{p(LONG, run=WHITE)}</w:tc></w:tr></w:tbl>',
        p(LONG, run='<w:color w:val="C00000"/><w:sz w:val="12"/>'),
    ],
)
def test_what_can_be_seen_stays(seen: str) -> None:
    page = parse(docx(seen, styles=STYLES))
    assert (page.text, page.hidden.total) == (LONG, 0)


def test_a_document_says_who_wrote_it_and_when() -> None:
    said = core(
        "The gauge of the pier",
        "Jane Doe;John Roe",
        "2024-03-05T10:00:00Z",
        "2025-01-02T00:00:00Z",
        "en-GB",
    )
    page = parse(docx(p("Text."), said=said), "https://example.org/a")
    assert (page.title, page.published, page.kind, page.url) == (
        "The gauge of the pier",
        "2024-03-05",
        "docx",
        "https://example.org/a",
    )
    assert (page.metadata.authors, page.metadata.modified, page.metadata.language) == (
        ("Jane Doe", "John Roe"),
        "2025-01-02",
        "en-GB",
    )


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (core("Microsoft Word - report.docx"), "A heading"),
        (core("untitled"), "A heading"),
        (core(), "A heading"),
        ("<broken", "A heading"),
        (core("A title of words"), "A title of words"),
    ],
)
def test_a_title_that_is_none_is_not_believed(said: str, title: str) -> None:
    assert (
        parse(docx(p("First words") + p("A heading", '<w:outlineLvl w:val="0"/>'), said=said)).title
        == title
    )


def test_a_document_that_a_program_wrote() -> None:
    paper = python_docx.Document()
    paper.core_properties.title, paper.core_properties.author = "Tides of the north", "Ann Lee"
    paper.add_heading("Readings", 1)
    paper.add_paragraph("The gauge rose.")
    paper.add_paragraph("first", style="List Number")
    paper.add_paragraph("second", style="List Number")
    paper.add_paragraph("dot", style="List Bullet")
    grid = paper.add_table(2, 2)
    for cell, text in zip(
        (cell for row in grid.rows for cell in row.cells),
        ("Mark", "Offset", "A", "14.2"),
        strict=True,
    ):
        cell.text = text
    out = io.BytesIO()
    paper.save(out)
    page = parse(out.getvalue())
    assert (
        page.text
        == "# Readings\n\nThe gauge rose.\n\n1. first\n2. second\n- dot\n\n| Mark | Offset |\n|---|---|\n| A | 14.2 |"
    )
    assert (page.title, page.metadata.authors) == ("Tides of the north", ("Ann Lee",))


# ---------------------------------------------------------------- presentations


def test_a_presentation_is_a_heading_for_each_slide() -> None:
    cells = "".join(f"<a:tr>{''.join(f'<a:tc><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>' for text in row)}</a:tr>"
                    for row in (("Mark", "Offset"), ("A", "14.2")))  # fmt: skip
    frame = f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{cells}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    body = pptx(
        shape("The tides", kind="ctrTitle") + shape("A talk", kind="subTitle"),
        shape("Readings", kind="title")
        + shape("first", "second", kind="body")
        + shape("7", kind="sldNum")
        + frame,
        f"<p:grpSp><p:grpSpPr/>{shape('in a group')}</p:grpSp>",
        "",
        notes={2: shape("Say it slowly.", "Twice.", kind="body") + shape("2", kind="sldNum")},
        said=core("Tides of the north", "Ann Lee", "2024-03-05T10:00:00Z"),
    )
    page = parse(body)
    assert page.text.split("\n\n") == [
        "## Slide 1: The tides", "A talk", "## Slide 2: Readings", "- first\n- second", "| Mark | Offset |\n|---|---|\n| A | 14.2 |",
        "Speaker notes: Say it slowly. Twice.", "## Slide 3", "in a group",
    ]  # fmt: skip
    assert (page.kind, page.title, page.published, page.metadata.authors) == (
        "pptx",
        "Tides of the north",
        "2024-03-05",
        ("Ann Lee",),
    )
    assert parse(pptx(shape("The tides", kind="title"))).title == "The tides"


@pytest.mark.parametrize(
    ("slides", "hidden", "reason"),
    [
        ((shape("Shown."), shape(LONG)), frozenset({2}), HIDDEN_SLIDE),
        ((shape("Shown.") + shape(LONG, hidden=True),), frozenset(), HIDDEN_BY_AUTHOR),
        ((shape("Shown.", at=(0, 0)) + shape(LONG, at=(2000, 0)),), frozenset(), OFF_SCREEN),
        ((shape("Shown.") + shape(LONG, at=(-500, 10)),), frozenset(), OFF_SCREEN),
    ],
)
def test_hidden_slides_and_shapes_are_left_out_and_counted(
    slides: tuple[str, ...], hidden: frozenset[int], reason: str
) -> None:
    page = parse(pptx(*slides, hidden=hidden))
    assert page.text == "## Slide 1\n\nShown."
    assert (page.hidden.counts, page.hidden.samples[0][1]) == ({reason: 1}, LONG)


CHART = """<c:chartSpace xmlns:c="c" xmlns:a="a"><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Rise</a:t></a:r></a:p></c:rich></c:tx>
</c:title>
<c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>mm a year</c:v></c:pt></c:strCache></c:strRef></c:tx>
<c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>North</c:v></c:pt><c:pt idx="1"><c:v>South</c:v></c:pt></c:strCache></c:strRef></c:cat>
<c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>2.4</c:v></c:pt><c:pt idx="1"><c:v>2.1</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>
</c:barChart></c:plotArea></c:chart></c:chartSpace>"""
DRAWN = '<c:chart xmlns:c="c" xmlns:q="r" q:id="rId7"/>'
CHART_TEXT = "Rise\n\n|  | mm a year |\n|---|---|\n| North | 2.4 |\n| South | 2.1 |"


@pytest.mark.parametrize(
    ("body", "references_of", "chart", "text"),
    [
        (
            docx(f"<w:p>{r('Seen')}<w:r><w:drawing>{DRAWN}</w:drawing></w:r></w:p>"),
            "word/_rels/document.xml.rels",
            "word/c.xml",
            "Seen\n\n",
        ),
        (
            pptx(f"<p:graphicFrame>{DRAWN}</p:graphicFrame>"),
            "ppt/slides/_rels/slide1.xml.rels",
            "ppt/slides/c.xml",
            "## Slide 1\n\n",
        ),
    ],
    ids=["docx", "pptx"],
)
def test_a_chart_is_the_table_of_its_numbers(
    body: bytes, references_of: str, chart: str, text: str
) -> None:
    parts = parts_of(body)
    parts[references_of] = references({"rId7": "chart c.xml"}).encode()
    assert parse(archive(parts | {chart: CHART.encode()})).text == text + CHART_TEXT


# ---------------------------------------------------------------- what is no such document


MACROS = "application/vnd.ms-word.document.macroEnabled.main+xml"


def test_macros_make_no_difference() -> None:
    assert parse(docx(p("Text."), main_type=MACROS)).kind == "docx"


def test_a_document_of_the_strict_kind_is_read() -> None:
    strict = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    parts = {
        "[Content_Types].xml": types({"word/document.xml": MACROS}),
        "word/document.xml": f'<d xmlns="{strict}"><body><p><r><t>x</t></r></p></body></d>',
    }
    assert parse(archive(parts)).text == "x"


def failure(body: bytes) -> FetchError:
    with pytest.raises(FetchError) as raised:
        parse(body)
    return raised.value


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        ({"[Content_Types].xml": types({}), "xl/workbook.xml": "<x/>"}, "a spreadsheet (XLSX)"),
        (
            {"mimetype": "application/epub+zip", "META-INF/container.xml": ""},
            "an e-book (EPUB)",
        ),
        ({"mimetype": "application/vnd.oasis.opendocument.text"}, "a document (ODT)"),
        ({"META-INF/MANIFEST.MF": ""}, "a program (JAR)"),
        ({"a.txt": "a", "b/": "", "b/c.docx": docx(p("x"))}, "an archive (ZIP)"),
        ({"word/document.xml": "<x/>"}, "an archive (ZIP)"),
        ({"[Content_Types].xml": types({"word/missing.xml": MACROS})}, "an archive (ZIP)"),
    ],
)
def test_another_container_is_named(parts: dict[str, str | bytes], name: str) -> None:
    error = failure(archive(parts))
    assert (error.kind, error.message) == (
        "unsupported",
        f"This is {name}, which Assay does not read.",
    )


ENTITIES = (
    '<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
)


@pytest.mark.parametrize(
    ("main", "kind"),
    [
        ("<broken", "unsupported"),
        (f"<w:document {W}><w:body/></w:document>", "content_empty"),
        (
            f"{ENTITIES}<w:document {W}><w:body><w:p><w:r><w:t>&b;&f;</w:t></w:r></w:p></w:body></w:document>",
            "content_empty",
        ),
        ("<a>" * 5_000, "unsupported"),
    ],
)
def test_a_document_without_text_says_why(main: str, kind: str) -> None:
    body = archive(
        {"[Content_Types].xml": types({"word/document.xml": MACROS}), "word/document.xml": main}
    )
    assert failure(body).kind == kind


def test_a_long_document_is_read_as_far_as_2_million_characters() -> None:
    page = parse(docx(p("word " * 100) * 4_200))
    assert 1_900_000 < len(page.text) <= 2_000_000
    assert page.metadata.cut == f"The first {len(page.text):,} characters were read."
