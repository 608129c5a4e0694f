"""Explain why there is no report, list the searches, and offer next steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

import streamlit as st

from parts.session.sources import whatif_effect
from parts.shared import current_user, failures, rewrites, search_places, watch
from parts.shared.html_text import escape_line
from research_core.decisions import gate
from research_core.i18n import (
    N_,
    _,
    format_number,
    join_list,
    join_sentences,
    ngettext,
    put_in_quotes,
)
from research_core.models import Report
from research_core.pipeline import open_questions, report
from research_core.pipeline.early_stop import CAP_REASON_PREFIX
from research_core.pipeline.page_findings import lacks_topic, read_refusal
from research_core.policy import Caps
from research_core.sessions import workers
from research_core.sessions.snapshot import Snapshot
from research_core.sessions.whatif import LowerMinimum, suggest_lower_minimum
from research_core.text.words import clean_for_screen
from research_core.wiring import default_resources

#: The reason of a session whose pages are not about the question.
OFF_TOPIC = N_("all off topic")
#: Pages named that a lower minimum would read.
MAX_NEW_TITLES = 3


def draw_reason(snapshot: Snapshot, built: Report) -> None:
    """Draw the reason with its remedy, and the button that applies it before other next steps."""
    lower = _suggest_minimum(snapshot, built)
    reason = clean_for_screen(report.format_no_report(built))
    st.warning(f"**{reason}** {_explain(snapshot, built, lower)}", icon=":material/block:")
    with st.container(horizontal=True, vertical_alignment="center", key="ways"):
        if lower:
            _draw_lower_minimum(snapshot, lower)
        ways = NEXT_STEPS[built.reason]
        if lacks_topic(read_refusal(built)):
            ways = (_draw_again, _draw_library_link)
        for way in ways:
            way(snapshot)
    if lower:
        st.caption(_describe_new_pages(lower))
    if built.reason in (N_("read but not judged"), "stopped"):
        st.caption(f"{clean_for_screen(built.rationale, 600)}.")
    queries = open_questions.list_open_questions(built)
    if queries:
        with st.container(key="narrower", gap=None):
            st.caption(_("Narrower searches:"))
            for query in queries:
                _draw_ask(query, query)


def _suggest_minimum(snapshot: Snapshot, built: Report) -> LowerMinimum | None:
    """Return a lower minimum credibility, if blocked sources may explain the missing report."""
    is_limited = built.reason in BLOCKING_REASONS or report.describe_blocked_share(built)
    if not is_limited or snapshot.at_work or lacks_topic(read_refusal(built)):
        return None
    return watch.derive(snapshot, _find_lower_minimum)


def _find_lower_minimum(snapshot: Snapshot) -> LowerMinimum | None:
    return suggest_lower_minimum(snapshot.run)


def _explain(snapshot: Snapshot, built: Report, lower: LowerMinimum | None) -> str:
    """Explain why there is no report and what would help. Markdown."""
    web = search_places.is_web_reachable()
    cause = clean_for_screen(report.explain_no_report(built, web=web))
    scored = [source for source in built.sources if source.parts and source.status != "struck"]
    blocked = sum(source.status == "blocked" for source in scored)
    if lower is None or not blocked:
        return cause
    minimum = built.settings["credibility"]["minimum"]
    blocked_words = ngettext(
        "{blocked} of {total} sources was below your minimum credibility of {minimum}.",
        "{blocked} of {total} sources were below your minimum credibility of {minimum}.",
        blocked,
    ).format(blocked=blocked, total=len(scored), minimum=format_number(minimum, ".2f"))
    remedy = ngettext(
        "Review them or lower it to {lower}: {count} more would be read.",
        "Review them or lower it to {lower}: {count} more would be read.",
        len(lower.titles),
    ).format(lower=format_number(lower.minimum, ".2f"), count=len(lower.titles))
    counts = f"{blocked_words} {remedy}"
    return counts if built.reason == BLOCKING_REASONS[0] else f"{cause} {counts}"


def _describe_new_pages(lower: LowerMinimum) -> str:
    """Return which pages a lower minimum would add, and whether they may be on the question."""
    titles = [clean_for_screen(title, 80) for title in lower.titles[:MAX_NEW_TITLES]]
    shown = [put_in_quotes(title) for title in titles]
    if rest := len(lower.titles) - len(shown):
        shown.append(ngettext("{count} more", "{count} more", rest).format(count=rest))
    pages = _("Pages that would then be read: {titles}.").format(titles=join_list(shown))
    if lower.is_likely:
        return pages
    return join_sentences([pages, whatif_effect.describe_unlikely(len(lower.titles))])


def _draw_lower_minimum(snapshot: Snapshot, lower: LowerMinimum) -> None:
    about = _("Makes a new session. Pages already read are not read again.")
    if st.button(
        _("Lower to {minimum} and rewrite").format(minimum=format_number(lower.minimum, ".2f")),
        key="lower_minimum",
        type="primary" if lower.is_likely else "secondary",
        icon=":material/edit_note:",
        help=about,
    ):
        with failures.show_failures():
            rewrites.open_rewrite(snapshot.session, lower.settings)
    st.page_link(
        "sources.py",
        label=_("Review blocked sources"),
        query_params={"session": snapshot.session, "if_minimum": f"{lower.minimum:g}"},
        icon=":material/table_rows:",
    )


def draw_searches(built: Report) -> None:
    """Draw every query and each engine's answer, folded."""
    if not built.searches:
        st.caption(_("Nothing was searched."))
        return
    # A planned query may be the refined one, which is one call.
    searches = {(each["query"], each["engine"]): each for each in built.searches}.values()
    count = ngettext("{count} search", "{count} searches", len(searches))
    columns = (_("Query"), _("Engine"), _("Result"))
    head = "".join(f'<th scope="col">{escape_line(name)}</th>' for name in columns)
    rows = "".join(map(_search_row, searches))
    name = escape_line(_("Searches"))
    with st.expander(count.format(count=len(searches)), key="searches"):
        st.html(f'<table class="plain" aria-label="{name}"><tr>{head}</tr>{rows}</table>')


def _search_row(search: Mapping[str, Any]) -> str:
    facts = [str(search[name]).replace("_", " ") for name in ("state", "reason") if search[name]]
    answer = ": ".join(facts)
    if search["state"] == "answered":
        answer = ngettext("{count} result", "{count} results", search["results"]).format(
            count=search["results"]
        )
    cells = (search["query"], search["engine"], answer)
    return f"<tr>{''.join(f'<td>{escape_line(cell)}</td>' for cell in cells)}</tr>"


# -- next steps ------------------------------------------------------------------------------------


def _draw_resume(snapshot: Snapshot) -> None:
    about = _("Retries what failed. Answered calls are not repeated.")
    if st.button(
        _("Resume"), key="resume", type="primary", icon=":material/play_arrow:", help=about
    ):
        with failures.show_failures():
            workers.get_engine(default_resources()).enqueue(
                snapshot.session, who=current_user.current_principal()
            )
            st.switch_page("live.py", query_params={"session": snapshot.session})


def _draw_quick(snapshot: Snapshot) -> None:
    run = gate.merge_manual_decisions(snapshot.run)
    if run.mode == "quick":
        return
    about = _("Same question and sources. Quick mode needs fewer sources.")
    if st.button(
        _("Write in quick mode"),
        key="quick",
        type="primary",
        icon=":material/edit_note:",
        help=about,
    ):
        with failures.show_failures():
            quick = replace(run, mode="quick", sources=None, min_full=None, min_short=None)
            rewrites.open_rewrite(snapshot.session, quick)


def draw_go_on(snapshot: Snapshot) -> None:
    """Offer to go on in a new session; if a cap ended the run, with all caps doubled."""
    run = gate.merge_manual_decisions(snapshot.run)
    stopped_at_cap = (snapshot.run.stop or {"why": ""})["why"].startswith(CAP_REASON_PREFIX)
    is_capped = stopped_at_cap or snapshot.run.cap is not None
    about = _("Makes a new session. Nothing is searched or read twice.")
    if is_capped:
        label = _("Continue with double limits")
        run = replace(run, caps=_double_caps(run.caps))
    else:
        label = _("Continue")
    if st.button(label, key="go_on", type="primary", icon=":material/play_arrow:", help=about):
        with failures.show_failures():
            rewrites.open_rewrite(snapshot.session, run)


def _double_caps(caps: Caps) -> Caps:
    doubled = asdict(caps)
    for name, most in doubled.items():
        if most is not None:
            doubled[name] = 2 * most
    return Caps(**doubled)


def _draw_again(snapshot: Snapshot) -> None:
    _draw_ask(_("Rephrase the question"), snapshot.run.question, icon=":material/edit:")


def draw_way_on(snapshot: Snapshot, built: Report) -> None:
    """Draw what may improve a limited report: going on, or another threshold."""
    if built.decision == "insufficient_data":
        return
    has_more = built.stopped or "limit" in built.spent
    is_limited = bool(report.describe_blocked_share(built))
    if not has_more and not is_limited:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="report_ways"):
        if has_more:
            draw_go_on(snapshot)
        if is_limited:
            _draw_sources_link(snapshot)


def _draw_sources_link(snapshot: Snapshot) -> None:
    st.page_link(
        "sources.py",
        label=_("Review sources"),
        query_params={"session": snapshot.session},
        icon=":material/table_rows:",
    )


def _draw_gate_link(snapshot: Snapshot) -> None:
    """Link to the judged pages if any of them was dropped."""
    if all(verdict.status != "dropped" for verdict in snapshot.gate.verdicts):
        return
    st.page_link(
        "gate.py",
        label=_("Review dropped sources"),
        query_params={"session": snapshot.session},
        icon=":material/rule:",
    )


def _draw_library_link(snapshot: Snapshot) -> None:
    st.page_link(
        "library.py",
        label=_("Add documents"),
        query_params={"session": snapshot.session},
        icon=":material/local_library:",
    )


def _draw_ask(label: str, question: str, icon: str | None = None) -> None:
    """Draw a link to the Ask form with this question filled in."""
    st.page_link(
        "ask.py", label=clean_for_screen(label, 300), query_params={"q": question}, icon=icon
    )


#: Reasons that too high a minimum credibility may explain.
BLOCKING_REASONS = (N_("all blocked by credibility"), N_("too few relevant sources"))
#: Next steps for each reason, most likely first.
NEXT_STEPS: dict[str, tuple[Callable[[Snapshot], None], ...]] = {
    N_("search failed"): (_draw_resume, _draw_again),
    N_("nothing found"): (_draw_again, _draw_library_link),
    N_("every fetch failed"): (_draw_resume, _draw_library_link, _draw_again),
    N_("all blocked by credibility"): (_draw_again,),
    OFF_TOPIC: (_draw_again, _draw_library_link, _draw_gate_link),
    N_("relevance could not be scored"): (_draw_resume, _draw_gate_link),
    N_("too few relevant sources"): (
        _draw_quick,
        _draw_library_link,
        _draw_gate_link,
        _draw_sources_link,
        _draw_again,
    ),
    N_("all struck by hand"): (_draw_sources_link, _draw_again),
    N_("read but not judged"): (draw_go_on, _draw_again),
    "stopped": (draw_go_on, _draw_again, _draw_gate_link),
}
