"""Search FRED, the series of the St. Louis Fed, and read their latest observations."""

from __future__ import annotations

import re
from typing import Any

from research_core.journal.deps import Http
from research_core.search.providers.counts import check_not_empty, parse_count
from research_core.search.providers.reply import (
    drop_empty,
    get_json,
    get_value,
    read_records,
    read_rows,
    read_text,
    require_some,
)
from research_core.search.providers.series import (
    check_name,
    clean_refusal,
    parse_figure,
    parse_period,
)
from research_core.search.queries import SeriesQuery
from research_core.search.records import NotedRecords, Observation, Series
from research_core.settings import Settings

NAME, SOURCE = "FRED", "fred"
SERIES = "https://api.stlouisfed.org/fred/series"
NEEDS = ("FRED_API_KEY",)
HONOURS = frozenset({"series_id", "date_from", "date_to", "frequency", "units"})
#: The most popular matches to fetch before they are reordered.
POOL = 100
NEXT_STEPS = {
    "auth_required": "Check FRED_API_KEY; a key is free at fred.stlouisfed.org.",
    "not_found": "Search with query for the id of a series.",
}


def search(http: Http, settings: Settings, query: SeriesQuery) -> tuple[Series | Observation, ...]:
    """Return series by words matched, then popularity; with series_id, its observations."""
    if query.series_id:
        return _fetch_observations(http, settings, query)
    return _search_series(http, settings, query)


def _search_series(http: Http, settings: Settings, query: SeriesQuery) -> tuple[Series, ...]:
    params = {
        "search_text": query.text,
        "order_by": "popularity",
        "sort_order": "desc",
        "limit": str(max(POOL, query.count)),
    }
    answer = _ask(http, settings, "search", params)
    listed = read_rows(NAME, answer, "seriess")
    check_not_empty(NAME, listed, get_value(answer, "count"))
    found = read_records(NAME, listed, _read_series, "an id and a title")
    words = _split_title(query.text)

    def fewest_words_last(series: Series) -> int:
        return -len(words & _split_title(f"{series.series_id} {series.title}"))

    ranked = sorted(found, key=fewest_words_last)
    notes = []
    total = parse_count(get_value(answer, "count"))
    if total > len(listed):
        notes.append(
            f"{NAME} found {total:,} series. Only the {len(listed)} most popular of them were"
            " looked through."
        )
    return NotedRecords(ranked[: query.count], notes)


def _split_title(title: str) -> set[str]:
    return set(re.findall(r"\w+", title.casefold()))


def _read_series(row: dict[str, Any]) -> Series | None:
    number, title = read_text(NAME, row, "id"), read_text(NAME, row, "title")
    if not (number and title):
        return None
    return Series(
        series_id=number,
        title=title,
        source=SOURCE,
        units=read_text(NAME, row, "units"),
        frequency=read_text(NAME, row, "frequency"),
        last_updated=read_text(NAME, row, "last_updated"),
        notes=read_text(NAME, row, "notes"),
    )


def _fetch_observations(
    http: Http, settings: Settings, query: SeriesQuery
) -> tuple[Observation, ...]:
    since, until = parse_period(query.date_from), parse_period(query.date_to)
    wanted = {
        "series_id": check_name(NAME, "series", query.series_id),
        "observation_start": since[0].isoformat() if since else "",
        "observation_end": until[1].isoformat() if until else "",
        "sort_order": "asc" if since else "desc",
        "limit": str(query.count),
        "frequency": query.frequency.lower(),
        "units": query.units.lower(),
    }
    answer = _ask(http, settings, "observations", drop_empty(wanted))
    listed = read_rows(NAME, answer, "observations")
    check_not_empty(NAME, listed, get_value(answer, "count"))
    made = []
    for row in listed:
        date = read_text(NAME, row, "date")
        if date:
            value = parse_figure(NAME, row.get("value"))
            made.append(Observation(query.series_id, date, SOURCE, value=value))
    return require_some(NAME, listed, made, "a date")[: query.count]


def _ask(http: Http, settings: Settings, what: str, params: dict[str, str]) -> Any:
    params = {"api_key": settings.fred_api_key, "file_type": "json"} | params
    return get_json(
        http, NAME, f"{SERIES}/{what}", params, next_steps=NEXT_STEPS, refusal=_read_refusal
    )


def _read_refusal(told: Any) -> tuple[str, str]:
    """Return why FRED refuses: its 400 covers keys, unknown series and parameters."""
    words = clean_refusal(get_value(told, "error_message"))
    if "api_key" in words:
        return "auth_required", words
    if "does not exist" in words:
        return "not_found", words
    return ("validation" if words and get_value(told, "error_code") == 400 else ""), words
