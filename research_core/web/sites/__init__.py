"""Find the reader for sites whose text is not in their HTML.

One literal table lists the addresses each takes. A reader sends requests only through `deps.http`;
what it cannot read it raises as a FetchError, and the ordinary tiers are tried next.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from research_core.models import Attempt, Page
from research_core.urls import canonical_url
from research_core.values import SITES as NAMES
from research_core.web.sites import arxiv, github, hn, pubmed, x, youtube

if TYPE_CHECKING:
    from research_core.journal.deps import Deps

Reader = Callable[[str, "Deps", Mapping[str, str]], Page]


@dataclass(frozen=True)
class Site:
    """Addresses of a site, and their reader.

    hosts: whole host names; addresses: matches path, "?" and query as a whole, with named parts.
    """

    name: str
    hosts: frozenset[str]
    addresses: re.Pattern[str]
    reader: Reader

    def parts(self, url: str) -> Mapping[str, str] | None:
        """Return the parts of an address this site takes, or None for any other."""
        address = _split_canonical(url)
        # With a port of its own it is another server.
        if address is None or address.netloc not in self.hosts:
            return None
        found = self.addresses.fullmatch(f"{address.path}?{address.query}")
        return found and {
            name: part for name, part in found.groupdict().items() if part is not None
        }

    def read(self, url: str, deps: Deps) -> Page:
        """Read the page; its attempts list the ways that failed, then this site.

        Raises FetchError, whose `tried` lists those ways.
        """
        parts = self.parts(url)
        if parts is None:
            raise ValueError(f"{url!r} is no address of {self.name}")
        page = self.reader(url, deps, parts)
        return replace(page, attempts=(*page.attempts, Attempt(self.name)))


@lru_cache(maxsize=64)
def _split_canonical(url: str) -> SplitResult | None:
    """Return the parts of the canonical address, None if it has none."""
    try:
        return urlsplit(canonical_url(url))
    except ValueError:
        return None


def _make_site(name: str, hosts: str, addresses: str, reader: Reader) -> Site:
    return Site(name, frozenset(hosts.split()), re.compile(addresses, re.ASCII), reader)


_YOUTUBE = "youtube.com www.youtube.com m.youtube.com www.youtube-nocookie.com"
_HN = "news.ycombinator.com"
_ARXIV = "arxiv.org www.arxiv.org export.arxiv.org ar5iv.org ar5iv.labs.arxiv.org"
_PUBMED, _PMC = "pubmed.ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov"
_NCBI, _EUROPE = "www.ncbi.nlm.nih.gov ncbi.nlm.nih.gov", "europepmc.org www.europepmc.org"
_X = "x.com www.x.com mobile.x.com twitter.com www.twitter.com mobile.twitter.com"
_GITHUB = "github.com www.github.com"
#: First path segments of X and GitHub that are not names.
_X_RESERVED = (
    "home|explore|search|notifications|messages|settings|login|signup|tos|privacy|hashtag|intent"
    "|share|compose|jobs|about|i"
)
_GITHUB_RESERVED = (
    "about|apps|collections|contact|customer-stories|enterprise|events|explore|features|issues"
    "|login|marketplace|new|notifications|orgs|pricing|pulls|search|security|settings|site|sponsors"
    "|stars|team|topics|trending|users"
)
_VIDEO = r"(?P<id>[\w-]{11})"
_PAPER = r"(?P<id>\d{4}\.\d{4,5}(?:v\d{1,3})?|[a-z-]{2,20}(?:\.[A-Z]{2})?/\d{7}(?:v\d{1,3})?)"
_REPOSITORY = (
    rf"/(?!(?:{_GITHUB_RESERVED})/)(?P<owner>[A-Za-z\d-]{{1,39}})/(?P<repo>[\w.-]{{1,100}}?)"
)

SITES = (
    _make_site("youtube", _YOUTUBE, rf"/watch/?\?(?:.*&)?v={_VIDEO}(?:&.*)?", youtube.read_video),
    _make_site(
        "youtube", _YOUTUBE, rf"/(?:shorts|embed|live|v)/{_VIDEO}/?\?.*", youtube.read_video
    ),
    _make_site("youtube", "youtu.be", rf"/{_VIDEO}/?\?.*", youtube.read_video),
    _make_site("hn", _HN, r"/item(?:\?(?:.*&)?id=|/)(?P<id>\d{1,12})(?:[?&].*)?", hn.read_item),
    _make_site(
        "hn", _HN, r"/user(?:\?(?:.*&)?id=|/)(?P<user>[\w-]{1,40})(?:[?&].*)?", hn.read_user
    ),
    _make_site("hn", _HN, r"/(?P<list>|news|newest|best|ask|show|jobs)\?", hn.read_list),
    _make_site(
        "arxiv", _ARXIV, rf"/(?:abs|pdf|html|format)/{_PAPER}(?:\.pdf)?/?\?.*", arxiv.read_paper
    ),
    _make_site("pubmed", _PUBMED, r"/(?P<id>\d{1,9})/?\?.*", pubmed.read_abstract),
    _make_site("pubmed", _NCBI, r"/(?:m/)?pubmed/(?P<id>\d{1,9})/?\?.*", pubmed.read_abstract),
    _make_site(
        "pubmed",
        _EUROPE,
        r"/(?:article|abstract)/(?:med|MED)/(?P<id>\d{1,9})/?\?.*",
        pubmed.read_abstract,
    ),
    _make_site("pubmed", _PMC, r"/articles/PMC(?P<id>\d{1,9})(?:/.*)?\?.*", pubmed.read_article),
    _make_site(
        "pubmed",
        _NCBI,
        r"/(?:labs/)?pmc/articles/PMC(?P<id>\d{1,9})(?:/.*)?\?.*",
        pubmed.read_article,
    ),
    _make_site(
        "pubmed",
        _EUROPE,
        r"/(?:article|abstract)/(?:pmc|PMC)/PMC(?P<id>\d{1,9})/?\?.*",
        pubmed.read_article,
    ),
    _make_site(
        "x",
        _X,
        r"/(?P<user>\w{1,15}|i/web)/(?:status|statuses|article)/(?P<id>\d{1,20})(?:/.*)?\?.*",
        x.read_post,
    ),
    _make_site("x", _X, rf"/(?!(?:{_X_RESERVED})[/?])(?P<user>\w{{1,15}})/?\?.*", x.read_user),
    _make_site(
        "github",
        _GITHUB,
        rf"{_REPOSITORY}/(?:blob|raw)/(?P<ref>[^/?]+)/(?P<path>[^?]+)\?.*",
        github.read_file,
    ),
    _make_site("github", _GITHUB, rf"{_REPOSITORY}(?:\.git)?/?\?.*", github.read_readme),
    _make_site(
        "github",
        "gist.github.com",
        r"/(?:[A-Za-z\d-]{1,39}/)?(?P<id>[\da-f]{20,40})/?\?.*",
        github.read_gist,
    ),
)


def find_site(url: str, names: Collection[str] = NAMES) -> Site | None:
    """Return the site that reads this address, among those named; None for an ordinary page."""
    return next(
        (site for site in SITES if site.name in names and site.parts(url) is not None), None
    )
