"""Format references in APA 7, as one line of plain text.

Unknown parts are left out; the title keeps the capitals of the work.
"""

from __future__ import annotations

from collections.abc import Sequence

from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.judgements import CASE, format_judgement
from research_core.citations.formats.people import (
    format_family_initials,
    format_initials_family,
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
)
from research_core.text.words import capitalize_first

#: Authors that APA names before it leaves some out: then the first ones but one, and the last.
MAX_AUTHORS = 20
#: Types that are dated to the day.
_FULL_DATE_TYPES = frozenset(
    "article-magazine article-newspaper broadcast interview motion_picture paper-conference"
    " personal_communication post post-weblog song speech webpage document".split()
)
_PERIODICAL_TYPES = frozenset(
    "article-journal article-magazine article-newspaper paper-conference post post-weblog review"
    " review-book".split()
)
_ENTRY_TYPES = frozenset({"entry", "entry-dictionary", "entry-encyclopedia"})
_CONTAINED_TYPES = frozenset(
    {"chapter", "paper-conference", "dataset", "software", "book", *_ENTRY_TYPES}
)
#: What a work is, where its type alone says so.
_TYPE_LABELS = {
    "dataset": "Dataset",
    "motion_picture": "Video recording",
    "software": "Computer software",
    "graphic": "Image",
}


def format_apa(work: Item) -> str:
    """Format as "Surname, A. B., & Other, C. (2015, May 27). Title. Site. URL".

    The title comes first without an author; the date of access is added without a date.
    """
    if work.type == CASE:
        return join_spaces(join_sentences(format_judgement(work)), _format_link(work))
    who, when, title = _format_author(work), f"({_format_date(work)})", _format_title(work)
    head = (
        (who, when, join_spaces(title, _format_type_label(work)))
        if who
        else (title, when, _format_type_label(work))
    )
    return join_spaces(join_sentences(*head, *_format_container(work)), _format_link(work))


def _format_author(work: Item) -> str:
    if work.authors:
        return _format_names(work.authors)
    if directors := work.others.get("director"):
        return f"{_format_names(directors)} (Director{'s' if len(directors) > 1 else ''})"
    if work.editors and not work.container:
        return f"{_format_names(work.editors)} ({_editor_label(work.editors)})"
    return work.publisher if work.type in _ENTRY_TYPES else ""


def _format_names(people: Sequence[Person]) -> str:
    names = [format_family_initials(each) for each in people]
    if len(names) > MAX_AUTHORS:
        return f"{', '.join(names[: MAX_AUTHORS - 1])}, … {names[-1]}"
    return join_series(names, ", & ", ", & ")


def _editor_label(people: Sequence[Person]) -> str:
    return "Eds." if len(people) > 1 else "Ed."


def _format_date(work: Item) -> str:
    printed = work.type == "paper-conference" and bool(work.pages or work.volume or work.editors)
    return (
        format_date(
            work.issued, "Y, M D" if work.type in _FULL_DATE_TYPES and not printed else "Y", MONTHS
        )
        or "n.d."
    )


def _format_title(work: Item) -> str:
    """Format the title with editors, edition, volume, number and pages in parentheses.

    These are left out if the work stands in another work.
    """
    if work.container and work.type in _PERIODICAL_TYPES | _CONTAINED_TYPES:
        return format_plain_title(work.title)
    editors = (
        f"{_format_inner_names(work.editors)}, {_editor_label(work.editors)}"
        if work.editors and work.authors
        else ""
    )
    numbered = work.volume.isdecimal()
    title = format_plain_title(work.title) + (
        f": {work.volume}" if work.volume and not numbered else ""
    )
    within = join_commas(
        format_edition(work.edition),
        f"Vol. {work.volume}" if numbered else "",
        label_pages(format_pages(work.pages)),
    )
    translators = work.others.get("translator", ())
    translated = f"{_format_inner_names(translators)}, Trans." if translators else ""
    inside = "; ".join(filter(None, (editors, translated, _format_number(work), within)))
    return join_spaces(title, f"({inside})" if inside else "")


def _format_number(work: Item) -> str:
    """Format as "Technical Report No. 12"."""
    if not work.number:
        return ""
    return join_spaces(
        apply_headline_case(work.genre, work.language),
        "No." if work.number.isalnum() else "",
        work.number,
    )


def _format_inner_names(people: Sequence[Person]) -> str:
    return join_series([format_initials_family(each) for each in people], ", & ", " & ")


def _format_type_label(work: Item) -> str:
    """Format the kind of work in brackets, for a thesis with its university."""
    label = ""
    if work.container or not work.number:
        label = capitalize_first(work.genre) or _TYPE_LABELS.get(work.type, "")
    if work.type == "thesis":
        label = join_commas(label, work.publisher)
    return f"[{label}]" if label else ""


def _format_container(work: Item) -> tuple[str, ...]:
    """Format the journal, book or site that the work stands in, and the publisher."""
    container = apply_headline_case(curl_quotes(work.container), work.language)
    if (
        work.container
        and work.type in _PERIODICAL_TYPES
        and not (work.type == "paper-conference" and work.editors)
    ):
        issue = f"({work.issue})" if work.issue else ""
        return (join_commas(container, f"{work.volume}{issue}", format_pages(work.pages)),)
    publisher = "" if work.type == "thesis" else work.publisher
    publisher = "" if publisher == _format_author(work) else publisher
    if work.container and work.type in _CONTAINED_TYPES:
        editors = (
            f"{_format_inner_names(work.editors)} ({_editor_label(work.editors)})"
            if work.editors
            else ""
        )
        volume = f"Vol. {work.volume}" if work.volume else ""
        details = join_commas(
            format_edition(work.edition), volume, label_pages(format_pages(work.pages))
        )
        return (
            "In "
            + join_spaces(
                join_commas(editors, curl_quotes(work.container)), f"({details})" if details else ""
            ),
            publisher,
        )
    site = "" if work.container in (each.full_name for each in work.authors) else container
    return (site, publisher)


def _format_link(work: Item) -> str:
    found = get_best_link(work)
    if found and work.accessed and not work.issued and not work.doi:
        return f"Retrieved {format_date(work.accessed, 'M D, Y', MONTHS)}, from {found}"
    return found
