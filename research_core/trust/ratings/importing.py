"""Import a list of ratings from a file, an address or a preset.

The list is checked and stored. `lists` parses it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from research_core.errors import FetchError, UsageError
from research_core.journal.database import Database
from research_core.journal.deps import Deps
from research_core.models import Principal
from research_core.text.words import strip_invisible, truncate
from research_core.trust.ratings import store
from research_core.trust.ratings.grids import MAX_BYTES
from research_core.trust.ratings.lists import ParsedList, parse_list
from research_core.trust.ratings.presets import PRESETS, Preset
from research_core.trust.ratings.store import RatingList
from research_core.urls import is_web_address

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
TIMEOUT_S = 60.0


@dataclass(frozen=True)
class ImportRequest:
    """A list to import.

    `source`: a path, a web address, or the name of a preset. The rest is needed only where the list
    does not say it; `scale` is (low, high).
    """

    source: str
    name: str = ""
    host_column: str = ""
    value_column: str = ""
    scale: tuple[float, float] | None = None


def add_list(
    db: Database, who: Principal, deps: Deps, wanted: ImportRequest
) -> tuple[RatingList, ParsedList]:
    """Fetch a list and store it, replacing any of its name.

    Raises UsageError if it is no valid list, FetchError if it cannot be fetched.
    """
    published = wanted.source.strip().lower()
    preset = PRESETS.get(published)
    if preset:
        body = _fetch_list(deps, preset.url)
    elif is_web_address(wanted.source):
        body = _fetch_list(deps, wanted.source)
    else:
        body = _read_file(wanted.source)
    if preset:
        digest = hashlib.sha256(body).hexdigest()
        if digest != preset.sha256:
            raise UsageError(
                f"What is at the address of {published} is not the edition that was checked"
                f" (SHA-256 {digest[:12]}…, expected {preset.sha256[:12]}…). Nothing was imported.",
                next_step="Download the file, look at it, and add it as a file.",
            )
        wanted = replace(wanted, source=published)
    return store_list(db, who, wanted, body, deps.clock.now(), preset)


def store_list(
    db: Database,
    who: Principal,
    wanted: ImportRequest,
    body: bytes,
    at: float,
    preset: Preset | None = None,
) -> tuple[RatingList, ParsedList]:
    """Store a list given as bytes, replacing any of its name.

    Raises UsageError if it is no valid list.
    """
    digest = hashlib.sha256(body).hexdigest()
    name = clean_name(
        wanted.name or (wanted.source if preset else _name_from_source(wanted.source))
    )
    name = name if preset and name == wanted.source else _avoid_preset_name(name, wanted, digest)
    if wanted.scale and not wanted.scale[0] < wanted.scale[1]:
        raise UsageError(
            "The scale has no length.", next_step="Give the lowest rating first, then the highest."
        )
    columns = (
        wanted.host_column or (preset.host if preset else ""),
        wanted.value_column or (preset.value if preset else ""),
    )
    found = parse_list(body, host_column=columns[0], value_column=columns[1], scale=wanted.scale)
    title = preset.title if preset else name
    source = truncate(strip_invisible(preset.url if preset else wanted.source), 300)
    made = RatingList(name, title, source, digest, len(found.rows), at)
    store.replace_list(db, who, made, found.rows)
    return made, replace(found, guessed=found.guessed and not preset)


def clean_name(name: str) -> str:
    """Return the name in lower case.

    Raises UsageError if it is invalid.
    """
    plain = name.strip().lower()
    if not _NAME.fullmatch(plain):
        raise UsageError(
            f"{name[:60]!r} is no name for a list.",
            next_step="Use up to 40 letters, digits, dots and hyphens.",
        )
    return plain


def _avoid_preset_name(name: str, wanted: ImportRequest, digest: str) -> str:
    """Return the name, changed if it is a preset's and this is not its edition.

    Raises UsageError if that name was asked for.
    """
    if name not in PRESETS or PRESETS[name].sha256 == digest:
        return name
    if wanted.name:
        raise UsageError(
            f"{name} is the name of a published list, and this is not its edition.",
            next_step="Give it another with --name.",
        )
    return f"{name}-own"


def _name_from_source(source: str) -> str:
    """Return a name made of the last part of a path or an address."""
    last = (
        (urlsplit(source).path if is_web_address(source) else source).rstrip("/").rpartition("/")[2]
    )
    return re.sub(r"[^a-z0-9._-]+", "-", last.lower().rsplit(".", 1)[0]).strip("-._")[:40] or "list"


def _fetch_list(deps: Deps, url: str) -> bytes:
    """Return the bytes at an address.

    Raises FetchError if the status is not 200.
    """
    reply = deps.http.send("GET", url, timeout_s=TIMEOUT_S, max_bytes=MAX_BYTES, keep=True)
    if reply.status != 200:
        raise FetchError(
            f"{url} answered {reply.status}.",
            kind="unavailable",
            next_step="Download the file and add it as a file.",
        )
    return reply.body


def _read_file(path: str) -> bytes:
    """Return the bytes of a file.

    Raises UsageError if it is too large or cannot be read.
    """
    try:
        file = Path(path).expanduser()
        if file.stat().st_size > MAX_BYTES:
            raise UsageError(
                f"{path} is larger than {MAX_BYTES:,} bytes.",
                next_step="Leave out columns that are not needed.",
            )
        return file.read_bytes()
    except (OSError, ValueError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        known = ", ".join(PRESETS)
        raise UsageError(
            f"{path} cannot be read: {why}.",
            next_step=f"Give a file, an address, or one of: {known}.",
        ) from error
