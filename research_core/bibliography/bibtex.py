"""A source in BibTeX: its key, its fields, and the names in them. Pure functions of strings; what they are is decided elsewhere."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from research_core.bibliography.names import is_group, parsed

_TEX = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "$&#_%"},
})  # fmt: skip
#: Letters that no decomposition turns into ASCII.
_LETTERS = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "ı": "i", "þ": "th"}
)
#: First words of titles that tell no two titles apart.
_ARTICLES = frozenset("a an the der die das ein eine le la les un une el los las il lo gli".split())


def key(authors: Iterable[str], year: str, title: str) -> str:
    """smith2024whales: surname of the first author ("anon" without one), year, first word of the title that is no article; ASCII."""
    first = next(iter(authors), "")
    found = words(parsed(first).family if first else "")
    surname = (found[0] if is_group(first) else "".join(found)) if found else "anon"
    of_title = words(title)
    telling = next((word for word in of_title if word not in _ARTICLES), of_title[0] if of_title else "untitled")
    return f"{surname[:40]}{year}{telling[:40]}"


def words(text: str) -> list[str]:
    """The runs of ASCII letters and digits in a text once its accents are gone, in lower case."""
    plain = unicodedata.normalize("NFKD", text.translate(_LETTERS)).encode("ascii", "ignore").decode()
    return re.findall(r"[a-z0-9]+", plain.lower())


@dataclass(frozen=True)
class Record:
    """An entry's plain values, each one line. doi: bare; date, read: YYYY, YYYY-MM or YYYY-MM-DD; all but the title may be ""."""

    title: str
    authors: Sequence[str] = ()
    site: str = ""
    date: str = ""
    doi: str = ""
    url: str = ""
    read: str = ""
    note: str = ""


def entry(name: str, work: Record) -> str:
    """@article with a DOI, @misc without, under this key; UTF-8, each value in braces with what TeX would read as more escaped."""
    fields = {
        "title": f"{{{tex(work.title)}}}",  # in braces of its own, or styles would change its capitals
        "author": names(work.authors),
        "journal" if work.doi else "howpublished": tex(work.site),
        "year": work.date[:4],
        "date": work.date,
        "doi": verbatim(work.doi),
        "url": verbatim(work.url),
        "urldate": work.read,
        "note": tex(work.note),
    }
    lines = "".join(f"  {field} = {{{value}}},\n" for field, value in fields.items() if value)
    return f"@{'article' if work.doi else 'misc'}{{{name},\n{lines}}}"


def names(authors: Iterable[str]) -> str:
    """The value of `author`: people as "Surname, Jr., Given", organisations in braces of their own, which keep them whole."""
    return " and ".join(map(_name, authors))


def _name(author: str) -> str:
    found = parsed(author)
    if not found.given:
        return f"{{{tex(author)}}}"
    return tex(", ".join(filter(None, (found.family, found.suffix, found.given))))


def tex(text: str) -> str:
    """A text with what TeX would read as more than itself escaped."""
    return text.translate(_TEX)


def verbatim(text: str) -> str:
    """An address as BibTeX takes it: as it is, but for what would end the value or begin a command."""
    return re.sub(r"[\s{}\\\"^`|<>\x00-\x1f]", lambda found: quote(found[0]), text)
