"""“Add what it found to a session”: pages that a tool named become sources that the analyst
approved by hand.

There is no second store. Only addresses are handed over, and a session takes them the way it takes
any source that somebody approves: one that runs gets a command for each in its log; one that has
ended is never changed, so that a re-write of it begins, which asks again for nothing that was
answered; a new one has them in its settings from the start. The title and the words it judges and
quotes are those of the page as it reads it, so that a snippet counts for nothing. A page that
cannot be read stands among the sources as that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from parts.shared import current_user, failures, search_places
from parts.shared.badges import STATE
from parts.shared.wording import searched
from parts.tools import findings
from parts.tools.findings import Page
from parts.tools.tool_call import Called
from research_core.decisions import gate
from research_core.modes import MODES
from research_core.policy import LIBRARY, RunSettings
from research_core.sessions import catalogue, reading, run_defaults, runner, workers
from research_core.sessions.runner import SessionInfo
from research_core.sessions.tool_calls import ABOUT
from research_core.text.question import checked_question
from research_core.text.words import plain
from research_core.trust.provenance import site
from research_core.wiring import default_office

NEW = ""
OFFERED, TICKED, SESSIONS = 60, 10, 50
APPROVED = (
    "as approved by you: whatever its credibility, each is read, judged for relevance, and then"
    " kept or dropped like any other"
)
RUNS = (
    f"The session that runs takes them up now, {APPROVED}. Once its gate has decided it takes no"
    " more."
)
ENDED = (
    "A session that has ended is not changed. Its question is asked again in a new session, a"
    f" re-write, with these pages added, {APPROVED}. No call that was answered is made again."
)
BEGINS = (
    f"A new session searches {{where}} for this question, and takes these pages too, {APPROVED}."
)


def box(name: str, called: Called) -> None:
    """Which pages, which session, what will happen, and the button; nothing where no page was
    found.
    """
    answer = called.served.answer if called.served else None
    offered = findings.pages(answer or {})[:OFFERED]
    if not offered:
        return
    fold = st.expander(
        "Add what it found to a session",
        key=f"hand_over {name}",
        icon=":material/playlist_add:",
        on_change="rerun",
    )
    if (
        not fold.open
    ):  # to look where a new session could search takes a moment where the web does not answer
        return
    with fold:
        chosen = _pages(name, offered)
        infos = {
            info.row.id: info
            for info in runner.sessions(default_office(), who=current_user.who(), limit=SESSIONS)
        }
        session = _session(name, infos)
        question, mode = _asked(name, called) if session == NEW else ("", "")
        with failures.shown():
            run = _settings(mode, chosen) if session == NEW else None
            st.caption(_will(infos.get(session), run))
            many = f"{len(chosen)} page{'' if len(chosen) == 1 else 's'}"
            if st.button(f"Add {many}", key=f"add {name}", type="primary", disabled=not chosen):
                _go(begun(question, run) if run else added(session, chosen))


def _pages(name: str, offered: Sequence[Page]) -> list[str]:
    """The addresses that are ticked; at first all of a few."""
    ticked = []
    with st.container(key=f"pages {name}", gap=None, height=260 if len(offered) > 8 else "content"):
        for number, page in enumerate(offered):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                label = f"{plain(site(page.url), 60)} · {plain(page.title or page.url, 140)}"
                if st.checkbox(label, value=number < TICKED, key=f"page {name} {page.url}"):
                    ticked.append(page.url)
    return ticked


def _session(name: str, infos: dict[str, SessionInfo]) -> str:
    def label(id: str) -> str:
        if id == NEW:
            return "A new session"
        return (
            f"{plain(catalogue.name(infos[id].row), 90)} · {STATE[catalogue.state(infos[id])].word}"
        )

    options, here = [NEW, *infos], st.session_state.get("session")
    return str(
        st.selectbox(
            "Session",
            options,
            index=options.index(here) if here in options else 0,
            key=f"session {name}",
            format_func=label,
        )
    )


def _asked(name: str, called: Called) -> tuple[str, str]:
    """The question of a new session, at first what the tool was asked, and its mode."""
    about = next(
        (str(called.asked[each]) for each in ABOUT if called.asked.get(each) and each != "url"), ""
    )
    if st.session_state.get(f"question of {name}") != about:  # another call, another question
        st.session_state[f"question {name}"] = st.session_state[f"question of {name}"] = about
    left, right = st.columns([4, 1], gap="small", vertical_alignment="top")
    asked = left.text_area(
        "Question",
        key=f"question {name}",
        height=80,
        placeholder="Ask one thing, in a full sentence",
    )
    mode = right.selectbox(
        "How thorough",
        list(MODES),
        index=list(MODES).index("standard"),
        key=f"mode {name}",
        format_func=str.capitalize,
    )
    return asked, mode


def _settings(mode: str, chosen: Sequence[str]) -> RunSettings:
    """A new session's: as Ask has them at first, with these pages approved."""
    office, who = default_office(), current_user.who()
    where = run_defaults.choose_engines(
        office, library=None, web=True, say=_say, who=who, look=search_places.web_answers
    )
    run = run_defaults.run_settings(
        office, mode=mode, engines=[name for name in where.engines if name != LIBRARY],
        model=run_defaults.models(office)[0],
        library=where.library if LIBRARY in where.engines else None, who=who,
        look=search_places.web_answers,
    )  # fmt: skip
    return replace(run, approved=tuple(chosen))


def _say(words: str) -> None:
    st.caption(words)


def _will(info: SessionInfo | None, run: RunSettings | None) -> str:
    if run is not None:
        return BEGINS.format(where=plain(searched(run.to_json()), 200))
    return RUNS if info is not None and _runs(info) else ENDED


def _runs(info: SessionInfo) -> bool:
    """Whether it takes what is approved: it has not ended, and is none that a client leads."""
    return info.status not in runner.TERMINAL and info.row.until is None


# ---------------------------------------------------------------- what is done


def begun(question: str, run: RunSettings) -> str:
    """A new session on this question; its id. Raises UsageError."""
    office, who = default_office(), current_user.who()
    session = runner.new_session(office, checked_question(question), run, who=who)
    workers.engine(office).enqueue(session, who=who)
    return session


def added(session: str, urls: Sequence[str]) -> str:
    """These pages in a session that runs, or in a re-write of one that has ended; the id of that.
    Raises UsageError.
    """
    office, who = default_office(), current_user.who()
    if _runs(runner.session_info(office, session, who=who)):
        for url in urls:
            runner.command(office, session, "approve", url=url, who=who)
        return session
    shown = reading.read(office, session, who=who)
    run = (
        gate.standing(shown.run)
        if shown.run.question
        else RunSettings.from_json(shown.info.row.settings)
    )
    approved = tuple(dict.fromkeys((*run.approved, *urls)))
    run = replace(
        run, approved=approved, struck=tuple(url for url in run.struck if url not in urls)
    )
    new = runner.rewrite(office, session, run, who=who)
    workers.engine(office).enqueue(new, who=who)
    return new


def _go(session: str) -> None:
    st.switch_page("live.py", query_params={"session": session})
