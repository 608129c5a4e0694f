"""Audits of small reports over a scripted web, for the tests of the run, its screens and exports."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from research_core.errors import FetchError
from research_core.journal.deps import Model
from research_core.journal.events import Event
from research_core.models import HttpReply, Principal
from research_core.pipeline import report
from research_core.pipeline.audit_result import AuditResult
from research_core.sessions import audits, heartbeats, runner, snapshot
from research_core.sessions.audits import AuditRequest
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests import schemas

ARCHIVE = "archive.org"
REPORT = """# Tidal power and seals

## Findings

The Strangford turbine was switched off in 2019 after 11 years [1]. Seals kept 200 metres away from
the turning blades [1][2]. Harbour seals dived 30% deeper near the array [2]. A follow-up study counted
4,000 pups [3]. The project cost 12 million pounds.

Nobody measured the noise [9].

## Sources

1. Strangford Lough review. https://seals.example.org/strangford
2. Telemetry of harbour seals. https://data.example.org/telemetry
3. Pup counts. https://seals.example.org/never-was
4. A listed page that nothing cites. https://data.example.org/spare
"""


def page(title: str, *sentences: str) -> str:
    """An HTML page of these paragraphs, long enough to be read as an article."""
    rows = "".join(f"<p>{sentence}</p>" for sentence in sentences)
    head = f"<!doctype html><html lang='en'><head><title>{title}</title></head>"
    return f"{head}<body><main><article><h1>{title}</h1>{rows}</article></main></body></html>"


PAGES: dict[str, str | tuple[int, str]] = {
    "https://seals.example.org/strangford": page(
        "Strangford Lough review",
        "The turbine in Strangford Lough was switched off in 2019 after 11 years of operation.",
        "Observers on the shore found that seals kept 200 metres away from the turning blades.",
        "The review covers visits by boat and by air in all seasons of the licence.",
    ),
    "https://data.example.org/telemetry": page(
        "Telemetry of harbour seals",
        "Tagged harbour seals passed the narrows less often while the turbine was running.",
        "Their dives were 10% deeper near the array than elsewhere in the lough.",
        "Transmitters were worn for a season and fell off with the moult.",
    ),
    "https://data.example.org/spare": page(
        "Spare", "This page is listed, and no sentence of the report cites it.", "It has two lines."
    ),
}


@dataclass
class AuditWeb:
    """The web behind the doorway: pages by address; every other address answers 404.

    A page is HTML, a status with HTML, the bytes of a PDF, or an error to raise.

    archive: day of the archived copy by address, YYYYMMDD; delay_s: before each answer; calls: what
    was asked, in order; kill_at: the number of a request that ends the attempt, 0 for none.
    """

    pages: Mapping[str, Any] = field(default_factory=lambda: dict(PAGES))
    archive: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    calls: list[str] = field(default_factory=list)
    kill_at: int = 0
    on_call: Callable[[str], None] = lambda _url: None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def send(
        self, method: str, url: str, *, params: Mapping[str, str] | None = None, **_: Any
    ) -> HttpReply:
        with self.lock:
            self.calls.append(f"{method} {url} {dict(params) if params else ''}".rstrip())
            number = len(self.calls)
        if self.kill_at and number >= self.kill_at:
            raise Killed
        self.on_call(url)
        time.sleep(self.delay_s)
        host = urlsplit(url).hostname or ""
        if host == ARCHIVE:
            wanted = (params or {}).get("url") or parse_qs(urlsplit(url).query)["url"][0]
            return self._answer_as_archive(url, wanted)
        if host == f"web.{ARCHIVE}":
            _stamp, _, original = url.partition("/web/")[2].partition("/")
            return _html(url, 200, str(self.pages[f"copy of {original}"]))
        found = self.pages.get(url, (404, "<html><body>No such page.</body></html>"))
        if isinstance(found, BaseException):
            raise found
        if isinstance(found, bytes):
            return HttpReply(url, 200, {"content-type": "application/pdf"}, found)
        if isinstance(found, str):
            found = (200, found)
        return _html(url, *found)

    def _answer_as_archive(self, url: str, wanted: str) -> HttpReply:
        closest = {}
        if wanted in self.archive:
            stamp = f"{self.archive[wanted]}000000"
            copy = {"available": True, "status": "200", "timestamp": stamp}
            closest = {"closest": copy}
        body = json.dumps({"url": wanted, "archived_snapshots": closest}).encode()
        return HttpReply(url, 200, {"content-type": "application/json"}, body)

    def prepare_page(self, url: str) -> None: ...

    def close(self) -> None: ...


class Killed(BaseException):
    """Ends an attempt as a dying process does: nothing after it is recorded."""


def _html(url: str, status: int, body: str) -> HttpReply:
    return HttpReply(url, status, {"content-type": "text/html; charset=utf-8"}, body.encode())


@dataclass(frozen=True)
class AuditResources(Resources):
    """Resources whose web is scripted."""

    web: AuditWeb = field(default_factory=AuditWeb)

    @cached_property
    def client(self) -> Any:
        return self.web

    def open_page_cache(self, who: Principal) -> None:
        """Return no cache, so that every session asks."""


def open_resources(home: Path, web: AuditWeb | None = None, **env: str) -> AuditResources:
    given = {"ASSAY_HOME": str(home), "ASSAY_SEMANTIC": "0", **env}
    return AuditResources(Settings.from_env(given), web or AuditWeb())


def attempt(resources: Resources, session: str, model: Model | None = None) -> str:
    """Run one attempt and return its outcome."""
    executor = heartbeats.make_executor_id()
    with heartbeats.keep_heartbeat(resources, executor):
        return runner.resume_or_run(resources, session, executor, model=model).outcome


def audit(
    resources: Resources,
    text: str = REPORT,
    request: AuditRequest = AuditRequest(name="report.md"),
    model: Model | None = None,
) -> tuple[str, AuditResult]:
    """Check a report to the end; return its session and result."""
    session = audits.new_audit(resources, text, request)
    assert attempt(resources, session, model) == "done"
    result = audits.read_audit(resources, session)
    assert result is not None
    schemas.assert_audit_follows_schema(result)
    run = snapshot.read_session(resources, session).run
    schemas.assert_report_follows_schema(report.build(run))
    return session, result


def refused(message: str = "Refused.", **fields: Any) -> FetchError:
    return FetchError(message, **fields)


def recorded_calls(resources: Resources, session: str) -> list[Event]:
    """The calls that the log of a session holds."""
    return open_log(resources, LOCAL_USER, session).read(kinds=("call",))
