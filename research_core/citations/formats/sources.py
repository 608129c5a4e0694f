"""Build the citation item of a source from what its page says, without asking anybody."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from research_core.citations.formats.dates import parse_work_date
from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.markup import fold_ligatures, render_markup
from research_core.text.words import keep_letters, strip_invisible, to_single_line, truncate
from research_core.urls import find_doi as bare_doi
from research_core.urls import is_own_document, strip_user_part

#: Characters of a text, of a name, and of an address.
MAX_CHARS, MAX_NAME_CHARS, MAX_URL_CHARS = 2_000, 300, 10_000


def build_source_item(
    url: str,
    title: str,
    authors: Iterable[str | Person] = (),
    site: str = "",
    date: str = "",
    doi: str = "",
    accessed: str = "",
    note: str = "",
) -> Item:
    """Build the item of a page, or of an own document without a web address.

    authors: as they are read or listed, or in their parts. Each text becomes one visible line, a
    date the one it begins with. The identifier of an own document ("document:…") is kept as its url
    and never printed. An author with the name of the site is the site, and its name is kept whole.
    """
    address = truncate(strip_user_part(to_single_line(url)), MAX_URL_CHARS)
    people = []
    for author in authors:
        person = _build_person(author, site)
        if person is not None:
            people.append(person)
    return Item(
        type="webpage" if address and not is_own_document(address) else "document",
        title=truncate(to_single_line(fold_ligatures(title)), MAX_CHARS),
        authors=tuple(people),
        container=truncate(to_single_line(fold_ligatures(site)), MAX_CHARS),
        issued=parse_work_date(date),
        accessed=parse_work_date(accessed),
        doi=bare_doi(doi),
        url=address,
        note=truncate(to_single_line(note), MAX_CHARS),
    )


def render_titles(item: Item) -> Item:
    """Return an item without markup in its title and in the name of its container."""
    return replace(
        item,
        title=to_single_line(render_markup(item.title)),
        container=to_single_line(render_markup(item.container)),
    )


def _build_person(author: str | Person, site: str) -> Person | None:
    if isinstance(author, Person):
        return author
    name = _clean_name(author)
    if name and keep_letters(name) == keep_letters(site):
        return Person(literal=to_single_line(name))
    return Person.of(name) if name else None


def _clean_name(author: str) -> str:
    """Return a name as one line; what joins the words of one surname stays."""
    name = strip_invisible(fold_ligatures(author))
    return truncate(re.sub(r"[ \t\n]+", " ", name).strip(), MAX_NAME_CHARS)
