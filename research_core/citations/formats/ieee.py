"""Format references in IEEE style, as one line of plain text without the number.

Unknown parts are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.judgements import CASE, format_judgement
from research_core.citations.formats.people import (
    format_initials_family,
    join_series,
    truncate_names,
)
from research_core.citations.formats.phrases import (
    add_full_stop,
    format_date,
    format_edition,
    format_pages,
    is_own_container,
    join_commas,
    join_sentences,
    join_spaces,
    label_pages,
)
from research_core.citations.formats.titles import curl_quotes, format_plain_title, quote_title
from research_core.text.words import capitalize_first

#: Authors that are named before all but the first are left out.
MAX_AUTHORS = 6
MONTHS = "Jan. Feb. Mar. Apr. May Jun. Jul. Aug. Sep. Oct. Nov. Dec.".split()
#: Types whose titles stand in italics, not in quotation marks.
_STANDALONE_TYPES = frozenset("book motion_picture map collection broadcast song software".split())
_PERIODICAL_TYPES = frozenset("article-journal article-magazine article-newspaper".split())
#: Types that are dated by when they were read, where that is known.
_ACCESS_DATED_TYPES = frozenset("post-weblog post webpage document".split())
_FULL_DATE_TYPES = frozenset(
    """
        article-magazine article-newspaper entry-encyclopedia entry-dictionary entry dataset
        post-weblog post webpage document patent motion_picture
    """.split()
)


def format_ieee(work: Item) -> str:
    """Format as "A. B. Surname, “Title,” Site, May 27, 2015. [Online]. Available: URL"."""
    if work.type == CASE:
        return join_spaces(add_full_stop(format_judgement(work)), _format_access(work))
    who, within = _format_author(work), _format_container(work)
    said = join_spaces(
        f"{who}," if who else "", _format_title(work, "," if within else "."), within
    )
    if work.doi and work.type == "article-journal":
        return join_commas(said, f"doi: {work.doi}.")
    return join_spaces(add_full_stop(said.rstrip(",")), _format_access(work))


def _format_author(work: Item) -> str:
    if work.authors:
        return _format_names(work.authors)
    if directors := work.others.get("director"):
        return _format_names(directors)
    return _format_editors(work) if work.editors else ""


def _format_names(people: Sequence[Person]) -> str:
    return truncate_names(
        [format_initials_family(each) for each in people], MAX_AUTHORS, 1, join_series
    )


def _format_editors(work: Item) -> str:
    if not work.editors:
        return ""
    label = "Eds." if len(work.editors) > 1 else "Ed."
    return f"{_format_names(work.editors)}, {label}"


def _format_title(work: Item, stop: str) -> str:
    if work.type == "book":
        volume = f"vol. {work.volume}" if work.volume else ""
        edition = capitalize_first(format_edition(work.edition))
        return add_full_stop(join_commas(format_plain_title(work.title), edition, volume))
    if work.type in _STANDALONE_TYPES:
        return f"{format_plain_title(work.title)}{stop}"
    return quote_title(work.title, stop)


def _format_date(work: Item) -> str:
    form = "M Y"
    if work.type in _FULL_DATE_TYPES:
        form = "M DD, Y"
    elif work.type in ("book", "chapter", "thesis"):
        form = "Y"
    date = format_date(work.issued, form, MONTHS)
    return f"({date})" if date and work.type == "motion_picture" else date


def _format_container(work: Item) -> str:
    """Format what the work stands in (journal, book, site), its numbers, publisher and date."""
    container = "" if is_own_container(work) else curl_quotes(work.container)
    published = ": ".join(filter(None, (work.place, work.publisher)))
    printed = label_pages(format_pages(work.pages))
    volume = f"vol. {work.volume}" if work.volume else ""
    if work.type in _PERIODICAL_TYPES:
        placed = work.place if work.type == "article-newspaper" else ""
        return join_commas(
            container,
            placed,
            volume,
            label_pages(work.issue, "no. ", "no. "),
            printed,
            _format_date(work),
        )
    if work.type in ("paper-conference", "chapter"):
        editors = _format_editors(work) if work.authors else ""
        place = f"in {container}" if container else ""
        volume = volume if work.type == "chapter" else ""
        return join_commas(
            place,
            format_edition(work.edition),
            editors,
            volume,
            published,
            _format_date(work),
            printed,
        )
    if work.type == "book":
        return join_commas(published, _format_date(work))
    if work.type == "thesis":
        return join_commas(work.genre, work.publisher, work.place, _format_date(work))
    if work.type == "article":
        return join_commas(
            container, format_date(work.issued, "M DD, Y", MONTHS), work.publisher, work.place
        )
    if work.type == "report":
        return join_commas(
            container,
            work.publisher,
            work.place,
            join_spaces(work.genre, work.number),
            _format_date(work),
        )
    if work.type == "motion_picture":
        return _format_date(work)
    when = "" if work.type in _ACCESS_DATED_TYPES and work.accessed else _format_date(work)
    return join_sentences(
        join_commas(container, volume), join_commas(work.publisher, work.place, printed, when)
    )


def _format_access(work: Item) -> str:
    if work.doi:
        return f"doi: {work.doi}."
    if not work.address:
        return ""
    kind = "[Online Video]" if work.type == "motion_picture" else "[Online]"
    read = f"Accessed: {format_date(work.accessed, 'M DD, Y', MONTHS)}." if work.accessed else ""
    return join_spaces(read, f"{kind}. Available: {work.address}")
