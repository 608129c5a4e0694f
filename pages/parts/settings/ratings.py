"""Expert ratings of hosts on the Settings screen: the lists there are, a published one by its name,
a file of one's own, and removing one.

None comes with Assay. Where users sign in the lists are their tenant's, and whoever runs the server
imports them.
"""

from __future__ import annotations

import streamlit as st

from parts.shared import current_user, failures, jobs
from parts.shared.html_text import markup
from parts.shared.wording import when
from research_core.sessions import diagnostics
from research_core.trust.ratings.presets import PRESETS
from research_core.wiring import default_office

JOB = "ratings"
ABOUT = (
    "Lists in which experts rate sites. Where a site is of a kind that anybody can be in, such a"
    " rating counts before what Assay knows of it. Runs that begin after an import go by it; what a"
    " run was told stays in its record."
)
FILE = "A list of your own: CSV, TSV or JSON with a host and a rating in each row"


def draw() -> None:
    st.subheader("Expert ratings", anchor=False)
    st.caption(ABOUT)
    there = diagnostics.rating_lists(default_office(), who=current_user.who())
    for made in there:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            about = f"{made.hosts:,} hosts, added {when(made.added)}, SHA-256 {made.digest[:12]}…"
            title = (
                f'<p class="about">{markup(made.title, 200)}</p>' if made.title != made.name else ""
            )
            st.html(
                f'<p><b>{markup(made.name)}</b> <span class="about">{about}</span></p>{title}',
                width="stretch",
            )
            if not current_user.asked():
                st.button("Remove", key=f"unrate_{made.name}", on_click=_remove, args=(made.name,))
    if current_user.asked():
        st.caption(
            "" if there else "None. Whoever runs this server imports one with `assay ratings add`."
        )
        return
    for name, preset in PRESETS.items():
        if name not in {made.name for made in there}:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.html(
                    f'<p>{markup(preset.title)}</p><p class="about">{markup(preset.terms)}</p>',
                    width="stretch",
                )
                st.button(
                    "Import",
                    key=f"rate_{name}",
                    on_click=_begin,
                    args=(name, None),
                    disabled=jobs.under_way(JOB),
                )
    file = st.file_uploader(
        FILE, key=f"ratings_{st.session_state.get('rated', 0)}", type=["csv", "tsv", "json", "txt"]
    )
    if file is not None:
        _begin(file.name, file.getvalue())
        st.session_state["rated"] = st.session_state.get("rated", 0) + 1
        st.rerun()
    jobs.follow(JOB)
    with failures.shown():
        if said := jobs.done(JOB):
            st.html(f'<p class="tried" role="status">{markup(said, 400)}</p>')


def _begin(source: str, body: bytes | None) -> None:
    office, who = default_office(), current_user.who()
    jobs.start(
        JOB,
        "Importing ratings",
        lambda _heard: diagnostics.add_ratings(office, source, body, who=who),
    )


def _remove(name: str) -> None:
    with failures.kept():
        diagnostics.remove_ratings(default_office(), name, who=current_user.who())
