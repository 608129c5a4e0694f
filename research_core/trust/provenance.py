"""Describe in words where a source comes from, for screens and exports.

Covers its site, authors, kind, dates, whose copy it is, and what was not read. What a page says of
itself is untrusted: whoever draws it cleans it first. Nothing is decided here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from research_core.i18n import N_, _, gettext, join_list, ngettext
from research_core.models import ArchivedCopy, Attempt, Page, ReportSource, ScoreParts
from research_core.text.words import strip_invisible
from research_core.trust.page_signals import PageSignals
from research_core.urls import canonical_url, find_host, is_own_document, strip_user_part

#: The most authors named beside a source; more are "et al.".
MAX_AUTHORS = 3
#: The kinds of page that `Metadata.type` names, in words. The page's markup says so, or its host.
PAGE_KINDS = {
    "peer_reviewed": N_("paper"), "official_docs": N_("documentation"),
    "government": N_("government"), "news_publication": N_("news"),
    "blog": N_("blog"), "forum": N_("forum"), "wiki": N_("wiki"),
    "social_media": N_("social media"),
}  # fmt: skip
THIN_TEXT = N_("It has almost no text, and other ways of reading it failed.")
#: The tier of a page that Exa had stored and did not fetch.
EXA_CACHED_TIER = "exa:cached"
#: Tiers that ask a page's own site for the page.
PAGE_TIERS = frozenset({"markdown", "html", "document", "browser"})
#: Outcomes of such a tier that say nothing about the page.
NEUTRAL_OUTCOMES = frozenset({"", "not offered", "not installed"})
#: Why an archived copy was read instead of a page, by the outcome of asking its site.
LIVE_FAILURES = {
    "no copy": N_("the page is gone"),
    "refused": N_("the site refused access"),
    "no text": N_("the page has no readable text"),
    "out of order": N_("the site's server failed"),
    "no connection": N_("the site could not be reached"),
    "no answer in time": N_("the site did not answer in time"),
}
_HTTP_OUTCOME = re.compile(r"HTTP (\d{3})")
GONE_STATUSES = (404, 410)
#: A document without a web address: one that the reader added, or one of the sample library.
LIBRARY_DOCUMENT = N_("library document")


def name_site(url: str) -> str:
    """Return the host of an address, or what it is instead."""
    try:
        return find_host(url) or _(LIBRARY_DOCUMENT)
    except ValueError:
        return _("no web address")


def format_address(url: str) -> str:
    """Return an address for display, without user name and with "xn--" for other scripts."""
    url = strip_user_part(strip_invisible(url))
    try:
        name = urlsplit(url).hostname or ""
        host = find_host(url)
        if name.isascii():
            return url
        if name in url:
            return url.replace(name, host, 1)
        return canonical_url(url)  # the name is written in capitals or escaped
    except ValueError:
        return url


def describe_searched_as(url: str) -> str:
    """Describe a source that was found under another address than its own."""
    return _("found as {address}").format(address=url)


def find_claimed_address(source: ReportSource) -> str:
    """Return the address that an own document names as its own; "" for other sources."""
    return source.metadata.canonical if is_own_document(source.url) else ""


def describe_claimed_address(address: str) -> str:
    """Describe the address that an own document names as its own."""
    return _("states that it is from {address}").format(address=address)


def format_byline(source: ReportSource) -> str:
    """Return the authors, and the site's name if the address does not show it; or ""."""
    metadata = source.metadata
    authors = ", ".join(metadata.authors[:MAX_AUTHORS])
    if len(metadata.authors) > MAX_AUTHORS:
        authors += " et al."
    host = "".join(filter(str.isalnum, name_site(source.address)))
    site = "".join(filter(str.isalnum, metadata.site.casefold()))
    return " · ".join(filter(None, (authors, "" if site in host else metadata.site)))


def name_page_kind(source: ReportSource) -> str:
    """Return the kind of page in a word, or "" if it is unknown."""
    kind = PAGE_KINDS.get(source.metadata.type, "")
    return gettext(kind) if kind else ""


def format_dates(source: ReportSource) -> str:
    """Return the day a page is dated and the day it was changed, as it states them, or ""."""
    dates: list[str] = []
    if source.published:
        dates.append(_("dated {day}").format(day=source.published[:40]))
    changed = source.metadata.modified
    if changed and changed != source.published:
        dates.append(_("changed {day}").format(day=changed))
    return join_list(dates)


def is_undated(source: ReportSource) -> bool:
    """Return True if a page was read and states no day."""
    return bool(source.page) and not format_dates(source)


def describe_missing_date(source: ReportSource) -> str:
    """Say that no date was found on a page that was read, or ""."""
    return _("no date found on the page") if is_undated(source) else ""


def name_date_term(source: ReportSource) -> str:
    """Name the part of the credibility that a date in the snippet adds, or what is missing."""
    missing = describe_missing_date(source)
    if source.parts is None or not source.parts.recency:
        return missing or _("no date since 2020 in the snippet")
    dated = _("date since 2020 in the snippet")
    return join_list([dated, missing]) if missing else dated


def describe_same_site(source: ReportSource, sources: Iterable[ReportSource]) -> str:
    """Say why another page of the same site has another credibility score, or "".

    The page whose score differs most is named, with the parts that differ.
    """
    parts = source.parts
    if parts is None:
        return ""
    site = name_site(source.url)
    differing = []
    for other in sources:
        if other.parts is None or other.url == source.url or name_site(other.url) != site:
            continue
        if round(other.parts.score, 2) != round(parts.score, 2):
            differing.append(other.parts)
    if not differing:
        return ""
    other_parts = max(differing, key=lambda each: (abs(each.score - parts.score), each.score))
    reasons = _list_differing_parts(parts, other_parts)
    if not reasons:
        return ""
    return _("Another page of this site scored {score:.2f}: {reasons}.").format(
        score=other_parts.score, reasons=join_list(reasons)
    )


def _list_differing_parts(parts: ScoreParts, other: ScoreParts) -> list[str]:
    """Return what the snippet of another page of a site has, where it differs from this one's."""
    reasons = []
    if other.relevance != parts.relevance:
        words = _(
            "that page's snippet has {other} of your {count} keywords, this page's snippet has"
            " {own}"
        )
        count = len(other.matched) + len(other.missing)
        reasons.append(words.format(other=len(other.matched), own=len(parts.matched), count=count))
    if other.recency > parts.recency:
        reasons.append(_("that page's snippet has a date since 2020"))
    elif other.recency < parts.recency:
        reasons.append(_("that page's snippet has no date since 2020"))
    return reasons


def describe_unread(source: ReportSource) -> str:
    """Return what of the page was not read, or "" if all was."""
    return source.metadata.cut or (gettext(THIN_TEXT) if source.partial else "")


def find_live_status(attempts: Sequence[Attempt]) -> int | None:
    """Return the HTTP status that the site of an archived page answered with; None if unknown."""
    status = _HTTP_OUTCOME.fullmatch(_find_live_outcome(attempts))
    return int(status[1]) if status else None


def describe_live_failure(attempts: Sequence[Attempt]) -> str:
    """Return why an archived copy was read instead of the page, as a clause; "" if unknown."""
    status = find_live_status(attempts)
    if status is None:
        words = LIVE_FAILURES.get(_find_live_outcome(attempts), "")
        return gettext(words) if words else ""
    if status in GONE_STATUSES:
        return _("the page is gone (HTTP {status})").format(status=status)
    if status >= 500:
        return _("the site's server failed (HTTP {status})").format(status=status)
    return _("the site did not deliver the page (HTTP {status})").format(status=status)


def describe_archived_page(copy: ArchivedCopy, attempts: Sequence[Attempt]) -> str:
    """Return a sentence that says which copy was read instead of the live page, and why."""
    reason = describe_live_failure(attempts)
    words = _("The text is {copy} ({address}), not the live page.")
    if reason:
        words = _("The text is {copy} ({address}), not the live page: {reason}.")
    return words.format(copy=copy.named, address=copy.url, reason=reason)


def describe_copies(page: Page) -> list[str]:
    """Return a sentence for each stored copy that was read instead of the live page."""
    sentences: list[str] = []
    if page.archived:
        sentences.append(describe_archived_page(page.archived, page.attempts))
    if page.tier == EXA_CACHED_TIER:
        reason = describe_live_failure(page.attempts)
        words = _("The text is a copy stored by Exa, of an unknown day, not the live page.")
        if reason:
            words = _(
                "The text is a copy stored by Exa, of an unknown day, not the live page: {reason}."
            )
        sentences.append(words.format(reason=reason))
    if page.added:
        words = _("The text is from the library, added on {day}, not the live page.")
        if is_own_document(page.url):
            words = _("The text is from the library, added on {day}.")
        sentences.append(words.format(day=page.added))
    return sentences


def _find_live_outcome(attempts: Sequence[Attempt]) -> str:
    """Return what asking the site last came to.

    The site's own reader counts only if the page itself was not requested.
    """
    outcomes = [each.outcome for each in attempts if each.outcome not in NEUTRAL_OUTCOMES]
    of_page = [
        each.outcome
        for each in attempts
        if each.tier in PAGE_TIERS and each.outcome not in NEUTRAL_OUTCOMES
    ]
    return (of_page or outcomes or [""])[-1]


def describe_hidden_texts(source: ReportSource) -> str:
    """Return how many hidden texts were removed from the page, or ""."""
    return format_hidden_count(source.hidden.total)


def format_hidden_count(total: int) -> str:
    """Return the number of hidden texts in words, or "" for 0."""
    if not total:
        return ""
    return ngettext("{count:,} hidden text block", "{count:,} hidden text blocks", total).format(
        count=total
    )


def describe_machine_instructions(times: int) -> str:
    """Return how often a page addresses machines, or "" if it does not."""
    if not times:
        return ""
    return ngettext(
        "contains instructions to AI", "contains instructions to AI ({count:,} times)", times
    ).format(count=times)


def find_retraction(source: ReportSource) -> str:
    """Return who says that the source is retracted, its title or an index, or ""."""
    if PageSignals.from_json(source.page_signals).retracted:
        return _("its title")
    return source.metadata.retracted


def is_unknown_host(source: ReportSource) -> bool:
    """Return whether nothing is known of the host, so that it is valued as general web."""
    return source.parts is not None and source.parts.basis == "unknown"


def describe_copy(original: str) -> str:
    """Describe a source that is a copy; `original` is a label such as "[7]"."""
    return _("copy of {original}, counted once").format(original=original)
