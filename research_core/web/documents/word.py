"""Read a Word document (DOCX) as Markdown: headings, lists, tables, footnotes, text boxes, charts.

Hidden, white and deleted text is left out and counted; tables of contents, headers, footers and
comments are left out. Fields show their last value; formulas come as their letters and signs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from research_core.web.documents.charts import read_chart_tables
from research_core.web.documents.ooxml import (
    HIDDEN_BY_AUTHOR,
    Package,
    Text,
    clean_lines,
    find_child,
    format_link,
    get_attribute,
    iterate_drawn_children,
)
from research_core.web.documents.plain_text import truncate_blocks
from research_core.web.documents.properties import get_local_name
from research_core.web.documents.tables import format_table
from research_core.web.documents.tally import SAME_COLOUR, TOO_SMALL, HiddenTextTally
from research_core.web.lxml_types import Element

_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_CONTENTS_STYLE = re.compile(r"toc (?:\d|heading)", re.IGNORECASE)
_OFF_VALUES = ("0", "false", "off", "none")
_LEVELS = frozenset("012345678")
_WHITE = ("ffffff", "fefefe", "fdfdfd")
_NO_SHADE = ("", "auto", *_WHITE)
TRACKED_DELETION = "deleted, with its changes tracked"
#: Half points; smaller text is a line of dots.
TINY_HALF_POINTS = 4
#: Characters above which a row is layout, not data.
MAX_ROW_CHARACTERS = 1_000
#: Elements that wrap the runs of a paragraph and are displayed with them.
_WRAPPER_ELEMENTS = frozenset(
    "hyperlink ins moveTo smartTag sdt sdtContent fldSimple customXml dir bdo".split()
)
_DELETED_ELEMENTS = frozenset({"del", "moveFrom"})
_SPECIAL_CHARACTERS = {
    "tab": " ",
    "br": "\n",
    "cr": "\n",
    "noBreakHyphen": "-",
    "footnoteReference": "",
    "endnoteReference": "",
}
_NOTE_PARTS = {"footnoteReference": "footnotes", "endnoteReference": "endnotes"}


@dataclass(frozen=True)
class ParagraphStyle:
    """What a style sets for a paragraph or run.

    level: of a heading, 0 for none; numbering: (list, level), ("", 0) for none; looks: vanish,
    color and sz, as far as set; shaded: whether anything in it has a background.
    """

    name: str = ""
    level: int = 0
    numbering: tuple[str, int] = ("", 0)
    looks: Mapping[str, str] = field(default_factory=dict)
    shaded: bool = False


@dataclass
class _WordDocument:
    """The state of reading one document."""

    package: Package
    main: str
    styles: Mapping[str, ParagraphStyle]
    ordered: Mapping[tuple[str, int], bool]
    tally: HiddenTextTally
    counters: Counter[tuple[str, int]] = field(default_factory=Counter)
    notes: dict[tuple[str, str], int] = field(default_factory=dict)
    gone: dict[str, list[str]] = field(default_factory=dict)
    title: str = ""
    links: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Paragraph:
    text: str
    style: ParagraphStyle
    boxes: tuple[str, ...] = ()


def read_document(package: Package, main: str, tally: HiddenTextTally) -> Text:
    """Read the text of the main part, and the title in it."""
    reading = _WordDocument(
        package, main, _read_styles(package, main), _read_ordered_lists(package, main), tally
    )
    if package.keeps_links:
        reading.links = package.link_targets(main)
    body, cut = truncate_blocks(_join_list_items(_iterate_blocks(reading)))
    text, cut_later = truncate_blocks([body, *_read_footnotes(reading)])
    return Text(text, reading.title, cut or cut_later)


def _iterate_blocks(reading: _WordDocument) -> Iterator[tuple[str, bool]]:
    """Yield (block, whether it is a list item) in order."""
    for element in reading.package.iterate_elements(reading.main, "p", "tbl"):
        if get_local_name(element) == "tbl":
            yield from ((block, False) for block in _read_table(element, reading))
            continue
        paragraph = _read_paragraph(element, reading)
        if paragraph.text and not _CONTENTS_STYLE.match(paragraph.style.name):
            yield (
                _format_paragraph_block(paragraph, reading),
                bool(paragraph.style.numbering[0]) and not paragraph.style.level,
            )
        yield from ((box, False) for box in paragraph.boxes)


def _join_list_items(blocks: Iterator[tuple[str, bool]]) -> Iterator[str]:
    """Yield the blocks, joining consecutive list items into one."""
    items: list[str] = []
    for block, is_item in blocks:
        if is_item:
            items.append(block)
            continue
        if items:
            yield "\n".join(items)
            items = []
        yield block
    if items:
        yield "\n".join(items)


def _format_paragraph_block(paragraph: _Paragraph, reading: _WordDocument) -> str:
    style, text = paragraph.style, paragraph.text
    if style.level:
        words = " ".join(text.split())
        reading.title = reading.title or (words if style.level == 1 else "")
        return f"{'#' * min(6, style.level)} {words}"
    number, depth = style.numbering
    if not number:
        return text
    lead = "-"
    if reading.ordered.get((number, depth)):
        reading.counters[(number, depth)] += 1
        lead = f"{reading.counters[(number, depth)]}."
    for deeper in [each for each in reading.counters if each[0] == number and each[1] > depth]:
        del reading.counters[deeper]
    return "  " * depth + f"{lead} " + " ".join(text.split())


# ---------------------------------------------------------------- paragraphs and runs


def _read_paragraph(element: Element, reading: _WordDocument) -> _Paragraph:
    own = find_child(element, "pPr")
    style = _read_own_style(own, reading)
    boxes: list[str] = []
    words = "".join(
        _read_runs(element, reading, style, _has_background(element, own, reading), boxes)
    )
    for reason, pieces in reading.gone.items():
        reading.tally.add(reason, "".join(pieces))  # programs cut a sentence into many runs
    reading.gone.clear()
    return _Paragraph(clean_lines(words, reading.tally), style, tuple(boxes))


def _read_own_style(own: Element | None, reading: _WordDocument) -> ParagraphStyle:
    """Return a paragraph's style, with the paragraph's own settings applied."""
    style = reading.styles.get(get_attribute(find_child(own, "pStyle")), ParagraphStyle())
    numbering, outline = find_child(own, "numPr"), get_attribute(find_child(own, "outlineLvl"))
    listed = _read_numbering(numbering) if numbering is not None else style.numbering
    level = int(outline) + 1 if outline in _LEVELS else style.level
    return replace(style, level=level, numbering=listed if listed[0] != "0" else ("", 0))


def _read_numbering(said: Element | None) -> tuple[str, int]:
    return get_attribute(find_child(said, "numId")), _parse_number(
        get_attribute(find_child(said, "ilvl")), most=8
    )


def _parse_number(text: str, *, most: int) -> int:
    return min(int(text), most) if text.isdecimal() and len(text) < 6 else 0


def _read_runs(
    element: Element, reading: _WordDocument, style: ParagraphStyle, shaded: bool, boxes: list[str]
) -> Iterator[str]:
    for each in iterate_drawn_children(element):
        name = get_local_name(each)
        if name == "r":
            yield _run_text(each, reading, style, shaded, boxes)
        elif name == "hyperlink" and reading.links:
            words = "".join(_read_runs(each, reading, style, shaded, boxes))
            yield format_link(words, reading.links.get(get_attribute(each, "id"), ""))
        elif name in _WRAPPER_ELEMENTS:
            yield from _read_runs(each, reading, style, shaded, boxes)
        elif name in _DELETED_ELEMENTS:
            deleted = reading.gone.setdefault(TRACKED_DELETION, [])
            for part in each.iter():
                if get_local_name(part) in ("t", "delText"):
                    deleted.append(part.text or "")
        elif name in ("oMath", "oMathPara"):
            parts = [part.text or "" for part in each.iter() if get_local_name(part) == "t"]
            yield f" {''.join(parts)} "


def _run_text(
    run: Element, reading: _WordDocument, style: ParagraphStyle, shaded: bool, boxes: list[str]
) -> str:
    text = "".join(_run_parts(run, reading, boxes))
    why = _find_hiding_reason(find_child(run, "rPr"), reading, style, shaded)
    if why:
        reading.gone.setdefault(why, []).append(text)
    return "" if why else text


def _run_parts(run: Element, reading: _WordDocument, boxes: list[str]) -> Iterator[str]:
    for each in iterate_drawn_children(run):
        name = get_local_name(each)
        if name == "t":
            yield each.text or ""
        elif name in _NOTE_PARTS:
            key = (_NOTE_PARTS[name], get_attribute(each, "id"))
            yield f"[^{reading.notes.setdefault(key, len(reading.notes) + 1)}]"
        elif name in _SPECIAL_CHARACTERS:
            yield _SPECIAL_CHARACTERS[name]
        elif name in ("drawing", "pict", "object"):
            for box in each.iter():
                if get_local_name(box) == "txbxContent":
                    boxes += _read_text_box(box, reading)
            boxes += read_chart_tables(each, reading.package, reading.main, reading.tally)


def _read_text_box(box: Element, reading: _WordDocument) -> Iterator[str]:
    """Yield the paragraphs of a text box.

    Programs write a box twice, in a new and an old format; the old one is skipped.
    """
    if any(get_local_name(each) == "Fallback" for each in box.iterancestors()):
        return
    for each in box:
        if get_local_name(each) != "p":
            continue
        text = _read_paragraph(each, reading).text
        if text:
            yield text


def _find_hiding_reason(
    own: Element | None, reading: _WordDocument, style: ParagraphStyle, backed: bool
) -> str:
    """Return why a run is not visible, or ""."""
    looks = {
        **style.looks,
        **reading.styles.get(get_attribute(find_child(own, "rStyle")), ParagraphStyle()).looks,
        **_run_looks(own),
    }
    if looks.get("vanish", "0").lower() not in _OFF_VALUES:
        return HIDDEN_BY_AUTHOR
    if 0 < _parse_number(looks.get("sz", ""), most=TINY_HALF_POINTS) < TINY_HALF_POINTS:
        return TOO_SMALL
    backed = backed or _is_shaded(own)
    return SAME_COLOUR if looks.get("color", "").lower() in _WHITE and not backed else ""


def _run_looks(own: Element | None) -> dict[str, str]:
    looks = {}
    for name in ("vanish", "color", "sz"):
        element = find_child(own, name)
        if element is not None:
            looks[name] = get_attribute(element) or "1"
    return looks


def _has_background(paragraph: Element, own: Element | None, reading: _WordDocument) -> bool:
    """Return whether a paragraph may stand on anything but white paper.

    The background of a text box is not known, so its text is assumed visible.
    """
    if _is_shaded(own) or _has_shaded_style(find_child(own, "pStyle"), reading):
        return True
    for each in paragraph.iterancestors():
        name = get_local_name(each)
        if name == "txbxContent":
            return True
        if name == "tc" and _is_shaded(find_child(each, "tcPr")):
            return True
        if name == "tbl" and _has_shaded_style(find_child(each, "tblPr", "tblStyle"), reading):
            return True
    return False


def _has_shaded_style(reference: Element | None, reading: _WordDocument) -> bool:
    """Return whether the style that an element refers to has a background."""
    return reading.styles.get(get_attribute(reference), ParagraphStyle()).shaded


def _is_shaded(own: Element | None) -> bool:
    fill = get_attribute(find_child(own, "shd"), "fill").lower()
    highlight = get_attribute(find_child(own, "highlight")).lower()
    return fill not in _NO_SHADE or highlight not in ("", "none", "white")


# ---------------------------------------------------------------- tables, notes


def _read_table(table: Element, reading: _WordDocument) -> Iterator[str]:
    """Yield a pipe table, or the cells as blocks if the table is a layout or has one column."""
    rows = []
    for row in table.iter():
        if get_local_name(row) == "tr" and _find_owning_table(row) is table:
            cells = _read_row(row, reading)
            if any(cells):
                rows.append(cells)
    has_columns = any(sum(map(bool, row)) > 1 for row in rows)
    is_layout = any(sum(map(len, row)) > MAX_ROW_CHARACTERS for row in rows)
    if has_columns and not is_layout:
        yield format_table(rows)
        return
    for row in rows:
        yield from filter(None, row)


def _find_owning_table(row: Element) -> Element | None:
    return next((each for each in row.iterancestors() if get_local_name(each) == "tbl"), None)


def _read_row(row: Element, reading: _WordDocument) -> list[str]:
    cells: list[str] = []
    table = _find_owning_table(row)
    for cell in row.iter():
        if get_local_name(cell) != "tc" or _find_owning_table(cell) is not table:
            continue
        paragraphs = []
        for each in cell.iter():
            if get_local_name(each) == "p" and not _is_in_text_box(each, cell):
                paragraphs.append(_read_paragraph(each, reading).text)
        cells.append("\n".join(filter(None, paragraphs)))
        columns = _parse_number(get_attribute(find_child(cell, "tcPr", "gridSpan")), most=60)
        cells += [""] * (columns - 1)
    settings = find_child(row, "trPr")
    for name, reason in (("del", TRACKED_DELETION), ("hidden", HIDDEN_BY_AUTHOR)):
        if find_child(settings, name) is not None:
            reading.tally.add(reason, " ".join(cells))
            return []
    return cells


def _is_in_text_box(paragraph: Element, cell: Element) -> bool:
    """Return whether a paragraph is in a text box of the cell.

    It is read with the paragraph that anchors the box.
    """
    for each in paragraph.iterancestors():
        if each is cell:
            return False
        if get_local_name(each) == "txbxContent":
            return True
    return False


def _read_footnotes(reading: _WordDocument) -> Iterator[str]:
    """Yield the notes that the text refers to, in order of reference."""
    texts: dict[tuple[str, str], str] = {}
    for part in sorted({part for part, _ in reading.notes}):
        name = reading.package.first_reference(reading.main, part)
        if reading.package.keeps_links:
            reading.links = reading.package.link_targets(name)  # each part numbers its own
        for note in reading.package.xml(name):
            words = []
            for each in note.iter():
                if get_local_name(each) == "p":
                    words.append(_read_paragraph(each, reading).text)
            texts[part, get_attribute(note, "id")] = " ".join(filter(None, words))
    for key, number in list(reading.notes.items()):
        text = texts.get(key, "")
        if text:
            yield f"[^{number}]: {' '.join(text.split())}"


# ---------------------------------------------------------------- styles and lists


def _read_styles(package: Package, main: str) -> dict[str, ParagraphStyle]:
    """Return the styles by id, with what they inherit."""
    found = {}
    for each in package.xml(package.first_reference(main, "styles")):
        if get_local_name(each) == "style":
            found[get_attribute(each, "styleId")] = each
    return {name: _resolve_style(name, found) for name in found}


def _resolve_style(name: str, found: Mapping[str, Element]) -> ParagraphStyle:
    chain: list[Element] = []  # the style, the one it is based on, and so on
    while name in found and found[name] not in chain and len(chain) < 20:
        chain.append(found[name])
        name = get_attribute(find_child(found[name], "basedOn"))
    names = [get_attribute(find_child(each, "name")) for each in chain]
    level = 1 if names[0] == "Title" else _find_style_level(names, chain)
    numbering = ("", 0)
    for each in chain:
        element = find_child(each, "pPr", "numPr")
        if element is not None:
            numbering = _read_numbering(element)
            break
    looks: dict[str, str] = {}
    for each in reversed(chain):
        looks |= _run_looks(find_child(each, "rPr"))
    shaded = False
    for style in chain:
        for each in style.iter():
            if get_local_name(each) == "shd":
                shaded = shaded or get_attribute(each, "fill").lower() not in _NO_SHADE
    return ParagraphStyle(names[0], level, numbering, looks, shaded)


def _find_style_level(names: list[str], chain: list[Element]) -> int:
    """Return the heading level of a style: by name, else by outline level; 0 for none."""
    for name in names:
        match = _HEADING.fullmatch(name)
        if match:
            return int(match[1])
    for each in chain:
        outline = get_attribute(find_child(each, "pPr", "outlineLvl"))
        if outline in _LEVELS:
            return int(outline) + 1
    return 0


def _read_ordered_lists(package: Package, main: str) -> dict[tuple[str, int], bool]:
    """Return whether the items of each list level are numbered, by (list, level)."""
    kinds: dict[str, dict[int, bool]] = {}
    lists: dict[str, str] = {}
    for each in package.xml(package.first_reference(main, "numbering")):
        kind = get_local_name(each)
        if kind == "num":
            abstract = get_attribute(find_child(each, "abstractNumId"))
            lists[get_attribute(each, "numId")] = abstract
        elif kind == "abstractNum":
            kinds[get_attribute(each, "abstractNumId")] = _read_numbered_levels(each)
    ordered = {}
    for number, kind in lists.items():
        for level, is_numbered in kinds.get(kind, {}).items():
            ordered[number, level] = is_numbered
    return ordered


def _read_numbered_levels(definition: Element) -> dict[int, bool]:
    """Return whether each level of a list definition is numbered."""
    levels = {}
    for each in definition:
        if get_local_name(each) == "lvl":
            level = _parse_number(get_attribute(each, "ilvl"), most=8)
            form = get_attribute(find_child(each, "numFmt"))
            levels[level] = form not in ("bullet", "none")
    return levels
