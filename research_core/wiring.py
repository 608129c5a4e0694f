"""Builds `Deps` from `Settings`: the one place where the real http, model, database and library are
put together.

What a process opens once lives in `Office`; what belongs to one attempt of one session is made by
`session_deps`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

from research_core import llm
from research_core.context import memory_log
from research_core.errors import CallForbidden, ResearchError, SettingsError, StoreError
from research_core.journal import artifacts, cross_tenant
from research_core.journal.cache import Cache, sweep
from research_core.journal.circuit_breaker import Services
from research_core.journal.database import Database
from research_core.journal.deps import Deps, Model, Provider
from research_core.journal.doorway import VERSIONS, Control, Doorway
from research_core.journal.encryption import Cipher
from research_core.journal.events import Event
from research_core.journal.log import EventLog
from research_core.journal.store import Store
from research_core.journal.tables import open_database
from research_core.model_messages import ModelReply, ModelRequest
from research_core.models import Page, Principal
from research_core.policy import LIBRARY, SESSION, Override, RunSettings
from research_core.search import providers
from research_core.settings import Settings
from research_core.text import embeddings
from research_core.text.embeddings import Embedder
from research_core.trust.ratings import store as ratings
from research_core.userdata import overrides
from research_core.web.http.client import Client
from research_core.web.http.pacing import Politeness

if TYPE_CHECKING:
    from research_core.search.library import Library
    from research_core.web.fetch.browser import Chromium

LOCAL = Principal()
NONE: Mapping[str, Provider] = {}


class SystemClock:
    """The wall clock. Tests pass one that stands still."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


@dataclass(frozen=True)
class Office:
    """What one process opens once: settings, database, the guarded session, the library."""

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
        settings = self.settings
        manners = Politeness(delay_s=settings.host_delay_s, robots=settings.robots)
        return Client(
            user_agent=settings.user_agent,
            agents=settings.agents,
            allowed_endpoints=settings.endpoints,
            allowed_domains=settings.allowed_domains,
            politeness=manners,
        )

    @cached_property
    def browser(self) -> Chromium | None:
        from research_core.web.fetch.browser import find

        return find(self.settings, self.client)

    @cached_property
    def clock(self) -> SystemClock:
        return SystemClock()

    @cached_property
    def services(self) -> Services:
        """Which services are left alone just now, for every session of this process."""
        return Services()

    @cached_property
    def trouble(self) -> list[ResearchError]:
        """What this process met when it started and got over; every screen says it."""
        return []

    @cached_property
    def embedder(self) -> Embedder:
        """The model of meaning, or why there is none."""
        return (
            embeddings.find()
            if self.settings.semantic
            else embeddings.Absent("It is switched off (ASSAY_SEMANTIC=0).")
        )

    def library(self, who: Principal) -> Library:
        from research_core.search.library import Library

        return Library(self.db, who, embedder=self.embedder)

    def pages(self, who: Principal) -> Cache | None:
        """What the web answered to this user's tenant, as far as it is still good; None where the
        database cannot be opened.
        """
        try:
            return Cache(
                self.db, who, VERSIONS["http"], self._without_cache, rules=self.settings.rules
            )
        except StoreError as error:
            self._without_cache(error)
            return None

    def tidy(self) -> None:
        """Remove what nobody's cache has any use for any more; a tenant that reads pages does so by
        itself.
        """
        now = self.clock.now()
        for who in cross_tenant.with_expired(self.db, now):
            sweep(self.db, who, now)

    def _without_cache(self, error: ResearchError) -> None:
        """Said once: a page more is asked for, and nothing else comes of it."""
        said = ResearchError(
            f"The page cache could not be used. {error.message}", next_step=error.next_step
        )
        if not any(known.message == said.message for known in self.trouble):
            self.trouble.append(said)

    def close(self) -> None:
        """Give back what was opened; the office can be used again."""
        for name in ("browser", "client", "db"):
            if opened := self.__dict__.pop(name, None):
                opened.close()


def remember_word(office: Office, word: Override, *, who: Principal = LOCAL) -> None:
    """Keep a user's own word on a host, for every run of theirs that begins from now on."""
    overrides.remember(office.db, who, word, office.clock.now())


@cache
def default_office() -> Office:
    """The office of this process, from its environment."""
    return Office(Settings.from_env())


@contextmanager
def session_deps(
    office: Office,
    log: EventLog,
    run: RunSettings,
    *,
    who: Principal = LOCAL,
    control: Control | None = None,
    model: Model | None = None,
) -> Iterator[Deps]:
    """Deps for one attempt of the session behind `log`; the pool ends with the block. Raises
    SettingsError.
    """
    from research_core.search import previous_session
    from research_core.search.library import provider, reader

    model = model or (
        Absent(run.model)
        if log.readonly
        else llm.choose(office.settings, run.model, office.embedder if run.judging else None)
    )
    doorway = Doorway(
        log,
        office.client,
        model,
        office.clock,
        caps=run.caps,
        control=control,
        **_shared(office, who),
    )
    pool = ThreadPoolExecutor(office.settings.workers, thread_name_prefix="assay")
    library = office.library(who) if LIBRARY in run.engines else None
    documents = reader(library, run.library) if library else None
    before = previous_session.Pages(office.db, who, run.after) if SESSION in run.engines else None
    local = {LIBRARY: provider(library, run.library, run.meaning)} if library else {}
    local |= {SESSION: previous_session.provider(before)} if before else {}
    try:
        yield Deps(
            settings=office.settings,
            run=run,
            http=doorway.http,
            model=doorway.model,
            log=log,
            clock=office.clock,
            pool=pool,
            who=who,
            engines=engines(run, local),
            documents=previous_session.Documents(before, documents) if before else documents,
            browser=office.browser,
            rated=lambda hosts: ratings.look(office.db, who, run.ratings, hosts),
        )
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def engines(run: RunSettings, local: Mapping[str, Provider] = NONE) -> tuple[Provider, ...]:
    """The search engines a run names, in its order. local: those that are not of the web, by name.

    Raises SettingsError when there is none, UsageError for one nobody knows. One that lacks a
    setting by now fails when it is asked: what it once answered is in the log.
    """
    if not run.engines:
        raise SettingsError(
            "No search engine is chosen.", next_step="Choose the library, a web engine, or both."
        )
    web = {
        row.name: row
        for row in providers.rows(name for name in run.engines if name not in (LIBRARY, SESSION))
    }
    return tuple((web | dict(local))[name] for name in run.engines)


def default_deps(
    log: EventLog,
    office: Office | None = None,
    *,
    who: Principal = LOCAL,
    fresh: bool = False,
    control: Control | None = None,
) -> Deps:
    """Deps for a tool that is called without a session of its own: the web alone, and everything is
    recorded in `log`.

    office: by default this process's, built at the first call. fresh: ask the outside, whatever the
    cache holds. control: stops it. Where no engine of the web is configured there is none, which a
    tool that asks one says.
    """
    office = office or default_office()
    names = tuple(row.name for row in providers.available(office.settings))
    run = RunSettings(
        engines=names, fallbacks=office.settings.fallbacks, sites=office.settings.sites
    )
    return _sessionless(
        log, office, who, run, engines(run) if names else (), fresh=fresh, control=control
    )


def _sessionless(
    log: EventLog, office: Office, who: Principal, run: RunSettings, searched: tuple[Provider, ...], *, fresh: bool,
    control: Control | None = None,
) -> Deps:  # fmt: skip
    shared = _shared(office, who) | ({"cache": None} if fresh else {})
    doorway = Doorway(
        log,
        office.client,
        llm.choose(office.settings, "offline"),
        office.clock,
        control=control,
        **shared,
    )
    return Deps(
        settings=office.settings, run=run, http=doorway.http, model=doorway.model, log=log,
        clock=office.clock,
        pool=_tool_pool(), who=who, engines=searched, browser=office.browser, db=lambda: office.db,
        artifact=partial(_kept, office, who),
    )  # fmt: skip


def _kept(office: Office, who: Principal, body: bytes, media_type: str) -> str:
    """The address under which the body can be had for a while; "" where there is no cache to keep
    it in.
    """
    pages = office.pages(who)
    name = artifacts.keep(pages, body, media_type, office.clock.now()) if pages else ""
    return artifacts.SCHEME + name if name else ""


def _shared(office: Office, who: Principal) -> dict[str, Any]:
    """What the doorways of one process share. The cache is opened by the first call that uses it."""
    return {"cache": cache(partial(office.pages, who)), "services": office.services}


def page_reader(office: Office, who: Principal) -> Callable[[str], Page]:
    """Reads a page of the web as a run does, anew, with a log of its own that is dropped with what
    it holds. It raises FetchError.
    """
    from research_core.web.fetch import read_page

    run = RunSettings(engines=(), fallbacks=office.settings.fallbacks, sites=office.settings.sites)
    return lambda url: read_page(
        url, _sessionless(memory_log(url), office, who, run, (), fresh=True)
    )


@cache
def _tool_pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(8, thread_name_prefix="assay-tool")


@dataclass(frozen=True)
class Absent:
    """Stands for the model of a recorded run: it has the name, which is part of every key, and
    answers nothing.
    """

    name: str

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        raise CallForbidden(f"A replay asked {self.name} for {request.kind}.")


def open_log(
    office: Office,
    who: Principal,
    session: str,
    *,
    epoch: int | None = None,
    readonly: bool = False,
    listener: Callable[[Event], None] | None = None,
) -> EventLog:
    """The log of a stored session: as its worker (epoch), as a reader, or read-only for a replay."""
    return EventLog(
        Store(office.db, who, session, epoch), office.clock, readonly=readonly, listener=listener
    )
