"""A report in the formats people take away: one table, and pure functions of the report and of the
stored texts of its pages.

The same report gives the same bytes (of the PDF: on machines with the same fonts). Markdown and
JSON are `report`'s own. Nothing here reads the store or draws a screen.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from research_core.export import bibliography, docx, evidence, html, pdf, tables
from research_core.models import Report
from research_core.pipeline import report
from research_core.sessions.model_requests import Requests

Pages = Callable[[str], str]
LONGEST_NAME = 60  # characters of the question in the name of a file


@dataclass(frozen=True)
class Format:
    """One row of the table. purpose: what it is good for, in a line; binary: no terminal can show
    it.

    make: the bytes, from a report and from what gives the stored text of a page by its hash (""
    where it is not stored).
    """

    name: str
    label: str
    suffix: str
    mime: str
    purpose: str
    make: Callable[[Report, Pages], bytes]
    binary: bool = False
    of_sources: bool = False


def _text(make: Callable[[Report], str]) -> Callable[[Report, Pages], bytes]:
    """UTF-8; half a surrogate pair, which some pages hold, is no character and becomes "?"."""
    return lambda built, pages: make(built).encode("utf-8", "replace")


def _json(built: Report) -> str:
    return json.dumps(report.to_json(built), ensure_ascii=False, indent=2) + "\n"


_TABLE = (
    Format("md", "Markdown", ".md", "text/markdown", "For notes, wikis and version control", _text(report.to_markdown)),
    Format("html", "HTML", ".html", "text/html", "One file for any browser; hover shows the cited passage", _text(html.make)),
    Format("pdf", "PDF", ".pdf", "application/pdf", "To print, send and file", lambda built, _: pdf.make(built), binary=True),
    Format(
        "docx", "Word (DOCX)", ".docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "To edit and comment on", lambda built, _: docx.make(built), binary=True,
    ),
    Format("zip", "Evidence pack", ".zip", "application/zip",
           "Report, stored pages, checks, scores, prompts, with a script: to check offline", evidence.pack, binary=True),
    Format("csv", "Sources (CSV)", ".csv", "text/csv", "Every source with scores and decisions, for a spreadsheet", _text(tables.sources)),
    Format("bibtex", "BibTeX", ".bib", "application/x-bibtex",
    "The sources kept, for LaTeX and Zotero",
           _text(lambda built: bibliography.bibtex(bibliography.entries(built))), of_sources=True),
    Format("ris", "RIS", ".ris", "application/x-research-info-systems",
    "The sources kept, for EndNote and Mendeley",
           _text(lambda built: bibliography.ris(bibliography.entries(built))), of_sources=True),
    Format("csl", "CSL-JSON", ".csl.json", "application/vnd.citationstyles.csl+json",
    "The sources kept, for Pandoc and Zotero",
           _text(lambda built: bibliography.csl_json(bibliography.entries(built))), of_sources=True),
    Format("json", "JSON", ".json", "application/json", "Everything as data", _text(_json)),
)  # fmt: skip
FORMATS: dict[str, Format] = {each.name: each for each in _TABLE}


def offered(built: Report) -> tuple[Format, ...]:
    """The formats worth offering for a report: without a source kept there is nothing to cite."""
    kept = any(source.status == "kept" for source in built.sources)
    return tuple(each for each in _TABLE if kept or not each.of_sources)


def made(each: Format, built: Report, pages: Pages, asked: Callable[[], Requests]) -> bytes:
    """The bytes of a format. asked: what models were asked in the session, which the evidence pack
    alone holds and which takes a replay.
    """
    return (
        evidence.pack(built, pages, asked())
        if each.make is evidence.pack
        else each.make(built, pages)
    )


def digest(packed: bytes) -> str:
    """By which an evidence pack is known, 64 hexadecimal digits."""
    return evidence.digest(packed)


def remark(each: Format, built: Report, body: bytes) -> str:
    """What is to be told of a file that was made, in a sentence, or "": what a PDF lacks, the
    digest of a pack.
    """
    if each.make is evidence.pack:
        return (
            f"Pack digest {digest(body)}: note it elsewhere, and `python3 check.py --digest`"
            " compares it later."
        )
    return unprintable(built) if each.name == "pdf" else ""


def unprintable(built: Report) -> str:
    """What the PDF cannot print on this machine, in a sentence; "" when it prints all."""
    return pdf.unprintable(built)


def file_name(built: Report, suffix: str) -> str:
    """A name that every system takes: the question's first words, the day the run was asked for in
    UTC, and the head of its id.
    """
    letters = "".join(
        sign
        for sign in unicodedata.normalize("NFKD", built.question.casefold())
        if not unicodedata.combining(sign)
    )
    words = "-".join(re.findall(r"[a-z0-9]+", letters))
    if len(words) > LONGEST_NAME:
        words = words[: LONGEST_NAME + 1].rpartition("-")[0] or words[:LONGEST_NAME]
    day = datetime.fromtimestamp(built.created, UTC).date()
    return f"{words or 'report'}-{day}-{built.session[:6]}{suffix}"
