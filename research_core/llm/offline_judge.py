"""Judge without a model how relevant a source is to a question, 1-5, and why.

It weighs words, how near they stand, their meaning one by one, the title and the form of the answer
asked for (`similarity`, `nearness`, `topic_match`), and with an embedding model the meaning of
whole sentences. It understands nothing: a page that answers in other words scores too low, one that
says the opposite in the same words too high.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from research_core.model_messages import Json
from research_core.text.comparison_question import find_compared_sides
from research_core.text.nearness import nearest_word
from research_core.text.sentence_meaning import compares
from research_core.text.sentence_ranking import rank_sentences
from research_core.text.similarity import (
    Question,
    QuestionFit,
    measure_fit,
    parse_question,
    word_root,
)
from research_core.text.topic_match import estimate_chance, measure_signs, score_chance
from research_core.text.words import tokenize

if TYPE_CHECKING:
    from research_core.text.embeddings import Embedder

MAX_NAMED_PHRASES, MAX_NEAR_WORDS = 6, 3
MISSING_FORM_TEXTS = {
    "money": "gives no price",
    "quantity": "gives no figure",
    "time": "gives no date",
    "person": "names nobody",
    "place": "names no place",
    "comparison": "compares nothing",
}
#: A text with all words of the question that scores less has them far apart.
NEAR_WORDS_SCORE = 3
#: The highest score of a source that mentions one side of a comparison only.
ONE_SIDE_MAX_SCORE = 3
#: The cosine from which a sentence is near enough to be an answer, and the highest score of a
#: source that has none.
MIN_NEARNESS, FAR_MAX_SCORE = 0.5, 2


def judge_source(inputs: Json, embedder: Embedder | None = None) -> str:
    """Return "SCORE: n\\nEXPLANATION: one sentence", naming what is covered and what is missing.

    inputs: {question, title, passages}. embedder: compares the passages in meaning too; where it
    cannot be used, the sentence says so.
    """
    asked = str(inputs["question"])
    title = str(inputs["title"])
    passages = [str(passage) for passage in inputs["passages"]]
    question = parse_question(asked)
    found = measure_fit(question, title, passages)
    near = None
    if embedder is not None and compares(embedder, asked):
        near = find_nearest(embedder, asked, title, passages)
    signs = measure_signs(question, asked, found, passages, near)
    score = score_chance(estimate_chance(signs), by_meaning=near is not None)
    notes = [describe_near_words(question, found, passages), _describe_cosine(near, embedder)]
    if near is not None and near < MIN_NEARNESS:
        score = min(score, FAR_MAX_SCORE)
    side = find_one_side(asked, [title, *passages])
    if side:
        score = min(score, ONE_SIDE_MAX_SCORE)
        notes.insert(0, f"speaks of one side only: {side}")
    explanation = write_explanation(question, found, score, "; ".join(filter(None, notes)))
    return f"SCORE: {score}\nEXPLANATION: {explanation}"


def find_one_side(asked: str, texts: Sequence[str]) -> str:
    """Return the one of two compared things that the texts mention.

    "" if they mention both or neither, or nothing is compared.
    """
    compared = find_compared_sides(asked)
    if not compared:
        return ""
    roots: set[str] = set()
    for text in texts:
        roots.update(map(word_root, tokenize(text)))
    return compared.alone(roots)


def describe_near_words(question: Question, found: QuestionFit, passages: Sequence[str]) -> str:
    """Describe words of the passages near in meaning to missing words of the question.

    Example: "but has “physicians”, near “doctors”".
    """
    missing = {token: written for token, written in question.order if token in found.missing}
    text = "\n".join(passages)
    pairs: list[str] = []
    for written in missing.values():
        near = nearest_word(written, text)
        if near:
            pairs.append(f"“{near}”, near “{written}”")
        if len(pairs) == MAX_NEAR_WORDS:
            break
    return f"but has {' and '.join(pairs)}" if pairs else ""


def find_nearest(embedder: Embedder, question: str, title: str, passages: Sequence[str]) -> float:
    """Return the highest cosine of a sentence with the question, -1.0 to 1.0; 0.0 if none."""
    ranked = rank_sentences([question], title, passages, embedder)
    return ranked[0].near if ranked else 0.0


def _describe_cosine(near: float | None, embedder: Embedder | None) -> str:
    if near is not None:
        return f"{'near' if near >= MIN_NEARNESS else 'far'} in meaning ({near:.2f})"
    if embedder is not None and embedder.why:
        return "compared by words alone, as the embedding model cannot be used"
    return ""


def write_explanation(question: Question, found: QuestionFit, score: int, notes: str = "") -> str:
    """Explain a score in one sentence, in the words of the question.

    notes: what to add about the meaning.
    """
    covered = _join_phrases(question.phrases(found.found))
    missing = _join_phrases(question.phrases(found.missing))
    if not covered:
        parts = [
            f"Says nothing of {missing}" if missing else "The question names nothing to look for"
        ]
    else:
        parts = [f"Covers {covered}"]
        if missing:
            parts.append(f"says nothing of {missing}")
        if not found.given:
            parts.append(MISSING_FORM_TEXTS[question.form.name])
        elif not missing and score < NEAR_WORDS_SCORE:
            parts.append("but not in one place")
    if notes:
        parts.append(notes)
    return "; ".join(parts) + "."


def _join_phrases(phrases: list[str]) -> str:
    joined = ", ".join(phrases[:MAX_NAMED_PHRASES])
    return f"{joined} …" if len(phrases) > MAX_NAMED_PHRASES else joined
