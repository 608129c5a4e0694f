"""The text of a presentation (PPTX) as Markdown blocks: a heading for each slide, its bullets,
tables and diagrams, its speaker's notes.

Charts come as the numbers in them. Hidden slides and shapes, and what lies off the slide, are left
out and counted. Dates, feet, slide numbers and comments are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from research_core.web.documents import fitting
from research_core.web.documents.charts import charts
from research_core.web.documents.ooxml import HIDDEN, Package, Text, child, drawn, lines, value
from research_core.web.documents.properties import local
from research_core.web.documents.tables import pipe_table
from research_core.web.documents.tally import OFF_SCREEN, Tally

Element = Any  # lxml ships no types

MAX_SLIDES = 1_000
HIDDEN_SLIDE = "on a hidden slide"
_TITLES, _BODIES, _FURNITURE = (
    ("title", "ctrTitle"),
    ("body", "obj", ""),
    ("dt", "ftr", "sldNum", "hdr", "sldImg"),
)


@dataclass(frozen=True)
class _Place:
    """Where a slide is read: the package, the part, the size of a slide (0 where not known), and
    what was left out.
    """

    package: Package
    part: str
    size: tuple[int, int]
    tally: Tally


def read(package: Package, main: str, tally: Tally) -> Text:
    """The slides in their order, numbered as a presenter sees them."""
    presentation, references = package.xml(main), package.references(main)
    listed = [each for each in drawn(child(presentation, "sldIdLst")) if local(each) == "sldId"]
    size = child(presentation, "sldSz")
    wide, high = _whole(value(size, "cx")), _whole(value(size, "cy"))
    parts = [references.get(_reference(each), ("", ""))[1] for each in listed[:MAX_SLIDES]]
    places = [_Place(package, part, (wide, high), tally) for part in parts]
    blocks = [
        block
        for number, place in enumerate(places, 1)
        if place.part
        for block in _slide(number, place)
    ]
    cut = (
        f"Slides 1 to {MAX_SLIDES:,} of {len(listed):,} were read."
        if len(listed) > MAX_SLIDES
        else ""
    )
    text, cut_later = fitting(blocks)
    return Text(text, _title(blocks), cut or cut_later)


def _title(blocks: list[str]) -> str:
    head = next((block for block in blocks if block.startswith("## Slide ")), "")
    return head.partition(": ")[2]


def _reference(element: Element) -> str:
    """The r:id, which is not the plain id beside it."""
    return next((text for key, text in element.attrib.items() if key.endswith("}id")), "")


def _slide(number: int, place: _Place) -> Iterator[str]:
    slide = place.package.xml(place.part)
    titles, blocks = list[str](), list[str]()
    unseen = Tally() if value(slide, "show") in ("0", "false") else None
    inner = _Place(place.package, place.part, place.size, unseen or place.tally)
    for kind, text in _shapes(child(slide, "cSld", "spTree"), inner):
        (titles if kind == "title" else blocks).append(text)
    notes = list(_notes(place))
    if unseen is not None:
        place.tally.add(HIDDEN_SLIDE, " ".join([*titles, *blocks, *notes]))
        return
    name = " ".join(" ".join(titles).split())
    if name or blocks or notes:
        yield f"## Slide {number}: {name}".removesuffix(": ")
        yield from blocks
    if notes:
        yield f"Speaker notes: {' '.join(notes)}"


def _notes(place: _Place) -> Iterator[str]:
    part = place.package.referred(place.part, "notesSlide")
    if part:
        inner = _Place(place.package, part, (0, 0), place.tally)
        tree = child(place.package.xml(part), "cSld", "spTree")
        yield from (
            line.strip().removeprefix("- ")
            for kind, text in _shapes(tree, inner)
            if kind == "body"
            for line in text.split("\n")
        )


# ---------------------------------------------------------------- shapes


def _shapes(tree: Element | None, place: _Place) -> Iterator[tuple[str, str]]:
    """(title | body | other, block) of the shapes, groups opened."""
    for shape in drawn(tree):
        name = local(shape)
        if name not in ("sp", "grpSp", "graphicFrame"):
            continue
        why = _unseen(shape, place)
        if why:
            place.tally.add(
                why,
                " ".join(
                    text
                    for text in (each.text for each in shape.iter() if local(each) == "t")
                    if text
                ),
            )
        elif name == "grpSp":
            yield from _shapes(shape, place)
        elif name == "graphicFrame":
            yield from (("other", block) for block in _frame(shape, place) if block)
        else:
            yield from _shape(shape, place.tally)


def _unseen(shape: Element, place: _Place) -> str:
    named = next((each for each in shape.iter() if local(each) == "cNvPr"), None)
    if value(named, "hidden") in ("1", "true"):
        return HIDDEN
    frame = child(shape, "spPr", "xfrm")
    at, size = child(frame, "off"), child(frame, "ext")
    wide, high = place.size
    if not (wide and high) or at is None or size is None:
        return ""
    left, top = _whole(value(at, "x")), _whole(value(at, "y"))
    inside = (
        left < wide
        and top < high
        and left + _whole(value(size, "cx")) > 0
        and top + _whole(value(size, "cy")) > 0
    )
    return "" if inside else OFF_SCREEN


def _whole(text: str) -> int:
    return (
        int(text) if text.lstrip("-").isdecimal() and len(text) < 15 and text.count("-") < 2 else 0
    )


def _shape(shape: Element, tally: Tally) -> Iterator[tuple[str, str]]:
    holder = child(shape, "nvSpPr", "nvPr", "ph")
    kind = value(holder, "type")
    paragraphs = _paragraphs(child(shape, "txBody"), tally)
    if not paragraphs or (holder is not None and kind in _FURNITURE):
        return
    if holder is not None and kind in _TITLES:
        yield "title", " ".join(text for _, text in paragraphs)
    elif holder is not None and kind in _BODIES and len(paragraphs) > 1:
        yield (
            "body",
            "\n".join(f"{'  ' * level}- {' '.join(text.split())}" for level, text in paragraphs),
        )
    else:
        yield (
            "body" if kind in _BODIES and holder is not None else "other",
            "\n".join(text for _, text in paragraphs),
        )


def _paragraphs(body: Element | None, tally: Tally) -> list[tuple[int, str]]:
    """(level, text) of the paragraphs that say something."""
    found = []
    for paragraph in drawn(body):
        if local(paragraph) == "p":
            level = min(max(_whole(value(child(paragraph, "pPr"), "lvl")), 0), 8)
            found.append((level, lines("".join(_words(paragraph)), tally)))
    return [(level, text) for level, text in found if text]


def _words(paragraph: Element) -> Iterator[str]:
    for each in drawn(paragraph):
        name = local(each)
        if name == "br":
            yield "\n"
        elif name == "r" or (
            name == "fld" and not value(each, "type").startswith(("slidenum", "datetime"))
        ):
            yield from (part.text or "" for part in each if local(part) == "t")
        elif name == "m":  # a formula
            yield from (part.text or "" for part in each.iter() if local(part) == "t")


def _frame(frame: Element, place: _Place) -> Iterator[str]:
    """A table, the numbers of a chart, or the words of a diagram; the last two have parts of their
    own.
    """
    yield from charts(frame, place.package, place.part, place.tally)
    for each in frame.iter():
        if local(each) == "tbl":
            rows = [[" ".join(text for _,
            text in _paragraphs(child(cell, "txBody"),
            place.tally)) for cell in row if local(cell) == "tc"]
                    for row in each if local(row) == "tr"]  # fmt: skip
            yield pipe_table(rows)
        elif local(each) == "relIds":
            _, part = place.package.references(place.part).get(value(each, "dm"), ("", ""))
            texts = (
                (
                    child(point, "t")
                    for point in place.package.xml(part).iter()
                    if local(point) == "pt"
                )
                if part
                else ()
            )
            yield "\n".join(
                f"- {' '.join(text for _, text in found)}"
                for text in texts
                if (found := _paragraphs(text, place.tally))
            )
