"""Searches the datasets of Eurostat by title, and reads the observations of one (JSON-stat). It
asks for no key.

A country is its code in `geo`, of two letters; other dimensions cannot be chosen, and stand in the
title of each observation. Answers that Eurostat would write later, being too large, are failures.
"""

from __future__ import annotations

import csv
import io
from typing import Any

from research_core.journal.deps import Http
from research_core.models import HttpReply
from research_core.search.providers import jsonstat
from research_core.search.providers.reply import as_json, as_xml, ask, at, changed, refused, some
from research_core.search.providers.series import fitting, observed, said, span, valid, window
from research_core.search.queries import SeriesQuery
from research_core.search.records import Observation, Series
from research_core.settings import Settings
from research_core.text.words import visible

NAME, SOURCE = "Eurostat", "eurostat"
BASE = "https://ec.europa.eu/eurostat/api/dissemination"
HONOURS = frozenset({"series_id", "country", "date_from", "date_to"})
BYTES = 8_000_000
#: Kinds of entries in the table of contents that have observations.
DATASETS = frozenset({"dataset", "table"})
KINDS = {400: "validation", 404: "not_found", 413: "too_large"}
NEXT_STEPS = {
    "not_found": "Search with query for the code of a dataset.",
    "too_large": "Give a country, or a later date_from.",
    "validation": "A country is a code of Eurostat, such as DE or EU27_2020.",
}
COLUMNS = ("title", "code", "type", "last update of data", "data start", "data end")


def search(http: Http, settings: Settings, query: SeriesQuery) -> tuple[Series | Observation, ...]:
    """Datasets whose title has every word of the query; with series_id its observations."""
    return _observations(http, query) if query.series_id else _datasets(http, query)


def _datasets(http: Http, query: SeriesQuery) -> tuple[Series, ...]:
    reply = _asked(http, "catalogue/toc/txt", {"lang": "EN"}, "text/plain")
    try:
        heading, *lines = csv.reader(io.StringIO(reply.body.decode("utf-8-sig")), delimiter="\t")
    except (ValueError, csv.Error) as error:
        raise changed(NAME, "its table of contents is no table") from error
    columns = [each.strip().lower() for each in heading]
    if not set(COLUMNS[:3]) <= set(columns):
        raise changed(NAME, "its table of contents lacks the columns title, code and type")
    listed = [line for line in lines if line]
    if any(len(line) < len(COLUMNS[:3]) for line in listed):
        raise changed(NAME, "a line of its table of contents is cut short")
    found = [
        made
        for line in listed
        if (made := _series(dict(zip(columns, map(visible, line), strict=False))))
    ]
    return fitting(
        NAME,
        some(
            NAME,
            listed,
            list({each.series_id: each for each in found}.values()),
            "a title and a code",
        ),
        query,
    )


def _series(line: dict[str, str]) -> Series | None:
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


def _observations(http: Http, query: SeriesQuery) -> tuple[Observation, ...]:
    """Whole years are asked for, as a dataset takes only periods of its own kind for more; the
    dates are those of the query.
    """
    since, until = span(query.date_from), span(query.date_to)
    wanted = {
        "geo": query.country.upper(),
        "sinceTimePeriod": str(since[0].year) if since else "",
        "untilTimePeriod": str(until[1].year + 1) if until else "",
        "lastTimePeriod": "" if since or until else str(query.count),
    }
    code = valid(NAME, "dataset", query.series_id)
    params = {"format": "JSON", "lang": "EN"} | {
        name: value for name, value in wanted.items() if value
    }
    answer = _read(_asked(http, f"statistics/1.0/data/{code}", params, "application/json"))
    cubes = jsonstat.cubes(NAME, answer)
    if any(cube.time is None for cube in cubes):
        raise changed(NAME, "its data set has no time")
    newest = ((cube, window(cube.cells(), query)) for cube in cubes)
    return window(
        [
            each
            for cube, cells in newest
            for each in observed(cells, query.series_id, cube.title, SOURCE)
        ],
        query,
    )


def _asked(http: Http, what: str, params: dict[str, str], accept: str) -> HttpReply:
    reply = ask(
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
        raise refused(NAME, reply, NEXT_STEPS, kind=KINDS[reply.status], words=_words(reply))
    return reply


def _words(reply: HttpReply) -> str:
    """Eurostat's words for a refusal, where they are in their own place."""
    if not reply.body.lstrip().startswith(b"{"):
        return ""
    told = as_json(NAME, reply)
    return said(at(told, "error", 0, "label") or at(told, "warning", "label"))


def _read(reply: HttpReply) -> Any:
    """The answer; with status 200 too it may say that it comes later, in JSON or in XML."""
    if reply.body.lstrip().startswith(b"<"):
        told = as_xml(NAME, reply).find(".//{*}Footer/{*}Message")
        status, words = (
            (told.get("code", ""), said(" ".join(told.itertext())))
            if told is not None
            else ("", "")
        )
    else:
        answer = as_json(NAME, reply)
        status, words = (
            str(at(answer, "error", 0, "status") or at(answer, "warning", "status") or ""),
            _words(reply),
        )
        if not status:
            return answer
    kind = next((kind for code, kind in KINDS.items() if str(code) == status), None)
    if kind is None:
        raise changed(NAME, "it is not JSON-stat")
    raise refused(NAME, reply, NEXT_STEPS, kind=kind, words=words)
