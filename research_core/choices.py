"""Where a run searches when the analyst says little: the web if it answers, their own library if they have one, else the sample.

Decides before a run; what it chose is part of the session's settings, so a replay chooses nothing. It also says what there is to
choose from on this machine.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass
from pathlib import Path

from research_core import llm, providers
from research_core.errors import UsageError
from research_core.models import Principal
from research_core.policy import CredibilityPolicy, RunSettings
from research_core.wiring import LIBRARY, LOCAL, SAMPLE, Office

OWN = "my"
PROBE = "duckduckgo.com"
PROBE_S = 2.0


@dataclass(frozen=True)
class Choice:
    """Engines in order, and which library the engine "library" searches."""

    engines: tuple[str, ...]
    library: str


@dataclass(frozen=True)
class Places:
    """What can be searched from here. web: engines by name, none when the web does not answer; offline: engines that would be asked if it

    did; libraries: (name, number of documents) of each the analyst made, their own (`OWN`) first.
    """

    web: tuple[str, ...]
    offline: tuple[str, ...]
    libraries: tuple[tuple[str, int], ...]


def places(office: Office, *, who: Principal = LOCAL) -> Places:
    """Look round; this takes up to PROBE_S where the network does not answer. Raises SettingsError for an engine nobody knows."""
    names = tuple(row.name for row in providers.available(office.settings))
    online = bool(names) and (bool(office.settings.searxng_url) or reachable(PROBE))
    held = {row["name"]: row["documents"] for row in office.library(who).names() if row["name"] != SAMPLE and row["documents"]}
    return Places(
        web=names if online else (),
        offline=() if online else names,
        libraries=tuple(sorted(held.items(), key=lambda item: (item[0] != OWN, item[0]))),
    )


def models(office: Office) -> tuple[str, ...]:
    """The models this machine has, the one that is used by itself first; each by its own name. Raises SettingsError."""
    first = llm.choose(office.settings).name
    return tuple(dict.fromkeys((first, llm.choose(office.settings, "offline").name)))


def run_settings(
    office: Office,
    *,
    mode: str,
    library: str | None,
    web: bool,
    model: str,
    minimum: float,
    say: Callable[[str], None],
    who: Principal = LOCAL,
) -> RunSettings:
    """What a session runs under, from what was chosen on a screen. Raises UsageError for a number or a library that cannot be used."""
    choice = choose_engines(office, library=library, web=web, say=say, who=who)
    return RunSettings(
        mode=mode, engines=choice.engines, library=choice.library, model=model, credibility=CredibilityPolicy(minimum=minimum)
    )  # fmt: skip


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
