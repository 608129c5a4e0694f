"""A web, a browser and a log in memory for tests of how pages are read.

What is asked goes through a real doorway, and is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from research_core.context import memory_log
from research_core.errors import FetchError
from research_core.journal.deps import Deps
from research_core.journal.doorway import Doorway
from research_core.journal.log import EventLog
from research_core.llm.offline import OfflineModel
from research_core.model_messages import Json
from research_core.models import HttpReply
from research_core.policy import Caps, RunSettings
from research_core.settings import Settings
from tests.world import StillClock

URL = "https://harbour.example.org/notes"
POOL = ThreadPoolExecutor(4)
Answer = HttpReply | FetchError | Callable[[Mapping[str, Any]], HttpReply]


def reply(
    body: bytes | str = b"",
    content_type: str = "text/html",
    *,
    status: int = 200,
    url: str = URL,
    **headers: str,
) -> HttpReply:
    """headers: names with _ for -. hops: addresses before the final one, with spaces."""
    hops = tuple(headers.pop("hops", "").split())
    others = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpReply(
        url,
        status,
        {"content-type": content_type, **others},
        body.encode() if isinstance(body, str) else body,
        hops,
    )


def article(*paragraphs: str, title: str = "Gauge", head: str = "") -> str:
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body><main><article>{text}</article></main></body></html>"


LONG = (
    "The gauge on the north pier reads high by four centimetres, because the pier has settled since the gauge was put up in 1974.",
    "Readings before that year were taken by hand at noon, and are kept in the harbour office together with the weather of the day.",
)
PAGE = article(*LONG)
SHELL = '<!doctype html><html><head><title>Gauge</title></head><body><div id="root"></div><script src="/app.js"></script></body></html>'


@dataclass
class Web:
    """A raw http that answers by address; anything else does not resolve. asked: (method, address,
    options) of each request.
    """

    answers: Mapping[str, Answer] = field(default_factory=dict)
    asked: list[tuple[str, str, Mapping[str, Any]]] = field(default_factory=list)

    def send(self, method: str, url: str, **options: Any) -> HttpReply:
        self.asked.append((method, url, options))
        answer = self.answers.get(url, FetchError("The name could not be found.", kind="network"))
        if isinstance(answer, FetchError):
            raise answer
        return answer if isinstance(answer, HttpReply) else answer(options)

    @property
    def urls(self) -> list[str]:
        return [url for _, url, _ in self.asked]


@dataclass
class Rendering:
    """A browser that answers by address: the drawn HTML, or a failure."""

    pages: Mapping[str, str | FetchError] = field(default_factory=dict)
    asked: list[tuple[str, float, float]] = field(default_factory=list)

    def render(
        self, url: str, *, stable_s: float, timeout_s: float, go_on: Callable[[], None]
    ) -> Json:
        self.asked.append((url, stable_s, timeout_s))
        go_on()
        page = self.pages[url]
        if isinstance(page, FetchError):
            raise page
        headers = {"content-type": "text/html; charset=utf-8"}
        return {
            "url": url,
            "status": 200,
            "headers": headers,
            "html": page,
            "requests": {"sent": 1, "refused": 0},
        }


def reading(
    web: Web,
    browser: Rendering | None = None,
    *,
    fallbacks: tuple[str, ...] = (),
    log: EventLog | None = None,
    exa_api_key: str = "",
    caps: Caps = Caps(),
) -> Deps:
    """Deps behind a real doorway. log: by default a new one in memory."""
    log, clock, model = log or memory_log("gauges"), StillClock(), OfflineModel()
    doorway = Doorway(log, web, model, clock, caps=caps)
    settings = Settings(home=Path("unused"), database_url="sqlite://", exa_api_key=exa_api_key)
    run = RunSettings(engines=("one",), fallbacks=fallbacks)
    return Deps(settings, run, doorway.http, doorway.model, log, clock, POOL, browser=browser)


def again(deps: Deps, browser: Rendering | None = None) -> tuple[Deps, Web]:
    """Deps that replay what these have recorded, on a machine with this browser and no key: every
    call is forbidden.
    """
    silent, log = Web(), deps.log.copy_in_memory()
    return reading(silent, browser, fallbacks=deps.run.fallbacks, log=log), silent
