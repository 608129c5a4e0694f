"""Find places with the Brave Search API: ids by web search, then details, then descriptions.

An id is valid for about eight hours and is not stored. The position goes into headers of the first
call only. If descriptions cannot be had, the places are returned without them, with a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import asin, cos, radians, sin, sqrt
from typing import Any
from urllib.parse import urlencode

from research_core.errors import SearchError
from research_core.journal.deps import Http
from research_core.search.providers.brave import (
    API,
    NAME,
    PAGES_URL,
    VERSION,
    ask_brave,
    has_section,
)
from research_core.search.providers.counts import limit_to_scanned
from research_core.search.providers.reply import (
    changed_format_error,
    drop_empty,
    get_value,
    read_column,
    read_integer,
    read_number,
    read_rows,
    read_text,
    read_texts,
    read_url,
    require_some,
)
from research_core.search.queries import PlaceQuery
from research_core.search.records import NotedRecords, Place
from research_core.settings import Settings
from research_core.text.words import format_count, strip_invisible

POIS_URL, DESCRIPTIONS_URL = f"{API}/local/pois", f"{API}/local/descriptions"
HONOURS = frozenset("near latitude longitude radius country units".split())
MOVE_CLOSER_STEP = "Ask for less: in other words, with a name of the place, or with another radius."
#: Ids in one call, and the mean radius of the earth in metres.
MAX_COUNT, EARTH_RADIUS_M = 20, 6_371_008.8


def search(http: Http, settings: Settings, query: PlaceQuery) -> tuple[Any, ...]:
    """Return places in Brave's order; given a position, nearest first within the radius.

    A place without a known position comes last, and is left out if there is a radius. Raises
    SearchError.
    """
    answer, _ = ask_brave(
        http,
        settings,
        PAGES_URL,
        {"q": query.text, "result_filter": "locations"},
        headers={**VERSION, **_build_position_headers(query)},
    )
    listed = []
    if has_section(answer, "locations"):
        listed = read_rows(NAME, answer, "locations", "results")
    ids = require_some(NAME, listed, read_column(NAME, listed, "id"), "an id")
    if not ids:
        return ()
    most = min(query.count, MAX_COUNT)
    if has_position(query) or query.country:
        most = MAX_COUNT  # the nearest, or those in the country, are picked from more
    asked = ids[:most]
    answer, _ = ask_brave(
        http, settings, f"{POIS_URL}?{_format_id_params(asked)}", {"units": query.units}
    )
    found = get_value(answer, "results")
    if isinstance(found, list):
        found = [row for row in found if row is not None]  # null stands for an unknown id
    made: list[Place] = []
    near: list[Place] = []
    for row in read_rows(NAME, {"results": found}, "results"):
        place = _read_place(row)
        if place is None:
            continue
        made.append(place)
        if _is_in_country(read_text(NAME, row, "postal_address", "country"), query.country):
            near.append(place)
    require_some(NAME, asked, made, "a name")
    near = sort_by_distance(near, query)[: query.count]
    kept = limit_to_scanned(
        NAME, near, query.count, len(asked), len(ids), what="places", next_step=MOVE_CLOSER_STEP
    )
    notes = list(kept.notes)
    if len(kept) < query.count:
        notes += _note_lost(query, len(asked), made)
    if not kept:
        return NotedRecords((), notes)
    places, failed = _add_descriptions(http, settings, kept)
    return NotedRecords(places, (*notes, failed))


def _note_lost(query: PlaceQuery, asked: int, made: Sequence[Place]) -> list[str]:
    """Note how many places have no details, and how many no position where a radius needs one."""
    notes = []
    if len(made) < asked:
        notes.append(
            f"{NAME} found {format_count(asked, 'place')}, and tells nothing of {asked - len(made)} of them."
        )
    if has_position(query) and query.radius:
        nowhere = sum(place.lat is None for place in made)
        if nowhere:
            notes.append(
                f"Left out, since {NAME} does not say where they are: {nowhere} of the places."
            )
    return notes


def has_position(query: PlaceQuery) -> bool:
    return query.latitude is not None and query.longitude is not None


def list_unsupported_params(query: PlaceQuery) -> tuple[str, ...]:
    """Return the parameters with no effect: a name beside a position, a radius without one."""
    return ("near",) if has_position(query) else ("radius",)


def sort_by_distance(places: list[Place], query: PlaceQuery) -> list[Place]:
    """Sort the places by distance, dropping those beyond the radius.

    They are returned unchanged if the query has no position.
    """
    if not has_position(query):
        return places
    far = {place: _compute_distance_m(place, query) for place in places}
    limit = query.radius or float("inf")
    return sorted((place for place in places if far[place] <= limit), key=far.__getitem__)


def _compute_distance_m(place: Place, query: PlaceQuery) -> float:
    """Return the haversine distance from the query's position; infinite if unknown."""
    if place.lat is None or place.lon is None or query.latitude is None or query.longitude is None:
        return float("inf")
    here, there = radians(query.latitude), radians(place.lat)
    north, east = there - here, radians(place.lon - query.longitude)
    half = sin(north / 2) ** 2 + cos(here) * cos(there) * sin(east / 2) ** 2
    return 2 * EARTH_RADIUS_M * asin(sqrt(min(1.0, half)))


def _build_position_headers(query: PlaceQuery) -> dict[str, str]:
    """Return the position, or else the place name as UTF-8 bytes, as headers."""
    if has_position(query):
        return {"X-Loc-Lat": f"{query.latitude}", "X-Loc-Long": f"{query.longitude}"}
    # A header holds bytes, which the HTTP client writes as Latin-1: Brave reads them as UTF-8.
    city = " ".join(strip_invisible(query.near).split()).encode("utf-8", "replace")
    country = " ".join(query.country.upper().split()).encode("ascii", "ignore")
    given = {"X-Loc-City": city.decode("latin-1"), "X-Loc-Country": country.decode()}
    return drop_empty(given)


def _is_in_country(country: str, wanted: str) -> bool:
    """Return False if the address has a comparable country code that differs."""
    return not wanted or len(country) != len(wanted) or country.upper() == wanted.upper()


def _format_id_params(ids: tuple[str, ...]) -> str:
    """Return one parameter per id: Brave does not split ids joined by commas."""
    return urlencode([("ids", each) for each in ids])


def _read_place(row: dict[str, Any]) -> Place | None:
    name = read_text(NAME, row, "title")
    lat, lon = _read_position(row)
    if not name:
        return None
    return Place(
        name=name,
        source="brave",
        id=read_text(NAME, row, "id"),
        address=read_text(NAME, row, "postal_address", "displayAddress"),
        lat=lat,
        lon=lon,
        phone=read_text(NAME, row, "contact", "telephone"),
        website=read_url(NAME, row, "url"),
        categories=read_texts(NAME, row, "categories"),
        rating=read_number(NAME, row, "rating", "ratingValue"),
        rating_count=read_integer(NAME, row, "rating", "reviewCount"),
        hours=_read_hours(get_value(row, "opening_hours")),
    )


def _read_position(row: dict[str, Any]) -> tuple[float | None, float | None]:
    pair = row.get("coordinates")
    if pair is None:
        return None, None
    if not isinstance(pair, list) or len(pair) != 2:
        raise changed_format_error(NAME, "'coordinates' is no pair")
    lat, lon = (read_number(NAME, {"coordinates": each}, "coordinates") for each in pair)
    if lat is None or lon is None or not (-90 <= lat <= 90 and -180 <= lon <= 180):
        raise changed_format_error(NAME, "'coordinates' is no position")
    return lat, lon


def _read_hours(opening: Any) -> tuple[str, ...]:
    """List "Thursday: 06:59-17:00" for each opening time, today's first."""
    if opening is None:
        return ()
    days = get_value(opening, "days") or []
    if not isinstance(days, list):
        raise changed_format_error(NAME, "'opening_hours.days' is no list")
    listed = read_rows(NAME, opening, "current_day", optional=True)
    for day in days:
        listed = [*listed, *read_rows(NAME, day)]
    hours: list[str] = []
    for each in listed:
        name = read_text(NAME, each, "full_name")
        opens = read_text(NAME, each, "opens")
        closes = read_text(NAME, each, "closes")
        if name and opens and closes:
            hours.append(f"{name}: {opens}-{closes}")
    return tuple(dict.fromkeys(hours))


def _add_descriptions(
    http: Http, settings: Settings, places: Sequence[Place]
) -> tuple[list[Place], str]:
    """Return (the places with Brave's descriptions, why they are missing or "").

    Best effort: if the call fails, the places are returned without descriptions.
    """
    ids = tuple(place.id for place in places if place.id)
    try:
        answer, _ = ask_brave(http, settings, f"{DESCRIPTIONS_URL}?{_format_id_params(ids)}", {})
        said = {
            read_text(NAME, row, "id"): read_text(NAME, row, "description")
            for row in read_rows(NAME, answer, "results")
        }
    except SearchError as error:  # the specification requires this
        return list(places), f"Descriptions could not be had: {error.message}"
    return [replace(place, description=said.get(place.id, "")) for place in places], ""
