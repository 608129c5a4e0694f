"""What is cited, in the terms of CSL: the one value between every reader and every style. It reads
and prints nothing.

What a work does not say is left out, never made up: an empty text or tuple.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from research_core.text.names import UNSPACED_SCRIPTS, parse_name
from research_core.urls import is_own_document

#: Addresses that are no place but something to do.
_SCRIPT_URL = re.compile(r"(?:javascript|data|vbscript|about|blob):", re.IGNORECASE)


@dataclass(frozen=True)
class Person:
    """A name in its parts; literal: one that has none, as an organisation's. family holds its
    particles ("van Gogh").

    A particle that goes with the given name ends it ("Alexander von"). family_first: it is read
    with the surname first, as in China.
    """

    family: str = ""
    given: str = ""
    suffix: str = ""
    literal: str = ""
    family_first: bool = False

    @classmethod
    def of(cls, text: str) -> Person:
        """A name as it is read or as it is listed ("King, Martin Luther, Jr."); one that is not to
        be taken apart is literal.
        """
        found = parse_name(text)
        return (
            cls(found.family, found.given, found.suffix, "", found.family_first)
            if found.given
            else cls(literal=found.whole)
        )

    @property
    def unspaced(self) -> bool:
        """Whether it is in a script that puts no space between the parts of a name, and the surname
        first.
        """
        return bool(UNSPACED_SCRIPTS.search(self.family))

    @property
    def whole(self) -> str:
        """As it is read aloud."""
        if self.literal or self.unspaced:
            return self.literal or self.family + self.given
        parts = (self.family, self.given) if self.family_first else (self.given, self.family)
        return " ".join(filter(None, (*parts, self.suffix)))

    @property
    def turned(self) -> str:
        """As lists are ordered by: "King, Martin Luther, Jr."."""
        return self.literal or ", ".join(filter(None, (self.family, self.given, self.suffix)))


@dataclass(frozen=True)
class Item:
    """One work. type: of CSL ("article-journal", "webpage", …); issued, accessed: YYYY, YYYY-MM or
    YYYY-MM-DD; doi: bare.

    container: what it stands in (a journal, a book, a site); place: of the publisher; event: a
    conference; id: the name it goes by in the list it came from. others: who else had a part in it,
    by CSL's names for that ("translator", "director"). more: what else CSL knows of it, plain texts
    by the names of CSL's variables.
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
        """Where it is on the net; "" where it is not, as an own document, and for what a browser
        would run.
        """
        return "" if is_own_document(self.url) or _SCRIPT_URL.match(self.url) else self.url

    @property
    def kind(self) -> str:
        """Its type, for formats that have a type for everything: what is known by its page alone
        and has a DOI is a journal's article.
        """
        return "article-journal" if self.doi and self.type in ("webpage", "document") else self.type
