"""Choose the words of a question that a search result's credibility is scored against.

In a question of forty words no snippet repeats the share that even a public authority needs. A run
therefore scores a longer question by its two rarest key words that at least one result holds;
greetings, politeness and the words of asking are no key words. What was chosen is stored with each
score (`ScoreParts.matched` and `missing`).
"""

from __future__ import annotations

from collections.abc import Sequence

from research_core.models import ScoreParts
from research_core.text.question_parts import COURTESY_WORDS, split_questions
from research_core.text.similarity import content_tokens, parse_question, rarity, word_root
from research_core.text.words import content_words, tokenize

#: A question of at most so many key words is passed as it is; of a longer one, so many words are.
MAX_KEY_WORDS, RAREST_WORDS = 6, 2


def choose_scored_words(question: str, snippets: Sequence[str]) -> tuple[str, ...]:
    """Return the stems of a long question's rarest key words that a snippet holds.

    Empty for a question that is scored as it is: a short one, or one of whose words none is there.
    """
    weights = dict(parse_question(question).words)
    if len(weights) <= MAX_KEY_WORDS:
        return ()
    weights = _weigh_topic_words(question) or weights
    for word in COURTESY_WORDS:
        weights.pop(word_root(word), None)
    present: set[str] = set()
    for snippet in snippets:
        present.update(_map_roots(snippet))
    rarest = sorted(weights, key=lambda root: -weights[root])
    return tuple(root for root in rarest if root in present)[:RAREST_WORDS]


def word_for_snippet(question: str, stems: Sequence[str], snippet: str) -> str:
    """Return what this snippet is scored against: the question, or its chosen words.

    A word that the snippet holds in another form ("allergies" for "allergy") is in that form.
    """
    if not stems:
        return question
    forms = _map_roots(snippet)
    return " ".join(forms.get(root, root) for root in stems)


def get_scored_words(parts: ScoreParts) -> str:
    """Return the words that a stored score was reckoned against."""
    return " ".join((*parts.matched, *parts.missing))


def _weigh_topic_words(question: str) -> dict[str, float]:
    """Return the weights of the stems that name what is asked.

    Empty for another language, and for a question whose topic stands in what it tells beside.
    """
    weights: dict[str, float] = {}
    for part in split_questions(question):
        if not part.english or part.points_back:
            return {}
        for token in content_tokens(" ".join(part.words)):
            weights[word_root(token)] = rarity(token)
    return weights


def _map_roots(snippet: str) -> dict[str, str]:
    """Return a word of the snippet, as the score reads it, for each stem."""
    forms: dict[str, str] = {}
    for word in sorted(content_words(snippet)):
        for token in tokenize(word):
            forms.setdefault(word_root(token), word)
    return forms
