"""Search Eurostat's datasets by title and read observations (JSON-stat). Needs no key.

A country is its two-letter code in `geo`; other dimensions cannot be chosen, and are part of each
observation's title. A deferred answer, which Eurostat sends for large data, is a failure.
"""

from __future__ import annotations

import csv
import io
from typing import Any

from research_core.journal.deps import Http
from research_core.models import HttpReply
from research_core.search.providers import jsonstat
from research_core.search.providers.reply import (
    changed_format_error,
    drop_empty,
    get_value,
    parse_json,
    parse_xml,
    refusal_error,
    request,
    require_some,
)
from research_core.search.providers.series import (
    build_observations,
    check_name,
    clean_refusal,
    parse_period,
    select_by_title,
    select_window,
)
from research_core.search.queries import SeriesQuery
from research_core.search.records import Observation, Series
from research_core.settings import Settings
from research_core.text.words import strip_invisible

NAME, SOURCE = "Eurostat", "eurostat"
BASE = "https://ec.europa.eu/eurostat/api/dissemination"
HONOURS = frozenset({"series_id", "country", "date_from", "date_to"})
BYTES = 8_000_000
#: Types of entries in the table of contents that have observations.
DATASETS = frozenset({"dataset", "table"})
KINDS = {400: "validation", 404: "not_found", 413: "too_large"}
NEXT_STEPS = {
    "not_found": "Search with query for the code of a dataset.",
    "too_large": "Give a country, or a later date_from.",
    "validation": "A country is a code of Eurostat, such as DE or EU27_2020.",
}
COLUMNS = ("title", "code", "type", "last update of data", "data start", "data end")


def search(http: Http, settings: Settings, query: SeriesQuery) -> tuple[Series | Observation, ...]:
    """Return datasets whose title has every word; with series_id, its observations."""
    return _fetch_observations(http, query) if query.series_id else _search_datasets(http, query)


def _search_datasets(http: Http, query: SeriesQuery) -> tuple[Series, ...]:
    reply = _ask(http, "catalogue/toc/txt", {"lang": "EN"}, "text/plain")
    try:
        heading, *lines = csv.reader(io.StringIO(reply.body.decode("utf-8-sig")), delimiter="\t")
    except (ValueError, csv.Error) as error:
        raise changed_format_error(NAME, "its table of contents is no table") from error
    columns = [each.strip().lower() for each in heading]
    if not set(COLUMNS[:3]) <= set(columns):
        raise changed_format_error(
            NAME, "its table of contents lacks the columns title, code and type"
        )
    listed = [line for line in lines if line]
    if any(len(line) < len(COLUMNS[:3]) for line in listed):
        raise changed_format_error(NAME, "a line of its table of contents is cut short")
    found: dict[str, Series] = {}
    for line in listed:
        series = _read_series(dict(zip(columns, map(strip_invisible, line), strict=False)))
        if series is not None:
            found[series.series_id] = series
    usable = require_some(NAME, listed, list(found.values()), "a title and a code")
    return select_by_title(NAME, usable, query)


def _read_series(line: dict[str, str]) -> Series | None:
    title, code, kind, updated, since, until = (line.get(column, "").strip() for column in COLUMNS)
    if kind not in DATASETS or not title or not code:
        return None
    return Series(
        code,
        title,
        SOURCE,
        last_updated=updated,
        notes=f"{since} to {until}" if since and until else "",
    )


def _fetch_observations(http: Http, query: SeriesQuery) -> tuple[Observation, ...]:
    """Fetch whole years, then select by the query's dates.

    A dataset accepts periods of its own frequency only, but years always.
    """
    since, until = parse_period(query.date_from), parse_period(query.date_to)
    wanted = {
        "geo": query.country.upper(),
        "sinceTimePeriod": str(since[0].year) if since else "",
        "untilTimePeriod": str(until[1].year + 1) if until else "",
        "lastTimePeriod": "" if since or until else str(query.count),
    }
    code = check_name(NAME, "dataset", query.series_id)
    params = {"format": "JSON", "lang": "EN", **drop_empty(wanted)}
    reply = _ask(http, f"statistics/1.0/data/{code}", params, "application/json")
    cubes = jsonstat.read_cubes(NAME, _read_json(reply))
    if any(cube.time is None for cube in cubes):
        raise changed_format_error(NAME, "its data set has no time")
    observations: list[Observation] = []
    for cube in cubes:
        newest = select_window(cube.cells(), query)
        observations += build_observations(newest, query.series_id, cube.title, SOURCE)
    return select_window(observations, query)


def _ask(http: Http, what: str, params: dict[str, str], accept: str) -> HttpReply:
    reply = request(
        http,
        NAME,
        f"{BASE}/{what}",
        params,
        accept=accept,
        max_bytes=BYTES,
        next_steps=NEXT_STEPS,
        also=tuple(KINDS),
    )
    if reply.status != 200:
        raise refusal_error(
            NAME, reply, NEXT_STEPS, kind=KINDS[reply.status], words=_read_refusal(reply)
        )
    return reply


def _read_refusal(reply: HttpReply) -> str:
    """Return Eurostat's error message; "" if it is not in its usual place."""
    if not reply.body.lstrip().startswith(b"{"):
        return ""
    told = parse_json(NAME, reply)
    return clean_refusal(
        get_value(told, "error", 0, "label") or get_value(told, "warning", "label")
    )


def _read_json(reply: HttpReply) -> Any:
    """Parse the answer. Raises SearchError for a deferred one, in JSON or XML."""
    if reply.body.lstrip().startswith(b"<"):
        told = parse_xml(NAME, reply).find(".//{*}Footer/{*}Message")
        status, words = "", ""
        if told is not None:
            status = told.get("code", "")
            words = clean_refusal(" ".join(told.itertext()))
    else:
        answer = parse_json(NAME, reply)
        failed = get_value(answer, "error", 0, "status") or get_value(answer, "warning", "status")
        status, words = str(failed or ""), _read_refusal(reply)
        if not status:
            return answer
    kinds = {str(code): kind for code, kind in KINDS.items()}
    kind = kinds.get(status)
    if kind is None:
        raise changed_format_error(NAME, "it is not JSON-stat")
    raise refusal_error(NAME, reply, NEXT_STEPS, kind=kind, words=words)
