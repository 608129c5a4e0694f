"""A work in BibTeX: its type, its fields, and the names in them. What it is called there is `keys`'
matter; nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.titles import UNTITLED

_TEX = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "$&#_%"},
})  # fmt: skip
#: The type of an entry, and the field of what a work stands in, by its kind.
_TYPES = {
    "article-journal": ("article", "journal"), "article-magazine": ("article", "journal"),
    "article-newspaper": ("article", "journal"),
    "book": ("book", "series"), "chapter": ("incollection", "booktitle"),
    "entry-encyclopedia": ("incollection", "booktitle"),
    "paper-conference": ("inproceedings", "booktitle"), "thesis": ("phdthesis", "howpublished"),
    "report": ("techreport", "howpublished"),
}  # fmt: skip
#: What tells kinds apart that share a type of entry; one that has no type of its own is told by
#: CSL's name for it.
_SUBTYPES = {
    "article-magazine": "magazine", "article-newspaper": "newspaper", "article": "preprint",
    "entry-encyclopedia": "entry-encyclopedia",
    **dict.fromkeys(("webpage", "document"), ""),
}  # fmt: skip
#: What TeX would join into one sign.
_JOINED = re.compile(r"(?<=-)-|(?<=`)`|(?<=')'")
#: What the field of who published it is called where it is not `publisher`.
_PUBLISHERS = {"phdthesis": "school", "techreport": "institution"}


def entry(name: str, work: Item) -> str:
    """The entry under this key; UTF-8, each value in braces with what TeX would read as more
    escaped.
    """
    kind, within = _TYPES.get(work.kind, ("misc", "howpublished"))
    fields = {
        "entrysubtype": _SUBTYPES.get(work.kind, "" if work.kind in _TYPES else work.kind),
        "type": tex(work.genre),
        # in braces of its own, or styles would change its capitals
        "title": f"{{{tex(work.title or UNTITLED)}}}",
        "author": names(work.authors),
        "editor": names(work.editors),
        **{role: names(work.others.get(role, ())) for role in ("translator", "director")},
        within: tex(work.container),
        _PUBLISHERS.get(kind, "publisher"): tex(work.publisher),
        "address": tex(work.place),
        "volume": tex(work.volume),
        "number": tex(work.issue or work.number),
        "pages": tex(re.sub(r"\s*[-–—]+\s*", "-", work.pages)).replace("-", "--"),
        "edition": tex(work.edition),
        "year": work.issued[:4],
        "date": work.issued,
        "doi": verbatim(work.doi),
        "url": verbatim(work.address),
        "urldate": work.accessed,
        "language": tex(work.language),
        "note": tex(work.note),
    }
    lines = "".join(f"  {field} = {{{value}}},\n" for field, value in fields.items() if value)
    return f"@{kind}{{{name},\n{lines}}}"


def bibtex(found: Iterable[tuple[str, Item]]) -> str:
    """The entries of works, each under its key."""
    return "\n\n".join(entry(name, work) for name, work in found) + "\n"


def names(people: Iterable[Person]) -> str:
    """The value of `author`: people as "Surname, Jr., Given", organisations in braces of their own,
    which keep them whole.
    """
    return " and ".join(map(_name, people))


def _name(person: Person) -> str:
    if person.literal or not person.given:
        return f"{{{tex(person.whole)}}}"
    return ", ".join(_whole(part) for part in (person.family, person.suffix, person.given) if part)


def _whole(part: str) -> str:
    """A part of a name, in braces where it holds what parts names."""
    return f"{{{tex(part)}}}" if re.search(r",|\band\b", part, re.IGNORECASE) else tex(part)


def tex(text: str) -> str:
    """A text with what TeX would read as more than itself escaped, and what it would join kept
    apart.
    """
    return _JOINED.sub(r"{}\g<0>", text.translate(_TEX))


def verbatim(text: str) -> str:
    """An address as BibTeX takes it: as it is, but for what would end the value or begin a command."""
    return re.sub(r"[\s{}\\\"^`|<>\x00-\x1f]", lambda found: quote(found[0]), text)
