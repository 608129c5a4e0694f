"""Export a report in the formats people take away: one table of pure functions.

The same report gives the same bytes (of the PDF: on machines with the same fonts). Markdown and
JSON are made by `report`. Nothing here reads the store or draws a screen. The command line's parser
and the screens need the names only, so each format imports its maker when it is made.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath
from typing import TYPE_CHECKING

from research_core.errors import UsageError
from research_core.i18n import N_
from research_core.models import Report

if TYPE_CHECKING:
    from research_core.pipeline.audit_result import AuditResult
    from research_core.sessions.model_requests import RecordedRequests

PageText = Callable[[str], str]
MAX_NAME_CHARS = 80  # characters of the question in the name of a file


@dataclass(frozen=True)
class ExportFormat:
    """One export format.

    purpose: what it is good for, in a line; binary: no terminal can show it; make: returns the
    bytes, given a report and a function that returns the stored text of a page by its hash ("" if
    it is not stored).
    """

    name: str
    label: str
    suffix: str
    mime: str
    purpose: str
    make: Callable[[Report, PageText], bytes]
    binary: bool = False
    of_sources: bool = False


def _encode_text(text: str) -> bytes:
    """Return UTF-8. Half a surrogate pair, which some pages hold, becomes "?"."""
    return text.encode("utf-8", "replace")


def _make_markdown(built: Report, _: PageText) -> bytes:
    from research_core.pipeline import report

    return _encode_text(report.to_markdown(built))


def _make_html(built: Report, _: PageText) -> bytes:
    from research_core.export import html

    return _encode_text(html.render_html(built))


def _make_session(built: Report, _: PageText) -> bytes:
    from research_core.export import session_html

    return _encode_text(session_html.render_session(built))


def _make_pdf(built: Report, _: PageText) -> bytes:
    from research_core.export import pdf

    return pdf.render_pdf(built)


def _make_docx(built: Report, _: PageText) -> bytes:
    from research_core.export import docx

    return docx.render_docx(built)


def _make_pack(built: Report, pages: PageText) -> bytes:
    from research_core.export import evidence

    return evidence.build_pack(built, pages)


def _make_csv(built: Report, _: PageText) -> bytes:
    from research_core.export import tables

    return _encode_text(tables.format_source_table(built))


def _make_bibtex(built: Report, _: PageText) -> bytes:
    from research_core.export import report_bibliography

    items = report_bibliography.build_items(built)
    return _encode_text(report_bibliography.format_bibtex(items))


def _make_ris(built: Report, _: PageText) -> bytes:
    from research_core.export import report_bibliography

    items = report_bibliography.build_items(built)
    return _encode_text(report_bibliography.format_ris(items))


def _make_csl_json(built: Report, _: PageText) -> bytes:
    from research_core.export import report_bibliography

    items = report_bibliography.build_items(built)
    return _encode_text(report_bibliography.format_csl_json(items))


def _make_json(built: Report, _: PageText) -> bytes:
    from research_core.pipeline import report

    return _encode_text(json.dumps(report.to_json(built), ensure_ascii=False, indent=2) + "\n")


_FORMAT_TABLE = (
    ExportFormat(
        "md",
        "Markdown",
        ".md",
        "text/markdown",
        "For notes, wikis and version control",
        _make_markdown,
    ),
    ExportFormat(
        "docx",
        "Word (DOCX)",
        ".docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "To edit and comment on, with citations and sources",
        _make_docx,
        binary=True,
    ),
    ExportFormat(
        "pdf",
        "PDF",
        ".pdf",
        "application/pdf",
        "To print, send and file",
        _make_pdf,
        binary=True,
    ),
    ExportFormat(
        "html",
        "HTML",
        ".html",
        "text/html",
        "One file for any browser; each citation shows its passage",
        _make_html,
    ),
    ExportFormat(
        "session",
        "Whole session",
        ".session.html",
        "text/html",
        "Report, passages, sources and gate in one file for any browser",
        _make_session,
    ),
    ExportFormat(
        "zip",
        "Evidence pack",
        ".zip",
        "application/zip",
        "Report, stored pages, checks, scores, prompts, with a script: to check offline",
        _make_pack,
        binary=True,
    ),
    ExportFormat(
        "csv",
        "Sources (CSV)",
        ".csv",
        "text/csv",
        "Every source with scores and decisions, for a spreadsheet",
        _make_csv,
    ),
    ExportFormat(
        "bibtex",
        "BibTeX",
        ".bib",
        "application/x-bibtex",
        "The sources kept, for LaTeX and Zotero",
        _make_bibtex,
        of_sources=True,
    ),
    ExportFormat(
        "ris",
        "RIS",
        ".ris",
        "application/x-research-info-systems",
        "The sources kept, for EndNote and Mendeley",
        _make_ris,
        of_sources=True,
    ),
    ExportFormat(
        "csl",
        "CSL-JSON",
        ".csl.json",
        "application/vnd.citationstyles.csl+json",
        "The sources kept, for Pandoc and Zotero",
        _make_csl_json,
        of_sources=True,
    ),
    ExportFormat(
        "json",
        "JSON",
        ".json",
        "application/json",
        "Everything as data",
        _make_json,
    ),
)
FORMATS: dict[str, ExportFormat] = {each.name: each for each in _FORMAT_TABLE}


def list_formats(built: Report) -> tuple[ExportFormat, ...]:
    """List the formats for a report; without a kept source there is nothing to cite."""
    kept = any(source.status == "kept" for source in built.sources)
    return tuple(each for each in _FORMAT_TABLE if kept or not each.of_sources)


# -- the check of a report ------------------------------------------------------------------------


@dataclass(frozen=True)
class AuditFormat:
    """One export format of an audit; the fields are those of `ExportFormat`."""

    name: str
    label: str
    suffix: str
    mime: str
    purpose: str
    make: Callable[[AuditResult], bytes]
    binary: bool = False


def _make_audit_markdown(result: AuditResult) -> bytes:
    from research_core.export import audit

    return _encode_text(audit.audit_to_markdown(result))


def _make_audit_html(result: AuditResult) -> bytes:
    from research_core.export import audit_html

    return _encode_text(audit_html.render_audit_html(result))


def _make_audit_docx(result: AuditResult) -> bytes:
    from research_core.export import audit_docx

    return audit_docx.render_audit_docx(result)


def _make_audit_json(result: AuditResult) -> bytes:
    from research_core.export import audit

    text = json.dumps(audit.audit_to_json(result), ensure_ascii=False, indent=2)
    return _encode_text(text + "\n")


_AUDIT_FORMAT_TABLE = (
    AuditFormat(
        "md",
        N_("Findings (MD)"),
        ".check.md",
        "text/markdown",
        N_("Problems first, then every source"),
        _make_audit_markdown,
    ),
    AuditFormat(
        "html",
        "HTML",
        ".check.html",
        "text/html",
        N_("Each sentence beside its passage, with filters, in one file"),
        _make_audit_html,
    ),
    AuditFormat(
        "docx",
        "Word (DOCX)",
        ".check.docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        N_("The report with a comment on each sentence"),
        _make_audit_docx,
        binary=True,
    ),
    AuditFormat(
        "json",
        "JSON",
        ".check.json",
        "application/json",
        N_("Every verdict as data, with a schema"),
        _make_audit_json,
    ),
)
AUDIT_FORMATS: dict[str, AuditFormat] = {each.name: each for each in _AUDIT_FORMAT_TABLE}
#: Further endings of file names, with the format that each means; "" is a name without one.
_AUDIT_ENDINGS = {"": "md", "markdown": "md", "txt": "md", "htm": "html"}
#: The formats of a report that say of an audit what those above say better.
REPLACED_BY_AUDIT = frozenset({"md", "html", "session", "docx", "json"})


def find_audit_format(path: str) -> AuditFormat:
    """Return the format that a file ending means. Raises UsageError for an unknown one."""
    ending = PurePath(path).suffix.removeprefix(".").lower()
    name = _AUDIT_ENDINGS.get(ending, ending)
    if name not in AUDIT_FORMATS:
        raise UsageError(
            f"A check has no format for files that end in .{ending}.",
            next_step=f"End the name in .{', .'.join(AUDIT_FORMATS)}, or add --format.",
        )
    return AUDIT_FORMATS[name]


# -- files -----------------------------------------------------------------------------------------


def build_file(
    each: ExportFormat, built: Report, pages: PageText, asked: Callable[[], RecordedRequests]
) -> bytes:
    """Build the bytes of a format.

    asked: returns the session's requests to models, which takes a replay and is called only for the
    evidence pack.
    """
    if each.make is _make_pack:
        from research_core.export import evidence

        return evidence.build_pack(built, pages, asked())
    return each.make(built, pages)


def compute_pack_digest(packed: bytes) -> str:
    """Return the digest of an evidence pack, 64 hexadecimal digits."""
    from research_core.export import evidence

    return evidence.compute_digest(packed)


def describe_file(each: ExportFormat, built: Report, body: bytes) -> str:
    """Return a remark on a file: what a PDF lacks, the digest of a pack; "" if there is none."""
    if each.make is _make_pack:
        return (
            f"Pack digest {compute_pack_digest(body)}: note it elsewhere, and `python3 "
            f"check.py --digest`"
            " compares it later."
        )
    return describe_unprintable(built) if each.name == "pdf" else ""


def describe_unprintable(built: Report) -> str:
    """Say in a sentence what the PDF cannot print on this machine; "" if it prints all."""
    from research_core.export import pdf

    return pdf.describe_unprintable(built)


def make_file_name(built: Report, suffix: str) -> str:
    """Make a portable file name of the question's first words, UTC date and start of the id."""
    from research_core.text.words import strip_accents

    words = "-".join(re.findall(r"[a-z0-9]+", strip_accents(built.question.casefold())))
    if len(words) > MAX_NAME_CHARS:
        whole_words = words[: MAX_NAME_CHARS + 1].rpartition("-")[0]
        words = whole_words or words[:MAX_NAME_CHARS]
    day = datetime.fromtimestamp(built.created, UTC).date()
    return f"{words or 'report'}_{day}_{built.session[:6]}{suffix}"
