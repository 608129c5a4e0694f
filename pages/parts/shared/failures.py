"""A failure as a screen says it: what happened and the next step, in the words the core gave it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from research_core.errors import ResearchError
from research_core.text.words import plain


@contextmanager
def shown() -> Iterator[None]:
    """Draw whatever the core raises on purpose; a mistake of our own goes on to Streamlit, which
    shows its kind and nothing of its text.

    Never in a callback: what that draws stands above the app, and a fragment drawn next to it
    breaks the page.
    """
    try:
        yield
    except ResearchError as error:
        say(error.message, error.next_step)


@contextmanager
def kept() -> Iterator[None]:
    """In a callback: keep what the core raises on purpose for `refused` to draw. It stands until
    something else is asked here.
    """
    forget()
    try:
        yield
    except ResearchError as error:
        st.session_state["refused"] = (_here(), error)


def refused() -> None:
    """Draw what the last callback kept: first thing in the fragment its widget is in, or on the
    page where it is in none.
    """
    where, error = st.session_state.get("refused", (None, None))
    if error is not None and where == _here():
        say(error.message, error.next_step)


def forget() -> None:
    """From a callback: what was refused no longer matters."""
    st.session_state.pop("refused", None)


def _here() -> tuple[str, str | None]:
    """The screen and its session: a refusal does not follow the analyst to another one."""
    return st.context.url or "", st.session_state.get("session")


def say(message: str, next_step: str = "") -> None:
    st.error(plain(message, 600), icon=":material/error:")
    if next_step:
        st.markdown(f"**Next step:** {plain(next_step, 600)}")
