"""Open the session named in the address, and draw its heading or an empty screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext

import streamlit as st

from parts.shared import (
    current_user,
    failures,
    follow_up,
    report_use,
    session_state,
    watch,
)
from parts.shared.badges import LEVEL_BADGES, SOURCE_BADGES, STATES_EXPLAINED, Badge
from parts.shared.html_text import escape_line
from parts.shared.wording import (
    describe_session_places,
    format_cost,
    format_moment,
    format_time_taken,
)
from research_core.errors import UsageError
from research_core.i18n import N_, _, join_list, join_sentences, ngettext, put_in_quotes
from research_core.models import Report
from research_core.pipeline.backing import Backing
from research_core.pipeline.confidence import examine
from research_core.policy import AUDIT_STRATEGY
from research_core.sessions import session_status, spending
from research_core.sessions.session_status import SessionInfo
from research_core.sessions.snapshot import Snapshot
from research_core.text.words import clean_for_screen, strip_invisible, truncate
from research_core.wiring import default_resources

#: Badges of sessions that came from another one.
REWRITE, FOLLOW_UP = Badge("↻", N_("rewrite"), "blue"), Badge("↳", N_("follow-up"), "blue")


def open_session(
    screen: str,
    teaches: str,
    draw_tools: Callable[[Snapshot, Report], None],
    *,
    followed: bool = False,
) -> Snapshot | None:
    """Draw the session's heading and return the session; draw an empty screen if there is none.

    screen: its name, translated. draw_tools: draws what can be done with a report, at the end of
    the line of tabs. followed: the screen follows the session itself.
    """
    session = st.session_state["session"]
    if session is None:
        draw_empty(screen, teaches)
        return None
    try:
        with st.skeleton(height=90):
            snapshot = watch.follow_session(session)
    except UsageError as error:
        st.title(screen, anchor=False)
        failures.draw_failure(
            error.message,
            _(
                "The link may be mistyped, the session deleted, or not yours. Open one from Sessions."
            ),
        )
        draw_start_links()
        return None
    name = strip_invisible(snapshot.info.row.title or snapshot.info.row.question)
    st.set_page_config(
        page_title=session_state.format_tab_title(snapshot, truncate(name, 60), screen)
    )
    _draw_heading(snapshot, draw_tools, followed=followed)
    if _has_report(snapshot):
        follow_up.draw_box(snapshot.session)
    return snapshot


def draw_empty(screen: str, teaches: str) -> None:
    """Draw an empty screen that says what it will show."""
    st.title(screen, anchor=False)
    st.markdown(teaches, width=640)
    draw_start_links()


def draw_start_links() -> None:
    with st.container(horizontal=True, key="ways"):
        st.page_link("ask.py", label=_("Ask a question"))
        st.page_link("sessions.py", label=_("Open a session"))


#: Pages that a rewrite read anew, named in the header.
MAX_NEW_TITLES = 2
CONFIDENCE = {
    "high": N_("high confidence"),
    "moderate": N_("moderate confidence"),
    "low": N_("low confidence"),
}
#: The tabs of a session: file, label, and what a newcomer may not know of it.
TABS = (
    ("report.py", N_("Report"), ""),
    ("sources.py", N_("Sources"), N_("Every source found, and why it was kept or not")),
    ("gate.py", N_("Gate"), N_("Whether enough relevant pages were found for a report")),
    ("live.py", N_("Activity"), N_("What was searched, read and judged, step by step")),
)


def _draw_heading(
    snapshot: Snapshot, draw_tools: Callable[[Snapshot, Report], None], *, followed: bool
) -> None:
    row = snapshot.info.row
    st.title(clean_for_screen(row.title or row.question, 300), anchor=False)
    with st.container(key="facts", gap=None):
        if row.title:
            st.html(f'<p class="facts">{escape_line(row.question)}</p>')
        if followed:
            st.html(f'<p class="facts">{format_facts(snapshot)}</p>')
        else:
            watch.draw_status(snapshot, format_result(snapshot) or _format_asked(snapshot))
        if row.parent:
            _draw_parent(snapshot)
    with st.container(horizontal=True, key="tabs", gap="small"):
        for file, label, about in TABS:
            is_here = file == f"{st.session_state.get('screen')}.py"
            with st.container(key="tab_here", width="content") if is_here else nullcontext():
                st.page_link(
                    file,
                    label=_(label),
                    query_params={"session": snapshot.session},
                    help=_(about) if about else None,
                )
        if snapshot.run.report is not None:
            draw_tools(snapshot, watch.derive(snapshot, report_use.build_report))


def _has_report(snapshot: Snapshot) -> bool:
    """Return True for a finished session that found enough for a report of its own."""
    if snapshot.info.status != "done" or snapshot.run.report is None:
        return False
    if snapshot.run.settings.strategy == AUDIT_STRATEGY:
        return False
    return bool(snapshot.run.report["decision"] != "insufficient_data")


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
    confidence, *findings = watch.derive(snapshot, _list_findings)
    return f"{confidence} " + "".join(f"{fact} · " for fact in findings)


def _count_decisions(built: Report) -> str:
    """Return how many sources are in each state; the counts add up to those found."""
    counts = Counter(source.status for source in built.sources)
    counts["kept"] += 0
    return join_list(
        [
            f"{counts[status]} {badge.text}"
            for status, badge in SOURCE_BADGES.items()
            if status in counts
        ]
    )


def _list_findings(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the confidence or "", the counts of sources, and of sentences on one. HTML."""
    built = watch.derive(snapshot, report_use.build_report)
    if snapshot.run.settings.strategy == AUDIT_STRATEGY:
        return "", *_count_verdicts(built)
    sources = _explain_states(_count_decisions(built))
    if built.decision == "insufficient_data":
        return "", sources
    findings = examine(built)
    confidence = ""
    if findings.confidence:
        badge = LEVEL_BADGES[findings.confidence.level]
        badge = badge._replace(word=_(CONFIDENCE[findings.confidence.level]))
        confidence = badge.html_with_tooltip(findings.confidence.reason or "")
    return confidence, sources, *filter(None, [format_alone(findings.backings)])


def _explain_states(counts: str) -> str:
    """Return counts of sources with what the states mean as a tooltip. HTML."""
    return f'<span title="{escape_line(_(STATES_EXPLAINED), 300)}">{escape_line(counts)}</span>'


def format_alone(backings: Sequence[Backing]) -> str:
    """Return how many cited sentences rest on one source, "" if none does."""
    single, total = sum(backing.alone for backing in backings), len(backings)
    if not single:
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


def _count_verdicts(built: Report) -> tuple[str, ...]:
    """Return how many sentences of a checked report hold, and how many sources were read."""
    states: Counter[str] = Counter()
    for block in built.blocks:
        states.update(one.state for one in block.sentences if one.state != "uncited")
    total = states.total()
    read = ngettext("{count} source read", "{count} sources read", built.funnel["kept"])
    read = read.format(count=built.funnel["kept"])
    if not total:
        return (read,)
    supported = ngettext(
        "{supported} of {count} cited sentence supported",
        "{supported} of {count} cited sentences supported",
        total,
    ).format(supported=states["supported"], count=total)
    return supported, read


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
        _("model {name}").format(name=row.settings["model"]),
        _("asked {moment}").format(moment=format_moment(row.created)),
    )
    return " · ".join(escape_line(fact) for fact in how)


def _format_asked(snapshot: Snapshot) -> str:
    """Return the mode and the time of a session without a result yet. HTML."""
    row = snapshot.info.row
    how = (_("{mode} mode").format(mode=_(row.settings["mode"])), format_moment(row.created))
    return " · ".join(escape_line(fact) for fact in how)


def _draw_parent(snapshot: Snapshot) -> None:
    """Draw a link to the session this one came from."""
    row = snapshot.info.row
    with st.container(horizontal=True, vertical_alignment="center", key="parent", gap="small"):
        st.html(format_origin(snapshot.info), width="content")
        if _is_follow_up(snapshot.info):
            question = clean_for_screen(row.settings["follows"], 100)
            label = _("of “{question}”").format(question=question)
        else:
            label = _name_rewritten(snapshot.info)
        st.page_link("report.py", label=label, query_params={"session": str(row.parent)})
        said = _describe_rewrite(snapshot)
        if said:
            st.html(f'<p class="about">{escape_line(said, 600)}</p>', width="content")


def _describe_rewrite(snapshot: Snapshot) -> str:
    """Return what a rewrite changed: its result, and the pages that it read anew."""
    sentences = []
    results = None if _is_follow_up(snapshot.info) else report_use.compare_results(snapshot)
    if results:
        before, now = map(_describe_result, results)
        sentences.append(_("Before: {before}. Now: {now}.").format(before=before, now=now))
    new = report_use.list_new_titles(snapshot)
    if new:
        sentences.append(_describe_new_reads(new))
        if report_use.keeps_text(snapshot):
            sentences.append(_describe_kept_text(len(new)))
    return join_sentences(sentences)


def _describe_result(result: report_use.Result) -> str:
    """Return the size of a report and its confidence."""
    kept = ngettext("{count} source kept", "{count} sources kept", result.sources)
    kept = kept.format(count=result.sources)
    if not result.is_report:
        return join_list([_("no report"), kept])
    cited = ngettext("{count} cited sentence", "{count} cited sentences", result.sentences)
    level = [_(CONFIDENCE[result.level])] if result.level else []
    return join_list([cited.format(count=result.sentences), kept, *level])


def _name_rewritten(info: SessionInfo) -> str:
    """Return which session was rewritten: its name if that differs, and when it was asked."""
    try:
        old = session_status.read_session_info(
            default_resources(), str(info.row.parent), who=current_user.current_principal()
        ).row
    except UsageError:
        return _("of an earlier session")
    moment, name = format_moment(old.created), old.title or old.question
    if name == (info.row.title or info.row.question):
        return _("of the session of {moment}").format(moment=moment)
    return _("of “{name}”, {moment}").format(name=clean_for_screen(name, 100), moment=moment)


def _describe_kept_text(count: int) -> str:
    """Return why the text stayed the same. count: of the pages newly read."""
    return ngettext(
        "The report does not quote it, so its text is the same as before.",
        "The report quotes none of them, so its text is the same as before.",
        count,
    )


def _describe_new_reads(titles: Sequence[str]) -> str:
    """Return which pages a rewrite read anew."""
    label = ngettext("{count} page newly read", "{count} pages newly read", len(titles))
    shown = [put_in_quotes(truncate(title, 60)) for title in titles[:MAX_NEW_TITLES]]
    if rest := len(titles) - len(shown):
        shown.append(ngettext("{count} more", "{count} more", rest).format(count=rest))
    return f"{label.format(count=len(titles))}: {join_list(shown)}."


def format_origin(info: SessionInfo) -> str:
    """Return how a session came from another one as a badge, "" for a session of its own. HTML."""
    if info.row.parent:
        return (FOLLOW_UP if _is_follow_up(info) else REWRITE).html
    return ""


def _is_follow_up(info: SessionInfo) -> bool:
    """Return True if it follows up its parent; a follow-up's rewrite has the same settings."""
    return info.row.settings.get("after") == info.row.parent
