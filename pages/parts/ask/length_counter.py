"""Say while a question is typed when it is too long, and allow the button only for a question."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from research_core.i18n import _
from research_core.policy import QUESTION_LENGTH

HIGH = QUESTION_LENGTH[1]
SCRIPT = Path(__file__).parents[2] / "length_counter.js"
counter = st.components.v2.component("assay_counter", js=SCRIPT.read_text(encoding="utf-8"))


def draw(question: str) -> None:
    """Draw the counter. Call it after the text box and the button of the form."""
    length = len(" ".join(question.split()))
    over = length > HIGH
    form = _("{length} characters, {excess} too many")
    text = form.format(length=length, excess=length - HIGH) if over else ""
    st.html(f'<p class="facts count{" over" if over else ""}" data-count role="status">{text}</p>')
    # The length makes the script count again where an example or an address filled the box.
    counter(key="counts", data={"high": HIGH, "text": form, "length": length})
