"""Read documents of tagged lines ("TY  - JOUR", "%A Smith", "PT J") into Items by a table.

One reader for every such format; a `Dialect` holds the differences. A record ends at its last line,
at the first line of the next record or at the end of the document, so that a record without an end
is read too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from research_core.citations.formats import csl
from research_core.citations.formats.dates import parse_work_date
from research_core.citations.formats.entries import (
    BibliographyReading,
    LocatedItem,
    build_reading,
)
from research_core.citations.formats.item import Item, Person


@dataclass(frozen=True)
class Dialect:
    """How a format writes its lines, and what its tags mean.

    Tags of one thing are in the order in which they are tried, "a b c". line: two groups, tag and
    value. starts, ends: tags of a record's first and last line; blank_ends: an empty line ends it
    too. goes_on: the beginning of a value's further line. texts, people, dates: fields of an Item;
    more: variables of CSL.
    """

    name: str
    line: re.Pattern[str]
    starts: frozenset[str]
    types: Mapping[str, str]
    type: str
    texts: Mapping[str, str]
    people: Mapping[str, str]
    dates: Mapping[str, str]
    doi: str
    url: str
    ends: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()
    blank_ends: bool = False
    goes_on: re.Pattern[str] = re.compile(r"\s*(?=\S)")
    others: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, str] = field(default_factory=dict)
    default: str = "document"


@dataclass(frozen=True)
class TaggedRecord:
    """Tags with their values, in order; line: of the first tag. Values keep their lines."""

    line: int
    fields: tuple[tuple[str, str], ...]

    @cached_property
    def _by_tag(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for tag, value in self.fields:
            if value.strip():
                found.setdefault(tag, []).append(value)
        return found

    def all(self, tags: str) -> list[str]:
        """Return every value of the first of these tags that has one."""
        return next((values for tag in tags.split() if (values := self._by_tag.get(tag))), [])

    def every(self, tags: str) -> list[str]:
        """Return the values of all these tags."""
        return [value for tag in tags.split() for value in self._by_tag.get(tag, [])]

    def first(self, tags: str) -> str:
        """Return the first value of the first of these tags that has one, as one line."""
        return next((line for value in self.all(tags) if (line := csl.read_line(value))), "")


def read_document(
    text: str, dialect: Dialect, build_item: Callable[[TaggedRecord], Item]
) -> BibliographyReading:
    """Read the works of a document whose lines end with "\\n".

    build_item: builds the work of a record, from what `read_item` finds in it.
    """
    records = read_records(text, dialect)
    return build_reading(
        dialect.name, (LocatedItem(record.line, build_item(record)) for record in records)
    )


def read_records(text: str, dialect: Dialect) -> Iterator[TaggedRecord]:
    """Yield the records of a document.

    A line outside records that continues no value is skipped.
    """
    line, fields = 0, list[tuple[str, list[str]]]()
    for number, said in enumerate(text.split("\n"), 1):
        found = dialect.line.match(said)
        tag = found[1] if found else ""
        if fields and (
            tag in dialect.starts
            or tag in dialect.ends
            or (dialect.blank_ends and not said.strip())
        ):
            yield _make_record(line, fields)
            fields = []
        if not found:
            if fields and said.strip() and dialect.goes_on.match(said):
                fields[-1][1].append(said.strip())
        elif tag not in dialect.ends and tag not in dialect.skipped:
            line = line if fields else number
            fields.append((tag, [(found[2] or "").strip()]))
    if fields:
        yield _make_record(line, fields)


def _make_record(line: int, fields: list[tuple[str, list[str]]]) -> TaggedRecord:
    return TaggedRecord(line, tuple((tag, "\n".join(values)) for tag, values in fields))


#: A web address, which may be written without its scheme.
_ADDRESS = re.compile(
    r"\s*(?:(?:https?|ftp)://|(?:[a-z\d-]+\.)+[a-z]{2,24}(?:/|\s*$))", re.IGNORECASE
)


def read_item(record: TaggedRecord, dialect: Dialect) -> Item:
    """Build the work of a record."""
    kind = record.first(dialect.type).lower()
    type = dialect.types.get(kind) or next(
        (known for name, known in dialect.types.items() if kind.startswith(f"{name},")), ""
    )
    texts: dict[str, Any] = {own: record.first(tags) for own, tags in dialect.texts.items()}
    people: dict[str, Any] = {
        own: read_persons(record.every(tags) if "+" in tags else record.all(tags))
        for own, tags in dialect.people.items()
    }
    dates: dict[str, Any] = {
        own: pick_fullest_date(record.every(tags)) for own, tags in dialect.dates.items()
    }
    others = {role: read_persons(record.all(tags)) for role, tags in dialect.others.items()}
    more = {
        name: (
            "; ".join(map(csl.read_line, record.all(tags)))
            if name == "keyword"
            else record.first(tags)
        )
        for name, tags in dialect.more.items()
    }
    return Item(
        type=type or (dialect.default if kind or not texts.get("container") else "article-journal"),
        doi=_find_doi(record.every(dialect.doi)) or _find_doi(record.every(dialect.url)),
        url=next((url for url in record.every(dialect.url) if _ADDRESS.match(url)), "")
        .split("\n")[0]
        .strip(),
        others={role: found for role, found in others.items() if found},
        more={name: text for name, text in more.items() if text},
        **texts,
        **people,
        **dates,
    )


def _find_doi(said: list[str]) -> str:
    for value in said:
        if "10." not in value:
            continue
        bare = re.sub(r"\s*\[doi\]\s*$|^\s*doi:?\s*", "", value, flags=re.IGNORECASE)
        doi = csl.read_doi(bare)
        if doi:
            return doi
    return ""


def read_persons(said: list[str]) -> tuple[Person, ...]:
    """Read people from values with one person per line, or several between semicolons."""
    people: list[Person] = []
    for value in said[: csl.MAX_PEOPLE]:
        for name in re.split(r"\n|\s*;\s*", value):
            person = _read_person(csl.read_line(re.sub(r"\s*\[[^\]]*\]\s*$|,\s*$", "", name)))
            if person:
                people.append(person)
    return tuple(people)


_SUFFIX = re.compile(r"(?:jr|sr)\.?|ii|iii|iv", re.IGNORECASE)
_INITIALS = re.compile(r"(.*[^\W\d_]{2,}) ([A-Z]{1,3}|[A-Z]-[A-Z])")


def _read_person(said: str) -> Person | None:
    """Read a name as these formats list it: "Smith, John, Jr." or "Smith JK"."""
    parts = [part.strip() for part in said.split(",")]
    if len(parts) > 1 and parts[0]:
        suffix = next((part for part in parts[1:] if _SUFFIX.fullmatch(part)), "")
        given = ", ".join(part for part in parts[1:] if part and part != suffix)
        return Person(parts[0], given, suffix) if given else Person(literal=parts[0])
    if found := _INITIALS.fullmatch(said):
        return Person(found[1], " ".join(f"{letter}." for letter in found[2] if letter.isalpha()))
    return Person.of(said) if said.strip(" ,.") else None


def pick_fullest_date(said: list[str]) -> str:
    """Return the fullest date of the first date's year; "" if there is none."""
    fullest = year = ""
    for value in said:
        if re.match(r"\d{4}/\d", value):
            value = value.replace("/", "-")
        date = parse_work_date(value)
        if not date:
            continue
        year = year or date[:4]
        if date[:4] == year and len(date) > len(fullest):
            fullest = date
    return fullest
