"""Export a report as PDF: outline, page numbers, links, tables and embedded fonts.

The bytes depend only on the report and the fonts of this machine. Text is drawn as text; nothing in
it can run or load. The last page says what could not be printed.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from research_core.export import document, fonts, outline
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
from research_core.i18n import N_, _, gettext, in_report_language, join_sentences
from research_core.i18n import is_right_to_left as speaks_right_to_left
from research_core.models import Report

if TYPE_CHECKING:
    from fpdf import FPDF

INK_COLOUR, GRAY_COLOUR, LINK_COLOUR = (34, 32, 28), (104, 100, 90), (29, 91, 143)
TONE_COLOURS = {
    "green": (47, 125, 70),
    "orange": (164, 86, 15),
    "red": (179, 57, 47),
    "gray": GRAY_COLOUR,
}
_MARGIN_MM = 20.0
#: Millimetres that must be free below the beginning of a part, so that it is not alone at the foot.
_ROOM_BELOW = {"title": 40.0, "heading": 40.0, "source": 20.0, "cited": 26.0}


class PartLook(NamedTuple):
    """The look of a part.

    size: points; before, after, indent: millimetres.
    """

    size: float
    before: float = 0.0
    after: float = 0.0
    indent: float = 0.0
    bold: bool = False
    colour: tuple[int, int, int] = INK_COLOUR


PART_LOOKS = {
    "title": PartLook(19, after=2, bold=True),
    "facts": PartLook(8.2, after=1, colour=GRAY_COLOUR),
    "notice": PartLook(9.5, before=2, after=2, indent=4, colour=TONE_COLOURS["orange"]),
    "heading2": PartLook(13.5, before=6, after=2, bold=True),
    "heading3": PartLook(11, before=3.5, after=1, bold=True),
    "heading4": PartLook(10, before=3, after=1, bold=True),
    "paragraph": PartLook(9.6, after=2),
    "bullet": PartLook(9.6, after=1.2, indent=6),
    "quote": PartLook(9.6, after=2, indent=6, colour=(70, 67, 60)),
    "source": PartLook(9.6, before=1.6, indent=8),
    "cited": PartLook(9.2, before=2.4, indent=8),
    "detail": PartLook(8, indent=8, colour=GRAY_COLOUR),
    "passage": PartLook(8, before=0.6, indent=12, colour=(70, 67, 60)),
    "method": PartLook(8.4, after=0.8, indent=6, colour=(70, 67, 60)),
}


@in_report_language
def render_pdf(built: Report, folders: Sequence[str] = fonts.FOLDERS) -> bytes:
    """Render the report as PDF. folders: where fonts are looked for besides our own."""
    parts = list(outline.build_outline(built))
    choice = fonts.choose_fonts(outline.join_words(parts), folders)
    paper = _make_paper(built, choice)
    places: dict[str, int] = {}
    clean = partial(replace_unprintable, missing=choice.missing)
    for part in parts:
        if part.place:
            paper.set_link(_get_link(paper, places, part.place), y=paper.get_y(), page=paper.page)
        (_draw_table if part.kind == "table" else _draw_part)(
            paper, part, clean, lambda place: _get_link(paper, places, place)
        )
    if choice.missing:
        _draw_part(
            paper,
            DocumentPart("heading", (TextRun(_("What could not be printed")),), 2),
            clean,
            int,
        )
        _draw_part(
            paper,
            DocumentPart(
                "paragraph", (TextRun(join_sentences([choice.sentence(), gettext(REMEDY)])),)
            ),
            str,
            int,
        )
    out = io.BytesIO()
    paper.output(out)
    return out.getvalue()


REMEDY = N_(
    "Install a font that has them on the machine that makes the PDF (for Chinese, Japanese and"
    " Korean: Noto CJK)."
)


@in_report_language
def describe_unprintable(built: Report, folders: Sequence[str] = fonts.FOLDERS) -> str:
    """Say what the PDF could not print on this machine; "" if it can print everything."""
    return fonts.choose_fonts(outline.join_words(outline.build_outline(built)), folders).sentence()


def replace_unprintable(text: str, missing: Iterable[str]) -> str:
    """Replace each character that no font has by a visible sign."""
    return "".join(fonts.REPLACEMENT if character in missing else character for character in text)


def _make_paper(built: Report, choice: fonts.FontChoice) -> FPDF:
    """Make an empty document with its fonts, dates and page footer."""
    from fpdf import FPDF

    class Paper(FPDF):
        def footer(self) -> None:
            self.set_y(-13)
            self.set_font("own", size=7.5)
            self.set_text_color(*GRAY_COLOUR)
            self.cell(0, 5, f"{self.page_no()}", align="C")

    paper = Paper(format="A4")
    paper.alias_nb_pages("")  # or "{nb}" in somebody's text would become a number
    paper.set_margin(_MARGIN_MM)
    paper.set_auto_page_break(True, 18)
    paper.set_creation_date(datetime.fromtimestamp(built.created, UTC))
    paper.set_title(replace_unprintable(document.format_title(built), choice.missing))
    paper.set_creator("Assay")
    paper.set_producer("Assay")
    paper.add_font("own", "", fonts.REGULAR_FONT)
    paper.add_font("own", "B", fonts.BOLD_FONT)
    for number, path in enumerate(choice.extra):
        paper.add_font(
            f"extra{number}", "", path, collection_font_number=fonts.get_face_number(path)
        )
    paper.set_fallback_fonts(
        [f"extra{number}" for number in range(len(choice.extra))], exact_match=False
    )
    paper.set_font("own")
    paper.add_page()
    return paper


def _get_link(paper: FPDF, places: dict[str, int], name: str) -> int:
    """Return the link to a part, whether or not the part has been drawn yet."""
    if name not in places:
        places[name] = paper.add_link(page=1)
    return places[name]


def _draw_part(
    paper: FPDF, part: DocumentPart, clean: Callable[[str], str], place: Callable[[str], int]
) -> None:
    from fpdf.enums import WrapMode

    look = PART_LOOKS[f"heading{part.level}" if part.kind == "heading" else part.kind]
    paper.ln(look.before)
    if paper.will_page_break(_ROOM_BELOW.get(part.kind, 0)):
        paper.add_page()
    if part.kind in ("heading", "title"):
        paper.start_section(
            clean(clean_line(join_run_text(part.runs), 200)),
            level=max(part.level - 1, 0),
            strict=False,
        )
    _set_ink(paper, look)
    lead = (
        _PART_LEADS.get(part.kind, "").format(part.level)
        if part.kind != "bullet" or part.level
        else "•"
    )
    runs = part.runs_with_origin
    if _is_set_right_to_left(runs) and lead:
        # fpdf draws a bullet at the left only.
        runs, lead = (TextRun(f"{lead} "), *runs), ""
    words = [clean(_get_run_words(run)) for run in runs]
    paper.set_text_shaping(_needs_shaping(words))
    align, wrap = (
        "RIGHT" if _is_set_right_to_left(runs) else "LEFT",
        WrapMode.CHAR if _is_mostly_unspaced("".join(words)) else WrapMode.WORD,
    )
    with (
        paper.text_columns(line_height=1.35, text_align=align, wrapmode=wrap) as column,
        column.paragraph(
            indent=look.indent, bottom_margin=look.after, bullet_string=lead
        ) as paragraph,
    ):
        for number, text in _split_directions(paper, words):
            run = runs[number]
            _set_ink(paper, look, run)
            paragraph.write(text, link=_get_run_target(run, place))


def _is_set_right_to_left(runs: Sequence[TextRun]) -> bool:
    """Return True for a part that begins at the right margin."""
    return speaks_right_to_left() or is_right_to_left(join_run_text(runs))


_PART_LEADS = {"bullet": "{}.", "source": "[{}]", "cited": "{}.", "method": "•"}


def _get_run_words(run: TextRun) -> str:
    return format_mark(run.cited) if run.cited else run.text


def _set_ink(paper: FPDF, look: PartLook, run: TextRun = TextRun("")) -> None:
    """Set the font and colour of a run."""
    bold = look.bold or run.style == "strong" or run.cited is not None
    paper.set_font("own", "B" if bold else "", look.size * (0.85 if run.cited else 1))
    colour = look.colour
    if run.cited:
        colour = TONE_COLOURS[get_check(run.cited).tone]
    elif run.url or run.place:
        colour = LINK_COLOUR
    elif is_label_run(run):
        colour = TONE_COLOURS["gray"]
    paper.set_text_color(*colour)


def _get_run_target(run: TextRun, place: Callable[[str], int]) -> str | int | None:
    """Return the target of a run: its passage, a place in the document, or a web page."""
    if run.cited:
        return place(f"cite-{run.cited.number}")
    return place(run.place) if run.place else encode_web_url(run.url) or None


# -- right to left, and without spaces -------------------------------------------------------------

_RIGHT_TO_LEFT_LETTER = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_UNSPACED_LETTER = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-"
    "\ufaff\U00020000-\U0003ffff]"
)


#: From Hebrew to Burmese and Khmer, and marks above or below a letter.
_SHAPED_LETTER = re.compile(
    "[\u0300-\u036f\u0590-\u109f\u1780-\u17ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff"
    "\U0001e800-\U0001efff]"
)


def _needs_shaping(words: Iterable[str]) -> bool:
    """Return True if letters change with their neighbours.

    Only then are letters shaped, as that takes five times as long.
    """
    return any(_SHAPED_LETTER.search(text) for text in words)


def _is_mostly_unspaced(text: str) -> bool:
    """Return True if most of the text is in scripts without spaces, so a line may end anywhere."""
    return 2 * len(_UNSPACED_LETTER.findall(text)) > len(text)


def _split_directions(paper: FPDF, words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield each run's number and its stretches of one direction; set the paper's direction.

    fpdf does this for single cells only; without it figures inside Arabic would be drawn backwards.
    """
    from fpdf.bidi import BidiParagraph, auto_detect_base_direction
    from fpdf.enums import TextDirection

    if not paper.text_shaping:
        yield from enumerate(words)
        return
    whole = "".join(words)
    base, stretches = TextDirection.LTR, [(whole, TextDirection.LTR)]
    if _RIGHT_TO_LEFT_LETTER.search(whole):
        base = auto_detect_base_direction(whole)
        stretches = list(
            BidiParagraph(
                text=whole, base_direction=base, preserve_bn_chars=True
            ).get_bidi_fragments()
        )
    directions = [direction for text, direction in stretches for _ in text]
    at = 0
    for number, text in enumerate(words):
        for direction, group in groupby(range(len(text)), key=lambda n: directions[at + n]):
            places = list(group)
            paper.text_shaping.update(paragraph_direction=base, fragment_direction=direction)
            yield number, text[places[0] : places[-1] + 1]
        at += len(text)


# -- tables ----------------------------------------------------------------------------------------


Column = TypeVar("Column")
_LINE_MM, _PADDING_MM = 4.1, (0.9, 1.2)
_MOST_COLUMNS = (
    20  # with more, the rows are lines of text, as they are where one is higher than a page
)


def _draw_table(
    paper: FPDF, part: DocumentPart, clean: Callable[[str], str], place: Callable[[str], int]
) -> None:
    """Draw a table with its head on every page. A cell with a single link leads to its target."""
    from fpdf.fonts import FontFace

    paper.ln(1)
    _set_ink(paper, PartLook(7.8))
    paper.set_draw_color(205, 200, 188)
    paper.set_text_shaping(
        _needs_shaping(clean(join_run_text(runs)) for cells in part.rows for runs in cells)
    )
    if not _fits_on_page(paper, part, clean):
        for text in _as_paragraphs(part):
            _draw_part(paper, text, clean, place)
        return
    plainly, head = FontFace(), FontFace(emphasis="BOLD", color=GRAY_COLOUR)
    with paper.table(
        borders_layout="HORIZONTAL_LINES",
        line_height=_LINE_MM,
        padding=_PADDING_MM,
        text_align="RIGHT" if speaks_right_to_left() else "LEFT",
        headings_style=head,
        first_row_as_headings=bool(part.level),
        col_widths=_order_columns(part.widths) or None,
    ) as table:
        for cells in part.rows:
            row = table.row()
            for runs in _order_columns(cells):
                only = _get_run_target(runs[0], place) if len(runs) == 1 else None
                row.cell(
                    clean("".join(map(_get_run_words, runs))),
                    link=only,
                    style=FontFace(color=LINK_COLOUR) if only else plainly,
                )
    paper.ln(2)


def _order_columns(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Return columns from left to right; the first is at the right in a right-to-left report."""
    return columns[::-1] if speaks_right_to_left() else columns


def _fits_on_page(paper: FPDF, part: DocumentPart, clean: Callable[[str], str]) -> bool:
    """Return True if every row fits on a page below the head: fpdf does not split rows."""
    columns = len(part.rows[0]) if part.rows else 0
    if columns > _MOST_COLUMNS:
        return False
    parts = part.widths or (1,) * columns
    widths = [paper.epw * width / sum(parts) - 2 * _PADDING_MM[1] for width in parts]
    heights = [
        max(
            _measure_cell(paper, clean("".join(map(_get_run_words, runs))), width)
            for runs, width in zip(cells, widths, strict=True)
        )
        for cells in part.rows
    ]
    head = heights[0] if part.level else 0.0
    return head + max(heights, default=0.0) < paper.eph


def _measure_cell(paper: FPDF, text: str, width: float) -> float:
    """Return an upper bound of a cell's height in mm.

    Two consecutive lines are longer than one can be, and a head is a seventh wider because it is
    bold.
    """
    return (2.3 * paper.get_string_width(text) / width + 1) * _LINE_MM + 2 * _PADDING_MM[0]


def _as_paragraphs(part: DocumentPart) -> Iterator[DocumentPart]:
    """Yield the rows of a table as lines of text, with a strong head."""
    for number, cells in enumerate(part.rows):
        runs: list[TextRun] = []
        for position, cell in enumerate(cells):
            if position:
                runs.append(TextRun(" · "))
            runs += cell
        if part.level and number == 0:
            runs = [replace(run, style="strong") for run in runs]
        yield DocumentPart("paragraph", tuple(runs))
