"""Tell of each cited sentence of a report whether it is about the question and answers it.

Meaning is compared by the embedding model where the run may use it and the question is in English;
otherwise words are. What the model measured is recorded, so that a replay needs no model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from research_core.decisions.view import RunView
from research_core.journal.deps import Deps
from research_core.journal.rule_versions import runs_under
from research_core.model_messages import Json
from research_core.models import Block, Sentence, SentenceRelevance
from research_core.pipeline.draft import state_claims
from research_core.pipeline.verify import ABOUT_THE_EVIDENCE, iterate_sections
from research_core.policy import OFFLINE_MODEL
from research_core.text import sentence_meaning
from research_core.text.languages import are_alike, guess_language
from research_core.text.sentence_relevance import rate_by_meaning, rate_by_words

#: Raise it when texts are compared in another way; part of the key of the recorded values.
VERSION = 1
#: The version of the rules of scoring from which sentences are not compared with a question in
#: another language.
LANGUAGES_VERSION = 7
#: What says before a sentence what it is about.
_LABEL = re.compile(r"\*[^*]+:\*")
_MARKUP = re.compile(r"[*_`\\|]+")


def rate_sentences(run: RunView, blocks: Sequence[Block], deps: Deps) -> tuple[Block, ...]:
    """Return the blocks with a relevance on each cited sentence outside Confidence Assessment."""
    if _differs_in_language(run, blocks):
        return tuple(blocks)
    questions = [*sentence_meaning.list_asking_sentences(run.asked_as_spelled), *run.instructions]
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


def _differs_in_language(run: RunView, blocks: Sequence[Block]) -> bool:
    """Return True if a model wrote in another language than the question's: nothing compares them.

    False for older sessions, and where a language is unclear.
    """
    if not runs_under(run.rules, "scoring", LANGUAGES_VERSION):
        return False
    writer = (run.written or {}).get("writer", {}).get("model", OFFLINE_MODEL)
    return writer != OFFLINE_MODEL and is_in_other_language(run.question, blocks)


def is_in_other_language(question: str, blocks: Sequence[Block]) -> bool:
    """Return True if the cited sentences are clearly in another language than the question."""
    cited = []
    for block in blocks:
        cited += [sentence.text for sentence in block.sentences if sentence.citations]
    asked, written = guess_language(question), guess_language(" ".join(cited))
    return bool(asked and written) and not are_alike(asked, written)


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


def _remove_markup(text: str) -> str:
    return " ".join(_MARKUP.sub(" ", text).split())
