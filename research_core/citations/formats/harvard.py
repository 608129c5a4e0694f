"""Format references in Harvard style (Cite Them Right), as one line of plain text.

Unknown parts are left out; the title keeps the capitals of the work.
"""

from __future__ import annotations

from collections.abc import Sequence

from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.judgements import CASE, format_reporter
from research_core.citations.formats.people import format_initials, join_series, truncate_names
from research_core.citations.formats.phrases import (
    MONTHS,
    add_full_stop,
    format_date,
    format_edition,
    format_pages,
    get_best_link,
    is_own_container,
    join_commas,
    join_sentences,
    join_spaces,
    label_pages,
)
from research_core.citations.formats.titles import curl_quotes, format_plain_title, quote_title
from research_core.text.words import capitalize_first

#: Authors that are named before all but the first are left out.
MAX_AUTHORS = 3
_STANDALONE_TYPES = frozenset(
    """
        book report thesis motion_picture map collection broadcast song software webpage document
    """.split()
)
_NEWS_TYPES = frozenset("article-newspaper article-magazine post-weblog post".split())
_PERIODICAL_TYPES = frozenset({"article-journal", *_NEWS_TYPES})
#: Types that stand under the name of what they stand in where nobody is known to have written them.
_SITE_AS_AUTHOR_TYPES = frozenset("article-journal article-newspaper article-magazine".split())
#: Types that are parts of another work, and have its pages.
_PART_TYPES = frozenset(
    "chapter paper-conference entry entry-dictionary entry-encyclopedia".split()
)


_ROLE_PHRASES = {"translator": "Translated", "director": "Directed"}


def format_harvard(work: Item) -> str:
    """Format as "Surname, A.B. (2015) “Title,” Site. Available at: URL (Accessed: date)."."""
    if work.type == CASE:
        return join_spaces(
            join_sentences(
                join_spaces(
                    format_plain_title(work.title), _format_year(work), format_reporter(work)
                )
            ),
            _format_access(work),
        )
    who, year, within, published = (
        _format_author(work),
        _format_year(work),
        _format_container(work),
        _format_publication(work),
    )
    title = (
        format_plain_title(work.title)
        if work.type in _STANDALONE_TYPES
        else quote_title(work.title, "," if who and within else "." if who else "")
    )
    comma = "," if who and within and work.type in _STANDALONE_TYPES else ""
    head = (
        join_spaces(who, year, title + comma, within) if who else join_spaces(title, year, within)
    )
    return join_spaces(join_sentences(head, *published), _format_access(work))


def _format_year(work: Item) -> str:
    return f"({work.issued[:4] or 'no date'})"


def _format_author(work: Item) -> str:
    if work.authors:
        return _format_names(work.authors)
    if work.editors:
        return f"{_format_names(work.editors)} ({_editor_label(work.editors)})"
    return curl_quotes(work.container) if work.type in _SITE_AS_AUTHOR_TYPES else ""


def _editor_label(people: Sequence[Person]) -> str:
    return "eds." if len(people) > 1 else "ed."


def _format_name(person: Person) -> str:
    if person.literal or person.unspaced:
        return person.full_name
    return join_commas(person.family, format_initials(person.given, between=""), person.suffix)


def _format_names(people: Sequence[Person]) -> str:
    return truncate_names(
        [_format_name(each) for each in people],
        MAX_AUTHORS,
        1,
        lambda names: join_series(names, " and "),
    )


def _format_editors(people: Sequence[Person]) -> str:
    """Format editors as they are read: "A.B. Surname and C. Other"."""
    names: list[str] = []
    for person in people:
        if person.literal or person.unspaced:
            names.append(person.full_name)
        else:
            names.append(join_spaces(format_initials(person.given, between=""), person.family))
    return truncate_names(names, MAX_AUTHORS, 1, join_series)


def _format_container(work: Item) -> str:
    """Format the journal, book or site that the work stands in, with its numbers."""
    named = work.authors or work.editors or work.type not in _SITE_AS_AUTHOR_TYPES
    container = curl_quotes(work.container) if named and not is_own_container(work) else ""
    if work.type == "article-journal":
        numbers = work.volume + (f"({work.issue})" if work.issue else "")
        return join_commas(container, numbers, label_pages(format_pages(work.pages)))
    if work.type in _NEWS_TYPES:
        return join_commas(
            container,
            format_date(work.issued, "D M", MONTHS),
            label_pages(format_pages(work.pages)),
        )
    edited = work.editors and work.authors and (container or work.type in _PART_TYPES)
    editors = (
        f"in {_format_editors(work.editors)} ({_editor_label(work.editors)})" if edited else ""
    )
    printed = (
        label_pages(format_pages(work.pages))
        if container and not any(_format_publication(work))
        else ""
    )  # else behind who published it
    return join_commas(join_spaces(editors, container), printed)


def _format_publication(work: Item) -> tuple[str, ...]:
    if work.type in _PERIODICAL_TYPES:
        return ()
    edited = work.editors and work.authors and not work.container and work.type not in _PART_TYPES
    editors = f"Edited by {_format_editors(work.editors)}" if edited else ""
    others = (
        f"{said} by {_format_editors(work.others[role])}"
        for role, said in _ROLE_PHRASES.items()
        if work.others.get(role)
    )
    genre = join_spaces(work.genre, work.number) if work.type in ("thesis", "report") else ""
    made, parted = _format_publisher(work), work.type in _PART_TYPES and not work.container
    printed = (
        label_pages(format_pages(work.pages))
        if parted or (work.container and (made or genre or editors or work.edition))
        else ""
    )
    return (
        genre,
        editors,
        *others,
        capitalize_first(format_edition(work.edition)),
        join_commas(made, printed),
    )


def _format_publisher(work: Item) -> str:
    return ": ".join(filter(None, (work.place if work.type != "thesis" else "", work.publisher)))


def _format_access(work: Item) -> str:
    found = get_best_link(work)
    if not found:
        return ""
    read = ""
    if work.accessed and not work.doi:
        read = f" (Accessed: {format_date(work.accessed, 'M D, Y', MONTHS)})"
    return add_full_stop(f"Available at: {found}{read}")
