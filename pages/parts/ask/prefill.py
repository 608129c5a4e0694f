"""Fill the Ask form from the address, so that a question can be linked; never start a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from parts.ask.run_form import CAPS, LENGTHS, STRATEGIES, THRESHOLDS, WEIGHTS
from parts.shared.search_places import PLACE_LABELS
from research_core.i18n import _, join_list
from research_core.modes import EXHAUSTIVE, MAX_SOURCES, MIN_SOURCES, MODES
from research_core.sessions import run_defaults
from research_core.text.words import clean_for_screen
from research_core.wiring import default_resources


def _parse_choice(names: Any) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in names:
            raise ValueError(text)
        return text

    return read


def _parse_number_between(
    kind: Callable[[str], Any], least: float, most: float
) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        value = kind(text)
        if not least <= value <= most:
            raise ValueError(text)
        return value

    return read


def _parse_flag(text: str) -> bool:
    return {"1": True, "0": False}[_parse_choice(("0", "1"))(text)]


def _parse_share(text: str) -> float:
    return round(float(_parse_number_between(float, 0.0, 1.0)(text)), 2)


def _parse_model(text: str) -> str:
    return _parse_choice(run_defaults.list_models(default_resources()))(text)


def _parse_tools(text: str) -> list[str]:
    """Return the named tools that a run may use here; warn about the others."""
    names = [name.strip() for name in text.split(",")]
    asked = list(dict.fromkeys(filter(None, names)))
    offered = [row.name for row in run_defaults.list_offered_tools(default_resources())]
    missing = [name for name in asked if name not in offered]
    if missing:
        named = [f"“{clean_for_screen(name, 60)}”" for name in missing[:MAX_REFUSED_NAMES]]
        if len(missing) > MAX_REFUSED_NAMES:
            named.append("…")
        st.warning(
            _("The link names unknown tools, which are left out: {names}.").format(
                names=join_list(named)
            )
        )
    return [name for name in asked if name in offered]


MAX_REFUSED_NAMES = 5
MAX_LIMIT = 1e9  # of any limit; finite, and exact in a browser
#: Parameter in the address: (key of the widget, parser of the text).
FIELDS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "q": ("question", str),
    "mode": ("mode", _parse_choice(MODES)),
    "sources": ("sources", _parse_number_between(int, MIN_SOURCES, MAX_SOURCES)),
    "length": ("length", _parse_choice(LENGTHS)),
    "where": ("where", _parse_choice(PLACE_LABELS)),
    "library": ("library", str),
    "strategy": ("strategy", _parse_choice(STRATEGIES)),
    "minimum": ("minimum", _parse_share),
    "also": ("instructions", str),
    "model": ("model", _parse_model),
    "tools": ("tools", _parse_tools),
    "plan": ("review_plan", _parse_flag),
    **{name: (name, _parse_share) for name in WEIGHTS},
    **{
        name: (name, _parse_number_between(int, 1, most))
        for name, (_, most, _) in THRESHOLDS.items()
    },
    **{
        f"cap_{name}": (f"cap_{name}", _parse_number_between(type(least), least, MAX_LIMIT))
        for name, (_, least, *_) in CAPS.items()
    },
}
MAX_LINK_LENGTH = 4000


def fill_from_address() -> None:
    """Fill the form from the address, once for each visit or new address."""
    asked = {
        name: st.query_params[name][:MAX_LINK_LENGTH] for name in FIELDS if name in st.query_params
    }
    # The address stays while the user changes the form; filled in again, it would undo that.
    if asked == st.session_state.get("prefilled"):
        return
    st.session_state["prefilled"] = asked
    for name, text in asked.items():
        key, read = FIELDS[name]
        try:
            st.session_state[key] = read(text)
        except ValueError:
            st.warning(
                _("The link's value for {name} is invalid: “{value}”. The default is used.").format(
                    name=name, value=clean_for_screen(text, 60)
                )
            )


def mark_question_started() -> None:
    """Have the next visit of the form begin without the question that was just started."""
    st.session_state["question_started"] = True


def clear_started_question() -> None:
    """Empty the question of a run that was started; an address may name it again."""
    if st.session_state.pop("question_started", False):
        st.session_state["question"] = ""
        st.session_state.pop("prefilled", None)


def build_link(chosen: Mapping[str, Any]) -> str:
    """Return the query string that fills the form as it is now."""
    query = {}
    for name, (key, _parse) in FIELDS.items():
        value = chosen.get(key)
        if name == "sources" and chosen.get("mode") != EXHAUSTIVE:
            continue  # the other modes have their own number
        if value not in (None, "", []) and value is not False:
            query[name] = _format_value(value)
    return "?" + urlencode(query)


def _format_value(value: Any) -> str:
    if value is True:
        return "1"
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, list):
        return ",".join(value)
    return str(value)
