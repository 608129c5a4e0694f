"""Text that stands among paragraphs and is marked as none, as paragraphs; and lists that a sentence
announces, as part of the text.

An extractor takes what is in a `p` for text, and a list of links for a menu. It judges by words and
links only, never by names of classes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from lxml import etree

from research_core.web.html.elements import (
    BREAKS,
    CELLS,
    SEPARATE_TAGS,
    element_line,
    find_holders,
    fold_text,
)

Element = Any  # lxml ships no types

#: What loose text reads as; and beside how much prose in one place a line is part of the text.
PROSE_RUN, LINE_RUN, MAX_LINES_BETWEEN = "prose", "line", 2
#: What may hold text beside blocks.
BOX_TAGS = frozenset({"article", "body", "center", "div", "main", "section"})
#: These too, where there are blocks in them.
WRAPPER_TAGS = frozenset({"font", "span"})
#: A list with more of its text in links than this is a menu.
MOSTLY_SHARE = 0.5
#: Of loose text this share may be links, and no more of it is looked at.
MOST_LINKED, LOOKED_AT = 0.3, 2_000
_PART_TAGS = SEPARATE_TAGS - BREAKS
#: A sentence has so many words at least, and one that announces a list so many.
MIN_SENTENCE_WORDS, MIN_ANNOUNCING_WORDS = 5, 4
_SENTENCE_END = re.compile(r"[.!?…:;]['\"”’»)\]]*$")
_PROSE_SIGNS = re.compile(r"[。！？]|[$€£¥]\s?\d|\d\s?(?:[€£¥]|(?:EUR|USD|GBP|CHF)\b)")


class InlineRun(NamedTuple):
    """What stands between two blocks. before: the block that it follows in `box`, None at its
    beginning; inline: the elements in it.
    """

    box: Element
    before: Element | None
    inline: list[Element]


def mark_paragraphs(tree: Element) -> None:
    """Put loose text that reads as prose into paragraphs, and so the short lines between such text."""
    parts = [each for each in tree.iter(etree.Element) if each.tag in _PART_TAGS]
    around = find_holders(parts, ())
    boxes = [
        each
        for each in tree.iter(etree.Element)
        if each.tag in BOX_TAGS or (each.tag in WRAPPER_TAGS and each in around)
    ]
    runs = [
        (box if box in around else box.getparent(), run)
        for box in boxes
        for run in _find_runs(box, around)
    ]
    read = [_classify_run(run) for _, run in runs]
    prose = Counter(
        place for (place, _), reading in zip(runs, read, strict=True) if reading == PROSE_RUN
    )
    for (place, run), reading in zip(runs, read, strict=True):
        if reading == PROSE_RUN or (reading == LINE_RUN and prose[place] >= MAX_LINES_BETWEEN):
            _wrap_run(run)
        else:
            _close_run(run)


def _find_runs(box: Element, around: set[Element]) -> Iterator[InlineRun]:
    before: Element | None = None
    inline: list[Element] = []
    for child in box:
        if child.tag in _PART_TAGS or child in around:
            yield InlineRun(box, before, inline)
            before, inline = child, []
        else:
            inline.append(child)
    yield InlineRun(box, before, inline)


def _leading_run(run: InlineRun) -> str:
    return (run.box.text if run.before is None else run.before.tail) or ""


def _classify_run(run: InlineRun) -> str:
    """PROSE, LINE of a few words, or "" for what has none or is mostly links."""
    if not run.inline and not _leading_run(run).strip():
        return ""
    linked, text = 0, [_leading_run(run)]
    for each in run.inline:
        text += [*each.itertext(), each.tail or ""]
        linked += sum(len(part) for link in each.iter("a") for part in link.itertext())
    whole = fold_text("".join(text))
    if not whole or linked > MOST_LINKED * len(whole):
        return ""
    return PROSE_RUN if _reads_as_text(whole[:LOOKED_AT]) else LINE_RUN


def _reads_as_text(text: str) -> bool:
    """Whether it holds a sentence, or names a price."""
    return (
        any(_SENTENCE_END.search(word) for word in text.split()[MIN_SENTENCE_WORDS - 1 :])
        or _PROSE_SIGNS.search(text) is not None
    )


def _wrap_run(run: InlineRun) -> None:
    paragraph = run.box.makeelement("p")
    paragraph.text = _leading_run(run)
    if run.before is None:
        run.box.text = None
        run.box.insert(0, paragraph)
    else:
        run.before.tail = None
        run.before.addnext(paragraph)
    paragraph.extend(run.inline)


def _close_run(run: InlineRun) -> None:
    """White space behind what is left loose, or an extractor joins its last word to the first one
    of the block that follows.
    """
    if run.inline:
        run.inline[-1].tail = f"{run.inline[-1].tail or ''} "
    elif run.before is not None and run.before.tail:
        run.before.tail += " "
    elif run.before is None and run.box.text:
        run.box.text += " "


def keep_announced_links(tree: Element) -> None:
    """The links in lists below a sentence that ends in a colon as plain words, so that the list is
    taken for none of links.
    """
    for listing in list(tree.iter("ul", "ol")):
        if _is_announced(listing):
            for link in list(listing.iter("a")):
                link.tag = "span"


def _is_announced(listing: Element) -> bool:
    """Whether the line above a list ends in a colon, and is a sentence, unless it is of the list
    around it.
    """
    before, around = listing.getprevious(), listing.getparent()
    if before is None:
        text = "" if around is None else around.text
    else:
        text = before.tail if (before.tail or "").strip() else element_line(before)
    said = fold_text((text or "")[-300:])
    in_list = around is not None and around.tag == "li"
    return said.endswith((":", "：")) and (
        in_list or said.endswith("：") or len(said.split()) >= MIN_ANNOUNCING_WORDS
    )


def flatten_cell_lists(tree: Element) -> None:
    """The lists in cells of what tables are left as lines with the items' marks, as an extractor
    keeps nothing of lists there.
    """
    for listing in list(tree.iter("ul", "ol")):
        around = next(listing.iterancestors("td", "th", "ul", "ol"), tree)
        if listing.tag != "div" and around.tag in CELLS and not _is_link_list(listing):
            for each in list(listing.iter("ul", "ol", "li")):
                if each.tag == "li":
                    number = each.get("rend")
                    each.text = f"{f'{number}.' if number else '-'} {(each.text or '').lstrip()}"
                each.tag = "p" if each.tag == "li" and each.find(".//li") is None else "div"


def _is_link_list(listing: Element) -> bool:
    linked = sum(len(text) for link in listing.iter("a") for text in link.itertext())
    return linked > MOSTLY_SHARE * sum(map(len, listing.itertext()))
