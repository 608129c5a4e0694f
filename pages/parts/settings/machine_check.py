"""Draw a check of everything that is configured, with a report that can be pasted anywhere."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from parts.shared import current_user, failures, jobs
from research_core.i18n import _, ngettext
from research_core.sessions import doctor
from research_core.sessions.doctor import CheckResult
from research_core.wiring import Resources, default_resources

CHECK = "machine_check"


def draw() -> None:
    """Draw the button and the report of the last check."""
    st.header(_("Health check"), anchor=False)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            _("Check everything"),
            key="check_everything",
            icon=":material/stethoscope:",
            disabled=jobs.is_under_way(CHECK),
            on_click=_check,
        )
        st.caption(_("One small call to each part. The report contains no keys."), width="stretch")
    jobs.follow_jobs(CHECK)
    with failures.show_failures():
        results: list[CheckResult] | None = jobs.take_result(CHECK)
        if results:
            _draw_results(results)


def _check() -> None:
    resources = default_resources()
    jobs.start_job(CHECK, _("Checking"), lambda report_progress: _run(resources, report_progress))


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
    summary = ngettext(
        "{answered} of {count} part answered.", "{answered} of {count} parts answered.", len(asked)
    ).format(answered=len(asked) - len(failed), count=len(asked))
    (st.warning if failed else st.success)(summary)
    report = doctor.format_report(
        [*failed, *(r for r in results if r not in failed)], default_resources().settings
    )
    if not current_user.requires_sign_in():
        st.caption(_("In a terminal: `assay doctor --live`"))
    st.code(report, language=None, wrap_lines=True, height=360)
