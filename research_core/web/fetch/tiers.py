"""Read a page of the web by trying several ways in order; keep the outcome of each.

One request asks for Markdown and HTML at once. Pages that need scripts go to a browser if there is
one. Third parties come last, and never receive an address that was refused, was not proved public
or is private to a user. Each tier's own module says how it reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from research_core.errors import FetchError, error_from_json, error_to_json
from research_core.journal import redaction
from research_core.journal.deps import Deps
from research_core.journal.events import Draft
from research_core.model_messages import Json
from research_core.models import Attempt, HttpReply, Page, attempts_to_json
from research_core.settings import TIMEOUTS_S
from research_core.urls import find_host, is_under_domain
from research_core.web import sites
from research_core.web.fetch import archive, exa, walls
from research_core.web.fetch.browser import explain_missing_browser
from research_core.web.fetch.responses import find_page_redirect, read_page_reply
from research_core.web.signatures import MAX_DOCUMENT_BYTES
from research_core.web.sites import reddit

#: Bytes of a page; for PDF and office documents see `MAX_DOCUMENT_BYTES`.
MAX_BYTES = 5_000_000
#: Seconds for which other sessions may reuse a page.
TTL_S = 3600.0
#: Markdown is preferred, and trusted no more than HTML.
NEGOTIATION_HEADERS = {
    "accept": (
        "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.8, application/pdf;q=0.8,"
        " text/plain;q=0.7, */*;q=0.5"
    )
}
#: What browsers send, for servers that refuse the above. The User-Agent stays our own.
ORDINARY = {
    "accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "accept-language": "en-US,en;q=0.5",
}
REFUSING = frozenset({400, 403, 406, 415})
#: Redirects, HTTP or in the page, from an address to its text.
MAX_REDIRECTS = 5

#: Sites known to render by script; others are detected.
SCRIPTED_SITES = (
    "go.dev", "pkg.go.dev", "patents.google.com", "scholar.google.com", "news.google.com",
    "trends.google.com", "youtube.com",
    "linkedin.com", "facebook.com", "instagram.com", "medium.com", "dev.to",
)  # fmt: skip
#: Seconds without change before a page counts as rendered.
STABLE_S, STABLE_SCRIPTED_S = 0.5, 2.0

#: Priority of failures when one must name the whole; among equals the earliest.
PRIORITY = (
    "validation", "not_found", "auth_required", "rate_limited", "blocked", "disallowed",
    "browser_unavailable", "too_large", "unsupported",
    "content_empty", "upstream_unavailable", "circuit_open", "timeout", "bad_reply", "config",
    "network",
)  # fmt: skip
#: Failures after which the same site is not asked in another way.
DEFINITE = frozenset(
    {"validation", "not_found", "auth_required", "rate_limited", "blocked", "disallowed"}
)
#: Failures of a site's own reader that are final.
SAID_BY_SITES = frozenset({"not_found", "auth_required"})
#: Tiers of a plain request.
PLAIN = frozenset({"markdown", "html", "document"})
#: Failures after which an archived copy may be read, and a paid reader may be used.
COPY_AFTER = frozenset(
    {"not_found", "blocked", "content_empty", "upstream_unavailable", "network", "timeout"}
)
PAID_AFTER = COPY_AFTER - {"not_found"}
#: Kinds of bytes for which another copy may hold text although this one does not, and their
#: tier. Any other failure to parse is the document's own: no copy and no paid reader is asked.
PAGES = {"html": "html", "xhtml": "html", "markdown": "markdown", "text": "document"}
#: Parameters that make an address private.
OWN_PARAMS = redaction.SECRET_PARAMS | redaction.SIGNATURE_PARAMS

#: Outcome of an attempt by the kind of its failure.
OUTCOMES = {
    "validation": "address refused", "not_found": "no copy", "auth_required": "login",
    "rate_limited": "asked to wait",
    "blocked": "refused", "disallowed": "robots.txt", "browser_unavailable": "not installed",
    "too_large": "too large",
    "unsupported": "not readable", "content_empty": "no text",
    "upstream_unavailable": "out of order",
    "circuit_open": "left alone", "timeout": "no answer in time",
    "bad_reply": "answer not usable", "config": "the settings do not allow it",
    "network": "no connection",
}  # fmt: skip
#: Outcome if the answer arrived but could not be parsed.
UNREAD = {
    "too_large": "too much to read",
    "timeout": "takes too long to read",
    "upstream_unavailable": "its reader does not start",
}


@dataclass
class PageRead:
    """The state of reading one page.

    read: as in `read_web`. failures: those of the site itself; failures of third parties appear in
    the attempts only. thin: a page with very little text, or of which less than half was read, kept
    in case nothing better comes; shell: whether its scripts may hold more.
    """

    url: str
    deps: Deps
    read: Callable[[HttpReply, str], Page]
    attempts: list[Attempt] = field(default_factory=list)
    failures: list[FetchError] = field(default_factory=list)
    thin: Page | None = None
    shell: bool = False

    @property
    def scripted(self) -> bool:
        """Whether the page's site renders its pages by script."""
        try:
            name = find_host(self.url)
        except ValueError:  # which the guard will say
            return False
        return any(is_under_domain(name, site) for site in SCRIPTED_SITES)

    def failed_with(self, kinds: frozenset[str]) -> bool:
        """Return whether all of the site's failures are of these kinds, at a public address.

        A missing browser says nothing about a site and is ignored.
        """
        said = [error for error in self.failures if error.kind != "browser_unavailable"]
        return bool(said or self.thin) and all(
            error.public and error.kind in kinds and not _is_document_failure(error)
            for error in said
        )


def _is_document_failure(error: FetchError) -> bool:
    """Return whether the document itself failed, which is the same wherever it comes from."""
    return bool(error.found) and (error.kind != "content_empty" or error.found not in PAGES)


@dataclass(frozen=True)
class ReadingTier:
    """A way of reading.

    wanted: whether it should be tried now; read: returns the page or raises FetchError; site:
    whether it contacts the site itself.
    """

    name: str
    wanted: Callable[[PageRead], bool]
    read: Callable[[PageRead], Page]
    site: bool = True


def read_web(
    url: str, deps: Deps, *, read: Callable[[HttpReply, str], Page] = read_page_reply
) -> Page:
    """Read the page at this address of the web, with the attempts made.

    read: makes a page of an answer to its address. Raises FetchError, whose `tried` holds the
    outcome of each attempt.
    """
    page_read = PageRead(url, deps, read)
    if (page := _read_with_site_reader(page_read)) is not None:
        return page
    for tier in sorted(
        TIERS, key=lambda tier: page_read.scripted and tier.name != "browser"
    ):  # stable: the others keep their order
        if not tier.wanted(page_read):
            continue
        try:
            page = tier.read(page_read)
        except FetchError as error:
            page_read.attempts.append(Attempt(_label_attempt(tier, error), label_outcome(error)))
            page_read.failures += [error] if tier.site else []
            continue
        if page.archived:
            page = replace(page, live_failure=_choose_main_failure(page_read.failures))
        if not _note_if_thin(page, page_read):
            return replace(page, url=url, attempts=(*page_read.attempts, *page.attempts))
    if page_read.thin:
        return replace(
            page_read.thin,
            attempts=_replace_last_tier(page_read.attempts, page_read.thin.tier),
            partial=True,
        )
    raise combine_failures(page_read)


def _label_attempt(tier: ReadingTier, error: FetchError) -> str:
    """Return the name of an attempt: for a plain one, what kind of answer came."""
    if tier.name == "html" and error.found:
        return PAGES.get(error.found, "document")
    return tier.name


def _read_with_site_reader(page_read: PageRead) -> Page | None:
    """Read the page with its site's own reader; None if there is none or it failed.

    A failed one is then tried as an ordinary page. Only "no such page" and "login required" are
    believed of a site's reader; its other failures say nothing about the page.
    """
    site = sites.find_site(page_read.url, page_read.deps.run.sites)
    if site is None:
        return None
    try:
        return site.read(page_read.url, _make_requester(page_read))
    except FetchError as error:
        page_read.attempts += [
            *(Attempt(**each) for each in error.tried),
            Attempt(site.name, label_outcome(error)),
        ]
        if error.kind in SAID_BY_SITES:
            error.public = True
            page_read.failures.append(error)
        return None


def _make_requester(page_read: PageRead) -> Deps:
    """Return dependencies for asking others on behalf of this page."""
    return replace(page_read.deps, http=page_read.deps.http.on_behalf(page_read.url))


def _note_if_thin(page: Page, page_read: PageRead) -> bool:
    """Return whether a better reading should be tried; note this page as thin if so.

    A later page that is no longer than a thin one is discarded as well.
    """
    if page_read.thin is None:
        if not page_read.shell or page.tier != "html":
            return False
        page_read.thin = page
    elif len(page.text) > len(page_read.thin.text):
        return False
    page_read.attempts.append(Attempt(page.tier, f"{len(page.text)} characters"))
    return True


def _replace_last_tier(attempts: Sequence[Attempt], tier: str) -> tuple[Attempt, ...]:
    return (*(attempt for attempt in attempts if attempt.tier != tier), Attempt(tier))


# ---------------------------------------------------------------- the tiers


def _read_plainly(page_read: PageRead) -> Page:
    """Read Markdown or HTML, whichever the server gives, and record the attempts.

    A second request is sent only if the server refuses the first or its Markdown is poor.
    """
    reply = _request_page(page_read, NEGOTIATION_HEADERS)
    refusal = _find_markdown_refusal(reply)
    if refusal:
        page_read.attempts.append(Attempt("markdown", refusal))
        reply = _request_page(page_read, ORDINARY)
    try:
        page = _parse_within_deadline(reply, page_read)
    except FetchError as error:
        page_read.shell = error.kind == "content_empty" and walls.is_shell(reply.body, "")
        raise
    tier = page.kind if page.kind in ("markdown", "html") else "document"
    if tier != "html":
        page_read.shell = False
        return replace(page, attempts=(Attempt(tier),), signals={})
    page_read.shell = page.partial or walls.is_shell(reply.body, page.text)
    if not refusal and not _is_labelled_markdown(reply):
        page_read.attempts.append(Attempt("markdown", "not offered"))
    signals = reddit.read_post_signals(page.final_url, page.structured.get("jsonLd", ()))
    return replace(page, attempts=(Attempt(tier),), signals=signals)


def _find_markdown_refusal(reply: HttpReply) -> str:
    """Return why an answer calls for a second request, without Markdown; "" if it does not."""
    if reply.status in REFUSING:
        return f"HTTP {reply.status}"
    if _is_labelled_markdown(reply) and not _is_markdown(reply):
        return "too little of it"
    return ""


def _request_page(page_read: PageRead, headers: dict[str, str]) -> HttpReply:
    """Return the answer; for a page that only redirects, that of its target, once."""
    most: dict[str, Any] = {
        "timeout_s": TIMEOUTS_S["page"],
        "max_bytes": MAX_BYTES,
        "max_document": MAX_DOCUMENT_BYTES,
    }

    def ask(url: str) -> HttpReply:
        return page_read.deps.http.send("GET", url, headers=headers, ttl_s=TTL_S, page=True, **most)

    reply = ask(page_read.url)
    if len(reply.hops) >= MAX_REDIRECTS or not (url := find_page_redirect(reply)):
        return reply
    there = ask(url)
    hops = (*reply.hops, reply.url, *there.hops)
    if len(hops) > MAX_REDIRECTS:
        raise FetchError(f"The site redirected more than {MAX_REDIRECTS} times.", kind="bad_reply")
    return replace(there, hops=hops)


_MARKDOWN_MARKS = tuple(
    re.compile(mark, re.MULTILINE)
    for mark in (
        rb"^#{1,6} ",
        rb"^\s{0,3}[-*+] \S",
        rb"^\d+[.)] \S",
        rb"^(?:```|~~~)",
        rb"\[[^\]\n]+\]\([^)\s]+",
    )
)


def _is_labelled_markdown(reply: HttpReply) -> bool:
    return reply.content_type.endswith("markdown") and 200 <= reply.status < 300


def _is_markdown(reply: HttpReply) -> bool:
    """Return whether an answer labelled Markdown is: 50 characters and two kinds of marks.

    A Markdown file is accepted as it is.
    """
    if urlsplit(reply.url).path.lower().endswith((".md", ".markdown")):
        return True
    body = reply.body[:200_000]
    marks = sum(bool(mark.search(body)) for mark in _MARKDOWN_MARKS)
    return len(body.strip()) >= 50 and marks >= 2


def _parse_within_deadline(reply: HttpReply, page_read: PageRead) -> Page:
    """Parse an answer into its page.

    That parsing took too long is recorded as a decision, since a replay on another machine could
    not derive it from the recorded calls.
    """
    log, key = page_read.deps.log, f"unread:{reply.url}"
    if late := log.find_choice(key):
        raise _make_too_slow_error(late)
    try:
        return page_read.read(reply, page_read.url)
    except FetchError as error:
        if error.kind != "timeout":
            raise
        (stands,) = log.append(
            Draft(
                "decide",
                {
                    "do": "unread",
                    "url": page_read.url,
                    "found": error.found,
                    "error": error_to_json(error),
                },
                key,
            )
        )
        raise _make_too_slow_error(stands.data) from error


def _make_too_slow_error(decided: Json) -> FetchError:
    error = error_from_json(decided["error"])
    assert isinstance(error, FetchError)
    error.found = decided["found"]
    return error


def _read_in_browser(page_read: PageRead) -> Page:
    """Read the page after its scripts have run.

    A missing browser is recorded like an answer, so that a replay needs none either.
    """
    stable_s = STABLE_SCRIPTED_S if page_read.scripted else STABLE_S
    http = page_read.deps.http
    browser = page_read.deps.browser

    def render() -> Any:
        if browser is None:
            missing = explain_missing_browser(page_read.deps.settings)
            raise FetchError(
                "The page's scripts cannot be run here.",
                kind="browser_unavailable",
                next_step=missing or "A browser is installed now: restart Assay.",
            )
        return browser.render(
            page_read.url, stable_s=stable_s, timeout_s=TIMEOUTS_S["browser"], go_on=http.check_stop
        )

    drawn = http.call("browser", {"url": page_read.url, "stable_s": stable_s}, render)
    body = drawn["html"].encode("utf-8", "replace")
    hops = (page_read.url,) if drawn["url"] != page_read.url else ()
    reply = HttpReply(drawn["url"], drawn["status"], drawn["headers"], body, hops)
    return replace(page_read.read(reply, page_read.url), attempts=(Attempt("browser"),))


def _should_read_plainly(page_read: PageRead) -> bool:
    return not any(error.kind in DEFINITE for error in page_read.failures)


def _should_use_browser(page_read: PageRead) -> bool:
    if not _should_read_plainly(page_read):
        return False
    was_read_plainly = any(attempt.tier in PLAIN for attempt in page_read.attempts)
    return page_read.shell if was_read_plainly else page_read.scripted


def _should_read_archive(page_read: PageRead) -> bool:
    return (
        "archive" in page_read.deps.run.fallbacks
        and page_read.thin is None
        and page_read.failed_with(COPY_AFTER)
        and is_safe_to_share(page_read.url)
    )


def _should_use_exa(page_read: PageRead) -> bool:
    return (
        "exa" in page_read.deps.run.fallbacks
        and not (page_read.thin and page_read.thin.partial)
        and page_read.failed_with(PAID_AFTER)
        and is_safe_to_share(page_read.url)
    )


def is_safe_to_share(url: str) -> bool:
    """Return whether an address holds nothing private: no user name, key or signature."""
    parts = urlsplit(url)
    named = any(name.lower() in OWN_PARAMS for name, _ in parse_qsl(parts.query))
    return not (parts.username or named or re.search(redaction.JWT_PATTERN, unquote(url)))


#: In order; pages of `SCRIPTED_SITES` go to the browser first.
TIERS = (
    ReadingTier("html", _should_read_plainly, _read_plainly),
    ReadingTier("browser", _should_use_browser, _read_in_browser),
    ReadingTier(
        "archive",
        _should_read_archive,
        lambda page_read: archive.read_archived_copy(page_read.url, page_read.deps),
        site=False,
    ),
    ReadingTier(
        "exa",
        _should_use_exa,
        lambda page_read: exa.read_with_exa(page_read.url, _make_requester(page_read)),
        site=False,
    ),
)


# ---------------------------------------------------------------- when all fail


def label_outcome(error: FetchError) -> str:
    """Return what an attempt came to, in a word or two."""
    if error.status and not 200 <= error.status < 300:
        return f"HTTP {error.status}"
    if error.found and error.kind in UNREAD:
        return UNREAD[error.kind]
    return OUTCOMES[error.kind]


def combine_failures(page_read: PageRead) -> FetchError:
    """Return one error for the whole page: its main failure, and what each tier ended with."""
    main = _choose_main_failure(page_read.failures)
    message = main.message
    if len(page_read.attempts) > 1:
        outcomes = ", ".join(f"{attempt.tier}: {attempt.outcome}" for attempt in page_read.attempts)
        message = f"{message} Tried: {outcomes}."
    waits = [
        each.retry_after for each in (main, *page_read.failures) if each.retry_after is not None
    ]
    error = FetchError(
        message,
        kind=main.kind,
        status=main.status,
        retry_after=waits[0] if waits else None,
        next_step=main.next_step,
        public=main.public,
    )
    error.tried = tuple(attempts_to_json(page_read.attempts))
    return error


def _choose_main_failure(failures: Sequence[FetchError]) -> FetchError:
    """Return the failure that stands for the whole page.

    A missing browser counts only if the page had no text without one.
    """
    real = [error for error in failures if error.kind != "browser_unavailable"]
    helps = all(error.kind == "content_empty" for error in real)
    return min(failures if helps else real, key=lambda error: PRIORITY.index(error.kind))
