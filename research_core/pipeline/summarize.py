"""Summarize a page by its relevant passages, quoted verbatim, without a model.

Whether the page answers the question is decided by the judge.
"""

from __future__ import annotations

from research_core.models import Page, Summary
from research_core.text.passages import select_passages
from research_core.text.words import truncate


def summarize(question: str, page: Page) -> Summary:
    """Return the relevant passages of a page, or its opening so that the judge can say why not."""
    passages = select_passages(question, page.text)
    shown = "\n\n".join(passage.text for passage in passages) or truncate(page.text.strip(), 700)
    return Summary(page.url, page.title, shown, passages)
