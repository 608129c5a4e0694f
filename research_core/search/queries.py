"""What a provider can be asked, by kind: one frozen dataclass for each, with the names that its
parameters have on the wire.

Data alone. Which provider honours which of them is in its row; what none of them can honour is
told, never dropped silently.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from research_core.model_messages import Json

#: Fields that every provider goes by.
UNIVERSAL_PARAMS = frozenset({"text", "count"})
#: Sites that stand in the words of one query, characters of such a query, and the room for its
#: sites where its words leave less.
MAX_SITES, MAX_QUERY_LENGTH, MIN_SITES_LENGTH = 10, 380, 90


@dataclass(frozen=True)
class WebQuery:
    """time_range: hour | day | week | month | year; safe: off | medium | high; sites: only these
    hosts (or host/path), of a lens.

    cx, goggle: a lens's own engine at Google, and its own ranking at Brave.
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
    """sort_by: "" for the provider's own order, or date; news_source: a domain."""

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
    """Years are inclusive, 0 for none. source: "" for all, or arxiv | pubmed | ieee | nature |
    springer; sort_by: "" or date.
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
    """text: the seed, a DOI or a title. direction: cited_by | references | both. count: for each
    direction.
    """

    text: str
    count: int = 10
    direction: str = "both"
    influential_only: bool = False


@dataclass(frozen=True)
class PatentQuery:
    """Years are those of filing, inclusive, 0 for none. patent_office: "" for all, else US | EP |
    WO | JP | CN | KR.
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
    """Dates are YYYY-MM-DD, inclusive. facts: figures of a company in place of its filings."""

    text: str
    count: int = 5
    form_type: str = ""
    ticker: str = ""
    date_from: str = ""
    date_to: str = ""
    facts: bool = False


@dataclass(frozen=True)
class CaseQuery:
    """jurisdiction: the id of a court. Dates are YYYY-MM-DD, inclusive."""

    text: str
    count: int = 10
    jurisdiction: str = ""
    date_from: str = ""
    date_to: str = ""


@dataclass(frozen=True)
class SeriesQuery:
    """With series_id its observations are asked for, else series by name. Dates are YYYY-MM-DD or
    YYYY, inclusive.
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
    """latitude, longitude: WGS-84, both or neither. radius: metres, 0 for any. units: metric |
    imperial, for display.
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
    """schema: a JSON Schema of what to take out of each result; empty for a plain summary."""

    text: str
    count: int = 5
    category: str = ""
    schema: Json = field(default_factory=dict)


def set_params(query: Any) -> tuple[str, ...]:
    """The parameters that this query sets, beside its text and its count, in their order."""
    usual = type(query)(query.text)
    return tuple(
        each.name
        for each in fields(query)
        if each.name not in UNIVERSAL_PARAMS
        and getattr(query, each.name) != getattr(usual, each.name)
    )


def with_operators(
    text: str,
    *,
    site: str = "",
    sites: tuple[str, ...] = (),
    exact_terms: str = "",
    exclude_terms: str = "",
) -> str:
    """The query in the operators most web engines know: a phrase in quotes, a minus before a word,
    `site:`, several of them with OR.
    """
    phrase = f'"{exact_terms.replace(chr(34), " ").strip()}"' if exact_terms else ""
    without = [
        f"-{bare}" for word in exclude_terms.replace(",", " ").split() if (bare := word.strip('"-'))
    ]
    hosts = (site,) if site else sites
    places = " OR ".join(f"site:{host}" for host in hosts)
    return " ".join(
        part
        for part in (text, phrase, *without, f"({places})" if len(hosts) > 1 else places)
        if part
    )


def split_by_sites(query: Any, most_sites: int = 0) -> tuple[Any, ...]:
    """The queries by which an engine is asked about all sites of a lens: one, or several where they
    are more than it takes at once.

    most_sites: how many its own parameter takes; 0 where they stand in the words of the query.
    """
    sites = getattr(query, "sites", ())
    most, room = (
        (most_sites, 10**9)
        if most_sites
        else (MAX_SITES, max(MIN_SITES_LENGTH, MAX_QUERY_LENGTH - len(_query_words(query))))
        if sites
        else (0, 0)
    )
    groups: list[list[str]] = []
    for site in sites:
        if (
            not groups
            or len(groups[-1]) == most
            or sum(map(_site_length, (*groups[-1], site))) > room
        ):
            groups.append([])
        groups[-1].append(site)
    return tuple(replace(query, sites=tuple(group)) for group in groups) or (query,)


def _query_words(query: WebQuery) -> str:
    return with_operators(
        query.text,
        site=query.site,
        exact_terms=query.exact_terms,
        exclude_terms=query.exclude_terms,
    )


def _site_length(site: str) -> int:
    """Characters of a site among others in the words of a query."""
    return len(f"site:{site} OR ")
