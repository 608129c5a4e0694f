"""Research a company's brand from its homepage, its brand pages and search results, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from research_core.errors import FetchError
from research_core.journal.deps import Deps
from research_core.model_messages import Json
from research_core.models import HttpReply
from research_core.tools.brand import identity
from research_core.tools.brand.findings import (
    add_role_colours,
    extract_brand,
    measure_coverage,
    merge_findings,
)
from research_core.tools.brand.markup import Markup, read_markup
from research_core.tools.brand.pages import (
    MIN_TEXT_CHARACTERS,
    NEEDS_SCRIPTS,
    BrandPage,
    ProbeResult,
    describe_failure,
    fetch_homepage,
    find_subpages,
    is_about_brand,
    probe_candidates,
    read_brand_pages,
    select_brand_pages,
)
from research_core.trust.provenance import describe_copies

#: Brand pages read besides the portal; script-filled candidates rendered in a browser.
MAX_OTHER_PAGES, MAX_RENDERED_PAGES = 2, 2
#: Candidates that a note names one by one.
MAX_NAMED_CANDIDATES = 6
#: The parts of the answer that pages state.
PARTS = ("identity", "colors", "logos", "typography", "tone_of_voice", "social")


@dataclass
class BrandResearch:
    """The research of one company's brand.

    refuse: raises FetchError for an address that may not be read; failure: why the homepage could
    not be read; portal: the address of its guidelines; pages: the brand pages that were read;
    asked: every requested address; homes: addresses of the homepage, tried in order.
    """

    domain: str
    deps: Deps
    refuse: Callable[[str], None] = lambda _url: None
    found: Json = field(default_factory=dict)
    sources: list[Json] = field(default_factory=list)
    pages: list[BrandPage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    portal: str = ""
    failure: FetchError | None = None
    homes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.homes = self.homes or (f"https://{self.domain}/",)

    def read_homepage(self) -> None:
        """Read the homepage alone."""
        self._add_homepage(self._start_homepage())

    def read_site(self) -> None:
        """Read the homepage, and at the same time probe the usual addresses of brand pages."""
        reading = self._start_homepage()
        candidates = probe_candidates(self.domain, self.deps)
        self.asked += [candidate.url for candidate in candidates]
        home = self._add_homepage(reading)
        self._read_candidates(candidates, home)

    def _start_homepage(self) -> Future[tuple[HttpReply, Markup]]:
        for url in self.homes:
            self.refuse(url)
        self.asked += self.homes
        return self.deps.pool.submit(self._fetch_homepage)

    def _fetch_homepage(self) -> tuple[HttpReply, Markup]:
        reply = fetch_homepage(self.homes, self.deps)
        return reply, read_markup(reply)

    def _add_homepage(self, reading: Future[tuple[HttpReply, Markup]]) -> HttpReply | None:
        """Add what the homepage declares, or a note if it could not be read. Return its reply."""
        try:
            reply, markup = reading.result()
        except FetchError as error:
            self.failure = error
            self.notes.append(
                f"The homepage {self.homes[0]} could not be read"
                f" ({describe_failure(error)}). {error.message}"
            )
            return None
        self._add_findings("homepage_meta", markup.url, _read_declared(markup, self.domain))
        return reply

    def _read_candidates(self, candidates: Sequence[ProbeResult], home: HttpReply | None) -> None:
        """Read the first candidate that is a brand page as the portal, then some of the others."""
        rendered: list[str] = []
        if self.deps.browser:
            unrendered = [each.url for each in candidates if each.unchecked == NEEDS_SCRIPTS]
            rendered = unrendered[:MAX_RENDERED_PAGES]
        # The final address of each brand page, by the address of its candidate.
        addresses: dict[str, str] = {}
        for candidate in select_brand_pages(candidates, home):
            if candidate.reply:
                addresses[candidate.url] = candidate.reply.url
        pages, _ = read_brand_pages(rendered, self.deps)
        self._note_copies(pages)
        for page in pages:
            if is_about_brand(page.markup):
                addresses[page.address] = page.address
        in_order = [addresses[each.url] for each in candidates if each.url in addresses]
        self.read(in_order, "brand_page")
        unknown = [each for each in candidates if each.unchecked and each.url not in rendered]
        if unknown:
            self.notes.append(_describe_unchecked(unknown))

    def read(self, urls: Sequence[str], source: str) -> None:
        """Read the first of these brand pages, and the subpages of the portal.

        The first page becomes the portal if there is none yet. source: the name of the origin.
        """
        known = {page.address for page in self.pages}
        urls = [url for url in dict.fromkeys(urls) if url not in known][: 1 + MAX_OTHER_PAGES]
        pages = self._read_allowed(urls)
        if source == "web_search":
            # A search result may only look like a brand page, so its text has to say so.
            pages = [page for page in pages if is_about_brand(page.markup)]
            urls = [page.address for page in pages]
        if urls and not self.portal:
            self.portal = urls[0]
            portals = [page for page in pages if page.address == self.portal]
            if portals:
                subpages = [url for url in find_subpages(portals[0]) if url not in urls]
                pages = [*pages[:1], *self._read_allowed(subpages), *pages[1:]]
        self.pages += pages
        for page in pages:
            self._add_findings(source, page.page.final_url, extract_brand(page.markup))

    def _read_allowed(self, urls: Sequence[str]) -> list[BrandPage]:
        """Return the pages that may and could be read, and add a note for each other one."""
        allowed: list[str] = []
        for url in urls:
            try:
                self.refuse(url)
                allowed.append(url)
            except FetchError as error:
                self.notes.append(f"{url} was not read. {error.message}")
        pages, failures = read_brand_pages(allowed, self.deps)
        self.asked += allowed
        self._note_copies(pages)
        for url, failure in failures:
            self.notes.append(f"{url} could not be read ({describe_failure(failure)}).")
        return pages

    def _note_copies(self, pages: Sequence[BrandPage]) -> None:
        """Add a note for each page that was read from a stored copy, once."""
        for page in pages:
            for sentence in describe_copies(page.page):
                note = f"{page.address}: {sentence}"
                if note not in self.notes:
                    self.notes.append(note)

    def _add_findings(self, name: str, url: str, stated: Json) -> None:
        """Merge the findings of a source, and record the source with the fields it added."""
        self.found, added = merge_findings(self.found, stated)
        if added or name != "homepage_meta":
            self.sources.append({"name": name, "url": url, "fields": added})

    def answer(self) -> Json:
        """Return all parts of the answer, empty ones as empty objects."""
        found = add_role_colours(self.found)
        answer: Json = {name: found.get(name, {}) for name in PARTS}
        answer["sources"] = self.sources
        answer["coverage"] = measure_coverage(found)
        return answer

    @property
    def text(self) -> str:
        """Return the text of the brand pages under their titles, "" if there is next to none."""
        if sum(len(page.markup.text) for page in self.pages) <= MIN_TEXT_CHARACTERS:
            return ""
        parts: list[str] = []
        for page in self.pages:
            title = page.markup.title or page.address
            parts += [f"# {title}", f"Source: {page.page.final_url}", page.markup.text]
        return "\n\n".join(parts)


def _read_declared(page: Markup, domain: str) -> Json:
    declared: Json = {
        "identity": identity.read_identity(page, domain),
        "logos": identity.read_logos(page),
        "social": identity.find_accounts(page),
    }
    entries = identity.read_theme_colour(page)
    if entries:
        declared["colors"] = {"palette": entries}
    return declared


def _describe_unchecked(candidates: Sequence[ProbeResult]) -> str:
    named = [f"{each.url} ({each.unchecked})" for each in candidates[:MAX_NAMED_CANDIDATES]]
    if len(candidates) > MAX_NAMED_CANDIDATES:
        named.append(f"and {len(candidates) - MAX_NAMED_CANDIDATES} more")
    return (
        "Could not be checked, so that brand pages there are neither found nor ruled out:"
        f" {'; '.join(named)}."
    )
