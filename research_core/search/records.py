"""Records that providers find: one frozen dataclass per kind, and their form on the wire.

None, "" and () mean that the provider did not say; 0 and False are what it said. Texts are
untrusted: they are cleaned where results are built (`text.words.strip_invisible`) and again where
they are displayed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any

from research_core.model_messages import Json
from research_core.models import LinkCounts, SearchResult
from research_core.urls import strip_user_part


@dataclass(frozen=True)
class Article:
    """A news article. published_at: RFC 3339 in UTC, or ""."""

    title: str
    url: str
    source: str
    snippet: str
    published_at: str = ""


def build_article(page: SearchResult, source: str) -> Article:
    """Return a page that was found as news. source: the outlet's name, or its host."""
    return Article(page.title, page.url, source, page.snippet, page.published)


@dataclass(frozen=True)
class Image:
    """An image. link: the image file; context_link: the page that shows it.

    width, height in pixels; file_size as the provider writes it.
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
    """A work that cites the seed or is cited by it.

    direction: cited_by | references; seed: the title of the work that was found.
    """

    direction: str
    paper: Paper
    seed: str = ""


@dataclass(frozen=True)
class Patent:
    """A patent or application. filed, granted: YYYY-MM-DD.

    published: the date of the publication, which for an application is not a grant.
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
    """A filing, or a fact from one. Dates are YYYY-MM-DD.

    A fact sets concept, unit and value (exactly as filed), period_start and period_of_report; for a
    filing, period_of_report is the end of its period.
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
    """A court opinion.

    citation: as lawyers write it; citation_count: how many opinions cite it; parallel_citations:
    where else it is printed; status: Published, Unpublished or another.
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
    """A statistical series, or a dataset of many."""

    series_id: str
    title: str
    source: str
    units: str = ""
    frequency: str = ""
    last_updated: str = ""
    notes: str = ""


@dataclass(frozen=True)
class Observation:
    """One value of a series, exactly as given; None if missing. notes: its status."""

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
    """A place. id: valid for some hours, never stored. lat, lon: WGS-84.

    hours: one text per opening time, such as "Thursday: 06:59-17:00".
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
    """A page an answer cites."""

    url: str
    title: str = ""
    published_date: str = ""


@dataclass(frozen=True)
class Answer:
    """A model-written answer and the pages it cites.

    cost_usd: what the call cost; 0 if it came from the cache, None if unknown.
    """

    answer: str
    citations: tuple[CitedPage, ...]
    cost_usd: float | None = None


@dataclass(frozen=True)
class ExtractedResult:
    """A result with the data a provider's model extracted from it.

    summary: text, or an object of the schema; highlights: verbatim passages.
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
    """Records with notes on what their provider left out.

    Returned instead of a plain tuple if a limit may have cut the answer, or part of it failed.
    notes: whole sentences for a person, () if nothing was left out. totals: how many there are in
    all as the provider counts them (papers, or cited_by and references); a count the provider does
    not give is missing. links: what was done to the links of the records. understood: how the
    provider read the words of the query, {} if it took them as they are.
    """

    notes: tuple[str, ...]
    understood: Json
    totals: Mapping[str, int]
    links: LinkCounts

    def __new__(
        cls,
        records: Iterable[Any] = (),
        notes: Iterable[str] = (),
        totals: Mapping[str, int | None] | None = None,
        links: LinkCounts = LinkCounts(),
        understood: Json | None = None,
    ) -> NotedRecords:
        made = super().__new__(cls, records)
        made.understood = understood or {}
        made.links = links
        made.totals = {name: count for name, count in (totals or {}).items() if count is not None}
        made.notes = tuple(dict.fromkeys(each for each in notes if each))
        return made


def collect_notes(*found: Iterable[Any]) -> tuple[str, ...]:
    """Collect the notes of these answers, each sentence once."""
    notes: list[str] = []
    for records in found:
        notes += getattr(records, "notes", ())
    return tuple(dict.fromkeys(notes))


def collect_links(*found: Iterable[Any]) -> LinkCounts:
    """Add up what was done to the links of these answers."""
    links = LinkCounts()
    for records in found:
        links += getattr(records, "links", LinkCounts())
    return links


def collect_respelled(found: Iterable[Any]) -> list[list[str]]:
    """Return [written, read] of each word of the query that this answer took for a slip."""
    return list(getattr(found, "understood", {}).get("spelled", []))


def collect_totals(*found: Iterable[Any]) -> dict[str, int]:
    """Collect the total counts of these answers."""
    totals: dict[str, int] = {}
    for records in found:
        totals |= getattr(records, "totals", {})
    return totals


def collect_understood(*found: Iterable[Any]) -> Json:
    """Return how the words of the query were read in these answers."""
    understood: Json = {}
    for records in found:
        understood |= getattr(records, "understood", {})
    return understood


def format_record(record: Any, without: tuple[str, ...] = ()) -> Json:
    """Return the record as the tools send it: camelCase, without unset optional fields."""
    sent: Json = {}
    for each in fields(record):
        if each.name in without:
            continue
        value = getattr(record, each.name)
        if each.default is MISSING or _is_known(value):
            sent[to_camel_case(each.name)] = _format_value(value)
    return sent


def to_camel_case(name: str) -> str:
    """Convert `citation_count` to `citationCount`."""
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)


def _is_known(value: Any) -> bool:
    return value is not None and value != "" and value != ()


def _format_value(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_format_value(each) for each in value]
    if isinstance(value, str):
        return strip_user_part(value)
    return format_record(value) if hasattr(value, "__dataclass_fields__") else value
