"""Search OECD dataflows by name and read observations (SDMX). Needs no key, but is slow.

A series is named by its dataflow (agency,dataflow,version), a country by its three-letter code in
REF_AREA; other dimensions cannot be chosen, and are part of each observation's title.
"""

from __future__ import annotations

import re
from typing import Any

from research_core.journal.deps import Http
from research_core.models import HttpReply
from research_core.search.providers import sdmx
from research_core.search.providers.reply import (
    changed_format_error,
    drop_empty,
    parse_json,
    read_records,
    read_rows,
    read_text,
    refusal_error,
    request,
)
from research_core.search.providers.series import (
    build_observations,
    check_name,
    select_by_title,
    select_window,
)
from research_core.search.queries import SeriesQuery
from research_core.search.records import Observation, Series
from research_core.settings import Settings

NAME, SOURCE = "OECD", "oecd"
BASE = "https://sdmx.oecd.org/public/rest"
HONOURS = frozenset({"series_id", "country", "date_from", "date_to"})
STRUCTURE = "application/vnd.sdmx.structure+json"
DATA = "application/vnd.sdmx.data+json;version=2.0.0"
AREA = "REF_AREA"
BYTES = 8_000_000
#: Error kinds by status; the message is plain text. A 404 is an unknown dataflow or a lack of
#: matching rows.
KINDS = {400: "validation", 404: "not_found", 406: "bad_reply", 413: "too_large", 422: "validation"}
NO_ROWS = re.compile(rb"No\s*(?:Records|Results)\s*Found", re.IGNORECASE)
NEXT_STEPS = {
    "not_found": "Search with query for the id of a dataflow.",
    "too_large": "Give a country, or a later date_from.",
    "rate_limited": "The OECD answers some 60 calls an hour; wait, or ask another provider.",
}
_DATAFLOW = re.compile(r"[A-Za-z0-9._@-]+,[A-Za-z0-9._@-]+(?:,[A-Za-z0-9._@-]*)?")
_COUNTRY = re.compile(r"[A-Za-z0-9_]+(?:\+[A-Za-z0-9_]+)*")


def search(http: Http, settings: Settings, query: SeriesQuery) -> tuple[Series | Observation, ...]:
    """Return dataflows whose name has every word; with series_id, its observations."""
    return _fetch_observations(http, query) if query.series_id else _search_dataflows(http, query)


def _search_dataflows(http: Http, query: SeriesQuery) -> tuple[Series, ...]:
    reply = _ask(http, "dataflow/all/all/latest", {"detail": "allstubs"}, STRUCTURE)
    listed = []
    if reply is not None:
        listed = read_rows(NAME, parse_json(NAME, reply), "data", "dataflows")
    dataflows = read_records(NAME, listed, _read_series, "an id, an agency and a name")
    return select_by_title(NAME, dataflows, query)


def _read_series(row: dict[str, Any]) -> Series | None:
    parts = [read_text(NAME, row, part) for part in ("agencyID", "id", "version")]
    title = sdmx.read_name(NAME, row)
    if not title or not all(parts):
        return None
    return Series(",".join(parts), title, SOURCE)


def _fetch_observations(http: Http, query: SeriesQuery) -> tuple[Observation, ...]:
    """Fetch the observations of the query's dates.

    Without date_from, only each series' newest rows are requested, so that they are not cut off.
    """
    agency, flow, *rest = check_name(NAME, "dataflow", query.series_id, _DATAFLOW).split(",")
    version = rest[0] if rest and rest[0] else "latest"
    key = "all"
    if query.country:
        key = _find_series_key(http, query.country, f"dataflow/{agency}/{flow}/{version}")
    wanted = {
        "dimensionAtObservation": sdmx.TIME,
        "startPeriod": query.date_from,
        "endPeriod": query.date_to,
        "lastNObservations": "" if query.date_from else str(query.count),
    }
    reply = _ask(http, f"data/{agency},{flow},{version}/{key}", drop_empty(wanted), DATA)
    if reply is None:
        return ()
    title, cells = sdmx.read_data(NAME, parse_json(NAME, reply))
    return tuple(build_observations(select_window(cells, query), query.series_id, title, SOURCE))


def _find_series_key(http: Http, country: str, flow: str) -> str:
    """Return the series key with the country in its place and other dimensions open."""
    area = check_name(NAME, "country", country, _COUNTRY).upper()
    reply = _ask(http, flow, {"references": "datastructure"}, STRUCTURE)
    dimensions = () if reply is None else sdmx.read_dimensions(NAME, parse_json(NAME, reply))
    if AREA not in dimensions:
        raise changed_format_error(
            NAME, f"its dataflow has no dimension {AREA} for a country", "Leave country out."
        )
    return ".".join(area if each == AREA else "" for each in dimensions)


def _ask(http: Http, what: str, params: dict[str, str], accept: str) -> HttpReply | None:
    """Return the answer; None if the OECD says that no row matches."""
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
    if reply.status == 200:
        return reply
    if reply.status == 404 and NO_ROWS.search(reply.body[:5_000]):
        return None
    raise refusal_error(NAME, reply, NEXT_STEPS, kind=KINDS[reply.status])
