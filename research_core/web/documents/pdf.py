"""Read a PDF in the child process: text in blocks, outline as headings, and metadata.

Columns that are drawn line by line are put in order (see `pdf_columns`); `Metadata.note` names the
pages whose order is uncertain. Text that is not visible on a page (see `pdf_visibility`) is left
out and counted. Scanned pages without a text layer give no text. At most 1,000 pages, 2,000,000
characters, or an equivalent number of pieces are read, so that the same bytes give the same text on
every machine; `Metadata.cut` says so.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import Any

import pypdfium2
from pypdfium2 import raw

from research_core.errors import FetchError
from research_core.models import Page
from research_core.text.blocks import unwrap_lines
from research_core.text.words import keep_letters, strip_invisible, truncate
from research_core.web.documents.pdf_columns import ReadingOrder, find_reading_order
from research_core.web.documents.pdf_links import LinkMarks, write_links
from research_core.web.documents.pdf_visibility import UnseenTextFinder
from research_core.web.documents.plain_text import MAX_TEXT, TITLE_LENGTH, get_first_heading_text
from research_core.web.documents.properties import clean_language, read_pdf_properties
from research_core.web.documents.tally import HiddenTextTally, count_characters

MAX_PAGES = 1_000
#: Effort of a page and of each of its pieces, in characters, and the total after which no
#: further page is read. A typesetter that places each word makes 500 pieces of a page. Measured:
#: the total takes 3.4 s with three other processes on each core.
PAGE_EFFORT, PIECE_EFFORT, MOST_EFFORT = 300, 30, 2_500_000
#: A line at the top or bottom of this many pages, and of more than half of all, is a running
#: head or foot.
RUNNING_LINES = 3
#: A line at the top of this many other pages is not used as the title, though it stays in the
#: text; and the lines a page head may have.
MAX_HEAD_REPEATS, HEAD_LINES = 2, 4
MAX_OUTLINE_ENTRIES = 2_000
#: Characters that finding those in a box takes as long as reading one; pages named in a note.
BOX_SPEED, MAX_NAMED_PAGES = 10, 12
Document = Any  # pypdfium2 ships no types that say more
Thing = Any


def parse(
    body: bytes, url: str = "", *, most_effort: int = MOST_EFFORT, links: bool = False
) -> Page:
    """Read a PDF. Raises FetchError unsupported (broken, encrypted) or content_empty (a scan).

    links: write the links over its words as Markdown links.
    """
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        locked = raw.FPDF_GetLastError() in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)
        why = "is encrypted and needs a password" if locked else "is damaged"
        raise FetchError(f"The PDF {why}.", kind="unsupported") from error
    tally = HiddenTextTally()
    marks = LinkMarks(document) if links else None
    pages = _read_page_texts(document, tally, most_effort, marks)
    lines = _drop_running_lines([page.text for page in pages])
    marked = list(_mark_headings(lines, _read_outline(document)))
    text = "\n\n".join(filter(None, map(_split_into_blocks, marked)))[:MAX_TEXT].strip()
    if marks is not None:
        text = write_links(text, marks.urls)
    if not text:
        raise FetchError(
            "The PDF holds no text; it may be a scan.",
            kind="content_empty",
            next_step="Look for a version with recognized text (OCR).",
        )
    said = read_pdf_properties(
        body, {key.lower(): value for key, value in document.get_metadata_dict().items()}
    )
    count = len(document)
    cut = "" if len(pages) == count else f"Pages 1 to {len(pages):,} of {count:,} were read."
    language = said.metadata.language or _find_document_language(document)
    title = truncate(
        said.title or _find_heading_below_head(marked) or get_first_heading_text(text), TITLE_LENGTH
    )
    note = _describe_uncertain_pages(pages)
    metadata = replace(said.metadata, cut=cut, language=language, note=note)
    return Page(
        url, url, title, text, "pdf", said.published, metadata=metadata, hidden=tally.hidden
    )


@dataclass(frozen=True)
class PageText:
    """The visible text of a page.

    effort: of reading it, in characters; uncertain: whether columns may be read in another order.
    """

    text: str = ""
    effort: int = 0
    uncertain: bool = False


def _describe_uncertain_pages(pages: Sequence[PageText]) -> str:
    """Name the pages whose columns may be read in another order; "" if there are none."""
    numbers = [str(number) for number, page in enumerate(pages, 1) if page.uncertain]
    if not numbers:
        return ""
    named = ", ".join(numbers[:MAX_NAMED_PAGES])
    more = len(numbers) - MAX_NAMED_PAGES
    if more > 0:
        named += f" and {more} more"
    return f"The order of columns is uncertain on page{'s' if len(numbers) > 1 else ''} {named}."


def _read_page_texts(
    document: Document, tally: HiddenTextTally, most_effort: int, marks: LinkMarks | None
) -> list[PageText]:
    """Return the texts of the pages that are read, in order; a broken page is empty."""
    pages: list[PageText] = []
    size = effort = 0
    for number in range(min(len(document), MAX_PAGES)):
        if size > MAX_TEXT or effort > most_effort:
            break
        try:
            page = _read_page_text(document[number], tally, marks)
        except pypdfium2.PdfiumError:
            page = PageText()
        pages.append(page)
        size += len(page.text)
        effort += PAGE_EFFORT + page.effort
    return pages


def _read_page_text(page: Any, tally: HiddenTextTally, marks: LinkMarks | None) -> PageText:
    """Return the visible text of a page, its columns one after the other."""
    looker = UnseenTextFinder(page)
    unseen = list(looker.find_unseen())
    if unseen:
        words = page.get_textpage()
        for reason, things in groupby(unseen, key=lambda each: each[0]):
            tally.add(reason, "".join(_read_piece_text(thing, words) for _, thing in things))
        words.close()
        for _, thing in unseen:
            raw.FPDFPageObj_SetIsActive(thing, False)
    order = _find_order(looker, {_get_address(thing) for _, thing in unseen}, page.get_rotation())
    words = page.get_textpage()
    drawn: str = words.get_text_range()
    text = drawn
    effort = PIECE_EFFORT * looker.pieces + len(text)
    uncertain = order.uncertain
    if order.bands:
        effort += len(text) * sum(map(len, order.bands)) // BOX_SPEED
        ordered = "\r\n\r\n".join(
            "\r\n".join(words.get_text_bounded(*box) for box in band) for band in order.bands
        )
        uncertain = not _has_same_characters(ordered, drawn)
        text = drawn if uncertain else ordered
    if marks is not None:
        text = marks.mark_page(page, words, drawn, text)
    words.close()
    page.close()
    count_characters(text.replace("\ufffe", ""), tally)
    # The reader writes one mark for a hyphen and the break of the line after it.
    text = text.replace("\r\n", "\n").replace("\ufffe", "-\n").replace("\x02", "-\n")
    return PageText(text, effort, uncertain)


def _find_order(looker: UnseenTextFinder, unseen: set[int], rotation: int) -> ReadingOrder:
    """Return the reading order of the visible pieces; that of a turned page stays as drawn."""
    if rotation:
        return ReadingOrder()
    boxes = []
    for text in looker.texts:
        left, bottom, right, top = text.box
        if right > left and top > bottom and not (unseen and _get_address(text.thing) in unseen):
            boxes.append(text.box)
    return find_reading_order(boxes, looker.frame)


def _get_address(thing: Thing) -> int:
    return ctypes.cast(thing, ctypes.c_void_p).value or 0


def _has_same_characters(one: str, other: str) -> bool:
    """Return True if the texts differ only in the order of their characters and in blanks."""
    return Counter("".join(one.split())) == Counter("".join(other.split()))


def _read_piece_text(thing: Thing, words: Any) -> str:
    length = raw.FPDFTextObj_GetText(thing, words, None, 0)
    held = (raw.FPDF_WCHAR * (length // 2 + 1))()
    raw.FPDFTextObj_GetText(thing, words, held, length)
    return bytes(held).decode("utf-16-le", "replace").rstrip("\0")


# ---------------------------------------------------------------- lines


def _drop_running_lines(pages: list[str]) -> list[str]:
    """Drop lines at the top or bottom of most pages, ignoring page numbers."""
    split = [page.strip().split("\n") for page in pages]
    seen: Counter[str] = Counter()
    for lines in split:
        seen.update({_reduce_to_shape(lines[0]), _reduce_to_shape(lines[-1])})
    enough = max(RUNNING_LINES, len(pages) / 2 + 1)
    running = {shape for shape, count in seen.items() if count >= enough}
    kept = []
    for lines in split:
        if _reduce_to_shape(lines[-1]) in running:
            lines = lines[:-1]
        if lines and _reduce_to_shape(lines[0]) in running:
            lines = lines[1:]
        kept.append("\n".join(lines))
    return kept


def _split_into_blocks(page: str) -> str:
    return unwrap_lines(strip_invisible(page), paragraphs=True)


def _find_heading_below_head(pages: list[str]) -> str:
    """Return the heading below the running head of the first page with words, or "".

    Only if that running head stands on some of the pages.
    """
    split = []
    for page in pages:
        lines = page.strip().split("\n")
        if lines[0]:
            split.append(lines)
    tops = [
        [_reduce_to_shape(line) for line in lines if line.strip()][:HEAD_LINES] for lines in split
    ]
    first, others = tops[0], tops[1:]
    above = 0  # the first line that few other pages have at their top
    for place, shape in enumerate(first):
        if sum(shape in top[: place + 1] for top in others) < MAX_HEAD_REPEATS:
            above = place
            break
    if not above:
        return ""
    starts = [place for place, line in enumerate(split[0]) if line.strip()]
    return get_first_heading_text(_split_into_blocks("\n".join(split[0][starts[above] :])))


def _reduce_to_shape(line: str) -> str:
    return re.sub(r"\d+", "0", line.strip())


def _read_outline(document: Document) -> dict[int, dict[str, int]]:
    """Return the outline by page: each entry's letters with its level, 0 for the highest."""
    found: dict[int, dict[str, int]] = {}
    try:
        for mark in islice(document.get_toc(max_depth=6), MAX_OUTLINE_ENTRIES):
            place = mark.get_dest()
            page = place.get_index() if place else None
            if page is not None:
                found.setdefault(page, {})[keep_letters(mark.get_title())] = mark.level
    except pypdfium2.PdfiumError:
        return found  # as far as it could be followed
    return found


def _mark_headings(pages: list[str], outline: dict[int, dict[str, int]]) -> Iterator[str]:
    """Yield the pages with the lines that the outline names as headings."""
    for number, page in enumerate(pages):
        levels = outline.get(number)
        yield "\n".join(_mark_page_headings(page.split("\n"), levels)) if levels else page


def _mark_page_headings(lines: list[str], levels: dict[str, int]) -> Iterator[str]:
    """Yield the lines, with outline entries as headings.

    An entry often lacks its number.
    """
    for line in lines:
        letters = keep_letters(line)
        level = -1
        if letters:
            level = levels.get(letters, levels.get(letters.lstrip("0123456789"), -1))
        if level < 0:
            yield line
        else:
            yield f"\n{'#' * min(6, level + 2)} {line.strip()}\n"


def _find_document_language(document: Document) -> str:
    length = raw.FPDFCatalog_GetLanguage(document, None, 0)
    held = (raw.FPDF_WCHAR * (length // 2 + 1))()
    raw.FPDFCatalog_GetLanguage(document, held, length)
    return clean_language(bytes(held).decode("utf-16-le", "replace").rstrip("\0"))
