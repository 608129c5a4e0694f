"""Choose the words of a question that a search result's credibility is scored against.

In a question of forty words no snippet repeats the share that even a public authority needs. A run
therefore scores a longer question by its two rarest key words that at least one result holds;
greetings, politeness and the words of asking are no key words. What was chosen is stored with each
score (`ScoreParts.matched` and `missing`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from research_core.journal.rule_versions import RULE_VERSIONS, runs_under
from research_core.text.similarity import parse_question, word_root
from research_core.text.words import content_words, tokenize

#: A question of at most so many key words is passed as it is; of a longer one, so many words are.
MAX_KEY_WORDS, RAREST_WORDS = 6, 2
#: The version of the rules of scoring from which words are chosen; older sessions score all.
SCORING_VERSION = 2


def choose_scored_words(
    question: str, snippets: Sequence[str], rules: Mapping[str, int | str] = RULE_VERSIONS
) -> tuple[str, ...]:
    """Return the stems of a long question's rarest key words that a snippet holds.

    rules: the versions that the session began under. Empty for a question that is scored as it is:
    a short one, one of an older session, or one of whose words none is there.
    """
    if not runs_under(rules, "scoring", SCORING_VERSION):
        return ()
    weights = parse_question(question).words
    if len(weights) <= MAX_KEY_WORDS:
        return ()
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


def _map_roots(snippet: str) -> dict[str, str]:
    """Return a word of the snippet, as the score reads it, for each stem."""
    forms: dict[str, str] = {}
    for word in sorted(content_words(snippet)):
        for token in tokenize(word):
            forms.setdefault(word_root(token), word)
    return forms
