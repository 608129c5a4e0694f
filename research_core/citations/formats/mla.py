"""MLA 9, as one line of plain text. What a work does not say is left out; an English title has the
capitals of a headline.
"""

from __future__ import annotations

from collections.abc import Sequence

from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.judgements import CASE, judgement
from research_core.citations.formats.people import read, series, turned
from research_core.citations.formats.phrases import (
    capital,
    commas,
    day,
    edition,
    labelled,
    link,
    of_itself,
    pages,
    sentences,
    spaced,
)
from research_core.citations.formats.titles import curled, headline, quoted, titled

#: Types whose titles stand in italics, not in quotation marks, unless the work stands in another.
_WHOLE = frozenset(
    """
        book thesis report patent motion_picture broadcast song map graphic collection legislation
    """.split()
)
#: How exact a date is: to the year, or to the month; any other type is dated to the day.
_YEARLY = frozenset("book chapter thesis paper-conference motion_picture collection".split())
#: Types of which is said what kind of work they are.
_NAMED = frozenset("webpage post-weblog post report".split())
#: Types that are parts of another work, and works of their own where none is known.
_PARTS = frozenset("chapter article-newspaper article-magazine".split())
_MONTHLY = frozenset({"article-journal"})
_ROLES = {"editor": "edited by", "translator": "translated by", "director": "directed by"}


def mla(work: Item) -> str:
    """ "Surname, First, and First Surname. “Title.” Site, 27 May 2015, URL."; when it was read without
    a date.
    """
    if work.type == CASE:
        return sentences(judgement(work), link(work))
    read = "" if work.issued or not work.accessed else f"Accessed {day(work.accessed, 'D M Y')}."
    after = commas(work.publisher, work.genre) if work.type == "thesis" else ""
    genre = capital(work.genre) if work.type in _NAMED and not work.number else ""
    return spaced(sentences(_who(work), _title(work), genre, _where(work), after), read)


def _who(work: Item) -> str:
    if work.authors:
        return _listed(work.authors)
    if work.editors and not _quoted(work):
        return f"{_listed(work.editors)}, editor{'s' if len(work.editors) > 1 else ''}"
    return ""


def _listed(people: Sequence[Person]) -> str:
    """The first turned round; of more than two no other."""
    first = turned(people[0])
    comma = "," if "," in first else ""  # stands only behind a name that was turned round
    if len(people) > 2:
        return f"{first}{comma or ','} et al."
    return f"{first}{comma} and {read(people[1])}" if len(people) == 2 else first


def _quoted(work: Item) -> bool:
    """Whether it is a part of another work, or too short to be one of its own."""
    return work.type not in _WHOLE and (bool(work.container) or work.type not in _PARTS)


def _title(work: Item) -> str:
    title = headline(work.title, work.language)
    return quoted(title) if _quoted(work) else titled(title)


def _where(work: Item) -> str:
    """What it stands in, who else had a part in it, its numbers, who published it, when, and where
    it is.
    """
    container = "" if of_itself(work) else curled(headline(work.container, work.language))
    held = (
        work.type == "paper-conference" and not work.editors
    )  # what was given there, and not what was printed
    numbers = commas(
        edition(work.edition),
        labelled(work.volume, "vol. ", "vols. ") if work.volume[:1].isdigit() else work.volume,
        labelled(work.issue, "no. ", "nos. "),
        (
            spaced(work.genre, "no." if work.number.isalnum() else "", work.number)
            if work.number
            else ""
        ),
    )
    placed = work.place if held or work.type == "article-newspaper" else ""
    return commas(
        spaced(container, f"[{placed}]" if placed else ""),
        _others(work),
        numbers if container or numbers == work.number else capital(numbers),
        "" if held else _publisher(work),
        _when(work),
        labelled(pages(work.pages, keep=2)),
        link(work),
    )


def _publisher(work: Item) -> str:
    """Its place stands for one that is not known. Of journals none is named, of a thesis its
    university elsewhere, and nobody twice.
    """
    if work.type in ("thesis", "article-journal") or work.publisher in (
        each.whole for each in work.authors
    ):
        return ""
    return work.publisher or ("" if work.container else work.place)


def _others(work: Item) -> str:
    people = {**work.others, "editor": work.editors if work.authors or _quoted(work) else ()}
    said = commas(
        *(f"{role} {_read(people[name])}" for name, role in _ROLES.items() if people.get(name))
    )
    return said if work.container else capital(said)


def _read(people: Sequence[Person]) -> str:
    return (
        f"{read(people[0])} et al." if len(people) > 2 else series([read(each) for each in people])
    )


def _when(work: Item) -> str:
    return day(
        work.issued, "Y" if work.type in _YEARLY else "M Y" if work.type in _MONTHLY else "D M Y"
    )
