"""Search World Bank indicators by name and read one for a country. Needs no key.

The service has no search, so its list is read whole. Dates are years, quarters or months.
"""

from __future__ import annotations

import re
from typing import Any

from research_core.errors import SearchError
from research_core.journal.deps import Http
from research_core.model_messages import Json
from research_core.search.providers.counts import parse_count
from research_core.search.providers.reply import (
    changed_format_error,
    get_json,
    get_value,
    read_records,
    read_rows,
    read_text,
)
from research_core.search.providers.series import (
    check_name,
    clean_refusal,
    parse_figure,
    select_by_title,
    select_window,
)
from research_core.search.queries import SeriesQuery
from research_core.search.records import Observation, Series
from research_core.settings import Settings

NAME, SOURCE = "World Bank", "worldbank"
BASE = "https://api.worldbank.org/v2"
HONOURS = frozenset({"series_id", "country", "date_from", "date_to"})
#: The database id of the World Development Indicators, and the code for all countries together.
WDI, WORLD = "2", "WLD"
#: Rows in one answer: more than the list of indicators, or one indicator of all countries, has.
PAGE, BYTES = "20000", 8_000_000
_COUNTRY = re.compile(r"[A-Za-z0-9]+(?:;[A-Za-z0-9]+)*")


def search(http: Http, settings: Settings, query: SeriesQuery) -> tuple[Series | Observation, ...]:
    """Return indicators whose name has every word; with series_id, its observations.

    Without a country they are those of the world.
    """
    if query.series_id:
        return _fetch_observations(http, query)
    listed = _fetch_rows(http, "indicator", {"source": WDI})
    indicators = read_records(NAME, listed, _read_series, "an id and a name")
    return select_by_title(NAME, indicators, query)


def _fetch_observations(http: Http, query: SeriesQuery) -> tuple[Observation, ...]:
    indicator = check_name(NAME, "indicator", query.series_id)
    country = check_name(NAME, "country", query.country or WORLD, _COUNTRY)
    listed = _fetch_rows(http, f"country/{country}/indicator/{indicator}", {})
    found = read_records(NAME, listed, lambda row: _read_observation(query, row), "a date")
    return select_window(found, query)


def _fetch_rows(http: Http, what: str, params: dict[str, str]) -> list[Json]:
    """Return the rows of an answer, its second part; refusals have status 200 too."""
    params = {"format": "json", "per_page": PAGE, **params}
    told = get_json(http, NAME, f"{BASE}/{what}", params, max_bytes=BYTES)
    message = get_value(told, 0, "message")
    if message:
        raise _refusal_error(message)
    paging = get_value(told, 0)
    if not isinstance(paging, dict) or not {"page", "pages"} <= set(paging) or len(told) != 2:
        raise changed_format_error(NAME, "it has no pages")
    # Numbers come as numbers or as text.
    if paging["pages"] not in (0, 1, "0", "1"):
        raise changed_format_error(NAME, "it has more pages than one", "Ask for one country.")
    listed = read_rows(NAME, [] if told[1] is None else told[1])
    if len(listed) < parse_count(paging.get("total")):
        raise changed_format_error(NAME, "it lacks rows that it counts")
    return listed


def _refusal_error(message: Any) -> SearchError:
    told = clean_refusal(get_value(message, 0, "value")) or "no reason"
    kind = "not_found" if "not found" in told else "validation"
    step = "Search with query for the id of an indicator; a country is an ISO code such as DEU."
    error = SearchError(f"{NAME} refused: {told}.", kind=kind, status=200, next_step=step)
    error.quotes = (told,)
    return error


def _read_series(row: Json) -> Series | None:
    number, title = read_text(NAME, row, "id"), read_text(NAME, row, "name")
    if not number or not title:
        return None
    return Series(
        number,
        title,
        SOURCE,
        units=read_text(NAME, row, "unit"),
        notes=read_text(NAME, row, "sourceNote"),
    )


def _read_observation(query: SeriesQuery, row: Json) -> Observation | None:
    date = read_text(NAME, row, "date")
    if not date:
        return None
    names = (
        read_text(NAME, row, "indicator", "value"),
        read_text(NAME, row, "country", "value"),
    )
    return Observation(
        query.series_id,
        date,
        SOURCE,
        value=parse_figure(NAME, row.get("value")),
        title=" — ".join(filter(None, names)),
        units=read_text(NAME, row, "unit"),
        notes=read_text(NAME, row, "obs_status"),
    )
