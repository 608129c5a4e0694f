"""A work in BibTeX: its type, its fields, and the names in them. What it is called there is `keys`'
matter; nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.titles import UNTITLED

_TEX_ESCAPES = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "$&#_%"},
})  # fmt: skip
#: The type of an entry, and the field of what a work stands in, by its kind.
_BIBTEX_TYPES = {
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
_LIGATURE = re.compile(r"(?<=-)-|(?<=`)`|(?<=')'")
#: What the field of who published it is called where it is not `publisher`.
_PUBLISHER_FIELDS = {"phdthesis": "school", "techreport": "institution"}


def format_entry(name: str, work: Item) -> str:
    """The entry under this key; UTF-8, each value in braces with what TeX would read as more
    escaped.
    """
    kind, within = _BIBTEX_TYPES.get(work.kind, ("misc", "howpublished"))
    fields = {
        "entrysubtype": _SUBTYPES.get(work.kind, "" if work.kind in _BIBTEX_TYPES else work.kind),
        "type": escape_tex(work.genre),
        # in braces of its own, or styles would change its capitals
        "title": f"{{{escape_tex(work.title or UNTITLED)}}}",
        "author": format_names(work.authors),
        "editor": format_names(work.editors),
        **{role: format_names(work.others.get(role, ())) for role in ("translator", "director")},
        within: escape_tex(work.container),
        _PUBLISHER_FIELDS.get(kind, "publisher"): escape_tex(work.publisher),
        "address": escape_tex(work.place),
        "volume": escape_tex(work.volume),
        "number": escape_tex(work.issue or work.number),
        "pages": escape_tex(re.sub(r"\s*[-–—]+\s*", "-", work.pages)).replace("-", "--"),
        "edition": escape_tex(work.edition),
        "year": work.issued[:4],
        "date": work.issued,
        "doi": escape_url(work.doi),
        "url": escape_url(work.address),
        "urldate": work.accessed,
        "language": escape_tex(work.language),
        "note": escape_tex(work.note),
    }
    lines = "".join(f"  {field} = {{{value}}},\n" for field, value in fields.items() if value)
    return f"@{kind}{{{name},\n{lines}}}"


def format_bibtex(found: Iterable[tuple[str, Item]]) -> str:
    """The entries of works, each under its key."""
    return "\n\n".join(format_entry(name, work) for name, work in found) + "\n"


def format_names(people: Iterable[Person]) -> str:
    """The value of `author`: people as "Surname, Jr., Given", organisations in braces of their own,
    which keep them whole.
    """
    return " and ".join(map(_format_name, people))


def _format_name(person: Person) -> str:
    if person.literal or not person.given:
        return f"{{{escape_tex(person.whole)}}}"
    return ", ".join(
        _brace_part(part) for part in (person.family, person.suffix, person.given) if part
    )


def _brace_part(part: str) -> str:
    """A part of a name, in braces where it holds what parts names."""
    return (
        f"{{{escape_tex(part)}}}"
        if re.search(r",|\band\b", part, re.IGNORECASE)
        else escape_tex(part)
    )


def escape_tex(text: str) -> str:
    """A text with what TeX would read as more than itself escaped, and what it would join kept
    apart.
    """
    return _LIGATURE.sub(r"{}\g<0>", text.translate(_TEX_ESCAPES))


def escape_url(text: str) -> str:
    """An address as BibTeX takes it: as it is, but for what would end the value or begin a command."""
    return re.sub(r"[\s{}\\\"^`|<>\x00-\x1f]", lambda found: quote(found[0]), text)
