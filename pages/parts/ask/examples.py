"""Offer example questions on the Ask screen; all of them run on the sample library."""

from __future__ import annotations

import streamlit as st

from research_core.policy import SAMPLE_LIBRARY

EXAMPLES = (
    "What does the San Diego noise ordinance say about amplified music at outdoor events?",
    (
        "How much do flamenco guitarists charge compared with classical guitarists for weddings and"
        " private events?"
    ),
    "What are the most popular first dance songs for weddings in 2025?",
    "How did rumba flamenca develop from Cuban rumba, and how do the two differ?",
    "What booking strategies get better rates at luxury hotels?",
    "What are the effects of microplastics on marine life?",
    "What are the environmental risks of deep-sea mining?",
    "What progress has been made toward fusion energy?",
)


def draw() -> None:
    st.markdown(
        "Or try one of these",
        help="They run on the sample library that comes with Assay: no network, no key.",
    )
    with st.container(key="examples", gap=None):
        for number, example in enumerate(EXAMPLES, 1):
            st.button(
                example,
                key=f"example_{number}",
                type="tertiary",
                wrap=True,
                on_click=_use_example,
                args=(example,),
            )


def _use_example(example: str) -> None:
    st.session_state.update(question=example, where="library", library=SAMPLE_LIBRARY)
