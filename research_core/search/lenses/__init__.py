"""Lenses: named choices of places on the web, so that a search can be held to those of one subject.

Each is a JSON file: those beside this module, and those of the owner's folder (CUSTOM_LENSES_PATH).
It reads files and compares addresses; how an engine is asked about a lens is the search's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from research_core.errors import SettingsError, UsageError
from research_core.model_messages import Json
from research_core.settings import Settings, read_owner_file
from research_core.urls import canonical_url, find_host, is_own_document, is_under_domain

LENS_FOLDER = Path(__file__).parent
LENSES = "CUSTOM_LENSES_PATH"
FIELDS = frozenset({"name", "description", "domains", "cx", "goggle"})
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_ENGINE_ID = re.compile(r"[A-Za-z0-9:_-]{1,100}")


@dataclass(frozen=True)
class Lens:
    """At least one of the last three is set. domains: each a host or host/path, without scheme, in
    the order of the file.

    cx: the id of an engine at Google that searches these places; goggle: the address of a ranking
    for Brave.
    """

    name: str
    description: str
    domains: tuple[str, ...] = ()
    cx: str = ""
    goggle: str = ""


def all_lenses(settings: Settings) -> Mapping[str, Lens]:
    """Every lens by its name, in the order of the names; the owner's stand before ours, a later
    file before an earlier one.

    Raises SettingsError that names the file which is no lens, or the folder that cannot be read.
    """
    return dict(sorted((read_shipped_lenses() | read_custom_lenses(settings.lenses_path)).items()))


@cache
def read_shipped_lenses() -> dict[str, Lens]:
    return {lens.name: lens for lens in map(read_lens, sorted(LENS_FOLDER.glob("*.json")))}


def read_custom_lenses(folder: str) -> dict[str, Lens]:
    """The lenses of the owner's folder, read anew each time; none where none is named. Raises
    SettingsError.
    """
    if not folder:
        return {}
    try:
        files = sorted(
            each for each in Path(folder).expanduser().iterdir() if each.suffix == ".json"
        )
    except OSError as error:
        sentence = f"{LENSES}: the folder {folder} cannot be read ({error.strerror})."
        raise SettingsError(
            sentence, next_step="Name a folder with lenses as JSON files, or leave it empty."
        ) from error
    return {lens.name: lens for lens in map(read_lens, files)}


def get_lens(name: str, settings: Settings) -> Lens:
    """The lens of that name. Raises UsageError that lists those there are, SettingsError as `all_lenses`
    does.
    """
    lenses = all_lenses(settings)
    if name not in lenses:
        raise UsageError(f"Unknown lens {name!r}.", next_step=f"Choose among: {', '.join(lenses)}.")
    return lenses[name]


def list_lenses(settings: Settings) -> list[Json]:
    """[{"name", "description", "domainCount", "hasCx"}] of every lens. hasCx: whether it has an
    engine of its own at Google.
    """
    return [
        {
            "name": lens.name,
            "description": lens.description,
            "domainCount": len(lens.domains),
            "hasCx": bool(lens.cx),
        }
        for lens in all_lenses(settings).values()
    ]


# ---------------------------------------------------------------- places


def parse_place(text: str) -> str:
    """The one spelling of a host or host/path, whether it was written with a scheme or not. Raises
    ValueError with the reason.
    """
    bare = (
        text.strip()
        .removeprefix("https://")
        .removeprefix("http://")
        .removeprefix("*")
        .removeprefix(".")
    )
    parts = urlsplit(canonical_url(f"https://{bare}"))
    if parts.query or parts.netloc != find_host(f"https://{bare}") or "@" in bare or "#" in bare:
        raise ValueError("a place is a host or a host with a path, and nothing else")
    return parts.netloc + parts.path.rstrip("/")


def is_within(url: str, places: Iterable[str]) -> bool:
    """Whether an address is at one of these places, by whole labels of its host and whole steps of
    its path.
    """
    if is_own_document(url):
        return False
    try:
        name, path = find_host(url), f"{urlsplit(canonical_url(url)).path}/"
    except ValueError:
        return False
    split = (each.partition("/") for each in places)
    return any(
        is_under_domain(name, at) and path.startswith(f"/{steps}/" if steps else "/")
        for at, _, steps in split
    )


# ---------------------------------------------------------------- files


def read_lens(file: Path) -> Lens:
    """The lens of a file. Raises SettingsError that names the file and what is wrong with it."""
    return read_owner_file(
        file,
        parse_lens,
        LENSES,
        what="lens",
        otherwise=f"take it out of the folder that {LENSES} names",
    )


def parse_lens(told: Any) -> Lens:
    """What a file says, checked. Raises ValueError with the first thing that is wrong."""
    if not isinstance(told, dict):
        raise ValueError("it is no object")
    if unheard := sorted(set(told) - FIELDS):
        raise ValueError(f"{unheard[0]!r} is no field of a lens")
    name, description, cx, goggle = (
        _read_text(told, field) for field in ("name", "description", "cx", "goggle")
    )
    if not _NAME.fullmatch(name):
        raise ValueError("its name has to be of lower-case letters, digits, - and _")
    if not description:
        raise ValueError("it has no description")
    domains = told.get("domains") or []
    if not isinstance(domains, list) or not all(isinstance(each, str) for each in domains):
        raise ValueError("its domains are no list of texts")
    if cx and not _ENGINE_ID.fullmatch(cx):
        raise ValueError(f"its cx {cx!r} is no id of an engine at Google")
    if goggle and not goggle.startswith("https://"):
        raise ValueError(f"its goggle {goggle!r} is no https address")
    if not (domains or cx or goggle):
        raise ValueError("it has neither domains nor a cx nor a goggle")
    return Lens(
        name,
        description,
        tuple(dict.fromkeys(_parse_domain(each) for each in domains)),
        cx,
        canonical_url(goggle) if goggle else "",
    )


def _read_text(told: Mapping[str, Any], field: str) -> str:
    value = told.get(field, "")
    if not isinstance(value, str):
        raise ValueError(f"its {field} is no text")
    return value.strip()


def _parse_domain(text: str) -> str:
    if "://" in text:
        raise ValueError(f"the domain {text!r} has a scheme; it has to be a host or host/path")
    try:
        return parse_place(text)
    except ValueError as error:
        raise ValueError(f"the domain {text!r} cannot be used: {error}") from error
