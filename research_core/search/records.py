"""What a provider finds, by kind: one frozen dataclass for each, and its form on the wire of the
tools.

None, "" and () mean that the provider did not say; a 0 or a False is what it said. Texts are as
they came, and nobody's here: they are cleaned where results are made of them (`text.visible`) and
again where they are drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any

from research_core.model_messages import Json
from research_core.urls import strip_user_part


@dataclass(frozen=True)
class Article:
    """A news article. published_at: RFC 3339 in UTC, or ""."""

    title: str
    url: str
    source: str
    snippet: str
    published_at: str = ""


@dataclass(frozen=True)
class Image:
    """link: the image itself; context_link: the page it stands on. width, height in pixels;
    file_size as the provider writes it.
    """

    title: str
    link: str
    display_link: str
    thumbnail_link: str = ""
    context_link: str = ""
    width: int | None = None
    height: int | None = None
    file_size: str = ""


@dataclass(frozen=True)
class Paper:
    """A scholarly work. source: the provider; doi: bare, lower case; tldr: written by a machine."""

    title: str
    url: str
    source: str
    doi: str = ""
    authors: tuple[str, ...] = ()
    journal: str = ""
    year: int | None = None
    abstract: str = ""
    citation_count: int | None = None
    open_access: bool | None = None
    pdf_url: str = ""
    tldr: str = ""
    is_influential: bool | None = None
    citation_intents: tuple[str, ...] = ()
    retracted: bool | None = None


@dataclass(frozen=True)
class CitationEdge:
    """A work next to the seed in the graph of citations. direction: cited_by | references; seed:
    the title of the work that was found.
    """

    direction: str
    paper: Paper
    seed: str = ""


@dataclass(frozen=True)
class Patent:
    """filed, granted: YYYY-MM-DD; published: of the publication, which for an application is no
    grant.
    """

    title: str
    number: str
    url: str
    abstract: str = ""
    assignee: str = ""
    inventor: str = ""
    filed: str = ""
    granted: str = ""
    published: str = ""
    pdf: str = ""
    status: str = ""


@dataclass(frozen=True)
class Filing:
    """A filing, or a fact of one: then concept, unit and value are set, value exactly as filed.
    Dates are YYYY-MM-DD.

    period_of_report: the day the period ends, of a filing or of the fact; period_start: the day
    that of the fact begins.
    """

    company: str
    cik: str
    form_type: str
    filing_date: str
    url: str
    source: str
    period_of_report: str = ""
    accession: str = ""
    description: str = ""
    concept: str = ""
    unit: str = ""
    value: float | int | None = None
    period_start: str = ""


@dataclass(frozen=True)
class Case:
    """A court opinion. citation: as lawyers write it; citation_count: how many opinions cite it;
    status: Published, Unpublished or another.

    parallel_citations: where else it is printed.
    """

    case_name: str
    url: str
    source: str
    citation: str = ""
    court: str = ""
    court_id: str = ""
    date_filed: str = ""
    docket_number: str = ""
    citation_count: int | None = None
    parallel_citations: tuple[str, ...] = ()
    status: str = ""


@dataclass(frozen=True)
class Series:
    """A statistical series, or a data set of many."""

    series_id: str
    title: str
    source: str
    units: str = ""
    frequency: str = ""
    last_updated: str = ""
    notes: str = ""


@dataclass(frozen=True)
class Observation:
    """One value of a series, exactly as the provider has it; None where it has none for that date.
    notes: its status there.
    """

    series_id: str
    date: str
    source: str
    value: float | int | None = None
    title: str = ""
    units: str = ""
    frequency: str = ""
    notes: str = ""


@dataclass(frozen=True)
class Trial:
    """A clinical study as registered. start_date: YYYY-MM-DD or YYYY-MM."""

    nct_id: str
    title: str
    url: str
    source: str
    status: str = ""
    phases: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    interventions: tuple[str, ...] = ()
    sponsor: str = ""
    start_date: str = ""
    has_results: bool | None = None


@dataclass(frozen=True)
class Place:
    """A place. id: good for some hours, never to be stored. lat, lon: WGS-84. hours: "Thursday:
    06:59-17:00", of each day.
    """

    name: str
    source: str
    id: str = ""
    address: str = ""
    lat: float | None = None
    lon: float | None = None
    phone: str = ""
    website: str = ""
    categories: tuple[str, ...] = ()
    rating: float | None = None
    rating_count: int | None = None
    hours: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True)
class CitedPage:
    """A page that an answer rests on."""

    url: str
    title: str = ""
    published_date: str = ""


@dataclass(frozen=True)
class Answer:
    """What a provider's model wrote, and the pages it names. cost_usd: what the call cost, 0 where
    it was kept, None where not said.
    """

    answer: str
    citations: tuple[CitedPage, ...]
    cost_usd: float | None = None


@dataclass(frozen=True)
class ExtractedResult:
    """A result with what a provider's model took out of it. summary: text, or an object of the
    schema; highlights: verbatim.
    """

    url: str
    title: str = ""
    published_date: str = ""
    author: str = ""
    summary: Any = None
    highlights: tuple[str, ...] = ()
    entities: tuple[Json, ...] = ()
    cost_usd: float | None = None  # of the whole call


class NotedRecords(tuple[Any, ...]):
    """Records with what their provider did not look at. notes: whole sentences for a person; ()
    where it looked at all of it.

    A provider gives it in place of a plain tuple where a bound may have left something out, or a
    part of an answer could not be had. totals: how many there are in all, as the provider counts
    them: papers, or cited_by and references; what it does not say lacks.
    """

    notes: tuple[str, ...]
    totals: Mapping[str, int]

    def __new__(
        cls,
        records: Iterable[Any] = (),
        notes: Iterable[str] = (),
        totals: Mapping[str, int | None] | None = None,
    ) -> NotedRecords:
        made = super().__new__(cls, records)
        made.totals = {name: count for name, count in (totals or {}).items() if count is not None}
        made.notes = tuple(dict.fromkeys(each for each in notes if each))
        return made


def collect_notes(*found: Iterable[Any]) -> tuple[str, ...]:
    """What is to be told of these answers, each sentence once."""
    return tuple(dict.fromkeys(note for each in found for note in getattr(each, "notes", ())))


def collect_totals(*found: Iterable[Any]) -> dict[str, int]:
    """How many there are in all, as far as these answers say."""
    return {name: count for each in found for name, count in getattr(each, "totals", {}).items()}


def wire_record(record: Any, without: tuple[str, ...] = ()) -> Json:
    """The record as the tools answer it: camelCase, what is not known left out, what every record
    has always there.
    """
    values = {
        each: getattr(record, each.name) for each in fields(record) if each.name not in without
    }
    return {
        camel_case(each.name): _wire_value(value)
        for each, value in values.items()
        if each.default is MISSING or _is_known(value)
    }


def camel_case(name: str) -> str:
    """`citation_count` as `citationCount`."""
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)


def _is_known(value: Any) -> bool:
    return value is not None and value != "" and value != ()


def _wire_value(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_wire_value(each) for each in value]
    if isinstance(value, str):
        return strip_user_part(value)
    return wire_record(value) if hasattr(value, "__dataclass_fields__") else value
