"""Queries by kind: one frozen dataclass each, with the parameter names used on the wire.

Data only. A provider's row says which parameters it honours; parameters nobody honours are
reported, never dropped silently.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from research_core.model_messages import Json

#: Fields every provider honours.
UNIVERSAL_PARAMS = frozenset({"text", "count"})
#: Sites in the words of one query, characters of such a query, and the characters kept for sites if
#: the words leave fewer.
MAX_SITES, MAX_QUERY_LENGTH, MIN_SITES_LENGTH = 10, 380, 90


@dataclass(frozen=True)
class WebQuery:
    """A web query.

    time_range: hour | day | week | month | year; safe: off | medium | high; sites: search only
    these hosts (or host/path), from a lens; cx, goggle: a lens's engine at Google and its ranking
    at Brave.
    """

    text: str
    count: int = 10
    time_range: str = ""
    safe: str = ""
    language: str = ""
    country: str = ""
    site: str = ""
    exact_terms: str = ""
    exclude_terms: str = ""
    sites: tuple[str, ...] = ()
    cx: str = ""
    goggle: str = ""


@dataclass(frozen=True)
class NewsQuery:
    """A news query. sort_by: "" for the provider's order, or date; news_source: a domain."""

    text: str
    count: int = 5
    time_range: str = ""
    sort_by: str = ""
    news_source: str = ""
    country: str = ""
    language: str = ""
    safe: str = ""


@dataclass(frozen=True)
class ImageQuery:
    text: str
    count: int = 5
    size: str = ""
    type: str = ""
    color_type: str = ""
    dominant_color: str = ""
    file_type: str = ""
    safe: str = ""
    country: str = ""
    language: str = ""


@dataclass(frozen=True)
class PaperQuery:
    """A query for scholarly works. Years are inclusive, 0 for none.

    source: "" for all, or arxiv | pubmed | ieee | nature | springer; sort_by: "" or date.
    """

    text: str
    count: int = 5
    year_from: int = 0
    year_to: int = 0
    source: str = ""
    sort_by: str = ""
    open_access: bool = False


@dataclass(frozen=True)
class CitationQuery:
    """A query for the works around a seed.

    text: the seed, a DOI or a title; direction: cited_by | references | both; count: for each
    direction.
    """

    text: str
    count: int = 10
    direction: str = "both"
    influential_only: bool = False


@dataclass(frozen=True)
class PatentQuery:
    """A patent query. Years are those of filing, inclusive, 0 for none.

    patent_office: "" for all, else US | EP | WO | JP | CN | KR.
    """

    text: str
    count: int = 5
    search_type: str = "prior_art"
    patent_office: str = ""
    assignee: str = ""
    inventor: str = ""
    cpc_code: str = ""
    year_from: int = 0
    year_to: int = 0


@dataclass(frozen=True)
class FilingQuery:
    """A query for company filings. Dates are YYYY-MM-DD, inclusive.

    facts: ask for figures of a company instead of its filings.
    """

    text: str
    count: int = 5
    form_type: str = ""
    ticker: str = ""
    date_from: str = ""
    date_to: str = ""
    facts: bool = False


@dataclass(frozen=True)
class CaseQuery:
    """A query for court opinions. jurisdiction: a court id. Dates are YYYY-MM-DD, inclusive."""

    text: str
    count: int = 10
    jurisdiction: str = ""
    date_from: str = ""
    date_to: str = ""


@dataclass(frozen=True)
class SeriesQuery:
    """A query for the observations of series_id, or for series by name if that is "".

    Dates are YYYY-MM-DD or YYYY, inclusive.
    """

    text: str
    count: int = 5
    series_id: str = ""
    country: str = ""
    date_from: str = ""
    date_to: str = ""
    frequency: str = ""
    units: str = ""


@dataclass(frozen=True)
class TrialQuery:
    text: str
    count: int = 10
    condition: str = ""
    intervention: str = ""
    sponsor: str = ""
    status: str = ""


@dataclass(frozen=True)
class PlaceQuery:
    """A query for places. latitude, longitude: WGS-84, both or neither.

    radius: metres, 0 for any; units: metric | imperial, for display.
    """

    text: str
    count: int = 5
    near: str = ""
    latitude: float | None = None
    longitude: float | None = None
    radius: float = 0.0
    country: str = ""
    units: str = ""


@dataclass(frozen=True)
class AnswerQuery:
    text: str
    count: int = 1


@dataclass(frozen=True)
class StructuredQuery:
    """A query for structured results.

    schema: a JSON Schema of what to extract from each result; empty for a plain summary.
    """

    text: str
    count: int = 5
    category: str = ""
    schema: Json = field(default_factory=dict)


def set_params(query: Any) -> tuple[str, ...]:
    """Name the parameters this query sets, other than text and count, in field order."""
    usual = type(query)(query.text)
    return tuple(
        each.name
        for each in fields(query)
        if each.name not in UNIVERSAL_PARAMS
        and getattr(query, each.name) != getattr(usual, each.name)
    )


def add_operators(
    text: str,
    *,
    site: str = "",
    sites: tuple[str, ...] = (),
    exact_terms: str = "",
    exclude_terms: str = "",
) -> str:
    """Write the query with common web operators: quoted phrase, minus, `site:` and OR."""
    parts = [text]
    if exact_terms:
        phrase = exact_terms.replace('"', " ").strip()
        parts.append(f'"{phrase}"')
    for word in exclude_terms.replace(",", " ").split():
        bare = word.strip('"-')
        if bare:
            parts.append(f"-{bare}")
    hosts = (site,) if site else sites
    places = " OR ".join(f"site:{host}" for host in hosts)
    parts.append(f"({places})" if len(hosts) > 1 else places)
    return " ".join(filter(None, parts))


def format_words_with_operators(query: WebQuery) -> str:
    """Write all that a web query asks for into its words, for engines that read operators."""
    return add_operators(
        query.text,
        site=query.site,
        sites=query.sites,
        exact_terms=query.exact_terms,
        exclude_terms=query.exclude_terms,
    )


def list_hour_as_unsupported(query: WebQuery | NewsQuery) -> tuple[str, ...]:
    """Return ("time_range",) for an hour: the shortest span of many services is a day."""
    return ("time_range",) if query.time_range == "hour" else ()


def split_by_sites(query: Any, most_sites: int = 0) -> tuple[Any, ...]:
    """Split a query with many sites into queries an engine can take; else return it alone.

    most_sites: how many sites the engine's own parameter takes; 0 if they go into the query text.
    """
    sites = getattr(query, "sites", ())
    if not sites:
        return (query,)
    most, room = most_sites, 10**9
    if not most_sites:
        most = MAX_SITES
        words = format_words_with_operators(replace(query, sites=()))
        room = max(MIN_SITES_LENGTH, MAX_QUERY_LENGTH - len(words))
    groups: list[list[str]] = [[]]
    for site in sites:
        group = groups[-1]
        length = sum(map(_measure_site, (*group, site)))
        if group and (len(group) == most or length > room):
            groups.append([])
        groups[-1].append(site)
    return tuple(replace(query, sites=tuple(group)) for group in groups)


def _measure_site(site: str) -> int:
    """Return the characters one site takes in the query text."""
    return len(f"site:{site} OR ")
