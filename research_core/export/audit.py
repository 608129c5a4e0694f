"""Export the result of an audit as Markdown and as JSON (`audit.schema.json`).

`audit_docx` and `audit_html` make the other formats; what all of them say is worded here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from research_core.citations.marks import format_link
from research_core.citations.source_labels import strip_entry_marks
from research_core.i18n import (
    _,
    gettext,
    in_report_language,
    join_clauses,
    join_sentences,
    list_translations,
)
from research_core.model_messages import Json
from research_core.pipeline.audit_result import (
    CONTRADICTED,
    FAULT_LABELS,
    RESULT_LABELS,
    STATE_LABELS,
    AuditedClaim,
    AuditedSource,
    AuditResult,
    describe_archived_copy,
    describe_retraction,
)
from research_core.pipeline.methodology import SAMPLE_NOTICE
from research_core.text.words import (
    escape_markdown,
    strip_invisible,
    to_single_line,
    truncate,
)

if TYPE_CHECKING:
    from research_core.citations.checks.cited_source import SourceState

#: Increase it when the shape of `audit_to_json` changes; `audit.schema.json` describes the shape.
AUDIT_SCHEMA_VERSION = 1
_ADDRESS = re.compile(r"\bhttps?://\S+")
#: Characters shown of a passage.
MAX_PASSAGE_LENGTH = 300


class Sign(NamedTuple):
    """A symbol with its colour: green, orange, red or gray. The colour is never the only sign."""

    symbol: str
    tone: str


#: By the results of a sentence or citation (`audit_result.RESULT_LABELS`).
RESULT_SIGNS: Mapping[str, Sign] = {
    CONTRADICTED: Sign("≠", "red"),
    "supported": Sign("✓", "green"),
    "partly": Sign("◐", "orange"),
    "not found": Sign("✕", "red"),
    "not decided": Sign("≈", "gray"),
    "could not check": Sign("?", "gray"),
}
#: Of a sentence that states a fact and cites nothing.
UNCITED_SIGN = Sign("∅", "gray")
STATE_SIGNS: Mapping[SourceState, Sign] = {
    "live": Sign("✓", "green"),
    "dead": Sign("!", "red"),
    "never existed": Sign("⊘", "red"),
    "refused": Sign("⌀", "orange"),
    "paywalled": Sign("⌀", "orange"),
    "not read": Sign("○", "gray"),
}


def get_claim_sign(claim: AuditedClaim) -> Sign:
    return RESULT_SIGNS[claim.result] if claim.result else UNCITED_SIGN


def name_verdict(claim: AuditedClaim) -> str:
    """Return the verdict with what is wrong, in the current language."""
    if not claim.verdict:
        return _("no citation")
    verdict = gettext(RESULT_LABELS[claim.result])
    return f"{verdict} ({gettext(FAULT_LABELS[claim.fault])})" if claim.fault else verdict


def explain_verdict(claim: AuditedClaim) -> str:
    """Return what the check found of a sentence; "" if nothing is to be said."""
    # Late: it loads what compares claims with pages.
    from research_core.citations.checks.claim_verdict import UNDECIDED_NOTES

    if claim.verdict != "not decided" or claim.fault:
        return claim.note
    if any(claim.note in list_translations(text) for text in UNDECIDED_NOTES):
        return claim.note
    return join_sentences([_("Words alone do not show whether the page says this."), claim.note])


def name_source(source: AuditedSource) -> str:
    """Return the title of a source, else its line in the list of sources, else its address."""
    entry = _ADDRESS.sub("", strip_entry_marks(source.entry, source.marks)).strip(" <>:\"'()“”")
    return to_single_line(source.title or entry or source.url or source.key)


def get_link_address(source: AuditedSource) -> str:
    """Return the address that a source links to, as the report has it; "" if it did not open.

    Whoever registers an address that never existed decides what its readers get.
    """
    return source.url if source.state == "live" else ""


def list_remarks(source: AuditedSource, numbers: Mapping[str, str]) -> list[str]:
    """List what is remarkable about a source besides its state. numbers: marks by key."""
    known = (describe_retraction(source), describe_archived_copy(source))
    remarks = [remark for remark in known if remark]
    if source.copy_of:
        remarks.append(_("same text as [{number}]").format(number=numbers[source.copy_of]))
    if source.is_unknown:
        remarks.append(_("unknown site"))
    elif source.is_low:
        remarks.append(_("low credibility"))
    return remarks


def audit_to_json(result: AuditResult) -> Json:
    """Return the result as JSON values, without the text of the report and invisible characters."""
    found: Json = _clean_values(_build_json(result))
    return found


def _clean_values(value: Any) -> Any:
    if isinstance(value, str):
        return strip_invisible(value)
    if isinstance(value, dict):
        return {name: _clean_values(each) for name, each in value.items()}
    return [_clean_values(each) for each in value] if isinstance(value, list) else value


def _build_json(result: AuditResult) -> Json:
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
    numbers, places = result.number_sources(), result.locate_claims()
    if result.is_sample:
        yield f"> {gettext(SAMPLE_NOTICE)}"
    if not result.complete:
        yield "> " + _("The check is not complete.")
    card = "\n".join(f"- {line}" for line in result.card.describe())
    yield f"## {_('Score card')}\n\n{card}"
    failing = [claim for claim in result.cited if claim.verdict != "supported"]
    failing.sort(key=lambda claim: claim.result != CONTRADICTED)
    if failing:
        items = "\n".join(_format_claim(claim, places, numbers) for claim in failing)
        yield f"## {_('Sentences to check')}\n\n{items}"
    holding = [claim for claim in result.cited if claim.verdict == "supported"]
    if holding:
        items = "\n".join(_format_claim(claim, places, numbers) for claim in holding)
        yield f"## {_('Supported sentences')}\n\n{items}"
    if result.uncited_facts:
        lines = [
            f"{places[claim.number]}: “{_escape(claim.text)}”" for claim in result.uncited_facts
        ]
        items = "\n".join(f"- {line}" for line in lines)
        yield f"## {_('Figures, dates and names without a source')}\n\n{items}"
    if result.sources:
        items = "\n".join(_format_source(source, numbers) for source in result.sources)
        yield f"## {_('Sources')}\n\n{items}"


def _format_claim(
    claim: AuditedClaim, places: Mapping[int, str], numbers: Mapping[str, str]
) -> str:
    told = explain_verdict(claim)
    note = f" {_escape(told)}" if told else ""
    rows = [f"- **{name_verdict(claim)}**, {places[claim.number]}: “{_escape(claim.text)}”{note}"]
    for citation in claim.citations:
        found = f"  - [{_escape(numbers[citation.work])}] {gettext(RESULT_LABELS[citation.result])}"
        if citation.passage:
            passage = truncate(to_single_line(citation.passage), MAX_PASSAGE_LENGTH)
            found += f": “{_escape(passage)}”"
        elif citation.note:
            found += f": {_escape(citation.note)}"
        rows.append(found)
    for mark in claim.unresolved:
        leads_nowhere = _("{mark}: no matching source in the report").format(mark=_escape(mark))
        rows.append(f"  - {leads_nowhere}")
    return "\n".join(rows)


def _format_source(source: AuditedSource, numbers: Mapping[str, str]) -> str:
    remarks = [gettext(STATE_LABELS[source.state]), *list_remarks(source, numbers)]
    if not source.cited_by:
        remarks.append(_("never cited"))
    name = truncate(name_source(source), MAX_PASSAGE_LENGTH)
    address = get_link_address(source)
    if address:
        shown = format_link(name, address)
    else:
        parts = dict.fromkeys(part for part in (name, source.url) if part)
        shown = " ".join(map(_escape, parts))
    reason = f" {_escape(source.reason)}" if source.reason else ""
    found = _escape(join_clauses(remarks))
    return f"- [{_escape(numbers[source.key])}] {shown} – {found}.{reason}"


def _escape(text: str) -> str:
    return escape_markdown(to_single_line(text))
