"""Where a run searches when the analyst says little: the web if it answers, their own library if
they have one, else the sample.

Decides before a run; what it chose is part of the session's settings, so a replay chooses nothing.
It also says what there is to choose from on this machine.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from research_core import llm
from research_core.errors import UsageError
from research_core.models import Principal
from research_core.modes import ResearchMode
from research_core.policy import LIBRARY, OFFLINE, SAMPLE, Caps, CredibilityPolicy, RunSettings
from research_core.search import providers
from research_core.text.question import checked_instruction, leaves_out
from research_core.text.words import visible
from research_core.tools import OFFERED, chosen, offered
from research_core.tools.registry import Tool
from research_core.wiring import LOCAL, Office

OWN = "my"
PROBE = "duckduckgo.com"
PROBE_S = 2.0
#: The one web engine that may stand in a network of its own.
SEARXNG = "searxng"
Look = Callable[[], bool]


@dataclass(frozen=True)
class Choice:
    """Engines in order, and which library the engine "library" searches."""

    engines: tuple[str, ...]
    library: str


@dataclass(frozen=True)
class Places:
    """What can be searched from here. web: engines by name, at most SearXNG when the web does not
    answer; offline: engines that would be

    asked if it did; libraries: (name, number of documents) of each the analyst made, their own
    (`OWN`) first.
    """

    web: tuple[str, ...]
    offline: tuple[str, ...]
    libraries: tuple[tuple[str, int], ...]


def reachable(
    *, within_s: float = PROBE_S, resolve: Callable[[str, int], object] = socket.getaddrinfo
) -> bool:
    """Whether this machine can look a name up, asked once and not for longer than this. An answer
    that hangs keeps no process alive.
    """
    answered = threading.Event()

    def ask() -> None:
        try:
            resolve(PROBE, 443)
        except OSError:
            return
        answered.set()

    asking = threading.Thread(target=ask, name="assay-probe", daemon=True)
    asking.start()
    asking.join(within_s)
    return answered.is_set()


def places(office: Office, *, who: Principal = LOCAL, look: Look = reachable) -> Places:
    """Look round; this takes up to PROBE_S where the network does not answer. Raises SettingsError
    for an engine nobody knows.
    """
    web = _answering(office, look)
    held = {
        row["name"]: row["documents"]
        for row in office.library(who).names()
        if row["name"] != SAMPLE and row["documents"]
    }
    return Places(
        web=web,
        offline=tuple(name for name in _web_engines(office) if name not in web),
        libraries=tuple(sorted(held.items(), key=lambda item: (item[0] != OWN, item[0]))),
    )


def _web_engines(office: Office) -> tuple[str, ...]:
    return tuple(row.name for row in providers.available(office.settings))


def _answering(office: Office, look: Look) -> tuple[str, ...]:
    """The web engines there is a way to: all where the web answers, else SearXNG, whose server may
    stand in a network of its own.
    """
    names = _web_engines(office)
    near = tuple(name for name in names if name == SEARXNG)
    return names if names != near and look() else near


def models(office: Office) -> tuple[str, ...]:
    """The models this machine has, the one that is used by itself first; each by its own name.
    Raises SettingsError.
    """
    first = llm.choose(office.settings).name
    return tuple(dict.fromkeys((first, llm.choose(office.settings, "offline").name)))


def priced(office: Office, model: str) -> bool:
    """Whether the price of all that may answer as this model is known, so that a cap on cost counts
    every call.
    """
    return llm.priced(office.settings, model)


def can_call_tools(model: str) -> bool:
    """Whether a model can drive the research itself, as the agentic strategy asks."""
    return model != OFFLINE


def offered_tools(office: Office) -> tuple[Tool, ...]:
    """What this machine could let a run's model call beside the usual tools."""
    return tuple(row for row in offered(office.settings) if not row.keeps)


def checked_tools(office: Office, names: Sequence[str], strategy: str) -> tuple[str, ...]:
    """The tools a run's model may call beside the usual ones. Raises UsageError for one that is not
    there or that nobody could serve.
    """
    if names and strategy != "agentic":
        raise UsageError(
            "Only a model that drives can call tools.",
            next_step="Choose the agentic strategy, or no tools.",
        )
    served = (*OFFERED, *offered_tools(office))
    for row in chosen(names):
        if row not in served:
            raise UsageError(
                f"{row.name} cannot be served here.",
                next_step="`assay tools list` says what it needs.",
            )
    return tuple(dict.fromkeys(names))


def run_settings(
    office: Office,
    *,
    mode: str,
    engines: Sequence[str] = (),
    library: str | None,
    model: str,
    strategy: str = "planned",
    credibility: CredibilityPolicy = CredibilityPolicy(),
    relevance_cutoff: int | None = None,
    min_full: int | None = None,
    min_short: int | None = None,
    caps: Caps = Caps(),
    instructions: str = "",
    tools: Sequence[str] = (),
    who: Principal = LOCAL,
    look: Look = reachable,
) -> RunSettings:
    """What a session runs under, from what was chosen on a screen. It never searches elsewhere than
    was chosen.

    engines: of the web, by name; library: a name; instructions: one a line; tools: by name. Raises
    UsageError for what cannot be used.
    """
    ResearchMode.named(
        mode, relevance_cutoff=relevance_cutoff, min_full=min_full, min_short=min_short
    )
    if strategy == "agentic" and not can_call_tools(model):
        raise UsageError(
            "The agentic strategy needs a language model.",
            next_step="Choose the planned strategy, or another model.",
        )
    return RunSettings(
        mode=mode,
        strategy=strategy,
        engines=_chosen_engines(office, engines, library, who, look),
        library=library or SAMPLE,
        model=model,
        relevance_cutoff=relevance_cutoff,
        min_full=min_full,
        min_short=min_short,
        credibility=credibility,
        caps=caps,
        instructions=instructions_in(instructions),
        tools=checked_tools(office, tools, strategy),
    )


def _chosen_engines(
    office: Office, engines: Sequence[str], library: str | None, who: Principal, look: Look
) -> tuple[str, ...]:
    """The engines of a run in their order, each of them there to be asked."""
    web = tuple(row.name for row in providers.named(engines, office.settings))
    if not web and library is None:
        raise UsageError(
            "Nothing is chosen that could be searched.",
            next_step="Tick a web engine, or choose a library.",
        )
    if any(name != SEARXNG for name in web) and not look():
        instead = "Ask SearXNG alone, search a library" if SEARXNG in web else "Search a library"
        raise UsageError(
            "The web does not answer from this machine.",
            next_step=f"{instead}, or look again when there is a network.",
        )
    if library not in (None, SAMPLE) and not _has(office, str(library), who):
        raise UsageError(
            f"There is nothing in a library called {library!r}.",
            next_step="Choose another, or drop documents into it.",
        )
    return (*web, *((LIBRARY,) if library else ()))


def instructions_in(text: str) -> tuple[str, ...]:
    """One instruction a line, empty lines left out. Raises UsageError for one too short or too
    long; `runner` counts them.
    """
    return tuple(checked_instruction(line) for line in visible(text).splitlines() if line.strip())


def left_out(text: str) -> tuple[str, ...]:
    """The lines of these instructions that ask to leave something out."""
    return tuple(line for line in visible(text).splitlines() if leaves_out(line))


def choose_engines(
    office: Office,
    *,
    library: str | None,
    web: bool,
    say: Callable[[str], None],
    who: Principal = LOCAL,
    look: Look = reachable,
) -> Choice:
    """The engines for these wishes. library: a name, or a path that is added first. Raises
    UsageError for a library that is not there.
    """
    local = _library(office, library, say, who) if library else None
    own = local or (OWN if _has(office, OWN, who) else None)
    engines = _answering(office, look) if web else ()
    if web and not engines:
        say("No network here: searching local documents only.")
    elif web and engines != _web_engines(office):
        say("The web does not answer from this machine: SearXNG alone is asked.")
    if not engines and own is None:
        say(
            "Searching the sample library, written for trying Assay out. `assay library add FOLDER`"
            " adds documents of your own."
        )
    chosen = own or (None if engines else SAMPLE)
    return Choice((*engines, *((LIBRARY,) if chosen else ())), chosen or SAMPLE)


def _library(office: Office, name: str, say: Callable[[str], None], who: Principal) -> str:
    path, known = _path(name), name == SAMPLE or _has(office, name, who)
    if path and (
        path.is_absolute() or not known
    ):  # a folder that happens to be called like a library is not meant
        counts = office.library(who).add(
            path,
            str(path.resolve()),
            on_progress=lambda done, total, file: say(f"[{done}/{total}] {file}"),
        )
        say(counts.sentence())
        return str(path.resolve())
    if not known:
        raise UsageError(
            f"There is no library and no folder called {name!r}.",
            next_step=f"`assay library add FOLDER --name {name}` makes it.",
        )
    return name


def _path(name: str) -> Path | None:
    """What is there under this name; None also for a name that no file can have."""
    try:
        path = Path(name).expanduser()
        return path if path.exists() else None
    except (OSError, RuntimeError):
        return None


def _has(office: Office, name: str, who: Principal) -> bool:
    return bool(office.library(who).documents(name))
