"""Harvard (Cite Them Right), as one line of plain text. What a work does not say is left out; its
title keeps the capitals it has.
"""

from __future__ import annotations

from collections.abc import Sequence

from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.judgements import CASE, reporter
from research_core.citations.formats.people import all_or_first, initials, series
from research_core.citations.formats.phrases import (
    MONTHS,
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
    stopped,
)
from research_core.citations.formats.titles import curled, quoted, titled

#: Authors that are named before all but the first are left out.
MOST = 3
_WHOLE = frozenset(
    """
        book report thesis motion_picture map collection broadcast song software webpage document
    """.split()
)
_NEWS = frozenset("article-newspaper article-magazine post-weblog post".split())
_PERIODICAL = frozenset({"article-journal", *_NEWS})
#: Types that stand under the name of what they stand in where nobody is known to have written them.
_HOSTED = frozenset("article-journal article-newspaper article-magazine".split())
#: Types that are parts of another work, and have its pages.
_PARTS = frozenset("chapter paper-conference entry entry-dictionary entry-encyclopedia".split())


_ROLES = {"translator": "Translated", "director": "Directed"}


def harvard(work: Item) -> str:
    """ "Surname, A.B. and Other, C. (2015) “Title,” Site. Available at: URL (Accessed: November 22,
    2026).".
    """
    if work.type == CASE:
        return spaced(
            sentences(spaced(titled(work.title), _year(work), reporter(work))), _access(work)
        )
    who, year, within, published = _who(work), _year(work), _within(work), _published(work)
    title = (
        titled(work.title)
        if work.type in _WHOLE
        else quoted(work.title, "," if who and within else "." if who else "")
    )
    comma = "," if who and within and work.type in _WHOLE else ""
    head = spaced(who, year, title + comma, within) if who else spaced(title, year, within)
    return spaced(sentences(head, *published), _access(work))


def _year(work: Item) -> str:
    return f"({work.issued[:4] or 'no date'})"


def _who(work: Item) -> str:
    if work.authors:
        return _listed(work.authors)
    if work.editors:
        return f"{_listed(work.editors)} ({_eds(work.editors)})"
    return curled(work.container) if work.type in _HOSTED else ""


def _eds(people: Sequence[Person]) -> str:
    return "eds." if len(people) > 1 else "ed."


def _named(person: Person) -> str:
    if person.literal or person.unspaced:
        return person.whole
    return commas(person.family, initials(person.given, between=""), person.suffix)


def _listed(people: Sequence[Person]) -> str:
    return all_or_first(
        [_named(each) for each in people], MOST, 1, lambda names: series(names, " and ")
    )


def _read(people: Sequence[Person]) -> str:
    """Editors as they are read: "A.B. Surname and C. Other"."""
    names = [
        (
            each.whole
            if each.literal or each.unspaced
            else spaced(initials(each.given, between=""), each.family)
        )
        for each in people
    ]
    return all_or_first(names, MOST, 1, series)


def _within(work: Item) -> str:
    """What it stands in, with its numbers."""
    named = work.authors or work.editors or work.type not in _HOSTED
    container = curled(work.container) if named and not of_itself(work) else ""
    if work.type == "article-journal":
        numbers = work.volume + (f"({work.issue})" if work.issue else "")
        return commas(container, numbers, labelled(pages(work.pages)))
    if work.type in _NEWS:
        return commas(container, day(work.issued, "D M", MONTHS), labelled(pages(work.pages)))
    edited = work.editors and work.authors and (container or work.type in _PARTS)
    editors = f"in {_read(work.editors)} ({_eds(work.editors)})" if edited else ""
    printed = (
        labelled(pages(work.pages)) if container and not any(_published(work)) else ""
    )  # else behind who published it
    return commas(spaced(editors, container), printed)


def _published(work: Item) -> tuple[str, ...]:
    if work.type in _PERIODICAL:
        return ()
    edited = work.editors and work.authors and not work.container and work.type not in _PARTS
    editors = f"Edited by {_read(work.editors)}" if edited else ""
    others = (
        f"{said} by {_read(work.others[role])}"
        for role, said in _ROLES.items()
        if work.others.get(role)
    )
    genre = spaced(work.genre, work.number) if work.type in ("thesis", "report") else ""
    made, parted = _made(work), work.type in _PARTS and not work.container
    printed = (
        labelled(pages(work.pages))
        if parted or (work.container and (made or genre or editors or work.edition))
        else ""
    )
    return genre, editors, *others, capital(edition(work.edition)), commas(made, printed)


def _made(work: Item) -> str:
    return ": ".join(filter(None, (work.place if work.type != "thesis" else "", work.publisher)))


def _access(work: Item) -> str:
    found = link(work)
    read = (
        f" (Accessed: {day(work.accessed, 'M D, Y', MONTHS)})"
        if work.accessed and not work.doi
        else ""
    )
    return stopped(f"Available at: {found}{read}") if found else ""
