"""Summarize a page: its passages that bear on the question, quoted verbatim.

No model is asked. Whether the page answers the question is the judge's decision.
"""

from __future__ import annotations

from research_core.models import Page, Summary
from research_core.text.passages import select_passages
from research_core.text.words import truncate


def summarize(question: str, page: Page) -> Summary:
    """The passages of a page that bear on the question. A page without any is shown by its opening,
    so that the judge can say why not.
    """
    passages = select_passages(question, page.text)
    shown = "\n\n".join(passage.text for passage in passages) or truncate(page.text.strip(), 700)
    return Summary(page.url, page.title, shown, passages)
