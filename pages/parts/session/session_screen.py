"""Open the session named in the address: draw its heading, tabs and downloads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext

import streamlit as st

from parts.audit import audit_downloads, checked_report
from parts.session.report import downloads, sharing
from parts.shared import (
    current_user,
    failures,
    follow_up,
    markdown_download,
    report_use,
    session_header,
    session_state,
    watch,
)
from parts.shared.html_text import escape_line
from parts.shared.wording import format_moment
from research_core.errors import UsageError
from research_core.i18n import (
    N_,
    _,
    end_with_stop,
    join_list,
    join_sentences,
    ngettext,
    put_in_quotes,
)
from research_core.models import Report, ReportSource
from research_core.policy import RunSettings
from research_core.sessions import compare, session_status
from research_core.sessions.session_status import SessionInfo
from research_core.sessions.snapshot import Snapshot
from research_core.text.words import clean_for_screen, strip_invisible, truncate
from research_core.wiring import default_resources


def open_session(screen: str, teaches: str, *, followed: bool = False) -> Snapshot | None:
    """Draw the session's heading and return the session; draw an empty screen if there is none.

    screen: its name, translated. followed: the screen follows the session itself.
    """
    session = st.session_state["session"]
    if session is None:
        session_header.draw_empty(screen, teaches)
        return None
    try:
        with st.skeleton(height=90):
            snapshot = watch.follow_session(session)
    except UsageError as error:
        st.title(screen, anchor=False)
        failures.draw_failure(
            error.message,
            _(
                "The link may be mistyped, or the session may have been deleted or belong to"
                " someone else. Open one from Sessions."
            ),
        )
        session_header.draw_start_links()
        return None
    name = strip_invisible(snapshot.info.row.title or snapshot.info.row.question)
    st.set_page_config(
        page_title=session_state.format_tab_title(snapshot, truncate(name, 60), screen)
    )
    _draw_heading(snapshot, followed=followed)
    if _can_follow_up(snapshot):
        follow_up.draw_box(snapshot.session)
    return snapshot


#: Pages that a rewrite read anew, named in the header, and characters of a title there.
MAX_NEW_TITLES, MAX_TITLE_LENGTH = 3, 60
#: The tabs of a session: file, label, and what a newcomer may not know of it.
TABS = (
    ("report.py", N_("Report"), ""),
    ("sources.py", N_("Sources"), N_("Every source found, and why it was kept or not")),
    ("gate.py", N_("Gate"), N_("Whether enough relevant pages were found for a report")),
    ("live.py", N_("Activity"), N_("What was searched, read and judged, step by step")),
)


def _draw_heading(snapshot: Snapshot, *, followed: bool) -> None:
    row = snapshot.info.row
    st.title(clean_for_screen(row.title or row.question, 300), anchor=False)
    with st.container(key="facts", gap=None):
        if row.title:
            st.html(f'<p class="facts">{escape_line(row.question)}</p>')
        if followed:
            st.html(f'<p class="facts">{session_header.format_facts(snapshot)}</p>')
        else:
            watch.draw_status(
                snapshot, session_header.format_result(snapshot) or _format_asked(snapshot)
            )
        if row.parent:
            _draw_parent(snapshot)
    is_check = snapshot.run.settings.checks_report
    with st.container(horizontal=True, key="tabs", gap="small"):
        for file, label, about in TABS:
            is_here = file == f"{st.session_state.get('screen')}.py"
            if file == "gate.py" and is_check and not is_here:
                continue  # a check reads every cited source, whatever its scores
            with st.container(key="tab_here", width="content") if is_here else nullcontext():
                st.page_link(
                    file,
                    label=_(label),
                    query_params={"session": snapshot.session},
                    help=_(about) if about else None,
                )
        if snapshot.run.report is not None:
            _draw_tools(snapshot, watch.derive(snapshot, report_use.build_report))


def _can_follow_up(snapshot: Snapshot) -> bool:
    """Return True for a finished session that wrote a report of its own."""
    if snapshot.info.status != "done" or snapshot.run.settings.checks_report:
        return False
    return report_use.has_report(snapshot)


def _draw_tools(snapshot: Snapshot, built: Report) -> None:
    """Draw the downloads and the links to share, at the end of the line of tabs."""
    with st.container(horizontal=True, width="content", key="report_tools", wrap=False):
        markdown_download.draw_button(snapshot.session, built)
        if snapshot.run.settings.checks_report:
            audit_downloads.draw_row(snapshot, built, checked_report.read_result(snapshot))
        else:
            downloads.draw_row(snapshot, built)
        sharing.draw_menu(snapshot)


def _format_asked(snapshot: Snapshot) -> str:
    """Return the mode and the time of a session without a result yet. HTML."""
    row = snapshot.info.row
    how = (_("{mode} mode").format(mode=_(row.settings["mode"])), format_moment(row.created))
    return " · ".join(escape_line(fact) for fact in how)


def _draw_parent(snapshot: Snapshot) -> None:
    """Draw a link to the session this one came from."""
    row = snapshot.info.row
    with st.container(horizontal=True, vertical_alignment="center", key="parent", gap="small"):
        st.html(session_header.format_origin(snapshot.info), width="content")
        changed = ""
        if session_header.is_follow_up(snapshot.info):
            question = clean_for_screen(row.settings["follows"], 100)
            label = _("of “{question}”").format(question=question)
        else:
            parent = _read_parent_info(snapshot.info)
            label = _name_rewritten(snapshot.info, parent)
            changed = _describe_changed_settings(snapshot.info, parent)
        st.page_link("report.py", label=label, query_params={"session": str(row.parent)})
        said = join_sentences([changed, _describe_rewrite(snapshot)])
        if said:
            st.html(f'<p class="about">{escape_line(said, 1000)}</p>', width="content")


def _describe_rewrite(snapshot: Snapshot) -> str:
    """Return what a rewrite changed, the most important first.

    Whether the text is the same, the result, the pages read anew, and what is gone.
    """
    sentences = []
    results: tuple[report_use.Result, report_use.Result] | None = None
    unquoted: tuple[ReportSource, ...] = ()
    lost: tuple[str, ...] = ()
    if not session_header.is_follow_up(snapshot.info):
        results = report_use.compare_results(snapshot)
        unquoted, lost = report_use.compare_use(snapshot)
    new = report_use.list_new_pages(snapshot)
    if new and report_use.keeps_text(snapshot):
        sentences.append(_describe_kept_text(len(new)))
    if results:
        before, now = results
        if before == now:
            sentences.append(_("As before: {result}.").format(result=_describe_result(now)))
        else:
            if before.level == now.level:
                before, now = before._replace(level=""), now._replace(level="")
            sentences.append(
                _("Before: {before}. Now: {now}.").format(
                    before=_describe_result(before), now=_describe_result(now)
                )
            )
    if new:
        reasons = {source.url: _explain_unquoted(source) for source in unquoted}
        sentences.append(_describe_new_reads(new, reasons))
    if lost:
        questions = join_list([put_in_quotes(truncate(part, MAX_TITLE_LENGTH)) for part in lost])
        sentences.append(
            _("These sub-questions no longer have their own section: {questions}.").format(
                questions=questions
            )
        )
    return join_sentences(sentences)


def _explain_unquoted(source: ReportSource) -> str:
    """Return in a few words why a page that was read is not quoted."""
    if source.number:
        return _("not quoted: sentences of other pages were chosen")
    if source.relevance and source.relevance.scored:
        return _("not quoted: dropped, relevance {score}/5").format(score=source.relevance.score)
    return _("not quoted")


def _describe_result(result: report_use.Result) -> str:
    """Return the size of a report and its confidence."""
    kept = ngettext("{count} source kept", "{count} sources kept", result.sources)
    kept = kept.format(count=result.sources)
    if not result.is_report:
        return join_list([_("no report"), kept])
    cited = ngettext("{count} cited sentence", "{count} cited sentences", result.sentences)
    level = [_(session_header.CONFIDENCE[result.level])] if result.level else []
    return join_list([cited.format(count=result.sentences), kept, *level])


def _describe_changed_settings(info: SessionInfo, parent: SessionInfo | None) -> str:
    """Return the settings that a rewrite changed as a sentence, "" if none is known to differ."""
    if parent is None:
        return ""
    changes = compare.compare_settings(
        RunSettings.from_json(parent.row.settings), RunSettings.from_json(info.row.settings)
    )
    return end_with_stop(session_header.format_changes(changes)) if changes else ""


def _read_parent_info(info: SessionInfo) -> SessionInfo | None:
    """Return the session that this one came from, None if it is gone."""
    try:
        return session_status.read_session_info(
            default_resources(), str(info.row.parent), who=current_user.current_principal()
        )
    except UsageError:
        return None


def _name_rewritten(info: SessionInfo, parent: SessionInfo | None) -> str:
    """Return which session was rewritten: its name if that differs, and when it was asked."""
    if parent is None:
        return _("of an earlier session")
    old = parent.row
    moment, name = format_moment(old.created), old.title or old.question
    if name == (info.row.title or info.row.question):
        return _("of the session of {moment}").format(moment=moment)
    return _("of “{name}”, {moment}").format(name=clean_for_screen(name, 100), moment=moment)


def _describe_kept_text(count: int) -> str:
    """Return why the text stayed the same. count: of the pages newly read."""
    return ngettext(
        "The report does not quote the new page, so its text is the same as before.",
        "The report quotes none of the new pages, so its text is the same as before.",
        count,
    )


def _describe_new_reads(pages: Sequence[tuple[str, str]], reasons: Mapping[str, str]) -> str:
    """Return which pages a rewrite read anew.

    pages: (URL, title) of each; reasons: by URL, why a page is not quoted.
    """
    label = ngettext("{count} page newly read", "{count} pages newly read", len(pages))
    shown = []
    for url, title in pages[:MAX_NEW_TITLES]:
        name = put_in_quotes(truncate(title, MAX_TITLE_LENGTH))
        reason = reasons.get(url, "")
        shown.append(f"{name} ({reason})" if reason else name)
    if rest := len(pages) - len(shown):
        shown.append(ngettext("{count} more", "{count} more", rest).format(count=rest))
    return f"{label.format(count=len(pages))}: {join_list(shown)}."
