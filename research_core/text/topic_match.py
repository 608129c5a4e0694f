"""Estimate how likely a source bears on a question, from measured signs and fitted weights.

The weights are in `topic_match.json`, written by `benchmarks/calibrate_relevance.py` from human
judgements: one row for words alone, one for words and meaning (the embedding model).
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from research_core.text.answer_forms import FIGURE
from research_core.text.sentences import find_sentences
from research_core.text.similarity import (
    OPEN_FORM,
    Question,
    QuestionFit,
    content_tokens,
    match_stems,
    rarity,
    word_root,
)
from research_core.text.words import tokenize

WEIGHTS_FILE = Path(__file__).with_name("topic_match.json")
#: A title that names exactly the question counts half as much as a text that holds all of it.
TITLE_WEIGHT = 0.5
#: The most that a title can add if a figure is asked for, because a figure answers only beside its
#: subject.
MAX_EXACT_RATIO = 1.15
#: The factor if the form of answer asked for (a figure, a date, a name) is missing.
FORMLESS_FACTOR = 0.7
#: A figure answers if its sentence or surroundings hold this share of the question.
MIN_BESIDE_SHARE = 0.5
#: It answers directly if its sentence, with the title, holds this share.
MIN_DIRECT_SHARE = 0.8
#: Longer questions count as this long, the longest that were judged.
MAX_QUESTION_WORDS = 30
#: Words of an English question beside its key words.
ASKING_WORDS = 5
#: Decimals kept of a chance: the last bit of an exponential differs between processors.
CHANCE_DIGITS = 9
#: The highest unrounded score.
MAX_EXACT_SCORE = 5.99
#: The cosine from which a sentence is near enough to be an answer, and the highest score of a source
#: that has none.
MIN_NEARNESS, FAR_MAX_SCORE = 0.5, 2

#: What can be the answer itself, by form; other forms use `AnswerForm.given`.
_CAPITAL = r"[A-Z][\w.-]+"
ANSWER_PATTERNS = {
    "person": re.compile(
        r"\b[A-Z][a-z]+(?:\s+[A-Z]\.)?\s+(?:(?:de|van|von|la|al)\s+)?[A-Z][a-z]+\b"
    ),
    "place": re.compile(
        rf"\b(?:in|at|near|from|of|to|outside)\s+({_CAPITAL}(?:\s{_CAPITAL})*)|,\s+({_CAPITAL})"
    ),
    "quantity": re.compile(rf"\d[\d,.]*|{FIGURE}", re.IGNORECASE),
    "open": re.compile(r"\d[\d,.]*|(?<=[\w,;:] )[A-Z](?:[a-z]+|\.|[A-Z]+)"),
}
_ANY_WORD = re.compile(r"[^\W\d_]{2,}|\d+")


@dataclass(frozen=True)
class Meaning:
    """The cosine with the question of the nearest sentence and of the first passage, -1 to 1."""

    sentence: float
    passage: float


def measure_closeness(found: QuestionFit) -> float:
    """Return how nearly title and text meet the question, 0.0 to 1.5."""
    close = found.held + TITLE_WEIGHT * found.aimed
    if found.exact:
        close = min(close, MAX_EXACT_RATIO * found.held)
    if not found.given:
        close = FORMLESS_FACTOR * close
    return round(close, 6)


def _count_asked(question: Question, asked: str) -> int:
    """Return the words of a question, in another language as many as in English.

    Languages differ in the words that they write: Arabic joins them, Chinese has no spaces.
    """
    if not question.language:
        return len(tokenize(asked))
    return len(question.order) + ASKING_WORDS


def measure_signs(
    question: Question,
    asked: str,
    found: QuestionFit,
    passages: Sequence[str],
    meaning: Meaning | None = None,
    title: str = "",
) -> dict[str, float]:
    """Return the signs that are weighed, by name.

    `asked` is the question as written, `found` how title and passages meet it. Signs: close 0 to
    1.5; length, the log of the question's words; rarest, the log of how often its rarest word
    occurs; answer, about 0 to 1; lacking, 1 if a figure is asked for and none stands
    beside what it measures; sentence and passage, -1 to 1, if a model was used.
    """
    words = question.words
    rarest = max(words, key=lambda word: words[word], default="")
    occurrences = sum(
        word_root(word, question.language) == rarest
        for passage in passages
        for word in content_tokens(passage)
    )
    said = match_stems(tokenize(title), question) if found.exact else frozenset[str]()
    answers = [_measure_answer(question, asked, passage, said) for passage in passages]
    measured = {
        "close": measure_closeness(found),
        "length": math.log1p(min(_count_asked(question, asked), MAX_QUESTION_WORDS)),
        "rarest": math.log1p(occurrences),
        "answer": max(answers, default=0.0),
        "about": _measure_focus(question, passages),
    }
    beside = found.given and (
        measured["answer"] >= MIN_BESIDE_SHARE
        or measured["close"] >= MIN_BESIDE_SHARE + TITLE_WEIGHT * found.aimed
    )
    measured["lacking"] = float(found.exact and not beside)
    if meaning is not None:
        measured |= {"sentence": meaning.sentence, "passage": meaning.passage}
    return measured


def answers_beside(found: QuestionFit, signs: Mapping[str, float]) -> bool:
    """Return whether a figure that is asked for stands in one sentence with what it measures."""
    return found.exact and found.given and signs["answer"] >= MIN_DIRECT_SHARE


def share_named(question: Question, found: QuestionFit) -> float:
    """Return the weighted share of the question's words that title and passages hold."""
    return _share_held(question.words, frozenset(found.found))


def _find_roots(words: Sequence[str], question: Question) -> set[str]:
    """Return the stems of words, by the language of the question."""
    return {word_root(word, question.language) for word in words}


def _share_held(words: Mapping[str, float], held: Set[str]) -> float:
    """Return the weighted share of the words that are held."""
    found = sum(weight for word, weight in words.items() if word in held)
    return found / (sum(words.values()) or 1.0)


def _measure_answer(
    question: Question, asked: str, passage: str, above: Set[str] = frozenset()
) -> float:
    """Return the most of the question that a sentence with a possible answer holds.

    A possible answer is one that the question does not state itself. above: stems of the title that
    the sentence stands under.
    """
    pattern = ANSWER_PATTERNS.get(question.form.name, question.form.given)
    if question.language and question.form is OPEN_FORM:
        pattern = _ANY_WORD  # not every script has capitals
    said = _find_roots(tokenize(asked), question)
    best = 0.0
    for start, end in find_sentences(passage):
        sentence = passage[start:end]
        if question.form.exact and not question.form.given.search(sentence):
            continue
        for match in pattern.finditer(sentence):
            if said.issuperset(_find_roots(tokenize(match[0]), question)):
                continue
            roots = match_stems(tokenize(sentence), question)
            best = max(best, _share_held(question.words, roots | above))
            break
    return best


def _measure_focus(question: Question, passages: Sequence[str]) -> float:
    """Return the share of the passages' words, weighted by rarity, that the question names."""
    counts: Counter[str] = Counter()
    for passage in passages:
        counts.update(content_tokens(passage))
    weights: dict[str, float] = {}
    for word, times in counts.items():
        root = word_root(word, question.language)
        weights[root] = weights.get(root, 0.0) + times * max(rarity(word) - 1.0, 0.0)
    return _share_held(weights, question.stems)


def estimate_chance(measured: Mapping[str, float]) -> float:
    """Return how likely a text with these signs is a good one, 0.0 to 1.0.

    If a figure is lacking, the chance stays below what a score of 3 needs.
    """
    row = load_weights()["meaning" if "sentence" in measured else "words"]
    odds = row["constant"] + sum(weight * measured[name] for name, weight in row["weights"].items())
    likely = 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))
    lowest, enough = row["least"][:2]
    if measured["lacking"] and likely > lowest:
        likely = lowest + (likely - lowest) * (enough - lowest) / (1 - lowest)
    return round(float(likely), CHANCE_DIGITS)


def score_chance(chance: float, *, by_meaning: bool = False) -> int:
    """Return the score, 1 to 5, of a chance."""
    least: Sequence[float] = load_weights()["meaning" if by_meaning else "words"]["least"]
    return 1 + sum(chance >= limit for limit in least)


def scale_chance(chance: float, *, by_meaning: bool = False) -> float:
    """Return the unrounded score of a chance, 1.0 to 5.99.

    It rises evenly between the chances from which whole scores are given; its whole part is
    `score_chance`.
    """
    least: Sequence[float] = load_weights()["meaning" if by_meaning else "words"]["least"]
    for score, (low, high) in enumerate(pairwise((0.0, *least, 1.0)), 1):
        if chance < high:
            return round(score + 0.99 * (chance - low) / (high - low), 6)
    return MAX_EXACT_SCORE


@lru_cache(maxsize=1)
def load_weights() -> dict[str, Any]:
    """Return the weights of "words" and "meaning".

    Each holds "constant", "weights" by sign, and "least": the chances from which 2, 3, 4 and 5 are
    given.
    """
    weights: dict[str, Any] = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    return weights
