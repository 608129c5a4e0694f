"""Choose where a run searches by default: the web if it answers, a library, else the sample.

This happens before a run and is stored in the session's settings, so a replay chooses nothing. The
module also lists the choices of this machine.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from research_core import llm
from research_core.errors import UsageError
from research_core.models import Principal
from research_core.modes import ResearchMode
from research_core.policy import (
    LIBRARY_ENGINE,
    OFFLINE_MODEL,
    SAMPLE_LIBRARY,
    Caps,
    CredibilityPolicy,
    RunSettings,
)
from research_core.search import providers
from research_core.search.library import shelf
from research_core.settings import Settings
from research_core.text.question import asks_to_exclude, clean_instruction
from research_core.text.words import strip_invisible
from research_core.wiring import LOCAL_USER, Resources

if TYPE_CHECKING:
    from research_core.tools.registry import Tool

OWN = "my"
PROBE_HOST = "duckduckgo.com"
PROBE_S = 2.0
#: The one web engine that may stand in a network of its own.
SEARXNG = "searxng"
NetworkProbe = Callable[[], bool]


@dataclass(frozen=True)
class DefaultChoice:
    """Engines in order, and the library that the engine "library" searches."""

    engines: tuple[str, ...]
    library: str


@dataclass(frozen=True)
class Places:
    """What can be searched from here.

    web: engines by name, at most SearXNG if the web does not answer; offline: engines that would be
    used if it did; libraries: (name, number of documents), the analyst's own (OWN) first, those
    that others share last.
    """

    web: tuple[str, ...]
    offline: tuple[str, ...]
    libraries: tuple[tuple[str, int], ...]


def is_reachable(
    *, within_s: float = PROBE_S, resolve: Callable[[str, int], object] = socket.getaddrinfo
) -> bool:
    """Return True if this machine resolves a host name within the time, tried once.

    A resolver that hangs does not keep the process alive.
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
    resources: Resources, *, who: Principal = LOCAL_USER, look: NetworkProbe = is_reachable
) -> Places:
    """Find what can be searched; takes up to PROBE_S without a network.

    Raises SettingsError for an unknown engine.
    """
    web = _select_answering(resources, look)
    held = [
        (row["name"], row["documents"])
        for row in shelf.list_libraries(resources.db, who)
        if row["name"] != SAMPLE_LIBRARY and row["documents"]
    ]
    return Places(
        web=web,
        offline=tuple(name for name in _list_web_engines(resources) if name not in web),
        libraries=tuple(sorted(held, key=lambda item: item[0] != OWN)),
    )


def _list_web_engines(resources: Resources) -> tuple[str, ...]:
    return tuple(row.name for row in providers.list_available_rows(resources.settings))


def _select_answering(resources: Resources, look: NetworkProbe) -> tuple[str, ...]:
    """Return the usable web engines: all if the web answers, else SearXNG.

    A SearXNG server may be in a network of its own.
    """
    names = _list_web_engines(resources)
    near = tuple(name for name in names if name == SEARXNG)
    return names if names != near and look() else near


def list_other_models(
    resources: Resources, run: RunSettings, role: str = "model"
) -> tuple[str, ...]:
    """Return the models of this machine that could go on with a run whose model failed.

    role: model | writer | judge, whose model failed; for the last two, the other models of the run
    can take over. Of Gemini the first one, and none if Gemini failed: its models share a key and
    are asked one after the other.
    """
    names = []
    failed = {"writer": (run.writer,), "judge": (run.judge,)}.get(role, run.models)
    families = {name.partition(":")[0] for name in failed}
    for name in list_role_models(resources):
        family = name.partition(":")[0]
        if name not in failed and not (family == "gemini" and family in families):
            names.append(name)
            families.add(family)
    return tuple(names)


def list_models(resources: Resources) -> tuple[str, ...]:
    """Return the models of this machine by name, the default first. Raises SettingsError."""
    first = llm.choose_model(resources.settings).name
    return tuple(dict.fromkeys((first, *llm.list_openai_names(resources.settings), OFFLINE_MODEL)))


def list_role_models(resources: Resources) -> tuple[str, ...]:
    """Return every model that could write or judge here, by name."""
    settings = resources.settings
    gemini = [f"gemini:{name}" for name in settings.gemini_models if settings.gemini_api_key]
    return (*gemini, *llm.list_openai_names(settings), OFFLINE_MODEL)


def choose_models(
    run: RunSettings, settings: Settings, model: str = "", writer: str = "", judge: str = ""
) -> RunSettings:
    """Return the settings of a new run with its models, as named or else as configured.

    Raises SettingsError.
    """
    settings = replace(settings, writer=writer or settings.writer, judge=judge or settings.judge)
    name = llm.choose_model(settings, model).name
    return replace(
        run,
        model=name,
        writer=llm.choose_writer(settings, name),
        judge=llm.choose_judge(settings, name),
    )


def change_models(
    run: RunSettings, settings: Settings, model: str = "", writer: str = "", judge: str = ""
) -> RunSettings:
    """Return the settings of a rewrite with the models that were named; the others stay.

    Another model takes over all tasks, as in a new run. Raises SettingsError.
    """
    if model:
        return choose_models(run, settings, model, writer, judge)
    writer = llm.choose_model(settings, writer).name if writer else run.writer
    judge = llm.choose_model(settings, judge).name if judge else run.judge
    return replace(
        run,
        writer="" if writer == run.model else writer,
        judge="" if judge == run.model else judge,
    )


def is_priced(resources: Resources, model: str, writer: str = "", judge: str = "") -> bool:
    """Return True if all models of a new run have known prices, as a cost cap requires.

    writer, judge: models, "" as configured. Raises SettingsError.
    """
    settings = resources.settings
    run = choose_models(RunSettings(), settings, model, writer, judge)
    return all(llm.has_known_price(settings, name) for name in run.models)


def can_call_tools(model: str) -> bool:
    """Return True if a model can run the agentic strategy."""
    return model != OFFLINE_MODEL


def list_offered_tools(resources: Resources) -> tuple[Tool, ...]:
    """Return the extra tools that a run's model could be allowed to call here."""
    from research_core.tools import list_available_tools

    return tuple(row for row in list_available_tools(resources.settings) if not row.keeps)


def check_tools(resources: Resources, names: Sequence[str], strategy: str) -> tuple[str, ...]:
    """Return the extra tools a model may call. Raises UsageError for an unusable one."""
    if not names:
        return ()
    from research_core.tools import DEFAULT_TOOLS, EXTRA_TOOLS, list_run_tools

    if strategy != "agentic":
        raise UsageError(
            "Only the agentic strategy can call tools.",
            next_step="Choose the agentic strategy, or no tools.",
        )
    served = (*DEFAULT_TOOLS, *list_offered_tools(resources), *EXTRA_TOOLS)
    for row in list_run_tools(names):
        if row not in served:
            raise UsageError(
                f"{row.name} is not available here.",
                next_step="`assay tools list` shows what it needs.",
            )
    return tuple(dict.fromkeys(names))


def build_run_settings(
    resources: Resources,
    *,
    mode: str,
    sources: int | None = None,
    engines: Sequence[str] = (),
    library: str | None,
    model: str,
    writer: str = "",
    judge: str = "",
    length: str = "",
    strategy: str = "planned",
    credibility: CredibilityPolicy = CredibilityPolicy(),
    relevance_cutoff: int | None = None,
    min_full: int | None = None,
    min_short: int | None = None,
    caps: Caps = Caps(),
    instructions: str = "",
    tools: Sequence[str] = (),
    review_plan: bool = False,
    who: Principal = LOCAL_USER,
    look: NetworkProbe = is_reachable,
) -> RunSettings:
    """Build the settings of a session from a screen's choices, searching nowhere else.

    sources: how many the exhaustive mode reads, None for its usual number; engines: of the web, by
    name; library: a name; writer, judge: models, "" as configured; instructions: one a line; tools:
    by name. Raises UsageError for a choice that cannot be used.
    """
    ResearchMode.from_name(
        mode,
        sources=sources,
        relevance_cutoff=relevance_cutoff,
        min_full=min_full,
        min_short=min_short,
    )
    if strategy == "agentic" and not can_call_tools(model):
        raise UsageError(
            "The agentic strategy needs a language model.",
            next_step="Choose the planned strategy, or another model.",
        )
    run = RunSettings(
        mode=mode,
        sources=sources,
        strategy=strategy,
        length=length,
        engines=_check_chosen_engines(resources, engines, library, who, look),
        library=library or SAMPLE_LIBRARY,
        relevance_cutoff=relevance_cutoff,
        min_full=min_full,
        min_short=min_short,
        credibility=credibility,
        caps=caps,
        instructions=parse_instructions(instructions),
        tools=check_tools(resources, tools, strategy),
        review_plan=review_plan,
    )
    return choose_models(run, resources.settings, model, writer, judge)


def _check_chosen_engines(
    resources: Resources,
    engines: Sequence[str],
    library: str | None,
    who: Principal,
    look: NetworkProbe,
) -> tuple[str, ...]:
    """Return the engines of a run in order, all of them available."""
    web = tuple(row.name for row in providers.select_configured_rows(engines, resources.settings))
    if not web and library is None:
        raise UsageError(
            "Nothing to search is selected.",
            next_step="Select a search engine or a library.",
        )
    if any(name != SEARXNG for name in web) and not look():
        step = "Search a library, or retry when you are online."
        if SEARXNG in web:
            step = "Use SearXNG alone, search a library, or retry when you are online."
        raise UsageError("Web search is unavailable: no internet connection.", next_step=step)
    if library not in (None, SAMPLE_LIBRARY) and not _has_documents(resources, str(library), who):
        raise UsageError(
            f"The library {library!r} is empty or does not exist.",
            next_step="Choose another library, or add documents to it.",
        )
    return (*web, *((LIBRARY_ENGINE,) if library else ()))


def parse_instructions(text: str) -> tuple[str, ...]:
    """Split instructions by line. Raises UsageError for one too short or long."""
    return tuple(
        clean_instruction(line) for line in strip_invisible(text).splitlines() if line.strip()
    )


def find_exclusions(text: str) -> tuple[str, ...]:
    """Return the instructions that ask to leave something out."""
    return tuple(line for line in strip_invisible(text).splitlines() if asks_to_exclude(line))


def choose_engines(
    resources: Resources,
    *,
    library: str | None,
    web: bool,
    named: Sequence[str] = (),
    say: Callable[[str], None],
    who: Principal = LOCAL_USER,
    look: NetworkProbe = is_reachable,
) -> DefaultChoice:
    """Choose the engines for these wishes.

    library: a name, or a path, which is added first; it is searched beside the engines. named: the
    web engines asked for by name, () for those that answer. Raises UsageError for an unknown
    library or engine, SettingsError for an engine that lacks a setting.
    """
    if named:
        rows = providers.select_configured_rows(named, resources.settings)
        engines = tuple(dict.fromkeys(row.name for row in rows))
        if not library:
            return DefaultChoice(engines, SAMPLE_LIBRARY)
        searched = _find_library(resources, library, say, who)
        return DefaultChoice((*engines, LIBRARY_ENGINE), searched)
    own = _find_library(resources, library, say, who) if library else None
    if not own and _has_documents(resources, OWN, who):
        own = OWN
    engines = _select_answering(resources, look) if web else ()
    if web and not engines:
        say("No network here: searching local documents only.")
    elif web and engines != _list_web_engines(resources):
        say("The web does not answer from this machine: SearXNG alone is asked.")
    if own:
        return DefaultChoice((*engines, LIBRARY_ENGINE), own)
    if engines:
        return DefaultChoice(engines, SAMPLE_LIBRARY)
    say(
        "Searching the sample library, written for trying Assay out. `assay library add FOLDER`"
        " adds documents of your own."
    )
    return DefaultChoice((LIBRARY_ENGINE,), SAMPLE_LIBRARY)


def _find_library(
    resources: Resources, name: str, say: Callable[[str], None], who: Principal
) -> str:
    path = _find_path(name)
    known = name == SAMPLE_LIBRARY or _has_documents(resources, name, who)
    # A relative path that is also the name of a library means the library.
    if path and (path.is_absolute() or not known):
        counts = resources.library(who).add(
            path,
            str(path.resolve()),
            on_progress=lambda done, total, file: say(f"[{done}/{total}] {file}"),
        )
        say(counts.sentence())
        return str(path.resolve())
    if not known:
        raise UsageError(
            f"There is no library or folder {name!r}.",
            next_step=f"`assay library add FOLDER --name {name}` creates it; `assay library list`"
            " lists the libraries.",
        )
    return name


def _find_path(name: str) -> Path | None:
    """Return the existing path of this name, None if there is none or no file can have it."""
    try:
        path = Path(name).expanduser()
        return path if path.exists() else None
    except (OSError, RuntimeError):
        return None


def _has_documents(resources: Resources, name: str, who: Principal) -> bool:
    """Return True if a library that this user may search has this name and any document."""
    return bool(resources.library(who).list_documents(name))
