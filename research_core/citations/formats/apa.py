"""APA 7, as one line of plain text. What a work does not say is left out; its title keeps the
capitals it has.
"""

from __future__ import annotations

from collections.abc import Sequence

from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.judgements import CASE, judgement
from research_core.citations.formats.people import series, short, short_read
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
from research_core.citations.formats.titles import curled, headline, titled

#: Authors that APA names before it leaves some out: then the first ones but one, and the last.
MOST = 20
#: Types that are dated to the day.
_DATED = frozenset(
    "article-magazine article-newspaper broadcast interview motion_picture paper-conference"
    " personal_communication post post-weblog song speech webpage document".split()
)
_PERIODICAL = frozenset(
    "article-journal article-magazine article-newspaper paper-conference post post-weblog review"
    " review-book".split()
)
_ENTRIES = frozenset({"entry", "entry-dictionary", "entry-encyclopedia"})
_WITHIN = frozenset({"chapter", "paper-conference", "dataset", "software", "book", *_ENTRIES})
#: What a work is, where its type alone says so.
_KINDS = {
    "dataset": "Dataset",
    "motion_picture": "Video recording",
    "software": "Computer software",
    "graphic": "Image",
}


def apa(work: Item) -> str:
    """ "Surname, A. B., & Other, C. (2015, May 27). Title. Site. URL": title first without an author,
    when it was read without a date.
    """
    if work.type == CASE:
        return spaced(sentences(judgement(work)), _link(work))
    who, when, title = _who(work), f"({_when(work)})", _title(work)
    head = (who, when, spaced(title, _described(work))) if who else (title, when, _described(work))
    return spaced(sentences(*head, *_within(work)), _link(work))


def _who(work: Item) -> str:
    if work.authors:
        return _listed(work.authors)
    if directors := work.others.get("director"):
        return f"{_listed(directors)} (Director{'s' if len(directors) > 1 else ''})"
    if work.editors and not work.container:
        return f"{_listed(work.editors)} ({_eds(work.editors)})"
    return work.publisher if work.type in _ENTRIES else ""


def _listed(people: Sequence[Person]) -> str:
    names = [short(each) for each in people]
    if len(names) > MOST:
        return f"{', '.join(names[: MOST - 1])}, … {names[-1]}"
    return series(names, ", & ", ", & ")


def _eds(people: Sequence[Person]) -> str:
    return "Eds." if len(people) > 1 else "Ed."


def _when(work: Item) -> str:
    printed = work.type == "paper-conference" and bool(work.pages or work.volume or work.editors)
    return (
        day(work.issued, "Y, M D" if work.type in _DATED and not printed else "Y", MONTHS) or "n.d."
    )


def _title(work: Item) -> str:
    """With what belongs to it in parentheses: its editors, edition, volume, number and pages,
    unless it stands in another work.
    """
    if work.container and work.type in _PERIODICAL | _WITHIN:
        return titled(work.title)
    editors = (
        f"{_read(work.editors)}, {_eds(work.editors)}" if work.editors and work.authors else ""
    )
    numbered = work.volume.isdecimal()
    title = titled(work.title) + (f": {work.volume}" if work.volume and not numbered else "")
    within = commas(
        edition(work.edition),
        f"Vol. {work.volume}" if numbered else "",
        labelled(pages(work.pages)),
    )
    translators = work.others.get("translator", ())
    translated = f"{_read(translators)}, Trans." if translators else ""
    inside = "; ".join(filter(None, (editors, translated, _number(work), within)))
    return spaced(title, f"({inside})" if inside else "")


def _number(work: Item) -> str:
    """ "Technical Report No. 12"."""
    if not work.number:
        return ""
    return spaced(
        headline(work.genre, work.language), "No." if work.number.isalnum() else "", work.number
    )


def _read(people: Sequence[Person]) -> str:
    return series([short_read(each) for each in people], ", & ", " & ")


def _described(work: Item) -> str:
    """What kind of work it is, in brackets; of a thesis also where it was handed in."""
    said = (
        ""
        if work.number and not work.container
        else capital(work.genre) or _KINDS.get(work.type, "")
    )
    said = commas(said, work.publisher) if work.type == "thesis" else said
    return f"[{said}]" if said else ""


def _within(work: Item) -> tuple[str, ...]:
    """What it stands in and who published it."""
    container = headline(curled(work.container), work.language)
    if (
        work.container
        and work.type in _PERIODICAL
        and not (work.type == "paper-conference" and work.editors)
    ):
        issue = f"({work.issue})" if work.issue else ""
        return (commas(container, f"{work.volume}{issue}", pages(work.pages)),)
    publisher = "" if work.type == "thesis" else work.publisher
    publisher = "" if publisher == _who(work) else publisher
    if work.container and work.type in _WITHIN:
        editors = f"{_read(work.editors)} ({_eds(work.editors)})" if work.editors else ""
        volume = f"Vol. {work.volume}" if work.volume else ""
        details = commas(edition(work.edition), volume, labelled(pages(work.pages)))
        return (
            "In "
            + spaced(commas(editors, curled(work.container)), f"({details})" if details else ""),
            publisher,
        )
    site = "" if work.container in (each.whole for each in work.authors) else container
    return (site, publisher)


def _link(work: Item) -> str:
    found = link(work)
    if found and work.accessed and not work.issued and not work.doi:
        return f"Retrieved {day(work.accessed, 'M D, Y', MONTHS)}, from {found}"
    return found
