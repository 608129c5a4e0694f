"""Read a presentation (PPTX) as Markdown: a heading per slide, bullets, tables, notes.

Charts come as the numbers in them. Hidden slides and shapes, and what lies off the slide, are left
out and counted. Dates, footers, slide numbers and comments are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from research_core.web.documents.charts import read_chart_tables
from research_core.web.documents.ooxml import (
    HIDDEN_BY_AUTHOR,
    Package,
    Text,
    clean_lines,
    find_child,
    get_attribute,
    iterate_drawn_children,
)
from research_core.web.documents.plain_text import truncate_blocks
from research_core.web.documents.properties import get_local_name
from research_core.web.documents.tables import format_table
from research_core.web.documents.tally import OFF_SCREEN, HiddenTextTally
from research_core.web.lxml_types import Element

MAX_SLIDES = 1_000
HIDDEN_SLIDE = "on a hidden slide"
_TITLES, _BODIES, _FURNITURE = (
    ("title", "ctrTitle"),
    ("body", "obj", ""),
    ("dt", "ftr", "sldNum", "hdr", "sldImg"),
)


@dataclass(frozen=True)
class _SlideContext:
    """The context of a slide: its package, its part, its size (0 if unknown), and the tally."""

    package: Package
    part: str
    size: tuple[int, int]
    tally: HiddenTextTally


def read_slides(package: Package, main: str, tally: HiddenTextTally) -> Text:
    """Read the slides in order, numbered as the presenter sees them."""
    presentation = package.xml(main)
    references = package.read_references(main)
    listed = []
    for each in iterate_drawn_children(find_child(presentation, "sldIdLst")):
        if get_local_name(each) == "sldId":
            listed.append(each)
    size = find_child(presentation, "sldSz")
    wide = _parse_whole_number(get_attribute(size, "cx"))
    high = _parse_whole_number(get_attribute(size, "cy"))
    blocks: list[str] = []
    for number, each in enumerate(listed[:MAX_SLIDES], 1):
        _, part = references.get(_get_relation_id(each), ("", ""))
        if part:
            blocks += _read_slide(number, _SlideContext(package, part, (wide, high), tally))
    cut = ""
    if len(listed) > MAX_SLIDES:
        cut = f"Slides 1 to {MAX_SLIDES:,} of {len(listed):,} were read."
    text, cut_later = truncate_blocks(blocks)
    return Text(text, _find_slide_title(blocks), cut or cut_later)


def _find_slide_title(blocks: list[str]) -> str:
    head = next((block for block in blocks if block.startswith("## Slide ")), "")
    return head.partition(": ")[2]


def _get_relation_id(element: Element) -> str:
    """Return the r:id of a slide entry, which is not the plain id beside it."""
    return next((text for key, text in element.attrib.items() if key.endswith("}id")), "")


def _read_slide(number: int, place: _SlideContext) -> Iterator[str]:
    slide = place.package.xml(place.part)
    titles, blocks = list[str](), list[str]()
    unseen = HiddenTextTally() if get_attribute(slide, "show") in ("0", "false") else None
    inner = _SlideContext(place.package, place.part, place.size, unseen or place.tally)
    for kind, text in _iterate_shapes(find_child(slide, "cSld", "spTree"), inner):
        (titles if kind == "title" else blocks).append(text)
    notes = list(_read_notes(place))
    if unseen is not None:
        place.tally.add(HIDDEN_SLIDE, " ".join([*titles, *blocks, *notes]))
        return
    name = " ".join(" ".join(titles).split())
    if name or blocks or notes:
        yield f"## Slide {number}: {name}".removesuffix(": ")
        yield from blocks
    if notes:
        yield f"Speaker notes: {' '.join(notes)}"


def _read_notes(place: _SlideContext) -> Iterator[str]:
    part = place.package.first_reference(place.part, "notesSlide")
    if not part:
        return
    inner = _SlideContext(place.package, part, (0, 0), place.tally)
    tree = find_child(place.package.xml(part), "cSld", "spTree")
    for kind, text in _iterate_shapes(tree, inner):
        if kind == "body":
            for line in text.split("\n"):
                yield line.strip().removeprefix("- ")


# ---------------------------------------------------------------- shapes


def _iterate_shapes(tree: Element | None, place: _SlideContext) -> Iterator[tuple[str, str]]:
    """Yield (title | body | other, block) for the shapes, with groups expanded."""
    for shape in iterate_drawn_children(tree):
        name = get_local_name(shape)
        if name not in ("sp", "grpSp", "graphicFrame"):
            continue
        why = _find_hiding_reason(shape, place)
        if why:
            texts = (each.text for each in shape.iter() if get_local_name(each) == "t")
            place.tally.add(why, " ".join(filter(None, texts)))
        elif name == "grpSp":
            yield from _iterate_shapes(shape, place)
        elif name == "graphicFrame":
            for block in filter(None, _read_frame_blocks(shape, place)):
                yield "other", block
        else:
            yield from _read_shape_block(shape, place.tally)


def _find_hiding_reason(shape: Element, place: _SlideContext) -> str:
    named = next((each for each in shape.iter() if get_local_name(each) == "cNvPr"), None)
    if get_attribute(named, "hidden") in ("1", "true"):
        return HIDDEN_BY_AUTHOR
    frame = find_child(shape, "spPr", "xfrm")
    at, size = find_child(frame, "off"), find_child(frame, "ext")
    wide, high = place.size
    if not (wide and high) or at is None or size is None:
        return ""
    left, top = (
        _parse_whole_number(get_attribute(at, "x")),
        _parse_whole_number(get_attribute(at, "y")),
    )
    inside = (
        left < wide
        and top < high
        and left + _parse_whole_number(get_attribute(size, "cx")) > 0
        and top + _parse_whole_number(get_attribute(size, "cy")) > 0
    )
    return "" if inside else OFF_SCREEN


def _parse_whole_number(text: str) -> int:
    is_number = text.lstrip("-").isdecimal() and len(text) < 15 and text.count("-") < 2
    return int(text) if is_number else 0


def _read_shape_block(shape: Element, tally: HiddenTextTally) -> Iterator[tuple[str, str]]:
    holder = find_child(shape, "nvSpPr", "nvPr", "ph")
    paragraphs = _read_shape_paragraphs(find_child(shape, "txBody"), tally)
    if not paragraphs:
        return
    text = "\n".join(text for _, text in paragraphs)
    if holder is None:
        yield "other", text
        return
    kind = get_attribute(holder, "type")
    if kind in _FURNITURE:
        return
    if kind in _TITLES:
        yield "title", " ".join(text for _, text in paragraphs)
    elif kind not in _BODIES:
        yield "other", text
    elif len(paragraphs) == 1:
        yield "body", text
    else:
        lines = [f"{'  ' * level}- {' '.join(text.split())}" for level, text in paragraphs]
        yield "body", "\n".join(lines)


def _read_shape_paragraphs(body: Element | None, tally: HiddenTextTally) -> list[tuple[int, str]]:
    """Return (level, text) of the paragraphs that have text."""
    found = []
    for paragraph in iterate_drawn_children(body):
        if get_local_name(paragraph) != "p":
            continue
        level = _parse_whole_number(get_attribute(find_child(paragraph, "pPr"), "lvl"))
        text = clean_lines("".join(_iterate_paragraph_words(paragraph)), tally)
        if text:
            found.append((min(max(level, 0), 8), text))
    return found


def _iterate_paragraph_words(paragraph: Element) -> Iterator[str]:
    for each in iterate_drawn_children(paragraph):
        name = get_local_name(each)
        is_number_or_date = name == "fld" and get_attribute(each, "type").startswith(
            ("slidenum", "datetime")
        )
        if name == "br":
            yield "\n"
        elif name in ("r", "fld") and not is_number_or_date:
            yield from (part.text or "" for part in each if get_local_name(part) == "t")
        elif name == "m":  # a formula
            yield from (part.text or "" for part in each.iter() if get_local_name(part) == "t")


def _read_frame_blocks(frame: Element, place: _SlideContext) -> Iterator[str]:
    """Yield a table, the numbers of a chart, or the words of a diagram.

    The last two have parts of their own.
    """
    yield from read_chart_tables(frame, place.package, place.part, place.tally)
    for each in frame.iter():
        if get_local_name(each) == "tbl":
            rows = []
            for row in each:
                if get_local_name(row) == "tr":
                    rows.append(_read_table_cells(row, place.tally))
            yield format_table(rows)
        elif get_local_name(each) == "relIds":
            _, part = place.package.read_references(place.part).get(
                get_attribute(each, "dm"), ("", "")
            )
            if not part:
                yield ""
                continue
            items = []
            for point in place.package.xml(part).iter():
                if get_local_name(point) != "pt":
                    continue
                paragraphs = _read_shape_paragraphs(find_child(point, "t"), place.tally)
                if paragraphs:
                    items.append(f"- {' '.join(text for _, text in paragraphs)}")
            yield "\n".join(items)


def _read_table_cells(row: Element, tally: HiddenTextTally) -> list[str]:
    """Return the texts of a table row's cells."""
    texts = []
    for cell in row:
        if get_local_name(cell) == "tc":
            paragraphs = _read_shape_paragraphs(find_child(cell, "txBody"), tally)
            texts.append(" ".join(text for _, text in paragraphs))
    return texts
