"""Export the result of an audit as Markdown and as JSON (`audit.schema.json`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from research_core.i18n import _, gettext, in_report_language, join_clauses
from research_core.model_messages import Json
from research_core.pipeline.audit_result import (
    FAULT_LABELS,
    STATE_LABELS,
    VERDICT_LABELS,
    AuditedClaim,
    AuditedSource,
    AuditResult,
)
from research_core.text.words import escape_markdown, to_single_line, truncate

#: Increase it when the shape of `audit_to_json` changes; `audit.schema.json` describes the shape.
AUDIT_SCHEMA_VERSION = 1
#: Characters shown of a passage.
MAX_PASSAGE_LENGTH = 300


def audit_to_json(result: AuditResult) -> Json:
    """Return the result as JSON values, without the text of the report."""
    return {
        "schema": AUDIT_SCHEMA_VERSION,
        "session": result.session,
        "name": result.name,
        "title": result.question,
        "language": result.language,
        "complete": result.complete,
        "score_card": {"sentences": result.card.describe(), **asdict(result.card)},
        "claims": [_claim_to_json(claim) for claim in result.claims],
        "sources": [_source_to_json(source) for source in result.sources],
    }


def _claim_to_json(claim: AuditedClaim) -> Json:
    row = asdict(claim)
    row["citations"] = [dict(each) for each in row["citations"]]
    row["unresolved"] = list(claim.unresolved)
    return row


def _source_to_json(source: AuditedSource) -> Json:
    row = asdict(source)
    parts = row.pop("parts")
    row["marks"] = list(source.marks)
    row["credibility"] = None
    if parts is not None:
        named = ("score", "tier", "domain", "relevance", "recency", "basis", "kind", "why")
        row["credibility"] = {name: parts[name] for name in named}
    return row


@in_report_language
def audit_to_markdown(result: AuditResult) -> str:
    """Return the score card, the sentences that do not hold, and the sources."""
    return "\n\n".join(part for part in _build_parts(result) if part) + "\n"


def _build_parts(result: AuditResult) -> Iterator[str]:
    yield "# " + _("Check of {title}").format(title=_escape(result.question))
    if not result.complete:
        yield "> " + _("The check is not complete.")
    card = "\n".join(f"- {line}" for line in result.card.describe())
    yield f"## {_('Score card')}\n\n{card}"
    failing = [claim for claim in result.cited if claim.verdict != "supported"]
    if failing:
        items = "\n".join(_format_claim(claim, result) for claim in failing)
        yield f"## {_('Sentences to check')}\n\n{items}"
    holding = [claim for claim in result.cited if claim.verdict == "supported"]
    if holding:
        items = "\n".join(_format_claim(claim, result) for claim in holding)
        yield f"## {_('Supported sentences')}\n\n{items}"
    if result.uncited_facts:
        lines = [
            _("line {line}").format(line=claim.line) + f": “{_escape(claim.text)}”"
            for claim in result.uncited_facts
        ]
        items = "\n".join(f"- {line}" for line in lines)
        yield f"## {_('Figures, dates and names without a source')}\n\n{items}"
    if result.sources:
        items = "\n".join(
            _format_source(number, source, result)
            for number, source in enumerate(result.sources, 1)
        )
        yield f"## {_('Sources')}\n\n{items}"


def _format_claim(claim: AuditedClaim, result: AuditResult) -> str:
    numbers = {source.key: number for number, source in enumerate(result.sources, 1)}
    assert claim.verdict
    verdict = gettext(VERDICT_LABELS[claim.verdict])
    if claim.fault:
        verdict += f" ({gettext(FAULT_LABELS[claim.fault])})"
    line = _("line {line}").format(line=claim.line)
    note = f" {_escape(claim.note)}" if claim.note else ""
    rows = [f"- **{verdict}**, {line}: “{_escape(claim.text)}”{note}"]
    for citation in claim.citations:
        found = f"  - [{numbers[citation.work]}] {gettext(VERDICT_LABELS[citation.verdict])}"
        if citation.passage:
            passage = truncate(to_single_line(citation.passage), MAX_PASSAGE_LENGTH)
            found += f": “{_escape(passage)}”"
        elif citation.note:
            found += f": {_escape(citation.note)}"
        rows.append(found)
    for mark in claim.unresolved:
        leads_nowhere = _("{mark} leads to no source").format(mark=_escape(mark))
        rows.append(f"  - {leads_nowhere}")
    return "\n".join(rows)


def _format_source(number: int, source: AuditedSource, result: AuditResult) -> str:
    numbers = {each.key: place for place, each in enumerate(result.sources, 1)}
    remarks = [gettext(STATE_LABELS[source.state])]
    if source.archived_day:
        remarks.append(_("archived copy of {day}").format(day=source.archived_day))
    if source.retracted:
        retracted = _("retracted, according to {authority}")
        remarks.append(retracted.format(authority=_escape(source.retracted)))
    if source.is_low:
        remarks.append(_("low or unknown credibility"))
    if source.copy_of:
        same = _("same text as [{number}]").format(number=numbers[source.copy_of])
        remarks.append(same)
    if not source.cited_by:
        remarks.append(_("never cited"))
    name = _escape(source.title or truncate(to_single_line(source.entry), MAX_PASSAGE_LENGTH))
    address = _escape(source.url)
    shown = " ".join(part for part in (name, address) if part)
    reason = f" {_escape(source.reason)}" if source.reason else ""
    return f"- [{number}] {shown} – {join_clauses(remarks)}.{reason}"


def _escape(text: str) -> str:
    return escape_markdown(to_single_line(text))
