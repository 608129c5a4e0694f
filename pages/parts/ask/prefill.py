"""The Ask form filled from its address, so that a question can be linked and bookmarked; it is
never started from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from parts.ask.run_form import CAPS, STRATEGIES, THRESHOLDS, WEIGHTS
from parts.shared.search_places import WHERE
from research_core.modes import MODES
from research_core.sessions import run_defaults
from research_core.text.words import plain
from research_core.wiring import default_office


def _one_of(names: Any) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in names:
            raise ValueError(text)
        return text

    return read


def _between(kind: Callable[[str], Any], least: float, most: float) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        value = kind(text)
        if not least <= value <= most:
            raise ValueError(text)
        return value

    return read


def _share(text: str) -> float:
    return round(float(_between(float, 0.0, 1.0)(text)), 2)


def _model(text: str) -> str:
    return _one_of(run_defaults.models(default_office()))(text)


def _tools(text: str) -> list[str]:
    """Those of these names, with commas, that a run can be given here; which are left out is said."""
    asked = dict.fromkeys(name for each in text.split(",") if (name := each.strip()))
    offered = [row.name for row in run_defaults.offered_tools(default_office())]
    if missing := [name for name in asked if name not in offered]:
        said = ", ".join(f"“{plain(name, 60)}”" for name in missing[:MOST_NAMED]) + (
            " and others" if missing[MOST_NAMED:] else ""
        )
        st.warning(
            f"The address asks for tools that are not offered here: {said}. The form goes without"
            " them."
        )
    return [name for name in asked if name in offered]


MOST_NAMED = 5
MOST = 1e9  # of any limit; no infinity, and nothing that a browser counts wrongly
#: Name in the address: key of the widget, and how its text is read.
FIELDS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "q": ("question", str),
    "mode": ("mode", _one_of(MODES)),
    "where": ("where", _one_of(WHERE)),
    "library": ("library", str),
    "strategy": ("strategy", _one_of(STRATEGIES)),
    "minimum": ("minimum", _share),
    "also": ("instructions", str),
    "model": ("model", _model),
    "tools": ("tools", _tools),
    **{name: (name, _share) for name in WEIGHTS},
    **{name: (name, _between(int, 1, most)) for name, (_, most, _) in THRESHOLDS.items()},
    **{
        f"cap_{name}": (f"cap_{name}", _between(type(least), least, MOST))
        for name, (_, least, *_) in CAPS.items()
    },
}
LONGEST = 4000


def take() -> None:
    """Fill the form from the address once: what is changed afterwards stands, until another address
    comes, or the same one anew.
    """
    asked = {name: st.query_params[name][:LONGEST] for name in FIELDS if name in st.query_params}
    before, st.session_state["prefilled"] = st.session_state.get("prefilled"), asked
    if asked == before:
        return
    for name, text in asked.items():
        key, read = FIELDS[name]
        try:
            st.session_state[key] = read(text)
        except ValueError:
            st.warning(
                f"The address asks for {name} “{plain(text, 60)}”, which cannot be; the form has"
                " what is usual instead."
            )


def link(chosen: Mapping[str, Any]) -> str:
    """The end of an address that fills the form as it is now."""
    said = {
        name: chosen[key]
        for name, (key, _) in FIELDS.items()
        if chosen.get(key) not in (None, "", [])
    }
    return "?" + urlencode({name: _written(value) for name, value in said.items()})


def _written(value: Any) -> str:
    return (
        f"{value:.12g}"
        if isinstance(value, float)
        else ",".join(value)
        if isinstance(value, list)
        else str(value)
    )
