"""Offer example questions on the Ask screen; all of them run on the sample library."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from research_core.i18n import _
from research_core.policy import SAMPLE_LIBRARY

#: In the language of the sample library, whatever that of the screens is.
EXAMPLES = tuple(Path(__file__).with_name("examples.txt").read_text(encoding="utf-8").splitlines())


def draw() -> None:
    """Draw three example questions as cards. Each is asked in English, as the sample library is."""
    st.caption(_("Sample questions"))
    with st.container(horizontal=True, key="examples"):
        for number, example in enumerate(EXAMPLES, 1):
            st.button(
                example,
                key=f"example_{number}",
                wrap=True,
                width="stretch",
                on_click=_use_example,
                args=(example,),
            )


def _use_example(example: str) -> None:
    st.session_state.update(question=example, where="library", library=SAMPLE_LIBRARY)
