"""Where to search, as a part of the Ask screen: the web with a tick for each engine and its health,
a library, or both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from parts.shared import current_user, health
from research_core.models import Principal
from research_core.policy import SAMPLE
from research_core.sessions import history, run_defaults
from research_core.sessions.history import NEVER, Health
from research_core.sessions.run_defaults import OWN, Places
from research_core.text.words import plain
from research_core.wiring import default_office

WHERE = {"web": "The web", "library": "A library", "both": "Both"}


class Place(NamedTuple):
    """Where a run is to search. engines: of the web, by name; library: a name, or none."""

    engines: tuple[str, ...]
    library: str | None


@st.cache_data(ttl=60, show_spinner="Looking what can be searched from here …")
def web_answers() -> bool:
    """Whether there is a web, asked once a minute: a network that does not answer takes two seconds
    to say so.
    """
    return run_defaults.reachable()


@st.cache_data(ttl=30, max_entries=50, show_spinner=False)
def lately(who: Principal) -> dict[str, Health]:
    """How each engine has answered, read from the sessions twice a minute."""
    return history.health(default_office(), who=who)


def draw(look: Callable[[], bool] = web_answers) -> Place:
    """The choice of a place; what is chosen. look: whether the web answers."""
    places = run_defaults.places(default_office(), who=current_user.who(), look=look)
    where = _where(places)
    library = _library(places) if where != "web" else None
    engines = _engines(places) if where != "library" else ()
    if places.offline or not places.web:
        _offline(places)
    return Place(engines, library)


def _offline(places: Places) -> None:
    """Why engines are missing, and the way to look again."""
    near = ", ".join(map(health.name, places.web))
    offered = f"Only {near} is offered: the web" if near else "The web is not offered: it"
    st.caption(f"{offered} does not answer from this machine.")
    st.button(
        "Look again",
        key="look_again",
        type="tertiary",
        icon=":material/refresh:",
        on_click=web_answers.clear,
    )


def _where(places: Places) -> str:
    """The web first where it answers; their own library is searched with it where they have one."""
    if not places.web:
        return "library"
    if st.session_state.get("where") not in WHERE:
        st.session_state["where"] = "both" if dict(places.libraries).get(OWN) else "web"
    st.segmented_control(
        "Where to search",
        list(WHERE),
        key="where",
        format_func=WHERE.__getitem__,
        required=True,
        width="stretch",
        persist_state="session",
    )
    return str(st.session_state["where"])


def _library(places: Places) -> str:
    held = dict(places.libraries)
    names = [*held, SAMPLE]
    if st.session_state.get("library") not in names:
        st.session_state["library"] = names[0]
    labels = {name: _label(name, held.get(name)) for name in names}
    chosen = st.selectbox(
        "Library" if places.web else "Where to search",
        names,
        key="library",
        format_func=labels.__getitem__,
        persist_state="session",
    )
    if chosen == SAMPLE:
        st.caption(
            "Pages written for trying Assay out; its outlets are invented. The examples run on it."
        )
    return str(chosen)


def _label(name: str, count: int | None) -> str:
    if count is None:
        return "The sample library"
    label = "Your library" if name == OWN else plain(name, 80)
    return f"{label} · {count:,} document{'' if count == 1 else 's'}"


def _engines(places: Places) -> tuple[str, ...]:
    """A tick for each engine, folded; the fold says how many are asked."""
    for name in places.web:
        st.session_state.setdefault(_key(name), True)
    ticked = tuple(name for name in places.web if st.session_state[_key(name)])
    said = ", ".join(map(health.name, ticked)) or "none ticked"
    known, now = lately(current_user.who()), default_office().clock.now()
    with st.expander(f"Engines · {said}", key="engines", type="compact"):
        for name in places.web:
            st.checkbox(health.name(name), key=_key(name), persist_state="session")
            st.caption(plain(health.words(known.get(name, NEVER), now=now), 200))
    return ticked


def _key(engine: str) -> str:
    return f"engine_{engine}"
