"""Format references in Vancouver style (NLM), as one line of plain text without the number.

Unknown parts are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.judgements import CASE, format_judgement
from research_core.citations.formats.people import format_medical_name, truncate_names
from research_core.citations.formats.phrases import (
    MONTHS,
    add_full_stop,
    capitalize_first,
    format_date,
    format_edition,
    format_pages,
    get_best_link,
    join_sentences,
    join_spaces,
)
from research_core.citations.formats.titles import curl_quotes, format_plain_title

#: Authors that are named before the others are left out.
MAX_AUTHORS = 6
_SHORT_MONTHS = [month[:3] for month in MONTHS]
_PERIODICAL_TYPES = frozenset("article-journal article-magazine article-newspaper".split())
_CONTAINED_TYPES = frozenset(
    "chapter paper-conference entry entry-dictionary entry-encyclopedia".split()
)


def format_vancouver(work: Item) -> str:
    """Format as "Surname AB, Other C. Title. Journal. 2006 Jul;57(1):80–91. doi:10.x/y"."""
    if work.type == CASE:
        return join_spaces(add_full_stop(format_judgement(work)), _format_access(work))
    parts = [
        _format_author(work),
        *(
            _format_periodical(work)
            if work.type in _PERIODICAL_TYPES
            else _format_publication(work)
        ),
    ]
    return join_spaces(*map(add_full_stop, parts), _format_access(work))


def _format_author(work: Item) -> str:
    if work.authors:
        return _format_names(work.authors)
    return _format_editors(work)


def _format_names(people: Sequence[Person]) -> str:
    return truncate_names(
        [format_medical_name(each) for each in people], MAX_AUTHORS, MAX_AUTHORS, ", ".join
    )


def _format_editors(work: Item) -> str:
    if not work.editors:
        return ""
    label = "editors" if len(work.editors) > 1 else "editor"
    return f"{_format_names(work.editors)}, {label}"


def _format_contributors(work: Item, role: str) -> str:
    people = work.others.get(role, ())
    if not people:
        return ""
    return f"{_format_names(people)}, {role}{'s' if len(people) > 1 else ''}"


def _format_online(work: Item) -> str:
    return "[Internet]" if work.address or work.doi else ""


def _format_cited_date(work: Item) -> str:
    if not work.accessed:
        return ""
    return f"[cited {_format_date(work.accessed)}]"


def _format_date(date: str) -> str:
    """Format as "2015 May 27"."""
    return " ".join(part for part in (date[:4], format_date(date, "M D", _SHORT_MONTHS)) if part)


def _format_periodical(work: Item) -> tuple[str, ...]:
    numbers = f"{work.volume}({work.issue})" if work.issue else work.volume
    printed = format_pages(work.pages, keep=1)
    date = _format_date(work.issued)
    if not date and (numbers or printed):
        date = "[date unknown]"
    issue = join_spaces(date, _format_cited_date(work))
    if numbers:
        issue += f";{numbers}"
    if printed:
        separator = ":" if numbers or work.type == "article-newspaper" else ";"
        issue += f"{separator}{printed}"
    online = "" if work.doi else _format_online(work)
    title = format_plain_title(work.title)
    if work.container:
        return title, join_spaces(curl_quotes(work.container), online), issue
    return join_spaces(title, online), issue


def _format_publication(work: Item) -> tuple[str, ...]:
    """Format a work with a publisher, or a part of one."""
    title, container = format_plain_title(work.title), curl_quotes(work.container)
    genre = f"[{work.genre}]" if work.genre else ""
    editors = _format_editors(work) if work.authors else ""
    others = join_sentences(
        *(_format_contributors(work, role) for role in ("translator", "director"))
    )
    place = f"[{work.place}]" if work.place and work.type == "thesis" else work.place
    published = ": ".join(filter(None, (place, work.publisher)))
    when = _format_date(work.issued[:7]) if work.type == "report" else work.issued[:4]
    when = (
        _format_date(work.issued)
        if work.type in ("webpage", "post-weblog", "post", "patent", "document")
        else when
    )
    made = "; ".join(filter(None, (published, join_spaces(when, _format_cited_date(work)))))
    printed = f"p. {format_pages(work.pages, keep=1)}" if work.pages else ""
    if container and work.type in _CONTAINED_TYPES:
        return (
            title,
            join_spaces("In:", editors and f"{editors}.", container, _format_online(work)),
            format_edition(work.edition),
            made,
            printed,
        )
    if container and work.type in ("webpage", "document"):
        return (
            join_spaces(container, genre, _format_online(work)),
            format_edition(work.edition),
            made,
            title,
        )
    if container:
        return (
            join_spaces(title, genre),
            join_spaces(container, _format_online(work)),
            format_edition(work.edition),
            made,
            printed,
        )
    volume = f"Vol. {work.volume}" if work.volume[:1].isdigit() else work.volume
    return (
        join_spaces(title, genre, _format_online(work)),
        format_edition(work.edition),
        volume,
        editors,
        others,
        made,
        printed,
        _format_number(work),
    )


def _format_number(work: Item) -> str:
    """Format as "Technical report no.: 12"."""
    if not work.number:
        return ""
    named = capitalize_first(work.genre) or ("Report" if work.type == "report" else "")
    return join_spaces(named, "no.:" if work.number.isalnum() else "", work.number)


def _format_access(work: Item) -> str:
    url = work.address or get_best_link(work)
    if work.type in _PERIODICAL_TYPES and work.doi:
        url = ""
    return join_spaces(
        f"Available from: {url}" if url else "", f"doi:{work.doi}" if work.doi else ""
    )
