"""Judgements as lawyers cite them, which the styles for papers take over: parties, reporter, court
and year. It knows no court.
"""

from __future__ import annotations

from research_core.citations.formats.item import Item
from research_core.citations.formats.phrases import join_commas, join_spaces, label_pages
from research_core.citations.formats.titles import format_plain_title

CASE = "legal_case"


def format_reporter(work: Item) -> str:
    """Where it is printed: "410 U.S. 113"; with a mark for the page where no volume is known."""
    return (
        join_spaces(work.volume, work.container, work.pages)
        if work.volume
        else join_commas(work.container, label_pages(work.pages))
    )


def format_judgement(work: Item) -> str:
    """ "Roe v. Wade, 410 U.S. 113 (1973)", with its court before the year where it is known."""
    said = join_spaces(work.more.get("authority", ""), work.issued[:4])
    return join_spaces(
        join_commas(format_plain_title(work.title), format_reporter(work)),
        f"({said})" if said else "",
    )
