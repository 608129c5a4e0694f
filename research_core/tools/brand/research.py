"""Research a company's brand from its homepage, its brand pages and search results, in order."""

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

#: Brand pages read besides the portal; script-filled candidates rendered in a browser.
MAX_OTHER_PAGES, MAX_RENDERED_PAGES = 2, 2
#: Candidates that a note names one by one.
MAX_NAMED_CANDIDATES = 6
NEEDS_SCRIPTS = "its scripts would have to be run"


@dataclass
class BrandResearch:
    """The research of one company's brand.

    failure: why the homepage could not be read; portal: the address of its guidelines; sheets: the
    brand pages that were read; asked: every requested address.
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
        """Read the homepage and, if `pages`, probe and read brand pages in parallel."""
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
        """Read the first candidate that is a brand page as the portal, then some of the others."""
        rendered: list[str] = []
        if self.deps.browser:
            unrendered = [look.url for look in looks if look.unchecked == NEEDS_SCRIPTS]
            rendered = unrendered[:MAX_RENDERED_PAGES]
        # The final address of each brand page, by the address of its candidate.
        addresses: dict[str, str] = {}
        for look in select_brand_pages(looks, home):
            if look.reply:
                addresses[look.url] = look.reply.url
        pages, _ = read_brand_pages(rendered, self.deps)
        for page in pages:
            if is_about_brand(page.said):
                addresses[page.address] = page.address
        self.read([addresses[look.url] for look in looks if look.url in addresses], "brand_page")
        unknown = [look for look in looks if look.unchecked and look.url not in rendered]
        if unknown:
            self.notes.append(_describe_unchecked(unknown))

    def read(self, urls: Sequence[str], source: str) -> None:
        """Read the first of these brand pages, and the subpages of the portal.

        The first page becomes the portal if there is none yet. source: the name of the origin.
        """
        known = {each.address for each in self.sheets}
        urls = [url for url in dict.fromkeys(urls) if url not in known][: 1 + MAX_OTHER_PAGES]
        sheets = self._read(urls)
        if source == "web_search":
            # A search result may only look like a brand page, so its text has to say so.
            sheets = [each for each in sheets if is_about_brand(each.said)]
            urls = [each.address for each in sheets]
        if urls and not self.portal:
            self.portal = urls[0]
            portals = [each for each in sheets if each.address == self.portal]
            if portals:
                subpages = [url for url in find_subpages(portals[0]) if url not in urls]
                sheets = [*sheets[:1], *self._read(subpages), *sheets[1:]]
        self.sheets += sheets
        for each in sheets:
            self.take(source, each.page.final_url, extract_brand(each.said))

    def _read(self, urls: Sequence[str]) -> list[BrandPage]:
        """Return the pages that may and could be read, and add a note for each other one."""
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
        """Merge the findings of a source, and record the source with the fields it added."""
        self.found, added = merge_findings(self.found, told)
        if added or name != "homepage_meta":
            self.sources.append({"name": name, "url": url, "fields": added})

    def answer(self) -> Json:
        """Return all parts of the answer, empty ones as empty objects."""
        found = add_role_colours(self.found)
        parts = {
            name: found.get(name, {})
            for name in ("identity", "colors", "logos", "typography", "tone_of_voice", "social")
        }
        return {**parts, "sources": self.sources, "coverage": measure_coverage(found)}

    @property
    def text(self) -> str:
        """Return the text of the brand pages, "" if there is next to none."""
        said = join_texts(self.sheets)
        return (
            said if sum(len(each.said.text) for each in self.sheets) > MIN_TEXT_CHARACTERS else ""
        )


def find_cache_age(events: Sequence[Any], asked: Sequence[str]) -> int:
    """Return the age in seconds of the oldest cached answer, 0 if none was cached.

    events: the calls of the log.
    """
    requests = {f"{method} {url}" for method in ("GET", "HEAD") for url in asked}
    oldest = 0
    for event in events:
        about = event.data.get("about", {})
        if about.get("what") in requests:
            oldest = max(oldest, int(about.get("age", 0)))
    return oldest


def _read_declared(home: Markup, domain: str) -> Json:
    declared: Json = {
        "identity": homepage.read_identity(home, domain),
        "logos": homepage.read_logos(home),
        "social": homepage.find_accounts(home),
    }
    entries = homepage.read_theme_colour(home)
    if entries:
        declared["colors"] = {"palette": entries}
    return declared


def _describe_unchecked(looks: Sequence[ProbeResult]) -> str:
    named = "; ".join(f"{look.url} ({look.unchecked})" for look in looks[:MAX_NAMED_CANDIDATES])
    unnamed = len(looks) - MAX_NAMED_CANDIDATES
    more = f"; and {unnamed} more" if unnamed > 0 else ""
    return (
        "Could not be checked, so that brand pages there are neither found nor ruled out:"
        f" {named}{more}."
    )
