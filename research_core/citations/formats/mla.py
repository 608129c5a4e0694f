"""Format references in MLA 9, as one line of plain text.

Unknown parts are left out; an English title gets headline capitals.
"""

from __future__ import annotations

from collections.abc import Sequence

from research_core.citations.formats.dates import format_season
from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.judgements import CASE, format_judgement
from research_core.citations.formats.people import (
    format_inverted_name,
    format_read_name,
    join_series,
)
from research_core.citations.formats.phrases import (
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
from research_core.citations.formats.titles import (
    apply_headline_case,
    curl_quotes,
    format_plain_title,
    quote_title,
)
from research_core.text.words import capitalize_first

#: Types whose titles stand in italics, not in quotation marks, unless the work stands in another.
_STANDALONE_TYPES = frozenset(
    """
        book thesis report patent motion_picture broadcast song map graphic collection legislation
    """.split()
)
#: How exact a date is: to the year, or to the month; any other type is dated to the day.
_YEAR_ONLY_TYPES = frozenset(
    "book chapter thesis paper-conference motion_picture collection".split()
)
#: Types of which is said what kind of work they are.
_GENRE_TYPES = frozenset("webpage post-weblog post report".split())
#: Types that are parts of another work, and works of their own where none is known.
_PART_TYPES = frozenset("chapter article-newspaper article-magazine".split())
_MONTH_TYPES = frozenset({"article-journal"})
_ROLE_PHRASES = {"editor": "edited by", "translator": "translated by", "director": "directed by"}


def format_mla(work: Item) -> str:
    """Format as "Surname, First, and First Surname. “Title.” Site, 27 May 2015, URL."

    The date of access is added if the work has no date.
    """
    if work.type == CASE:
        return join_sentences(format_judgement(work), get_best_link(work))
    read = (
        ""
        if work.issued or not work.accessed
        else f"Accessed {format_date(work.accessed, 'D M Y')}."
    )
    after = join_commas(work.publisher, work.genre) if work.type == "thesis" else ""
    genre = capitalize_first(work.genre) if work.type in _GENRE_TYPES and not work.number else ""
    return join_spaces(
        join_sentences(
            _format_author(work), _format_title(work), genre, _format_container(work), after
        ),
        read,
    )


def _format_author(work: Item) -> str:
    if work.authors:
        return _format_names(work.authors)
    if work.editors and not _is_quoted(work):
        return f"{_format_names(work.editors)}, editor{'s' if len(work.editors) > 1 else ''}"
    return ""


def _format_names(people: Sequence[Person]) -> str:
    """Format the first name family-first; of more than two only the first."""
    first = format_inverted_name(people[0])
    comma = "," if "," in first else ""  # stands only behind a name that was turned round
    if len(people) > 2:
        return f"{first}{comma or ','} et al."
    return f"{first}{comma} and {format_read_name(people[1])}" if len(people) == 2 else first


def _is_quoted(work: Item) -> bool:
    """Return True if the title is quoted: a part of another work, or too short to stand alone."""
    return work.type not in _STANDALONE_TYPES and (
        bool(work.container) or work.type not in _PART_TYPES
    )


def _format_title(work: Item) -> str:
    title = apply_headline_case(work.title, work.language)
    return quote_title(title) if _is_quoted(work) else format_plain_title(title)


def _format_container(work: Item) -> str:
    """Format the container, contributors, numbers, publisher, date and link."""
    container = (
        ""
        if is_own_container(work)
        else curl_quotes(apply_headline_case(work.container, work.language))
    )
    held = (
        work.type == "paper-conference" and not work.editors
    )  # what was given there, and not what was printed
    numbers = join_commas(
        format_edition(work.edition),
        label_pages(work.volume, "vol. ", "vols. ") if work.volume[:1].isdigit() else work.volume,
        label_pages(work.issue, "no. ", "nos. "),
        (
            join_spaces(work.genre, "no." if work.number.isalnum() else "", work.number)
            if work.number
            else ""
        ),
    )
    placed = work.place if held or work.type == "article-newspaper" else ""
    return join_commas(
        join_spaces(container, f"[{placed}]" if placed else ""),
        _format_contributors(work),
        numbers if container or numbers == work.number else capitalize_first(numbers),
        "" if held else _format_publisher(work),
        _format_date(work),
        label_pages(format_pages(work.pages, keep=2)),
        get_best_link(work),
    )


def _format_publisher(work: Item) -> str:
    """Format the publisher, or its place if it is unknown.

    Journals name none, a thesis its university elsewhere, and no name stands twice.
    """
    if work.type in ("thesis", "article-journal") or work.publisher in (
        each.full_name for each in work.authors
    ):
        return ""
    return work.publisher or ("" if work.container else work.place)


def _format_contributors(work: Item) -> str:
    people = {**work.others, "editor": work.editors if work.authors or _is_quoted(work) else ()}
    said = join_commas(
        *(
            f"{role} {_format_inner_names(people[name])}"
            for name, role in _ROLE_PHRASES.items()
            if people.get(name)
        )
    )
    return said if work.container else capitalize_first(said)


def _format_inner_names(people: Sequence[Person]) -> str:
    return (
        f"{format_read_name(people[0])} et al."
        if len(people) > 2
        else join_series([format_read_name(each) for each in people])
    )


def _format_date(work: Item) -> str:
    form = "D M Y"
    if work.type in _YEAR_ONLY_TYPES:
        form = "Y"
    elif work.type in _MONTH_TYPES:
        form = "M Y"
    date = format_date(work.issued, form)
    return date.lower() if format_season(work.issued) else date
