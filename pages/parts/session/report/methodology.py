"""Format a report's methodology as HTML."""

from __future__ import annotations

from parts.shared.html_text import escape_paragraphs, format_link
from research_core.export import document
from research_core.export.document import TextRun, TextRuns
from research_core.models import Report


def format_methodology(built: Report) -> str:
    """Return one item for each fact, with others' words escaped instead of read as Markdown."""
    return f"<ul>{''.join(map(_format_item, document.list_methods(built)))}</ul>"


def _format_item(runs: TextRuns) -> str:
    return f"<li>{''.join(map(_format_run, runs))}</li>"


def _format_run(run: TextRun) -> str:
    return format_link(escape_paragraphs(run.text), run.url)
