"""Write the report of a run whose sources are decided, verify it, and record it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, wait
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from research_core.citations.marks import find_cited_ids
from research_core.decisions import gate as decide
from research_core.decisions.gate import Gate
from research_core.decisions.report_sources import list_sources
from research_core.decisions.view import WITHOUT_WRITER, RunView, fold_run_so_far
from research_core.journal.deps import Deps
from research_core.journal.events import Draft
from research_core.journal.rule_versions import runs_under
from research_core.model_messages import Json
from research_core.models import Block, Report
from research_core.modes import ResearchMode
from research_core.pipeline import draft, report
from research_core.pipeline.answer_relevance import rate_sentences, take_ratings
from research_core.pipeline.confidence import ANSWER_VERSION
from research_core.pipeline.early_stop import (
    OptionalModel,
    ends_only_at_time_cap,
    explain_cap,
    record_cap,
)
from research_core.pipeline.further_passages import (
    ReadPage,
    choose_for_sections,
    find_evidence_budget,
    find_section_budget,
    read_pages,
    widen_summaries,
)
from research_core.pipeline.lost_citations import CheckedText, remove_unknown_citations
from research_core.pipeline.methodology import SPENDING_VERSION
from research_core.pipeline.page_findings import CAUSE_VERSION, find_page_findings, find_refusal
from research_core.pipeline.prompts import PromptContext, build_prompt_context
from research_core.pipeline.refusal_quotes import QUOTES_VERSION, quote_kept_sources
from research_core.pipeline.relevance import generate_insufficient_data_response
from research_core.pipeline.sections import (
    SECTIONS_VERSION,
    Section,
    SectionedReport,
    choose_titles,
    join_sources,
    plan_outline,
    write_in_sections,
)
from research_core.pipeline.synthesize import (
    CallLimit,
    Evidence,
    SourceKept,
    WrittenText,
    write_report,
)
from research_core.pipeline.unfinished import CHECKING
from research_core.pipeline.verify import verify
from research_core.pipeline.verify_with_model import verify_doubtful
from research_core.pipeline.writer_evidence import (
    add_conflicts,
    collect_facts,
    refine_question_type,
)
from research_core.policy import OFFLINE_MODEL

POLL_S = 0.1
#: The key of the choice that a limit left the writer no call.
LIMIT_KEY = "writer's limit"
#: The version of the rules of prompting from which another writer follows one that fails.
WRITER_VERSION = 2


def write_and_verify(deps: Deps, mode: ResearchMode | None = None) -> Report:
    """Write the text, check each of its sentences, and record the report.

    mode: by default that of the run. Raises SynthesisError or CapReached if it cannot be written,
    StoreError and Stopped.
    """
    run = fold_run_so_far(deps)
    _write(run, deps, mode or run.mode)
    _verify(fold_run_so_far(deps), deps)
    return report.record_report(deps)


@dataclass(frozen=True)
class _Job:
    """The inputs of a report.

    evidence: without conflicts; pages: of the kept sources; tokens: of passages at most.
    """

    run: RunView
    gate: Gate
    prompting: PromptContext
    evidence: Evidence
    pages: Sequence[ReadPage]
    tokens: int

    @property
    def sub_questions(self) -> tuple[str, ...]:
        return tuple((self.run.plan or {}).get("sub_questions", ()))


@dataclass(frozen=True)
class _Draft:
    """A text, and the sources with the passages that its writers saw."""

    written: WrittenText
    sources: Sequence[SourceKept] = ()


def _write(run: RunView, deps: Deps, mode: ResearchMode) -> None:
    """Write the text from the kept sources alone; remove and count invented marks and sources."""
    gate = decide.read_gate(run)
    is_refusal = gate.decision == "insufficient_data"
    findings: Json = {}
    if runs_under(run.rules, "scoring", ANSWER_VERSION):
        findings = find_page_findings(run, deps, is_refusal=is_refusal)
    if is_refusal:
        call = deps.pool.submit(_write_insufficient_data, run, gate, deps, findings)
        result = _Draft(_wait_for_result(call, deps))
    else:
        result = _write_from_sources(run, gate, deps, mode)
    checked = _check_citations(result, run, gate)
    _record_further_passages(run, result.sources, checked.text, deps)
    by = result.written
    written: Json = {"text": checked.text, "removed": checked.removed + by.invented}
    if checked.uncited:
        written["uncited"] = list(checked.uncited)
    if runs_under(run.rules, "scoring", ANSWER_VERSION):
        written["pages"] = findings
    if by.writer and deps.run.writing_model != OFFLINE_MODEL:
        written["writer"] = {"model": by.writer, "failures": list(by.failures)}
        if by.parts:
            written["writer"]["parts"] = dict(by.parts)
        if by.cut_prompt and runs_under(run.rules, "scoring", SPENDING_VERSION):
            written["writer"]["cut_prompt"] = list(by.cut_prompt)
        if by.ending:
            written["writer"]["ending"] = by.ending
    deps.log.append(Draft("written", written, "written"))


def _check_citations(result: _Draft, run: RunView, gate: Gate) -> CheckedText:
    passages = [passage for url in gate.kept for passage in run.sources[url].passages]
    for source in result.sources:
        passages += source.passages
    texts = {passage.id: passage.text for passage in passages}
    addresses: set[str] = set()
    for listed in list_sources(run, gate):
        addresses |= {listed.url, listed.address}
    return remove_unknown_citations(result.written.text, texts, addresses, run.rules)


def _record_further_passages(
    run: RunView, sources: Sequence[SourceKept], text: str, deps: Deps
) -> None:
    """Record the cited passages that were not chosen when their page was read."""
    cited = set(find_cited_ids(text))
    for source in sources:
        view = run.sources[source.url]
        known = {passage.id for passage in view.passages}
        further = [p for p in source.passages if p.id in cited and p.id not in known]
        if not further:
            continue
        passages = sorted((*view.passages, *further), key=lambda passage: passage.start)
        data: Json = {
            "url": source.url,
            "passages": [asdict(passage) for passage in passages],
            "summary": view.summary,
            "cited": [passage.id for passage in further],
        }
        deps.log.append(Draft("passages", data, f"cited {source.url}"))


def _wait_for_result(call: Future[Any], deps: Deps) -> Any:
    """Return the result of a long call, and check for a cancel meanwhile."""
    while not wait([call], POLL_S).done:
        deps.http.check_stop()
    return call.result()


def _write_from_sources(run: RunView, gate: Gate, deps: Deps, mode: ResearchMode) -> _Draft:
    """Write the report, in sections if the mode has them and the plan has several."""
    in_sections = mode.writes_sections and gate.decision == "full_report"
    call = deps.pool.submit(_prepare_job, run, gate, deps, in_sections=in_sections)
    job = _wait_for_result(call, deps)

    def begin_comparing() -> Future[Evidence]:
        return deps.pool.submit(add_conflicts, job.evidence, run, gate, deps)

    if in_sections:
        choosing = deps.pool.submit(_choose_sections, job, deps)
        sections: tuple[Section, ...] = _wait_for_result(choosing, deps)
        if any(section.sources for section in sections):
            report = SectionedReport(
                run.asked, sections, job.prompting, job.evidence, run.instructions, job.tokens
            )
            written = write_in_sections(
                report,
                deps,
                begin_comparing=begin_comparing,
                wait=partial(_wait_for_result, deps=deps),
                find_limit=partial(_find_call_limit, deps),
            )
            return _Draft(written, join_sources(sections))
    conflicts = begin_comparing()
    result: _Draft = _wait_for_result(deps.pool.submit(_write_report, job, conflicts, deps), deps)
    return result


def _prepare_job(run: RunView, gate: Gate, deps: Deps, *, in_sections: bool) -> _Job:
    prompting = refine_question_type(build_prompt_context(run.asked, deps), run.plan or {})
    evidence = collect_facts(run, gate, deps, prompting)
    tokens = find_evidence_budget(prompting, deps)
    pages = read_pages(run, gate.kept, deps, with_texts=in_sections or bool(tokens))
    return _Job(run, gate, prompting, evidence, pages, tokens)


def _choose_sections(job: _Job, deps: Deps) -> tuple[Section, ...]:
    """Return the sections with their passages, () if there are too few sub-questions."""
    asked = job.run.asked
    outline = plan_outline(asked, job.sub_questions)
    if not outline or job.prompting.version < SECTIONS_VERSION:
        return ()
    tokens = find_section_budget(job.tokens, len(outline))
    chosen = choose_for_sections(asked, outline, job.pages, tokens, deps)
    titles = choose_titles(outline, job.prompting.version)
    return tuple(
        Section(question, tuple(sources), title)
        for question, sources, title in zip(outline, chosen, titles, strict=True)
    )


def _write_report(job: _Job, conflicts: Future[Evidence], deps: Deps) -> _Draft:
    run = job.run
    sources = widen_summaries(run.asked_as_spelled, job.pages, job.tokens, deps)
    written = write_report(
        run.asked_as_spelled,
        sources,
        deps.model,
        limited_sources=job.gate.decision == "short_report",
        dropped_sources=_list_dropped(run, job.gate),
        sub_questions=job.sub_questions,
        instructions=run.instructions,
        on_text=lambda _piece: None,
        falls_back=runs_under(run.rules, "prompting", WRITER_VERSION),
        prompting=job.prompting,
        evidence=conflicts.result(),  # begun first, so that even a pool of one thread gets there
        limit=_find_call_limit(deps),
    )
    return _Draft(written, sources)


def _find_call_limit(deps: Deps, part: str = "") -> CallLimit:
    """Return what an earlier attempt, or the run that is replayed, recorded of its writer.

    part: of a report in sections, "" for the writer of a whole one.
    """
    key = f"{LIMIT_KEY}: {part}" if part else LIMIT_KEY

    def record(reached: Json) -> None:
        decision = {"do": WITHOUT_WRITER, **reached}
        if ends_only_at_time_cap(deps):
            decision |= {"step": "report", "why": explain_cap(reached["cap"])}
        record_cap(deps, key, decision)

    known = deps.log.find_choice(key)
    if known is not None:
        record_cap(deps, key, known)
    return CallLimit(known, record)


def _write_insufficient_data(run: RunView, gate: Gate, deps: Deps, findings: Json) -> WrittenText:
    searched = {outcome["query"] for outcome in run.outcomes}
    queries = [run.queries[order]["text"] for order in sorted(run.queries)]
    refined = None
    for query in run.queries.values():
        if query["purpose"] == "refined":
            refined = query["text"]
            break
    dropped = _list_dropped(run, gate)
    refusal = None
    if runs_under(run.rules, "scoring", CAUSE_VERSION):
        refusal = find_refusal(run, gate, findings)
    text = generate_insufficient_data_response(
        run.asked,
        refined,
        dropped,
        OptionalModel(deps, "explanation"),
        reason=gate.reason,
        queries=queries,
        prompting=build_prompt_context(run.asked, deps),
        refusal=refusal,
        searches=len(searched),
    )
    if runs_under(run.rules, "scoring", QUOTES_VERSION):
        text = "\n\n".join(filter(None, (quote_kept_sources(run, gate, deps), text)))
    return WrittenText(text, "")


def _list_dropped(run: RunView, gate: Gate) -> list[dict[str, Any]]:
    dropped = []
    for verdict in gate.verdicts:
        judgement = run.sources[verdict.url].judgement
        if verdict.status == "dropped" and judgement:
            dropped.append(
                {
                    "url": judgement.url,
                    "title": judgement.title,
                    "score": judgement.score,
                    "explanation": judgement.explanation,
                }
            )
    return dropped


def _verify(run: RunView, deps: Deps) -> None:
    """Check each sentence against its cited passages: by words, if in doubt with a model."""
    assert run.written is not None
    passages = {
        passage.id: passage for source in run.sources.values() for passage in source.passages
    }
    blocks = draft.parse(run.written["text"], run.rules)
    checked = verify(blocks, passages, run.rules, uncited=run.written.get("uncited", ()))
    checking: Future[tuple[Block, ...]] | None = None
    if deps.run.judging_model != OFFLINE_MODEL:
        prompting = build_prompt_context(run.asked, deps)
        model = OptionalModel(deps, CHECKING)
        checking = deps.pool.submit(verify_doubtful, checked, passages, model, prompting)
    rated = checked
    if runs_under(run.rules, "scoring", ANSWER_VERSION):
        # The model checks sentences meanwhile, whatever they are rated.
        rated = _wait_for_result(deps.pool.submit(rate_sentences, run, checked, deps), deps)
    deps.log.append(Draft("verified", _blocks_to_json(rated), "verified"))
    if checking is None:
        return
    again = _wait_for_result(checking, deps)
    if again != checked:
        data = _blocks_to_json(take_ratings(again, rated))
        deps.log.append(Draft("verified", data, "verified:again"))


def _blocks_to_json(blocks: Sequence[Block]) -> Json:
    """Return the data of a `verified` event; a relevance that was not rated is left out."""
    rows = [asdict(block) for block in blocks]
    for row in rows:
        for sentence in row["sentences"]:
            if not sentence["relevance"]:
                del sentence["relevance"]
    return {"blocks": rows}
