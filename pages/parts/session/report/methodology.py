"""How a report came about, as HTML: the lines of its Methodology, in which queries, gaps and
instructions are others' words.
"""

from __future__ import annotations

from parts.shared.html_text import link, paragraphs
from research_core.export import document
from research_core.export.document import Run, Runs
from research_core.models import Report


def listed(built: Report) -> str:
    """One item for each fact. What others wrote stays characters: as Markdown it would be links,
    icons and addresses of mail.
    """
    return f"<ul>{''.join(map(_item, document.methods(built)))}</ul>"


def _item(runs: Runs) -> str:
    return f"<li>{''.join(map(_run, runs))}</li>"


def _run(run: Run) -> str:
    return link(paragraphs(run.text), run.url)
