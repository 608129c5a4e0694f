"""PDF, in the child process (see `sandbox`): its text in blocks, its outline as headings, and what it says of itself.

Text too small to read, or white where nothing lies under it, is left out and counted; an invisible layer is read, since that is how a
scan carries the text that was recognised in it. Scans without one are not recognised as text. Read are 1,000 pages or 2,000,000
characters, whatever comes first; on a slow machine what there was time for. `Metadata.cut` says so.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby, islice
from typing import Any

import pypdfium2
from pypdfium2 import raw

from research_core.errors import FetchError
from research_core.models import Page
from research_core.text import truncate, visible
from research_core.web.blocks import unwrapped
from research_core.web.documents import MAX_TEXT, TITLE_LENGTH, heading
from research_core.web.documents.properties import language_of, of_pdf
from research_core.web.tally import SAME_COLOUR, TOO_SMALL, Tally, count_characters

MAX_PAGES = 1_000
#: Seconds after which no further page is begun. The limits above are reached first, but on a machine that is slow or busy.
BUDGET_S = 2.5
#: A line at the top or bottom of this many pages, and of more than half of all, is a running head or foot.
RUNNING = 3
OUTLINE = 2_000
#: Points; a print of 1 pt is a line of dots.
TINY = 1.5
#: What a page can have on it before its colours are no longer looked at: a map or a drawing.
MOST_OBJECTS = 5_000

Document = Any  # pypdfium2 ships no types that say more
Thing = Any


def parse(body: bytes, url: str = "", *, budget_s: float = BUDGET_S) -> Page:
    """The page that a PDF makes. Raises FetchError unsupported (broken, locked) or content_empty (a scan)."""
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        locked = raw.FPDF_GetLastError() in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)
        why = "is encrypted and needs a password" if locked else "is broken"
        raise FetchError(f"The PDF {why}.", kind="unsupported") from error
    tally = Tally()
    pages, count = _pages(document, tally, budget_s), len(document)
    marked = _with_headings(_without_running_lines(pages), _outline(document))
    text = "\n\n".join(filter(None, (unwrapped(visible(page), paragraphs=True) for page in marked)))[:MAX_TEXT].strip()
    if not text:
        raise FetchError("The PDF holds no text; it may be a scan.", kind="content_empty", next_step="Look for it with recognised text.")
    said = of_pdf(body, {key.lower(): value for key, value in document.get_metadata_dict().items()})
    cut = "" if len(pages) == count else f"Pages 1 to {len(pages):,} of {count:,} were read."
    language = said.metadata.language or _language(document)
    title = truncate(said.title or heading(text), TITLE_LENGTH)
    metadata = replace(said.metadata, cut=cut, language=language)
    return Page(url, url, title, text, "pdf", said.published, metadata=metadata, hidden=tally.hidden)


def _pages(document: Document, tally: Tally, budget_s: float) -> list[str]:
    """The text of the pages in order, as far as it is read; a page that is broken has none."""
    began, pages, size = time.monotonic(), list[str](), 0
    for number in range(min(len(document), MAX_PAGES)):
        if size > MAX_TEXT or time.monotonic() - began > budget_s:
            break
        try:
            pages.append(_page_text(document[number], tally))
        except pypdfium2.PdfiumError:
            pages.append("")
        size += len(pages[-1])
    return pages


def _page_text(page: Any, tally: Tally) -> str:
    unseen = list(_unseen(page))
    if unseen:
        words = page.get_textpage()
        for reason, things in groupby(unseen, key=lambda each: each[0]):
            tally.add(reason, "".join(_text_of(thing, words) for _, thing in things))
        words.close()
        for _, thing in unseen:
            raw.FPDFPage_RemoveObject(page, thing)
            raw.FPDFPageObj_Destroy(thing)
    words = page.get_textpage()
    text: str = words.get_text_range()
    words.close()
    page.close()
    count_characters(text.replace("\ufffe", ""), tally)
    # The reader writes one mark for a hyphen and the break of the line after it.
    return text.replace("\r\n", "\n").replace("\ufffe", "-\n").replace("\x02", "-\n")


# ---------------------------------------------------------------- what nobody sees


def _unseen(page: Any) -> Iterator[tuple[str, Thing]]:
    """(reason, text) of what no reader sees on the page. Asked of the library itself, since pages have hundreds of these."""
    things = [raw.FPDFPage_GetObject(page, n) for n in range(min(raw.FPDFPage_CountObjects(page), MOST_OBJECTS))]
    grounds: list[tuple[float, ...]] | None = None
    size, matrix, ink = raw.c_float(), raw.FS_MATRIX(), tuple(raw.c_uint() for _ in range(4))
    for thing in things:
        if (
            raw.FPDFPageObj_GetType(thing) != raw.FPDF_PAGEOBJ_TEXT
            or raw.FPDFTextObj_GetTextRenderMode(thing) != raw.FPDF_TEXTRENDERMODE_FILL
        ):
            continue
        raw.FPDFTextObj_GetFontSize(thing, size)
        raw.FPDFPageObj_GetMatrix(thing, matrix)
        if size.value * (matrix.c**2 + matrix.d**2) ** 0.5 < TINY:
            yield TOO_SMALL, thing
        elif _is_white(thing, ink):
            if grounds is None:
                grounds = [_bounds(each) for each in things if _is_ground(each)]
            if not any(_meets(_bounds(thing), ground) for ground in grounds):
                yield SAME_COLOUR, thing


def _is_white(thing: Thing, ink: tuple[Any, ...]) -> bool:
    """Whether it is filled with white, or with nothing. ink: where its colour is put."""
    if not raw.FPDFPageObj_GetFillColor(thing, *ink):
        return False
    red, green, blue, alpha = (each.value for each in ink)
    return bool(min(red, green, blue) >= 250 or alpha <= 5)


def _is_ground(thing: Thing) -> bool:
    """Whether white words can be read on it: a picture, a shade, a form, an area that is filled and not with white."""
    kind = raw.FPDFPageObj_GetType(thing)
    if kind != raw.FPDF_PAGEOBJ_PATH:
        return bool(kind != raw.FPDF_PAGEOBJ_TEXT)
    fill, stroke = raw.c_int(), raw.c_int()
    raw.FPDFPath_GetDrawMode(thing, fill, stroke)
    return bool(fill.value != raw.FPDF_FILLMODE_NONE) and not _is_white(thing, tuple(raw.c_uint() for _ in range(4)))


def _bounds(thing: Thing) -> tuple[float, ...]:
    edges = tuple(raw.c_float() for _ in range(4))
    raw.FPDFPageObj_GetBounds(thing, *edges)
    return tuple(edge.value for edge in edges)


def _meets(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _text_of(thing: Thing, words: Any) -> str:
    length = raw.FPDFTextObj_GetText(thing, words, None, 0)
    held = (raw.FPDF_WCHAR * (length // 2 + 1))()
    raw.FPDFTextObj_GetText(thing, words, held, length)
    return bytes(held).decode("utf-16-le", "replace").rstrip("\0")


# ---------------------------------------------------------------- lines


def _without_running_lines(pages: list[str]) -> list[str]:
    """The pages without what stands at the top or bottom of most of them, page numbers aside."""
    split = [page.strip().split("\n") for page in pages]
    seen = Counter(key for lines in split for key in {_shape(lines[0]), _shape(lines[-1])})
    running = {key for key, count in seen.items() if count >= max(RUNNING, len(pages) / 2 + 1)}
    kept = ([line for n, line in enumerate(lines) if not (n in (0, len(lines) - 1) and _shape(line) in running)] for lines in split)
    return ["\n".join(lines) for lines in kept]


def _shape(line: str) -> str:
    return re.sub(r"\d+", "0", line.strip())


def _outline(document: Document) -> dict[int, dict[str, int]]:
    """Page -> its entries in the outline, each with its level, 0 for the highest."""
    found: dict[int, dict[str, int]] = {}
    try:
        for mark in islice(document.get_toc(max_depth=6), OUTLINE):
            place = mark.get_dest()
            page = place.get_index() if place else None
            if page is not None:
                found.setdefault(page, {})[_letters(mark.get_title())] = mark.level
    except pypdfium2.PdfiumError:
        return found  # as far as it could be followed
    return found


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _with_headings(pages: list[str], outline: dict[int, dict[str, int]]) -> Iterator[str]:
    """The pages with the lines that the outline names as headings."""
    for number, page in enumerate(pages):
        levels = outline.get(number)
        yield "\n".join(_marked(page.split("\n"), levels)) if levels else page


def _marked(lines: list[str], levels: dict[str, int]) -> Iterator[str]:
    """Lines, each that is an entry as a heading. An entry often lacks its number."""
    for line in lines:
        letters = _letters(line)
        level = levels.get(letters, levels.get(letters.lstrip("0123456789"), -1)) if letters else -1
        yield line if level < 0 else f"\n{'#' * min(6, level + 2)} {line.strip()}\n"


def _language(document: Document) -> str:
    length = raw.FPDFCatalog_GetLanguage(document, None, 0)
    held = (raw.FPDF_WCHAR * (length // 2 + 1))()
    raw.FPDFCatalog_GetLanguage(document, held, length)
    return language_of(bytes(held).decode("utf-16-le", "replace").rstrip("\0"))
