"""The ways of reading a page of the web, tried in order until one gives it; each one's outcome is
kept.

One request asks for Markdown and HTML at once. What only scripts would show goes to a browser,
where there is one. Third parties come last, and are told of no address that was refused, was not
proved public or is somebody's own. How each tier reads is its own module's.
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
from research_core.web.documents.signatures import MAX_DOCUMENT_BYTES
from research_core.web.fetch import archive, exa, walls
from research_core.web.fetch.browser import explain_missing_browser
from research_core.web.http.responses import find_page_redirect, read_page_reply
from research_core.web.sites import reddit

#: Bytes of a page; those of a document, PDF or office, are `MAX_DOCUMENT`.
MAX_BYTES = 5_000_000
#: Seconds for which a page that one session read stands for another.
TTL_S = 3600.0
#: Markdown is preferred, and believed no more than HTML is.
NEGOTIATION_HEADERS = {
    "accept": (
        "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.8, application/pdf;q=0.8,"
        " text/plain;q=0.7, */*;q=0.5"
    )
}
#: What browsers send, for servers that refuse the other. No browser is imitated otherwise: the
#: User-Agent stays our own.
ORDINARY = {
    "accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "accept-language": "en-US,en;q=0.5",
}
REFUSING = frozenset({400, 403, 406, 415})
#: Redirects, and pages that only lead on, from a page to its text.
MAX_REDIRECTS = 5

#: Sites whose pages are made by their scripts alone; the others are found out.
SCRIPTED_SITES = (
    "go.dev", "pkg.go.dev", "patents.google.com", "scholar.google.com", "news.google.com",
    "trends.google.com", "youtube.com",
    "linkedin.com", "facebook.com", "instagram.com", "medium.com", "dev.to",
)  # fmt: skip
#: Seconds for which nothing may change before a page counts as drawn.
STABLE_S, STABLE_SCRIPTED_S = 0.5, 2.0

#: Which of several failures names the whole, the first that occurred; of equals the earliest.
PRIORITY = (
    "validation", "not_found", "auth_required", "rate_limited", "blocked", "disallowed",
    "browser_unavailable", "too_large", "unsupported",
    "content_empty", "upstream_unavailable", "circuit_open", "timeout", "bad_reply", "config",
    "network",
)  # fmt: skip
#: After these there is no point in asking the same site for the same page in another way.
DEFINITE = frozenset(
    {"validation", "not_found", "auth_required", "rate_limited", "blocked", "disallowed"}
)
#: What a site's own reader may say of a page for good.
SAID_BY_SITES = frozenset({"not_found", "auth_required"})
#: What a plain request comes to.
PLAIN = frozenset({"markdown", "html", "document"})
#: After these an old copy may still be had, and after these a paid reader may.
COPY_AFTER = frozenset(
    {"not_found", "blocked", "content_empty", "upstream_unavailable", "network", "timeout"}
)
PAID_AFTER = COPY_AFTER - {"not_found"}
#: Kinds of bytes without text of which another copy may hold some, and by what tier they are read.
#: Any other failure to read what was sent is the document's own: no copy of it, and nobody who is
#: paid, is asked.
PAGES = {"html": "html", "xhtml": "html", "markdown": "markdown", "text": "document"}
#: Parameters that make an address somebody's own.
OWN_PARAMS = redaction.SECRET_PARAMS | redaction.SIGNATURE_PARAMS

#: What an attempt came to, in a word or two, by the kind of its failure.
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
#: And where the answer came, and it was reading it that failed.
UNREAD = {
    "too_large": "too much to read",
    "timeout": "takes too long to read",
    "upstream_unavailable": "its reader does not start",
}


@dataclass
class PageRead:
    """The state of one page's reading. thin: a page with next to no text, kept in case nothing
    better comes; shell: its scripts may

    hold more. read: as `read_web` has it. failures: of the site itself; what third parties failed
    at is in the attempts alone.
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
        """Whether the page's site is one that is drawn by its scripts."""
        try:
            name = find_host(self.url)
        except ValueError:  # which the guard will say
            return False
        return any(is_under_domain(name, site) for site in SCRIPTED_SITES)

    def failed_with(self, kinds: frozenset[str]) -> bool:
        """Whether all the site's failures are of these kinds, and at a public address; that there
        is no browser says nothing of a site.
        """
        said = [error for error in self.failures if error.kind != "browser_unavailable"]
        return bool(said or self.thin) and all(
            error.public and error.kind in kinds and not _is_document_failure(error)
            for error in said
        )


def _is_document_failure(error: FetchError) -> bool:
    """Whether it failed at the document itself, which is the same wherever it is had from."""
    return bool(error.found) and (error.kind != "content_empty" or error.found not in PAGES)


@dataclass(frozen=True)
class Tier:
    """A way of reading. wanted: whether it is to be tried now; read: the page, or FetchError; site:
    whether it asks the site itself.
    """

    name: str
    wanted: Callable[[PageRead], bool]
    read: Callable[[PageRead], Page]
    site: bool = True


def read_web(
    url: str, deps: Deps, *, read: Callable[[HttpReply, str], Page] = read_page_reply
) -> Page:
    """The page at this address of the web, with the tiers that were tried. Raises FetchError, its
    `tried` the outcome of each.

    read: makes a page of an answer to its address.
    """
    walk = PageRead(url, deps, read)
    if (page := _read_with_site_reader(walk)) is not None:
        return page
    for tier in sorted(
        TIERS, key=lambda tier: walk.scripted and tier.name != "browser"
    ):  # stable: the others keep their order
        if not tier.wanted(walk):
            continue
        try:
            page = tier.read(walk)
        except FetchError as error:
            walk.attempts.append(Attempt(_attempt_label(tier, error), outcome_label(error)))
            walk.failures += [error] if tier.site else []
            continue
        if not _note_if_thin(page, walk):
            return replace(page, url=url, attempts=(*walk.attempts, *page.attempts))
    if walk.thin:
        return replace(
            walk.thin, attempts=_replace_last_tier(walk.attempts, walk.thin.tier), partial=True
        )
    raise combine_failures(walk)


def _attempt_label(tier: Tier, error: FetchError) -> str:
    """What an attempt is called: a plain one by what came of it, where something did."""
    return PAGES.get(error.found, "document") if tier.name == "html" and error.found else tier.name


def _read_with_site_reader(walk: PageRead) -> Page | None:
    """What the reader of this site makes of it, where it has one of its own. None where that
    failed; it is then an ordinary page.

    That there is no such page, or that it is somebody's own, is the site's word; other failures say
    nothing of the page.
    """
    site = sites.find_site(walk.url, walk.deps.run.sites)
    if site is None:
        return None
    try:
        return site.read(walk.url, _requester(walk))
    except FetchError as error:
        walk.attempts += [
            *(Attempt(**each) for each in error.tried),
            Attempt(site.name, outcome_label(error)),
        ]
        if error.kind in SAID_BY_SITES:
            error.public = True
            walk.failures.append(error)
        return None


def _requester(walk: PageRead) -> Deps:
    """For who asks others for the page."""
    return replace(walk.deps, http=walk.deps.http.on_behalf(walk.url))


def _note_if_thin(page: Page, walk: PageRead) -> bool:
    """Whether something better may come; the page is then noted. One that is not better than that
    is worth no more.
    """
    held, short = walk.thin, Attempt(page.tier, f"{len(page.text)} characters")
    if held is None and walk.shell and page.tier == "html":
        walk.thin = page
    elif held is None or len(page.text) > len(held.text):
        return False
    walk.attempts.append(short)
    return True


def _replace_last_tier(attempts: Sequence[Attempt], tier: str) -> tuple[Attempt, ...]:
    return (*(attempt for attempt in attempts if attempt.tier != tier), Attempt(tier))


# ---------------------------------------------------------------- the tiers


def _read_plainly(walk: PageRead) -> Page:
    """Markdown or HTML, whichever the server gives; a second request only where it refuses the
    first or gives poor Markdown.
    """
    reply = _request_page(walk, NEGOTIATION_HEADERS)
    why = (
        f"HTTP {reply.status}"
        if reply.status in REFUSING
        else ""
        if _is_markdown(reply)
        else "not offered"
    )
    if (
        reply.content_type.endswith("markdown")
        and why == "not offered"
        and 200 <= reply.status < 300
    ):
        why = "too little of it"
    if why in ("", "not offered"):
        return _parse_reply(reply, walk, why)
    walk.attempts.append(Attempt("markdown", why))
    return _parse_reply(_request_page(walk, ORDINARY), walk, "")


def _request_page(walk: PageRead, headers: dict[str, str]) -> HttpReply:
    """The answer; of a page that only says where another is that other one's, once, as of a
    redirect.
    """
    most: dict[str, Any] = {
        "timeout_s": TIMEOUTS_S["page"],
        "max_bytes": MAX_BYTES,
        "max_document": MAX_DOCUMENT_BYTES,
    }

    def ask(url: str) -> HttpReply:
        return walk.deps.http.send("GET", url, headers=headers, ttl_s=TTL_S, page=True, **most)

    reply = ask(walk.url)
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


def _is_markdown(reply: HttpReply) -> bool:
    """Whether an answer that calls itself Markdown is some: 50 characters, and two kinds of its
    marks. A file of it may be as it likes.
    """
    if not reply.content_type.endswith("markdown") or not 200 <= reply.status < 300:
        return False
    body = reply.body[:200_000]
    file = urlsplit(reply.url).path.lower().endswith((".md", ".markdown"))
    return file or (
        len(body.strip()) >= 50 and sum(bool(mark.search(body)) for mark in _MARKDOWN_MARKS) >= 2
    )


def _parse_reply(reply: HttpReply, walk: PageRead, markdown: str) -> Page:
    """The page of an answer, its attempts told. markdown: why it is none, "" where that was said or
    it is some.
    """
    try:
        page = _parse_within_deadline(reply, walk)
    except FetchError as error:
        walk.shell = error.kind == "content_empty" and walls.is_shell(reply.body, "")
        raise
    tier = page.kind if page.kind in ("markdown", "html") else "document"
    walk.shell = tier == "html" and walls.is_shell(reply.body, page.text)
    if tier == "html" and markdown:
        walk.attempts.append(Attempt("markdown", markdown))
    signals = (
        reddit.read_post_signals(page.final_url, page.structured.get("jsonLd", ()))
        if tier == "html"
        else {}
    )
    return replace(page, attempts=(Attempt(tier),), signals=signals)


def _parse_within_deadline(reply: HttpReply, walk: PageRead) -> Page:
    """The page of an answer. That it took too long to read is decided once: how fast a machine is
    can be told from no recorded call.
    """
    log, key = walk.deps.log, f"unread:{reply.url}"
    if late := log.find_choice(key):
        raise _is_too_slow(late)
    try:
        return walk.read(reply, walk.url)
    except FetchError as error:
        if error.kind != "timeout":
            raise
        (stands,) = log.append(
            Draft(
                "decide",
                {
                    "do": "unread",
                    "url": walk.url,
                    "found": error.found,
                    "error": error_to_json(error),
                },
                key,
            )
        )
        raise _is_too_slow(stands.data) from error


def _is_too_slow(decided: Json) -> FetchError:
    error = error_from_json(decided["error"])
    assert isinstance(error, FetchError)
    error.found = decided["found"]
    return error


def _read_in_browser(walk: PageRead) -> Page:
    """What the page's scripts make of it. That there is no browser is recorded like an answer, so
    that a replay needs none either.
    """
    stable_s, http, browser = (
        STABLE_SCRIPTED_S if walk.scripted else STABLE_S,
        walk.deps.http,
        walk.deps.browser,
    )

    def render() -> Any:
        if browser is None:
            raise FetchError(
                "The page's scripts cannot be run here.",
                kind="browser_unavailable",
                next_step=explain_missing_browser(walk.deps.settings)
                or "There is a browser by now: start Assay again.",
            )
        return browser.render(
            walk.url, stable_s=stable_s, timeout_s=TIMEOUTS_S["browser"], go_on=http.check_stop
        )

    drawn = http.call("browser", {"url": walk.url, "stable_s": stable_s}, render)
    hops = (walk.url,) if drawn["url"] != walk.url else ()
    page = walk.read(
        HttpReply(
            drawn["url"],
            drawn["status"],
            drawn["headers"],
            drawn["html"].encode("utf-8", "replace"),
            hops,
        ),
        walk.url,
    )
    return replace(page, attempts=(Attempt("browser"),))


def _should_read_plainly(walk: PageRead) -> bool:
    return not any(error.kind in DEFINITE for error in walk.failures)


def _should_use_browser(walk: PageRead) -> bool:
    plainly = any(attempt.tier in PLAIN for attempt in walk.attempts)
    return _should_read_plainly(walk) and (walk.shell if plainly else walk.scripted)


def _should_read_archive(walk: PageRead) -> bool:
    return (
        "archive" in walk.deps.run.fallbacks
        and walk.thin is None
        and walk.failed_with(COPY_AFTER)
        and is_safe_to_share(walk.url)
    )


def _should_use_exa(walk: PageRead) -> bool:
    return (
        "exa" in walk.deps.run.fallbacks
        and walk.failed_with(PAID_AFTER)
        and is_safe_to_share(walk.url)
    )


def is_safe_to_share(url: str) -> bool:
    """Whether an address holds nothing that is somebody's own: no user name, key or signature."""
    parts = urlsplit(url)
    named = any(name.lower() in OWN_PARAMS for name, _ in parse_qsl(parts.query))
    return not (parts.username or named or re.search(redaction.JWT_PATTERN, unquote(url)))


#: In order; a page of `SCRIPTED_SITES` goes to the browser first.
TIERS = (
    Tier("html", _should_read_plainly, _read_plainly),
    Tier("browser", _should_use_browser, _read_in_browser),
    Tier(
        "archive",
        _should_read_archive,
        lambda walk: archive.read_archived_copy(walk.url, walk.deps),
        site=False,
    ),
    Tier(
        "exa",
        _should_use_exa,
        lambda walk: exa.read_with_exa(walk.url, _requester(walk)),
        site=False,
    ),
)


# ---------------------------------------------------------------- when all fail


def outcome_label(error: FetchError) -> str:
    """What an attempt came to, in a word or two."""
    words = OUTCOMES | UNREAD if error.found else OUTCOMES
    return (
        f"HTTP {error.status}"
        if error.status and not 200 <= error.status < 300
        else words[error.kind]
    )


def combine_failures(walk: PageRead) -> FetchError:
    """The failure that counts most, with what became of each tier where there were several."""
    chief = _main_failure(walk.failures)
    told = ", ".join(f"{attempt.tier}: {attempt.outcome}" for attempt in walk.attempts)
    error = FetchError(
        f"{chief.message} Tried: {told}." if len(walk.attempts) > 1 else chief.message,
        kind=chief.kind,
        status=chief.status,
        retry_after=next(
            (
                error.retry_after
                for error in (chief, *walk.failures)
                if error.retry_after is not None
            ),
            None,
        ),
        next_step=chief.next_step,
        public=chief.public,
    )
    error.tried = tuple(attempts_to_json(walk.attempts))
    return error


def _main_failure(failures: Sequence[FetchError]) -> FetchError:
    """The one that names the whole. That there is no browser says something only where the page had
    no text without one.
    """
    real = [error for error in failures if error.kind != "browser_unavailable"]
    helps = all(error.kind == "content_empty" for error in real)
    return min(failures if helps else real, key=lambda error: PRIORITY.index(error.kind))
