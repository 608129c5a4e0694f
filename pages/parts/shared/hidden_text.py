"""Show a page's hidden text and embedded instructions, for sources and tool results."""

from __future__ import annotations

from parts.shared.badges import Badge
from parts.shared.html_text import escape_line
from research_core.i18n import N_, _, join_list
from research_core.models import ReportSource
from research_core.trust import provenance
from research_core.web.documents.tally import COMMENT
from research_core.web.hidden_text_remarks import (
    HiddenTextRemark,
    HiddenTextSummary,
    summarize_source_hidden_text,
)

COMMON_NOTE = N_("Most pages hide menus, banners and notes for screen readers.")
REMOVED_NOTE = N_("Removed before the page was read. No model saw it.")
#: How recorded ways of hiding text are shown.
WAY_NAMES = {COMMENT: N_("in a comment of the page's code")}
#: Remarks listed at most: a long document can have hundreds.
MAX_REMARKS = 20
FENCED_NOTE = N_("Models read it as data. A report written without a model does not quote it.")


def format_badges(source: ReportSource) -> str:
    """Return badges counting a source's hidden texts and instructions, "" if none. HTML."""
    return "".join(f" {badge.html}" for badge in source_badges(source))


def source_badges(source: ReportSource) -> tuple[Badge, ...]:
    """Return the badges of a source; most have none."""
    summary = summarize_source_hidden_text(source)
    return page_badges(summary, len(summary.shown))


def page_badges(summary: HiddenTextSummary, instructions: int) -> tuple[Badge, ...]:
    """Return the badges of a page. instructions: its number of instructions to machines."""
    badges = []
    if summary.total:
        tone = "orange" if summary.unusual else "gray"
        badges.append(Badge("◌", provenance.format_hidden_count(summary.total), tone))
    if instructions:
        badges.append(Badge("⚑", provenance.describe_machine_instructions(instructions), "orange"))
    return tuple(badges)


def format_source_detail(source: ReportSource) -> str:
    """Return a source's hidden texts and instructions, folded, "" if none. HTML."""
    return format_page_detail(summarize_source_hidden_text(source))


def format_page_detail(
    found: HiddenTextSummary, taken_out: str = REMOVED_NOTE, read: str = FENCED_NOTE
) -> str:
    """Return a page's hidden texts and instructions. HTML.

    taken_out, read: the notes on hidden texts and on instructions, marked by N_.
    """
    parts = ""
    if found.total:
        parts += _format_hidden(found, taken_out)
    if found.shown:
        parts += _format_instructions(found, read)
    if not parts:
        return ""
    if not found.shown:
        title = provenance.format_hidden_count(found.total)
    elif found.total:
        title = _("Hidden text and instructions to AI")
    else:
        title = _("Instructions to AI")
    return f'<details class="hides"><summary>{title}</summary>{parts}</details>'


def _name_way(way: str) -> str:
    return _(WAY_NAMES.get(way, way))


def _format_hidden(found: HiddenTextSummary, taken_out: str) -> str:
    kinds = join_list([f"{count} {escape_line(_name_way(way))}" for way, count in found.counts])
    notes = [_("Hidden text: {kinds}.").format(kinds=kinds), _(taken_out)]
    if not found.unusual:
        notes.append(_(COMMON_NOTE))
    if 0 < len(found.hidden) < found.total:
        notes.append(_("Examples:"))
    return f'<p class="about">{" ".join(notes)}</p>{_format_remarks(found.hidden)}'


def _format_instructions(found: HiddenTextSummary, read: str) -> str:
    note = _("Visible on the page, but addressed to AI.")
    return f'<p class="about">{note} {_(read)}</p>{_format_remarks(found.shown)}'


def _format_remarks(remarks: tuple[HiddenTextRemark, ...]) -> str:
    more = ""
    if len(remarks) > MAX_REMARKS:
        more = f"<li>{_('and {count:,} more').format(count=len(remarks) - MAX_REMARKS)}</li>"
    if remarks:
        return f"<ul>{''.join(map(_format_remark, remarks[:MAX_REMARKS]))}{more}</ul>"
    return ""


def _format_remark(remark: HiddenTextRemark) -> str:
    order = f'<b class="orange">{escape_line(remark.order)}</b>: ' if remark.order else ""
    return (
        f"<li>{order}<q>{escape_line(remark.words, 400)}</q> <span"
        f' class="about">{escape_line(_name_way(remark.where))}</span></li>'
    )
