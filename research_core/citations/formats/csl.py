"""Read one CSL-JSON object into an Item, and write an Item as one.

Reading is lenient: a value of another shape is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from research_core.citations.formats.dates import format_season, parse_season, parse_work_date
from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.markup import render_markup
from research_core.model_messages import Json
from research_core.text.dates import parse_date_parts
from research_core.text.words import strip_invisible, truncate
from research_core.urls import find_doi, fold_doi

#: Characters of one value, and people of one list, that are read.
MAX_CHARS, MAX_PEOPLE = 10_000, 5_000
#: The fields of an Item that are one text, and their names in CSL.
_TEXT_FIELDS = {
    "title": "title", "container": "container-title", "publisher": "publisher",
    "place": "publisher-place", "volume": "volume",
    "issue": "issue", "pages": "page", "edition": "edition", "number": "number", "genre": "genre",
    "event": "event-title",
    "language": "language", "note": "note",
}  # fmt: skip
#: Numbers that CSL has for seasons in the place of a month, and the numbers of seasons themselves.
_SEASON_MONTHS = frozenset("21 22 23 24".split())
_SEASON_NUMBERS = {"Spring": 1, "Summer": 2, "Autumn": 3, "Fall": 3, "Winter": 4}
_DATE_FIELDS = {"issued": "issued", "accessed": "accessed"}
_PEOPLE_FIELDS = {"authors": "author", "editors": "editor"}
#: Names of older versions of CSL and their names today.
_FORMER_FIELDS = {
    "event": "event-title",
    "shortTitle": "title-short",
    "journalAbbreviation": "container-title-short",
    "type-label": "genre",
}
#: Further roles of people in CSL, and its further dates.
_ROLE_FIELDS = frozenset(
    """
        chair collection-editor compiler composer container-author contributor curator director
        editor-translator editorial-director executive-producer guest host illustrator interviewer
        narrator organizer original-author performer producer recipient reviewed-author
        script-writer series-creator translator
    """.split()
)
_OTHER_DATE_FIELDS = frozenset({"available-date", "event-date", "original-date", "submitted"})
_MAPPED_FIELDS = {
    "id",
    "type",
    "DOI",
    "URL",
    *_TEXT_FIELDS.values(),
    *_DATE_FIELDS.values(),
    *_PEOPLE_FIELDS.values(),
}
_BARE_DOI = re.compile(r"10\.\d{4,9}/\S+", re.ASCII)
_SUFFIX_ENDING = re.compile(
    r"(?P<name>.*[^\s,]),?\s+(?P<suffix>[JjSs][Rr]\.?|I{2,3}|IV|2nd|3rd|4th)"
)
_TYPE_NAME = re.compile(r"[a-z_-]{1,40}")


# -- reading ---------------------------------------------------------------------------------------


def read_item(said: Json) -> Item:
    """Build the work of one CSL-JSON object.

    Texts become one visible line without markup; of a date the parts that the calendar has are
    kept.
    """
    said = {today: said[name] for name, today in _FORMER_FIELDS.items() if name in said} | said
    fields: dict[str, Any] = {own: read_line(said.get(name)) for own, name in _TEXT_FIELDS.items()}
    fields |= {own: read_date(said.get(name)) for own, name in _DATE_FIELDS.items()}
    fields |= {own: read_persons(said.get(name)) for own, name in _PEOPLE_FIELDS.items()}
    rest = {name: value for name, value in sorted(said.items()) if name not in _MAPPED_FIELDS}
    others = {
        name: found
        for name, value in rest.items()
        if name in _ROLE_FIELDS and (found := read_persons(value))
    }
    rest = {
        name: value
        for name, value in rest.items()
        if name not in _FORMER_FIELDS and name not in others
    }
    kind = said.get("type")
    return Item(
        type=kind if isinstance(kind, str) and _TYPE_NAME.fullmatch(kind) else "document",
        doi=read_doi(said.get("DOI")),
        url=read_plain_line(said.get("URL")),
        id=read_plain_line(said.get("id")),
        others=others,
        more={
            name: text
            for name, value in rest.items()
            if (text := read_date(value) if name in _OTHER_DATE_FIELDS else read_line(value))
        },
        **fields,
    )


def read_plain_line(value: Any) -> str:
    """Return a text or number as one visible line; "" for anything else.

    Of a list, as registries have it, the first value counts.
    """
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return truncate(" ".join(strip_invisible(str(value)).split()), MAX_CHARS)


def read_line(value: Any) -> str:
    """Return the value as one line without markup: tags, HTML escapes and formulas of TeX."""
    return read_plain_line(render_markup(read_plain_line(value)))


def read_doi(value: Any) -> str:
    """Return the DOI that a value names, or ""."""
    text = fold_doi(read_plain_line(value))
    found = _BARE_DOI.fullmatch(text)
    return unquote(found[0]) if found else find_doi(text)


def read_persons(value: Any) -> tuple[Person, ...]:
    """Read the people of a list of CSL names, () for anything else.

    A text stands for a name as it is read or listed.
    """
    if not isinstance(value, list):
        return ()
    people = [_read_person(each) for each in value[:MAX_PEOPLE]]
    return tuple(person for person in people if person)


def _read_person(said: Any) -> Person | None:
    if isinstance(said, str):
        return Person.of(read_line(said)) if read_line(said) else None
    if not isinstance(said, dict):
        return None
    family = _join_spaced(
        read_line(said.get("non-dropping-particle")), read_line(said.get("family"))
    )
    given = _join_spaced(read_line(said.get("given")), read_line(said.get("dropping-particle")))
    literal = read_line(said.get("literal")) or read_line(said.get("name"))
    if family:
        return _separate_suffix(Person(family, given, read_line(said.get("suffix"))))
    return Person(literal=literal or given) if literal or given else None


def _separate_suffix(person: Person) -> Person:
    """Move a suffix that ends the given name or the surname ("Ann B., Jr.") to its own field."""
    if person.suffix or not person.given:
        return person
    ending = _SUFFIX_ENDING.fullmatch(person.given)
    if ending:
        return replace(person, given=ending["name"], suffix=ending["suffix"])
    ending = _SUFFIX_ENDING.fullmatch(person.family)
    if ending:
        return replace(person, family=ending["name"], suffix=ending["suffix"])
    return person


def _join_spaced(first: str, second: str) -> str:
    if first.endswith(("'", "’")):
        return first + second
    return " ".join(filter(None, (first, second)))


def read_date(value: Any) -> str:
    """Return the ISO date of a CSL date; "" if it has none.

    Of a span the first day counts.
    """
    if isinstance(value, str):
        return parse_work_date(value)
    if not isinstance(value, dict):
        return ""
    spans = value.get("date-parts")
    parts = spans[0] if isinstance(spans, list) and spans else None
    if isinstance(parts, list) and parts:
        year, month, day = (read_plain_line(part) for part in [*parts, "", ""][:3])
        season = parse_season(read_plain_line(value.get("season")))
        if month in _SEASON_MONTHS:
            season = int(month)
        found = parse_date_parts(year, month, day)
        if season and len(found) == len("2014"):
            return f"{found}-{season}"
        if found:
            return found
    for name in ("raw", "literal"):
        found = parse_work_date(read_plain_line(value.get(name)))
        if found:
            return found
    return ""


# -- writing ---------------------------------------------------------------------------------------


def build_csl_object(work: Item, key: str = "") -> Json:
    """Build the CSL object of an item, under this key or its own id, without empty values."""
    texts = {name: getattr(work, own) for own, name in _TEXT_FIELDS.items()}
    dates = {name: _split_date(getattr(work, own)) for own, name in _DATE_FIELDS.items()}
    people = {
        name: [_build_name(each) for each in getattr(work, own)]
        for own, name in _PEOPLE_FIELDS.items()
    }
    others = {role: [_build_name(each) for each in found] for role, found in work.others.items()}
    more = {
        name: _split_date(value) if name in _OTHER_DATE_FIELDS else value
        for name, value in work.more.items()
    }
    known = {
        "id": key or work.id,
        "type": work.type,
        "title": "",
        **people,
        **dates,
        **texts,
        "DOI": work.doi,
        "URL": work.url,
    }
    return {name: value for name, value in {**known, **others, **more}.items() if value}


def format_csl_json(found: Iterable[tuple[str, Item]], *, literal: bool = False) -> str:
    """Format works as a JSON array, each under its key.

    literal: names as they are read, except those that were given in parts.
    """
    works = ((key, replace(work, type=work.kind, url=work.address)) for key, work in found)
    if literal:
        works = (
            (key, replace(work, authors=tuple(map(_make_literal, work.authors))))
            for key, work in works
        )
    return (
        json.dumps(
            [build_csl_object(work, key) for key, work in works], ensure_ascii=False, indent=2
        )
        + "\n"
    )


def _make_literal(person: Person) -> Person:
    return person if person.listed else Person(literal=person.full_name)


def _build_name(person: Person) -> Json:
    if person.literal:
        return {"literal": person.literal}
    parts = {"family": person.family, "given": person.given, "suffix": person.suffix}
    return {name: value for name, value in parts.items() if value}


def _split_date(date: str) -> Json:
    if not date:
        return {}
    name = format_season(date)
    if name:
        return {"date-parts": [[int(date[:4])]], "season": _SEASON_NUMBERS[name]}
    return {"date-parts": [[int(part) for part in date.split("-")]]}
