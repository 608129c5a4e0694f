"""The lead of a text: the lines under its headline that say what it says, which extractors take for
a teaser.

It is known by the page's own description, which repeats it, and by where it stands. What is not on
the page is not read.
"""

from __future__ import annotations

import re
from typing import Any

from research_core.web.html.elements import fold_text

Element = Any  # lxml ships no types

_DESCRIPTION_NAMES = frozenset({"description", "og:description", "twitter:description"})
#: Letters that a description has to have, and those of them that are compared; characters of a
#: lead.
MIN_LEAD_LENGTH, COMPARED_LETTERS, MAX_LEAD_LENGTH = 40, 60, 1_000
#: Where a lead may stand, and where none does. A box with more elements than this holds more than a
#: lead.
_LEAD_TAGS = ("p", "div", "h2", "h3", "h4", "strong", "span", "em", "b")
_EXCLUDED_TAGS = ("nav", "footer", "aside", "figure", "form", "a", "li", "table")
_EXCLUDED_NAMES = re.compile(
    r"caption|footer|byline|breadcrumb|cookie|banner|related|comment|sidebar|summary-?item",
    re.IGNORECASE,
)
MAX_PARTS = 3


def find_lead(tree: Element, text: str) -> str:
    """The lead of the page whose text was taken, as one line; "" where there is none, or the text
    holds it.
    """
    said = [
        opening
        for each in tree.iter("meta")
        if _is_description(each)
        and len(opening := _first_letters(each.get("content") or "")) >= MIN_LEAD_LENGTH
    ]
    held = _all_letters(text)
    if not said or any(opening in held for opening in said):
        return ""
    for each in tree.iter(*_LEAD_TAGS):
        opening = _opening_letters(each)
        if len(opening) == COMPARED_LETTERS and each.tag == "p" and opening in held:
            return ""  # the text has begun
        if (
            len(opening) >= MIN_LEAD_LENGTH
            and any(map(opening.startswith, said))
            and _may_be_lead(each)
        ):
            return fold_text("".join(each.itertext()))
    return ""


def insert_lead(text: str, lead: str) -> str:
    """The text with its lead at the top, below its title."""
    if not lead or _first_letters(lead) in _all_letters(text):
        return text
    title, gap, rest = text.partition("\n\n")
    return f"{title}\n\n{lead}\n\n{rest}" if gap and title.startswith("# ") else f"{lead}\n\n{text}"


def _is_description(meta: Element) -> bool:
    return (meta.get("property") or meta.get("name") or "").lower() in _DESCRIPTION_NAMES


def _first_letters(text: str) -> str:
    """The first letters and figures of a text."""
    return _all_letters(text.strip()[: 4 * COMPARED_LETTERS])[:COMPARED_LETTERS]


def _all_letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _opening_letters(element: Element) -> str:
    """The first letters of an element; none of a box of many elements."""
    opening = ""
    for part in () if element.tag == "div" and len(element) > MAX_PARTS else element.itertext():
        opening += part.strip()[: 4 * COMPARED_LETTERS]
        if len(opening) >= 4 * COMPARED_LETTERS:
            break
    return _first_letters(opening)


def _may_be_lead(element: Element) -> bool:
    """Whether an element is no longer than a lead, and stands where one may."""
    length = 0
    for part in element.itertext():
        length += len(part.strip())
        if length > MAX_LEAD_LENGTH:
            return False
    around = (element, *element.iterancestors())
    return not any(
        each.tag in _EXCLUDED_TAGS or _EXCLUDED_NAMES.search(each.get("class") or "")
        for each in around
    )
