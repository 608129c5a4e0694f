"""What a source's page hides and what it says to machines: a badge for its card, and the words themselves, folded away."""

from __future__ import annotations

from parts.badges import Badge
from parts.safe import markup
from research_core import origin, scrutiny
from research_core.models import ReportSource
from research_core.scrutiny import Concealment, Remark

EVERY_DAY = "Most pages hide menus, banners and notes for screen readers, and show them when somebody asks for them."
TAKEN_OUT = "What is hidden was taken out before the page was read: neither the report nor a model has seen it."
#: Remarks listed at most: a long document may be about nothing else.
MOST = 20
FENCED = "A model reads it as data, and is told so. The report that is written without a model quotes none of it."


def badges(source: ReportSource) -> str:
    """How many texts its page hides and how often it speaks to machines, as badges; "" where there is nothing to say. HTML."""
    return "".join(f" {badge.html}" for badge in found(source))


def found(source: ReportSource) -> tuple[Badge, ...]:
    """These badges, none for most sources."""
    it = scrutiny.concealment(source)
    hides = Badge("◌", origin.hides(source), "orange" if it.unusual else "gray")
    speaks = Badge("⚑", f"speaks to machines{f' {len(it.shown)} times' if len(it.shown) > 1 else ''}", "orange")
    return tuple(badge for badge, count in ((hides, it.total), (speaks, len(it.shown))) if count)


def detail(source: ReportSource) -> str:
    """The words, under a line to press. HTML; "" where there are none."""
    found = scrutiny.concealment(source)
    parts = (_hidden(found) if found.total else "") + (_shown(found) if found.shown else "")
    title = (
        "What this page hides" if not found.shown else "What it hides and says to machines" if found.total else "What it says to machines"
    )
    return f'<details class="hides"><summary>{title}</summary>{parts}</details>' if parts else ""


def _hidden(found: Concealment) -> str:
    ways = "; ".join(f"{count} {markup(way)}" for way, count in found.counts)
    usual = "" if found.unusual else f" {EVERY_DAY}"
    among = " Among them:" if 0 < len(found.hidden) < found.total else ""
    return f'<p class="about">Hidden texts: {ways}. {TAKEN_OUT}{usual}{among}</p>{_list(found.hidden)}'


def _shown(found: Concealment) -> str:
    return f'<p class="about">For everybody to read, but said to machines. {FENCED}</p>{_list(found.shown)}'


def _list(remarks: tuple[Remark, ...]) -> str:
    more = f"<li>and {len(remarks) - MOST:,} more</li>" if len(remarks) > MOST else ""
    return f"<ul>{''.join(map(_remark, remarks[:MOST]))}{more}</ul>" if remarks else ""


def _remark(remark: Remark) -> str:
    order = f'<b class="orange">{markup(remark.order)}</b>: ' if remark.order else ""
    return f'<li>{order}<q>{markup(remark.words, 400)}</q> <span class="about">{markup(remark.where)}</span></li>'
