"""Export a report as DOCX: heading styles, hyperlinks, numbered sources, a table of scores.

All of it is text: no field code, no macro, nothing linked in, so that opening it computes and loads
nothing. Foreign text was cleaned of what XML cannot hold when the parts were made.
"""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from research_core.export import archive, outline
from research_core.export.cells import clean_line
from research_core.export.document import (
    DocumentPart,
    TextRun,
    encode_web_url,
    format_mark,
    get_check,
    is_label_run,
    is_right_to_left,
    join_run_text,
)
from research_core.i18n import in_report_language
from research_core.i18n import is_right_to_left as speaks_right_to_left
from research_core.models import Report

if TYPE_CHECKING:
    from docx.document import Document
    from docx.table import Table
    from docx.text.paragraph import Paragraph
    from docx.text.run import Run

#: The style in Word's own template of each kind of part, and its indent in millimetres.
PART_STYLES = {
    "title": ("Title", 0),
    "facts": ("Normal", 0),
    "notice": ("Intense Quote", 0),
    "paragraph": ("Normal", 0),
    "bullet": ("List Bullet", 0),
    "numbered": ("Normal", 7),
    "quote": ("Quote", 7),
    "source": ("Normal", 10),
    "cited": ("Normal", 10),
    "detail": ("Normal", 10),
    "passage": ("Normal", 14),
    "method": ("List Bullet", 0),
}
SMALL_SIZES = {"facts": 8.5, "detail": 8.5, "passage": 9, "method": 9}
TONE_COLOURS = {"green": "2F7D46", "orange": "A4560F", "red": "B3392F", "gray": "6F6A5F"}
LINK_COLOUR = "1D5B8F"
#: A superscript keeps a little more than half of it.
_MARK_SIZE_PT = 13
_PARAGRAPH_SPACING_PT = 4


@in_report_language
def render_docx(built: Report) -> bytes:
    from docx import Document as new

    paper = new()
    set_properties(paper, built.question, built.created)
    for part in outline.build_outline(built):
        (_add_table if part.kind == "table" else _add_part)(paper, part)
    return save_document(paper, built.created)


def save_document(paper: Document, created: float) -> bytes:
    """Return the bytes of a document; as saved they would carry the time of saving."""
    out = io.BytesIO()
    paper.save(out)
    return archive.pack(archive.unpack(out.getvalue()), created)


def set_properties(paper: Document, title: str, created: float) -> None:
    """Set the title, the author, the size of the paper and its margins.

    created: seconds since the epoch.
    """
    from docx.shared import Mm, Pt

    moment = datetime.fromtimestamp(created, UTC).replace(tzinfo=None)
    facts = paper.core_properties
    facts.title, facts.author, facts.last_modified_by, facts.comments = (
        clean_line(title, 200),
        "Assay",
        "Assay",
        "",
    )
    facts.created = facts.modified = moment
    facts.revision = 1
    for section in paper.sections:
        section.page_width, section.page_height = Mm(210), Mm(297)
        section.left_margin = section.right_margin = section.top_margin = section.bottom_margin = (
            Mm(22)
        )
    normal = paper.styles["Normal"]
    normal.font.size = Pt(10.5)
    normal.paragraph_format.space_after = Pt(_PARAGRAPH_SPACING_PT)


def _add_part(paper: Document, part: DocumentPart) -> None:
    from docx.shared import Mm, Pt

    numbered = part.kind in ("source", "cited") or (part.kind == "bullet" and part.level > 0)
    indent = 0
    if part.kind == "heading":
        paragraph = paper.add_heading("", part.level - 1)
    else:
        kind = "numbered" if part.kind == "bullet" and numbered else part.kind
        style, indent = PART_STYLES[kind]
        paragraph = paper.add_paragraph(style=style)
    if indent:
        paragraph.paragraph_format.left_indent = Mm(indent)
    if part.kind == "detail":
        paragraph.paragraph_format.space_after = Pt(1)
    if part.kind in ("source", "cited", "heading"):
        paragraph.paragraph_format.keep_with_next = True
    if numbered:
        paragraph.paragraph_format.first_line_indent = Mm(-min(indent, 8))
        paragraph.add_run(f"[{part.level}] " if part.kind == "source" else f"{part.level}. ")
    if part.place:
        _add_bookmark(paragraph, part.place)
    _add_runs(paragraph, part.runs_with_origin, size=SMALL_SIZES.get(part.kind, 0))
    if is_right_to_left(join_run_text(part.runs)) or speaks_right_to_left():
        set_right_to_left(paragraph)


def _add_runs(
    paragraph: Paragraph, runs: tuple[TextRun, ...], *, size: float = 0, colour: str = ""
) -> None:
    from docx.shared import Pt, RGBColor

    for run in runs:
        url, place, tone = encode_web_url(run.url), run.place, colour
        drawn = paragraph.add_run(format_mark(run.cited) if run.cited else run.text)
        # None leaves the setting to the style.
        drawn.bold = run.style == "strong" or run.cited is not None or None
        drawn.italic = run.style == "em" or None
        if size or run.cited:
            drawn.font.size = Pt(size or _MARK_SIZE_PT)
        if is_label_run(run):
            tone = tone or TONE_COLOURS["gray"]
        if run.style == "code":
            drawn.font.name = "Consolas"
        if run.cited:
            drawn.font.superscript = True
            tone = TONE_COLOURS[get_check(run.cited).tone]
            place = place or f"cite-{run.cited.number}"
        elif url or place:
            tone = LINK_COLOUR
        if tone:
            drawn.font.color.rgb = RGBColor.from_string(tone)
        if url or place:
            add_link(paragraph, drawn._r, url, place)


def add_link(paragraph: Paragraph, run: object, url: str, place: str) -> None:
    """Put a run into a hyperlink, to the web or to a bookmark; python-docx has no call for it."""
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    link = OxmlElement("w:hyperlink")
    if place:
        link.set(qn("w:anchor"), _make_bookmark_name(place))
    else:
        link.set(
            qn("r:id"), paragraph.part.relate_to(url, RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
        )
    link.append(run)
    paragraph._p.append(link)


def _add_bookmark(paragraph: Paragraph, place: str) -> None:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    kind, _, number = place.partition("-")
    for tag in ("w:bookmarkStart", "w:bookmarkEnd"):
        element = OxmlElement(tag)
        element.set(qn("w:id"), str(int(number) * 2 + (kind == "cite")))
        if tag == "w:bookmarkStart":
            element.set(qn("w:name"), _make_bookmark_name(place))
        paragraph._p.append(element)


def _make_bookmark_name(place: str) -> str:
    """Return a bookmark name, which may hold only letters, digits and underscores."""
    return place.replace("-", "_")


#: Elements that may follow w:bidi in the properties of a paragraph; their order is fixed.
_AFTER_BIDI = (
    "w:adjustRightInd", "w:snapToGrid", "w:spacing", "w:ind", "w:contextualSpacing",
    "w:mirrorIndents", "w:suppressOverlap", "w:jc",
    "w:textDirection", "w:textAlignment", "w:textboxTightWrap", "w:outlineLvl", "w:divId",
    "w:cnfStyle", "w:rPr", "w:sectPr",
    "w:pPrChange",
)  # fmt: skip


def set_right_to_left(paragraph: Paragraph) -> None:
    """Write a paragraph from right to left."""
    from docx.oxml import OxmlElement

    paragraph._p.get_or_add_pPr().insert_element_before(OxmlElement("w:bidi"), *_AFTER_BIDI)
    for run in paragraph.runs:
        # Latin words keep their direction: as right-to-left runs their stops would move.
        if is_right_to_left(run.text) or not any(map(str.isalpha, run.text)):
            run.font.rtl = True
            _copy_size_to_complex_script(run)


def _copy_size_to_complex_script(run: Run) -> None:
    """Give Arabic letters the size of the run: Word reads theirs from an element of its own."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    properties = run._r.get_or_add_rPr()
    size = properties.find(qn("w:sz"))
    if size is not None:
        own = OxmlElement("w:szCs")
        own.set(qn("w:val"), size.get(qn("w:val")))
        size.addnext(own)


def _set_columns_right_to_left(table: Table) -> None:
    """Put the first column at the right; the position of w:bidiVisual in its parent is fixed."""
    from docx.oxml import OxmlElement

    properties = table._tbl.tblPr
    after = ("w:tblStyleRowBandSize", "w:tblStyleColBandSize", "w:tblW", "w:jc", "w:tblLayout")
    places = [n for n, each in enumerate(properties) if each.tag in map(_qualify, after)]
    properties.insert(places[0] if places else len(properties), OxmlElement("w:bidiVisual"))


def _qualify(name: str) -> str:
    from docx.oxml.ns import qn

    return str(qn(name))


def _add_table(paper: Document, part: DocumentPart) -> None:
    from docx.shared import Mm

    if not part.rows or not part.rows[0]:
        return
    columns = len(part.rows[0])
    table = paper.add_table(rows=len(part.rows), cols=columns, style="Table Grid")
    table.autofit = False
    if speaks_right_to_left():
        _set_columns_right_to_left(table)
    widths = [
        Mm(166 * width / sum(part.widths or (1,) * columns))
        for width in part.widths or (1,) * columns
    ]
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width
    for place, cells in enumerate(part.rows):
        for column, (cell, runs) in enumerate(zip(table.rows[place].cells, cells, strict=True)):
            cell.width = widths[column]
            paragraph = cell.paragraphs[0]
            _add_runs(paragraph, runs, size=7.5 if part.level and not place else 8)
            if is_right_to_left(join_run_text(runs)) or speaks_right_to_left():
                set_right_to_left(paragraph)
    paper.add_paragraph()
