"""Build `Deps` from `Settings`: the real http, model, database and library meet here.

`Resources` holds what a process opens once; `open_session_deps` builds what one attempt needs.
Every command and every screen imports this module, so it imports the parts when they are opened.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

from research_core.errors import CallForbidden, ResearchError, SettingsError, StoreError
from research_core.i18n import LanguagePool
from research_core.journal import cross_tenant
from research_core.journal.cache import ARTIFACT_SCHEME, Cache, store_artifact, sweep_cache
from research_core.journal.circuit_breaker import CircuitBreakers
from research_core.journal.database import Database
from research_core.journal.deps import Deps, Documents, Model, Provider, do_nothing
from research_core.journal.encryption import Cipher
from research_core.journal.events import Event
from research_core.journal.log import EventLog
from research_core.journal.store import Store
from research_core.journal.tables import open_database
from research_core.model_messages import ModelReply, ModelRequest
from research_core.models import Page, Principal
from research_core.modes import ResearchMode
from research_core.policy import (
    JUDGING_KINDS,
    LIBRARY_ENGINE,
    OFFLINE_MODEL,
    SESSION_ENGINE,
    WRITING_KINDS,
    Override,
    RunSettings,
)
from research_core.settings import Settings
from research_core.userdata import overrides

if TYPE_CHECKING:
    from research_core.journal.doorway import Control, Doorway
    from research_core.search.library.library import Library
    from research_core.text.embeddings import Embedder
    from research_core.text.entailment import Entailment
    from research_core.web.fetch.browser import Chromium
    from research_core.web.http.client import Client

LOCAL_USER = Principal()
_opening_model = threading.Lock()
NO_PROVIDERS: Mapping[str, Provider] = {}


class SystemClock:
    """The real clock. Tests pass one that stands still."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    def wait(self, event: threading.Event, seconds: float) -> float:
        began = time.monotonic()
        event.wait(seconds)
        return time.monotonic() - began


@dataclass(frozen=True)
class Resources:
    """What one process opens once: settings, database, HTTP client, models, library."""

    settings: Settings

    @cached_property
    def db(self) -> Database:
        settings = self.settings
        cipher = Cipher(settings.cache_encryption_key, settings.cache_encryption_key_prev)
        return open_database(
            settings.database_url, busy_timeout_s=settings.busy_timeout_s, cipher=cipher
        )

    @cached_property
    def client(self) -> Client:
        from research_core.web.http.client import Client
        from research_core.web.http.pacing import HostPacing

        settings = self.settings
        pacing = HostPacing(
            delay_s=settings.host_delay_s,
            robots=settings.robots,
            saved=cache(partial(self.open_page_cache, LOCAL_USER)),
        )
        return Client(
            user_agent=settings.user_agent,
            agents=settings.agents,
            allowed_endpoints=settings.endpoints,
            allowed_domains=settings.allowed_domains,
            pacing=pacing,
        )

    @cached_property
    def browser(self) -> Chromium | None:
        from research_core.web.fetch.browser import find_browser

        return find_browser(self.settings, self.client)

    @cached_property
    def clock(self) -> SystemClock:
        return SystemClock()

    @cached_property
    def services(self) -> CircuitBreakers:
        """The circuit breakers, shared by every session of this process."""
        return CircuitBreakers()

    @cached_property
    def trouble(self) -> list[ResearchError]:
        """Problems this process met at its start and got over; every screen shows them."""
        return []

    @cached_property
    def embedder(self) -> Embedder:
        """The embedding model, or why there is none."""
        from research_core.text import embeddings

        if not self.settings.semantic:
            return embeddings.MissingEmbedder("It is switched off (ASSAY_SEMANTIC=0).")
        return embeddings.find_embedder()

    @cached_property
    def entailment(self) -> Entailment | None:
        """The entailment model of the settings, None if they name none. It is read at first use."""
        if not self.settings.entailment_model:
            return None
        from research_core.text.entailment import find_entailment

        return find_entailment(self.settings.entailment_model)

    def open_model(
        self, name: str, *, judges_meaning: bool = False, is_replaceable: bool = False
    ) -> Model:
        """Return the model of this name; all sessions of this process share it and its connections.

        judges_meaning: whether the offline model may use the embedder. is_replaceable: see
        `llm.choose_model`. Raises SettingsError.
        """
        from research_core import llm

        key = (name, judges_meaning, is_replaceable)
        embedder = self.embedder if judges_meaning else None
        with _opening_model:
            models: dict[Any, Model] = self.__dict__.setdefault("_models", {})
            if key not in models:
                models[key] = llm.choose_model(
                    self.settings, name, embedder, is_replaceable=is_replaceable
                )
            return models[key]

    def library(self, who: Principal = LOCAL_USER) -> Library:
        from research_core.search.library.library import Library

        return Library(self.db, who, embedder=self.embedder)

    def open_page_cache(self, who: Principal) -> Cache | None:
        """Return the page cache of this user's tenant; None if the database cannot be opened."""
        from research_core.journal.doorway import CALL_VERSIONS

        try:
            return Cache(
                self.db,
                who,
                CALL_VERSIONS["http"],
                self._note_cache_trouble,
                rules=self.settings.rules,
            )
        except StoreError as error:
            self._note_cache_trouble(error)
            return None

    def sweep_caches(self) -> None:
        """Remove expired entries of all caches; a tenant that reads pages does so itself."""
        now = self.clock.now()
        for who in cross_tenant.list_users_with_expired_cache(self.db, now):
            sweep_cache(self.db, who, now)

    def _note_cache_trouble(self, error: ResearchError) -> None:
        """Report once that the page cache cannot be used."""
        trouble = ResearchError(
            f"The page cache could not be used. {error.message}", next_step=error.next_step
        )
        self.note_trouble(trouble)

    def note_trouble(self, error: ResearchError) -> None:
        """Keep a problem of this process, each once, for every screen to show."""
        if not any(known.message == error.message for known in self.trouble):
            self.trouble.append(error)

    def change_models(self, settings: Settings) -> None:
        """Use other settings of models, and of the language of screens, from the next run on.

        Runs under way keep the models that they opened. Nothing else that is open changes.
        """
        with _opening_model:
            self.__dict__["settings"] = settings
            self.__dict__.pop("_models", None)
            self.client.allow_endpoints(settings.endpoints)

    def close(self) -> None:
        """Close browser, client and database, and forget the models; all can be used again."""
        self.__dict__.pop("_models", None)
        for name in ("browser", "client", "db"):
            opened = self.__dict__.pop(name, None)
            if opened:
                opened.close()


def remember_override(
    resources: Resources, override: Override, *, who: Principal = LOCAL_USER
) -> None:
    """Save a user's override of a host for their later runs."""
    overrides.save_override(resources.db, who, override, resources.clock.now())


@cache
def default_resources() -> Resources:
    """Return the resources of this process, from its environment."""
    return Resources(Settings.from_env())


@contextmanager
def open_session_deps(
    resources: Resources,
    log: EventLog,
    run: RunSettings,
    *,
    who: Principal = LOCAL_USER,
    control: Control | None = None,
    model: Model | None = None,
) -> Iterator[Deps]:
    """Provide Deps for one attempt of the session behind `log`; the pool ends with the block.

    Raises SettingsError.
    """
    from research_core.trust.ratings import store as ratings

    doorway = _open_doorway(resources, log, run, who=who, control=control, model=model)
    local, documents = _open_local_engines(resources, run, who)
    pool = LanguagePool(resources.settings.workers, thread_name_prefix="assay")
    try:
        yield Deps(
            settings=resources.settings,
            run=run,
            http=doorway.http,
            model=doorway.model,
            log=log,
            clock=resources.clock,
            pool=pool,
            who=who,
            engines=build_engines(run, local),
            documents=documents,
            browser=resources.browser,
            rated=lambda hosts: ratings.find_ratings(resources.db, who, run.ratings, hosts),
            prepare_page=do_nothing if log.readonly else resources.client.prepare_page,
            embedder=resources.embedder,
            entailment=resources.entailment,
        )
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _open_doorway(
    resources: Resources,
    log: EventLog,
    run: RunSettings,
    *,
    who: Principal,
    control: Control | None,
    model: Model | None,
) -> Doorway:
    from research_core.journal.doorway import Doorway

    # A model that the caller passes answers everything.
    model_by_kind = {} if model else _open_models_by_kind(resources, run, is_replay=log.readonly)
    if model is None:
        is_replaceable = not log.readonly and _was_refused(log)
        model = _open_model(
            resources, run, run.model, is_replay=log.readonly, is_replaceable=is_replaceable
        )
    return Doorway(
        log,
        resources.client,
        model,
        resources.clock,
        caps=run.caps,
        control=control,
        model_by_kind=model_by_kind,
        writing_calls=ResearchMode.from_name(run.mode, sources=run.sources).writing_calls,
        **_build_doorway_options(resources, who),
    )


def _open_local_engines(
    resources: Resources, run: RunSettings, who: Principal
) -> tuple[dict[str, Provider], Documents | None]:
    """Return the run's engines that search what is stored, by name, and the reader of that."""
    engines: dict[str, Provider] = {}
    documents: Documents | None = None
    if LIBRARY_ENGINE in run.engines:
        from research_core.search.library.library import build_provider, build_reader

        library = resources.library(who)
        documents = build_reader(library, run.library)
        engines[LIBRARY_ENGINE] = build_provider(library, run.library, run.meaning)
    if SESSION_ENGINE in run.engines:
        from research_core.search import previous_session

        pages = previous_session.SessionPages(resources.db, who, run.after)
        documents = previous_session.SessionDocuments(pages, documents)
        engines[SESSION_ENGINE] = previous_session.build_provider(pages)
    return engines, documents


def _open_models_by_kind(
    resources: Resources, run: RunSettings, *, is_replay: bool
) -> dict[str, Model]:
    """Return the models of the run's writer and judge by the kinds of request they answer."""
    models: dict[str, Model] = {}
    for name, kinds in ((run.writer, WRITING_KINDS), (run.judge, JUDGING_KINDS)):
        if name:
            models |= dict.fromkeys(kinds, _open_model(resources, run, name, is_replay=is_replay))
    return models


def _open_model(
    resources: Resources,
    run: RunSettings,
    name: str,
    *,
    is_replay: bool,
    is_replaceable: bool = False,
) -> Model:
    """Return the model of this name; a replay has only its name."""
    if is_replay:
        return AbsentModel(name)
    return resources.open_model(
        name, judges_meaning=bool(run.judging), is_replaceable=is_replaceable
    )


def _was_refused(log: EventLog) -> bool:
    """Return True if the last attempt ended because the model of the run was refused.

    Its user may since have removed that model from the list of models.
    """
    failed = log.read(kinds=("failed",))
    return bool(failed) and failed[-1].data.get("role") == "model"


def build_engines(
    run: RunSettings, local: Mapping[str, Provider] = NO_PROVIDERS
) -> tuple[Provider, ...]:
    """Return the search engines a run names, in its order. local: non-web engines, by name.

    Raises SettingsError if there is none, UsageError for an unknown one. An engine that lacks a
    setting fails only when asked, because its earlier answers are in the log.
    """
    from research_core.search import providers

    if not run.engines and not run.checks_report:
        raise SettingsError(
            "No search engine is chosen.", next_step="Choose the library, a web engine, or both."
        )
    web_names = [name for name in run.engines if name not in (LIBRARY_ENGINE, SESSION_ENGINE)]
    engines = {row.name: row for row in providers.select_rows(web_names)}
    engines |= local
    return tuple(engines[name] for name in run.engines)


def default_deps(
    log: EventLog,
    resources: Resources | None = None,
    *,
    who: Principal = LOCAL_USER,
    fresh: bool = False,
    control: Control | None = None,
) -> Deps:
    """Build Deps for a tool called without a session: web only, everything recorded in `log`.

    resources: this process's by default. fresh: bypass the cache. control: stops the calls. Without
    a configured web engine there is none, and a tool that needs one says so.
    """
    from research_core.search import providers

    resources = resources or default_resources()
    names = tuple(row.name for row in providers.list_available_rows(resources.settings))
    run = RunSettings(
        engines=names, fallbacks=resources.settings.fallbacks, sites=resources.settings.sites
    )
    return _build_tool_deps(
        log, resources, who, run, build_engines(run) if names else (), fresh=fresh, control=control
    )


def _build_tool_deps(
    log: EventLog,
    resources: Resources,
    who: Principal,
    run: RunSettings,
    searched: tuple[Provider, ...],
    *,
    fresh: bool,
    control: Control | None = None,
) -> Deps:
    """Build Deps for a tool: the offline model, no library, and the database."""
    from research_core.journal.doorway import Doorway

    shared = _build_doorway_options(resources, who)
    if fresh:
        shared["cache"] = None
    doorway = Doorway(
        log,
        resources.client,
        resources.open_model(OFFLINE_MODEL),
        resources.clock,
        control=control,
        **shared,
    )
    return Deps(
        settings=resources.settings,
        run=run,
        http=doorway.http,
        model=doorway.model,
        log=log,
        clock=resources.clock,
        pool=_get_tool_pool(),
        who=who,
        engines=searched,
        browser=resources.browser,
        db=lambda: resources.db,
        artifact=partial(_store_artifact, resources, who),
    )


def _store_artifact(resources: Resources, who: Principal, body: bytes, media_type: str) -> str:
    """Store a body for a while and return its address; "" without a cache."""
    cache = resources.open_page_cache(who)
    if cache is None:
        return ""
    id = store_artifact(cache, body, media_type, resources.clock.now())
    return ARTIFACT_SCHEME + id if id else ""


def _build_doorway_options(resources: Resources, who: Principal) -> dict[str, Any]:
    """Return what the doorways of a process share. The cache opens when first used."""
    return {"cache": cache(partial(resources.open_page_cache, who)), "services": resources.services}


def make_page_reader(resources: Resources, who: Principal) -> Callable[[str], Page]:
    """Return a function that reads a web page anew, with a temporary log; it raises FetchError."""
    from research_core.context import memory_log
    from research_core.web.fetch.read_page import read_page

    run = RunSettings(
        engines=(), fallbacks=resources.settings.fallbacks, sites=resources.settings.sites
    )
    return lambda url: read_page(
        url, _build_tool_deps(memory_log(url), resources, who, run, (), fresh=True)
    )


@cache
def _get_tool_pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(8, thread_name_prefix="assay-tool")


@dataclass(frozen=True)
class AbsentModel:
    """Stands for the model of a replayed run: it has the name, part of every key, only."""

    name: str

    def open(self) -> None: ...

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        raise CallForbidden(f"A replay asked {self.name} for {request.kind}.")


def open_log(
    resources: Resources,
    who: Principal,
    session: str,
    *,
    epoch: int | None = None,
    readonly: bool = False,
    listener: Callable[[Event], None] | None = None,
) -> EventLog:
    """Open the log of a stored session: as worker (epoch), as reader, or read-only for a replay."""
    return EventLog(
        Store(resources.db, who, session, epoch),
        resources.clock,
        readonly=readonly,
        listener=listener,
    )
