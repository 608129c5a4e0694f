"""Build the evidence pack: one zip with the report and everything it rests on.

Anyone can check each citation and each hash with no network and without Assay. The same session
gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from research_core import __version__
from research_core.export import (
    archive,
    cells,
    check,
    document,
    html,
    prompts,
    report_bibliography,
    tables,
)
from research_core.i18n import (
    EARLIER_ENGLISH,
    SOURCE_LANGUAGE,
    gettext,
    in_report_language,
    ngettext,
)
from research_core.model_messages import Json
from research_core.models import Report
from research_core.pipeline import report
from research_core.pipeline.assessment import Assessment, assess, describe_part
from research_core.pipeline.methodology import format_moment
from research_core.sessions.model_requests import RecordedRequests
from research_core.text.words import format_count

SUMS_FILE = "SHA256SUMS"
#: Stands for the requests to models if nobody gave them.
UNKNOWN_REQUESTS = RecordedRequests(
    unread="This pack was made of the report alone, without the log of its session."
)


@in_report_language
def build_pack(
    built: Report,
    page_text: Callable[[str], str],
    asked: RecordedRequests = UNKNOWN_REQUESTS,
) -> bytes:
    """Build the evidence pack of a report.

    page_text: returns the stored text of a page by its hash, "" if it is not stored; asked: the
    session's requests to models.
    """
    items = report_bibliography.build_items(built)
    stored = _collect_pages(built, page_text)
    data = report.to_json(built)
    texts = {
        "README.txt": _format_readme(built, stored, asked),
        "report.md": report.to_markdown(built),
        "report.html": html.render_html(built),
        "report.json": _format_json(data),
        "sources.csv": tables.format_source_table(built),
        "citations.csv": tables.format_citation_table(built, page_text),
        "pages.csv": _build_pages_table(built, data, stored),
        **build_findings(built, data, page_text),
        "references.bib": report_bibliography.format_bibtex(items),
        "references.ris": report_bibliography.format_ris(items),
        "references.csl.json": report_bibliography.format_csl_json(items),
        "check.py": _read_beside("check.py"),
    }
    contents = {name: text.encode("utf-8", "replace") for name, text in texts.items()}
    if built.language not in (SOURCE_LANGUAGE, EARLIER_ENGLISH):
        contents["words.json"] = _format_json(_list_words(built.language)).encode()
    contents["text.json"] = _build_text_json(contents)
    contents |= prompts.build_files(asked)
    for page, body in stored.items():
        contents[f"pages/{page}.txt"] = body
    sums = [f"{hashlib.sha256(body).hexdigest()}  {name}\n" for name, body in contents.items()]
    contents[SUMS_FILE] = "".join(sums).encode()
    return archive.pack(contents, built.created)


def build_findings(built: Report, said: Json, page_text: Callable[[str], str]) -> dict[str, str]:
    """Build the files on the checks, the scores, the contradictions and the confidence, by name.

    JSON holds words as they stand, tables cleaned. said: the report as `report.to_json` returns it;
    page_text: returns the stored text of a page by its hash, "" if it is not stored.
    """
    sources = list(_build_assessments(built))
    assessments = {
        "policy": built.settings["credibility"],
        "ratings": list(built.settings.get("ratings", ())),
        "sources": sources,
    }
    sentences = check.build_verification(said, page_text)
    contradictions = said["contradictions"]
    sentence_rows = check.build_verification_rows(sentences, said)
    part_rows = check.build_assessment_rows(sources)
    claim_rows = check.build_contradiction_rows(contradictions)
    return {
        "verification.json": _format_json({"sentences": sentences}),
        "verification.csv": tables.format_clean_csv(check.VERIFICATION_COLUMNS, sentence_rows),
        "assessments.json": _format_json(assessments),
        "assessments.csv": tables.format_clean_csv(
            check.ASSESSMENT_COLUMNS, part_rows, figures={"value"}
        ),
        "contradictions.json": _format_json(contradictions),
        "contradictions.csv": tables.format_clean_csv(check.CONTRADICTION_COLUMNS, claim_rows),
        "confidence.json": _format_json(said["confidence"]),
    }


def _build_assessments(built: Report) -> Iterator[Json]:
    """Yield every web source in the report's order, with its score.

    A source that was read has its assessment too.
    """
    assessments = assess(built)
    for source in built.sources:
        if not source.parts:
            continue
        assessment = assessments.get(source.url)
        yield {
            "number": source.number,
            "url": source.url,
            "decision": source.status,
            "approved": source.approved,
            "score": asdict(source.parts),
            "ratings": dict(source.ratings),
            "signs": dict(source.page_signals),
            "assessment": _format_assessment(assessment) if assessment else None,
        }


def _format_assessment(assessment: Assessment) -> Json:
    """Return an assessment with its texts in the language of the report."""
    parts = []
    for part in assessment.parts:
        label, why = describe_part(part)
        parts.append({**asdict(part), "label": label, "why": why})
    return {**asdict(assessment), "parts": parts}


def _list_words(language: str) -> Json:
    """Return the fixed words that check.py looks for, in the language of the report."""
    lines = []
    for one, many in check.FIXED_LINES:
        forms = {ngettext(one, many, count) for count in range(120)}
        lines.append(sorted("".join(form.split()) for form in forms))
    words: Json = {message: gettext(message) for message in check.FIXED_WORDS}
    return {"language": language, **words, "lines": lines}


def _format_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


@cache
def _read_beside(name: str) -> str:
    """Read a text file of this folder."""
    return Path(__file__).with_name(name).read_text("utf-8")


def _build_text_json(files: dict[str, bytes]) -> bytes:
    """Build text.json: what people read in the report and report.json does not say."""
    told = {
        **check.list_own_lines(files),
        "sources.csv": check.list_unreported_cells(files),
        "citations.csv": check.list_heading_rows(files),
    }
    return _format_json(told).encode("utf-8", "replace")


def compute_digest(packed: bytes) -> str:
    """Return the digest of a pack that we made: the SHA-256 of its SHA256SUMS, in hex."""
    return hashlib.sha256(archive.unpack(packed)[SUMS_FILE]).hexdigest()


def _collect_pages(built: Report, page_text: Callable[[str], str]) -> dict[str, bytes]:
    """Return the stored pages by hash, sorted, as the bytes that were hashed."""
    hashes = sorted({source.page for source in built.sources if source.page})
    texts = {page: page_text(page) for page in hashes}
    return {page: text.encode("utf-8", "surrogatepass") for page, text in texts.items() if text}


def _build_pages_table(built: Report, data: Json, stored: dict[str, bytes]) -> str:
    """Build pages.csv. data: the report as `report.to_json` returns it."""
    rows: list[list[str]] = []
    for source, told in zip(built.sources, data["sources"], strict=True):
        if not source.page:
            continue
        fetched = ""
        if source.fetched:
            fetched = datetime.fromtimestamp(source.fetched, UTC).isoformat(timespec="seconds")
        file, holds, *others = check.build_page_row(told, stored.get(source.page))
        rows.append([file, holds, fetched, *others])
    file, holds, *others = check.PAGE_COLUMNS
    return tables.format_clean_csv([file, holds, "fetched", *others], rows)


def _format_readme(built: Report, stored: dict[str, bytes], asked: RecordedRequests) -> str:
    text = _read_beside("pack_readme.txt").format(
        version=__version__,
        question=document.format_title(built),
        asked=format_moment(built.created),
        session=cells.clean_line(built.session),
    )
    for lack in _list_missing(built, stored, asked):
        text += f"\nNot in this pack: {lack}\n"
    return text


def _list_missing(
    built: Report, stored: dict[str, bytes], asked: RecordedRequests
) -> Iterator[str]:
    """Yield sentences, without their beginning, on what should be in the pack and is not."""
    read = {source.page for source in built.sources if source.page}
    lost = len(read) - len(stored)
    if lost:
        yield f"the text of {format_count(lost, 'page')} that is no longer stored."
    if asked.unread:
        yield f"what models were asked. {cells.clean_line(asked.unread)}"
    lost = sum(request.params is None for request in asked.made)
    if lost:
        yield f"the words of {format_count(lost, 'request')} to models; prompts.csv says why."
