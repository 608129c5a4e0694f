"""Rate a sentence against a question: whether it answers it, is only about it, or is neither.

Goes by how near both are in meaning, or by the words that they share, and by the form of the
sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from research_core.models import SentenceRelevance
from research_core.text.asked_facets import (
    find_asked_facets,
    tells_facet,
    tells_nothing,
    tells_side,
)
from research_core.text.asked_fillers import find_asked_fillers
from research_core.text.direct_answers import (
    answers_directly,
    defines_other,
    find_answer_kind,
    goes_wrong_way,
    restates_question,
)
from research_core.text.filled_quotes import fills_question
from research_core.text.question_topic import find_topic, names_other_number
from research_core.text.sentence_faults import offers_texts
from research_core.text.similarity import parse_question, word_root
from research_core.text.words import tokenize

#: The cosine from which a sentence is about a question, and from which it answers it; of the
#: sentence alone, as a title lifts whatever stands below it. Measured on 60 questions each: 5% of
#: random sentences reach 0.23, and 90% of those graded good 0.34 (TREC-QA) and 0.48 (MEDIQA).
MIN_NEARNESS, ANSWER_NEARNESS = 0.35, 0.55
#: The same as shares of the question's words, by weight, where only words are compared.
MIN_SHARE, ANSWER_SHARE = 0.3, 0.6
#: Kinds of question whose answers have no form of their own.
_KINDS_OF_ANY_FORM = frozenset({"overview", "list"})
#: "Frost heave occurs when …" says what frost heave is.
_TELLS_WHEN_IT_OCCURS = re.compile(r"\b(?:occurs?|happens?|develops?) (?:when|if)\b")


def rate_by_meaning(questions: Sequence[str], text: str, near: float) -> SentenceRelevance:
    """Rate a sentence by its nearness to the nearest question, -1.0 to 1.0."""
    return _rate(questions, text, near >= MIN_NEARNESS, near >= ANSWER_NEARNESS)


def rate_by_words(questions: Sequence[str], text: str) -> SentenceRelevance:
    """Rate a sentence by the words that it shares with one of the questions."""
    share = max(measure_share(question, text) for question in questions)
    return _rate(questions, text, share >= MIN_SHARE, share >= ANSWER_SHARE)


def _gives_form(question: str, text: str) -> bool:
    """Return whether a sentence has the form of answer that an English question asks for.

    Where a duration, an amount or a side of a thing is asked for, `_MISSES` looks for that.
    """
    if parse_question(question).language or find_asked_fillers(question):
        return True
    if find_asked_facets(question):
        return True
    kind = find_answer_kind(question)
    if kind.name == "definition" and _TELLS_WHEN_IT_OCCURS.search(text):
        return True
    return kind.name in _KINDS_OF_ANY_FORM or bool(kind.given.search(text))


def measure_share(question: str, text: str) -> float:
    """Return the share of a question's words that a text holds, by weight, 0.0 to 1.0."""
    parsed = parse_question(question)
    total = sum(parsed.words.values())
    if not total:
        return 0.0
    roots = {word_root(word, parsed.language) for word in tokenize(text)}
    held = sum(weight for word, weight in parsed.words.items() if word in roots)
    return round(held / total, 6)


def _tells_other_side(question: str, text: str) -> bool:
    """Return whether a sentence tells of none of the sides that an English question asks about."""
    if parse_question(question).language or find_asked_fillers(question):
        return False
    facets = find_asked_facets(question)
    if facets:
        return not tells_facet(facets, text)
    return find_answer_kind(question).name == "definition" and tells_side(text)


def _defines_other_thing(question: str, text: str) -> bool:
    is_definition = find_answer_kind(question).name == "definition"
    return is_definition and defines_other(text, find_topic(question))


#: The ways in which a sentence on the subject does not answer: it tells the effect for the cause,
#: only repeats the question, lacks the duration, amount, date or effect asked for, says only that
#: there is something, sends its reader to a list, tells of another side, or defines a narrower
#: thing.
_MISSES: tuple[Callable[[str, str], bool], ...] = (
    goes_wrong_way,
    restates_question,
    lambda question, text: not fills_question(question, text),
    tells_nothing,
    lambda _, text: offers_texts(text),
    _tells_other_side,
    _defines_other_thing,
)


def _rate(
    questions: Sequence[str], text: str, is_near: bool, is_very_near: bool
) -> SentenceRelevance:
    """Rate a sentence by how near it is and by its form.

    One about a thing of the same name with another number is off topic. One that misses what is
    asked in one of the ways of `_MISSES` does not answer.
    """
    if not is_near or all(names_other_number(find_topic(each), text) for each in questions):
        return "off topic"
    for question in questions:
        if any(misses(question, text) for misses in _MISSES):
            continue
        if (is_very_near and _gives_form(question, text)) or answers_directly(question, text):
            return "answers"
    return "on topic"
