"""Search engines of our own for tests, and an Http without a journal.

The engines are ddgs's real readers led to a server on loopback.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from research_core.model_messages import Json
from research_core.models import HttpReply
from research_core.search.providers.ddgs import load_text_engines
from research_core.settings import Settings
from research_core.web.http.client import Client
from tests.timing import LONG_S

TITLE, ADDRESS, SNIPPET = (
    "Tides of the bay",
    "https://tides.example.org/bay",
    "The bay has the highest tides of all.",
)

#: What each engine answers when it found one page, in as few tags as its reader needs.
FOUND: dict[str, str] = {
    "duckduckgo": f'<div class="links_main result__body"><h2><a href="{ADDRESS}">{TITLE}</a></h2><a href="{ADDRESS}">{SNIPPET}</a></div>',
    "brave": f'<div data-type="web"><a href="{ADDRESS}"><div class="title">{TITLE}</div></a>'
    f'<div class="snippet"><div class="content">{SNIPPET}</div></div></div>',
    "mojeek": f'<ul class="results-standard"><li><h2><a href="{ADDRESS}">{TITLE}</a></h2><p class="s">{SNIPPET}</p></li></ul>',
    "yahoo": f'<div class="relsrch"><div class="compTitle"><h3>{TITLE}</h3><a href="https://r.example.com/RU={ADDRESS}/RK=2/RS=x">x</a></div>'
    f'<div class="compText">{SNIPPET}</div></div>',
    "startpage": f'<div class="result css-1"><a href="{ADDRESS}"><h2>{TITLE}</h2></a><p>{SNIPPET}</p></div>',
    "wikipedia": json.dumps(["tides", [TITLE], [""], [ADDRESS]]),
    "grokipedia": json.dumps({"results": [{"title": TITLE, "snippet": SNIPPET, "slug": "Tides"}]}),
}
#: And when it found nothing.
NOTHING: dict[str, str] = {
    "duckduckgo": '<div class="result__body"><div class="no-results">No  results.</div></div>',
    "brave": "<p>Sorry, no results found for <b>zzqx</b></p>",
    "mojeek": "<p>No pages found matching: <b>zzqx</b></p>",
    "yahoo": "<p>We did not find results for: <b>zzqx</b></p>",
    "startpage": "<p>Sorry, there are no results for this search.</p>",
    "wikipedia": '["zzqx",[],[],[]]',
    "grokipedia": '{"results": [], "total": 0}',
}
EXTRACT = json.dumps({"query": {"pages": {"1": {"extract": SNIPPET}}}})
START = '<form id="search"><input name="sc" value="x"></form>'


def answer(
    httpserver: HTTPServer, body: str | bytes, status: int = 200, content_type: str = "text/html"
) -> None:
    """Let every search get this answer; what engines ask besides (a start page, an introduction) is
    answered well.
    """

    def respond(request: Request) -> Response:
        if request.path == "/" or request.args.get("action") == "query":
            return Response(START if request.path == "/" else EXTRACT)
        return Response(body, status, content_type=content_type)

    httpserver.expect_request("/").respond_with_handler(respond)
    for path in ("/html/", "/search", "/sp/search", "/w/api.php", "/api/typeahead"):
        httpserver.expect_request(path).respond_with_handler(respond)


def rerouted(origin: str, timeout_s: float = LONG_S) -> Callable[[], Mapping[str, Any]]:
    """ddgs's own engines, whose every request goes to this origin instead."""

    class Rerouted:
        def __init__(self, inner: Any) -> None:
            self.client, self._inner = inner.client, inner

        def request(self, method: str, url: str, **options: Any) -> Any:
            parts = urlsplit(url)
            path = parts.path.partition(";")[0]
            return self._inner.request(
                method, f"{origin}{path}{'?' if parts.query else ''}{parts.query}", **options
            )

    def made(engine: Any) -> Callable[..., Any]:
        def make(timeout: float) -> Any:
            one = engine(timeout=timeout_s)
            one.http_client = Rerouted(one.http_client)
            return one

        return make

    return lambda: {name: made(engine) for name, engine in load_text_engines().items()}


class PlainHttp:
    """The doorway's `http` without a journal. calls: what went through `call`."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.calls: list[tuple[str, dict[str, Any], str]] = []

    def send(
        self,
        method: str,
        url: str,
        *,
        timeout_s: float = 15.0,
        max_bytes: int = 5_000_000,
        keep: bool = True,
        **rest: Any,
    ) -> HttpReply:
        return self._client.send(
            method, url, timeout_s=max(timeout_s, LONG_S), max_bytes=max_bytes, **rest
        )

    def call(
        self, kind: str, params: Mapping[str, Any], fn: Callable[[], Any], *, limit: str = ""
    ) -> Any:
        self.calls.append((kind, dict(params), limit))
        return fn()

    def check_stop(self) -> None: ...

    def close(self) -> None: ...

    def tally(self) -> Json:
        return {}


def with_searxng(origin: str, **options: Any) -> Settings:
    """Settings of a machine whose SearXNG server is at this origin."""
    return Settings(home=Path("unused"), database_url="", searxng_url=origin, **options)
