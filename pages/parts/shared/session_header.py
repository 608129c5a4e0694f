"""Say what a session found, spent and came from, and draw an empty screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from parts.shared import (
    report_use,
    session_state,
    watch,
)
from parts.shared.badges import LEVEL_BADGES, STATES_EXPLAINED, Badge
from parts.shared.html_text import escape_line
from parts.shared.wording import (
    describe_session_places,
    format_cost,
    format_moment,
    format_time_taken,
)
from research_core.i18n import N_, _, join_list, ngettext
from research_core.models import Report, format_state_counts
from research_core.pipeline.backing import Backing, list_distinct_backings
from research_core.pipeline.confidence import examine
from research_core.pipeline.report import is_all_quoted
from research_core.policy import name_model
from research_core.sessions import spending
from research_core.sessions.session_status import SessionInfo
from research_core.sessions.snapshot import Snapshot
from research_core.wiring import default_resources

if TYPE_CHECKING:
    from research_core.sessions.compare import Change  # every screen imports this module

#: Badges of sessions that came from another one.
REWRITE, FOLLOW_UP = Badge("↻", N_("rewrite"), "blue"), Badge("↳", N_("follow-up"), "blue")

#: Changed settings that are named, and the longest value that is shown.
MAX_CHANGES, MAX_VALUE_LENGTH = 3, 40


def draw_empty(screen: str, teaches: str) -> None:
    """Draw an empty screen that says what it will show."""
    st.title(screen, anchor=False)
    st.markdown(teaches, width=640)
    draw_start_links()


def draw_start_links() -> None:
    with st.container(horizontal=True, key="ways"):
        st.page_link("ask.py", label=_("Ask a question"))
        st.page_link("sessions.py", label=_("Open a session"))


CONFIDENCE = {
    "high": N_("high confidence"),
    "moderate": N_("moderate confidence"),
    "low": N_("low confidence"),
}


def format_result(snapshot: Snapshot) -> str:
    """Return the confidence, findings, time and cost, "" if there is no report yet. HTML."""
    if snapshot.run.report is None:
        return ""
    spending_facts = " · ".join(_list_spending(snapshot))
    return f"{format_findings(snapshot)}{spending_facts}"


def format_findings(snapshot: Snapshot) -> str:
    """Return the confidence and the findings, each with a separator, "" before a report. HTML."""
    if snapshot.run.report is None:
        return ""
    found = watch.derive(snapshot, _find_head_facts)
    facts = [*found.facts]
    if found.alone:
        is_listed = st.session_state.get("screen") == "report"
        facts.append(_link_alone(found.alone) if is_listed else found.alone)
    return f"{found.confidence} " + "".join(f"{fact} · " for fact in facts)


def _count_decisions(built: Report) -> str:
    """Return how many sources were found and are in each state; the counts add up."""
    counts = Counter(source.status for source in built.sources)
    counts["kept"] += 0
    found = ngettext(
        "{count} source found: {states}", "{count} sources found: {states}", len(built.sources)
    )
    return found.format(count=len(built.sources), states=format_state_counts(counts))


class HeadFacts(NamedTuple):
    """What the head says of a report, as HTML.

    confidence: its badge, or ""; facts: counts of sources, or the results of a check; alone: how
    many sentences rest on one source, or "".
    """

    confidence: str
    facts: tuple[str, ...]
    alone: str = ""


def _find_head_facts(snapshot: Snapshot) -> HeadFacts:
    built = watch.derive(snapshot, report_use.build_report)
    if snapshot.run.settings.checks_report:
        read = ngettext("{count} source read", "{count} sources read", built.funnel["kept"])
        results = [escape_line(fact) for fact in session_state.count_verdicts(snapshot)]
        return HeadFacts("", (*results, read.format(count=built.funnel["kept"])))
    sources = _explain_states(_count_decisions(built))
    if built.decision == "insufficient_data":
        return HeadFacts("", (sources,))
    findings = examine(built)
    facts: tuple[str, ...] = (sources,)
    if is_all_quoted(built):
        facts = (escape_line(_("no model wrote it, its sources are quoted")), sources)
    confidence = ""
    if findings.confidence:
        badge = LEVEL_BADGES[findings.confidence.level]
        badge = badge._replace(word=_(CONFIDENCE[findings.confidence.level]))
        confidence = badge.html_with_tooltip(findings.confidence.caveat)
    return HeadFacts(confidence, facts, format_alone(findings.backings))


def _explain_states(counts: str) -> str:
    """Return counts of sources with what the states mean as a tooltip. HTML."""
    return f'<span title="{escape_line(_(STATES_EXPLAINED), 300)}">{escape_line(counts)}</span>'


def format_alone(backings: Sequence[Backing]) -> str:
    """Return how many cited sentences rest on one source, "" if none or every one does.

    A repeated sentence counts once. Of all of them, it would tell none apart: the confidence says
    so.
    """
    distinct = list_distinct_backings(backings)
    single, total = sum(backing.alone for backing in distinct), len(distinct)
    if single in (0, total):
        return ""
    if single == 1:
        caveat = ngettext(
            "{single} of {count} sentence has only one source",
            "{single} of {count} sentences has only one source",
            total,
        )
    else:
        caveat = _("{single} of {count} sentences have only one source each")
    return caveat.format(single=single, count=total)


def _link_alone(caveat: str) -> str:
    """Return the count of sentences as a button that shows them below the text. HTML."""
    return f'<button type="button" class="to-list" data-show="alone_list">{caveat}</button>'


def _list_spending(snapshot: Snapshot) -> tuple[str, ...]:
    """Return how long the session took, as Sessions says it, and what it cost."""
    spent = watch.get_spent(snapshot)
    if snapshot.info.status == "done" and snapshot.run.tally is not None:
        seconds = spending.read_tally(snapshot.run.tally).seconds
    else:
        seconds = spending.measure_elapsed(snapshot, default_resources().clock.now()).seconds
    lasted = _("took {time}").format(time=format_time_taken(seconds))
    return lasted, format_cost(spent.cost)


def format_facts(snapshot: Snapshot) -> str:
    """Return how the session was asked. HTML."""
    row = snapshot.info.row
    how = (
        _("{mode} mode").format(mode=_(row.settings["mode"])),
        describe_session_places(snapshot.info),
        name_model(row.settings["model"]),
        _("asked {moment}").format(moment=format_moment(row.created)),
    )
    return " · ".join(escape_line(fact) for fact in how)


def format_origin(info: SessionInfo) -> str:
    """Return how a session came from another one as a badge, "" for a session of its own. HTML."""
    if info.row.parent:
        return (FOLLOW_UP if is_follow_up(info) else REWRITE).html
    return ""


def format_changes(changes: Sequence[Change]) -> str:
    """Return changed settings as one line: short values with their names, long ones named only."""
    texts = []
    for change in changes[:MAX_CHANGES]:
        if max(len(change.before), len(change.after)) > MAX_VALUE_LENGTH:
            texts.append(change.name)
        else:
            texts.append(f"{change.name} {change.before} → {change.after}")
    if len(changes) > MAX_CHANGES:
        texts.append(_("{count} more").format(count=len(changes) - MAX_CHANGES))
    return join_list(texts)


def is_follow_up(info: SessionInfo) -> bool:
    """Return True if it follows up its parent; a follow-up's rewrite has the same settings."""
    return info.row.settings.get("after") == info.row.parent
