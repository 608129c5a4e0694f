"""Every style and format by name, and a list of works in one of them, in its order. What a work
looks like is each style's own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import replace

from research_core.citations.formats import chicago, csl
from research_core.citations.formats.apa import apa
from research_core.citations.formats.bibtex import bibtex
from research_core.citations.formats.harvard import harvard
from research_core.citations.formats.ieee import ieee
from research_core.citations.formats.item import Item
from research_core.citations.formats.keys import keyed, unique
from research_core.citations.formats.mla import mla
from research_core.citations.formats.ris import ris
from research_core.citations.formats.vancouver import vancouver

#: Styles for people: the line of one work.
LINES: dict[str, Callable[[Item], str]] = {
    "apa": apa,
    "mla": mla,
    "chicago": chicago.author_date,
    "chicago-notes": chicago.notes,
    "ieee": ieee,
    "vancouver": vancouver,
    "harvard": harvard,
}
#: Styles whose works are called by their place in the list, which is the one they are given in; the
#: others are in alphabetical order.
NUMBERS = {"ieee": "[{}] ", "vancouver": "{}. "}
#: Formats for reference managers: a list of works under their keys.
FORMATS: dict[str, Callable[[Iterable[tuple[str, Item]]], str]] = {
    "bibtex": bibtex,
    "ris": ris,
    "csl-json": lambda found: csl.csl_json(found, literal=True),
}
STYLES = (*LINES, *FORMATS)


def bibliography(style: str, works: Iterable[Item]) -> str:
    """The works in a style of `STYLES`, of two with one address the first. "" for no works, but of
    a JSON array "[]".

    Lines and records have a blank line between them. The same works give the same text: formats
    leave out when something was read, and are in the order of their keys. Raises KeyError for a
    style that is not there.
    """
    if style in FORMATS:
        undated = (replace(work, accessed="") for work in works)
        return FORMATS[style](sorted(keyed(undated), key=lambda row: row[0])).strip()
    lines = [LINES[style](work) for work in unique(works)]
    if style in NUMBERS:
        return "\n\n".join(
            NUMBERS[style].format(place) + line for place, line in enumerate(lines, 1)
        )
    return "\n\n".join(sorted(lines, key=_alphabetical))


def _alphabetical(line: str) -> tuple[str, str]:
    """By letters alone, so that marks, accents and capitals move nothing; then by the line."""
    plain = unicodedata.normalize("NFKD", line.casefold())
    return re.sub(r"[^\w\s]", "", plain), line
