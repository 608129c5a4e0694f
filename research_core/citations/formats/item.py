"""The cited work, in the terms of CSL: the value between every reader and every style.

What a work does not say is left out and never made up: an empty text or tuple.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from research_core.text.names import UNSPACED_SCRIPTS, parse_name
from research_core.urls import is_own_document

#: Addresses that run something instead of naming a place.
_SCRIPT_URL = re.compile(r"(?:javascript|data|vbscript|about|blob):", re.IGNORECASE)


@dataclass(frozen=True)
class Person:
    """A name in its parts.

    literal: a name without parts, such as an organisation's. family holds its particles ("van
    Gogh"); a particle of the given name ends it ("Alexander von"). family_first: it is read with
    the surname first, as in China; listed: the name was given with its surname apart.
    """

    family: str = ""
    given: str = ""
    suffix: str = ""
    literal: str = ""
    family_first: bool = False
    listed: bool = field(default=False, compare=False, repr=False)

    @classmethod
    def of(cls, text: str) -> Person:
        """Parse a name as read or as listed; keep what cannot be split as literal."""
        found = parse_name(text)
        return (
            cls(found.family, found.given, found.suffix, "", found.family_first, "," in text)
            if found.given
            else cls(literal=found.full_name)
        )

    @property
    def unspaced(self) -> bool:
        """Return True if the name's script puts the surname first and no space between."""
        return bool(UNSPACED_SCRIPTS.search(self.family))

    @property
    def full_name(self) -> str:
        """Return the name as it is read aloud."""
        if self.literal or self.unspaced:
            return self.literal or self.family + self.given
        parts = (self.family, self.given) if self.family_first else (self.given, self.family)
        return " ".join(filter(None, (*parts, self.suffix)))

    @property
    def inverted(self) -> str:
        """Return the name as lists are ordered: "King, Martin Luther, Jr."."""
        return self.literal or ", ".join(filter(None, (self.family, self.given, self.suffix)))


@dataclass(frozen=True)
class Item:
    """One work.

    type: of CSL ("article-journal", "webpage", …); issued, accessed: YYYY, YYYY-MM or YYYY-MM-DD,
    or a season of EDTF ("2014-21");
    doi: bare; container: what it stands in (a journal, a book, a site); place: of the publisher;
    event: a conference; id: its name in the list it came from; others: further people by CSL's
    names of roles ("translator", "director"); more: further values by the names of CSL's variables.
    """

    type: str = "document"
    title: str = ""
    authors: tuple[Person, ...] = ()
    editors: tuple[Person, ...] = ()
    container: str = ""
    publisher: str = ""
    place: str = ""
    issued: str = ""
    accessed: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    edition: str = ""
    number: str = ""
    genre: str = ""
    event: str = ""
    language: str = ""
    doi: str = ""
    url: str = ""
    note: str = ""
    id: str = ""
    others: dict[str, tuple[Person, ...]] = field(default_factory=dict)
    more: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Return the web address; "" for own documents and for what a browser would run."""
        return "" if is_own_document(self.url) or _SCRIPT_URL.match(self.url) else self.url

    @property
    def kind(self) -> str:
        """Return the type, for formats that have a type for everything.

        A page with a DOI counts as a journal article.
        """
        return "article-journal" if self.doi and self.type in ("webpage", "document") else self.type
