"""Tell of each cited sentence of a report whether it is about the question and answers it.

Meaning is compared by the embedding model where the run may use it and the question is in English;
otherwise words are. What the model measured is recorded, so that a replay needs no model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from research_core.decisions.view import RunView
from research_core.journal.deps import Deps
from research_core.model_messages import Json
from research_core.models import Block, Sentence, SentenceRelevance
from research_core.pipeline.draft import state_claims
from research_core.pipeline.verify import ABOUT_THE_EVIDENCE, iterate_sections
from research_core.text import sentence_meaning
from research_core.text.asked_facets import (
    find_asked_facets,
    tells_facet,
    tells_nothing,
    tells_side,
)
from research_core.text.asked_fillers import find_asked_fillers
from research_core.text.direct_answers import (
    answers_directly,
    find_answer_kind,
    goes_wrong_way,
    restates_question,
)
from research_core.text.filled_quotes import fills_question
from research_core.text.question_topic import find_topic, names_other_number
from research_core.text.quote_scores import offers_texts
from research_core.text.similarity import parse_question, word_root
from research_core.text.words import tokenize

#: Raise it when texts are compared in another way; part of the key of the recorded values.
VERSION = 1
#: The cosine from which a sentence is about a question, and from which it answers it; of the
#: sentence alone, as a title lifts whatever stands below it. Measured on 60 questions each: 5% of
#: random sentences reach 0.23, and 90% of those graded good 0.34 (TREC-QA) and 0.48 (MEDIQA).
MIN_NEARNESS, ANSWER_NEARNESS = 0.35, 0.55
#: The same as shares of the question's words, by weight, where only words are compared.
MIN_SHARE, ANSWER_SHARE = 0.3, 0.6
#: What says before a sentence what it is about.
_LABEL = re.compile(r"\*[^*]+:\*")
_MARKUP = re.compile(r"[*_`\\|]+")
#: Kinds of question whose answers have no form of their own.
_KINDS_OF_ANY_FORM = frozenset({"overview", "list"})
#: "Frost heave occurs when …" says what frost heave is.
_TELLS_WHEN_IT_OCCURS = re.compile(r"\b(?:occurs?|happens?|develops?) (?:when|if)\b")


def rate_sentences(run: RunView, blocks: Sequence[Block], deps: Deps) -> tuple[Block, ...]:
    """Return the blocks with a relevance on each cited sentence outside Confidence Assessment."""
    questions = [*sentence_meaning.list_asking_sentences(run.spelled), *run.instructions]
    cited = list_cited(blocks)
    near = _measure_by_meaning(questions, list(cited.values()), deps)
    ratings: dict[str, SentenceRelevance] = {}
    for claim, plain in cited.items():
        if plain in near:
            ratings[claim] = rate_by_meaning(questions, plain, near[plain])
        else:
            ratings[claim] = rate_by_words(questions, plain)
    return tuple(
        _add_ratings(section, block, ratings) for section, block in iterate_sections(blocks)
    )


def take_ratings(blocks: Sequence[Block], rated: Sequence[Block]) -> tuple[Block, ...]:
    """Return the blocks with the ratings of the same sentences of others."""
    taken = []
    for block, other in zip(blocks, rated, strict=True):
        sentences = []
        for sentence, rating in zip(block.sentences, other.sentences, strict=True):
            sentences.append(replace(sentence, relevance=rating.relevance))
        taken.append(replace(block, sentences=tuple(sentences)))
    return tuple(taken)


def list_cited(blocks: Sequence[Block]) -> dict[str, str]:
    """Return what each cited sentence claims, with the plain text that is compared.

    The text is the claim behind what it is read with: its label, the head of its table or the
    lead-in of its list.
    """
    cited: dict[str, str] = {}
    lead = ""
    for section, block in iterate_sections(blocks):
        lead = _find_lead(block, lead)
        if block.kind == "heading" or section == ABOUT_THE_EVIDENCE:
            continue
        before = lead if block.kind in ("bullet", "table") else ""
        for sentence, claim in zip(block.sentences, state_claims(block), strict=True):
            if sentence.citations:
                cited[claim] = _remove_markup(claim if before == claim else f"{before} {claim}")
            elif _LABEL.fullmatch(sentence.text):
                before = f"{before} {sentence.text}"
    return cited


def _find_lead(block: Block, lead: str) -> str:
    """Return what the rows or items of a block are read with: the head row, or a lead-in.

    lead: that of the block before it.
    """
    text = " ".join(sentence.text for sentence in block.sentences)
    if block.kind == "table":
        return lead or text
    if block.kind == "bullet":
        return lead
    return text if block.kind == "paragraph" and text.endswith((":", "：")) else ""


def _add_ratings(section: str, block: Block, ratings: Mapping[str, SentenceRelevance]) -> Block:
    if block.kind == "heading" or section == ABOUT_THE_EVIDENCE:
        return block
    sentences: list[Sentence] = []
    for sentence, claim in zip(block.sentences, state_claims(block), strict=True):
        rating = ratings.get(claim, "") if sentence.citations else ""
        sentences.append(replace(sentence, relevance=rating))
    return replace(block, sentences=tuple(sentences))


def _measure_by_meaning(
    questions: Sequence[str], texts: Sequence[str], deps: Deps
) -> dict[str, float]:
    """Return the nearness of each text; nothing if the model cannot compare this question."""
    if not texts or not deps.run.chooses_by_meaning:
        return {}
    asked: Json = {
        "asked": "relevance of sentences",
        "questions": list(questions),
        "texts": sha256("\n".join(texts).encode("utf-8", "surrogatepass")).hexdigest(),
        "model": deps.run.passage_model,
        "version": VERSION,
    }

    def look() -> list[float]:
        embedder = deps.embedder
        if embedder is None or not sentence_meaning.compares(embedder, questions[0]):
            return []
        return sentence_meaning.measure_nearness(embedder, questions, texts)

    return dict(zip(texts, deps.http.record_fact(asked, look), strict=False))


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


#: The ways in which a sentence on the subject does not answer: it tells the effect for the cause,
#: only repeats the question, lacks the duration, amount, date or effect asked for, says only that
#: there is something, sends its reader to a list, or tells of another side.
_MISSES: tuple[Callable[[str, str], bool], ...] = (
    goes_wrong_way,
    restates_question,
    lambda question, text: not fills_question(question, text),
    tells_nothing,
    lambda _, text: offers_texts(text),
    _tells_other_side,
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


def _remove_markup(text: str) -> str:
    return " ".join(_MARKUP.sub(" ", text).split())
