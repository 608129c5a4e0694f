"""Format references in Chicago 17 (author-date, and notes), as one line of plain text.

Unknown parts are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.judgements import CASE, format_judgement
from research_core.citations.formats.people import (
    format_inverted_name,
    format_read_name,
    join_series,
)
from research_core.citations.formats.phrases import (
    MONTHS,
    format_date,
    format_edition,
    format_pages,
    get_best_link,
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

#: Authors named before some are left out, and how many are named then.
MAX_AUTHORS, SHOWN_AUTHORS = 10, 7
#: Types whose titles stand in italics, not in quotation marks.
_STANDALONE_TYPES = frozenset(
    "book report motion_picture map collection broadcast song software legislation".split()
)
_FULL_DATE_TYPES = frozenset(
    "article-newspaper article-magazine post-weblog post webpage document interview speech".split()
)
#: Types that stand under the name of what they stand in where nobody is known to have written them.
_SITE_AS_AUTHOR_TYPES = frozenset("article-newspaper article-magazine webpage document".split())
#: Types that stand in another work, as a chapter does.
_CONTAINED_TYPES = frozenset(
    "chapter entry entry-dictionary entry-encyclopedia dataset book".split()
)
#: Types dated to the day although they have a publisher.
_DATED_TYPES = frozenset("entry entry-dictionary entry-encyclopedia dataset article".split())
_ROLE_PHRASES = {"editor": "edited by", "translator": "translated by", "director": "directed by"}


def format_author_date(work: Item) -> str:
    """Format as "Surname, First, and First Surname. 2015. “Title.” Site, May 27, 2015. URL."."""
    if work.type == CASE:
        return format_notes(work)
    who, year = _format_author(work), work.issued[:4] or "n.d."
    title = _format_title(work)
    head = (who, year, title) if who else (title, year)
    return join_sentences(
        *head, *_format_source(work, dated=True), _format_accessed(work), get_best_link(work)
    )


def format_notes(work: Item) -> str:
    """Format as "Surname, First, and First Surname. “Title.” Site, May 27, 2015. URL."."""
    if work.type == CASE:
        return join_sentences(format_judgement(work), get_best_link(work))
    return join_sentences(
        _format_author(work),
        _format_title(work),
        *_format_source(work, dated=False),
        _format_accessed(work),
        get_best_link(work),
    )


def _format_accessed(work: Item) -> str:
    if not work.accessed or work.issued or not work.address:
        return ""
    return f"Accessed {format_date(work.accessed, 'M D, Y', MONTHS)}"


def _format_author(work: Item) -> str:
    if work.authors:
        return _format_names(work.authors)
    if directors := work.others.get("director"):
        return f"{_format_names(directors)}, dir{'s' if len(directors) > 1 else ''}."
    if work.editors:
        return f"{_format_names(work.editors)}, ed{'s' if len(work.editors) > 1 else ''}."
    return (
        _format_container(work)
        if work.type in _SITE_AS_AUTHOR_TYPES or work.type.startswith("entry")
        else ""
    )


def _format_container(work: Item) -> str:
    """Format the name of the journal, book or site, with its place if that distinguishes it."""
    placed = work.place and (work.type == "article-newspaper" or _is_talk(work))
    return join_spaces(
        curl_quotes(apply_headline_case(work.container, work.language)),
        f"({work.place})" if placed else "",
    )


def _is_talk(work: Item) -> bool:
    """Return True if the work was given at a conference and, as far as known, not printed."""
    return work.type == "paper-conference" and not work.editors


def _format_names(people: Sequence[Person]) -> str:
    """Format the first name family-first; of more than ten only the first seven."""
    names = [format_inverted_name(people[0]), *map(format_read_name, people[1:])]
    if len(names) > MAX_AUTHORS:
        return ", ".join(names[:SHOWN_AUTHORS]) + ", et al."
    return join_series(names, two=", and " if "," in names[0] else " and ")


def _format_title(work: Item) -> str:
    if work.type == "patent":
        return format_plain_title(work.title)
    title = apply_headline_case(work.title, work.language)
    alone = work.type in ("article-newspaper", "article-magazine", "chapter") and not work.container
    return (
        format_plain_title(title) if alone or work.type in _STANDALONE_TYPES else quote_title(title)
    )


def _format_source(work: Item, dated: bool) -> tuple[str, ...]:
    """Format the parts after the title: container (journal, book, site), numbers, publisher.

    dated: the author-date variant, where the year already stands behind the author.
    """
    container = _format_container(work)
    if container == _format_author(work):
        container = ""
    if work.type in _FULL_DATE_TYPES or (_is_talk(work) and not work.volume):
        printed = format_pages(work.pages, keep=-2) if _is_talk(work) else ""
        return (
            capitalize_first(work.genre),
            join_commas(container, _format_full_date(work), printed),
        )
    if work.type == "article-journal" or (_is_talk(work) and work.volume):
        return (_format_journal(work, container, dated),)
    year = "" if dated else work.issued[:4]
    if work.type == "thesis":
        return (join_commas(capitalize_first(work.genre), work.publisher or work.place, year),)
    if work.type == "patent":
        return (
            join_commas(
                work.number and f"Patent {work.number}",
                f"issued {_format_full_date(work)}" if work.issued else "",
            ),
        )
    when = (
        (format_date(work.issued, "M D", MONTHS) if dated else _format_full_date(work))
        if work.type in _DATED_TYPES
        else year
    )
    preprint = work.type == "article"
    publisher = work.publisher if preprint else capitalize_first(work.publisher)
    published = join_commas(
        "Preprint" if preprint else "", ": ".join(filter(None, (work.place, publisher))), when
    )
    others = _format_contributors(work)
    if container and work.type in _CONTAINED_TYPES | {"paper-conference"}:
        printed, volume = format_pages(work.pages, keep=-2), _format_volume(work, "vol.")
        if printed and work.volume[:1].isdigit() and (dated or not others):
            printed, volume = f"{work.volume}:{printed}", ""
        # The manual orders these two differently in its two variants.
        ordered = (others, volume) if dated else (volume, others)
        parts = (container, format_edition(work.edition), *ordered)
        return ("In " + join_commas(*parts, printed), published)
    return (
        container,
        capitalize_first(others),
        capitalize_first(format_edition(work.edition)),
        _format_volume(work, "Vol."),
        _format_number(work),
        published,
    )


def _format_journal(work: Item, container: str, dated: bool) -> str:
    if not (work.volume or work.issue or work.pages):
        return join_commas(container, "ahead of print" if work.doi else "", _format_full_date(work))
    if dated and work.volume and work.issue:
        numbers = join_spaces(container, work.volume, f"({work.issue})")
    else:
        when = format_date(work.issued, "M Y", MONTHS)
        numbers = join_spaces(
            join_commas(
                join_spaces(container, work.volume), label_pages(work.issue, "no. ", "nos. ")
            ),
            f"({when})" if when else "",
        )
    return ": ".join(
        filter(None, (numbers, format_pages(work.pages, keep=-2) if work.pages else ""))
    )


def _format_volume(work: Item, word: str) -> str:
    return f"{word} {work.volume}" if work.volume[:1].isdigit() else work.volume


def _format_number(work: Item) -> str:
    genre = (
        apply_headline_case(work.genre, work.language)
        if work.number
        else capitalize_first(work.genre)
    )
    return join_spaces(genre, "No." if work.number.isalnum() else "", work.number)


def _format_contributors(work: Item) -> str:
    people = {**work.others, "editor": (), "director": ()}
    if work.authors or work.others.get("director"):
        people["editor"] = work.editors
    phrases: list[str] = []
    for name, role in _ROLE_PHRASES.items():
        if people.get(name):
            names = [format_read_name(person) for person in people[name]]
            phrases.append(f"{role} {join_series(names)}")
    return join_commas(*phrases)


def _format_full_date(work: Item) -> str:
    return format_date(work.issued, "M D, Y", MONTHS)
