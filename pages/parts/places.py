"""Where a question can be searched from this machine, as the choices of the Ask screen."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from research_core import choices
from research_core.choices import OWN, Places
from research_core.text import plain
from research_core.wiring import default_office

SAMPLE = "sample"


class Place(NamedTuple):
    """One choice. library, web: as `choices.choose_engines` takes them."""

    label: str
    about: str
    library: str | None
    web: bool


@st.cache_data(ttl=60, show_spinner="Looking what can be searched from here …")
def look() -> Places:
    """What can be searched, asked once a minute: a network that does not answer takes two seconds to say so."""
    return choices.places(default_office())


def offered(places: Places) -> dict[str, Place]:
    """The choices by name, the one an analyst would most likely want first; the sample library is always there."""
    own = dict(places.libraries).get(OWN, 0)
    web = {"web": Place("The web", _web(places.web, own), None, True)} if places.web else {}
    local = {f"library {name}": _library(name, count) for name, count in places.libraries}
    sample = {SAMPLE: Place("The sample library", "Pages written for trying Assay out; the examples below run on it.", SAMPLE, False)}
    return web | local | sample


def _web(engines: tuple[str, ...], own: int) -> str:
    asked = ", ".join(name.removeprefix("ddgs:") for name in engines)
    return f"Asks {asked}{f', and your own library ({_documents(own)})' if own else ''}."


def _library(name: str, count: int) -> Place:
    label = "Your library" if name == OWN else f"The library “{plain(name, 80)}”"
    return Place(label, f"{_documents(count)}; no search leaves this machine.", name, False)


def _documents(count: int) -> str:
    return f"{count:,} document{'' if count == 1 else 's'}"
