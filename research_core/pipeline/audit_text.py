"""Write the text of an audit: the score card, then the report itself with a verdict per sentence.

No model writes. A language model, if the run names one as its judge, is asked about doubtful claims
alone, each in a fence with the passages of its sources; it must quote words that are in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import asdict, replace
from typing import cast

from research_core.citations.checks.claim_verdict import Verdict
from research_core.decisions.view import RunView, fold_run_so_far
from research_core.i18n import N_, gettext, join_clauses
from research_core.journal.deps import Deps
from research_core.journal.events import Draft
from research_core.model_messages import Json
from research_core.models import Block, Passage, Report, Sentence, SentenceState
from research_core.pipeline import draft, report
from research_core.pipeline.audit_result import (
    CONTRADICTED,
    STATE_LABELS,
    AuditedCitation,
    AuditedClaim,
    AuditResult,
    describe_archived_copy,
    describe_retraction,
    fold_audit,
)
from research_core.pipeline.early_stop import OptionalModel
from research_core.pipeline.prompts import build_prompt_context
from research_core.pipeline.unfinished import CHECKING, TOO_MANY_NOTE
from research_core.pipeline.verify import UNCITED_NOTE
from research_core.pipeline.verify_with_model import (
    SentenceAnswer,
    add_note,
    ask_about,
    list_unasked,
)
from research_core.policy import OFFLINE_MODEL
from research_core.text.passages import make_passages, select_passages
from research_core.text.support.quotations import find_literal_span
from research_core.text.words import escape_markdown, truncate

CARD_HEADING = N_("Score card")
UNCHECKED_HEADING = N_("Could not be checked")
SOURCES_HEADING = N_("Sources to check")
TEXT_HEADING = N_("The checked report")
#: Characters shown of a sentence or entry in a list.
MAX_SHOWN_LENGTH = 160
#: Passages of a page that a model sees for one claim.
MODEL_PASSAGES = 3
#: The characters of a page that a model sees if no passage shares a word with the claim.
MODEL_OPENING_LENGTH = 2_000
#: Characters of the opening of a page, which is shown for a citation without a passage.
OPENING_LENGTH = 400
#: The verdicts that a model is asked about, as states of sentences.
_DOUBTFUL: Mapping[Verdict | str, SentenceState] = {
    "partly": "partly",
    "not found": "not found",
    "not decided": "not found",
}
#: What the text says of a sentence, by its result. Its note says what is different.
_STATES: Mapping[str, SentenceState] = {
    CONTRADICTED: "not found",
    "supported": "supported",
    "partly": "partly",
    "not found": "not found",
    "not decided": "could not check",
    "could not check": "could not check",
}
NOT_DECIDED_NOTE = N_(
    "The source was read, but the check cannot tell whether it supports the sentence."
)


def write_audit(deps: Deps) -> Report:
    """Ask the judge about doubtful claims; record the text with its verdicts, and the report."""
    result = _read_result(deps)
    too_many: frozenset[int] = frozenset()
    if deps.run.judging_model != OFFLINE_MODEL:
        too_many = _judge_with_model(result, deps)
        result = _read_result(deps)
    run = fold_run_so_far(deps)
    passages = _place_passages(result, run, deps)
    blocks = _build_blocks(result, passages, too_many)
    written: Json = {"text": draft.render(blocks, {}), "removed": 0}
    deps.log.append(Draft("written", written, "written"))
    verified: Json = {
        "blocks": [_describe_block(block) for block in blocks],
        # Lists of sessions read it, which do not read the verdicts.
        "contradicted": result.card.contradicted,
        "clean": result.card.is_clean,
    }
    deps.log.append(Draft("verified", verified, "verified"))
    return report.record_report(deps)


def _read_result(deps: Deps) -> AuditResult:
    result = fold_audit(deps.log.emitted, deps.log.open)
    assert result is not None
    return result


def _describe_block(block: Block) -> Json:
    row = asdict(block)
    for sentence in row["sentences"]:
        del sentence["relevance"]
    return row


# ---------------------------------------------------------------- the model


def _judge_with_model(result: AuditResult, deps: Deps) -> frozenset[int]:
    """Ask about the doubtful claims, and record the verdicts that the model changed.

    Returns the numbers of the claims that were too many to ask about.
    """
    run = fold_run_so_far(deps)
    pages = _read_pages(run, deps)
    doubtful: list[AuditedClaim] = []
    sentences: list[Sentence] = []
    passages: dict[str, Passage] = {}
    for claim in result.cited:
        if claim.verdict not in _DOUBTFUL:
            continue
        found = _choose_passages(claim, pages)
        if found:
            passages |= found
            doubtful.append(claim)
            state = _DOUBTFUL[claim.verdict]
            sentences.append(Sentence(claim.text, tuple(found), state, claim.note))
    if not doubtful:
        return frozenset()
    prompting = build_prompt_context(run.asked, deps)
    model = OptionalModel(deps, CHECKING)
    different = list(dict.fromkeys(sentences))
    answers = ask_about(different, passages, model, prompting)
    for claim, was in zip(doubtful, sentences, strict=True):
        answer = answers.get(was)
        if answer is None or answer.sentence == was:
            continue
        data = _describe_answer(claim, answer, was.state, pages)
        deps.log.append(Draft("claim_checked", data, f"{claim.number}:model"))
    beyond = set(list_unasked(different, prompting))
    pairs = zip(doubtful, sentences, strict=True)
    return frozenset(claim.number for claim, sentence in pairs if sentence in beyond)


def _describe_answer(
    claim: AuditedClaim, answer: SentenceAnswer, was: SentenceState, pages: Mapping[str, str]
) -> Json:
    """Return the `claim_checked` event of what a model answered."""
    verdict: Verdict | str = claim.verdict
    fault: str = claim.fault
    citations = claim.citations
    if answer.sentence.state != was:
        verdict = answer.sentence.state
        if verdict == "supported" or (verdict == "partly" and fault == "not mentioned"):
            fault = ""
        citations = _apply_answer(claim, answer, pages)
    rows = []
    for citation in citations:
        row = asdict(citation)
        del row["passage"]
        rows.append(row)
    return {
        "number": claim.number,
        "verdict": verdict,
        "fault": fault,
        "note": answer.sentence.note,
        "citations": rows,
    }


def _apply_answer(
    claim: AuditedClaim, answer: SentenceAnswer, pages: Mapping[str, str]
) -> tuple[AuditedCitation, ...]:
    """Return the citations after a verdict of the model, which is on the works that it quotes.

    Each of these shows the quotation. A work that it does not quote keeps what the words decided;
    without a quotation the model found the claim in none, also where the words found a part.
    """
    verdict = cast("Verdict", answer.sentence.state)
    decided = []
    for citation in claim.citations:
        page = pages.get(citation.work, "")
        span = _find_quoted_span(claim, citation, page, answer.quote) if answer.quote else None
        if span is not None:
            start, end = span
            citation = AuditedCitation(
                citation.work,
                verdict,
                start=start,
                end=end,
                likelihood=citation.likelihood,
                by_model=True,
            )
        elif not answer.quote and citation.verdict == "partly":
            citation = replace(citation, verdict=verdict, by_model=True)
        decided.append(citation)
    return tuple(decided)


def _find_quoted_span(
    claim: AuditedClaim, citation: AuditedCitation, page: str, quote: str
) -> tuple[int, int] | None:
    """Return where a page has a quotation, in the passages of it that the model saw."""
    for passage in _choose_page_passages(claim, citation, page):
        found = find_literal_span(quote, page[passage.start : passage.end])
        if found is not None:
            return passage.start + found[0], passage.start + found[1]
    return None


def _read_pages(run: RunView, deps: Deps) -> dict[str, str]:
    pages = {}
    for url, source in run.sources.items():
        if source.read:
            pages[url] = str(deps.log.open(source.page) or "")
    return pages


def _choose_passages(claim: AuditedClaim, pages: Mapping[str, str]) -> dict[str, Passage]:
    """Return the passages of the cited pages that a model sees, by id."""
    found: dict[str, Passage] = {}
    for citation in claim.citations:
        for passage in _choose_page_passages(claim, citation, pages.get(citation.work, "")):
            found.setdefault(passage.id, passage)
    return found


def _choose_page_passages(
    claim: AuditedClaim, citation: AuditedCitation, page: str
) -> list[Passage]:
    """Return the passages of one cited page that a model sees, that of the first check first."""
    if not page:
        return []
    named: tuple[Passage, ...] = ()
    if citation.end:
        named = make_passages(page, [(citation.start, citation.end)])
    chosen = select_passages(claim.text, page, limit=MODEL_PASSAGES)
    if not chosen and not citation.end:
        chosen = make_passages(page, [(0, min(len(page), MODEL_OPENING_LENGTH))])
    return [*named, *chosen]


# ---------------------------------------------------------------- the text


def _place_passages(
    result: AuditResult, run: RunView, deps: Deps
) -> dict[tuple[str, int], Passage]:
    """Return the recorded passages by source and start.

    Passages that a model quoted are recorded first. For a citation without a passage, the opening
    of its page is recorded.
    """
    placed: dict[tuple[str, int], Passage] = {}
    for url, source in run.sources.items():
        for passage in source.passages:
            placed[url, passage.start] = passage
    wanted: dict[str, dict[int, int]] = {}
    for claim in result.cited:
        for citation in claim.citations:
            cited = run.sources.get(citation.work)
            if cited is None or not cited.read:
                continue
            start, end = (citation.start, citation.end) if citation.end else (0, OPENING_LENGTH)
            known = placed.get((citation.work, start))
            if known is None or (citation.end and known.end < end):
                ends = wanted.setdefault(citation.work, {})
                ends[start] = max(end, ends.get(start, 0))
    drafts = []
    for url, ends in wanted.items():
        page = str(deps.log.open(run.sources[url].page) or "")
        if not page:
            continue
        spans = [(start, min(end, len(page))) for start, end in sorted(ends.items())]
        added = make_passages(page, spans)
        for passage in added:
            placed[url, passage.start] = passage
        kept = [passage for passage in run.sources[url].passages if passage.start not in ends]
        data: Json = {
            "url": url,
            "passages": [asdict(passage) for passage in (*added, *kept)],
            "summary": "",
            "cited": [passage.id for passage in added],
        }
        drafts.append(Draft("passages", data, f"cited {url}"))
    if drafts:
        deps.log.append(*drafts)
    return placed


def _build_blocks(
    result: AuditResult, passages: Mapping[tuple[str, int], Passage], too_many: Set[int]
) -> tuple[Block, ...]:
    """Build the score card, and the paragraphs of the report.

    too_many: the numbers of doubtful claims that no model was asked about.
    """
    blocks = [_build_heading(gettext(CARD_HEADING), 2)]
    for line in result.card.describe():
        blocks.append(_build_bullet(line))
    blocks += _list_unchecked(result)
    blocks += _list_sources_to_check(result)
    blocks.append(_build_heading(gettext(TEXT_HEADING), 2))
    by_number = {claim.number: claim for claim in result.claims}
    heading = ""
    paragraphs: list[tuple[int, str, list[Sentence]]] = []
    for number, row in enumerate(result.read_claims):
        claim = by_number.get(number)
        sentence = Sentence(escape_markdown(row.text))
        if claim is not None and claim.is_cited:
            sentence = _build_sentence(claim, passages)
            if number in too_many:
                sentence = add_note(sentence, gettext(TOO_MANY_NOTE))
        elif claim is not None:
            sentence = replace(sentence, note=gettext(UNCITED_NOTE))
        if not paragraphs or (row.paragraph, row.heading) != paragraphs[-1][:2]:
            paragraphs.append((row.paragraph, row.heading, []))
        paragraphs[-1][2].append(sentence)
    for _number, title, sentences in paragraphs:
        if title != heading:
            heading = title
            if title:
                blocks.append(_build_heading(escape_markdown(title), 3))
        blocks.append(Block("paragraph", tuple(sentences)))
    return tuple(blocks)


def _list_unchecked(result: AuditResult) -> list[Block]:
    """List the sentences without a source that could be read; the others show their passages."""
    bullets = []
    for claim in result.cited:
        if claim.verdict == "could not check":
            text = escape_markdown(truncate(claim.text, MAX_SHOWN_LENGTH))
            bullets.append(_build_bullet(f"“{text}”: {escape_markdown(claim.note)}"))
    return [_build_heading(gettext(UNCHECKED_HEADING), 2), *bullets] if bullets else []


def _list_sources_to_check(result: AuditResult) -> list[Block]:
    """List the sources that did not open, or were retracted."""
    bullets = []
    for source in result.sources:
        state = gettext(STATE_LABELS[source.state]) if source.state != "live" else ""
        known = (state, describe_archived_copy(source), describe_retraction(source))
        remarks = [remark for remark in known if remark]
        if remarks:
            name = escape_markdown(source.url or truncate(source.entry, MAX_SHOWN_LENGTH))
            bullets.append(_build_bullet(f"{name}: {join_clauses(remarks)}"))
    return [_build_heading(gettext(SOURCES_HEADING), 2), *bullets] if bullets else []


def _build_bullet(text: str) -> Block:
    return Block("bullet", (Sentence(text),))


def _build_heading(text: str, level: int) -> Block:
    return Block("heading", (Sentence(text),), level)


def _build_sentence(claim: AuditedClaim, passages: Mapping[tuple[str, int], Passage]) -> Sentence:
    cited: dict[str, None] = {}
    for citation in claim.citations:
        start = citation.start if citation.end else 0
        passage = passages.get((citation.work, start))
        if passage is not None:
            cited[passage.id] = None
    note = claim.note
    if claim.verdict == "not decided" and not note:
        note = gettext(NOT_DECIDED_NOTE)
    return Sentence(escape_markdown(claim.text), tuple(cited), _STATES[claim.result], note)
