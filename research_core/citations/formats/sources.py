"""What is known of a source by its page alone, as an Item: address, title, who wrote it, the site,
the day, the DOI. It asks nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from research_core.citations.formats.item import Item, Person
from research_core.text.dates import iso
from research_core.text.words import truncate, visible
from research_core.urls import doi as bare_doi
from research_core.urls import is_own, without_user

#: Characters of a text, of a name, and of an address.
LONGEST, NAME, ADDRESS = 2_000, 300, 10_000


def source(
    url: str,
    title: str,
    authors: Iterable[str] = (),
    site: str = "",
    date: str = "",
    doi: str = "",
    accessed: str = "",
    note: str = "",
) -> Item:
    """A page, or a document that has no address on the web. Each text becomes one visible line, a
    date the one it begins with.

    authors: as they are read or listed. What an own document goes by ("document:…") is kept as its
    url, and never printed.
    """
    address = truncate(without_user(_line(url)), ADDRESS)
    return Item(
        type="webpage" if address and not is_own(address) else "document",
        title=truncate(_line(title), LONGEST),
        authors=tuple(Person.of(name) for name in map(_name, authors) if name),
        container=truncate(_line(site), LONGEST),
        issued=iso(date),
        accessed=iso(accessed),
        doi=bare_doi(doi),
        url=address,
        note=truncate(_line(note), LONGEST),
    )


def parted(text: str) -> tuple[str, ...]:
    """The authors of a field that names several, parted by ";" or "and"."""
    return tuple(name for name in map(_name, re.split(r";|\s+and\s+", text)) if name)


def _line(text: str) -> str:
    return " ".join(visible(text).split())


def _name(author: str) -> str:
    """A name as one line; what joins the words of one surname stays."""
    return truncate(re.sub(r"[ \t\n]+", " ", visible(author)).strip(), NAME)
