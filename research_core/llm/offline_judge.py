"""The judge that needs no model: how far a source bears on a question, 1-5, and whether a passage holds what a sentence says.

It weighs words, their nearness, the title and the form of the answer asked for (`similarity`, `support`). It understands nothing: a page
that answers in other words is scored too low, and a page that says the opposite in the same words too high.
"""

from __future__ import annotations

import json

from research_core.llm.insufficient import explain_insufficient as explain_insufficient
from research_core.llm.similarity import Fit, Question, fit, understand
from research_core.llm.support import support
from research_core.models import Json

#: Closeness from which each score is given. What it was set on stands in `benchmarks/relevance.py`.
SCORES = ((1.15, 5), (1.0, 4), (0.82, 3), (0.45, 2))
#: A title that names just what the question names counts half as much as a text that holds all of it.
TITLE = 0.5
#: Where a figure is asked for, the title adds at most this share: a figure answers only for the thing it stands beside.
EXACT = 1.15
#: What remains when the form of answer asked for (a figure, a date, a name) is nowhere in the text.
FORMLESS = 0.7
MOST_NAMED = 6
LACKS = {
    "money": "gives no price",
    "quantity": "gives no figure",
    "time": "gives no date",
    "person": "names nobody",
    "place": "names no place",
}


def judge(inputs: Json) -> str:
    """{question, title, passages} → "SCORE: n\\nEXPLANATION: one sentence" naming what is there and what is missing."""
    question = understand(str(inputs["question"]))
    found = fit(question, str(inputs["title"]), [str(passage) for passage in inputs["passages"]])
    return f"SCORE: {score(closeness(found))}\nEXPLANATION: {explanation(question, found)}"


def closeness(found: Fit) -> float:
    """0.0 to 1.5: how nearly title and text meet the question."""
    close = found.held + TITLE * found.aimed
    if found.exact:
        close = min(close, EXACT * found.held)
    return round(close if found.given else FORMLESS * close, 6)


def score(close: float) -> int:
    """1-5 for a closeness."""
    return next((number for least, number in SCORES if close >= least), 1)


def explanation(question: Question, found: Fit) -> str:
    """One sentence in the words of the question."""
    there, missing = (_named(question.phrases(stems)) for stems in (found.found, found.missing))
    if not there:
        return f"Says nothing of {missing}." if missing else "The question names nothing to look for."
    parts = [f"Covers {there}"]
    if missing:
        parts.append(f"says nothing of {missing}")
    if not found.given:
        parts.append(LACKS[question.form.name])
    if not missing and found.given and score(closeness(found)) < 3:
        parts.append("but not in one place")
    return "; ".join(parts) + "."


def _named(phrases: list[str]) -> str:
    shown = phrases[:MOST_NAMED]
    return ", ".join(shown) + (" …" if len(phrases) > len(shown) else "")


def verify_sentence(inputs: Json) -> str:
    """{sentence, passages} → JSON {"state", "note"}."""
    state, note = support(str(inputs["sentence"]), [str(passage) for passage in inputs["passages"]])
    return json.dumps({"state": state, "note": note}, ensure_ascii=False)
