"""Choose where to search: the web with its engines, a library, or both."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from parts.shared import current_user, health
from parts.shared.wording import format_library
from research_core.i18n import N_, _, join_list
from research_core.models import Principal
from research_core.policy import SAMPLE_LIBRARY
from research_core.sessions import engine_health, run_defaults
from research_core.sessions.engine_health import NEVER_ASKED, Health
from research_core.sessions.run_defaults import OWN, Places
from research_core.text.words import clean_for_screen
from research_core.wiring import default_resources

#: Width in pixels of the choice of a library, for a name and its number of documents.
LIBRARY_WIDTH = 220
PLACE_LABELS = {"web": N_("Web"), "library": N_("Library"), "both": N_("Both")}


class SearchPlaces(NamedTuple):
    """Where a run searches. engines: names of web engines; library: a name or ""."""

    engines: tuple[str, ...]
    library: str | None


@st.cache_data(ttl=60, show_spinner=False)
def is_web_reachable() -> bool:
    """Return True if the web is reachable; checked once a minute, since it can take two seconds."""
    return run_defaults.is_reachable()


def list_unreachable_engines() -> tuple[str, ...]:
    """Return the web engines that no run can ask now, because this machine is offline."""
    return run_defaults.find_places(
        default_resources(), who=current_user.current_principal(), look=is_web_reachable
    ).offline


@st.cache_data(ttl=30, max_entries=50, show_spinner=False)
def read_engine_health(who: Principal) -> dict[str, Health]:
    """Return each engine's health, read from the sessions twice a minute."""
    return engine_health.read_engine_health(default_resources(), who=who)


def draw_places(
    look: Callable[[], bool] = is_web_reachable,
    *,
    notes: DeltaGenerator | None = None,
    engines: DeltaGenerator | None = None,
) -> SearchPlaces:
    """Draw the choice of places and return it.

    look: tells if the web is reachable; notes, engines: containers for what is said of the choice,
    and for the choice of engines, by default here.
    """
    places = run_defaults.find_places(
        default_resources(), who=current_user.current_principal(), look=look
    )
    where = _draw_where(places)
    library = _draw_library(places) if where != "web" else None
    ticked: tuple[str, ...] = ()
    if where != "library":
        with engines or st.container():
            ticked = _draw_engines(places)
    with notes or st.container():
        if library == SAMPLE_LIBRARY:
            st.caption(_("Sample pages in English for trying Assay. Their outlets are invented."))
            _draw_subjects()
        if places.offline or not places.web:
            _draw_offline(places)
    return SearchPlaces(ticked, library)


@st.cache_data(ttl=60, show_spinner=False)
def _list_sample_subjects() -> list[str]:
    """Return the subjects of the sample library, which all users share; [] until it is prepared."""
    library = default_resources().library(current_user.current_principal())
    return library.list_subjects(SAMPLE_LIBRARY)


def _draw_subjects() -> None:
    """Say what the sample library holds."""
    subjects = _list_sample_subjects()
    if subjects:
        st.caption(_("Its subjects: {subjects}.").format(subjects=join_list(subjects)))


def _draw_offline(places: Places) -> None:
    """Say why engines are missing, and offer to check again."""
    near = join_list(list(map(health.format_engine_label, places.web)))
    reason = _("Web search is unavailable: no internet connection.")
    if near:
        reason = _("{reason} Only {engines} can be used.").format(reason=reason, engines=near)
    _draw_offline_note(reason)


def warn_if_offline(reason: str) -> None:
    """Without an internet connection, say what cannot be done, and offer to check again."""
    if not is_web_reachable():
        _draw_offline_note(reason)


def _draw_offline_note(reason: str) -> None:
    with st.container(
        horizontal=True, vertical_alignment="center", key="offline_note", gap="small"
    ):
        st.caption(reason, width="content")
        st.button(
            _("Retry"),
            key="look_again",
            type="tertiary",
            icon=":material/refresh:",
            on_click=is_web_reachable.clear,
        )


def _draw_where(places: Places) -> str:
    """Draw the choice of places: the web first if it is reachable, with the user's library."""
    if not places.web:
        return "library"
    if st.session_state.get("where") not in PLACE_LABELS:
        st.session_state["where"] = "both" if dict(places.libraries).get(OWN) else "web"
    st.segmented_control(
        _("Where to search"),
        list(PLACE_LABELS),
        key="where",
        format_func=_describe_place,
        required=True,
        persist_state="session",
    )
    return str(st.session_state["where"])


def _describe_place(name: str) -> str:
    return _(PLACE_LABELS[name])


def _draw_library(places: Places) -> str:
    documents = dict(places.libraries)
    names = [*documents, SAMPLE_LIBRARY]
    if st.session_state.get("library") not in names:
        st.session_state["library"] = names[0]
    labels = {name: format_library(name, documents.get(name)) for name in names}
    chosen = st.selectbox(
        _("Library") if places.web else _("Where to search"),
        names,
        key="library",
        format_func=labels.__getitem__,
        persist_state="session",
        width=LIBRARY_WIDTH,
    )
    return str(chosen)


def _draw_engines(places: Places) -> tuple[str, ...]:
    """Draw a checkbox for each engine, folded under the number of selected ones."""
    for name in places.web:
        st.session_state.setdefault(_engine_key(name), True)
    ticked = tuple(name for name in places.web if st.session_state[_engine_key(name)])
    names = join_list(list(map(health.format_engine_label, ticked))) or _("none selected")
    known = read_engine_health(current_user.current_principal())
    now = default_resources().clock.now()
    with st.expander(_("Engines · {names}").format(names=names), key="engines", type="compact"):
        for name in places.web:
            st.checkbox(
                health.format_engine_label(name), key=_engine_key(name), persist_state="session"
            )
            st.caption(
                clean_for_screen(health.format_health(known.get(name, NEVER_ASKED), now=now), 200)
            )
    return ticked


def _engine_key(engine: str) -> str:
    return f"engine_{engine}"
