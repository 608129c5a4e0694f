"""Find the lead of a text, which extractors mistake for a teaser.

The lead is the line under the headline that sums up the text. It is recognised by the page's own
description, which repeats it, and by its place.
"""

from __future__ import annotations

import re

from research_core.text.words import keep_letters
from research_core.web.html.elements import fold_text
from research_core.web.lxml_types import Element

_DESCRIPTION_NAMES = frozenset({"description", "og:description", "twitter:description"})
#: Fewest letters of a description, letters compared, and most characters of a lead.
MIN_LEAD_LENGTH, COMPARED_LETTERS, MAX_LEAD_LENGTH = 40, 60, 1_000
#: Where a lead may and may not stand. A box with more elements than this is not a lead.
_LEAD_TAGS = ("p", "div", "h2", "h3", "h4", "strong", "span", "em", "b")
_EXCLUDED_TAGS = ("nav", "footer", "aside", "figure", "form", "a", "li", "table")
_EXCLUDED_NAMES = re.compile(
    r"caption|footer|byline|breadcrumb|cookie|banner|related|comment|sidebar|summary-?item",
    re.IGNORECASE,
)
MAX_PARTS = 3


def find_lead(tree: Element, text: str) -> str:
    """Return the lead of a page on one line; "" if there is none or the text contains it."""
    descriptions = []
    for each in tree.iter("meta"):
        if not _is_description(each):
            continue
        opening = _get_first_letters(each.get("content") or "")
        if len(opening) >= MIN_LEAD_LENGTH:
            descriptions.append(opening)
    held = keep_letters(text)
    if not descriptions or any(opening in held for opening in descriptions):
        return ""
    for each in tree.iter(*_LEAD_TAGS):
        opening = _get_opening_letters(each)
        if len(opening) == COMPARED_LETTERS and each.tag == "p" and opening in held:
            return ""  # the text has begun
        is_described = len(opening) >= MIN_LEAD_LENGTH and any(
            map(opening.startswith, descriptions)
        )
        if is_described and _may_be_lead(each):
            return fold_text("".join(each.itertext()))
    return ""


def insert_lead(text: str, lead: str) -> str:
    """Insert the lead at the top of the text, below its title."""
    if not lead or _get_first_letters(lead) in keep_letters(text):
        return text
    title, gap, rest = text.partition("\n\n")
    if gap and title.startswith("# "):
        return f"{title}\n\n{lead}\n\n{rest}"
    return f"{lead}\n\n{text}"


def _is_description(meta: Element) -> bool:
    return (meta.get("property") or meta.get("name") or "").lower() in _DESCRIPTION_NAMES


def _get_first_letters(text: str) -> str:
    """Return the first letters and digits of a text."""
    return keep_letters(text.strip()[: 4 * COMPARED_LETTERS])[:COMPARED_LETTERS]


def _get_opening_letters(element: Element) -> str:
    """Return the first letters of an element; "" for a box of many elements."""
    if element.tag == "div" and len(element) > MAX_PARTS:
        return ""
    opening = ""
    for part in element.itertext():
        opening += part.strip()[: 4 * COMPARED_LETTERS]
        if len(opening) >= 4 * COMPARED_LETTERS:
            break
    return _get_first_letters(opening)


def _may_be_lead(element: Element) -> bool:
    """Return whether an element is short enough for a lead and in a place for one."""
    length = 0
    for part in element.itertext():
        length += len(part.strip())
        if length > MAX_LEAD_LENGTH:
            return False
    return not any(
        each.tag in _EXCLUDED_TAGS or _EXCLUDED_NAMES.search(each.get("class") or "")
        for each in (element, *element.iterancestors())
    )
