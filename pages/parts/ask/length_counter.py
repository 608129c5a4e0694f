"""Say while a question is typed when it is too long, and allow the button only for a question."""

from __future__ import annotations

import streamlit as st

from research_core.policy import QUESTION_LENGTH

_, HIGH = QUESTION_LENGTH
#: Counts as the core does, with white space folded. Without the script, the count that the server
#: draws is right after each submitted change.
COUNTER_SCRIPT = """
export default function ({ data }) {
  const box = document.querySelector(".st-key-question textarea");
  const said = document.querySelector("[data-count]");
  if (!box || !said) return;
  const button = document.querySelector(".st-key-go button");
  const count = () => {
    const length = [...box.value.split(/\\s+/).filter(Boolean).join(" ")].length;
    const over = length > data.high;
    said.textContent = over ? `${length} characters, ${length - data.high} too many` : "";
    if (button) button.disabled = length === 0 || over;
    said.classList.toggle("over", over);
  };
  box.removeEventListener("input", box.assayCount);
  box.assayCount = count;
  box.addEventListener("input", count);
  setTimeout(count, 50);
}
"""
counter = st.components.v2.component("assay_counter", js=COUNTER_SCRIPT)


def draw(question: str) -> None:
    """Draw the counter. Call it after the text box and the button of the form."""
    length = len(" ".join(question.split()))
    over = length > HIGH
    text = f"{length} characters, {length - HIGH} too many" if over else ""
    st.html(f'<p class="facts count{" over" if over else ""}" data-count role="status">{text}</p>')
    counter(key="counts", data={"high": HIGH})
