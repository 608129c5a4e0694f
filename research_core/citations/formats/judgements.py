"""Format judgements as lawyers cite them: parties, reporter, court and year."""

from __future__ import annotations

from research_core.citations.formats.item import Item
from research_core.citations.formats.phrases import join_commas, join_spaces, label_pages
from research_core.citations.formats.titles import format_plain_title

CASE = "legal_case"


def format_reporter(work: Item) -> str:
    """Format where it is printed ("410 U.S. 113"), with a page label if no volume is known."""
    if work.volume:
        return join_spaces(work.volume, work.container, work.pages)
    return join_commas(work.container, label_pages(work.pages))


def format_judgement(work: Item) -> str:
    """Format "Roe v. Wade, 410 U.S. 113 (1973)", with the court before the year if known."""
    said = join_spaces(work.more.get("authority", ""), work.issued[:4])
    return join_spaces(
        join_commas(format_plain_title(work.title), format_reporter(work)),
        f"({said})" if said else "",
    )
