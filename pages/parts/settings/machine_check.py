"""Draw a check of everything that is configured, with a report that can be pasted anywhere."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from parts.shared import current_user, failures, jobs
from research_core.sessions import doctor
from research_core.sessions.doctor import CheckResult
from research_core.text.words import format_count
from research_core.wiring import Resources, default_resources

CHECK = "check of everything"
ABOUT = (
    "One small call to each configured model, search engine and provider. The report holds no key"
    " and no address of yours, so you can paste it into a question or a bug report."
)


def draw() -> None:
    """Draw the button and the report of the last check."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            "Check everything",
            key="check_everything",
            icon=":material/stethoscope:",
            disabled=jobs.is_under_way(CHECK),
            on_click=_check,
        )
        st.caption(ABOUT, width="stretch")
    jobs.follow_jobs(CHECK)
    with failures.show_failures():
        results: list[CheckResult] | None = jobs.take_result(CHECK)
        if results:
            _draw_results(results)


def _check() -> None:
    resources = default_resources()
    jobs.start_job(CHECK, "Checking", lambda report_progress: _run(resources, report_progress))


def _run(
    resources: Resources, report_progress: Callable[[int, int, str], None]
) -> list[CheckResult]:
    total = len(list(doctor.check_machine(resources, live=False)))
    results = []
    for result in doctor.check_machine(resources, live=True):
        results.append(result)
        report_progress(len(results), total, result.name)
    return results


def _draw_results(results: list[CheckResult]) -> None:
    asked = [result for result in results if result.seconds is not None]
    failed = doctor.list_failures(results)
    summary = f"{len(asked) - len(failed)} of {format_count(len(asked), 'part')} asked answered."
    (st.warning if failed else st.success)(summary)
    report = doctor.format_report(
        [*failed, *(r for r in results if r not in failed)], default_resources().settings
    )
    if not current_user.requires_sign_in():
        st.caption("Run it in a terminal with `assay doctor --live`.")
    st.code(report, language=None, wrap_lines=True, height=360)
