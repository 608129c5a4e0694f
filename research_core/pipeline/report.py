"""Build the report from the view of a run, and render it as Markdown and JSON.

Numbers and dates are formatted from event times in UTC. The same log gives the same bytes. The
model's text is one part of the report; sources, methodology, funnel and cost are computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from itertools import count
from typing import Any

from research_core.citations.marks import format_citations, format_link
from research_core.decisions import gate as decide
from research_core.decisions.gate import Gate
from research_core.decisions.view import RunView
from research_core.models import (
    NO_REPORT_REASONS,
    Block,
    Report,
    ReportSource,
    Sentence,
    attempts_to_json,
)
from research_core.pipeline import confidence, draft, unfinished
from research_core.pipeline.confidence import Findings, examine
from research_core.pipeline.contradictions import contradictions_to_json
from research_core.pipeline.draft import STATE_FLAGS
from research_core.pipeline.methodology import (
    describe_methods,
    end_sentence,
    is_unsourced,
    list_sentences,
)
from research_core.pipeline.needs_review import ReviewFlags, find_flags
from research_core.pipeline.verify import ABOUT_THE_EVIDENCE
from research_core.text.words import disarm_markdown, escape_markdown, truncate
from research_core.trust import independence, provenance
from research_core.urls import is_own_document
from research_core.web.hidden_text import count_machine_instructions

#: Raised when the shape of `to_json` changes; `report.schema.json` beside this file describes it.
SCHEMA_VERSION = 11
#: Characters of a sentence that are shown where it is to be checked.
MAX_SHOWN_LENGTH = 160
#: Blocked sources that the Markdown names, those nearest to the threshold.
MAX_NAMED_SOURCES = 5


def build(run: RunView) -> Report:
    """Build the report of a run that has been gated, written and verified."""
    gate = decide.decide_gate(run)
    assert run.written is not None
    assert run.verified is not None
    return Report(
        session=run.session,
        question=run.question,
        created=run.created,
        settings=run.settings.to_json(),
        decision=gate.decision,
        rationale=gate.rationale,
        reason=gate.reason,
        disclaimer=_build_disclaimer(gate),
        blocks=tuple(_build_block(data) for data in run.verified["blocks"]),
        sources=list_sources(run, gate),
        funnel=count_funnel(run, gate),
        searches=run.outcomes,
        queries=tuple(run.queries[order] for order in sorted(run.queries)),
        plan=run.plan or {},
        spent={name: value for name, value in (run.tally or {}).items() if name != "do"},
        removed_citations=run.written["removed"],
        unscored=gate.unscored,
        domains=gate.domains,
        copies=gate.copies,
        stopped=run.stop["why"] if run.stop else "",
        gaps=run.gaps,
        instructions=run.instructions,
        ties=decide.find_ties(run, gate),
    )


def list_sources(run: RunView, gate: Gate) -> tuple[ReportSource, ...]:
    """Return every source of a run in the gate's order. The run need not be finished."""
    numbers = {verdict.url: verdict.number for verdict in gate.verdicts}
    return tuple(
        _build_source(run, verdict, numbers.get(verdict.copy_of, 0)) for verdict in gate.verdicts
    )


def _build_source(run: RunView, verdict: decide.Verdict, copy_of: int) -> ReportSource:
    source = run.sources[verdict.url]
    listing = decide.choose_listing(source, run.settings)
    page = source.page if isinstance(source.page, dict) else {}
    return ReportSource(
        url=source.url,
        title=(listing.title if listing and not source.landed else "")
        or source.title
        or source.url,
        number=verdict.number,
        status=verdict.status,
        reason=verdict.reason,
        parts=decide.find_score(source, run.settings),
        relevance=source.judgement,
        approved=source.approved,
        passages=source.passages,
        page=next(iter(page.values()), ""),
        published=source.published,
        kind=source.kind,
        metadata=source.about,
        hidden=source.hidden,
        attempts=source.attempts,
        archived=source.archived,
        partial=source.partial,
        cost=source.cost,
        landed=source.landed,
        copy_of=copy_of,
        ratings=source.ratings if source.landed or listing is None else listing.ratings,
        signs=dict(source.signs),
        fetched=source.fetched if source.read else 0.0,
    )


def count_funnel(run: RunView, gate: Gate) -> dict[str, int]:
    """Count the sources found, eligible, read, judged and kept, and those lost at each step."""
    statuses = [verdict.status for verdict in gate.verdicts]
    sources = run.sources.values()
    blocked = [run.sources[verdict.url] for verdict in gate.verdicts if verdict.status == "blocked"]
    refused = sum(source.refused or source.read for source in blocked)
    return {
        "found": len(statuses),
        "eligible": sum(decide.is_eligible(source, run.settings) for source in sources),
        "fetched": sum(source.read for source in sources),
        "judged": sum(source.judgement is not None for source in sources),
        "kept": statuses.count("kept"),
        "dropped": statuses.count("dropped"),
        "failed": statuses.count("failed"),
        "struck": statuses.count("struck"),
        "duplicate": statuses.count("duplicate"),
        "not_read": statuses.count("not_read"),
        "blocked_when_asked": refused,
        "blocked_never_asked": len(blocked) - refused,
    }


def _build_block(data: Mapping[str, Any]) -> Block:
    sentences = tuple(
        Sentence(s["text"], tuple(s["citations"]), s["state"], s["note"]) for s in data["sentences"]
    )
    return Block(data["kind"], sentences, data["level"])


def _build_disclaimer(gate: Gate) -> str:
    if gate.decision != "short_report":
        return ""
    lost = [
        v
        for v in gate.verdicts
        if v.status in ("dropped", "blocked", "failed", "struck", "duplicate")
    ]
    whys = ", ".join(
        f"{count} {_LOST[status]}" for status, count in _counts(v.status for v in lost)
    )
    dropped = f" Not used: {whys}." if whys else ""
    kept, total = len(gate.kept), gate.total
    few = (
        f"Few sources were read, {total} in all, and each is"
        if kept == total
        else f"Only {kept} of {total} sources read were"
    )
    return (
        f"{few} relevant to your question. Consider this a starting point, not a comprehensive"
        f" answer.{dropped}"
    )


_LOST = {
    "dropped": "off the question",
    "blocked": "below the credibility threshold",
    "failed": "could not be read",
    "struck": "struck by the analyst",
    "duplicate": "the same page twice",
    "not_read": "not read",
}


def _counts(names: Iterable[str]) -> list[tuple[str, int]]:
    counted: dict[str, int] = {}
    for name in names:
        counted[name] = counted.get(name, 0) + 1
    return sorted(counted.items(), key=lambda item: list(_LOST).index(item[0]))


# -- Markdown --------------------------------------------------------------------------------------------------------------


def to_markdown(report: Report) -> str:
    """Return the report as Markdown: title, notices, written sections, Sources, Methodology."""
    return "\n\n".join(part for part in _build_markdown(report) if part) + "\n"


def _build_markdown(report: Report) -> Iterator[str]:
    yield f"# {escape_markdown(report.question)}"
    if report.decision == "insufficient_data":
        yield f"**No report: {report.reason}.** {NO_REPORT_REASONS[report.reason]}"
    flags, found = list_flagged_sentences(report), examine(report)
    yield from (f"> {notice}" for notice in list_notices(report, flags))
    yield disarm_markdown(
        draft.render(
            build_exported_text(report, found),
            _map_passage_numbers(report),
            found.single,
            partial(is_unsourced, report),
        )
    )
    yield _format_flagged_sentences(report, flags)
    yield _format_sources_section(report)
    yield _format_methodology(report)


def list_notices(report: Report, flags: ReviewFlags | None = None) -> Iterator[str]:
    """Yield what a reader must know before the text. flags: the sentences to check, if known."""
    if report.disclaimer:
        yield report.disclaimer
    if report.unscored and report.unscored == count_judged_sources(report):
        yield "Relevance was not checked: no source could be scored."
    if report.decision != "insufficient_data" and not any(
        sentence.citations for sentence in list_sentences(report)
    ):
        yield "No sentence of this text cites a source, so none could be checked."
    if left := unfinished.format_notice(report):
        yield left
    for source in report.sources:
        if source.number and (who := provenance.find_retraction(source)):
            yield (
                f"Source {source.number}, which this text uses, was retracted, as {who} says: do"
                " not rely on it."
            )
    if look := (flags or list_flagged_sentences(report)).notice:
        yield look


def list_flagged_sentences(report: Report) -> ReviewFlags:
    """Return the sentences that must be checked before the report is used."""
    return find_flags(
        report.blocks,
        {passage.id: passage.text for source in report.sources for passage in source.passages},
    )


def count_judged_sources(report: Report) -> int:
    """Count the sources the gate kept or dropped, the total that kept sources are compared with."""
    return report.funnel["kept"] + report.funnel["dropped"]


def _map_passage_numbers(report: Report) -> dict[str, int]:
    """Map each passage id to its source number; of two equal texts, to the first."""
    return {
        passage.id: source.number
        for source in reversed(report.sources)
        if source.number
        for passage in source.passages
    }


def escape_text(report: Report) -> tuple[Block, ...]:
    """Return the text for display, with Markdown signs of cited pages escaped."""
    passages = {
        passage.id: passage.text for source in report.sources for passage in source.passages
    }
    return tuple(
        replace(block, sentences=draft.escape_literal_signs(block.sentences, passages))
        for block in report.blocks
    )


def build_exported_text(report: Report, found: Findings | None = None) -> tuple[Block, ...]:
    """Return the text for export, with the computed part under Confidence Assessment.

    found: the findings of the report, if known.
    """
    blocks, computed = (
        escape_text(report),
        confidence.build_confidence_blocks(found or examine(report)),
    )
    heads = [
        block.sentences[0].text
        for block in blocks
        if block.kind == "heading" and block.level <= 2 and block.sentences
    ]
    if not computed:
        return blocks
    head = (
        ()
        if heads[-1:] == [ABOUT_THE_EVIDENCE]
        else (Block("heading", (Sentence(ABOUT_THE_EVIDENCE),), 2),)
    )
    return (*blocks, *head, *computed)


def _format_flagged_sentences(report: Report, found: ReviewFlags) -> str:
    """List the sentences to check, each with its source numbers and the reason."""
    if not found:
        return ""
    numbers, lines = _map_passage_numbers(report), []
    for sentence in (*found.lacking, *found.doubtful, *found.unchecked):
        marks = "".join(
            f"[{number}]"
            for number in dict.fromkeys(
                numbers[name] for name in sentence.citations if name in numbers
            )
        )
        lines.append(
            f"- “{escape_markdown(truncate(sentence.text, MAX_SHOWN_LENGTH))}” {marks}:"
            f" {escape_markdown(sentence.note) or STATE_FLAGS[sentence.state]}"
        )
    return "## Sentences to Check\n\n" + "\n".join(lines)


def _format_sources_section(report: Report) -> str:
    kept = [source for source in report.sources if source.status == "kept"]
    cited = format_citations([_format_citation(source) for source in kept]).replace(
        "\n", "  \n"
    )  # or Markdown runs them together
    parts = ["## Sources", cited or "No source was kept."]
    if lost := list(_format_unused_sources(report)):
        parts += ["### Not used", "\n".join(f"- {line}" for line in lost)]
    return "\n\n".join(parts)


def _format_unused_sources(report: Report) -> Iterator[str]:
    """Yield a line for each lost source, and one line for all blocked ones, as they can be many."""
    for source in report.sources:
        if source.status in ("dropped", "failed", "struck", "duplicate"):
            yield _format_lost_source(source)
    if blocked := [source for source in report.sources if source.status == "blocked"]:
        named = ", ".join(
            f"{format_link(s.title, s.url)} {s.parts.score:.2f}"
            if s.parts
            else format_link(s.title, s.url)
            for s in blocked[:MAX_NAMED_SOURCES]
        )
        more = (
            f", and {len(blocked) - MAX_NAMED_SOURCES} more, which the JSON lists with their reasons"
            if len(blocked) > MAX_NAMED_SOURCES
            else ""
        )
        yield (
            "Not above the credibility threshold of"
            f" {report.settings['credibility']['minimum']:.2f}: {named}{more}."
        )


def _format_citation(source: ReportSource) -> dict[str, Any]:
    archived = (source.archived.named, source.archived.url) if source.archived else None
    said = {
        "url": source.address,
        "listed": source.url if source.landed else "",
        "title": source.title,
        "copy_of": source.copy_of,
    }
    said |= {"hides": describe_marks(source)}
    return {
        **said,
        "claim": provenance.find_claimed_address(source),
        "score": source.parts.score if source.parts else None,
        "archived": archived,
    }


def describe_marks(source: ReportSource) -> str:
    """Describe in a few words what to know of a used source besides its scores, or ""."""
    said = (
        provenance.describe_hidden_texts(source),
        provenance.describe_machine_instructions(count_machine_instructions(source)),
        f"retracted, as {who} says" if (who := provenance.find_retraction(source)) else "",
        "nothing is known of its host" if provenance.is_unknown_host(source) else "",
    )
    return ", ".join(filter(None, said))


def _format_lost_source(source: ReportSource) -> str:
    score = f"credibility {source.parts.score:.2f}, " if source.parts else ""
    relevance = (
        f"relevance {source.relevance.score}/5, "
        if source.relevance and source.relevance.scored
        else ""
    )
    why = escape_markdown(source.reason)
    if source.status in ("dropped", "failed"):
        why = f"{_LOST[source.status]}. {end_sentence(why)}"
    return f"{format_link(source.title, source.url)}: {score}{relevance}{why.rstrip('.')}."


def _format_methodology(report: Report) -> str:
    return "## Methodology\n\n" + "\n".join(f"- {line}" for line in describe_methods(report))


# -- JSON ------------------------------------------------------------------------------------------------------------------


def to_json(report: Report) -> dict[str, Any]:
    """Return the report as plain values; `report.schema.json` describes the shape."""
    found = examine(report)
    return {
        "schema": SCHEMA_VERSION,
        "session": report.session,
        "question": report.question,
        "asked": datetime.fromtimestamp(report.created, UTC).isoformat(timespec="seconds"),
        "settings": dict(report.settings),
        "decision": report.decision,
        "rationale": report.rationale,
        "reason": report.reason,
        "disclaimer": report.disclaimer,
        "notices": [*_explain_no_report(report), *list_notices(report)],
        "sources": [_source_to_json(source) for source in report.sources],
        "headings": [
            sentence.text
            for block in report.blocks
            if block.kind == "heading"
            for sentence in block.sentences
        ],
        "sentences": list(_sentences_to_json(report, found)),
        **_findings_to_json(report, found),
        "funnel": dict(report.funnel),
        "searches": [dict(search) for search in report.searches],
        "queries": [dict(query) for query in report.queries],
        "instructions": list(report.instructions),
        "spent": dict(report.spent),
        "removed_citations": report.removed_citations,
        "stopped": report.stopped,
    }


def _explain_no_report(report: Report) -> list[str]:
    return (
        [f"No report: {report.reason}. {NO_REPORT_REASONS[report.reason]}"]
        if report.decision == "insufficient_data"
        else []
    )


def _source_to_json(source: ReportSource) -> dict[str, Any]:
    return {
        "number": source.number,
        "url": source.url,
        "title": source.title,
        "status": source.status,
        "reason": source.reason,
        "kept": source.status == "kept",
        "blocked": source.status == "blocked",
        "approved": source.approved,
        "own": is_own_document(source.url),
        "published": source.published,
        "credibility": asdict(source.parts) if source.parts else None,
        "relevance": _relevance_to_json(source),
        "kind": source.kind,
        "metadata": {**asdict(source.metadata), "authors": list(source.metadata.authors)},
        "hidden": [
            {"reason": reason, "count": count}
            for reason, count in sorted(source.hidden.counts.items())
        ],
        "speaks_to_machines": count_machine_instructions(source),
        "attempts": attempts_to_json(source.attempts),
        "page": source.page,
        "archived": asdict(source.archived) if source.archived else None,
        "partial": source.partial,
        "copy_of": source.copy_of,
        "landed": source.landed,
        "cost": source.cost,
        "ratings": dict(source.ratings),
        "signs": dict(source.signs),
        "passages": [asdict(passage) for passage in source.passages],
    }


def _findings_to_json(report: Report, found: Findings) -> dict[str, Any]:
    """Return what comparing sources and sentences shows, as plain values."""
    numbers = [source.number for source in report.sources if source.number]
    groups = independence.group_voices(numbers, report.ties)
    return {
        "independence": [
            {"sources": list(group.sources), "ties": [asdict(tie) for tie in group.ties]}
            for group in groups
        ],
        "contradictions": contradictions_to_json(found.contradictions),
        "confidence": asdict(found.confidence) if found.confidence else None,
    }


def _relevance_to_json(source: ReportSource) -> dict[str, Any] | None:
    judged = source.relevance
    return (
        {"score": judged.score, "explanation": judged.explanation, "scored": judged.scored}
        if judged
        else None
    )


def _sentences_to_json(report: Report, found: Findings) -> Iterator[dict[str, Any]]:
    number_of, heading, single = _map_passage_numbers(report), "", found.single
    places = count()
    for block in report.blocks:
        heading = (
            (block.sentences[0].text if block.sentences else "")
            if block.kind == "heading"
            else heading
        )
        for sentence in block.sentences:
            one = next(places) in single
            if block.kind != "heading":
                citations = [
                    {"passage": id, "source": number_of[id]}
                    for id in sentence.citations
                    if id in number_of
                ]
                said = {"section": heading, "text": sentence.text, "citations": citations}
                yield {**said, "state": sentence.state, "note": sentence.note, "one_source": one}
