"""Format a list of works in any style or format by its name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import replace

from research_core.citations.formats import chicago, csl
from research_core.citations.formats.apa import format_apa
from research_core.citations.formats.harvard import format_harvard
from research_core.citations.formats.ieee import format_ieee
from research_core.citations.formats.item import Item
from research_core.citations.formats.keys import assign_keys, drop_duplicates
from research_core.citations.formats.mla import format_mla
from research_core.citations.formats.vancouver import format_vancouver
from research_core.citations.formats.write_bibtex import format_bibtex
from research_core.citations.formats.write_ris import format_ris

#: Styles for people: the line of one work.
STYLE_FORMATTERS: dict[str, Callable[[Item], str]] = {
    "apa": format_apa,
    "mla": format_mla,
    "chicago": chicago.format_author_date,
    "chicago-notes": chicago.format_notes,
    "ieee": format_ieee,
    "vancouver": format_vancouver,
    "harvard": format_harvard,
}
#: Styles that number the works in the given order; the others sort them alphabetically.
NUMBER_PREFIXES = {"ieee": "[{}] ", "vancouver": "{}. "}
#: Styles that order the parts of an article and of a page differently.
_ARTICLE_STYLES = frozenset({"ieee", "vancouver"})
#: Formats for reference managers: a list of works under their keys.
FORMATS: dict[str, Callable[[Iterable[tuple[str, Item]]], str]] = {
    "bibtex": format_bibtex,
    "ris": format_ris,
    "csl-json": lambda found: csl.format_csl_json(found, literal=True),
}
STYLES = (*STYLE_FORMATTERS, *FORMATS)


def format_reference_list(style: str, works: Iterable[Item]) -> str:
    """Format works in a style of `STYLES`, the first of those with the same address.

    Lines and records have a blank line between them. The result is "" for no works, but "[]" for a
    JSON array. The same works give the same text: formats leave out the date of access and are in
    the order of their keys. Raises KeyError for an unknown style.
    """
    if style in FORMATS:
        undated = (replace(work, accessed="") for work in works)
        return FORMATS[style](sorted(assign_keys(undated), key=lambda row: row[0])).strip()
    lines = [_format_line(style, work) for work in drop_duplicates(works)]
    if style in NUMBER_PREFIXES:
        return "\n\n".join(
            NUMBER_PREFIXES[style].format(place) + line for place, line in enumerate(lines, 1)
        )
    return "\n\n".join(sorted(lines, key=_make_sort_key))


def _format_line(style: str, work: Item) -> str:
    """Format one work; a page with a DOI and a journal counts as an article, as in formats."""
    if style in _ARTICLE_STYLES and work.container:
        work = replace(work, type=work.kind)
    return STYLE_FORMATTERS[style](work)


def _make_sort_key(line: str) -> tuple[str, str]:
    """Return the sort key of a line: its letters without accents and case, then the line."""
    plain = unicodedata.normalize("NFKD", line.casefold())
    return re.sub(r"[^\w\s]", "", plain), line
