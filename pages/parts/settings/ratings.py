"""Manage expert ratings of hosts on Settings: list, import and remove rating lists.

None comes with Assay. Where users sign in, lists belong to their tenant, and only the server's
operator imports them.
"""

from __future__ import annotations

import streamlit as st

from parts.shared import current_user, failures, jobs
from parts.shared.html_text import escape_line
from parts.shared.wording import format_moment
from research_core.i18n import _, format_number, ngettext
from research_core.sessions import diagnostics
from research_core.trust.ratings.presets import PRESETS, Preset
from research_core.trust.ratings.store import RatingList
from research_core.wiring import default_resources

JOB_KEY = "ratings"


def draw() -> None:
    st.caption(_("Ratings of sites by experts. New sessions use them."))
    lists = diagnostics.list_rating_lists(default_resources(), who=current_user.current_principal())
    for each in lists:
        _draw_list(each)
    if current_user.requires_sign_in():
        if not lists:
            st.caption(_("None. Your administrator can run `python3 run.py ratings add`."))
        return
    imported = {each.name for each in lists}
    for name, preset in PRESETS.items():
        if name not in imported:
            _draw_preset(name, preset)
    file = st.file_uploader(
        _("Your own list"),
        key=f"ratings_{st.session_state.get('rated', 0)}",
        type=["csv", "tsv", "json", "txt"],
        help=_("CSV, TSV or JSON with a host and a rating in each row."),
    )
    if file is not None:
        _start_import(file.name, file.getvalue())
        st.session_state["rated"] = st.session_state.get("rated", 0) + 1
        st.rerun()
    jobs.follow_jobs(JOB_KEY)
    with failures.show_failures():
        summary = jobs.take_result(JOB_KEY)
        if summary:
            st.html(f'<p class="tried" role="status">{escape_line(summary, 400)}</p>')


def _draw_list(ratings: RatingList) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        about = ngettext(
            "{count} site, added {moment}, SHA-256 {digest}…",
            "{count} sites, added {moment}, SHA-256 {digest}…",
            ratings.hosts,
        ).format(
            count=format_number(ratings.hosts),
            moment=format_moment(ratings.added),
            digest=ratings.digest[:12],
        )
        title = ""
        if ratings.title != ratings.name:
            title = f'<p class="about">{escape_line(ratings.title, 200)}</p>'
        st.html(
            f'<p><b>{escape_line(ratings.name)}</b> <span class="about">{escape_line(about)}</span></p>{title}',
            width="stretch",
        )
        if not current_user.requires_sign_in():
            st.button(
                _("Remove"),
                key=f"unrate_{ratings.name}",
                on_click=_remove_list,
                args=(ratings.name,),
            )


def _draw_preset(name: str, preset: Preset) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.html(
            f'<p>{escape_line(preset.title)}</p><p class="about">{escape_line(preset.terms)}</p>',
            width="stretch",
        )
        st.button(
            _("Import"),
            key=f"rate_{name}",
            on_click=_start_import,
            args=(name, None),
            disabled=jobs.is_under_way(JOB_KEY),
        )


def _start_import(source: str, body: bytes | None) -> None:
    resources = default_resources()
    who = current_user.current_principal()
    jobs.start_job(
        JOB_KEY,
        _("Importing ratings"),
        lambda _report_progress: diagnostics.add_ratings(resources, source, body, who=who),
    )


def _remove_list(name: str) -> None:
    with failures.keep_failures():
        diagnostics.remove_ratings(default_resources(), name, who=current_user.current_principal())
