"""The two sessions of a comparison: which one is the other, what differs, and both by name, with
how each ended.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from parts.shared.badges import STATE
from parts.shared.html_text import markup
from parts.shared.wording import searched, when
from research_core.export import comparison
from research_core.sessions import catalogue, compare
from research_core.sessions.compare import Comparison
from research_core.sessions.reading import Reading
from research_core.sessions.runner import SessionInfo
from research_core.text.words import plain

OTHER = "with"  # in the address


def chosen(others: Sequence[tuple[SessionInfo, str]]) -> str | None:
    """The session to compare with: that of the address, or one chosen from these, each with what it
    is to the first.
    """
    named = st.query_params.get(OTHER)
    labels = {info.row.id: _label(info, kin) for info, kin in others}
    st.session_state["other"] = named if named in labels else None
    hint = (
        "Choose a session; re-writes, follow-ups and the same question stand first"
        if labels
        else "There is no other session yet"
    )
    st.selectbox(
        "Compare with", list(labels), index=None, key="other", format_func=labels.__getitem__,
        on_change=_choose, placeholder=hint,
        disabled=not labels,
    )  # fmt: skip
    return named


def _choose() -> None:
    if st.session_state["other"]:
        st.query_params[OTHER] = st.session_state["other"]
    else:
        del st.query_params[OTHER]


def _label(info: SessionInfo, kin: str) -> str:
    facts = [
        plain(catalogue.name(info.row), 90),
        STATE[catalogue.state(info)].word,
        info.row.settings["mode"],
        when(info.row.created),
    ]
    return " · ".join([*([kin.capitalize()] if kin else []), *facts])


def compared(before: Reading, after: Reading) -> tuple[Comparison, str, str]:
    """What differs, and all of it as Markdown and as CSV: made once for as long as both stand so,
    as a click only chooses what is shown.
    """
    names = (catalogue.name(before.info.row), catalogue.name(after.info.row))
    return _compared((before.session, before.seq), (after.session, after.seq), names, before, after)


@st.cache_data(max_entries=32, show_spinner=False)
def _compared(
    one: tuple[str, int],
    other: tuple[str, int],
    names: tuple[str, str],
    _before: Reading,
    _after: Reading,
) -> tuple[Comparison, str, str]:
    """one, other: a session and the event up to which it was read."""
    found = compare.compare(_before.run, _after.run)
    return found, comparison.markdown(found, *names), comparison.rows(found)


def headings(before: Reading, after: Reading) -> None:
    """Both, the first as what was before."""
    left, right = st.columns(2, gap="large")
    with left:
        heading(before, "Before")
    with right:
        heading(after, "After")
    query = {"session": after.session, OTHER: before.session}
    st.page_link(
        "compare.py", label="Swap the two", icon=":material/swap_horiz:", query_params=query
    )


def heading(shown: Reading, word: str = "") -> None:
    """One of the two; its name leads to where there is most to see of it."""
    info = shown.info
    with st.container(key=f"pair_{word or 'alone'}", gap=None):
        if word:
            st.html(f'<p class="facts">{word}</p>')
        target = "report.py" if info.status == "done" else "live.py"
        st.page_link(
            target,
            label=plain(catalogue.name(info.row), 200),
            query_params={"session": info.row.id},
        )
        facts = " · ".join(
            markup(fact)
            for fact in (
                f"{info.row.settings['mode']} mode",
                searched(info.row.settings),
                when(info.row.created),
            )
        )
        st.html(f'<p class="facts">{STATE[catalogue.state(info)].html} {facts}</p>')
