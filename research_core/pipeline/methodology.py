"""Describe how a report came about, one line of Markdown for each fact.

Everything is computed from the report; times are those of the log, in UTC. No model is involved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from research_core.citations.marks import format_link
from research_core.models import LinkCounts, Report, Sentence
from research_core.pipeline import unfinished
from research_core.pipeline.approved_plan import describe_plan_changes
from research_core.policy import OFFLINE_MODEL, SAMPLE_LIBRARY, WORDS_ALONE, RunSettings
from research_core.text.support import LESS_SURE
from research_core.text.words import escape_markdown, format_count
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
    yield from _describe_run(report)
    yield from _describe_queries(report)
    yield from _describe_searches(report)
    yield from _describe_funnel(report)
    yield from _describe_manual_decisions(report)
    yield from _describe_kept_sources(report)
    yield _describe_checks(report)
    yield _describe_uncited(report)
    yield f"Citations removed because they named no stored passage: {report.removed_citations}."
    yield _describe_cost(report)


def _describe_run(report: Report) -> Iterator[str]:
    settings = report.settings
    how = (
        f"{settings['mode']} mode, {settings['strategy']} strategy, with the model"
        f" {settings['model']}"
    )
    yield f"Asked on {format_moment(report.created)} in {how}."
    yield from _describe_models(report)
    if "library" in settings["engines"]:
        library = settings["library"]
        note = SAMPLE_NOTE if library == SAMPLE_LIBRARY else ""
        yield f"Library searched: {escape_markdown(library)}{note}."
    yield f"Decision: {report.decision.replace('_', ' ')}. {report.rationale}."
    yield from _describe_meaning(report)
    if report.stopped:
        yield (
            f"Stopped early: {report.stopped}. Sources left unread or unjudged:"
            f" {report.funnel['not_read']}."
        )
    yield from unfinished.list_unfinished_lines(report)
    if settings.get("follows"):
        yield f"Follows up: “{escape_markdown(settings['follows'])}”."


#: What a model is asked for, by kind of request, in the order of a run.
MODEL_TASKS = {
    "plan": "plan",
    "refine": "refined query",
    "choose_tools": "choice of tools",
    "gaps": "gaps",
    "judge_relevance": "relevance",
    "judge_again": "relevance, asked again",
    "write": "report",
    "write_section": "sections",
    "write_frame": "summary",
    "explain_insufficient": "explanation",
    "verify_sentence": "checks of sentences",
}


def _describe_models(report: Report) -> Iterator[str]:
    """Yield which models answered, and why answers of the writer could not be used."""
    answers = dict(report.spent.get("models", {}))
    if report.writer:
        for kind in ("write_section", "write_frame"):
            answers.pop(kind, None)
        answers["write"] = [report.writer["model"]]
    tasks = []
    for kind, task in MODEL_TASKS.items():
        if kind in answers:
            names = ", ".join(escape_markdown(name) for name in answers[kind])
            tasks.append(f"{task}: {names}")
    if tasks:
        yield f"Models that answered, by task: {'; '.join(tasks)}."
    if report.writer.get("failures"):
        failures = " ".join(escape_markdown(text) for text in report.writer["failures"])
        yield f"Answers of the writer that could not be used: {failures}"


def _describe_meaning(report: Report) -> Iterator[str]:
    """Yield by what passages were chosen and relevance judged, if the session recorded it."""
    chosen_by, judged_by = report.settings.get("passage_model"), report.settings.get("judging")
    if not chosen_by:
        if judged_by:
            yield f"Relevance was judged by words and by meaning ({judged_by})."
        return
    from research_core.text.sentence_meaning import knows_language

    by_offline_model = RunSettings.from_json(report.settings).judging_model == OFFLINE_MODEL
    steps = "Passages were chosen" + by_offline_model * " and relevance was judged"
    if chosen_by == WORDS_ALONE:
        yield f"{steps} by words alone, as no embedding model could be used."
    elif not knows_language(report.question):
        yield f"{steps} by words alone, as the embedding model ({chosen_by}) knows English only."
    else:
        yield f"{steps} by words and by meaning ({chosen_by})."


def _describe_queries(report: Report) -> Iterator[str]:
    if report.instructions:
        instructions = "; ".join(f"“{escape_markdown(text)}”" for text in report.instructions)
        yield f"Asked for by the analyst beside the question: {instructions}."
    queries = [
        f"“{escape_markdown(query['text'])}” ({query['purpose']})" for query in report.queries
    ]
    if queries:
        yield f"Queries: {'; '.join(queries)}."
    yield from _describe_counter_search(report)
    if report.plan.get("note"):
        yield f"Plan: {escape_markdown(report.plan['note'])}"
    if report.plan.get("review"):
        yield escape_markdown(describe_plan_changes(report.plan["review"]))
    if report.gaps:
        gaps = "; ".join(escape_markdown(gap).rstrip(".") for gap in report.gaps)
        yield end_sentence(f"Gaps looked for: {gaps}")


def _describe_counter_search(report: Report) -> Iterator[str]:
    """Yield how many of the used sources the search for evidence against listed."""
    kept = sum(source.number > 0 for source in report.sources)
    for query in report.queries:
        if query["purpose"] == "counter":
            yield (
                "One query searched for evidence against. Of the"
                f" {format_count(kept, 'source')} used it listed {query['used']};"
                f" {query['used_alone']} were listed by no other query."
            )


def _describe_funnel(report: Report) -> Iterator[str]:
    count = report.funnel
    steps = ("found", "eligible", "fetched", "judged", "kept")
    yield "Funnel: " + ", ".join(f"{count[step]} {step}" for step in steps) + "."
    yield (
        f"Blocked sources: {count['blocked_when_asked']} refused when a fetch was asked for,"
        f" {count['blocked_never_asked']} below the threshold"
        f" ({report.settings['credibility']['minimum']:.2f}) and never asked for."
    )


def _describe_manual_decisions(report: Report) -> Iterator[str]:
    approved = [source for source in report.sources if source.approved]
    if approved:
        links = ", ".join(format_link(source.title, source.address) for source in approved)
        yield f"Approved by the analyst past the credibility threshold: {links}."
    struck = [source for source in report.sources if source.status == "struck"]
    if struck:
        links = ", ".join(format_link(source.title, source.url) for source in struck)
        yield f"Struck by the analyst: {links}."


def _describe_kept_sources(report: Report) -> Iterator[str]:
    kept = [source for source in report.sources if source.number]
    own = ""
    if any(is_own_document(source.address) for source in kept):
        own = ", your own documents counted as one"
    yield (
        f"Different sites, by registered domain{own}, that the sources kept are from:"
        f" {report.domains}."
    )
    yield _describe_copies(report)
    yield _describe_independence(report)
    yield _describe_unknown_hosts(report)
    yield _describe_partial_pages(report)
    yield _describe_reading_notes(report)
    if report.unscored:
        yield f"Sources kept although nobody could score their relevance: {report.unscored}."


def _describe_cost(report: Report) -> str:
    spent = report.spent
    cost = "cost unknown" if spent["cost"] is None else f"${spent['cost']:.4f}"
    called = format_count(spent["model_calls"], "model call")
    if RunSettings.from_json(report.settings).models == {OFFLINE_MODEL}:
        called = (
            f"{format_count(spent['model_calls'], 'call')} of the offline model, rules on this"
            " machine and no language model"
        )
    tokens = format_count(spent["tokens"], "token")
    if spent.get("estimated"):
        tokens = f"about {tokens} (estimated)"
    calls = f"{called}, {tokens}, {cost}"
    pages = f"{spent['other_calls']:,} searches and pages"
    paid = sum(source.cost for source in report.sources)
    if paid:
        pages += f", ${paid:.4f} of it for those that Exa read"
    return f"Cost: {calls}; {pages}; {spent['seconds']:.1f} s."


def _describe_independence(report: Report) -> str:
    """State how many sources are independent of each other, and what ties the others."""
    numbers = [source.number for source in report.sources if source.number]
    groups = independence.group_voices(numbers, report.ties)
    if len(groups) == len(numbers):
        return ""
    reasons = []
    for group in groups:
        for tie in group.ties:
            reasons.append(f"[{tie.one}] and [{tie.other}]: {escape_markdown(tie.words)}")
    count = f"{len(groups)} of the {len(numbers)} sources kept"
    return f"Independent of each other: {count}. {'; '.join(reasons)}."


def _describe_unknown_hosts(report: Report) -> str:
    """State how many sources are from hosts of which nothing is known."""
    kept = [source for source in report.sources if source.number]
    unknown = [f"[{source.number}]" for source in kept if provenance.is_unknown_host(source)]
    if not unknown:
        return ""
    return (
        f"Sources kept of whose host nothing is known: {len(unknown)} of {len(kept)},"
        f" {', '.join(unknown)}."
    )


def _describe_copies(report: Report) -> str:
    copies = [source for source in report.sources if source.copy_of]
    if not copies:
        return ""
    pairs = "; ".join(f"[{source.number}] of [{source.copy_of}]" for source in copies)
    return f"Copies of one text, which count once: {pairs}."


def _describe_partial_pages(report: Report) -> str:
    reasons = []
    for source in report.sources:
        why = provenance.describe_unread(source) if source.number else ""
        if why:
            reasons.append(f"[{source.number}]: {escape_markdown(why)}")
    if not reasons:
        return ""
    return f"Sources read in part: {' '.join(reasons)}"


def _describe_reading_notes(report: Report) -> str:
    notes = []
    for source in report.sources:
        if source.number and source.metadata.note:
            notes.append(f"[{source.number}]: {escape_markdown(source.metadata.note)}")
    return f"How sources were read: {' '.join(notes)}" if notes else ""


def _describe_searches(report: Report) -> Iterator[str]:
    by_engine: dict[str, list[Mapping[str, Any]]] = {}
    for search in report.searches:
        by_engine.setdefault(search["engine"], []).append(search)
    for engine, searches in sorted(by_engine.items()):
        states = Counter(search["state"] for search in searches)
        counts = [f"{states[state]} {state.replace('_', ' ')}" for state in sorted(states)]
        text = f"Search engine {engine}: {', '.join(counts)}."
        for reason in dict.fromkeys(search["reason"] for search in searches):
            if reason:
                text += f" {escape_markdown(reason)}"
        unwrapped = sum(search.get("unwrapped", 0) for search in searches)
        advertisements = sum(search.get("advertisements", 0) for search in searches)
        links = LinkCounts(unwrapped, advertisements).describe()
        yield f"{text} {links}" if links else text


def _describe_checks(report: Report) -> str:
    states = [sentence.state for sentence in list_sentences(report) if sentence.citations]
    if not states:
        return ""
    counts = [f"{states.count(state)} {state}" for state in SENTENCE_STATES if state in states]
    return (
        f"Cited sentences compared with the stored passages by words and numbers: {len(states)}, of"
        f" which {', '.join(counts)}."
    )


def _describe_uncited(report: Report) -> str:
    count = sum(is_unsourced(report, sentence) for sentence in list_sentences(report))
    if not count:
        return ""
    return f"Sentences marked “no source”, which state something and cite nothing: {count}."


def is_unsourced(report: Report, sentence: Sentence) -> bool:
    """Return True if the sentence states a fact and cites nothing, and there is a report.

    Without a report the text speaks of the run itself.
    """
    return (
        report.decision != "insufficient_data"
        and sentence.state == "uncited"
        and bool(sentence.note)
    )


def is_overstated(sentence: Sentence) -> bool:
    """Return True if the passage states it with more caution than the sentence."""
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
