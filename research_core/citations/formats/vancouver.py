"""Vancouver (NLM), as one line of plain text without its number. What a work does not say is left
out; titles keep their capitals.
"""

from __future__ import annotations

from collections.abc import Sequence

from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.judgements import CASE, judgement
from research_core.citations.formats.people import all_or_first, initialled
from research_core.citations.formats.phrases import (
    MONTHS,
    capital,
    day,
    edition,
    link,
    pages,
    sentences,
    spaced,
    stopped,
)
from research_core.citations.formats.titles import curled, titled

#: Authors that are named before the others are left out.
MOST = 6
_SHORT = [month[:3] for month in MONTHS]
_PERIODICAL = frozenset("article-journal article-magazine article-newspaper".split())
_WITHIN = frozenset("chapter paper-conference entry entry-dictionary entry-encyclopedia".split())
_SERIAL = frozenset("dataset post-weblog post webpage article book".split())


def vancouver(work: Item) -> str:
    """ "Surname AB, Other C. Title. Journal. 2006 Jul;57(1):80–91. doi:10.x/y"."""
    if work.type == CASE:
        return spaced(stopped(judgement(work)), _access(work))
    parts = [_who(work), *(_periodical(work) if work.type in _PERIODICAL else _other(work))]
    return spaced(*map(stopped, parts), _access(work))


def _who(work: Item) -> str:
    if work.authors:
        return _listed(work.authors)
    return _edited(work)


def _listed(people: Sequence[Person]) -> str:
    return all_or_first([initialled(each) for each in people], MOST, MOST, ", ".join)


def _edited(work: Item) -> str:
    return (
        f"{_listed(work.editors)}, editor{'s' if len(work.editors) > 1 else ''}"
        if work.editors
        else ""
    )


def _had_part(work: Item, role: str) -> str:
    people = work.others.get(role, ())
    return f"{_listed(people)}, {role}{'s' if len(people) > 1 else ''}" if people else ""


def _online(work: Item) -> str:
    return "[Internet]" if work.address or work.doi else ""


def _cited(work: Item) -> str:
    return (
        f"[cited {day(work.accessed, 'Y M D', _SHORT) and _when(work.accessed)}]"
        if work.accessed
        else ""
    )


def _when(date: str) -> str:
    """ "2015 May 27"."""
    return " ".join(part for part in (date[:4], day(date, "M D", _SHORT)) if part)


def _periodical(work: Item) -> tuple[str, ...]:
    numbers = work.volume + (f"({work.issue})" if work.issue else "")
    printed = pages(work.pages, keep=1)
    numbered = bool(numbers or printed)
    when = spaced(_when(work.issued) or ("[date unknown]" if numbered else ""), _cited(work))
    before = ":" if numbers or work.type == "article-newspaper" else ";"
    said = when + (f";{numbers}" if numbers else "") + (f"{before}{printed}" if printed else "")
    online = "" if work.doi else _online(work)
    title = titled(work.title)
    return (
        (title, spaced(curled(work.container), online), said)
        if work.container
        else (spaced(title, online), said)
    )


def _other(work: Item) -> tuple[str, ...]:
    """A work with a publisher, or a part of one."""
    title, container = titled(work.title), curled(work.container)
    genre = f"[{work.genre}]" if work.genre else ""
    editors = _edited(work) if work.authors else ""
    others = sentences(*(_had_part(work, role) for role in ("translator", "director")))
    place = f"[{work.place}]" if work.place and work.type == "thesis" else work.place
    published = ": ".join(filter(None, (place, work.publisher)))
    when = _when(work.issued[:7]) if work.type == "report" else work.issued[:4]
    when = (
        _when(work.issued)
        if work.type in ("webpage", "post-weblog", "post", "patent", "document")
        else when
    )
    made = "; ".join(filter(None, (published, spaced(when, _cited(work)))))
    printed = f"p. {pages(work.pages, keep=1)}" if work.pages else ""
    if container and work.type in _WITHIN:
        return (
            title,
            spaced("In:", editors and f"{editors}.", container, _online(work)),
            edition(work.edition),
            made,
            printed,
        )
    if container and work.type in ("webpage", "document"):
        return spaced(container, genre, _online(work)), edition(work.edition), made, title
    if container:
        return (
            spaced(title, genre),
            spaced(container, _online(work)),
            edition(work.edition),
            made,
            printed,
        )
    volume = f"Vol. {work.volume}" if work.volume[:1].isdigit() else work.volume
    return (
        spaced(title, genre, _online(work)),
        edition(work.edition),
        volume,
        editors,
        others,
        made,
        printed,
        _number(work),
    )


def _number(work: Item) -> str:
    """ "Technical report no.: 12"."""
    if not work.number:
        return ""
    named = capital(work.genre) or ("Report" if work.type == "report" else "")
    return spaced(named, "no.:" if work.number.isalnum() else "", work.number)


def _access(work: Item) -> str:
    found = "" if work.type in _PERIODICAL and work.doi else work.address or link(work)
    return spaced(
        f"Available from: {found}" if found else "", f"doi:{work.doi}" if work.doi else ""
    )
