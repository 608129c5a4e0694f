"""A failure as a screen says it: what happened and the next step, in the words the core gave it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from research_core.errors import ResearchError
from research_core.text import plain


@contextmanager
def shown() -> Iterator[None]:
    """Draw whatever the core raises on purpose; a mistake of our own goes on to Streamlit, which shows its kind and nothing of its text."""
    try:
        yield
    except ResearchError as error:
        say(error.message, error.next_step)


def say(message: str, next_step: str = "") -> None:
    st.error(plain(message, 600), icon=":material/error:")
    if next_step:
        st.markdown(f"**Next step:** {plain(next_step, 600)}")
