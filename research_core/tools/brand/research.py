"""What is known of a company's brand, put together in the order of the sources: its homepage, its
brand pages, then what searches find.

What an earlier source said no later one changes. What could not be asked or read is told apart from
what is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from research_core.errors import FetchError
from research_core.journal.deps import Deps
from research_core.model_messages import Json
from research_core.models import HttpReply
from research_core.tools.brand import homepage, markup
from research_core.tools.brand.markup import Markup
from research_core.tools.brand.portal import (
    MIN_TEXT_CHARACTERS,
    BrandPage,
    add_role_colours,
    extract_brand,
    find_subpages,
    join_texts,
    measure_coverage,
    merge_findings,
    read_brand_pages,
)
from research_core.tools.brand.probe import (
    ProbeResult,
    describe_failure,
    is_about_brand,
    list_candidates,
    probe_candidates,
    select_brand_pages,
)
from research_core.tools.brand.probe import fetch_homepage as front_page

#: Brand pages besides the portal that are read too; candidates that are drawn by scripts alone and
#: are looked at with a browser.
MAX_OTHER_PAGES, MAX_RENDERED_PAGES = 2, 2
#: Candidates that a note names one by one.
MAX_NAMED_CANDIDATES = 6
NEEDS_SCRIPTS = "its scripts would have to be run"


@dataclass
class BrandResearch:
    """One company's brand while it is looked for. failure: why the homepage could not be read;
    portal: where its guidelines are.

    sheets: the brand pages that were read; asked: every address that was asked for.
    """

    domain: str
    deps: Deps
    refuse: Callable[[str], None] = lambda _url: None
    found: Json = field(default_factory=dict)
    sources: list[Json] = field(default_factory=list)
    sheets: list[BrandPage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    portal: str = ""
    home: Markup | None = None
    failure: FetchError | None = None

    def look(self, *, pages: bool) -> None:
        """Ask for the homepage, and beside it for the brand pages where these are wanted."""
        url = f"https://{self.domain}/"
        self.refuse(url)
        front = self.deps.pool.submit(partial(self._front, url))
        looks = probe_candidates(self.domain, self.deps) if pages else []
        self.asked += [url, *(list_candidates(self.domain) if pages else ())]
        reply = front.result()
        if self.home is not None:
            self.take("homepage_meta", self.home.url, _read_declared(self.home, self.domain))
        if pages:
            self._choose(looks, reply)

    def _front(self, url: str) -> HttpReply | None:
        try:
            reply = front_page(self.domain, self.deps)
            self.home = markup.read_markup(reply)
            return reply
        except FetchError as error:
            self.failure = error
            self.notes.append(
                f"The homepage {url} could not be read ({describe_failure(error)}). {error.message}"
            )
            return None

    def _choose(self, looks: Sequence[ProbeResult], home: HttpReply | None) -> None:
        """Read the portal, the first candidate that is a brand page, with the pages it leads to;
        then some of the other candidates.
        """
        drawn = (
            [look.url for look in looks if look.unchecked == NEEDS_SCRIPTS][:MAX_RENDERED_PAGES]
            if self.deps.browser
            else []
        )
        right = {look.url: look.reply.url for look in select_brand_pages(looks, home) if look.reply}
        right |= {
            each.address: each.address
            for each in read_brand_pages(drawn, self.deps)[0]
            if is_about_brand(each.said)
        }
        self.read([right[look.url] for look in looks if look.url in right], "brand_page")
        if unknown := [look for look in looks if look.unchecked and look.url not in drawn]:
            self.notes.append(_describe_unchecked(unknown))

    def read(self, urls: Sequence[str], source: str) -> None:
        """Read the first of these brand pages, one as the portal where there is none yet, with what
        that leads to.
        """
        known = {each.address for each in self.sheets}
        urls = [url for url in dict.fromkeys(urls) if url not in known][: 1 + MAX_OTHER_PAGES]
        sheets = self._read(urls)
        if source == "web_search":  # what a search calls a brand page has to say so itself
            sheets = [each for each in sheets if is_about_brand(each.said)]
            urls = [each.address for each in sheets]
        if urls and not self.portal:
            self.portal = urls[0]
            first = next((each for each in sheets if each.address == urls[0]), None)
            within = (
                self._read([url for url in find_subpages(first) if url not in urls])
                if first
                else []
            )
            sheets = [*sheets[:1], *within, *sheets[1:]] if first else sheets
        self.sheets += sheets
        for each in sheets:
            self.take(source, each.page.final_url, extract_brand(each.said))

    def _read(self, urls: Sequence[str]) -> list[BrandPage]:
        """Those of these pages that this caller may read and that could be read; of the others a
        note.
        """
        allowed = []
        for url in urls:
            try:
                self.refuse(url)
                allowed.append(url)
            except FetchError as error:
                self.notes.append(f"{url} was not read. {error.message}")
        sheets, failures = read_brand_pages(allowed, self.deps)
        self.asked += allowed
        self.notes += [
            f"{url} could not be read ({describe_failure(error)})." for url, error in failures
        ]
        return sheets

    def take(self, name: str, url: str, told: Json) -> None:
        """Add what a source tells, and the source with the fields that it gave."""
        self.found, added = merge_findings(self.found, told)
        if added or name != "homepage_meta":
            self.sources.append({"name": name, "url": url, "fields": added})

    def answer(self) -> Json:
        """identity, colors, logos, typography, tone_of_voice, social, sources, coverage; of an
        empty part an empty object.
        """
        found = add_role_colours(self.found)
        parts = {
            name: found.get(name, {})
            for name in ("identity", "colors", "logos", "typography", "tone_of_voice", "social")
        }
        return {**parts, "sources": self.sources, "coverage": measure_coverage(found)}

    @property
    def text(self) -> str:
        """The text of the brand pages, "" where they hold next to none."""
        said = join_texts(self.sheets)
        return (
            said if sum(len(each.said.text) for each in self.sheets) > MIN_TEXT_CHARACTERS else ""
        )


def find_cache_age(events: Sequence[Any], asked: Sequence[str]) -> int:
    """How many seconds old the oldest of the answers is that came out of the cache, 0 where none
    did. events: the calls of the log.
    """
    said = {f"{method} {url}" for method in ("GET", "HEAD") for url in asked}
    about = [event.data.get("about", {}) for event in events]
    return max((int(each.get("age", 0)) for each in about if each.get("what") in said), default=0)


def _read_declared(home: Markup, domain: str) -> Json:
    entries = homepage.read_theme_colour(home)
    parts = {
        "identity": homepage.read_identity(home, domain),
        "logos": homepage.read_logos(home),
        "social": homepage.find_accounts(home),
    }
    return parts | ({"colors": {"palette": entries}} if entries else {})


def _describe_unchecked(looks: Sequence[ProbeResult]) -> str:
    named = "; ".join(f"{look.url} ({look.unchecked})" for look in looks[:MAX_NAMED_CANDIDATES])
    more = (
        f"; and {len(looks) - MAX_NAMED_CANDIDATES} more"
        if len(looks) > MAX_NAMED_CANDIDATES
        else ""
    )
    return (
        "Could not be checked, so that brand pages there are neither found nor ruled out:"
        f" {named}{more}."
    )
