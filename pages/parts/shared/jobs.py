"""Run slow work in background threads and show its progress.

A job belongs to the browser session that started it and exists in this process only.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import Any

import streamlit as st

from research_core.errors import ResearchError
from research_core.i18n import _
from research_core.text.words import clean_for_screen

EVERY_S = 0.4
OnProgress = Callable[[int, int, str], None]


@dataclass
class Job:
    """about: description; progress: (done, total or 0, what); result: what the work returned."""

    about: str
    progress: tuple[int, int, str] = (0, 0, "")
    result: Future[Any] = field(default_factory=Future)
    seen: bool = False  # the whole screen was drawn after it ended

    def report_progress(self, done: int, total: int, what: str) -> None:
        self.progress = (done, total, what)


def start_job(key: str, about: str, work: Callable[[OnProgress], Any]) -> None:
    """Start work under this key, replacing the previous job. work must not touch Streamlit."""
    job = Job(about)
    st.session_state[key] = job

    def run() -> None:
        try:
            job.result.set_result(work(job.report_progress))
        except ResearchError as error:  # shown on the screen
            job.result.set_exception(error)
        except BaseException as error:  # a bug: shown there, and logged here
            job.result.set_exception(error)
            raise

    Thread(target=run, name=f"assay-{key}", daemon=True).start()


def is_under_way(key: str) -> bool:
    job = st.session_state.get(key)
    return job is not None and not job.result.done()


def wait_briefly(key: str, seconds: float) -> None:
    """Wait up to this many seconds, so that fast work shows no progress bar."""
    job: Job = st.session_state[key]
    with suppress(TimeoutError):
        job.result.exception(seconds)
        job.seen = True


def take_result(key: str) -> Any:
    """Return the finished job's result, or None if there is none. Raises the job's error once."""
    job = st.session_state.get(key)
    if job is None or not job.result.done():
        return None
    if job.result.exception():
        del st.session_state[key]
    return job.result.result()


def read_result(key: str) -> Any:
    """Return the finished job's result, None if there is none or it failed."""
    job = st.session_state.get(key)
    if job is None or not job.result.done() or job.result.exception():
        return None
    return job.result.result()


def forget_job(key: str) -> None:
    """Discard a job's result."""
    st.session_state.pop(key, None)


def follow_jobs(*keys: str) -> None:
    """Show the progress of these jobs while any is running; redraw the screen when one ends."""
    # Before the loop: a job that ends during it is then still in the list, and the next progress
    # update redraws the screen.
    waiting = [key for key in keys if is_under_way(key)]
    for key in keys:
        job = st.session_state.get(key)
        if job and job.result.done() and not job.seen:
            job.seen = True
            st.rerun()
    if waiting:
        st.fragment(_draw_progress, run_every=EVERY_S)(waiting)


def _draw_progress(keys: list[str]) -> None:
    for key in keys:
        if not is_under_way(key):
            st.rerun()
        job: Job = st.session_state[key]
        count, total, what = job.progress
        if total:
            text = _("{job}: {count} of {total}, {what}").format(
                job=job.about, count=count, total=total, what=clean_for_screen(what, 80)
            )
        else:
            text = f"{job.about} … {clean_for_screen(what, 80)}".rstrip()
        st.progress(count / total if total else 0.0, text)
