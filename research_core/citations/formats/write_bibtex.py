"""Write works as BibTeX entries: type, fields and names. Keys are made in `keys`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from research_core.citations.formats.dates import format_season
from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.titles import UNTITLED

_TEX_ESCAPES = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "$&#_%"},
})  # fmt: skip
#: The entry type and the field of the container, by kind of work.
_BIBTEX_TYPES = {
    "article-journal": ("article", "journal"), "article-magazine": ("article", "journal"),
    "article-newspaper": ("article", "journal"),
    "book": ("book", "series"), "chapter": ("incollection", "booktitle"),
    "entry-encyclopedia": ("incollection", "booktitle"),
    "paper-conference": ("inproceedings", "booktitle"), "thesis": ("phdthesis", "howpublished"),
    "report": ("techreport", "howpublished"),
}  # fmt: skip
#: Subtypes of kinds that share an entry type; a kind without a type of its own has CSL's name.
_SUBTYPES = {
    "article-magazine": "magazine", "article-newspaper": "newspaper", "article": "preprint",
    "entry-encyclopedia": "entry-encyclopedia",
    **dict.fromkeys(("webpage", "document"), ""),
}  # fmt: skip
#: Signs that TeX would join into one.
_LIGATURE = re.compile(r"(?<=-)-|(?<=`)`|(?<=')'")
#: The field of the publisher of entry types that do not call it `publisher`.
_PUBLISHER_FIELDS = {"phdthesis": "school", "techreport": "institution"}


def format_entry(name: str, work: Item) -> str:
    """Format the entry under this key, in UTF-8, with each value in braces and escaped for TeX."""
    # A page with a DOI is an article only if the journal is known that BibTeX requires.
    name_of_kind = work.kind if work.container else work.type
    kind, within = _BIBTEX_TYPES.get(name_of_kind, ("misc", "howpublished"))
    fields = {
        "entrysubtype": _SUBTYPES.get(
            name_of_kind, "" if name_of_kind in _BIBTEX_TYPES else name_of_kind
        ),
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
        "date": work.issued.replace("-27", "-23") if format_season(work.issued) else work.issued,
        "doi": escape_doi(work.doi),
        "url": escape_url(work.address),
        "urldate": work.accessed,
        "language": escape_tex(work.language),
        "note": escape_tex(work.note),
    }
    lines = "".join(f"  {field} = {{{value}}},\n" for field, value in fields.items() if value)
    return f"@{kind}{{{name},\n{lines}}}"


def format_bibtex(found: Iterable[tuple[str, Item]]) -> str:
    """Format the entries of works, each under its key."""
    return "\n\n".join(format_entry(name, work) for name, work in found) + "\n"


def format_names(people: Iterable[Person]) -> str:
    """Format people as "Surname, Jr., Given" and organisations in braces, which keep them whole."""
    return " and ".join(map(_format_name, people))


def _format_name(person: Person) -> str:
    if person.literal or not person.given:
        return f"{{{escape_tex(person.full_name)}}}"
    return ", ".join(
        _brace_part(part) for part in (person.family, person.suffix, person.given) if part
    )


def _brace_part(part: str) -> str:
    """Escape a part of a name, in braces if it holds what separates names."""
    escaped = escape_tex(part)
    return f"{{{escaped}}}" if re.search(r",|\band\b", part, re.IGNORECASE) else escaped


def escape_tex(text: str) -> str:
    """Escape what TeX would interpret, and keep apart what it would join."""
    return _LIGATURE.sub(r"{}\g<0>", text.translate(_TEX_ESCAPES))


def escape_doi(doi: str) -> str:
    """Percent-encode the characters that would end a BibTeX value; a DOI has the others itself."""
    return re.sub(r"[\s{}\\\"^`|\x00-\x1f]", lambda found: quote(found[0]), doi)


def escape_url(text: str) -> str:
    """Percent-encode the characters that would end a BibTeX value or begin a command."""
    return re.sub(r"[\s{}\\\"^`|<>\x00-\x1f]", lambda found: quote(found[0]), text)
