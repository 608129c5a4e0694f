"""Choose the words of a question that a search result's credibility is scored against.

No snippet repeats enough words of a question of forty, so that even a public authority would be
blocked. A run therefore scores a longer question by its two rarest key words that at least one
result holds, those of its topic before those of what it asks. Greetings, politeness and the words
of asking are no key words. What was chosen is stored with each score (`ScoreParts.matched` and
`missing`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from research_core.journal.rule_versions import RULE_VERSIONS, runs_under
from research_core.text.question_parts import split_questions
from research_core.text.question_subject import COURTESY_WORDS
from research_core.text.sentences import find_sentences
from research_core.text.similarity import (
    HEAVIEST,
    Question,
    content_tokens,
    parse_question,
    rarity,
    word_root,
)
from research_core.text.words import content_words, tokenize

#: A question in one sentence of at most MAX_WORDS content words is scored as it is; of a longer
#: one, only its RAREST_WORDS rarest key words count.
MAX_WORDS, RAREST_WORDS = 8, 2
#: A name that a snippet may hold in its plain form ("Fabry's", "Fabry disease").
_POSSESSIVE = re.compile(
    r"(?!(?:what|who|where|how|it|that|there|he|she|let|when|why)\b)\b\w{3,}['’]s\b", re.IGNORECASE
)
#: The version of the rules of scoring from which words are chosen; older sessions score all.
SCORING_VERSION = 2


def choose_scored_words(
    question: str, snippets: Sequence[str], rules: Mapping[str, int | str] = RULE_VERSIONS
) -> tuple[str, ...]:
    """Return a long question's rarest key words that a snippet holds, in lower case.

    rules: the versions that the session began under. Empty for a question that is scored as it is:
    a short one, one of an older session, or one of whose words none is there. A name in the
    possessive makes a question no short one, as snippets hold the plain form.
    """
    if not runs_under(rules, "scoring", SCORING_VERSION):
        return ()
    is_single = len(find_sentences(question)) < 2 and not _POSSESSIVE.search(question)
    if is_single and len(content_words(question)) <= MAX_WORDS:
        return ()
    parsed = parse_question(question)
    weights = _weigh_topic_words(question) or _weigh_all_words(parsed)
    for word in COURTESY_WORDS:
        weights.pop(word_root(word, parsed.language), None)
    present: set[str] = set()
    for snippet in snippets:
        present.update(_map_roots(snippet, parsed.language))
    written = {word_root(token, parsed.language): token for token in tokenize(question)}
    rarest = sorted(weights, key=lambda root: -weights[root])
    held = [written[root] for root in rarest if root in present and root in written]
    return tuple(held[:RAREST_WORDS])


def word_for_snippet(question: str, words: Sequence[str], snippet: str) -> str:
    """Return what this snippet is scored against: the question, or its chosen words.

    A word that the snippet holds in another form ("allergies" for "allergy") is in that form.
    """
    if not words:
        return question
    language = _find_language(question)
    forms = _map_roots(snippet, language)
    return " ".join(forms.get(word_root(word, language), word) for word in words)


def _weigh_topic_words(question: str) -> dict[str, float]:
    """Return the weights of the stems that name what is asked.

    Empty for another language, and for a question whose topic stands in what it tells beside.
    """
    weights: dict[str, float] = {}
    facets: dict[str, float] = {}
    for part in split_questions(question):
        if not part.english or (part.points_back and not part.context):
            return {}
        for token in content_tokens(" ".join(part.topic)):
            weights[word_root(token)] = rarity(token)
        for token in content_tokens(" ".join(part.facets)):
            facets[word_root(token)] = rarity(token) - HEAVIEST  # after every word of the topic
    return facets | weights


def _weigh_all_words(question: Question) -> dict[str, float]:
    """Return the weights of the stems of all its sentences, those that only tell something too."""
    weights: dict[str, float] = {}
    for part in question.parts:
        weights |= part.words
    return weights


@lru_cache(maxsize=64)
def _find_language(question: str) -> str:
    """Return the language by which the words of a question are stemmed."""
    return parse_question(question).language


def _map_roots(snippet: str, language: str) -> dict[str, str]:
    """Return a word of the snippet, as the score reads it, for each stem in this language."""
    forms: dict[str, str] = {}
    for word in sorted(content_words(snippet)):
        for token in tokenize(word):
            forms.setdefault(word_root(token, language), word)
    return forms
