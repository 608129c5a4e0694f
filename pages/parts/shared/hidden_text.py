"""What a page hides and what it says to machines: badges for its card, and the words themselves,
folded away.

Of the sources of a session and of what a tool read alike.
"""

from __future__ import annotations

from parts.shared.badges import Badge
from parts.shared.html_text import markup
from research_core.models import ReportSource
from research_core.trust import provenance
from research_core.web.hidden_text import Concealment, Remark, concealment

EVERY_DAY = (
    "Most pages hide menus, banners and notes for screen readers, and show them when somebody asks"
    " for them."
)
TAKEN_OUT = (
    "What is hidden was taken out before the page was read: neither the report nor a model has"
    " seen it."
)
#: Remarks listed at most: a long document may be about nothing else.
MOST = 20
FENCED = (
    "A model reads it as data, and is told so. The report that is written without a model quotes"
    " none of it."
)


def badges(source: ReportSource) -> str:
    """How many texts its page hides and how often it speaks to machines, as badges; "" where there
    is nothing to say. HTML.
    """
    return "".join(f" {badge.html}" for badge in found(source))


def found(source: ReportSource) -> tuple[Badge, ...]:
    """These badges, none for most sources."""
    it = concealment(source)
    return marks(it, len(it.shown))


def marks(it: Concealment, spoken: int) -> tuple[Badge, ...]:
    """The badges of any page. spoken: how often it speaks to machines."""
    hides = Badge("◌", provenance.hides_texts(it.total), "orange" if it.unusual else "gray")
    speaks = Badge("⚑", provenance.speaks(spoken), "orange")
    return tuple(badge for badge, count in ((hides, it.total), (speaks, spoken)) if count)


def detail(source: ReportSource) -> str:
    """The words, under a line to press. HTML; "" where there are none."""
    return told(concealment(source))


def told(found: Concealment, taken_out: str = TAKEN_OUT, read: str = FENCED) -> str:
    """The words of any page. taken_out, read: what is said of hidden texts, and of what speaks to
    machines. HTML.
    """
    parts = (_hidden(found, taken_out) if found.total else "") + (
        _shown(found, read) if found.shown else ""
    )
    title = (
        "What this page hides"
        if not found.shown
        else "What it hides and says to machines"
        if found.total
        else "What it says to machines"
    )
    return f'<details class="hides"><summary>{title}</summary>{parts}</details>' if parts else ""


def _hidden(found: Concealment, taken_out: str) -> str:
    ways = "; ".join(f"{count} {markup(way)}" for way, count in found.counts)
    usual = "" if found.unusual else f" {EVERY_DAY}"
    among = " Among them:" if 0 < len(found.hidden) < found.total else ""
    return (
        f'<p class="about">Hidden texts: {ways}. {taken_out}{usual}{among}</p>{_list(found.hidden)}'
    )


def _shown(found: Concealment, read: str) -> str:
    return (
        '<p class="about">For everybody to read, but said to machines.'
        f" {read}</p>{_list(found.shown)}"
    )


def _list(remarks: tuple[Remark, ...]) -> str:
    more = f"<li>and {len(remarks) - MOST:,} more</li>" if len(remarks) > MOST else ""
    return f"<ul>{''.join(map(_remark, remarks[:MOST]))}{more}</ul>" if remarks else ""


def _remark(remark: Remark) -> str:
    order = f'<b class="orange">{markup(remark.order)}</b>: ' if remark.order else ""
    return (
        f"<li>{order}<q>{markup(remark.words, 400)}</q> <span"
        f' class="about">{markup(remark.where)}</span></li>'
    )
