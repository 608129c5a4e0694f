"""Rewrite parts of a page's tree that an extractor would lose, without removing words.

These are lines of code, list numbers, cells that span rows, lists in cells, quotation marks drawn
by style, and superscript digits.
"""

from __future__ import annotations

import re

from research_core.text.blocks import unwrap_lines
from research_core.text.words import strip_invisible
from research_core.web.html.elements import BLOCKS, BREAKS, SUPERSCRIPTS
from research_core.web.html.formulas import write_formulas
from research_core.web.html.inline import drop_hiding_marks, keep_inline_words
from research_core.web.html.paragraphs import (
    flatten_cell_lists,
    keep_announced_links,
    mark_paragraphs,
)
from research_core.web.html.tables import name_cell_icons, spread_spans, write_tables
from research_core.web.lxml_types import Element

_SUPERSCRIPT_FIGURE = re.compile(r"[+\-−]?\d{1,3}(?:, ?\d{1,3})*")
_LINE_NUMBERS = re.compile(r"\s*(?:\d{1,6}\s+)+\d{1,6}\s*")
_CODE_CLASS = re.compile(
    r"highlight|\bcode|\blang|prettyprint|source-?code|\bbrush\b|prism|hljs|syntax|terminal"
    r"|console",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[a-zß-ÿ]{2,}[,;]? [a-zß-ÿ]+[^.!?\n]{0,200}[.!?](?:\s|$)")
#: Preformatted text is prose from this share of letters and spaces and this many words a line.
MIN_LETTER_SHARE, MIN_WORDS_A_LINE = 0.9, 5
_SAMPLE_CHARACTERS = 5_000


def mend_tree(tree: Element) -> None:
    """Prepare the tree of a page for the extractor, in place."""
    drop_hiding_marks(tree)
    write_formulas(tree)
    keep_inline_words(tree)
    mark_paragraphs(tree)
    keep_announced_links(tree)
    for quoted in list(tree.iter("pre", "blockquote")):
        for figure in quoted.iterancestors("figure"):
            figure.tag = "div"  # or the extractor takes it for a picture
        if quoted.tag == "pre":
            _keep_lines(quoted)
    for listing in tree.iter("ol"):
        _number_items(listing)
    for quote in list(tree.iter("q")):
        quote.tag, quote.text = "span", f"“{quote.text or ''}"
        quote.tail = f"”{quote.tail or ''}"
    for raised in tree.iter("sup"):
        _raise_figures(raised)
    name_cell_icons(tree)
    spread_spans(tree)
    write_tables(tree)
    flatten_cell_lists(tree)


def _keep_lines(pre: Element) -> None:
    """Turn preformatted text into a block of code, or into paragraphs if it is wrapped prose."""
    text, tail = _read_preformatted_text(pre), pre.tail
    is_prose = not _is_code(pre) and _reads_as_prose(text)
    pre.clear()
    pre.tail = tail
    if not is_prose:
        pre.tag, pre.text = "code", text
        pre.set("rend", "block")
        return
    pre.tag = "div"
    for part in unwrap_lines(text).split("\n\n"):
        paragraph = pre.makeelement("p")
        paragraph.text = part
        pre.append(paragraph)


def _read_preformatted_text(pre: Element) -> str:
    """Return text with a line break wherever one is displayed.

    "" if it is only the line numbers beside some code.
    """
    for each in pre.iterdescendants(*BREAKS, *BLOCKS):
        if each.tag in BLOCKS:
            before = each.getprevious()
            text_before = each.getparent().text if before is None else before.tail
            if (text_before or "").strip():
                each.text = f"\n{each.text or ''}"
        each.tail = f"\n{each.tail or ''}"
    text = strip_invisible("".join(pre.itertext()))
    around = pre.getparent()
    if around is not None and around.tag == "td" and _is_line_numbering(text):
        return ""
    return text


def _is_line_numbering(text: str) -> bool:
    """Return whether a text consists of consecutive numbers."""
    if not _LINE_NUMBERS.fullmatch(text):
        return False
    numbers = [int(number) for number in text.split()]
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _is_code(pre: Element) -> bool:
    around = pre.getparent()
    classes = pre.get("class", "")
    if around is not None:
        classes = f"{classes} {around.get('class', '')}"
    if _CODE_CLASS.search(classes) or pre.get("lang") is not None:
        return True
    return next(pre.iter("code", "kbd", "samp"), None) is not None


def _reads_as_prose(text: str) -> bool:
    sample = text.strip()[:_SAMPLE_CHARACTERS]
    lines = [line for line in sample.split("\n") if line.strip()]
    plain = sum(each.isalpha() or each.isspace() for each in sample)
    full = len(sample.split()) >= MIN_WORDS_A_LINE * len(lines) > 0
    return full and plain >= MIN_LETTER_SHARE * len(sample) and _SENTENCE.search(sample) is not None


def _number_items(listing: Element) -> None:
    """Write the displayed number into each item of an ordered list."""
    items = listing.findall("li")
    step = -1 if listing.get("reversed") is not None else 1
    number = _parse_whole_number(listing.get("start"), len(items) if step < 0 else 1)
    for item in items:
        number = _parse_whole_number(item.get("value"), number)
        item.set("rend", str(number))
        number = max(0, number + step)


def _parse_whole_number(found: str | None, other: int) -> int:
    if found and found.isascii() and found.isdigit() and len(found) < 7:
        return int(found)
    return other


def _raise_figures(raised: Element) -> None:
    """Write superscript digits as such: "10²" is not 102, and "2010³" is not a year."""
    text = "".join(raised.itertext()).strip()
    if _SUPERSCRIPT_FIGURE.fullmatch(text):
        tail = raised.tail
        raised.clear()
        raised.tag, raised.text, raised.tail = "span", text.translate(SUPERSCRIPTS), tail
