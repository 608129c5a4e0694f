"""Apply the policy to a view: what is blocked, kept and dropped, and which report follows.

Pure: nothing is fetched or judged anew. The pipeline, the report, the pages and what-if all decide
here, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from research_core.decisions.gate_rationale import (
    choose_decision,
    describe_unjudged,
    describe_unscored,
)
from research_core.decisions.view import Listing, RunView, SourceView, score_redirect
from research_core.models import ANSWERED_STATES, Decision, Judgement, ScoreParts, Tie
from research_core.modes import ResearchMode
from research_core.policy import RunSettings
from research_core.trust import credibility, independence
from research_core.trust.hosts.owners import find_owner
from research_core.trust.independence import SourceIdentity
from research_core.urls import is_own_document


def rescore_under(run: RunView, settings: RunSettings) -> RunView:
    """Return the run under other settings, each listing scored as a run under them would score it."""
    policy, asked = settings.credibility, run.asked
    if replace(policy, minimum=0.0) == replace(
        run.settings.credibility, minimum=0.0
    ):  # the threshold is no part of a score
        return replace(run, settings=settings)

    def assessed(url: str, listing: Listing) -> Listing:
        old = listing.parts
        how: dict[str, Any] = (
            {"provisional": old.provisional, "ratings": listing.ratings} if old else {}
        )
        parts = old and credibility.assess(url, listing.snippet, asked, policy, **how)
        return replace(listing, parts=parts)

    listed = {
        url: replace(s, listings=tuple(assessed(url, item) for item in s.listings))
        for url, s in run.sources.items()
    }
    sources = {url: score_redirect(source, asked, policy) for url, source in listed.items()}
    return replace(run, settings=settings, sources=sources)


def merge_manual_decisions(run: RunView) -> RunSettings:
    """Return the run's settings with the decisions made by hand while it ran.

    A rewrite of the run starts from these.
    """
    sources = run.sources.values()
    struck = {url for url in run.settings.struck if url not in run.sources}.union(
        s.url for s in sources if s.struck
    )
    approved = sorted(source.url for source in sources if source.approved)
    return replace(
        run.settings,
        instructions=run.instructions,
        approved=tuple(approved),
        struck=tuple(sorted(struck)),
    )


def choose_listing(source: SourceView, settings: RunSettings) -> Listing | None:
    """Return the listing that represents a source.

    It is the first in plan order that clears the credibility threshold, else the first.
    """
    for listing in source.listings:
        if listing.parts is None or not settings.credibility.blocks(listing.parts.score):
            return listing
    return source.listings[0] if source.listings else None


def find_score(source: SourceView, settings: RunSettings) -> ScoreParts | None:
    """Return the credibility of a source under these settings.

    None for an own document or a source no search listed. Before the page is read, the searched
    address is scored; after that, the final one.
    """
    chosen = choose_listing(source, settings)
    return (chosen.landed or chosen.parts) if chosen else None


def is_eligible(source: SourceView, settings: RunSettings) -> bool:
    """Return True if the credibility threshold lets the source pass, or it is own or approved."""
    return _passes_threshold(source, find_score(source, settings), settings)


def redirects_to_blocked_site(source: SourceView, settings: RunSettings) -> bool:
    """Return True if the source redirected to another site that the threshold blocks.

    Approval does not count, because the assignment of places depends on this.
    """
    return bool(source.landed) and not is_eligible(replace(source, approved=False), settings)


def _passes_threshold(source: SourceView, parts: ScoreParts | None, settings: RunSettings) -> bool:
    return (
        is_own_document(source.url)
        or source.approved
        or (parts is not None and not settings.credibility.blocks(parts.score))
    )


@dataclass(frozen=True)
class Verdict:
    """The outcome for one source.

    status: kept | dropped | blocked | struck | duplicate | failed | not_read. number: 1.. if kept,
    else 0. relevance: 1-5 if scored, else 0. copy_of: the kept source whose text it shares, or "".
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


def decide_gate(run: RunView, settings: RunSettings | None = None) -> Gate:
    """Decide the run under its own settings, or under others for what-if. Never rereads a page."""
    run = rescore_under(run, settings) if settings else run
    mode, parts = (
        run.mode,
        {url: find_score(source, run.settings) for url, source in run.sources.items()},
    )
    verdicts = {
        url: _decide_verdict(source, parts[url], run, mode) for url, source in run.sources.items()
    }
    order = sorted(run.sources, key=lambda url: _rank_key(run.sources[url], parts[url]))
    _mark_duplicates(run, order, verdicts)
    kept = [url for url in order if verdicts[url].status == "kept"]
    same = _find_copies(run, kept)
    for number, url in enumerate(kept, 1):
        verdicts[url] = replace(verdicts[url], number=number, copy_of=same.get(url, ""))
    judged = [url for url, v in verdicts.items() if v.status in ("kept", "dropped")]
    decision, rationale = choose_decision(len(kept), len(judged), mode, len(same))
    if kept and not any(run.sources[url].passages for url in kept):
        # Nothing could be cited, so nothing can be written; a report of unsupported sentences is
        # not an answer.
        decision, rationale = (
            "insufficient_data",
            f"{rationale}; none of them holds a passage that could be cited",
        )
    unscored, unjudged = (
        sum(not _require_judgement(run, url).scored for url in judged),
        _count_unjudged(run, verdicts),
    )
    left = describe_unjudged(unjudged, len(judged), run.stop["why"]) if run.stop else ""
    return Gate(
        decision=decision,
        rationale=rationale + describe_unscored(unscored, len(judged)) + left,
        reason=(
            _find_reason(run, verdicts, len(kept), unscored, unjudged)
            if decision == "insufficient_data"
            else ""
        ),
        kept=tuple(kept),
        verdicts=tuple(
            verdicts[url] for url in (*kept, *(url for url in order if not verdicts[url].number))
        ),
        total=len(judged),
        unscored=unscored,
        domains=len({_find_site(run.sources[url]) for url in kept if url not in same}),
        copies=len(same),
    )


def _find_copies(run: RunView, kept: Sequence[str]) -> dict[str, str]:
    """Return {kept source: the kept source whose text it shares}.

    Pages read before prints were recorded have no copies.
    """
    return independence.map_shared_texts({url: build_witness(run.sources[url]) for url in kept})


def build_witness(source: SourceView) -> SourceIdentity:
    """Collect what decides whether a source is independent of others."""
    said = source.metadata
    return SourceIdentity(
        _final_address(source),
        source.print,
        said.canonical,
        said.site,
        source.title,
        source.traces,
        said.authors,
        said.doi,
    )


def find_ties(run: RunView, decided: Gate) -> tuple[Tie, ...]:
    """Return which kept sources are not independent of each other, by number, and why."""
    kept = {verdict.url: verdict for verdict in decided.verdicts if verdict.number}
    number = {url: verdict.number for url, verdict in kept.items()}
    same = {verdict.number: number[verdict.copy_of] for verdict in kept.values() if verdict.copy_of}
    return independence.find_ties(
        {number[url]: build_witness(run.sources[url]) for url in kept}, same
    )


def _count_unjudged(run: RunView, verdicts: Mapping[str, Verdict]) -> int:
    """Count the pages that were read but not judged, which happens only when the run was stopped."""
    return sum(
        run.sources[url].read for url, verdict in verdicts.items() if verdict.status == "not_read"
    )


def _require_judgement(run: RunView, url: str) -> Judgement:
    judgement = run.sources[url].judgement
    assert judgement is not None
    return judgement


def _decide_verdict(
    source: SourceView, parts: ScoreParts | None, run: RunView, mode: ResearchMode
) -> Verdict:
    if source.struck:
        return Verdict(source.url, "struck", "struck by the analyst")
    if (
        source.failure and parts is None
    ):  # a client asked for it by itself: it was tried, whatever no search says of it
        return Verdict(source.url, "failed", source.failure)
    if not _passes_threshold(source, parts, run.settings):
        reason = (
            credibility.explain_score(parts, run.settings.credibility)
            if parts
            else "not listed by a search and not approved"
        )
        return Verdict(
            source.url,
            "blocked",
            f"it led to {source.landed}: {reason}" if source.landed else reason,
        )
    if source.failure:
        return Verdict(source.url, "failed", source.failure)
    if (judged := source.judgement) is None:
        return Verdict(source.url, "not_read", _explain_unread(source, run))
    return Verdict(
        source.url,
        "kept" if passes_cutoff(judged, mode) else "dropped",
        judged.explanation,
        relevance=judged.score * judged.scored,
    )


def _explain_unread(source: SourceView, run: RunView) -> str:
    """Explain why a source was not read.

    A source decided by hand takes no place, so no place was missing for it.
    """
    by_hand = (
        "approved" if source.approved else "restored" if source.url in run.settings.struck else ""
    )
    if run.stop is not None and (source.admitted or by_hand):
        return "not read: stopped"
    if (
        source.landed
    ):  # it was blocked for that, and is seen under a lower threshold, or approved since
        return f"read, and not judged: the threshold blocked where it led, {source.landed}"
    return f"not read: {by_hand} too late" if by_hand else "not read: the places were taken"


def _mark_duplicates(run: RunView, order: Sequence[str], verdicts: dict[str, Verdict]) -> None:
    """Mark addresses that led to the same page; the one that ranks first stays."""
    seen: dict[str, str] = {}
    for url in (url for url in order if verdicts[url].status in ("kept", "dropped")):
        first = seen.setdefault(_final_address(run.sources[url]), url)
        if first != url:
            verdicts[url] = Verdict(url, "duplicate", f"the same page as {first}")


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
    run: RunView, verdicts: Mapping[str, Verdict], kept: int, unscored: int, unjudged: int
) -> str:
    statuses = [v.status for v in verdicts.values() if v.status != "struck"]
    answered = any(data["state"] in ANSWERED_STATES for data in run.outcomes)
    tests = (
        (
            "read but not judged",
            run.stop is not None and unjudged > 0 and not {"kept", "dropped"} & set(statuses),
        ),
        ("stopped", run.stop is not None and "dropped" not in statuses),
        ("search failed", not run.sources and not answered),
        ("nothing found", not run.sources),
        ("all struck by hand", not statuses),
        ("all blocked by credibility", all(s == "blocked" for s in statuses)),
        ("every fetch failed", not any(s in ("kept", "dropped", "duplicate") for s in statuses)),
        ("relevance could not be scored", kept > 0 and unscored == kept),
        ("too few relevant sources", 0 < kept < run.mode.min_sources_short_report),
    )
    return next((name for name, holds in tests if holds), "all off topic")
