"""Work that takes a while, on a thread of its own: the screen shows how far it is, and no click and
no other tab waits for it.

A job belongs to the browser session that started it and is under way in this process alone; it
writes nothing about itself.
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
from research_core.text.words import clean_for_screen

EVERY_S = 0.4
OnProgress = Callable[[int, int, str], None]


@dataclass
class Job:
    """about: what it is, in words; progress: (done, of how many, or 0, what) as last heard; result:
    what came of it.
    """

    about: str
    progress: tuple[int, int, str] = (0, 0, "")
    result: Future[Any] = field(default_factory=Future)
    seen: bool = False  # a whole screen has been drawn since it ended

    def heard(self, done: int, total: int, what: str) -> None:
        self.progress = (done, total, what)


def start_job(key: str, about: str, work: Callable[[OnProgress], Any]) -> None:
    """Begin this work under this key, in place of what was there. work touches no widget and no
    state of the screen.
    """
    job = Job(about)
    st.session_state[key] = job

    def run() -> None:
        try:
            job.result.set_result(work(job.heard))
        except ResearchError as error:  # said on the screen
            job.result.set_exception(error)
        except BaseException as error:  # a mistake of our own: said there too, and here
            job.result.set_exception(error)
            raise

    Thread(target=run, name=f"assay-{key}", daemon=True).start()


def is_under_way(key: str) -> bool:
    job = st.session_state.get(key)
    return job is not None and not job.result.done()


def wait_briefly(key: str, seconds: float) -> None:
    """Stay this long for what may be done at once, so that the screen need not first say that it is
    under way.
    """
    job: Job = st.session_state[key]
    with suppress(TimeoutError):
        job.result.exception(seconds)
        job.seen = True


def take_result(key: str) -> Any:
    """What came of the work under this key; None while there is nothing. Raises what the work
    raised, once.
    """
    job = st.session_state.get(key)
    if job is None or not job.result.done():
        return None
    if job.result.exception():
        del st.session_state[key]
    return job.result.result()


def forget_job(key: str) -> None:
    """Leave what came of it."""
    st.session_state.pop(key, None)


def follow_jobs(*keys: str) -> None:
    """Show how far the work under these keys is, as long as any is under way; once one has ended
    the screen is drawn anew.
    """
    for job in [
        job
        for key in keys
        if (job := st.session_state.get(key)) and job.result.done() and not job.seen
    ]:
        job.seen = True
        st.rerun()
    waiting = [key for key in keys if is_under_way(key)]
    if waiting:
        st.fragment(_draw_progress, run_every=EVERY_S)(waiting)


def _draw_progress(keys: list[str]) -> None:
    for key in keys:
        if not is_under_way(key):
            st.rerun()
        job: Job = st.session_state[key]
        count, total, what = job.progress
        said = (
            f"{job.about}: {count} of {total}, {clean_for_screen(what, 80)}"
            if total
            else f"{job.about} … {clean_for_screen(what, 80)}".rstrip()
        )
        st.progress(count / total if total else 0.0, said)
