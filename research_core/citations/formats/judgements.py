"""Judgements as lawyers cite them, which the styles for papers take over: parties, reporter, court
and year. It knows no court.
"""

from __future__ import annotations

from research_core.citations.formats.item import Item
from research_core.citations.formats.phrases import commas, labelled, spaced
from research_core.citations.formats.titles import titled

CASE = "legal_case"


def reporter(work: Item) -> str:
    """Where it is printed: "410 U.S. 113"; with a mark for the page where no volume is known."""
    return (
        spaced(work.volume, work.container, work.pages)
        if work.volume
        else commas(work.container, labelled(work.pages))
    )


def judgement(work: Item) -> str:
    """ "Roe v. Wade, 410 U.S. 113 (1973)", with its court before the year where it is known."""
    said = spaced(work.more.get("authority", ""), work.issued[:4])
    return spaced(commas(titled(work.title), reporter(work)), f"({said})" if said else "")
