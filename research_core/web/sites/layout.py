"""Lays out what a site's reader found as the Markdown blocks of a page's text, apart by blank
lines.

Text is cleaned of what nobody can see. Nothing is left out here and nothing judged; what a tree
means is told by its reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain, pairwise, zip_longest
from typing import Any

from research_core.errors import FetchError
from research_core.text.words import strip_invisible
from research_core.web.documents.tally import Tally
from research_core.web.html import MAX_IN_PROCESS_BYTES, strip_hidden

Element = Any  # lxml ships no types


def one_line(text: str) -> str:
    """Text as one line."""
    return " ".join(strip_invisible(text).split())


def split_paragraphs(text: str) -> str:
    """Text with its line breaks, in paragraphs."""
    lines = "\n".join(part.strip() for part in strip_invisible(text).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", lines).strip()


def html_paragraphs(fragment: str, tally: Tally) -> str:
    """An HTML fragment as paragraphs, without its tags and what they hide, which is counted; lines
    of code keep their indentation.

    Raises FetchError too_large for one longer than this process takes from a web page: nobody
    writes such a comment.
    """
    if len(fragment) > MAX_IN_PROCESS_BYTES:
        raise FetchError("A comment of the page is too long to be read.", kind="too_large")
    apart = re.sub(
        r"<(?:p|br|pre)\b|(?<=</pre>)", lambda tag: "\n\n" + tag[0], fragment, flags=re.IGNORECASE
    )
    lines = (part.rstrip() for part in strip_hidden(apart, tally).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def format_heading(level: int, text: str) -> str:
    """A heading, "" where it says nothing. level: 1-6, what is beyond is drawn in."""
    words = one_line(text)
    return f"{'#' * max(1, min(level, 6))} {words}" if words else ""


def format_item(text: str) -> str:
    """A list item, "" where it says nothing."""
    words = one_line(text)
    return f"- {words}" if words else ""


def format_quote(text: str) -> str:
    """Quoted paragraphs."""
    return (
        "\n".join(f"> {each}".rstrip() for each in split_paragraphs(text).split("\n"))
        if text.strip()
        else ""
    )


def format_code(text: str) -> str:
    """Lines as they are, fenced by more backticks than they hold in a row."""
    body = strip_invisible(text).strip("\n")
    longest = max(map(len, re.findall(r"`{3,}", body)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{body}\n{fence}" if body.strip() else ""


def join_document(title: str, *blocks: str) -> str:
    """The text of a page: its title as heading, then the blocks that say something; list items
    stand together.
    """
    said = list(filter(None, (format_heading(1, title), *blocks)))
    listed = (
        before.rpartition("\n")[2].startswith("- ") and block.startswith("- ")
        for before, block in pairwise(said)
    )
    ends = ("\n" if together else "\n\n" for together in listed)
    return "".join(chain.from_iterable(zip_longest(said, ends, fillvalue="")))


# ---------------------------------------------------------------- trees, before they are drawn


def move_out_of_paragraphs(
    elements: Iterable[Element], around: tuple[str, ...] = ("p", "li")
) -> None:
    """Move these out of the paragraphs they interrupt, to directly behind them in their order; the
    text after each stays.
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
    """Empty an element; the text after it stays. It is not removed, since then all the text would
    be put together anew each time.
    """
    element.clear(keep_tail=True)
    element.tag = "span"
