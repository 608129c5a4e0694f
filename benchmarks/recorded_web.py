"""A web of stored pages with a search engine, in place of a run's HTTP client. No socket is opened.

The search answers like a SearXNG server, ranked by BM25 over title, snippet, address and the first
words of the text. A page that is not stored is a 404, and so is every robots.txt.
"""

from __future__ import annotations

import html
import json
import re
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from benchmarks.bm25 import Bm25
from benchmarks.inputs import read_json_lines
from research_core.models import HttpReply
from research_core.urls import canonical_url
from research_core.web.http.client import Client

#: The address of the search engine, as the setting SEARXNG_URL.
SEARCH_URL = "http://127.0.0.1:9"
ROWS = 10
#: Words of a page, its title included, that are searched.
SEARCHED_WORDS = 1500
#: Characters of a snippet.
SNIPPET_LENGTH = 300
_HIDDEN = re.compile(r"(?is)<(script|style|noscript|svg)[^>]*>.*?</\1>")
_TAG = re.compile(r"(?s)<[^>]+>")

Row = dict[str, Any]


class RecordedWeb(Client):
    """The client of a run: searches and reads the pages of a data set.

    data: its folder, with `index.jsonl`. sets: of the pages that there are, () for all.
    """

    def __init__(self, data: Path, sets: Collection[str] = ()) -> None:
        super().__init__()
        self._archives: dict[str, zipfile.ZipFile] = {}
        self._rows: dict[str, Row] = {}
        self._folder = data.parent
        for row in read_json_lines(data / "index.jsonl"):
            try:
                address = canonical_url(row["url"])
            except ValueError:
                continue
            if not sets or row["set"] in sets:
                self._rows.setdefault(address, row)
        texts = {address: self._read_text(row) for address, row in self._rows.items()}
        self._ranking = Bm25(texts, SEARCHED_WORDS)

    @property
    def urls(self) -> frozenset[str]:
        """The canonical addresses of all pages."""
        return frozenset(self._rows)

    def send(  # type: ignore[override]
        self, method: str, url: str, *, params: Mapping[str, str] | None = None, **_: Any
    ) -> HttpReply:
        """Answer a search or a page; the limits of a request are not looked at."""
        if url.startswith(SEARCH_URL):
            return _reply(url, 200, "application/json", self._search((params or {}).get("q", "")))
        row = self._rows.get(canonical_url(url))
        if row is None or method != "GET":
            return _reply(url, 404, "text/html", b"<h1>Not found</h1>")
        return _reply(url, 200, "text/html; charset=utf-8", self._read_body(row))

    def prepare_page(self, url: str) -> None:
        """Do nothing: there is no connection."""

    def _search(self, query: str) -> bytes:
        results = []
        for address in self._ranking.find(query, ROWS):
            row = self._rows[address]
            results.append(
                {
                    "url": row["url"],
                    "title": row["title"],
                    "content": (row.get("snippet") or "")[:SNIPPET_LENGTH],
                    "engine": "recorded",
                }
            )
        return json.dumps({"query": query, "results": results}).encode()

    def _read_body(self, row: Row) -> bytes:
        if row["zip"] not in self._archives:
            self._archives[row["zip"]] = zipfile.ZipFile(self._folder / row["zip"])
        return self._archives[row["zip"]].read(row["member"])

    def _read_text(self, row: Row) -> str:
        body = self._read_body(row).decode("utf-8", "replace")
        text = html.unescape(_TAG.sub(" ", _HIDDEN.sub(" ", body)))
        address = " ".join(urlsplit(unquote(row["url"]))[1:3])
        return f"{row['title']} {row['title']} {row.get('snippet') or ''} {address} {text}"


def _reply(url: str, status: int, content_type: str, body: bytes) -> HttpReply:
    return HttpReply(url, status, {"content-type": content_type}, body)
