"""IEEE, as one line of plain text without its number. What a work does not say is left out; its
title keeps the capitals it has.
"""

from __future__ import annotations

from collections.abc import Sequence

from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.judgements import CASE, judgement
from research_core.citations.formats.people import all_or_first, series, short_read
from research_core.citations.formats.phrases import (
    capital,
    commas,
    day,
    edition,
    labelled,
    of_itself,
    pages,
    sentences,
    spaced,
    stopped,
)
from research_core.citations.formats.titles import curled, quoted, titled

#: Authors that are named before all but the first are left out.
MOST = 6
MONTHS = "Jan. Feb. Mar. Apr. May Jun. Jul. Aug. Sep. Oct. Nov. Dec.".split()
#: Types whose titles stand in italics, not in quotation marks.
_WHOLE = frozenset("book motion_picture map collection broadcast song software".split())
_PERIODICAL = frozenset("article-journal article-magazine article-newspaper".split())
#: Types that are dated by when they were read, where that is known.
_READ = frozenset("post-weblog post webpage document".split())
_DAILY = frozenset(
    """
        article-magazine article-newspaper entry-encyclopedia entry-dictionary entry dataset
        post-weblog post webpage document patent motion_picture
    """.split()
)


def ieee(work: Item) -> str:
    """ "A. B. Surname and C. Other, “Title,” Site, May 27, 2015. [Online]. Available: URL"."""
    if work.type == CASE:
        return spaced(stopped(judgement(work)), _access(work))
    who, within = _who(work), _within(work)
    said = spaced(f"{who}," if who else "", _title(work, "," if within else "."), within)
    if work.doi and work.type == "article-journal":
        return commas(said, f"doi: {work.doi}.")
    return spaced(stopped(said.rstrip(",")), _access(work))


def _who(work: Item) -> str:
    if work.authors:
        return _listed(work.authors)
    if directors := work.others.get("director"):
        return _listed(directors)
    return _edited(work) if work.editors else ""


def _listed(people: Sequence[Person]) -> str:
    return all_or_first([short_read(each) for each in people], MOST, 1, series)


def _edited(work: Item) -> str:
    return (
        f"{_listed(work.editors)}, Ed{'s' if len(work.editors) > 1 else ''}."
        if work.editors
        else ""
    )


def _title(work: Item, stop: str) -> str:
    if work.type == "book":
        return stopped(
            commas(
                titled(work.title),
                capital(edition(work.edition)),
                f"vol. {work.volume}" if work.volume else "",
            )
        )
    return f"{titled(work.title)}{stop}" if work.type in _WHOLE else quoted(work.title, stop)


def _when(work: Item) -> str:
    form = (
        "M DD, Y"
        if work.type in _DAILY
        else "Y"
        if work.type in ("book", "chapter", "thesis")
        else "M Y"
    )
    when = day(work.issued, form, MONTHS)
    return f"({when})" if when and work.type == "motion_picture" else when


def _within(work: Item) -> str:
    """What it stands in, its numbers, who published it and when."""
    container, published = (
        "" if of_itself(work) else curled(work.container),
        ": ".join(filter(None, (work.place, work.publisher))),
    )
    printed, volume = labelled(pages(work.pages)), f"vol. {work.volume}" if work.volume else ""
    if work.type in _PERIODICAL:
        placed = work.place if work.type == "article-newspaper" else ""
        return commas(
            container, placed, volume, labelled(work.issue, "no. ", "no. "), printed, _when(work)
        )
    if work.type in ("paper-conference", "chapter"):
        editors = _edited(work) if work.authors else ""
        place = f"in {container}" if container else ""
        volume = volume if work.type == "chapter" else ""
        return commas(
            place, edition(work.edition), editors, volume, published, _when(work), printed
        )
    if work.type == "book":
        return commas(published, _when(work))
    if work.type == "thesis":
        return commas(work.genre, work.publisher, work.place, _when(work))
    if work.type == "article":
        return commas(container, day(work.issued, "M DD, Y", MONTHS), work.publisher, work.place)
    if work.type == "report":
        return commas(
            container, work.publisher, work.place, spaced(work.genre, work.number), _when(work)
        )
    if work.type == "motion_picture":
        return _when(work)
    when = "" if work.type in _READ and work.accessed else _when(work)
    return sentences(commas(container, volume), commas(work.publisher, work.place, printed, when))


def _access(work: Item) -> str:
    if work.doi:
        return f"doi: {work.doi}."
    if not work.address:
        return ""
    kind = "[Online Video]" if work.type == "motion_picture" else "[Online]"
    read = f"Accessed: {day(work.accessed, 'M DD, Y', MONTHS)}." if work.accessed else ""
    return spaced(read, f"{kind}. Available: {work.address}")
