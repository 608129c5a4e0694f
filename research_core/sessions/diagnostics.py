"""Show what this machine has (engines, models, settings, workers) and try one out.

Secrets are never shown, only whether they are set. A trial is an ordinary recorded call into a log
that is dropped. No setting is written.
"""

from __future__ import annotations

import platform
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from research_core import __version__, llm
from research_core.context import memory_log
from research_core.errors import ModelError, SettingsError
from research_core.i18n import _, format_number, ngettext
from research_core.journal import cross_tenant, store
from research_core.journal.database import find_sqlite_path
from research_core.journal.deps import Model, Provider
from research_core.journal.doorway import Doorway
from research_core.model_messages import ModelRequest
from research_core.models import Principal, SearchQuery
from research_core.policy import OFFLINE_MODEL
from research_core.search import engines as search
from research_core.search import providers
from research_core.sessions import heartbeats
from research_core.settings import SETTING_ROWS, Settings, origin_of
from research_core.text.words import strip_invisible, truncate
from research_core.trust.ratings import importing
from research_core.trust.ratings import store as kept
from research_core.trust.ratings.lists import explain_guesses
from research_core.trust.ratings.store import RatingList
from research_core.web.fetch.browser import explain_missing_browser
from research_core.wiring import LOCAL_USER, Resources, default_deps

#: What an engine and a model are asked when they are tried.
TRIAL_QUERY, TRIAL_QUESTION = "history of tea", "What is the capital of France?"
TRIAL_S = 20.0
#: Fields whose value may hold a key or a password.
SECRET_FIELDS = frozenset(field.name for field in fields(Settings) if not field.repr) | {
    "gemini_base_url"
}
PACKAGES = ("streamlit", "sqlalchemy", "dbos", "ddgs", "google-genai", "trafilatura", "pypdfium2")


@dataclass(frozen=True)
class DiagnosticItem:
    """A search engine, model, reader or extra.

    name: as in run settings; on: whether a run can use it now; how: what enables it.
    """

    name: str
    on: bool
    how: str = ""


def list_engines(settings: Settings) -> tuple[DiagnosticItem, ...]:
    """List every web search engine Assay knows, those in use first and in their order."""
    in_use = [row.name for row in providers.list_available_rows(settings)]
    items = [DiagnosticItem(name, True) for name in in_use]
    for row in providers.list_rows_of_kind("web"):
        if row.name not in in_use:
            items.append(DiagnosticItem(row.name, False, _explain_setup(row, settings)))
    return tuple(items)


def _explain_setup(row: Provider, settings: Settings) -> str:
    missing = providers.list_missing_settings(row, settings)
    if missing:
        return " ".join(f"{need}=…" for need in missing)
    if not row.name.startswith(providers.DDGS):
        # It is asked only where the routing names it.
        return f'SEARCH_ROUTING={{"web": ["{row.name}", …]}}'
    engines = (*settings.ddgs_engines, row.name.removeprefix("ddgs:"))
    return f"ASSAY_DDGS_ENGINES={','.join(engines)}"


def list_models(settings: Settings) -> tuple[DiagnosticItem, ...]:
    """List every model, the default one first."""
    gemini = bool(settings.gemini_api_key and settings.gemini_models)
    name = f"gemini:{settings.gemini_models[0]}" if gemini else "gemini"
    rows = (
        DiagnosticItem(name, gemini, "" if gemini else "GEMINI_API_KEY=…"),
        *_list_openai_models(settings),
        DiagnosticItem(OFFLINE_MODEL, True),
    )
    try:
        first = llm.choose_model(settings).name
    except SettingsError:  # this list says what is missing
        first = ""
    return tuple(sorted(rows, key=lambda row: row.name != first))


def _list_openai_models(settings: Settings) -> tuple[DiagnosticItem, ...]:
    names = llm.list_openai_names(settings)
    if names:
        return tuple(DiagnosticItem(name, True) for name in names)
    lines = ["ASSAY_OPENAI_BASE_URL=http://localhost:11434/v1"]
    if settings.openai_base_url:
        lines.clear()
    return (DiagnosticItem("openai", False, "\n".join((*lines, "ASSAY_OPENAI_MODELS=…"))),)


def describe_model_server(settings: Settings) -> str:
    """Return the OpenAI-compatible address without user and password, "" if there is none."""
    return origin_of(settings.openai_base_url) if settings.openai_base_url else ""


def describe_server_address(settings: Settings) -> str:
    """Return the OpenAI-compatible address, "" if there is none or it contains a password."""
    address = settings.openai_base_url
    return "" if "@" in address.partition("//")[2].partition("/")[0] else address


@dataclass(frozen=True)
class ServerModel:
    """A model found at the OpenAI-compatible address.

    name: as in run settings. chosen: it is one of ASSAY_OPENAI_MODELS. cost: in words.
    """

    name: str
    chosen: bool
    cost: str


def find_server_models(resources: Resources) -> tuple[ServerModel, ...]:
    """Ask the OpenAI-compatible server for its models; those chosen come first.

    Raises SettingsError without an address, ModelError if the server does not tell.
    """
    settings = resources.settings
    models = []
    for listed in llm.list_server_models(settings):
        chosen = listed.name in settings.openai_models
        cost = llm.describe_cost(settings, listed)
        models.append(ServerModel(f"openai:{listed.name}", chosen, cost))
    return tuple(sorted(models, key=lambda model: not model.chosen))


def list_unlisted_models(resources: Resources, found: Sequence[ServerModel]) -> tuple[str, ...]:
    """Return the models of ASSAY_OPENAI_MODELS that the server does not list.

    Ollama lists the name without a tag as NAME:latest.
    """
    listed = {model.name.removeprefix("openai:").removesuffix(":latest") for model in found}
    names = resources.settings.openai_models
    return tuple(name for name in names if name.removesuffix(":latest") not in listed)


def list_fallback_readers(resources: Resources) -> tuple[DiagnosticItem, ...]:
    """List the third parties asked for a page that its own site does not give."""
    settings = resources.settings
    archive = "ALLOWED_DOMAINS=…,archive.org" if settings.archive else "ASSAY_ARCHIVE=1"
    items = []
    for name, how in (("archive", archive), ("exa", "EXA_API_KEY=…")):
        is_on = name in settings.fallbacks
        items.append(DiagnosticItem(name, is_on, "" if is_on else how))
    return tuple(items)


def list_extras(resources: Resources) -> tuple[DiagnosticItem, ...]:
    """List the optional components; how: why one is unusable here and what to do."""
    states = (
        ("embedding model", resources.embedder.why),
        ("browser", explain_missing_browser(resources.settings)),
    )
    return tuple(DiagnosticItem(name, not why, why) for name, why in states)


@dataclass(frozen=True)
class VariableState:
    """One setting. shown: its value, "set" for a secret, "" if unset; own: not the default."""

    name: str
    meaning: str
    shown: str
    own: bool


def list_variables(settings: Settings) -> tuple[VariableState, ...]:
    """List every variable of `.env.example` as this process read it."""
    # The place of the database follows from the home, so the defaults need the same home.
    defaults = Settings.from_env({"ASSAY_HOME": str(settings.home)})
    variables = []
    for row in SETTING_ROWS:
        value = getattr(settings, row.field)
        default = getattr(defaults, row.field)
        if row.field == "home":
            default = Settings.from_env({}).home
        own = value != default
        shown = _format_value(row.field, value, own)
        variables.append(VariableState(row.name, row.meaning, shown, own))
    return tuple(variables)


def _format_value(field: str, value: Any, own: bool) -> str:
    if field in SECRET_FIELDS:
        return "set" if own else ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


@dataclass(frozen=True)
class StoredData:
    """Where data is stored.

    database: its kind and place, without credentials; size: bytes on disk, None if elsewhere;
    sealed: whether new data is encrypted.
    """

    home: Path
    database: str
    size: int | None
    sealed: bool = False


def describe_stored_data(resources: Resources) -> StoredData:
    """Return where data is stored and how much of it there is."""
    home = resources.settings.home
    url = resources.settings.database_url
    sealed = bool(resources.settings.cache_encryption_key)
    path = find_sqlite_path(url)
    if path is None:
        parts = sa.make_url(url)
        where = f"PostgreSQL, database {parts.database} on {parts.host or 'this machine'}"
        return StoredData(home, where, None, sealed)
    size = 0
    for suffix in ("", "-wal"):
        file = path.with_name(path.name + suffix)
        if file.exists():
            size += file.stat().st_size
    return StoredData(home, f"SQLite, {path}", size, sealed)


@dataclass(frozen=True)
class WorkerSummary:
    """The processes that run sessions.

    alive: (name, seconds since its last beat) of each process; the rest: numbers of this user's
    sessions.
    """

    alive: tuple[tuple[str, float], ...]
    queued: int
    running: int
    interrupted: int


def summarize_workers(resources: Resources, *, who: Principal = LOCAL_USER) -> WorkerSummary:
    beats, now = heartbeats.list_executors(resources.db), heartbeats.read_clock(resources)
    alive = tuple(
        (name, now - at)
        for name, at in sorted(beats.items())
        if heartbeats.is_alive(name, beats, now)
    )
    counts = store.count_unfinished_sessions(resources.db, who)
    queued, running = counts.pop(None, 0), sum(counts.get(name, 0) for name, _ in alive)
    return WorkerSummary(alive, queued, running, sum(counts.values()) - running)


def count_running_here(resources: Resources) -> int:
    """Count the sessions this process runs now, for any user."""
    beats, now = heartbeats.list_executors(resources.db), heartbeats.read_clock(resources)
    here = f"{heartbeats.name_process()}-"
    counts = cross_tenant.count_sessions_by_executor(resources.db).items()
    return sum(
        number
        for name, number in counts
        if name.startswith(here) and heartbeats.is_alive(name, beats, now)
    )


def list_versions() -> tuple[tuple[str, str], ...]:
    """List the versions of Assay, Python and the main dependencies."""
    return (
        ("assay", __version__),
        ("python", platform.python_version()),
        ("sqlite", sqlite3.sqlite_version),
        *((name, _find_version(name)) for name in PACKAGES),
    )


def _find_version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


# ---------------------------------------------------------------- trying one


@dataclass(frozen=True)
class TrialResult:
    """The result of a trial.

    state: answered | empty | refused | timed_out | failed; words: the reply, or why there is none;
    results: of an engine; tokens, cost: of a model, cost in US dollars, None if the price is
    unknown. estimated: the tokens were not counted. notes: what was unusual about the call.
    """

    name: str
    state: str
    seconds: float
    words: str = ""
    results: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    estimated: bool = False
    notes: tuple[str, ...] = ()


def try_engine(resources: Resources, name: str) -> TrialResult:
    """Make one small search.

    Raises UsageError for an unknown engine, SettingsError if it lacks a setting.
    """
    (row,) = providers.select_configured_rows([name], resources.settings)
    deps = default_deps(memory_log(TRIAL_QUERY), resources, fresh=True)
    began = resources.clock.monotonic()
    outcome = search.ask_engine(row, SearchQuery(TRIAL_QUERY, 0, "tool"), deps)
    first = outcome.results[0].title if outcome.results else ""
    words = outcome.reason or (
        _("First result: {title}").format(title=truncate(first, 80)) if first else ""
    )
    return TrialResult(
        name, outcome.state, resources.clock.monotonic() - began, words, len(outcome.results)
    )


def make_alone(settings: Settings, name: str) -> Model:
    """Return a model without others to fall back on. Raises SettingsError."""
    family, _, model = llm.choose_model(settings, name).name.partition(":")
    if family == "gemini":
        settings = replace(settings, gemini_models=(model,))
    if family == "openai":
        settings = replace(settings, openai_models=(model,))
    return llm.choose_model(settings, name)


def try_model(
    resources: Resources, name: str, *, make: Callable[[Settings, str], Model] = make_alone
) -> TrialResult:
    """Ask one small question. Raises SettingsError if the model lacks a setting.

    make: builds the model; by default one without others to fall back on.
    """
    model = make(resources.settings, name)
    if model.name == OFFLINE_MODEL:
        return TrialResult(name, "answered", 0.0, _("Part of Assay. Needs no setup."))
    recorded = Doorway(memory_log(TRIAL_QUESTION), resources.client, model, resources.clock).model
    began = resources.clock.monotonic()
    try:
        reply = recorded.run(
            ModelRequest(
                "refine",
                "Answer in one word.",
                TRIAL_QUESTION,
                {"question": TRIAL_QUESTION},
                timeout_s=TRIAL_S,
            )
        )
    except ModelError as error:
        return TrialResult(
            name,
            search.STATE_OF_ERROR_KIND.get(error.kind, "failed"),
            resources.clock.monotonic() - began,
            error.sentence(),
            cost=None,
        )
    used, words = reply.usage, truncate(" ".join(strip_invisible(reply.text).split()), 120)
    seconds = resources.clock.monotonic() - began
    return TrialResult(
        name,
        "answered" if words else "empty",
        seconds,
        words,
        tokens=used.input_tokens + used.output_tokens,
        cost=used.cost,
        estimated=used.estimated,
        notes=reply.notes,
    )


# ---------------------------------------------------------------- expert ratings


def list_rating_lists(
    resources: Resources, *, who: Principal = LOCAL_USER
) -> tuple[RatingList, ...]:
    """List the expert ratings that new runs use, by name."""
    return kept.read_lists(resources.db, who)


def add_ratings(
    resources: Resources, source: str, body: bytes | None = None, *, who: Principal = LOCAL_USER
) -> str:
    """Import a rating list from bytes, or a published one by name; return a sentence on it.

    Raises UsageError if it is no rating list, FetchError if it cannot be fetched.
    """
    wanted = importing.ImportRequest(source)
    if body is None:
        made, found = importing.add_list(
            resources.db, who, default_deps(memory_log("ratings"), resources, who=who), wanted
        )
    else:
        made, found = importing.store_list(resources.db, who, wanted, body, resources.clock.now())
    imported = ngettext(
        "{name} rates {count} site. New sessions use it.",
        "{name} rates {count} sites. New sessions use it.",
        made.hosts,
    ).format(name=made.name, count=format_number(made.hosts))
    unread = ""
    if found.left:
        unread = ngettext(
            "{count} row could not be read: {first}.",
            "{count} rows could not be read. The first is {first}.",
            found.left,
        ).format(count=format_number(found.left), first=found.told[0])
    return " ".join(filter(None, (imported, unread, *explain_guesses(found))))


def remove_ratings(resources: Resources, name: str, *, who: Principal = LOCAL_USER) -> None:
    """Remove a rating list. Raises UsageError if there is none of this name."""
    kept.remove_list(resources.db, who, name)
