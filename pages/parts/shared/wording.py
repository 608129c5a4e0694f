"""Format times, costs and settings for readers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from research_core.i18n import N_, _, format_number, join_list, ngettext
from research_core.policy import OFFLINE_MODEL, SAMPLE_LIBRARY, SHARED_PREFIX
from research_core.sessions.engine_names import format_engine_name
from research_core.sessions.run_defaults import OWN
from research_core.sessions.session_status import SessionInfo
from research_core.text.words import clean_for_choice

_DAY_S = 86_400
_UNITS = (
    (_DAY_S, N_("{number:.0f} d")),
    (3_600, N_("{number:.0f} h")),
    (60, N_("{number:.0f} min")),
)


def plural_ending(count: int) -> str:
    """Return the ending of a regular noun: "" for one, else "s"."""
    return "" if count == 1 else "s"


def format_ago(seconds: float) -> str:
    """Format seconds in the largest unit: 12 s, 5 min, 3 h, 2 d."""
    for size, form in _UNITS:
        if seconds >= size:
            return _(form).format(number=seconds / size)
    return _("{number:.0f} s").format(number=max(seconds, 0))


def format_seconds(seconds: float) -> str:
    """Format seconds with one decimal: 12.3 s; never 0.0 s for a positive time."""
    least = 0.1 if seconds > 0 else 0.0
    return _("{number:.1f} s").format(number=max(seconds, least))


def format_duration(seconds: float) -> str:
    """Format seconds as a clock: 0:07, 12:30, 1:02:03; below 1 s like `format_seconds`."""
    if seconds < 1:
        return format_seconds(seconds)
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02}:{rest:02}"
    return f"{minutes}:{rest:02}"


def format_time_taken(seconds: float) -> str:
    """Format how long a session took: 12.3 s; from a minute on as a clock, 12:30."""
    return format_seconds(seconds) if seconds < 60 else format_duration(seconds)


def format_cost(spent: float | None) -> str:
    """Format US dollars; an unknown cost is shown as unknown, not as zero."""
    if spent is None:
        return _("cost unknown")
    return f"${format_number(spent, '.4f')}" if spent else _("free")


def format_moment(at: float) -> str:
    """Format a time in the reader's time zone, or in UTC, named as such, if it is unknown."""
    zone = _find_zone(st.context.timezone)
    return f"{datetime.fromtimestamp(at, zone or UTC):%Y-%m-%d %H:%M}{'' if zone else ' UTC'}"


def format_when(at: float, now: float) -> str:
    """Format a time of the past: up to a day ago as its age, from then on as `format_moment`."""
    age = now - at
    if age >= _DAY_S:
        return format_moment(at)
    return _("{time} ago").format(time=format_ago(age))


def format_time_of_day(at: float) -> str:
    """Format the time of day, in the same zone as `format_moment`."""
    zone = _find_zone(st.context.timezone)
    return f"{datetime.fromtimestamp(at, zone or UTC):%H:%M:%S}{'' if zone else ' UTC'}"


def _find_zone(name: str | None) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError):
        return None


def format_library(name: str, count: int | None = None) -> str:
    """Return the label of a library for a select box, as plain text. count: of its documents."""
    title = clean_for_choice(name.removeprefix(SHARED_PREFIX), 80)
    parts = [{OWN: _("Your library"), SAMPLE_LIBRARY: _("Sample library")}.get(name, title)]
    if name.startswith(SHARED_PREFIX):
        parts.append(_("shared by another user"))
    if count is not None:
        parts.append(
            ngettext("{count:,} document", "{count:,} documents", count).format(count=count)
        )
    return " · ".join(parts)


#: What an answer without a language model is.
OFFLINE_NOTE = N_("Quotes its sources word for word. Needs no key and no network. Free.")


def label_model(model: str) -> str:
    """Return a model's name in a list of models to choose from."""
    return _("No language model") if model == OFFLINE_MODEL else clean_for_choice(model, 80)


def describe_session_places(info: SessionInfo) -> str:
    """Return where a session searches; a client that leads one asks tools of its own choice."""
    if info.row.until is not None:
        return _("led by an MCP client")
    return describe_search_places(info.row.settings)


def describe_search_places(settings: Mapping[str, Any]) -> str:
    """Return where a session searches, from its settings."""
    engines = settings["engines"]
    places = [format_engine_name(engine) for engine in engines if engine != "library"]
    if "library" in engines:
        name = settings["library"].removeprefix(SHARED_PREFIX)
        places.append(_("library “{name}”").format(name=name))
    return join_list(places)
