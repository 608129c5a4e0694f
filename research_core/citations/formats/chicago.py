"""Chicago 17, the lines of a bibliography: author-date, and notes. One line of plain text; what a
work does not say is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.judgements import CASE, judgement
from research_core.citations.formats.people import read, series, turned
from research_core.citations.formats.phrases import (
    MONTHS,
    capital,
    commas,
    day,
    edition,
    labelled,
    link,
    pages,
    sentences,
    spaced,
)
from research_core.citations.formats.titles import curled, headline, quoted, titled

#: Authors that are named before some are left out, and how many are then.
MOST, FIRST = 10, 7
#: Types whose titles stand in italics, not in quotation marks.
_WHOLE = frozenset(
    "book report motion_picture map collection broadcast song software legislation".split()
)
_DAILY = frozenset(
    "article-newspaper article-magazine post-weblog post webpage document interview speech".split()
)
#: Types that stand under the name of what they stand in where nobody is known to have written them.
_HOSTED = frozenset("article-newspaper article-magazine webpage document".split())
#: Types that stand in another work, as a chapter does.
_WITHIN = frozenset("chapter entry entry-dictionary entry-encyclopedia dataset book".split())
#: Types dated to the day although they have a publisher.
_DATED = frozenset("entry entry-dictionary entry-encyclopedia dataset article".split())
_ROLES = {"editor": "edited by", "translator": "translated by", "director": "directed by"}


def author_date(work: Item) -> str:
    """ "Surname, First, and First Surname. 2015. “Title.” Site, May 27, 2015. URL."."""
    if work.type == CASE:
        return notes(work)
    who, year = _who(work), work.issued[:4] or "n.d."
    title = _title(work)
    head = (who, year, title) if who else (title, year)
    return sentences(*head, *_source(work, dated=True), _read(work), link(work))


def notes(work: Item) -> str:
    """ "Surname, First, and First Surname. “Title.” Site, May 27, 2015. URL."."""
    if work.type == CASE:
        return sentences(judgement(work), link(work))
    return sentences(_who(work), _title(work), *_source(work, dated=False), _read(work), link(work))


def _read(work: Item) -> str:
    return (
        f"Accessed {day(work.accessed, 'M D, Y', MONTHS)}"
        if work.accessed and not work.issued and work.address
        else ""
    )


def _who(work: Item) -> str:
    if work.authors:
        return _listed(work.authors)
    if directors := work.others.get("director"):
        return f"{_listed(directors)}, dir{'s' if len(directors) > 1 else ''}."
    if work.editors:
        return f"{_listed(work.editors)}, ed{'s' if len(work.editors) > 1 else ''}."
    return _container(work) if work.type in _HOSTED or work.type.startswith("entry") else ""


def _container(work: Item) -> str:
    """Its name, and where it is where that tells it from others."""
    placed = work.place and (work.type == "article-newspaper" or _held(work))
    return spaced(
        curled(headline(work.container, work.language)), f"({work.place})" if placed else ""
    )


def _held(work: Item) -> bool:
    """Whether it was given at a conference, as far as is known, and not printed after it."""
    return work.type == "paper-conference" and not work.editors


def _listed(people: Sequence[Person]) -> str:
    """The first turned round; of more than ten the first seven."""
    names = [turned(people[0]), *map(read, people[1:])]
    if len(names) > MOST:
        return ", ".join(names[:FIRST]) + ", et al."
    return series(names, two=", and " if "," in names[0] else " and ")


def _title(work: Item) -> str:
    if work.type == "patent":
        return titled(work.title)
    title = headline(work.title, work.language)
    alone = work.type in ("article-newspaper", "article-magazine", "chapter") and not work.container
    return titled(title) if alone or work.type in _WHOLE else quoted(title)


def _source(work: Item, dated: bool) -> tuple[str, ...]:
    """What the work stands in, and who published it. dated: the year stands in front already."""
    container = "" if _container(work) == _who(work) else _container(work)
    if work.type in _DAILY or (_held(work) and not work.volume):
        printed = pages(work.pages, keep=-2) if _held(work) else ""
        return (capital(work.genre), commas(container, _when(work), printed))
    if work.type == "article-journal" or (_held(work) and work.volume):
        return (_journal(work, container, dated),)
    year = "" if dated else work.issued[:4]
    if work.type == "thesis":
        return (commas(capital(work.genre), work.publisher or work.place, year),)
    if work.type == "patent":
        return (
            commas(
                work.number and f"Patent {work.number}",
                f"issued {_when(work)}" if work.issued else "",
            ),
        )
    when = (
        (day(work.issued, "M D", MONTHS) if dated else _when(work)) if work.type in _DATED else year
    )
    preprint = work.type == "article"
    publisher = work.publisher if preprint else capital(work.publisher)
    published = commas(
        "Preprint" if preprint else "", ": ".join(filter(None, (work.place, publisher))), when
    )
    others = _others(work)
    if container and work.type in _WITHIN | {"paper-conference"}:
        printed, volume = pages(work.pages, keep=-2), _volume(work, "vol.")
        if printed and work.volume[:1].isdigit() and (dated or not others):
            printed, volume = f"{work.volume}:{printed}", ""
        parts = (
            container,
            edition(work.edition),
            *((others, volume) if dated else (volume, others)),
        )
        return ("In " + commas(*parts, printed), published)
    return (
        container,
        capital(others),
        capital(edition(work.edition)),
        _volume(work, "Vol."),
        _number(work),
        published,
    )


def _journal(work: Item, container: str, dated: bool) -> str:
    if not (work.volume or work.issue or work.pages):
        return commas(container, "ahead of print" if work.doi else "", _when(work))
    if dated and work.volume and work.issue:
        numbers = spaced(container, work.volume, f"({work.issue})")
    else:
        when = day(work.issued, "M Y", MONTHS)
        numbers = spaced(
            commas(spaced(container, work.volume), labelled(work.issue, "no. ", "nos. ")),
            f"({when})" if when else "",
        )
    return ": ".join(filter(None, (numbers, pages(work.pages, keep=-2) if work.pages else "")))


def _volume(work: Item, word: str) -> str:
    return f"{word} {work.volume}" if work.volume[:1].isdigit() else work.volume


def _number(work: Item) -> str:
    genre = headline(work.genre, work.language) if work.number else capital(work.genre)
    return spaced(genre, "No." if work.number.isalnum() else "", work.number)


def _others(work: Item) -> str:
    people = {
        **work.others,
        "editor": work.editors if work.authors or work.others.get("director") else (),
        "director": (),
    }
    return commas(
        *(
            f"{role} {series([read(each) for each in people[name]])}"
            for name, role in _ROLES.items()
            if people.get(name)
        )
    )


def _when(work: Item) -> str:
    return day(work.issued, "M D, Y", MONTHS)
