"""Read one cited source of a checked report, and find out what became of it if it does not open.

A source "never existed" only if its host does not answer for it, the archive answered that it has
no copy, and no registry has its DOI. Whatever could not be asked leaves it dead or not read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from research_core.citations.checks import works
from research_core.citations.checks.claim_verdict import (
    ClaimVerdict,
    PassageJudge,
    combine_verdicts,
)
from research_core.citations.checks.links import GONE, find_archived_copy, may_ask_archive
from research_core.citations.checks.matching import list_content_words
from research_core.citations.formats.item import Item
from research_core.citations.formats.plain import parse_reference
from research_core.citations.source_labels import strip_entry_marks
from research_core.errors import FetchError, SearchError
from research_core.i18n import N_, _, gettext, ngettext
from research_core.journal.deps import Deps
from research_core.model_messages import Json
from research_core.models import Page
from research_core.search.providers import unpaywall
from research_core.trust import copies, ratings
from research_core.urls import (
    build_doi_url,
    find_doi,
    find_host,
    has_public_suffix,
    is_own_document,
    is_under_domain,
)
from research_core.web.failure_texts import describe_failure
from research_core.web.fetch.archive import ARCHIVE_ROOT, NO_COPY
from research_core.web.fetch.paywalls import is_behind_paywall, raise_for_stored_error
from research_core.web.fetch.read_page import read_page
from research_core.web.fetch.tiers import read_web
from research_core.web.http.client import CERTIFICATE_ERROR

#: What became of a cited source. "never existed": no archive and no registry has it, and its host
#: does not answer for it; "not read": any other reason.
SourceState = Literal["live", "dead", "never existed", "refused", "paywalled", "not read"]
#: States by the kind of failure; other failures leave a source not read.
_STATES: Mapping[str, SourceState] = {
    "not_found": "dead",
    "auth_required": "paywalled",
    "blocked": "refused",
    "disallowed": "refused",
    "rate_limited": "refused",
    # A server answered, with something that cannot be read.
    "too_large": "live",
    "unsupported": "live",
    "content_empty": "live",
    "bad_reply": "live",
}
#: Why a work found by its title is not read.
SAME_WORK_NOTE = N_("The report lists the same work with its address.")
#: What a library holds in place of a page, by the kind of error.
_STORED_ERRORS: Mapping[str, str] = {
    "not_found": N_("The library's copy is an error page."),
    "blocked": N_("The library's copy is a page that refuses programs."),
    "auth_required": N_("The library's copy is a sign-in page."),
}
#: The status by which a server asks for money.
PAYMENT_REQUIRED = 402
#: Words of the shortest title that a registry is asked for.
MIN_TITLE_WORDS = 3
#: Digits of the day in the time of an archived copy.
_DAY_DIGITS = 8


@dataclass(frozen=True)
class SourceReading:
    """The result of reading a source.

    page: None if it could not be read; facts: of its `fetched` event; failure: a sentence, "" if it
    was read; check: data of its `source_checked` event.
    """

    page: Page | None
    check: Json
    facts: Json = field(default_factory=dict)
    failure: str = ""


def leave_unread(key: str, reason: str) -> SourceReading:
    """Return the result for a source that was not requested."""
    check = {"key": key, "state": "not read", "reason": reason}
    return SourceReading(None, check, failure=reason)


def read_source(
    work: Mapping[str, Any], deps: Deps, *, checks_content: bool = True
) -> SourceReading:
    """Read a work of the report, once, in its library or on the web. Never raises FetchError.

    work: key, url and entry as `audits.new_audit` stores them. A work without an address in the
    report, for which a registry has one, also has cited_as: its key in the report.
    checks_content: tell stored error pages and openings before a paywall from pages, and say in the
    report's language why a page could not be read, which audits of older rules did not.
    """
    key = work["key"]
    is_found_by_title = "cited_as" in work
    doi = find_doi(key) if _is_doi_address(key) else ""
    registered = None
    if doi and not deps.run.library_only:
        registered = works.look_up_doi(deps, doi)
    try:
        read = _read_sound_copy if checks_content else _read_best_copy
        page = read(key, doi, deps)
    except FetchError as error:
        failure = _describe_failure(error, checks_content)
        check = _classify_failure(work, error, failure, registered, deps)
        # The report gives no link of such a work, so it has no dead one.
        if is_found_by_title and check["state"] in ("dead", "never existed"):
            check["state"] = "not read"
        return SourceReading(None, {"key": key, **check}, failure=failure)
    is_opening = checks_content and is_behind_paywall(page)
    if is_opening:
        page = replace(page, partial=True)
    facts = {
        **copies.collect_facts(page),
        **ratings.rate_redirect(deps, key, page.final_url),
    }
    state: SourceState = "live"
    reason = _("Found by its title.") if is_found_by_title else ""
    if page.live_failure is not None:
        state = _find_state(page.live_failure)
        reason = _describe_failure(page.live_failure, checks_content)
    elif is_opening:
        state = "paywalled"
        reason = _("Only the opening of the page is free to read.")
    check = {"key": key, "state": state, "reason": reason}
    if registered is not None and registered.retracted:
        check["retracted"] = registered.registry
    return SourceReading(page, check, facts)


def has_searchable_title(work: Mapping[str, Any]) -> bool:
    """Return True if a work has no address, but a title to search the registries for."""
    entry = strip_entry_marks(work["entry"], work["marks"])
    if work["url"] or "://" in entry:
        return False
    title = parse_reference(entry).title
    return len(list_content_words(title)) >= MIN_TITLE_WORDS


def find_registered_work(work: Mapping[str, Any], deps: Deps) -> tuple[str, str]:
    """Search the registries for a work without an address; return (address, why not).

    One of the two is "". Only a match of high confidence counts. Never raises SearchError.
    """
    entry = strip_entry_marks(work["entry"], work["marks"])
    match = works.search_work(deps, parse_reference(entry), entry)
    found = match.work
    if match.confidence == "high" and found.doi:
        return build_doi_url(found.doi), ""
    if match.confidence == "high" and found.record is not None and found.record.url:
        return found.record.url, ""
    if not match.answered:
        return "", _("The report gives no address of it, and no registry could be asked.")
    return "", _("The report gives no address of it, and no registry has a work of this title.")


def _is_doi_address(key: str) -> bool:
    """Return whether a work is cited by an address of the DOI system."""
    try:
        return is_under_domain(find_host(key), "doi.org")
    except ValueError:
        return False


def _read_sound_copy(key: str, doi: str, deps: Deps) -> Page:
    """Read a work. If the library's copy is an error page, read the web instead where allowed."""
    page = _read_best_copy(key, doi, deps)
    if page.tier != "library":
        return page
    try:
        raise_for_stored_error(page)
    except FetchError as error:
        if deps.run.library_only or is_own_document(key):
            what = _STORED_ERRORS.get(error.kind, _STORED_ERRORS["not_found"])
            raise FetchError(gettext(what), kind=error.kind) from error
        return read_web(key, deps)
    return page


def _read_best_copy(key: str, doi: str, deps: Deps) -> Page:
    """Read the library's copy, the open full text of a DOI, or the page itself."""
    if deps.run.library_only:
        if deps.documents is None:
            raise FetchError(_("No library is searched."), kind="not_found")
        return _read_in_library(key, deps)
    pdf = _find_open_text(doi, deps) if doi else ""
    if pdf:
        try:
            return replace(read_page(pdf, deps), url=key)
        except FetchError:
            return read_page(key, deps)
    return read_page(key, deps)


def _read_in_library(key: str, deps: Deps) -> Page:
    """Read the page in the library, as `read_page` does; a page that it lacks is not requested."""
    documents, library = deps.documents, deps.run.library
    assert documents is not None
    known = deps.http.call("library", {"library": library, "url": key}, lambda: documents.read(key))
    if known is None and not is_own_document(key):
        raise FetchError(_("The library has no copy of it."), kind="config")
    return read_page(key, deps)


def _find_open_text(doi: str, deps: Deps) -> str:
    """Return the address of the open PDF that Unpaywall knows, "" if none or not configured."""
    question = {"asked": "whether Unpaywall can be asked"}
    if not deps.http.record_fact(question, lambda: bool(deps.settings.unpaywall_email)):
        return ""
    http = deps.http.for_service(unpaywall.SERVICE, pace_s=unpaywall.PACE_S, ttl_s=unpaywall.TTL_S)
    try:
        known = unpaywall.find_best_pdf(http, deps.settings.unpaywall_email, doi)
    except SearchError:
        return ""  # the page itself is read
    http.release_answers()
    return known[1] if known else ""


# ---------------------------------------------------------------- what does not open


def _describe_failure(error: FetchError, translated: bool) -> str:
    return describe_failure(error) if translated else error.sentence()


def _find_state(error: FetchError) -> SourceState:
    if error.status == PAYMENT_REQUIRED:
        return "paywalled"
    return _STATES.get(error.kind, "not read")


def _classify_failure(
    work: Mapping[str, Any],
    error: FetchError,
    reason: str,
    registered: works.Work | None,
    deps: Deps,
) -> Json:
    """Return the state of a source that could not be read, with what the archive has of it."""
    check: Json = {"state": _find_state(error), "reason": reason}
    if registered is not None and registered.retracted:
        check["retracted"] = registered.registry
    if deps.run.library_only:
        return {**check, "state": "not read"}
    url = work["key"]
    is_silent = error.kind == "network" and error.public and CERTIFICATE_ERROR not in error.message
    is_unreachable = is_silent or (error.absent and has_public_suffix(url))
    if not (check["state"] == "dead" or is_unreachable) or not may_ask_archive(url, deps):
        return check
    copy = ""
    was_archived = False
    try:
        copy = find_archived_copy(url, deps)
    except FetchError as failed:
        if failed.kind != "not_found":
            return check  # the archive did not answer, so perhaps the network is down
        was_archived = failed.message != NO_COPY
    check["state"] = "dead"
    if copy:
        day = copy.removeprefix(f"{ARCHIVE_ROOT}/")[:_DAY_DIGITS]
        check["archived"] = copy
        check["archived_day"] = f"{day[:4]}-{day[4:6]}-{day[6:]}"
        return check
    is_gone = error.absent or error.status in GONE or error.kind == "not_found"
    if is_gone and not was_archived and not _may_be_registered(work, registered, deps):
        check["state"] = "never existed"
    return check


def _may_be_registered(work: Mapping[str, Any], registered: works.Work | None, deps: Deps) -> bool:
    """Return True if a registry has the work, or could not say that it does not."""
    if registered is not None:
        return registered.exists is not False
    doi = find_doi(work["key"]) or find_doi(work["entry"])
    if doi:
        return works.look_up_doi(deps, doi).exists is not False
    if not work["entry"]:
        return False
    # A work may have moved: its title is searched in the registries.
    match = works.search_work(deps, Item(title=work["entry"]), work["entry"])
    return not match.answered or match.confidence in ("high", "medium")


# ---------------------------------------------------------------- the verdict on a claim


def judge_source(reading: SourceReading, judge: PassageJudge) -> ClaimVerdict:
    """Return the verdict on a claim by one of its sources. judge: judges the text of the page."""
    if reading.page is None:
        return ClaimVerdict("could not check", note=reading.failure)
    verdict = judge(reading.page.text)
    if verdict.verdict == "not found" and reading.page.partial:
        note = _("Only a part of the source could be read.")
        return replace(verdict, verdict="could not check", kind="", note=note)
    return verdict


def combine_sources(
    claim: str,
    citations: Sequence[tuple[str, ClaimVerdict]],
    pages: Mapping[str, str],
    *,
    context: str = "",
    judge: PassageJudge | None = None,
) -> ClaimVerdict:
    """Combine the verdicts of the sources of a claim, by the texts of those that were read.

    citations: (source, verdict) in the order of the report. What the sources that were read do not
    say, one that was not read may say. context, judge: as for `combine_verdicts`.
    """
    if not citations:
        return ClaimVerdict(
            "could not check", note=_("The report lists no source for this citation.")
        )
    read = [(key, verdict) for key, verdict in citations if key in pages]
    if not read:
        return citations[0][1]
    whole = read[0][1]
    if len(read) > 1:
        texts = [pages[key] for key, _verdict in read]
        verdicts = [verdict for _key, verdict in read]
        whole = combine_verdicts(verdicts, claim, texts, context=context, judge=judge)
    unread = len(citations) - len(read)
    if not unread or whole.verdict not in ("not found", "not decided"):
        return whole
    note = ngettext(
        "{count} of its {total} sources could not be read; the others do not say it.",
        "{count} of its {total} sources could not be read; the others do not say it.",
        unread,
    ).format(count=unread, total=len(citations))
    return replace(whole, verdict="could not check", kind="", note=note)
