"""Measure how near sentences are to a question in meaning, by an embedding model.

A sentence is embedded with the title and the heading that it stands under, since alone it often
does not name its subject. The model knows English only: `compares` tells which questions it is
asked about.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from research_core.text.embeddings import COSINE_DIGITS
from research_core.text.embeddings.exact import cosines
from research_core.text.languages import guess_language
from research_core.text.sentences import find_sentences
from research_core.text.similarity import content_tokens, is_question, rarity
from research_core.text.words import truncate

if TYPE_CHECKING:
    from research_core.text.embeddings import Embedder

#: A sentence that asks stands for a longer question if it has so many words that name something.
MIN_ASKING_WORDS = 2
#: Characters of a title and of a heading that are embedded with a sentence, and of the sentence: a
#: longer one is mostly a list run together, whose first items say what it is about.
MAX_TITLE_LENGTH, MAX_HEADING_LENGTH, MAX_SENTENCE_LENGTH = 60, 60, 240


def compares(embedder: Embedder, question: str) -> bool:
    """Return True if the model can be used and the question is in a language it knows."""
    return not embedder.why and knows_language(question)


def knows_language(question: str) -> bool:
    """Return True if the question is in English, or too short to tell.

    A word of another language may be a word of English too ("car").
    """
    from research_core.text.question_parts import is_english

    return guess_language(question) in ("en", "") or is_english(question)


def list_asking_sentences(question: str) -> list[str]:
    """Return the sentences of a question that ask and say what about; else the whole question.

    What a long question tells beside them would draw the comparison away from what it asks. One
    that does not name the question's rarest word is preceded by it.
    """
    texts = [question[start:end] for start, end in find_sentences(question)]
    asking = [
        text
        for text in texts
        if is_question(text) and len(set(content_tokens(text))) >= MIN_ASKING_WORDS
    ]
    if len(asking) == len(texts) or not asking:
        return [question]
    topic = max(content_tokens(question), key=rarity)
    return [text if topic in content_tokens(text) else f"{topic}: {text}" for text in asking]


def add_context(
    title: str, heading: str, sentence: str, *, limit: int = MAX_SENTENCE_LENGTH
) -> str:
    """Return the text to embed: title, heading (left out if the title holds it) and sentence.

    limit: characters of the sentence.
    """
    shown = "" if heading.casefold() in title.casefold() else heading
    plain = truncate(" ".join(sentence.split()), limit)
    parts = (truncate(title, MAX_TITLE_LENGTH), truncate(shown, MAX_HEADING_LENGTH), plain)
    return ". ".join(part for part in parts if part)


def measure_nearness(
    embedder: Embedder, questions: Sequence[str], texts: Sequence[str]
) -> list[float]:
    """Return for each text the highest cosine with one of the questions, -1 to 1, rounded.

    Raises SettingsError if the model cannot be used.
    """
    if not texts:
        return []
    near = cosines(embedder.embed(texts), embedder.embed(questions)).max(axis=1)
    return [round(float(cosine), COSINE_DIGITS) for cosine in near]
