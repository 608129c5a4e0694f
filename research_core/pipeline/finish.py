"""Write the report of a run whose sources are decided, verify it, and record it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, wait
from dataclasses import asdict
from typing import Any

from research_core.decisions import gate as decide
from research_core.decisions.gate import Gate
from research_core.decisions.report_sources import list_sources
from research_core.decisions.view import RunView, fold_run_so_far
from research_core.journal.deps import Deps
from research_core.journal.events import Draft, canonical_json, sha256
from research_core.journal.rule_versions import runs_under
from research_core.model_messages import Json
from research_core.models import Block, Report, Summary
from research_core.pipeline import draft, report
from research_core.pipeline.answer_relevance import rate_sentences
from research_core.pipeline.confidence import ANSWER_VERSION
from research_core.pipeline.lost_citations import CheckedText, remove_unknown_citations
from research_core.pipeline.page_findings import find_page_findings
from research_core.pipeline.prompts import build_prompt_context
from research_core.pipeline.refusal_quotes import QUOTES_VERSION, quote_kept_sources
from research_core.pipeline.relevance import generate_insufficient_data_response
from research_core.pipeline.synthesize import CallLimit, WrittenText, write_report
from research_core.pipeline.verify import verify
from research_core.pipeline.verify_with_model import verify_doubtful
from research_core.pipeline.writer_evidence import collect_evidence, refine_question_type
from research_core.policy import OFFLINE_MODEL

POLL_S = 0.1
#: The key of the choice that a limit left the writer no call.
LIMIT_KEY = "writer's limit"
#: The version of the rules of prompting from which another writer follows one that fails.
WRITER_VERSION = 2


def write_and_verify(deps: Deps) -> Report:
    """Write the text, check each of its sentences, and record the report.

    Raises SynthesisError or CapReached if it cannot be written, StoreError and Stopped.
    """
    _write(fold_run_so_far(deps), deps)
    _verify(fold_run_so_far(deps), deps)
    return _record_report(deps)


def _write(run: RunView, deps: Deps) -> None:
    """Write the text from the kept sources alone; remove and count invented marks and sources."""
    gate = decide.read_gate(run)
    write = _write_insufficient_data if gate.decision == "insufficient_data" else _write_report
    result = _wait_for_result(deps.pool.submit(write, run, gate, deps), deps)
    checked = _check_citations(result.text, run, gate)
    written: Json = {"text": checked.text, "removed": checked.removed}
    if checked.uncited:
        written["uncited"] = list(checked.uncited)
    if runs_under(run.rules, "scoring", ANSWER_VERSION):
        is_refusal = gate.decision == "insufficient_data"
        written["pages"] = find_page_findings(run, deps, is_refusal=is_refusal)
    if result.writer and deps.run.writing_model != OFFLINE_MODEL:
        written["writer"] = {"model": result.writer, "failures": list(result.failures)}
    deps.log.append(Draft("written", written, "written"))


def _check_citations(text: str, run: RunView, gate: Gate) -> CheckedText:
    passages = {
        passage.id: passage.text for url in gate.kept for passage in run.sources[url].passages
    }
    addresses: set[str] = set()
    for source in list_sources(run, gate):
        addresses |= {source.url, source.address}
    return remove_unknown_citations(text, passages, addresses, run.rules)


def _wait_for_result(call: Future[Any], deps: Deps) -> Any:
    """Return the result of a long call, and check for a cancel meanwhile."""
    while not wait([call], POLL_S).done:
        deps.http.check_stop()
    return call.result()


def _write_report(run: RunView, gate: Gate, deps: Deps) -> WrittenText:
    survivors = [_build_summary(run, url) for url in gate.kept]
    prompting = refine_question_type(build_prompt_context(run.asked, deps), run.plan or {})
    return write_report(
        run.asked,
        survivors,
        deps.model,
        limited_sources=gate.decision == "short_report",
        dropped_sources=_list_dropped(run, gate),
        sub_questions=tuple((run.plan or {}).get("sub_questions", ())),
        instructions=run.instructions,
        on_text=lambda _piece: None,
        falls_back=runs_under(run.rules, "prompting", WRITER_VERSION),
        prompting=prompting,
        evidence=collect_evidence(run, gate, deps, prompting),
        limit=_find_call_limit(deps),
    )


def _find_call_limit(deps: Deps) -> CallLimit:
    """Return what an earlier attempt, or the run that is replayed, recorded of its writer."""

    def record(reached: Json) -> None:
        deps.log.append(Draft("decide", {"do": "write without model", **reached}, LIMIT_KEY))

    return CallLimit(deps.log.find_choice(LIMIT_KEY), record)


def _write_insufficient_data(run: RunView, gate: Gate, deps: Deps) -> WrittenText:
    queries = [run.queries[order]["text"] for order in sorted(run.queries)]
    refined = None
    for query in run.queries.values():
        if query["purpose"] == "refined":
            refined = query["text"]
            break
    dropped = _list_dropped(run, gate)
    text = generate_insufficient_data_response(
        run.asked,
        refined,
        dropped,
        deps.model,
        reason=gate.reason,
        queries=queries,
        prompting=build_prompt_context(run.asked, deps),
    )
    if runs_under(run.rules, "scoring", QUOTES_VERSION):
        text = "\n\n".join(filter(None, (quote_kept_sources(run, gate, deps), text)))
    return WrittenText(text, "")


def _build_summary(run: RunView, url: str) -> Summary:
    source = run.sources[url]
    return Summary(url, source.title, source.summary, source.passages)


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
    if runs_under(run.rules, "scoring", ANSWER_VERSION):
        checked = _wait_for_result(deps.pool.submit(rate_sentences, run, checked, deps), deps)
    deps.log.append(Draft("verified", _blocks_to_json(checked), "verified"))
    if deps.run.judging_model == OFFLINE_MODEL:
        return
    prompting = build_prompt_context(run.asked, deps)
    again = _wait_for_result(
        deps.pool.submit(verify_doubtful, checked, passages, deps.model, prompting), deps
    )
    if again != checked:
        deps.log.append(Draft("verified", _blocks_to_json(again), "verified:again"))


def _blocks_to_json(blocks: Sequence[Block]) -> Json:
    """Return the data of a `verified` event; a relevance that was not rated is left out."""
    rows = [asdict(block) for block in blocks]
    for row in rows:
        for sentence in row["sentences"]:
            if not sentence["relevance"]:
                del sentence["relevance"]
    return {"blocks": rows}


def _record_report(deps: Deps) -> Report:
    spent = deps.http.tally()
    if deps.run.models == {OFFLINE_MODEL}:
        del spent["models"]
    deps.log.append(Draft("decide", {"do": "tally", **spent}, "tally"))
    built = report.build(fold_run_so_far(deps))
    markdown = report.to_markdown(built)
    sha = sha256(canonical_json(report.to_json(built)).encode("utf-8", "surrogatepass"))
    deps.log.append(
        Draft("report", {"decision": built.decision, "sha": sha, "markdown": markdown}, "report")
    )
    return built
