"""Bound the time a page takes: cut tags with thousands of attributes, detect crowded pages.

No page written for readers comes near these bounds; beyond them, libraries take quadratic time.
"""

from __future__ import annotations

import re
from itertools import islice

from research_core.web.lxml_types import Element

#: Attributes kept of a tag with more characters than this; looking for duplicates compares each
#: with each.
MOST_ATTRIBUTES, LONG_TAG = 2_000, 20_000
_TAG = re.compile(
    r"<!--|<([a-z][^\s/<>]*+)(?:[^<>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+", re.IGNORECASE
)
#: Elements whose content is not markup, up to their end tag or else the end of the page.
_RAW_TEXT_TAGS = ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")
_CLOSING_TAGS = {name: re.compile(f"</{name}", re.IGNORECASE) for name in _RAW_TEXT_TAGS} | {
    "": re.compile("-->")
}
_ATTRIBUTE = re.compile(
    r"[\s/]*+(?:[^\s/=]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"']++)?)?|[=\"']++)"
)
#: A crowded page has this many elements, with at most so many bytes of source for each; or this
#: many siblings, with at most so many bytes for each. Ordinary pages have some hundred bytes for
#: each, the leanest of 863 have 34.
MIN_CROWD_ELEMENTS, CROWDED_BYTES_PER_ELEMENT = 5_000, 25
MIN_ROW_ELEMENTS, CROWDED_ROW_BYTES = 4_000, 50


def trim_attributes(text: str) -> str:
    """Keep only the first attributes of tags that have very many."""
    pieces, kept, at = list[str](), 0, 0
    while tag := _TAG.search(text, at):
        at = tag.end()
        if at - tag.start() >= LONG_TAG:
            attributes = [
                each[0] for each in islice(_ATTRIBUTE.finditer(tag[0]), MOST_ATTRIBUTES + 1)
            ]
            if len(attributes) > MOST_ATTRIBUTES:
                pieces += [text[kept : tag.start()], *attributes[:-1]]
                kept = at
        if end := _CLOSING_TAGS.get((tag[1] or "").lower()):
            if (found := end.search(text, at)) is None:
                break
            at = found.start()
    return "".join(pieces) + text[kept:]


def is_crowded(tree: Element, size: int) -> bool:
    """Return whether a page of so many bytes holds more elements than readable words."""
    count = sum(1 for _ in tree.iter())
    return count > MIN_CROWD_ELEMENTS and (
        size < CROWDED_BYTES_PER_ELEMENT * count
        or size < CROWDED_ROW_BYTES * max(MIN_ROW_ELEMENTS, *map(len, tree.iter()))
    )
