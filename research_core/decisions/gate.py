"""Apply the policy to a view: what is blocked, kept and dropped, and which report follows.

Pure: nothing is fetched or judged anew. The pipeline and what-if decide here and everything else
reads what was decided, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from research_core.decisions.gate_rationale import (
    choose_decision,
    describe_unjudged,
    describe_unscored,
)
from research_core.decisions.view import Listing, RunView, SourceView, add_redirect_scores
from research_core.i18n import _, in_report_language, join_clauses
from research_core.journal.rule_versions import runs_under
from research_core.models import ANSWERED_STATES, Decision, Judgement, ScoreParts, Tie
from research_core.modes import ResearchMode
from research_core.policy import CredibilityPolicy, RunSettings
from research_core.trust import credibility, independence
from research_core.trust.hosts.owners import find_owner
from research_core.trust.independence import SourceIdentity
from research_core.urls import is_own_document

#: The version of the rules of scoring from which the reason tells unscored sources apart.
UNSCORED_VERSION = 3
#: The version of the scoring rules from which the decision says that no page was judged.
NONE_JUDGED_VERSION = 6
#: The version from which a refusal over sources that share one text is no longer called off topic.
COPIES_VERSION = 4
#: The version from which short pages whose titles name different things are no copies.
TITLES_VERSION = 6
#: The version from which the reason of a blocked source names only the part that decides, and the
#: decision says what the score of a page is.
PLAIN_REASONS_VERSION = 7
#: The version from which it is said that a model that chose its pages chose others.
CHOICE_VERSION = 7
#: The version from which a source that a checked report cites has no score unless it was read.
AUDIT_SCORES_VERSION = 6
#: The version from which no threshold changes which search result represents a source.
FIXED_LISTING_VERSION = 7


def rescore_under(run: RunView, settings: RunSettings) -> RunView:
    """Return the run under other settings, every listing scored as they would score it."""
    policy = settings.credibility
    # The threshold is no part of a score.
    if replace(policy, minimum=0.0) == replace(run.settings.credibility, minimum=0.0):
        return replace(run, settings=settings)
    sources: dict[str, SourceView] = {}
    for url, source in run.sources.items():
        listings = tuple(_rescore(url, item, policy) for item in source.listings)
        sources[url] = add_redirect_scores(replace(source, listings=listings), policy)
    return replace(run, settings=settings, sources=sources)


def _rescore(url: str, listing: Listing, policy: CredibilityPolicy) -> Listing:
    """Return the listing scored under another policy, against the words that it was scored against.

    An own document stays unscored.
    """
    if listing.parts is None:
        return listing
    parts = credibility.assess(
        url,
        listing.snippet,
        credibility.get_scored_words(listing.parts),
        policy,
        provisional=listing.parts.provisional,
        ratings=listing.ratings,
    )
    return replace(listing, parts=parts)


def merge_manual_decisions(run: RunView) -> RunSettings:
    """Return the run's settings with the decisions made by hand while it ran.

    A rewrite of the run starts from these.
    """
    approved = [source.url for source in run.sources.values() if source.approved]
    struck = {source.url for source in run.sources.values() if source.struck}
    # Addresses struck before the run that it never found stay struck.
    struck.update(url for url in run.settings.struck if url not in run.sources)
    return replace(
        run.settings,
        instructions=run.instructions,
        approved=tuple(sorted(approved)),
        struck=tuple(sorted(struck)),
    )


def choose_listing(source: SourceView, run: RunView) -> Listing | None:
    """Return the listing that represents a source, whatever the credibility threshold.

    It is the most credible one, the first in plan order of equal ones. Of a redirected source it is
    the first in plan order, because a run decides on that source before every query is answered.
    """
    if not runs_under(run.rules, "scoring", FIXED_LISTING_VERSION):
        passing = find_passing_listing(source, run.settings.credibility)
        return passing or next(iter(source.listings), None)
    if source.redirected_to:
        return next(iter(source.listings), None)
    return max(source.listings, key=_rank_listing, default=None)


def find_passing_listing(source: SourceView, policy: CredibilityPolicy) -> Listing | None:
    """Return the first listing in plan order that clears the credibility threshold."""
    for listing in source.listings:
        if listing.parts is None or not policy.blocks(listing.parts.score):
            return listing
    return None


def _rank_listing(listing: Listing) -> tuple[bool, float]:
    """Sort key: a provisional score gives way to that of any search result."""
    if listing.parts is None:
        return True, 0.0
    return not listing.parts.provisional, listing.parts.score


def find_score(source: SourceView, run: RunView) -> ScoreParts | None:
    """Return the credibility of a source of this run.

    None for an own document or a source no search listed. Before the page is read, the searched
    address is scored; after that, the final one.
    """
    chosen = choose_listing(source, run)
    return _read_score(chosen) if chosen else None


def _read_score(listing: Listing) -> ScoreParts | None:
    return listing.final_parts or listing.parts


def list_scores(source: SourceView, run: RunView) -> tuple[ScoreParts, ...]:
    """Return the score of a source in each search that listed it, in plan order.

    A planned query may be the refined one too, which is one search.
    """
    scores: dict[tuple[object, str], ScoreParts] = {}
    for listing in source.listings:
        parts = _read_score(listing)
        query = run.queries.get(listing.order, {}).get("text", listing.order)
        if parts is not None and not parts.provisional:
            scores.setdefault((query, listing.engine), parts)
    return tuple(scores.values())


def find_shown_score(source: SourceView, run: RunView) -> ScoreParts | None:
    """Return the credibility that screens, reports and exports show of a source of this run.

    A checked report cites its sources whatever their credibility: one that was not read counts as
    such, and not by its address too.
    """
    is_audit = run.settings.checks_report
    if is_audit and not source.read and runs_under(run.rules, "scoring", AUDIT_SCORES_VERSION):
        return None
    return find_score(source, run)


def is_eligible(source: SourceView, run: RunView) -> bool:
    """Return True if the credibility threshold lets the source pass, or it is own or approved."""
    return _passes_threshold(source, find_score(source, run), run.settings)


def redirects_to_blocked_site(source: SourceView, run: RunView) -> bool:
    """Return True if the source redirected to another site that the threshold blocks.

    Approval does not count, because the assignment of places depends on this.
    """
    return bool(source.redirected_to) and not is_eligible(replace(source, approved=False), run)


def find_read_pages(run: RunView) -> set[str]:
    """Return the sources that take one of the places for pages, because they were read."""
    read = set()
    for url, source in run.sources.items():
        if source.read and not redirects_to_blocked_site(source, run):
            read.add(url)
    return read


def _passes_threshold(source: SourceView, parts: ScoreParts | None, settings: RunSettings) -> bool:
    if is_own_document(source.url) or source.approved:
        return True
    return parts is not None and not settings.credibility.blocks(parts.score)


@dataclass(frozen=True)
class Verdict:
    """The outcome for one source.

    status: a key of VERDICT_STATES. number: 1.. if kept, else 0. relevance: 1-5 if scored, else 0.
    copy_of: the kept source whose text it shares, or "".
    """

    url: str
    status: str
    reason: str
    number: int = 0
    relevance: int = 0
    copy_of: str = ""


@dataclass(frozen=True)
class Gate:
    """The gate's decision over a whole run.

    kept: URLs in the order of their numbers. reason: a key of NO_REPORT_REASONS, or "". domains:
    the number of different sites among the kept sources; own documents without a web address count
    as one. copies: how many kept sources share the text of another; neither the decision nor
    domains counts these.
    """

    decision: Decision
    rationale: str
    reason: str
    kept: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    total: int
    unscored: int
    domains: int
    copies: int = 0


def passes_cutoff(judgement: Judgement, mode: ResearchMode) -> bool:
    """Return True at or above the cutoff; unscored sources always pass (DECISIONS row 16)."""
    return not judgement.scored or judgement.score >= mode.relevance_cutoff


@in_report_language
def decide_gate(
    run: RunView, settings: RunSettings | None = None, *, mode: ResearchMode | None = None
) -> Gate:
    """Decide the run under its own settings, or under others for what-if. Never rereads a page.

    mode: replaces the mode that the settings name.
    """
    if settings:
        run = rescore_under(run, settings)
    if run.settings.checks_report:
        return _keep_every_page(run)
    mode = mode or run.mode
    parts = {url: find_score(source, run) for url, source in run.sources.items()}
    order = sorted(run.sources, key=lambda url: _rank_key(run.sources[url], parts[url]))
    verdicts = {
        url: _decide_verdict(source, parts[url], run, mode) for url, source in run.sources.items()
    }
    _mark_duplicates(run, order, verdicts)
    kept = [url for url in order if verdicts[url].status == "kept"]
    copies = map_copies(run, kept)
    for number, url in enumerate(kept, 1):
        verdicts[url] = replace(verdicts[url], number=number, copy_of=copies.get(url, ""))

    judged = [url for url in verdicts if verdicts[url].status in ("kept", "dropped")]
    unscored = sum(not _require_judgement(run, url).scored for url in judged)
    unjudged = _count_unjudged(run, verdicts)
    decision, rationale = _choose_decision(
        run,
        mode,
        kept,
        judged=len(judged),
        copies=len(copies),
        unscored=unscored,
        unjudged=unjudged,
    )
    reason = ""
    if decision == "insufficient_data":
        reason = _find_reason(
            run,
            mode,
            verdicts,
            kept=len(kept),
            copies=len(copies),
            unscored=unscored,
            unjudged=unjudged,
        )
    others = [url for url in order if not verdicts[url].number]
    return Gate(
        decision=decision,
        rationale=rationale,
        reason=reason,
        kept=tuple(kept),
        verdicts=tuple(verdicts[url] for url in (*kept, *others)),
        total=len(judged),
        unscored=unscored,
        domains=len({_find_site(run.sources[url]) for url in kept if url not in copies}),
        copies=len(copies),
    )


def _choose_decision(
    run: RunView,
    mode: ResearchMode,
    kept: Sequence[str],
    *,
    judged: int,
    copies: int,
    unscored: int,
    unjudged: int,
) -> tuple[Decision, str]:
    """Return the decision and the reason for it. kept: addresses; the others are counts."""
    tells_unscored = runs_under(run.rules, "scoring", UNSCORED_VERSION)
    decision, rationale = choose_decision(
        len(kept),
        judged,
        mode,
        copies,
        unscored if tells_unscored else 0,
        says_none=runs_under(run.rules, "scoring", NONE_JUDGED_VERSION),
        names_relevance=runs_under(run.rules, "scoring", PLAIN_REASONS_VERSION),
    )
    if kept and not any(run.sources[url].passages for url in kept):
        # Nothing could be cited, so nothing can be written; a report of unsupported sentences is
        # not an answer.
        decision = "insufficient_data"
        rationale = join_clauses([rationale, _("none of them has a passage that could be cited")])
    if not tells_unscored:
        rationale += describe_unscored(unscored, judged)
    if run.stop:
        rationale += describe_unjudged(unjudged, judged, run.stop["why"])
    return decision, rationale


def _keep_every_page(run: RunView) -> Gate:
    """Keep each page that a checked report cites and that was read, in the order of the report."""
    listed = [url for url, source in run.sources.items() if source.listings]
    order = sorted(listed, key=lambda url: run.sources[url].listings[0].rank)
    kept = [url for url in order if run.sources[url].read]
    copies = map_copies(run, kept)
    verdicts: list[Verdict] = []
    for number, url in enumerate(kept, 1):
        reason = _("cited by the report")
        verdicts.append(Verdict(url, "kept", reason, number, copy_of=copies.get(url, "")))
    for url in order:
        source = run.sources[url]
        if source.failure:
            verdicts.append(Verdict(url, "failed", source.failure))
        elif not source.read:
            verdicts.append(Verdict(url, "not_read", _("not read: stopped")))
    return Gate(
        decision="full_report",
        rationale=_("every source that the report cites and that could be read is used"),
        reason="",
        kept=tuple(kept),
        verdicts=tuple(verdicts),
        total=len(kept),
        unscored=0,
        domains=len({_find_site(run.sources[url]) for url in kept if url not in copies}),
        copies=len(copies),
    )


def read_gate(run: RunView) -> Gate:
    """Return the recorded decision of a run, or decide if its log has none (yet)."""
    if run.gated is None:
        return decide_gate(run)
    recorded = {field.name: run.gated[field.name] for field in fields(Gate)}
    recorded["kept"] = tuple(recorded["kept"])
    recorded["verdicts"] = tuple(Verdict(**verdict) for verdict in recorded["verdicts"])
    return Gate(**recorded)


def map_copies(run: RunView, urls: Sequence[str]) -> dict[str, str]:
    """Return {source: the earlier one of these sources whose text it shares}.

    Pages read before prints were recorded have no copies.
    """
    return independence.map_shared_texts(
        {url: identify_source(run.sources[url]) for url in urls},
        by_title=runs_under(run.rules, "scoring", TITLES_VERSION),
    )


def identify_source(source: SourceView) -> SourceIdentity:
    """Collect what decides whether a source is independent of others."""
    metadata = source.metadata
    return SourceIdentity(
        _final_address(source),
        source.fingerprint,
        metadata.canonical,
        metadata.site,
        source.title,
        source.attribution,
        metadata.authors,
        metadata.doi,
    )


@in_report_language
def find_ties(run: RunView, decided: Gate) -> tuple[Tie, ...]:
    """Return which kept sources are not independent of each other, by number, and why."""
    kept = [verdict for verdict in decided.verdicts if verdict.number]
    numbers = {verdict.url: verdict.number for verdict in kept}
    copies = {verdict.number: numbers[verdict.copy_of] for verdict in kept if verdict.copy_of}
    identities = {verdict.number: identify_source(run.sources[verdict.url]) for verdict in kept}
    return independence.find_ties(identities, copies)


def _count_unjudged(run: RunView, verdicts: Mapping[str, Verdict]) -> int:
    """Count the pages that were read but not judged because the run was stopped."""
    count = 0
    for url, verdict in verdicts.items():
        if verdict.status == "not_read" and run.sources[url].read:
            count += 1
    return count


def _require_judgement(run: RunView, url: str) -> Judgement:
    judgement = run.sources[url].judgement
    assert judgement is not None
    return judgement


def _decide_verdict(
    source: SourceView, parts: ScoreParts | None, run: RunView, mode: ResearchMode
) -> Verdict:
    if source.struck:
        return Verdict(source.url, "struck", _("excluded by the analyst"))
    if source.failure and parts is None:
        # A client asked for this page itself, so it was tried though no search listed it.
        return Verdict(source.url, "failed", source.failure)
    if not _passes_threshold(source, parts, run.settings):
        return Verdict(source.url, "blocked", _explain_blocked(source, parts, run))
    if source.failure:
        return Verdict(source.url, "failed", source.failure)
    judgement = source.judgement
    if judgement is None:
        return Verdict(source.url, "not_read", _explain_unread(source, run, mode))
    return Verdict(
        source.url,
        "kept" if passes_cutoff(judgement, mode) else "dropped",
        judgement.explanation,
        relevance=judgement.score if judgement.scored else 0,
    )


def _explain_blocked(source: SourceView, parts: ScoreParts | None, run: RunView) -> str:
    policy = run.settings.credibility
    if parts is None:
        reason = _("not found by a search and not included by hand")
    elif runs_under(run.rules, "scoring", PLAIN_REASONS_VERSION):
        reason = credibility.explain_block(parts, policy)
    else:
        reason = credibility.explain_score(parts, policy)
    if not source.redirected_to:
        return reason
    return _("redirects to {address}: {reason}").format(address=source.redirected_to, reason=reason)


def _explain_unread(source: SourceView, run: RunView, mode: ResearchMode) -> str:
    """Explain why a source was not read.

    A source decided by hand takes no place, so no place was missing for it.
    """
    by_hand = ""
    if source.approved:
        by_hand = _("not read: included too late")
    elif source.url in run.settings.struck:
        by_hand = _("not read: restored too late")
    if run.stop is not None and (source.admitted or by_hand or _left_places(run, mode)):
        return _("not read: stopped")
    if source.redirected_to:
        # It was blocked for its final address; since then the threshold was lowered or the source
        # approved.
        blocked = _("read, not judged: redirects to {address}, at or below the minimum credibility")
        return blocked.format(address=source.redirected_to)
    if not by_hand and _chose_other_pages(run, mode):
        return _("not read: the model chose other pages")
    return by_hand or _("not read: page limit reached")


def _chose_other_pages(run: RunView, mode: ResearchMode) -> bool:
    """Return True if the model chose what to read, and read fewer pages than it might have."""
    is_agentic = (run.plan or {}).get("strategy") == "agentic"
    return is_agentic and _left_places(run, mode)


def _left_places(run: RunView, mode: ResearchMode) -> bool:
    """Return True if fewer pages were read than might have been; False under earlier rules."""
    if not runs_under(run.rules, "scoring", CHOICE_VERSION):
        return False
    return len(find_read_pages(run)) < mode.max_sources


def _mark_duplicates(run: RunView, order: Sequence[str], verdicts: dict[str, Verdict]) -> None:
    """Mark addresses that led to the same page; the one that ranks first stays."""
    first_by_address: dict[str, str] = {}
    for url in order:
        if verdicts[url].status not in ("kept", "dropped"):
            continue
        first = first_by_address.setdefault(_final_address(run.sources[url]), url)
        if first != url:
            verdicts[url] = Verdict(
                url, "duplicate", _("same page as {address}").format(address=first)
            )


def _find_site(source: SourceView) -> str:
    """Return the registered domain of a source; "" for all own documents, which count as one."""
    return find_owner(_final_address(source))


def _final_address(source: SourceView) -> str:
    """Return the address a source was found at, which identifies what was read."""
    return source.final_url or source.url


def _rank_key(source: SourceView, parts: ScoreParts | None) -> tuple[bool, int, float, str]:
    """Sort key: relevance, credibility, address; own documents last."""
    return (
        is_own_document(source.url),
        -(source.judgement.score if source.judgement else 0),
        -(parts.score if parts else 0.0),
        source.url,
    )


def _find_reason(
    run: RunView,
    mode: ResearchMode,
    verdicts: Mapping[str, Verdict],
    *,
    kept: int,
    copies: int,
    unscored: int,
    unjudged: int,
) -> str:
    """Return the key of NO_REPORT_REASONS that applies; the first that matches counts."""
    statuses = {verdict.status for verdict in verdicts.values()} - {"struck"}
    if run.stop is not None:
        if unjudged > 0 and not statuses & {"kept", "dropped"}:
            return "read but not judged"
        if "dropped" not in statuses:
            return "stopped"
    if not run.sources:
        answered = any(outcome["state"] in ANSWERED_STATES for outcome in run.outcomes)
        return "nothing found" if answered else "search failed"
    if not statuses:
        return "all struck by hand"
    if statuses == {"blocked"}:
        return "all blocked by credibility"
    if not statuses & {"kept", "dropped", "duplicate"}:
        return "every fetch failed"
    if kept > 0 and unscored == kept:
        return "relevance could not be scored"
    if runs_under(run.rules, "scoring", COPIES_VERSION):
        kept -= copies
    if 0 < kept < mode.min_sources_short_report:
        return "too few relevant sources"
    return "all off topic"
