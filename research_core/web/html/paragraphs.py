"""Mark loose text among paragraphs as paragraphs, and keep lists that a sentence announces.

An extractor takes what is in a `p` for text, and a list of links for a menu. Words and links
decide, never class names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from research_core.web.html.elements import (
    BREAKS,
    CELLS,
    SEPARATE_TAGS,
    find_holders,
    fold_text,
    get_element_line,
)
from research_core.web.lxml_types import Element

#: Classes of loose text; and how much prose must surround a line to make it part of the text.
PROSE_RUN, LINE_RUN, MAX_LINES_BETWEEN = "prose", "line", 2
#: Elements that may hold text beside blocks.
BOX_TAGS = frozenset({"article", "body", "center", "div", "main", "section"})
#: These too, if they contain blocks.
WRAPPER_TAGS = frozenset({"font", "span"})
#: Link share above which a list is a menu.
MOSTLY_SHARE = 0.5
#: Link share that loose text may have, and characters of it that are examined.
MOST_LINKED, LOOKED_AT = 0.3, 2_000
_PART_TAGS = SEPARATE_TAGS - BREAKS
#: Fewest words of a sentence, and of one that announces a list.
MIN_SENTENCE_WORDS, MIN_ANNOUNCING_WORDS = 5, 4
_SENTENCE_END = re.compile(r"[.!?…:;]['\"”’»)\]]*$")
_PROSE_SIGNS = re.compile(r"[。！？]|[$€£¥]\s?\d|\d\s?(?:[€£¥]|(?:EUR|USD|GBP|CHF)\b)")


class InlineRun(NamedTuple):
    """The content between two blocks.

    before: the block it follows in `box`, None at the beginning; inline: its elements.
    """

    box: Element
    before: Element | None
    inline: list[Element]


def mark_paragraphs(tree: Element) -> None:
    """Put loose prose into paragraphs, and with it the short lines between."""
    parts = [each for each in tree.iter(etree.Element) if each.tag in _PART_TAGS]
    around = find_holders(parts, ())
    runs: list[tuple[Element, InlineRun, str]] = []  # the box's place, the run and its class
    prose: Counter[Element] = Counter()
    for box in tree.iter(etree.Element):
        if box.tag not in BOX_TAGS and not (box.tag in WRAPPER_TAGS and box in around):
            continue
        place = box if box in around else box.getparent()
        for run in _find_runs(box, around):
            kind = _classify_run(run)
            runs.append((place, run, kind))
            prose[place] += kind == PROSE_RUN
    for place, run, kind in runs:
        if kind == PROSE_RUN or (kind == LINE_RUN and prose[place] >= MAX_LINES_BETWEEN):
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


def _find_leading_run(run: InlineRun) -> str:
    return (run.box.text if run.before is None else run.before.tail) or ""


def _classify_run(run: InlineRun) -> str:
    """Classify a run: PROSE_RUN, LINE_RUN for a few words, or "" for no words or mostly links."""
    if not run.inline and not _find_leading_run(run).strip():
        return ""
    texts = [_find_leading_run(run)]
    linked = 0
    for each in run.inline:
        texts += [*each.itertext(), each.tail or ""]
        for link in each.iter("a"):
            linked += sum(map(len, link.itertext()))
    whole = fold_text("".join(texts))
    if not whole or linked > MOST_LINKED * len(whole):
        return ""
    return PROSE_RUN if _reads_as_text(whole[:LOOKED_AT]) else LINE_RUN


def _reads_as_text(text: str) -> bool:
    """Return whether a text holds a sentence or a price."""
    if _PROSE_SIGNS.search(text):
        return True
    return any(_SENTENCE_END.search(word) for word in text.split()[MIN_SENTENCE_WORDS - 1 :])


def _wrap_run(run: InlineRun) -> None:
    paragraph = run.box.makeelement("p")
    paragraph.text = _find_leading_run(run)
    if run.before is None:
        run.box.text = None
        run.box.insert(0, paragraph)
    else:
        run.before.tail = None
        run.before.addnext(paragraph)
    paragraph.extend(run.inline)


def _close_run(run: InlineRun) -> None:
    """Add a space after loose text, or an extractor joins its last word to the next block."""
    if run.inline:
        run.inline[-1].tail = f"{run.inline[-1].tail or ''} "
    elif run.before is not None and run.before.tail:
        run.before.tail += " "
    elif run.before is None and run.box.text:
        run.box.text += " "


def keep_announced_links(tree: Element) -> None:
    """Turn the links in announced lists into plain words.

    Otherwise the extractor takes such a list for a menu.
    """
    for listing in list(tree.iter("ul", "ol")):
        if _is_announced(listing):
            for link in list(listing.iter("a")):
                link.tag = "span"


def _is_announced(listing: Element) -> bool:
    """Return whether the line above a list ends in a colon and is a sentence.

    Within an item of another list it need not be a sentence.
    """
    before = listing.getprevious()
    around = listing.getparent()
    if before is None:
        text = "" if around is None else around.text
    elif (before.tail or "").strip():
        text = before.tail
    else:
        text = get_element_line(before)
    announcement = fold_text((text or "")[-300:])
    if announcement.endswith("："):
        return True
    if not announcement.endswith(":"):
        return False
    in_list = around is not None and around.tag == "li"
    return in_list or len(announcement.split()) >= MIN_ANNOUNCING_WORDS


def flatten_cell_lists(tree: Element) -> None:
    """Turn lists in table cells into lines with item marks, which an extractor keeps."""
    for listing in list(tree.iter("ul", "ol")):
        around = next(listing.iterancestors("td", "th", "ul", "ol"), tree)
        if listing.tag == "div" or around.tag not in CELLS or _is_link_list(listing):
            continue
        for each in list(listing.iter("ul", "ol", "li")):
            if each.tag != "li":
                each.tag = "div"
                continue
            number = each.get("rend")
            mark = f"{number}." if number else "-"
            each.text = f"{mark} {(each.text or '').lstrip()}"
            each.tag = "p" if each.find(".//li") is None else "div"


def _is_link_list(listing: Element) -> bool:
    linked = 0
    for link in listing.iter("a"):
        linked += sum(map(len, link.itertext()))
    return linked > MOSTLY_SHARE * sum(map(len, listing.itertext()))
