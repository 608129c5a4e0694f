"""What an extractor would lose of a page, written into the page's tree so that it stays: lines of
code, the numbers of lists, what spans

rows, lists in cells, quotation marks that only a style draws, raised figures. It removes no word
and moves none.
"""

from __future__ import annotations

import re
from typing import Any

from research_core.text.blocks import unwrapped
from research_core.text.words import visible
from research_core.web.html.elements import BLOCKS, BREAKS, RAISED
from research_core.web.html.formulas import write_formulas
from research_core.web.html.inline import keep_words, show
from research_core.web.html.paragraphs import cells_without_lists, keep_announced, mark_paragraphs
from research_core.web.html.tables import name_icons, spread, write_out

Element = Any  # lxml ships no types

_FIGURE = re.compile(r"[+\-−]?\d{1,3}(?:, ?\d{1,3})*")
_NUMBERS = re.compile(r"\s*(?:\d{1,6}\s+)+\d{1,6}\s*")
_CODE = re.compile(
    r"highlight|\bcode|\blang|prettyprint|source-?code|\bbrush\b|prism|hljs|syntax|terminal|console",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[a-zß-ÿ]{2,}[,;]? [a-zß-ÿ]+[^.!?\n]{0,200}[.!?](?:\s|$)")
#: Preformatted text is prose from this share of letters and spaces and so many words a line on.
LETTERS, WORDS_A_LINE = 0.9, 5
_SAMPLE = 5_000


def mend(tree: Element) -> None:
    """Change the tree of a page, before its main text is looked for."""
    show(tree)
    write_formulas(tree)
    keep_words(tree)
    mark_paragraphs(tree)
    keep_announced(tree)
    for quoted in list(tree.iter("pre", "blockquote")):
        for figure in quoted.iterancestors("figure"):
            figure.tag = "div"  # or the extractor takes it for a picture
        if quoted.tag == "pre":
            _kept_lines(quoted)
    for listing in tree.iter("ol"):
        _number(listing)
    for quote in list(tree.iter("q")):
        quote.tag, quote.text = "span", f"“{quote.text or ''}"
        quote.tail = f"”{quote.tail or ''}"
    for raised in tree.iter("sup"):
        _raise(raised)
    name_icons(tree)
    spread(tree)
    write_out(tree)
    cells_without_lists(tree)


def _kept_lines(pre: Element) -> None:
    """Preformatted text as a block of code; as paragraphs, where it is prose that was only broken
    to fit.
    """
    text, tail = _preformatted(pre), pre.tail
    is_prose = not _is_code(pre) and _reads_as_prose(text)
    pre.clear()
    pre.tail = tail
    if not is_prose:
        pre.tag, pre.text = "code", text
        pre.set("rend", "block")
        return
    pre.tag = "div"
    for part in unwrapped(text).split("\n\n"):
        paragraph = pre.makeelement("p")
        paragraph.text = part
        pre.append(paragraph)


def _preformatted(pre: Element) -> str:
    """Its text with a line break wherever one is seen; nothing, where it is but the numbers of the
    lines beside it.
    """
    for each in pre.iterdescendants(*BREAKS, *BLOCKS):
        before = each.getprevious()
        if (
            each.tag in BLOCKS
            and ((each.getparent().text if before is None else before.tail) or "").strip()
        ):
            each.text = f"\n{each.text or ''}"
        each.tail = f"\n{each.tail or ''}"
    text = visible("".join(pre.itertext()))
    return (
        ""
        if pre.getparent() is not None and pre.getparent().tag == "td" and _counts(text)
        else text
    )


def _counts(text: str) -> bool:
    """Whether it is numbers in a row and nothing else."""
    numbers = [int(number) for number in text.split()] if _NUMBERS.fullmatch(text) else []
    return bool(numbers) and numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _is_code(pre: Element) -> bool:
    around = pre.getparent()
    classes = " ".join(
        each.get("class", "") for each in (pre, *([] if around is None else [around]))
    )
    return (
        bool(_CODE.search(classes))
        or pre.get("lang") is not None
        or next(pre.iter("code", "kbd", "samp"), None) is not None
    )


def _reads_as_prose(text: str) -> bool:
    sample = text.strip()[:_SAMPLE]
    lines = [line for line in sample.split("\n") if line.strip()]
    plain = sum(each.isalpha() or each.isspace() for each in sample)
    full = len(sample.split()) >= WORDS_A_LINE * len(lines) > 0
    return full and plain >= LETTERS * len(sample) and _SENTENCE.search(sample) is not None


def _number(listing: Element) -> None:
    """Write the number that a reader sees into each item of an ordered list."""
    items = listing.findall("li")
    step = -1 if listing.get("reversed") is not None else 1
    number = _whole(listing.get("start"), len(items) if step < 0 else 1)
    for item in items:
        number = _whole(item.get("value"), number)
        item.set("rend", str(number))
        number = max(0, number + step)


def _whole(found: str | None, other: int) -> int:
    return int(found) if found and found.isascii() and found.isdigit() and len(found) < 7 else other


def _raise(raised: Element) -> None:
    """A figure set above the line, as the signs for it: "10²" is not 102, and "2010³" is no year."""
    text = "".join(raised.itertext()).strip()
    if _FIGURE.fullmatch(text):
        tail = raised.tail
        raised.clear()
        raised.tag, raised.text, raised.tail = "span", text.translate(RAISED), tail
