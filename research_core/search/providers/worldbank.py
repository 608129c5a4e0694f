"""Searches the World Development Indicators of the World Bank by name, and reads an indicator of a
country. It asks for no key.

The service has no search of its own: its list is read whole. Its dates are read here too, as years,
quarters or months.
"""

from __future__ import annotations

import re
from typing import Any

from research_core.errors import SearchError
from research_core.journal.deps import Http
from research_core.model_messages import Json
from research_core.search.providers.counts import counted
from research_core.search.providers.reply import at, changed, get_json, rows, some, text
from research_core.search.providers.series import figure, fitting, said, valid, window
from research_core.search.queries import SeriesQuery
from research_core.search.records import Observation, Series
from research_core.settings import Settings

NAME, SOURCE = "World Bank", "worldbank"
BASE = "https://api.worldbank.org/v2"
HONOURS = frozenset({"series_id", "country", "date_from", "date_to"})
#: The database of the World Development Indicators, and the country of all countries.
WDI, WORLD = "2", "WLD"
#: Rows in one answer: more than the list of indicators, or an indicator of every country, has.
PAGE, BYTES = "20000", 8_000_000
_COUNTRY = re.compile(r"[A-Za-z0-9]+(?:;[A-Za-z0-9]+)*")


def search(http: Http, settings: Settings, query: SeriesQuery) -> tuple[Series | Observation, ...]:
    """Indicators whose name has every word of the query; with series_id its observations, of the
    world where no country is given.
    """
    if query.series_id:
        indicator, country = (
            valid(NAME, "indicator", query.series_id),
            valid(NAME, "country", query.country or WORLD, _COUNTRY),
        )
        listed = _rows(http, f"country/{country}/indicator/{indicator}", {})
        found = [made for row in listed if (made := _observation(query, row))]
        return window(some(NAME, listed, found, "a date"), query)
    listed = _rows(http, "indicator", {"source": WDI})
    known = [one for row in listed if (one := _series(row))]
    return fitting(NAME, some(NAME, listed, known, "an id and a name"), query)


def _rows(http: Http, what: str, params: dict[str, str]) -> list[Json]:
    """The rows of an answer, which are its second part. A refusal comes with status 200 as well."""
    told = get_json(
        http, NAME, f"{BASE}/{what}", {"format": "json", "per_page": PAGE} | params, max_bytes=BYTES
    )
    if message := at(told, 0, "message"):
        raise _refusal(message)
    paging = at(told, 0)
    if not isinstance(paging, dict) or not {"page", "pages"} <= set(paging) or len(told) != 2:
        raise changed(NAME, "it has no pages")
    if paging["pages"] not in (0, 1, "0", "1"):
        raise changed(NAME, "it has more pages than one", "Ask for one country.")
    listed = rows(NAME, [] if told[1] is None else told[1])
    if len(listed) < counted(paging.get("total")):
        raise changed(NAME, "it lacks rows that it counts")
    return listed


def _refusal(message: Any) -> SearchError:
    told = said(at(message, 0, "value")) or "no reason"
    kind = "not_found" if "not found" in told else "validation"
    step = "Search with query for the id of an indicator; a country is an ISO code such as DEU."
    error = SearchError(f"{NAME} refused: {told}.", kind=kind, status=200, next_step=step)
    error.quotes = (told,)
    return error


def _series(row: Json) -> Series | None:
    number, title = text(NAME, row, "id"), text(NAME, row, "name")
    if not number or not title:
        return None
    return Series(
        number, title, SOURCE, units=text(NAME, row, "unit"), notes=text(NAME, row, "sourceNote")
    )


def _observation(query: SeriesQuery, row: Json) -> Observation | None:
    if not (date := text(NAME, row, "date")):
        return None
    return Observation(
        query.series_id,
        date,
        SOURCE,
        value=figure(NAME, row.get("value")),
        title=" — ".join(
            filter(
                None, (text(NAME, row, "indicator", "value"), text(NAME, row, "country", "value"))
            )
        ),
        units=text(NAME, row, "unit"),
        notes=text(NAME, row, "obs_status"),
    )
