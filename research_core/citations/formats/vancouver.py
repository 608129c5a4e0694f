"""Format references in Vancouver style (NLM), as one line of plain text without the number.

Unknown parts are left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.judgements import CASE, format_judgement
from research_core.citations.formats.people import format_medical_name, truncate_names
from research_core.citations.formats.phrases import (
    MONTHS,
    add_full_stop,
    format_date,
    format_edition,
    format_pages,
    join_sentences,
    join_spaces,
)
from research_core.citations.formats.titles import curl_quotes, format_plain_title
from research_core.text.words import capitalize_first

#: Authors that are named before the others are left out.
MAX_AUTHORS = 6
_SHORT_MONTHS = [month[:3] for month in MONTHS]
_PERIODICAL_TYPES = frozenset(
    "article-journal article-magazine article-newspaper periodical review review-book".split()
)
#: Types whose container is a journal, which is named by its abbreviation without full stops.
_JOURNAL_TYPES = frozenset("article-journal review review-book".split())
_CONTAINED_TYPES = frozenset(
    "chapter paper-conference entry entry-dictionary entry-encyclopedia".split()
)
_SITE_TYPES = frozenset({"webpage", "document"})
#: Types besides periodicals whose date is printed to the day.
_DAY_TYPES = frozenset("webpage post-weblog post patent document speech bill legislation".split())
#: A full stop between two words, at least one of them longer than an initial.
_STOP_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_]{2})\.(?=[^\W\d_])|\.(?=[^\W\d_]{2})")
#: A full stop in a title, but not in the name of a host ("arXiv.org") or a number ("2.0").
_TITLE_STOP = re.compile(r"\.(?![a-zß-ÿ\d])")
_SEVERAL_NUMBERS = re.compile(r"\d+(?:\s*(?:[-–—,&]|and)\s*\d+)+")
_NUMBER_LABEL = re.compile(r"(?:nos?\.|nr\.|n[ºo°]\.?|№|#)\s*(?=\d)", re.IGNORECASE)


def format_vancouver(work: Item) -> str:
    """Format as "Surname AB, Other C. Title. Journal. 2006 Jul;57(1):80–91. doi:10.x/y"."""
    if work.type == CASE:
        return join_spaces(add_full_stop(format_judgement(work)), _format_access(work))
    if work.type in _PERIODICAL_TYPES:
        parts = _format_periodical(work)
    else:
        parts = _format_publication(work)
    return join_spaces(*map(add_full_stop, (_format_author(work), *parts)), _format_access(work))


# -- people ----------------------------------------------------------------------------------------


def _format_author(work: Item) -> str:
    if work.authors:
        return _format_names(work.authors)
    return _format_people(work.editors, "editor")


def _format_names(people: Sequence[Person]) -> str:
    return truncate_names(
        [format_medical_name(each) for each in people], MAX_AUTHORS, MAX_AUTHORS, ", ".join
    )


def _format_people(people: Sequence[Person], role: str) -> str:
    """Format as "Lund B, Ward AB, editors"; "" without names."""
    if not people:
        return ""
    return f"{_format_names(people)}, {role}{'s' if len(people) > 1 else ''}"


def _format_editors(work: Item) -> str:
    """Format the editors of a work that has authors; without authors they are printed first."""
    return _format_people(work.editors, "editor") if work.authors else ""


def _format_contributors(work: Item) -> str:
    return join_sentences(
        *(_format_people(work.others.get(role, ()), role) for role in ("translator", "director"))
    )


# -- where and when --------------------------------------------------------------------------------


def _is_found_by_doi(work: Item) -> bool:
    """Return True for an article of a journal with a DOI, which is cited without its address."""
    return work.type == "article-journal" and bool(work.doi)


def _format_online(work: Item) -> str:
    return "[Internet]" if work.address else ""


def _format_cited_date(work: Item) -> str:
    """Format as "[cited 2024 Nov 2]"; "" for a work that was not read at an address."""
    if not work.accessed or not work.address or _is_found_by_doi(work):
        return ""
    return f"[cited {_format_date(work.accessed)}]"


def _format_date(date: str) -> str:
    """Format as "2015 May 27"."""
    return " ".join(part for part in (date[:4], format_date(date, "M D", _SHORT_MONTHS)) if part)


def _format_issued(work: Item) -> str:
    """Format the day, month or year of a work that is no part of a periodical, by its type."""
    if work.type in _DAY_TYPES:
        return _format_date(work.issued)
    if work.type == "report":
        return _format_date(work.issued[:7])
    return work.issued[:4]


def _format_access(work: Item) -> str:
    url = "" if _is_found_by_doi(work) else work.address
    return join_spaces(
        f"Available from: {url}" if url else "", f"doi:{work.doi}" if work.doi else ""
    )


# -- periodicals -----------------------------------------------------------------------------------


def _format_periodical(work: Item) -> tuple[str, ...]:
    """Format an article of a journal, magazine or newspaper."""
    title = join_spaces(format_plain_title(work.title), _format_genre(work))
    editors = _format_editors(work)
    others = _format_contributors(work)
    edition = format_edition(work.edition)
    issue = _format_issue(work)
    if not work.container:
        return join_spaces(title, _format_online(work)), edition, editors, others, issue
    online = "" if _is_found_by_doi(work) else _format_online(work)
    return (
        title,
        editors,
        others,
        join_spaces(_format_periodical_name(work), online),
        edition,
        issue,
    )


def _format_periodical_name(work: Item) -> str:
    """Return the abbreviated title of a journal without full stops, or the name of a paper."""
    if work.type not in _JOURNAL_TYPES:
        return curl_quotes(work.container)
    name = work.more.get("container-title-short", "") or work.container
    return curl_quotes(_TITLE_STOP.sub("", _STOP_BETWEEN_WORDS.sub(_separate_words, name)))


def _separate_words(stop: re.Match[str]) -> str:
    """Replace a full stop by a space, unless the next letter is small, as in a host's name."""
    return "." if stop.string[stop.end()].islower() else " "


def _format_issue(work: Item) -> str:
    """Format as "2006 Jul;57(1):80–91", a newspaper as "2006 Jul 3:4"."""
    printed = format_pages(work.pages, keep=1)
    if work.type == "article-newspaper":
        numbers = ""
    else:
        printed = printed or work.number
        issue = join_spaces(work.issue, _format_supplement(work))
        numbers = f"{work.volume}({issue})" if issue else work.volume
    date = _format_date(work.issued)
    if not date and (numbers or printed):
        date = "[date unknown]"
    text = join_spaces(date, _format_cited_date(work))
    if numbers:
        text += f";{numbers}"
    if printed:
        separator = ":" if numbers or work.type == "article-newspaper" else ";"
        text += f"{separator}{printed}"
    return text


def _format_supplement(work: Item) -> str:
    number = work.more.get("supplement-number", "")
    return f"Suppl {number}" if number.isdigit() else capitalize_first(number)


# -- other publications ----------------------------------------------------------------------------


def _format_publication(work: Item) -> tuple[str, ...]:
    """Format a work with a publisher, or a part of one."""
    title, container = format_plain_title(work.title), curl_quotes(work.container)
    genre, online = _format_genre(work), _format_online(work)
    edition = format_edition(work.edition)
    editors, others = _format_editors(work), _format_contributors(work)
    imprint = _format_imprint(work)
    printed = f"p. {format_pages(work.pages, keep=1)}" if work.pages else ""
    if not work.pages and work.type == "book":
        printed = _format_extent(work)
    series = _format_series(work)
    if container and work.type in _CONTAINED_TYPES:
        book = join_spaces("In:", editors and f"{editors}.", container, online)
        return join_spaces(title, genre), book, edition, others, imprint, printed, series
    if container and work.type in _SITE_TYPES:
        site = join_spaces(container, genre, online)
        return site, edition, editors, others, imprint, title, series
    if container:
        title = join_spaces(title, genre)
        book = join_spaces(container, online)
        return title, editors, others, book, edition, imprint, printed, series
    title = join_spaces(title, genre, online)
    volume, number = _format_volume(work), _format_number(work)
    return title, edition, editors, volume, others, imprint, printed, series, number


def _format_genre(work: Item) -> str:
    return f"[{work.genre}]" if work.genre else ""


def _format_imprint(work: Item) -> str:
    """Format as "Oslo: Reef; 1989 [cited 2024 Nov 2]"."""
    place = f"[{work.place}]" if work.place and work.type == "thesis" else work.place
    published = ": ".join(filter(None, (place, work.publisher)))
    issued = join_spaces(_format_issued(work), _format_cited_date(work))
    return "; ".join(filter(None, (published, issued)))


def _format_volume(work: Item) -> str:
    if not work.volume[:1].isdigit():
        return work.volume
    label = "Vols." if _SEVERAL_NUMBERS.fullmatch(work.volume) else "Vol."
    return f"{label} {work.volume}"


def _format_extent(work: Item) -> str:
    """Format the number of pages as "240 p."."""
    pages = work.more.get("number-of-pages", "")
    return f"{pages} p." if pages.isdigit() else pages


def _format_series(work: Item) -> str:
    """Format as "(Reef studies; no. 12)"."""
    series, number = work.more.get("collection-title", ""), work.more.get("collection-number", "")
    if not series:
        return ""
    label = "no. " if number[:1].isdigit() else ""
    return f"({series}; {label}{number})" if number else f"({series})"


def _format_number(work: Item) -> str:
    """Format as "Technical report no.: 12"."""
    number = _NUMBER_LABEL.sub("", work.number, count=1)
    if not number:
        return ""
    name = capitalize_first(work.genre) or ("Report" if work.type == "report" else "")
    label = "no.:" if number.isalnum() else ""
    if _SEVERAL_NUMBERS.fullmatch(number):
        label = "nos.:"
    return join_spaces(name, label, number)
