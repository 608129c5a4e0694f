"""The report, assembled by code from the view of a run: a pure function of log and policy.

Numbers and dates are formatted here, from event times, in UTC. The Markdown and the JSON are
promised byte for byte: the same log gives the same bytes. The model's text is one part of it;
sources, methodology, funnel and cost are never the model's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from itertools import count
from typing import Any

from research_core.citations.marks import format_citations, link
from research_core.decisions import gate as decide
from research_core.decisions.gate import Gate
from research_core.decisions.view import RunView
from research_core.models import NO_REPORT_REASONS, Block, Report, ReportSource, Sentence, tried
from research_core.pipeline import confidence, draft, unfinished
from research_core.pipeline.confidence import Findings, examine
from research_core.pipeline.contradictions import as_json
from research_core.pipeline.draft import FLAGS
from research_core.pipeline.methodology import ended, methods, sentences, unsourced
from research_core.pipeline.needs_review import Flagged, flagged
from research_core.pipeline.verify import ABOUT_THE_EVIDENCE
from research_core.text.words import escape, inert, truncate
from research_core.trust import independence, provenance
from research_core.urls import is_own
from research_core.web.hidden_text import speaks

#: Raised when the shape of `to_json` changes; `report.schema.json` beside this file describes it.
SCHEMA = 11
#: Characters of a sentence that are shown where it is to be checked.
SHOWN = 160
#: Blocked sources that the Markdown names, those nearest to the threshold.
NAMED = 5


def build(run: RunView) -> Report:
    """The report of a run that has been gated, written and verified."""
    gate = decide.gate(run)
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
        disclaimer=_disclaimer(gate),
        blocks=tuple(_block(data) for data in run.verified["blocks"]),
        sources=sources(run, gate),
        funnel=funnel(run, gate),
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
        ties=decide.ties(run, gate),
    )


def sources(run: RunView, gate: Gate) -> tuple[ReportSource, ...]:
    """Every source of a run as a report shows it, in the gate's order. The run need not be
    finished.
    """
    numbers = {verdict.url: verdict.number for verdict in gate.verdicts}
    return tuple(
        _source(run, verdict, numbers.get(verdict.copy_of, 0)) for verdict in gate.verdicts
    )


def _source(run: RunView, verdict: decide.Verdict, copy_of: int) -> ReportSource:
    source = run.sources[verdict.url]
    listing = decide.identity(source, run.settings)
    page = source.page if isinstance(source.page, dict) else {}
    return ReportSource(
        url=source.url,
        title=(listing.title if listing and not source.landed else "")
        or source.title
        or source.url,
        number=verdict.number,
        status=verdict.status,
        reason=verdict.reason,
        parts=decide.score(source, run.settings),
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


def funnel(run: RunView, gate: Gate) -> dict[str, int]:
    """How many sources were found, eligible, read, judged and kept, and how many were lost at each
    step.
    """
    statuses = [verdict.status for verdict in gate.verdicts]
    sources = run.sources.values()
    blocked = [run.sources[verdict.url] for verdict in gate.verdicts if verdict.status == "blocked"]
    refused = sum(source.refused or source.read for source in blocked)
    return {
        "found": len(statuses),
        "eligible": sum(decide.eligible(source, run.settings) for source in sources),
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


def _block(data: Mapping[str, Any]) -> Block:
    sentences = tuple(
        Sentence(s["text"], tuple(s["citations"]), s["state"], s["note"]) for s in data["sentences"]
    )
    return Block(data["kind"], sentences, data["level"])


def _disclaimer(gate: Gate) -> str:
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
    """Title, disclaimer, the written sections, Sources, Methodology."""
    return "\n\n".join(part for part in _markdown(report) if part) + "\n"


def _markdown(report: Report) -> Iterator[str]:
    yield f"# {escape(report.question)}"
    if report.decision == "insufficient_data":
        yield f"**No report: {report.reason}.** {NO_REPORT_REASONS[report.reason]}"
    flags, found = to_check(report), examine(report)
    yield from (f"> {notice}" for notice in notices(report, flags))
    yield inert(
        draft.render(
            told(report, found), _number_of(report), found.single, partial(unsourced, report)
        )
    )
    yield _sentences_to_check(report, flags)
    yield _sources_section(report)
    yield _methodology(report)


def notices(report: Report, flags: Flagged | None = None) -> Iterator[str]:
    """What a reader is to know before the text, in sentences. flags: what is to be checked, if
    known.
    """
    if report.disclaimer:
        yield report.disclaimer
    if report.unscored and report.unscored == weighed(report):
        yield "Relevance was not checked: no source could be scored."
    if report.decision != "insufficient_data" and not any(
        sentence.citations for sentence in sentences(report)
    ):
        yield "No sentence of this text cites a source, so none could be checked."
    if left := unfinished.notice(report):
        yield left
    for source in report.sources:
        if source.number and (who := provenance.retracted(source)):
            yield (
                f"Source {source.number}, which this text uses, was retracted, as {who} says: do"
                " not rely on it."
            )
    if look := (flags or to_check(report)).notice:
        yield look


def to_check(report: Report) -> Flagged:
    """The sentences to be looked at before the report goes anywhere."""
    return flagged(
        report.blocks,
        {passage.id: passage.text for source in report.sources for passage in source.passages},
    )


def weighed(report: Report) -> int:
    """How many sources the gate kept or dropped: what its rationale, the disclaimer and every
    export count the kept ones against.
    """
    return report.funnel["kept"] + report.funnel["dropped"]


def _number_of(report: Report) -> dict[str, int]:
    """The number of the source a passage is from; of two with the very same text the first."""
    return {
        passage.id: source.number
        for source in reversed(report.sources)
        if source.number
        for passage in source.passages
    }


def written(report: Report) -> tuple[Block, ...]:
    """The text as it is to be drawn: signs of Markdown that stand so in a cited passage are the
    page's own, and have a backslash.
    """
    passages = {
        passage.id: passage.text for source in report.sources for passage in source.passages
    }
    return tuple(
        replace(block, sentences=draft.literal(block.sentences, passages))
        for block in report.blocks
    )


def told(report: Report, found: Findings | None = None) -> tuple[Block, ...]:
    """The text as it is taken away: as `written`, and at its end, under Confidence Assessment, what
    is computed of it. found: if known.
    """
    blocks, computed = written(report), confidence.blocks(found or examine(report))
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


def _sentences_to_check(report: Report, found: Flagged) -> str:
    """What is to be looked at, each with its source's number and why."""
    if not found:
        return ""
    numbers, lines = _number_of(report), []
    for sentence in (*found.lacking, *found.doubtful, *found.unchecked):
        marks = "".join(
            f"[{number}]"
            for number in dict.fromkeys(
                numbers[name] for name in sentence.citations if name in numbers
            )
        )
        lines.append(
            f"- “{escape(truncate(sentence.text, SHOWN))}” {marks}:"
            f" {escape(sentence.note) or FLAGS[sentence.state]}"
        )
    return "## Sentences to Check\n\n" + "\n".join(lines)


def _sources_section(report: Report) -> str:
    kept = [source for source in report.sources if source.status == "kept"]
    cited = format_citations([_citation(source) for source in kept]).replace(
        "\n", "  \n"
    )  # or Markdown runs them together
    parts = ["## Sources", cited or "No source was kept."]
    if lost := list(_not_used(report)):
        parts += ["### Not used", "\n".join(f"- {line}" for line in lost)]
    return "\n\n".join(parts)


def _not_used(report: Report) -> Iterator[str]:
    """A line for each source that was lost by name; those below the threshold share one, as they
    can be many times the rest.
    """
    for source in report.sources:
        if source.status in ("dropped", "failed", "struck", "duplicate"):
            yield _lost_line(source)
    if blocked := [source for source in report.sources if source.status == "blocked"]:
        named = ", ".join(
            f"{link(s.title, s.url)} {s.parts.score:.2f}" if s.parts else link(s.title, s.url)
            for s in blocked[:NAMED]
        )
        more = (
            f", and {len(blocked) - NAMED} more, which the JSON lists with their reasons"
            if len(blocked) > NAMED
            else ""
        )
        yield (
            "Not above the credibility threshold of"
            f" {report.settings['credibility']['minimum']:.2f}: {named}{more}."
        )


def _citation(source: ReportSource) -> dict[str, Any]:
    archived = (source.archived.named, source.archived.url) if source.archived else None
    said = {
        "url": source.address,
        "listed": source.url if source.landed else "",
        "title": source.title,
        "copy_of": source.copy_of,
    }
    said |= {"hides": marks(source)}
    return {
        **said,
        "claim": provenance.claim(source),
        "score": source.parts.score if source.parts else None,
        "archived": archived,
    }


def marks(source: ReportSource) -> str:
    """What a reader has to know of a source that was used beside its scores, in a few words; "" for
    nothing.
    """
    said = (
        provenance.hides(source),
        provenance.speaks(speaks(source)),
        f"retracted, as {who} says" if (who := provenance.retracted(source)) else "",
        "nothing is known of its host" if provenance.nothing_known(source) else "",
    )
    return ", ".join(filter(None, said))


def _lost_line(source: ReportSource) -> str:
    score = f"credibility {source.parts.score:.2f}, " if source.parts else ""
    relevance = (
        f"relevance {source.relevance.score}/5, "
        if source.relevance and source.relevance.scored
        else ""
    )
    why = escape(source.reason)
    if source.status in ("dropped", "failed"):
        why = f"{_LOST[source.status]}. {ended(why)}"
    return f"{link(source.title, source.url)}: {score}{relevance}{why.rstrip('.')}."


def _methodology(report: Report) -> str:
    return "## Methodology\n\n" + "\n".join(f"- {line}" for line in methods(report))


# -- JSON ------------------------------------------------------------------------------------------------------------------


def to_json(report: Report) -> dict[str, Any]:
    """The report as plain values, of the shape `report.schema.json` describes."""
    found = examine(report)
    return {
        "schema": SCHEMA,
        "session": report.session,
        "question": report.question,
        "asked": datetime.fromtimestamp(report.created, UTC).isoformat(timespec="seconds"),
        "settings": dict(report.settings),
        "decision": report.decision,
        "rationale": report.rationale,
        "reason": report.reason,
        "disclaimer": report.disclaimer,
        "notices": [*_why_none(report), *notices(report)],
        "sources": [_source_json(source) for source in report.sources],
        "headings": [
            sentence.text
            for block in report.blocks
            if block.kind == "heading"
            for sentence in block.sentences
        ],
        "sentences": list(_sentence_json(report, found)),
        **_findings_json(report, found),
        "funnel": dict(report.funnel),
        "searches": [dict(search) for search in report.searches],
        "queries": [dict(query) for query in report.queries],
        "instructions": list(report.instructions),
        "spent": dict(report.spent),
        "removed_citations": report.removed_citations,
        "stopped": report.stopped,
    }


def _why_none(report: Report) -> list[str]:
    return (
        [f"No report: {report.reason}. {NO_REPORT_REASONS[report.reason]}"]
        if report.decision == "insufficient_data"
        else []
    )


def _source_json(source: ReportSource) -> dict[str, Any]:
    return {
        "number": source.number,
        "url": source.url,
        "title": source.title,
        "status": source.status,
        "reason": source.reason,
        "kept": source.status == "kept",
        "blocked": source.status == "blocked",
        "approved": source.approved,
        "own": is_own(source.url),
        "published": source.published,
        "credibility": asdict(source.parts) if source.parts else None,
        "relevance": _relevance_json(source),
        "kind": source.kind,
        "metadata": {**asdict(source.metadata), "authors": list(source.metadata.authors)},
        "hidden": [
            {"reason": reason, "count": count}
            for reason, count in sorted(source.hidden.counts.items())
        ],
        "speaks_to_machines": speaks(source),
        "attempts": tried(source.attempts),
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


def _findings_json(report: Report, found: Findings) -> dict[str, Any]:
    """What comparing sources and sentences shows."""
    numbers = [source.number for source in report.sources if source.number]
    groups = independence.groups(numbers, report.ties)
    return {
        "independence": [
            {"sources": list(group.sources), "ties": [asdict(tie) for tie in group.ties]}
            for group in groups
        ],
        "contradictions": as_json(found.contradictions),
        "confidence": asdict(found.confidence) if found.confidence else None,
    }


def _relevance_json(source: ReportSource) -> dict[str, Any] | None:
    judged = source.relevance
    return (
        {"score": judged.score, "explanation": judged.explanation, "scored": judged.scored}
        if judged
        else None
    )


def _sentence_json(report: Report, found: Findings) -> Iterator[dict[str, Any]]:
    number_of, heading, single = _number_of(report), "", found.single
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
