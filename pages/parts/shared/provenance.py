"""Format a source's provenance: site, copies, unread parts, and hidden text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parts.shared import hidden_text
from parts.shared.badges import Badge
from parts.shared.html_text import escape_line, format_link
from research_core.decisions.gate import Verdict
from research_core.i18n import N_, _
from research_core.models import ReportSource
from research_core.trust import provenance
from research_core.trust.provenance import name_site

COPY_NOTE = N_("Same text as {}. The gate counts both as one source.")


def format_origin(source: ReportSource, *more: str) -> str:
    """Return site, authors, kind of page, dates and archived copy, separated by dots. HTML.

    more: further facts in HTML; empty ones are left out.
    """
    claimed = ""
    claim = provenance.find_claimed_address(source)
    if claim:
        claimed = provenance.describe_claimed_address(claim)
    listed = provenance.describe_searched_as(source.url) if source.redirected_to else ""
    texts = (
        name_site(source.address),
        claimed,
        listed,
        provenance.format_byline(source),
        provenance.name_page_kind(source),
    )
    facts = [escape_line(text, 200) for text in texts]
    dates = escape_line(provenance.format_dates(source))
    if dates:
        facts.append(f'<span class="days">{dates}</span>')
    facts += [format_archived(source), *more]
    return " · ".join(filter(None, facts))


def format_archived(source: ReportSource) -> str:
    """Return which archived copy was read instead of the page and why, "" if none. HTML.

    The copy is linked.
    """
    copy = source.archived
    if not copy:
        return ""
    link = format_link(escape_line(copy.named), copy.url)
    reason = provenance.describe_live_failure(source.attempts)
    if not reason:
        return _("read from {copy}").format(copy=link)
    return _("read from {copy} because {reason}").format(copy=link, reason=escape_line(reason))


def format_credibility(source: ReportSource) -> str:
    """Return the credibility and the kind of site that most of it rests on. HTML."""
    if source.parts:
        return _("credibility {score:.2f} ({kind})").format(
            score=source.parts.score, kind=escape_line(_(source.parts.tier))
        )
    return _("not scored")


def format_badges(source: ReportSource, original: str = "") -> str:
    """Return badges for copies, hidden text and instructions, "" for most sources. HTML.

    original: as `find_original` takes it.
    """
    badges = hidden_text.format_badges(source)
    same = find_original(source, original)
    if same:
        copy = Badge("≈", provenance.describe_copy(same), "gray")
        return f" {copy.html_with_tooltip(_(COPY_NOTE).format(same))}{badges}"
    return badges


def format_unread(source: ReportSource) -> str:
    """Return which part of the page was not read, and how sure the text is, as a paragraph. HTML.

    "" if all was read, and nothing assumed.
    """
    text = " ".join(filter(None, (provenance.describe_unread(source), source.metadata.note)))
    if text:
        return f'<p class="unread about">{escape_line(text, 300)}</p>'
    return ""


def format_notes(source: ReportSource, original: str = "") -> str:
    """Return the provenance in the fewest words, for a table cell."""
    notes = []
    same = find_original(source, original)
    if same:
        notes.append(_("copy of {original}").format(original=same))
    if source.archived:
        status = provenance.find_live_status(source.attempts)
        copy = _("archived copy of {day}").format(day=source.archived.day)
        if status:
            copy = _("{copy}, live page HTTP {status}").format(copy=copy, status=status)
        notes.append(copy)
    if provenance.describe_unread(source):
        notes.append(_("read in part"))
    notes += [badge.text for badge in hidden_text.source_badges(source)]
    # Long notes come last, where a cell is cut.
    if source.redirected_to:
        notes.append(provenance.describe_searched_as(name_site(source.url)))
    claim = provenance.find_claimed_address(source)
    if claim:
        notes.append(provenance.describe_claimed_address(name_site(claim)))
    return " · ".join(filter(None, notes))


def find_original(source: ReportSource, original: str = "") -> str:
    """Return the label of the source whose text this one shares, "" if none.

    original: the label to use if the source has no number in the report.
    """
    if source.copy_of:
        return original or f"[{source.copy_of}]"
    return ""


def find_originals(sources: Sequence[ReportSource], was: Mapping[str, Verdict]) -> dict[str, str]:
    """Return the label of the original for each copy: its number in the run, or its site."""
    numbered = {source.number: source.url for source in sources if source.number}
    labels = {}
    for source in sources:
        if source.copy_of not in numbered:
            continue
        first = numbered[source.copy_of]
        if first in was and was[first].number:
            labels[source.url] = f"[{was[first].number}]"
        else:
            labels[source.url] = name_site(first)
    return labels
