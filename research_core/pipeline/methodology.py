"""Describe how a report came about, one line of Markdown for each fact.

Everything is computed from the report; times are those of the log, in UTC. No model is involved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from research_core.citations.marks import format_link
from research_core.models import Report, Sentence
from research_core.pipeline import unfinished
from research_core.policy import OFFLINE_MODEL, SAMPLE_ENGINE
from research_core.text.support import LESS_SURE
from research_core.text.words import escape_markdown
from research_core.trust import independence, provenance
from research_core.urls import is_own_document

SAMPLE_NOTE = (
    " (written for trying Assay out: its outlets and people are invented, its addresses lead"
    " nowhere)"
)
SENTENCE_STATES = ("supported", "partly", "not found", "could not check", "uncited")


def describe_methods(report: Report) -> list[str]:
    """Return how the report came about, one escaped line of Markdown for each fact."""
    return [line for line in _list_methods(report) if line]


def _list_methods(report: Report) -> Iterator[str]:
    settings, count, spent = report.settings, report.funnel, report.spent
    how = (
        f"{settings['mode']} mode, {settings['strategy']} strategy, with the model"
        f" {settings['model']}"
    )
    yield f"Asked on {format_moment(report.created)} in {how}."
    if "library" in settings["engines"]:
        yield (
            "Library searched:"
            f" {escape_markdown(settings['library'])}{SAMPLE_NOTE if settings['library'] == SAMPLE_ENGINE else ''}."
        )
    yield f"Decision: {report.decision.replace('_', ' ')}. {report.rationale}."
    yield (
        f"Relevance was judged by words and by meaning ({settings['judging']})."
        if settings.get("judging")
        else ""
    )
    yield (
        f"Stopped early: {report.stopped}. Sources left unread or unjudged: {count['not_read']}."
        if report.stopped
        else ""
    )
    yield from unfinished.list_unfinished_lines(report)
    yield (
        f"Follows up: “{escape_markdown(settings['follows'])}”." if settings.get("follows") else ""
    )
    instructions = "; ".join(f"“{escape_markdown(text)}”" for text in report.instructions)
    yield f"Asked for by the analyst beside the question: {instructions}." if instructions else ""
    queries = "; ".join(
        f"“{escape_markdown(query['text'])}” ({query['purpose']})" for query in report.queries
    )
    yield f"Queries: {queries}." if queries else ""
    yield f"Plan: {escape_markdown(report.plan['note'])}" if report.plan.get("note") else ""
    yield (
        end_sentence(
            "Gaps looked for: " + "; ".join(escape_markdown(gap).rstrip(".") for gap in report.gaps)
        )
        if report.gaps
        else ""
    )
    yield from _describe_health_sources(report)
    steps = ("found", "eligible", "fetched", "judged", "kept")
    yield "Funnel: " + ", ".join(f"{count[step]} {step}" for step in steps) + "."
    asked, never, minimum = (
        count["blocked_when_asked"],
        count["blocked_never_asked"],
        settings["credibility"]["minimum"],
    )
    yield (
        f"Blocked sources: {asked} refused when a fetch was asked for, {never} below the threshold"
        f" ({minimum:.2f}) and never asked for."
    )
    approved = ", ".join(
        format_link(source.title, source.address) for source in report.sources if source.approved
    )
    yield f"Approved by the analyst past the credibility threshold: {approved}." if approved else ""
    struck = ", ".join(
        format_link(source.title, source.url)
        for source in report.sources
        if source.status == "struck"
    )
    yield f"Struck by the analyst: {struck}." if struck else ""
    own = (
        ", your own documents counted as one"
        if any(source.number and is_own_document(source.address) for source in report.sources)
        else ""
    )
    yield (
        f"Different sites, by registered domain{own}, that the sources kept are from:"
        f" {report.domains}."
    )
    yield _describe_copies(report)
    yield _describe_independence(report)
    yield _describe_unknown_hosts(report)
    yield _describe_partial_pages(report)
    yield (
        f"Sources kept although nobody could score their relevance: {report.unscored}."
        if report.unscored
        else ""
    )
    yield _describe_checks(report)
    yield _bare(report)
    yield f"Citations removed because they named no stored passage: {report.removed_citations}."
    cost = "cost unknown" if spent["cost"] is None else f"${spent['cost']:.4f}"
    called = (
        "calls of the offline model, rules on this machine and no language model"
        if settings["model"] == OFFLINE_MODEL
        else "model calls"
    )
    calls = f"{spent['model_calls']} {called}, {spent['tokens']:,} tokens, {cost}"
    paid = sum(source.cost for source in report.sources)
    pages = (
        f"{spent['other_calls']} searches and"
        f" pages{f', ${paid:.4f} of it for those that Exa read' if paid else ''}"
    )
    yield f"Cost: {calls}; {pages}; {spent['seconds']:.1f} s."


def _describe_independence(report: Report) -> str:
    """State how many sources are independent of each other, and what ties the others."""
    numbers = [source.number for source in report.sources if source.number]
    found = independence.group_voices(numbers, report.ties)
    if len(found) == len(numbers):
        return ""
    reasons = "; ".join(
        f"[{tie.one}] and [{tie.other}]: {escape_markdown(tie.words)}"
        for group in found
        for tie in group.ties
    )
    return f"Independent of each other: {len(found)} of the {len(numbers)} sources kept. {reasons}."


def _describe_unknown_hosts(report: Report) -> str:
    """State how many sources are from hosts of which nothing is known."""
    kept = [source for source in report.sources if source.number]
    unknown = [f"[{source.number}]" for source in kept if provenance.is_unknown_host(source)]
    return (
        f"Sources kept of whose host nothing is known: {len(unknown)} of {len(kept)},"
        f" {', '.join(unknown)}."
        if unknown
        else ""
    )


def _describe_copies(report: Report) -> str:
    pairs = [
        f"[{source.number}] of [{source.copy_of}]" for source in report.sources if source.copy_of
    ]
    return f"Copies of one text, which count once: {'; '.join(pairs)}." if pairs else ""


def _describe_partial_pages(report: Report) -> str:
    said = [
        f"[{source.number}]: {escape_markdown(why)}"
        for source in report.sources
        if source.number and (why := provenance.describe_unread(source))
    ]
    return f"Sources read in part: {' '.join(said)}" if said else ""


def _describe_health_sources(report: Report) -> Iterator[str]:
    by_engine: dict[str, list[Mapping[str, Any]]] = {}
    for search in report.searches:
        by_engine.setdefault(search["engine"], []).append(search)
    for engine in sorted(by_engine):
        states = [search["state"] for search in by_engine[engine]]
        said = ", ".join(
            f"{states.count(state)} {state.replace('_', ' ')}"
            for state in dict.fromkeys(sorted(states))
        )
        reasons = dict.fromkeys(
            search["reason"] for search in by_engine[engine] if search["reason"]
        )
        yield f"Search engine {engine}: {said}." + "".join(
            f" {escape_markdown(reason)}" for reason in reasons
        )


def _describe_checks(report: Report) -> str:
    states = [sentence.state for sentence in list_sentences(report) if sentence.citations]
    if not states:
        return ""
    said = ", ".join(
        f"{states.count(state)} {state}" for state in SENTENCE_STATES if state in states
    )
    return (
        f"Cited sentences compared with the stored passages by words and numbers: {len(states)}, of"
        f" which {said}."
    )


def _bare(report: Report) -> str:
    count = sum(is_unsourced(report, sentence) for sentence in list_sentences(report))
    return (
        f"Sentences marked “no source”, which state something and cite nothing: {count}."
        if count
        else ""
    )


def is_unsourced(report: Report, sentence: Sentence) -> bool:
    """True if the sentence states a fact and cites nothing, and there is a report.

    Without a report the text speaks of the run itself.
    """
    return (
        report.decision != "insufficient_data"
        and sentence.state == "uncited"
        and bool(sentence.note)
    )


def is_overstated(sentence: Sentence) -> bool:
    """True if the passage states it with more caution than the sentence."""
    return sentence.state == "supported" and LESS_SURE in sentence.note


def list_sentences(report: Report) -> Iterator[Sentence]:
    """Yield every sentence of the text except headings."""
    for block in report.blocks:
        if block.kind != "heading":
            yield from block.sentences


def end_sentence(sentence: str) -> str:
    """Return the sentence with a capital at its start and a full stop."""
    return sentence[:1].upper() + sentence[1:].rstrip(".") + "."


def format_moment(at: float) -> str:
    """Format a time (seconds since the epoch) in UTC to the minute."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
