"""Format what a site's reader found as Markdown blocks separated by blank lines.

Invisible characters are removed; nothing else is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from research_core.errors import FetchError
from research_core.text.words import strip_invisible
from research_core.web.documents.tally import HiddenTextTally
from research_core.web.html import MAX_IN_PROCESS_BYTES, strip_hidden
from research_core.web.lxml_types import Element


def one_line(text: str) -> str:
    """Return text on one line."""
    return " ".join(strip_invisible(text).split())


def split_paragraphs(text: str) -> str:
    """Return text with its line breaks, in paragraphs."""
    lines = "\n".join(part.strip() for part in strip_invisible(text).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", lines).strip()


def read_html_paragraphs(fragment: str, tally: HiddenTextTally) -> str:
    """Return an HTML fragment as paragraphs; what it hides is counted and dropped.

    Lines of code keep their indentation. Raises FetchError too_large for a fragment longer than
    this process parses: nobody writes such a comment.
    """
    if len(fragment) > MAX_IN_PROCESS_BYTES:
        raise FetchError("A comment of the page is too long to be read.", kind="too_large")
    apart = re.sub(
        r"<(?:p|br|pre)\b|(?<=</pre>)", lambda tag: "\n\n" + tag[0], fragment, flags=re.IGNORECASE
    )
    lines = (part.rstrip() for part in strip_hidden(apart, tally).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def format_heading(level: int, text: str) -> str:
    """Format a heading; "" without words. level: clamped to 1-6."""
    words = one_line(text)
    return f"{'#' * max(1, min(level, 6))} {words}" if words else ""


def format_item(text: str) -> str:
    """Format a list item; "" without words."""
    words = one_line(text)
    return f"- {words}" if words else ""


def format_quote(text: str) -> str:
    """Format quoted paragraphs."""
    if not text.strip():
        return ""
    return "\n".join(f"> {line}".rstrip() for line in split_paragraphs(text).split("\n"))


def format_code(text: str) -> str:
    """Fence lines as they are, with more backticks than they hold in a row."""
    body = strip_invisible(text).strip("\n")
    longest = max(map(len, re.findall(r"`{3,}", body)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{body}\n{fence}" if body.strip() else ""


def join_document(title: str, *blocks: str) -> str:
    """Join a title and the non-empty blocks into a page's text; list items stay together."""
    said = list(filter(None, (format_heading(1, title), *blocks)))
    text = "".join(said[:1])
    for before, block in pairwise(said):
        after_item = before.rpartition("\n")[2].startswith("- ")
        text += "\n" if after_item and block.startswith("- ") else "\n\n"
        text += block
    return text


# ---------------------------------------------------------------- trees, before they are drawn


def move_out_of_paragraphs(
    elements: Iterable[Element], around: tuple[str, ...] = ("p", "li")
) -> None:
    """Move elements out of the paragraphs they interrupt, to just behind them, in order.

    The text after each stays in the paragraph.
    """
    behind: dict[Element, Element] = {}
    for element in list(elements):
        outer = next(element.iterancestors(*around), None)
        if outer is None or outer.getparent() is None:
            continue
        place, last = element.makeelement("span"), behind.get(outer, outer)
        element.addprevious(place)
        place.tail, element.tail = (
            strip_invisible(element.tail or ""),
            None,
        )  # no tree takes the control characters that some hold
        tail, last.tail = last.tail, None
        last.addnext(element)
        element.tail = strip_invisible(tail or "")
        behind[outer] = element


def empty_element(element: Element) -> None:
    """Empty an element; the text after it stays.

    Removing it would rejoin all the text each time, which is slow.
    """
    element.clear(keep_tail=True)
    element.tag = "span"
