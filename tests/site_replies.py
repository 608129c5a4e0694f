"""Services as the readers of sites meet them: an `Http` that answers from files.

The files are in `tests/replies/sites`; it keeps what it was asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlencode

from research_core.errors import FetchError
from research_core.journal.deps import Deps
from research_core.models import HttpReply, Page
from research_core.web import sites

REPLIES = Path(__file__).parent / "replies" / "sites"
PDF = (REPLIES.parent / "pages" / "report.pdf").read_bytes()

#: What a service answers: a file below REPLIES, bytes, a status alone, a whole reply, or an error
#: of the way there.
Answer = str | bytes | int | HttpReply | Exception


def body(answer: str) -> bytes:
    return (REPLIES / answer).read_bytes()


def reply(answer: Answer, url: str = "https://service.example.org/") -> HttpReply:
    if isinstance(answer, HttpReply):
        return answer
    if isinstance(answer, int):
        return HttpReply(url, answer, {"retry-after": "7"}, b"<html><body>No.</body></html>")
    assert not isinstance(answer, Exception)
    return HttpReply(url, 200, {}, body(answer) if isinstance(answer, str) else answer)


class Services:
    """Answers by the first row whose beginning the address has (query included).

    Anything else is not found. asked: "METHOD address" in order; sent: (headers, json) of each.
    """

    def __init__(
        self, answers: Mapping[str, Answer] | None = None, *, otherwise: Answer = 404
    ) -> None:
        self.answers, self.otherwise = answers or {}, otherwise
        self.asked, self.sent = list[str](), list[tuple[Any, Any]]()

    def send(
        self, method: str, url: str, *, timeout_s: float, max_bytes: int, **options: Any
    ) -> HttpReply:
        assert timeout_s <= 20
        assert max_bytes <= 5_000_000
        params = options.get("params")
        full = f"{url}?{urlencode(params)}" if params else url
        self.asked.append(f"{method} {full}")
        self.sent.append((options.get("headers"), options.get("json")))
        answer = next(
            (answer for start, answer in self.answers.items() if full.startswith(start)),
            self.otherwise,
        )
        if isinstance(answer, Exception):
            raise answer
        return reply(answer, full)


def outcome(url: str, services: Services) -> Page | FetchError:
    """What `read` gives, or why it gives nothing."""
    try:
        return read(url, services)
    except FetchError as error:
        return error


def read(url: str, services: Services) -> Page:
    """What the site of this address makes of what its services answer."""
    site = sites.find_site(url)
    assert site is not None, url
    return site.read(url, cast(Deps, SimpleNamespace(http=services)))


HN, ALGOLIA = "https://hacker-news.firebaseio.com/v0", "https://hn.algolia.com/api/v1"
YOUTUBE, NCBI = (
    "https://www.youtube.com",
    "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi",
)
ARXIV_API, ARXIV = "https://export.arxiv.org/api/query", "https://arxiv.org"
FX, RAW, GISTS = (
    "https://api.fxtwitter.com",
    "https://raw.githubusercontent.com",
    "https://api.github.com/gists",
)
REPOS = "https://api.github.com/repos"

#: For every row of the table, and where a reader goes several ways for each of these: an address,
#: and what its services answer.
GOOD: dict[str, tuple[str, dict[str, Answer]]] = {
    "video": (
        "https://www.youtube.com/watch?v=tide_gauge1",
        {
            f"{YOUTUBE}/watch?v=tide_gauge1": "youtube/watch.html",
            f"{YOUTUBE}/api/timedtext?v=tide_gauge1": "youtube/captions.json",
        },
    ),
    "video, captions without a token": (
        "https://youtube.com/shorts/tide_gauge1",
        {
            f"{YOUTUBE}/watch": "youtube/watch-token.html",
            f"{YOUTUBE}/youtubei/v1/player": "youtube/player.json",
            f"{YOUTUBE}/api/timedtext": "youtube/captions.xml",
        },
    ),
    "video, description": (
        "https://youtu.be/tide_gauge1",
        {f"{YOUTUBE}/watch": "youtube/watch.html"},
    ),
    "hn item": (
        "https://news.ycombinator.com/item?id=4100",
        {
            f"{HN}/item/4100.json": "hn/item.json",
            f"{HN}/item/4104.json": "hn/comment.json",
            f"{ALGOLIA}/items/4100": "hn/tree.json",
        },
    ),
    "hn user": (
        "https://news.ycombinator.com/user?id=quay",
        {f"{HN}/user/quay.json": "hn/user.json"},
    ),
    "hn list": (
        "https://news.ycombinator.com/jobs",
        {
            f"{HN}/jobstories.json": "hn/list.json",
            f"{HN}/item/4202.json": "hn/job.json",
            f"{ALGOLIA}/search?": "hn/search.json",
        },
    ),
    "arxiv": (
        "https://arxiv.org/abs/2403.01234v2",
        {
            f"{ARXIV_API}?id_list=2403.01234v2": "arxiv/query.xml",
            f"{ARXIV}/html/2403.01234v2": "arxiv/paper.html",
        },
    ),
    "arxiv, pdf": (
        "https://arxiv.org/pdf/2403.01234v2",
        {f"{ARXIV}/abs/2403.01234v2": "arxiv/abs.html", f"{ARXIV}/pdf/2403.01234v2": PDF},
    ),
    "pubmed": (
        "https://pubmed.ncbi.nlm.nih.gov/30000001/",
        {f"{NCBI}?db=pubmed&id=30000001": "pubmed/abstract.xml"},
    ),
    "pmc": (
        "https://pmc.ncbi.nlm.nih.gov/articles/PMC7000001/",
        {f"{NCBI}?db=pmc&id=7000001": "pubmed/pmc.xml"},
    ),
    "x post": (
        "https://x.com/harbour_office/status/1764800000000000000",
        {f"{FX}/harbour_office/status/1764800000000000000": "x/post.json"},
    ),
    "x user": ("https://twitter.com/harbour_office", {f"{FX}/harbour_office": "x/user.json"}),
    "github file": (
        "https://github.com/quay/gauge/blob/main/gauge.py",
        {f"{RAW}/quay/gauge/main/gauge.py": "github/gauge.py.txt"},
    ),
    "github readme": (
        "https://github.com/quay/gauge",
        {f"{RAW}/quay/gauge/HEAD/README.md": "github/README.md"},
    ),
    "github readme of another name": (
        "https://github.com/quay/harbour",
        {f"{REPOS}/quay/harbour/readme": "github/readme.json"},
    ),
    "gist": (
        "https://gist.github.com/quay/aa5a315d61ae9438b18d",
        {f"{GISTS}/aa5a315d61ae9438b18d": "github/gist.json"},
    ),
}
