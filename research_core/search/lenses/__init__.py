"""Lenses: named lists of places on the web that limit a search to one subject.

Each is a JSON file, beside this module or in the owner's folder (CUSTOM_LENSES_PATH). This module
reads the files and compares addresses; the search modules decide how an engine is asked.
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
    """A named list of places; at least one of domains, cx and goggle is set.

    domains: host or host/path without scheme, in file order; cx: the id of a Google engine for
    these places; goggle: the URL of a ranking for Brave.
    """

    name: str
    description: str
    domains: tuple[str, ...] = ()
    cx: str = ""
    goggle: str = ""


def load_lenses(settings: Settings) -> Mapping[str, Lens]:
    """Return every lens by name, sorted.

    The owner's lenses override ours, and a later file overrides an earlier one. Raises
    SettingsError that names the invalid file or unreadable folder.
    """
    return dict(sorted((read_shipped_lenses() | read_custom_lenses(settings.lenses_path)).items()))


@cache
def read_shipped_lenses() -> dict[str, Lens]:
    return {lens.name: lens for lens in map(read_lens, sorted(LENS_FOLDER.glob("*.json")))}


def read_custom_lenses(folder: str) -> dict[str, Lens]:
    """Read the lenses of the owner's folder; {} if none is set.

    Raises SettingsError.
    """
    if not folder:
        return {}
    try:
        entries = sorted(Path(folder).expanduser().iterdir())
    except OSError as error:
        sentence = f"{LENSES}: the folder {folder} cannot be read ({error.strerror})."
        raise SettingsError(
            sentence, next_step="Name a folder with lenses as JSON files, or leave it empty."
        ) from error
    lenses = [read_lens(entry) for entry in entries if entry.suffix == ".json"]
    return {lens.name: lens for lens in lenses}


def get_lens(name: str, settings: Settings) -> Lens:
    """Return the lens of that name.

    Raises UsageError that lists the known lenses, SettingsError as `load_lenses` does.
    """
    lenses = load_lenses(settings)
    if name not in lenses:
        raise UsageError(f"Unknown lens {name!r}.", next_step=f"Choose among: {', '.join(lenses)}.")
    return lenses[name]


def list_lenses(settings: Settings) -> list[Json]:
    """Return [{"name", "description", "domainCount", "hasCx"}] of every lens.

    hasCx: whether the lens has its own engine at Google.
    """
    listed: list[Json] = []
    for lens in load_lenses(settings).values():
        listed.append(
            {
                "name": lens.name,
                "description": lens.description,
                "domainCount": len(lens.domains),
                "hasCx": bool(lens.cx),
            }
        )
    return listed


# ---------------------------------------------------------------- places


def parse_place(text: str) -> str:
    """Normalize a host or host/path, with or without a scheme.

    Raises ValueError with the reason.
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
    """Return True if the URL is at one of these places, by whole labels and path segments."""
    if is_own_document(url):
        return False
    try:
        name, path = find_host(url), f"{urlsplit(canonical_url(url)).path}/"
    except ValueError:
        return False
    for place in places:
        domain, _, steps = place.partition("/")
        folder = f"/{steps}/" if steps else "/"
        if is_under_domain(name, domain) and path.startswith(folder):
            return True
    return False


# ---------------------------------------------------------------- files


def read_lens(file: Path) -> Lens:
    """Read a lens file. Raises SettingsError that names the file and its fault."""
    return read_owner_file(
        file,
        parse_lens,
        LENSES,
        what="lens",
        otherwise=f"take it out of the folder that {LENSES} names",
    )


def parse_lens(told: Any) -> Lens:
    """Validate the contents of a lens file. Raises ValueError with the first fault."""
    if not isinstance(told, dict):
        raise ValueError("it is no object")
    unknown = sorted(set(told) - FIELDS)
    if unknown:
        raise ValueError(f"{unknown[0]!r} is no field of a lens")
    name = _read_text(told, "name")
    description = _read_text(told, "description")
    cx = _read_text(told, "cx")
    goggle = _read_text(told, "goggle")
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
