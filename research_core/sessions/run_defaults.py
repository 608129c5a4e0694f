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
from research_core.policy import (
    LIBRARY_ENGINE,
    OFFLINE_MODEL,
    SAMPLE_ENGINE,
    Caps,
    CredibilityPolicy,
    RunSettings,
)
from research_core.search import providers
from research_core.text.question import asks_to_exclude, clean_instruction
from research_core.text.words import strip_invisible
from research_core.tools import DEFAULT_TOOLS, list_available_tools, list_run_tools
from research_core.tools.registry import Tool
from research_core.wiring import LOCAL_USER, Resources

OWN = "my"
PROBE_HOST = "duckduckgo.com"
PROBE_S = 2.0
#: The one web engine that may stand in a network of its own.
SEARXNG = "searxng"
NetworkProbe = Callable[[], bool]


@dataclass(frozen=True)
class DefaultChoice:
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


def is_reachable(
    *, within_s: float = PROBE_S, resolve: Callable[[str, int], object] = socket.getaddrinfo
) -> bool:
    """Whether this machine can look a name up, asked once and not for longer than this. An answer
    that hangs keeps no process alive.
    """
    answered = threading.Event()

    def ask() -> None:
        try:
            resolve(PROBE_HOST, 443)
        except OSError:
            return
        answered.set()

    asking = threading.Thread(target=ask, name="assay-probe", daemon=True)
    asking.start()
    asking.join(within_s)
    return answered.is_set()


def find_places(
    office: Resources, *, who: Principal = LOCAL_USER, look: NetworkProbe = is_reachable
) -> Places:
    """Look round; this takes up to PROBE_S where the network does not answer. Raises SettingsError
    for an engine nobody knows.
    """
    web = _select_answering(office, look)
    held = {
        row["name"]: row["documents"]
        for row in office.library(who).names()
        if row["name"] != SAMPLE_ENGINE and row["documents"]
    }
    return Places(
        web=web,
        offline=tuple(name for name in _list_web_engines(office) if name not in web),
        libraries=tuple(sorted(held.items(), key=lambda item: (item[0] != OWN, item[0]))),
    )


def _list_web_engines(office: Resources) -> tuple[str, ...]:
    return tuple(row.name for row in providers.available_rows(office.settings))


def _select_answering(office: Resources, look: NetworkProbe) -> tuple[str, ...]:
    """The web engines there is a way to: all where the web answers, else SearXNG, whose server may
    stand in a network of its own.
    """
    names = _list_web_engines(office)
    near = tuple(name for name in names if name == SEARXNG)
    return names if names != near and look() else near


def list_models(office: Resources) -> tuple[str, ...]:
    """The models this machine has, the one that is used by itself first; each by its own name.
    Raises SettingsError.
    """
    first = llm.choose_model(office.settings).name
    return tuple(dict.fromkeys((first, llm.choose_model(office.settings, "offline").name)))


def is_priced(office: Resources, model: str) -> bool:
    """Whether the price of all that may answer as this model is known, so that a cap on cost counts
    every call.
    """
    return llm.has_known_price(office.settings, model)


def can_call_tools(model: str) -> bool:
    """Whether a model can drive the research itself, as the agentic strategy asks."""
    return model != OFFLINE_MODEL


def list_offered_tools(office: Resources) -> tuple[Tool, ...]:
    """What this machine could let a run's model call beside the usual tools."""
    return tuple(row for row in list_available_tools(office.settings) if not row.keeps)


def check_tools(office: Resources, names: Sequence[str], strategy: str) -> tuple[str, ...]:
    """The tools a run's model may call beside the usual ones. Raises UsageError for one that is not
    there or that nobody could serve.
    """
    if names and strategy != "agentic":
        raise UsageError(
            "Only a model that drives can call tools.",
            next_step="Choose the agentic strategy, or no tools.",
        )
    served = (*DEFAULT_TOOLS, *list_offered_tools(office))
    for row in list_run_tools(names):
        if row not in served:
            raise UsageError(
                f"{row.name} cannot be served here.",
                next_step="`assay tools list` says what it needs.",
            )
    return tuple(dict.fromkeys(names))


def build_run_settings(
    office: Resources,
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
    who: Principal = LOCAL_USER,
    look: NetworkProbe = is_reachable,
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
        engines=_check_chosen_engines(office, engines, library, who, look),
        library=library or SAMPLE_ENGINE,
        model=model,
        relevance_cutoff=relevance_cutoff,
        min_full=min_full,
        min_short=min_short,
        credibility=credibility,
        caps=caps,
        instructions=parse_instructions(instructions),
        tools=check_tools(office, tools, strategy),
    )


def _check_chosen_engines(
    office: Resources,
    engines: Sequence[str],
    library: str | None,
    who: Principal,
    look: NetworkProbe,
) -> tuple[str, ...]:
    """The engines of a run in their order, each of them there to be asked."""
    web = tuple(row.name for row in providers.configured_rows(engines, office.settings))
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
    if library not in (None, SAMPLE_ENGINE) and not _has(office, str(library), who):
        raise UsageError(
            f"There is nothing in a library called {library!r}.",
            next_step="Choose another, or drop documents into it.",
        )
    return (*web, *((LIBRARY_ENGINE,) if library else ()))


def parse_instructions(text: str) -> tuple[str, ...]:
    """One instruction a line, empty lines left out. Raises UsageError for one too short or too
    long; `runner` counts them.
    """
    return tuple(
        clean_instruction(line) for line in strip_invisible(text).splitlines() if line.strip()
    )


def find_exclusions(text: str) -> tuple[str, ...]:
    """The lines of these instructions that ask to leave something out."""
    return tuple(line for line in strip_invisible(text).splitlines() if asks_to_exclude(line))


def choose_engines(
    office: Resources,
    *,
    library: str | None,
    web: bool,
    say: Callable[[str], None],
    who: Principal = LOCAL_USER,
    look: NetworkProbe = is_reachable,
) -> DefaultChoice:
    """The engines for these wishes. library: a name, or a path that is added first. Raises
    UsageError for a library that is not there.
    """
    local = _find_library(office, library, say, who) if library else None
    own = local or (OWN if _has(office, OWN, who) else None)
    engines = _select_answering(office, look) if web else ()
    if web and not engines:
        say("No network here: searching local documents only.")
    elif web and engines != _list_web_engines(office):
        say("The web does not answer from this machine: SearXNG alone is asked.")
    if not engines and own is None:
        say(
            "Searching the sample library, written for trying Assay out. `assay library add FOLDER`"
            " adds documents of your own."
        )
    chosen = own or (None if engines else SAMPLE_ENGINE)
    return DefaultChoice(
        (*engines, *((LIBRARY_ENGINE,) if chosen else ())), chosen or SAMPLE_ENGINE
    )


def _find_library(office: Resources, name: str, say: Callable[[str], None], who: Principal) -> str:
    path, known = _find_path(name), name == SAMPLE_ENGINE or _has(office, name, who)
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


def _find_path(name: str) -> Path | None:
    """What is there under this name; None also for a name that no file can have."""
    try:
        path = Path(name).expanduser()
        return path if path.exists() else None
    except (OSError, RuntimeError):
        return None


def _has(office: Resources, name: str, who: Principal) -> bool:
    return bool(office.library(who).documents(name))
