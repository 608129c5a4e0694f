"""A failure as a screen says it: what happened and the next step, in the words the core gave it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from research_core.errors import ResearchError
from research_core.text.words import clean_for_screen


@contextmanager
def show_failures() -> Iterator[None]:
    """Draw whatever the core raises on purpose; a mistake of our own goes on to Streamlit, which
    shows its kind and nothing of its text.

    Never in a callback: what that draws stands above the app, and a fragment drawn next to it
    breaks the page.
    """
    try:
        yield
    except ResearchError as error:
        draw_failure(error.message, error.next_step)


@contextmanager
def keep_failures() -> Iterator[None]:
    """In a callback: keep what the core raises on purpose for `draw_kept_failure` to draw. It stands until
    something else is asked here.
    """
    forget_failure()
    try:
        yield
    except ResearchError as error:
        st.session_state["refused"] = (_current_screen(), error)


def draw_kept_failure() -> None:
    """Draw what the last callback kept: first thing in the fragment its widget is in, or on the
    page where it is in none.
    """
    where, error = st.session_state.get("refused", (None, None))
    if error is not None and where == _current_screen():
        draw_failure(error.message, error.next_step)


def forget_failure() -> None:
    """From a callback: what was refused no longer matters."""
    st.session_state.pop("refused", None)


def _current_screen() -> tuple[str, str | None]:
    """The screen and its session: a refusal does not follow the analyst to another one."""
    return st.context.url or "", st.session_state.get("session")


def draw_failure(message: str, next_step: str = "") -> None:
    st.error(clean_for_screen(message, 600), icon=":material/error:")
    if next_step:
        st.markdown(f"**Next step:** {clean_for_screen(next_step, 600)}")
