"""The text of a Word document (DOCX) as Markdown blocks: headings, lists, tables, footnotes, text
boxes, charts.

Hidden, white and deleted text is left out and counted; a table of contents, heads, feet and
comments are left out. Fields show what they last showed. Formulas come as the letters and signs in
them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from research_core.web.documents import fitting
from research_core.web.documents.charts import charts
from research_core.web.documents.ooxml import HIDDEN, Package, Text, child, drawn, lines, value
from research_core.web.documents.properties import local
from research_core.web.documents.tables import pipe_table
from research_core.web.documents.tally import SAME_COLOUR, TOO_SMALL, Tally

Element = Any  # lxml ships no types

_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_CONTENTS = re.compile(r"toc (?:\d|heading)", re.IGNORECASE)
_OFF = ("0", "false", "off", "none")
_LEVELS = frozenset("012345678")
_WHITE = ("ffffff", "fefefe", "fdfdfd")
_NO_SHADE = ("", "auto", *_WHITE)
DELETED = "deleted, with its changes tracked"
#: Half points; what is smaller is a line of dots.
TINY = 4
#: A row with more text than this lays a page out, it tabulates nothing.
LONG_ROW = 1_000
#: What stands around the runs of a paragraph and is drawn with them.
_AROUND = frozenset(
    "hyperlink ins moveTo smartTag sdt sdtContent fldSimple customXml dir bdo".split()
)
_GONE = frozenset({"del", "moveFrom"})
_MARKS = {
    "tab": " ",
    "br": "\n",
    "cr": "\n",
    "noBreakHyphen": "-",
    "footnoteReference": "",
    "endnoteReference": "",
}
_NOTES = {"footnoteReference": "footnotes", "endnoteReference": "endnotes"}


@dataclass(frozen=True)
class Style:
    """What a style says of a paragraph or run.

    level: of a heading, 0 for none; numbering: (list, level in it), ("", 0) for none; looks:
    vanish, color and sz, as far as it sets them; shaded: whether anything in it has a background.
    """

    name: str = ""
    level: int = 0
    numbering: tuple[str, int] = ("", 0)
    looks: Mapping[str, str] = field(default_factory=dict)
    shaded: bool = False


@dataclass
class _Reading:
    """A document as it is being read."""

    package: Package
    main: str
    styles: Mapping[str, Style]
    ordered: Mapping[tuple[str, int], bool]
    tally: Tally
    counters: Counter[tuple[str, int]] = field(default_factory=Counter)
    notes: dict[tuple[str, str], int] = field(default_factory=dict)
    gone: dict[str, list[str]] = field(default_factory=dict)
    title: str = ""


@dataclass(frozen=True)
class _Paragraph:
    text: str
    style: Style
    boxes: tuple[str, ...] = ()


def read(package: Package, main: str, tally: Tally) -> Text:
    """The text of the main part, and the title that stands in it."""
    reading = _Reading(package, main, _styles(package, main), _ordered(package, main), tally)
    body, cut = fitting(_joined(_blocks(reading)))
    text, cut_later = fitting([body, *_footnotes(reading)])
    return Text(text, reading.title, cut or cut_later)


def _blocks(reading: _Reading) -> Iterator[tuple[str, bool]]:
    """(block, whether it is a list item) in order."""
    for element in reading.package.each(reading.main, "p", "tbl"):
        if local(element) == "tbl":
            yield from ((block, False) for block in _table(element, reading))
            continue
        paragraph = _paragraph(element, reading)
        if paragraph.text and not _CONTENTS.match(paragraph.style.name):
            yield (
                _drawn(paragraph, reading),
                bool(paragraph.style.numbering[0]) and not paragraph.style.level,
            )
        yield from ((box, False) for box in paragraph.boxes)


def _joined(blocks: Iterator[tuple[str, bool]]) -> Iterator[str]:
    """Blocks, with the items of a list as the lines of one."""
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


def _drawn(paragraph: _Paragraph, reading: _Reading) -> str:
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


def _paragraph(element: Element, reading: _Reading) -> _Paragraph:
    own = child(element, "pPr")
    style = _own_style(own, reading)
    boxes: list[str] = []
    words = "".join(_runs(element, reading, style, _is_backed(element, own, reading), boxes))
    for reason, pieces in reading.gone.items():
        reading.tally.add(reason, "".join(pieces))  # programs cut a sentence into many runs
    reading.gone.clear()
    return _Paragraph(lines(words, reading.tally), style, tuple(boxes))


def _own_style(own: Element | None, reading: _Reading) -> Style:
    """What a paragraph's style says, and what the paragraph says otherwise for itself."""
    style = reading.styles.get(value(child(own, "pStyle")), Style())
    numbering, outline = child(own, "numPr"), value(child(own, "outlineLvl"))
    listed = _numbering(numbering) if numbering is not None else style.numbering
    level = int(outline) + 1 if outline in _LEVELS else style.level
    return replace(style, level=level, numbering=listed if listed[0] != "0" else ("", 0))


def _numbering(said: Element | None) -> tuple[str, int]:
    return value(child(said, "numId")), _number(value(child(said, "ilvl")), most=8)


def _number(text: str, *, most: int) -> int:
    return min(int(text), most) if text.isdecimal() and len(text) < 6 else 0


def _runs(
    element: Element, reading: _Reading, style: Style, shaded: bool, boxes: list[str]
) -> Iterator[str]:
    for each in drawn(element):
        name = local(each)
        if name == "r":
            yield _run(each, reading, style, shaded, boxes)
        elif name in _AROUND:
            yield from _runs(each, reading, style, shaded, boxes)
        elif name in _GONE:
            reading.gone.setdefault(DELETED, []).extend(
                part.text or "" for part in each.iter() if local(part) in ("t", "delText")
            )
        elif name in ("oMath", "oMathPara"):
            yield (
                " "
                + "".join(filter(None, (part.text for part in each.iter() if local(part) == "t")))
                + " "
            )


def _run(run: Element, reading: _Reading, style: Style, shaded: bool, boxes: list[str]) -> str:
    text = "".join(_in_run(run, reading, boxes))
    why = _unseen(child(run, "rPr"), reading, style, shaded)
    if why:
        reading.gone.setdefault(why, []).append(text)
    return "" if why else text


def _in_run(run: Element, reading: _Reading, boxes: list[str]) -> Iterator[str]:
    for each in drawn(run):
        name = local(each)
        if name == "t":
            yield each.text or ""
        elif name in _NOTES:
            key = (_NOTES[name], value(each, "id"))
            yield f"[^{reading.notes.setdefault(key, len(reading.notes) + 1)}]"
        elif name in _MARKS:
            yield _MARKS[name]
        elif name in ("drawing", "pict", "object"):
            boxes += (
                block
                for box in each.iter()
                if local(box) == "txbxContent"
                for block in _box(box, reading)
            )
            boxes += charts(each, reading.package, reading.main, reading.tally)


def _box(box: Element, reading: _Reading) -> Iterator[str]:
    """The paragraphs of a text box. Programs write a box twice, in a new way and an old one; the
    old one is passed over.
    """
    if any(local(each) == "Fallback" for each in box.iterancestors()):
        return
    for each in box:
        if local(each) == "p" and (paragraph := _paragraph(each, reading)).text:
            yield paragraph.text


def _unseen(own: Element | None, reading: _Reading, style: Style, backed: bool) -> str:
    """Why nobody sees a run, "" where it is seen."""
    looks = {
        **style.looks,
        **reading.styles.get(value(child(own, "rStyle")), Style()).looks,
        **_looks(own),
    }
    if looks.get("vanish", "0").lower() not in _OFF:
        return HIDDEN
    if 0 < _number(looks.get("sz", ""), most=TINY) < TINY:
        return TOO_SMALL
    backed = backed or _is_shaded(own)
    return SAME_COLOUR if looks.get("color", "").lower() in _WHITE and not backed else ""


def _looks(own: Element | None) -> dict[str, str]:
    said = {name: child(own, name) for name in ("vanish", "color", "sz")}
    return {name: value(each) or "1" for name, each in said.items() if each is not None}


def _is_backed(paragraph: Element, own: Element | None, reading: _Reading) -> bool:
    """Whether anything but white paper lies under a paragraph: of a text box that is not known, and
    so it is believed.
    """
    if _is_shaded(own) or reading.styles.get(value(child(own, "pStyle")), Style()).shaded:
        return True
    for each in paragraph.iterancestors():
        if local(each) == "txbxContent" or (
            local(each) == "tc" and _is_shaded(child(each, "tcPr"))
        ):
            return True
        if (
            local(each) == "tbl"
            and reading.styles.get(value(child(each, "tblPr", "tblStyle")), Style()).shaded
        ):
            return True
    return False


def _is_shaded(own: Element | None) -> bool:
    shade, mark = child(own, "shd"), value(child(own, "highlight"))
    return value(shade, "fill").lower() not in _NO_SHADE or mark.lower() not in (
        "",
        "none",
        "white",
    )


# ---------------------------------------------------------------- tables, notes


def _table(table: Element, reading: _Reading) -> Iterator[str]:
    """A pipe table; the cells as blocks where the table has one column or lays a page out."""
    rows = [
        _row(row, reading) for row in table.iter() if local(row) == "tr" and _owner(row) is table
    ]
    rows = [row for row in rows if any(row)]
    if max((sum(map(bool, row)) for row in rows), default=0) < 2 or any(
        sum(map(len, row)) > LONG_ROW for row in rows
    ):
        yield from (cell for row in rows for cell in row if cell)
    else:
        yield pipe_table(rows)


def _owner(row: Element) -> Element | None:
    return next((each for each in row.iterancestors() if local(each) == "tbl"), None)


def _row(row: Element, reading: _Reading) -> list[str]:
    settings, cells = child(row, "trPr"), list[str]()
    for cell in (
        each for each in row.iter() if local(each) == "tc" and _owner(each) is _owner(row)
    ):
        paragraphs = [
            _paragraph(each, reading).text
            for each in cell.iter()
            if local(each) == "p" and not _in_box(each, cell)
        ]
        wide = value(child(cell, "tcPr", "gridSpan"))
        cells += ["\n".join(filter(None, paragraphs)), *([""] * (_number(wide, most=60) - 1))]
    for name, reason in (("del", DELETED), ("hidden", HIDDEN)):
        if child(settings, name) is not None:
            reading.tally.add(reason, " ".join(cells))
            return []
    return cells


def _in_box(paragraph: Element, cell: Element) -> bool:
    """Whether it stands in a text box of the cell, which comes with the paragraph that the box
    hangs on.
    """
    for each in paragraph.iterancestors():
        if each is cell:
            return False
        if local(each) == "txbxContent":
            return True
    return False


def _footnotes(reading: _Reading) -> Iterator[str]:
    """The notes that the text refers to, in the order it does."""
    texts: dict[tuple[str, str], str] = {}
    for part in sorted({part for part, _ in reading.notes}):
        for note in reading.package.xml(reading.package.referred(reading.main, part)):
            words = [_paragraph(each, reading).text for each in note.iter() if local(each) == "p"]
            texts[part, value(note, "id")] = " ".join(filter(None, words))
    found = ((number, texts.get(key, "")) for key, number in list(reading.notes.items()))
    yield from (f"[^{number}]: {' '.join(text.split())}" for number, text in found if text)


# ---------------------------------------------------------------- styles and lists


def _styles(package: Package, main: str) -> dict[str, Style]:
    """Id -> what the style says, with what it takes from the styles it rests on."""
    found = {
        value(each, "styleId"): each
        for each in package.xml(package.referred(main, "styles"))
        if local(each) == "style"
    }
    return {name: _style(name, found) for name in found}


def _style(name: str, found: Mapping[str, Element]) -> Style:
    chain: list[Element] = []
    while name in found and found[name] not in chain and len(chain) < 20:
        chain.append(found[name])
        name = value(child(found[name], "basedOn"))
    names = [value(child(each, "name")) for each in chain]
    levels = [int(match[1]) for each in names if (match := _HEADING.fullmatch(each))]
    outlines = [
        int(text) + 1
        for each in chain
        if (text := value(child(each, "pPr", "outlineLvl"))) in _LEVELS
    ]
    lists = (
        _numbering(each) for style in chain if (each := child(style, "pPr", "numPr")) is not None
    )
    looks = {
        key: text for each in reversed(chain) for key, text in _looks(child(each, "rPr")).items()
    }
    shaded = any(
        value(each, "fill").lower() not in _NO_SHADE
        for style in chain
        for each in style.iter()
        if local(each) == "shd"
    )
    level = 1 if names[0] == "Title" else next(iter([*levels, *outlines]), 0)
    return Style(names[0], level, next(lists, ("", 0)), looks, shaded)


def _ordered(package: Package, main: str) -> dict[tuple[str, int], bool]:
    """(numbering, level) -> whether its items are counted."""
    root = package.xml(package.referred(main, "numbering"))
    kinds: dict[str, dict[int, bool]] = {}
    for each in root:
        if local(each) == "abstractNum":
            levels = (
                (_number(value(level, "ilvl"), most=8), value(child(level, "numFmt")))
                for level in each
                if local(level) == "lvl"
            )
            kinds[value(each, "abstractNumId")] = {
                level: drawn_as not in ("bullet", "none") for level, drawn_as in levels
            }
    lists = {
        value(each, "numId"): value(child(each, "abstractNumId"))
        for each in root
        if local(each) == "num"
    }
    return {
        (number, level): counted
        for number, kind in lists.items()
        for level, counted in kinds.get(kind, {}).items()
    }
