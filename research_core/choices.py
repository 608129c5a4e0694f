"""Where a run searches when the analyst says little: the web if it answers, their own library if they have one, else the sample.

Decides before a run; what it chose is part of the session's settings, so a replay chooses nothing.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass
from pathlib import Path

from research_core import providers
from research_core.errors import UsageError
from research_core.models import Principal
from research_core.wiring import LIBRARY, LOCAL, SAMPLE, Office

OWN = "my"
PROBE = "duckduckgo.com"
PROBE_S = 2.0


@dataclass(frozen=True)
class Choice:
    """Engines in order, and which library the engine "library" searches."""

    engines: tuple[str, ...]
    library: str


def choose_engines(office: Office, *, library: str | None, web: bool, say: Callable[[str], None], who: Principal = LOCAL) -> Choice:
    """The engines for these wishes. library: a name, or a path that is added first. Raises UsageError for a library that is not there."""
    local = _library(office, library, say, who) if library else None
    own = local or (OWN if _has(office, OWN, who) else None)
    online = web and (bool(office.settings.searxng_url) or reachable(PROBE))
    if web and not online:
        say("No network here: searching local documents only.")
    if not online and own is None:
        say("Searching the sample library, written for trying Assay out. `assay library add FOLDER` adds documents of your own.")
    names = tuple(row.name for row in providers.available(office.settings)) if online else ()
    chosen = own or (None if online else SAMPLE)
    return Choice((*names, *((LIBRARY,) if chosen else ())), chosen or SAMPLE)


def _library(office: Office, name: str, say: Callable[[str], None], who: Principal) -> str:
    path = Path(name).expanduser()
    if path.exists():
        counts = office.library(who).add(path, str(path.resolve()), on_progress=lambda done, total, file: say(f"[{done}/{total}] {file}"))
        say(counts.sentence())
        return str(path.resolve())
    if name != SAMPLE and not _has(office, name, who):
        raise UsageError(
            f"There is no library and no folder called {name!r}.", next_step=f"`assay library add FOLDER --name {name}` makes it."
        )
    return name


def _has(office: Office, name: str, who: Principal) -> bool:
    return bool(office.library(who).documents(name))


def reachable(host: str, *, within_s: float = PROBE_S) -> bool:
    """Whether this machine can look a name up, asked once and not for longer than this."""
    pool = ThreadPoolExecutor(1, thread_name_prefix="assay-probe")
    try:
        pool.submit(socket.getaddrinfo, host, 443).result(within_s)
    except (OSError, Late):
        return False
    finally:
        pool.shutdown(wait=False)
    return True
