"""Choose the words of a question that a search result's credibility is scored against.

No snippet repeats enough words of a question of forty, so that even a public authority would be
blocked. A run therefore scores a longer question by its two rarest key words that at least one
result holds, those of its topic before those of what it asks. Greetings, politeness and the words
of asking are no key words. Of several questions in one text, each has its own two, and a result is
scored by the pair that it holds most of: a page on one of them need not name the others.

A short question is scored without its words that only ask ("would", "how badly", "wie stark", "à
quel point"), which count neither for nor against a result; if all are key words, as it is. If a
third of its words only ask ("how do i stop using X"), words that no result holds are left out for a
result that has half of the others, by rarity. What was chosen is stored with each score
(`ScoreParts.matched` and `missing`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from research_core.journal.rule_versions import RULE_VERSIONS, runs_under
from research_core.text.question import (
    find_degree_words,
    find_measure_words,
    find_question_words,
)
from research_core.text.question_parts import spell_text, split_questions
from research_core.text.question_spelling import is_one_slip_away, is_spelled_like
from research_core.text.question_subject import COURTESY_WORDS
from research_core.text.sentences import find_sentences
from research_core.text.similarity import (
    FILLER_WORDS,
    HEAVIEST,
    LIGHTEST,
    Question,
    content_tokens,
    is_known_word,
    parse_question,
    rarity,
    word_root,
)
from research_core.text.words import content_words, tokenize

#: A question of at most MAX_KEY_WORDS key words is scored by all of them; of a longer one, only the
#: RAREST_WORDS rarest count. Older rules counted MAX_WORDS words, those that only ask among them.
MAX_KEY_WORDS, MAX_WORDS, RAREST_WORDS = 6, 8, 2
#: A name that a snippet may hold in its plain form ("Fabry's", "Fabry disease").
_POSSESSIVE = re.compile(
    r"(?!(?:what|who|where|how|it|that|there|he|she|let|when|why)\b)\b\w{3,}['’]s\b", re.IGNORECASE
)
#: The version of the rules of scoring from which words are chosen; older sessions score all.
SCORING_VERSION = 2
#: The version from which key words of a short English question that mostly asks are chosen too.
SHORT_VERSION = 4
#: The version from which each question of a text has key words of its own, and a short one is
#: scored without the words that only ask.
BY_QUESTION_VERSION = 7
#: For that: the share of its words that must only ask, the number of key words it needs, and the
#: share of these, by rarity, that a snippet must hold.
MIN_ASKING_SHARE, MIN_SHORT_KEY_WORDS, MIN_HELD_SHARE = 1 / 3, 2, 0.5
#: A word of the subject of a letter in another language weighs so much more than one of a question.
SUBJECT_BONUS = 1.0
#: The letters of an unknown word that is taken for a slip of spelling of a snippet's word.
MIN_SLIP_LETTERS = 5
#: The letters of each of two words that others write as one: "chicken pox", "chickenpox".
MIN_JOINED_LETTERS = 3


def choose_scored_words(
    question: str, snippets: Sequence[str], rules: Mapping[str, int | str] = RULE_VERSIONS
) -> tuple[tuple[str, ...], ...]:
    """Return the key words of each question of a text that a snippet holds, in lower case.

    The rarest of a long question, all of a short one. Empty for a text that is scored as it is: one
    of an older session, a short one that has only key words or none, and a long one without any in
    the snippets. A question with a name in the possessive is not short, as snippets have the plain
    form. rules: the versions that the session began under.
    """
    if not runs_under(rules, "scoring", SCORING_VERSION):
        return ()
    if _is_short(question, rules):
        short = _list_short_key_words(question, snippets, rules)
        return (short,) if short else ()
    parsed = parse_question(question)
    by_part = _weigh_topic_words(question)
    if not runs_under(rules, "scoring", BY_QUESTION_VERSION):
        by_part = [_join_weights(by_part or [_weigh_all_words(parsed)])]
    elif parsed.language:
        by_part = _weigh_foreign_words(question, parsed.language)
    else:
        by_part = [*(by_part or [_weigh_all_words(parsed)]), *_weigh_subjects(question)]
    present: dict[str, str] = {}
    for snippet in snippets:
        present = _map_forms(question, snippet, parsed.language, rules) | present
    tokens = tokenize(question)
    if not parsed.language or not runs_under(rules, "scoring", BY_QUESTION_VERSION):
        tokens = [*tokens, *tokenize(spell_text(question))]
    written = {word_root(token, parsed.language): token for token in tokens}
    if not parsed.language:
        written |= _mend_slips(written, present)
    courtesy = {word_root(word, parsed.language) for word in COURTESY_WORDS}
    chosen: dict[tuple[str, ...], None] = {}
    for weights in by_part:
        held: dict[str, None] = {}
        for root in sorted(weights.keys() - courtesy, key=lambda root: (-weights[root], root)):
            word = written.get(root)
            if word and word_root(word, parsed.language) in present:
                held.setdefault(word)
        if held:
            chosen.setdefault(tuple(held)[:RAREST_WORDS])
    return tuple(chosen)


def _mend_slips(written: Mapping[str, str], present: Mapping[str, str]) -> dict[str, str]:
    """Return what unknown words, which no snippet holds, are taken for: a similar word of one.

    written: the words of the question by their roots; present: those of the snippets.
    """
    mended: dict[str, str] = {}
    for root, word in written.items():
        if root in present or len(word) < MIN_SLIP_LETTERS or is_known_word(word, exactly=True):
            continue
        near = [other for other in present.values() if is_spelled_like(word, other)]
        if near:
            mended[root] = max(
                near, key=lambda other: (is_one_slip_away(word, other), rarity(other), other)
            )
    return mended


def _list_short_key_words(
    question: str, snippets: Sequence[str], rules: Mapping[str, int | str]
) -> tuple[str, ...]:
    """Return the key words of a short question that has other words too, as it writes them.

    Words that no snippet holds are left out of a question that mostly asks, if enough others
    remain.
    """
    if not runs_under(rules, "scoring", BY_QUESTION_VERSION):
        return _list_short_tokens(question, snippets, rules)
    language = _find_language(question)
    keys = _list_key_words(question, language)
    if len(keys) == len(content_words(question)):
        return ()
    if not _mostly_asks(question):
        return keys
    present: dict[str, str] = {}
    for snippet in snippets:
        present |= _map_forms(question, snippet, language, rules)
    held = tuple(word for word in keys if _find_forms(word, present, language))
    return held if len(held) >= MIN_SHORT_KEY_WORDS else keys


def _list_key_words(question: str, language: str) -> tuple[str, ...]:
    """Return the words of a question that the score reads and that do not only ask, in order."""
    asking = find_degree_words(question, language)
    if language:
        asking |= find_question_words(language)
    else:
        asking |= FILLER_WORDS | find_measure_words(question)
    scored = content_words(question)
    keys: dict[str, None] = {}
    for written in question.lower().split():
        for word in content_words(written) & scored:
            tokens = [token for token in tokenize(word) if len(token) > 1 or not token.isalpha()]
            if word not in asking and not asking.issuperset(tokens):
                keys.setdefault(word)
    return tuple(keys)


def _list_short_tokens(
    question: str, snippets: Sequence[str], rules: Mapping[str, int | str]
) -> tuple[str, ...]:
    """Return the key words by the rules of before: of an English question that mostly asks.

    Words that no snippet holds are left out if enough others remain.
    """
    if not runs_under(rules, "scoring", SHORT_VERSION) or not _mostly_asks(question):
        return ()
    words = dict.fromkeys(content_tokens(question))
    present: set[str] = set()
    for snippet in snippets:
        present.update(_map_roots(snippet, ""))
    held = tuple(word for word in words if word_root(word) in present)
    if len(held) >= MIN_SHORT_KEY_WORDS:
        return held
    return tuple(words) if len(words) >= MIN_SHORT_KEY_WORDS else ()


def _weigh(word: str) -> float:
    return rarity(word) - LIGHTEST


def _is_short(question: str, rules: Mapping[str, int | str]) -> bool:
    """Return whether a text is one question with few key words, without a possessive.

    By the rules of before, one sentence of few words.
    """
    if len(find_sentences(question)) > 1 or _POSSESSIVE.search(question):
        return False
    if not runs_under(rules, "scoring", BY_QUESTION_VERSION):
        return len(content_words(question)) <= MAX_WORDS
    if len(split_questions(question)) > 1:
        return False
    return len(_list_key_words(question, _find_language(question))) <= MAX_KEY_WORDS


def _mostly_asks(question: str) -> bool:
    """Return whether many of the words to be scored only ask: "do", "i", "can"."""
    if parse_question(question).language:
        return False
    words = content_words(question)
    asking = [word for word in words if FILLER_WORDS.issuperset(tokenize(word))]
    return len(asking) >= MIN_ASKING_SHARE * len(words)


def word_for_snippet(
    question: str,
    choices: Sequence[Sequence[str]],
    snippet: str,
    rules: Mapping[str, int | str] = RULE_VERSIONS,
) -> str:
    """Return what this snippet is scored against: the question, or the chosen words it fits best.

    choices: what `choose_scored_words` returns under the same rules. A word that the snippet holds
    in another form ("allergies" for "allergy") is in that form. A snippet that holds less than half
    of the words of a short question, by rarity, is scored against all its key words; by the rules
    of before, against the whole question.
    """
    if not choices:
        return question
    language = _find_language(question)
    forms = _map_forms(question, snippet, language, rules)

    def list_held(words: Sequence[str]) -> list[str]:
        return [word for word in words if _find_forms(word, forms, language)]

    words = max(choices, key=lambda words: len(list_held(words)) / len(words))
    held = list_held(words)
    if _is_short(question, rules) and sum(map(_weigh, held)) < MIN_HELD_SHARE * sum(
        map(_weigh, words)
    ):
        if not runs_under(rules, "scoring", BY_QUESTION_VERSION):
            return question
        words = _list_key_words(question, language)
    return " ".join(_find_forms(word, forms, language) or word for word in words)


def _find_forms(word: str, forms: Mapping[str, str], language: str) -> str:
    """Return a word as a snippet has it ("long haired" for "long-haired"), or "".

    forms: the words of the snippet by their roots.
    """
    roots = [word_root(token, language) for token in tokenize(word)]
    if not roots or any(root not in forms for root in roots):
        return ""
    return " ".join(dict.fromkeys(forms[root] for root in roots))


def _weigh_topic_words(question: str) -> list[dict[str, float]]:
    """Return the weights of the stems that name what is asked, for each question of a text.

    Empty for another language, and for a question whose topic stands in what it tells beside.
    """
    by_part: list[dict[str, float]] = []
    for part in split_questions(question):
        if not part.english or (part.points_back and not part.context):
            return []
        facets = {
            word_root(token): rarity(token) - HEAVIEST  # after every word of the topic
            for token in content_tokens(" ".join(part.facets))
        }
        topic = content_tokens(" ".join(part.topic))
        by_part.append(facets | {word_root(token): rarity(token) for token in topic})
    return by_part


def _weigh_foreign_words(question: str, language: str) -> list[dict[str, float]]:
    """Return the weights of the stems of each question in another language, with its subject."""
    # A start does not wait for what only long questions in other languages need.
    from research_core.text.foreign_letters import weigh_word

    by_part: list[dict[str, float]] = []
    for part in split_questions(question):
        weights: dict[str, float] = {}
        for word in part.words:
            weight = weigh_word(word, language) + SUBJECT_BONUS * (word in part.context)
            for token in tokenize(word):
                root = word_root(token, language)
                weights[root] = max(weight, weights.get(root, 0.0))
        by_part.append(weights)
    return by_part


def _weigh_subjects(question: str) -> list[dict[str, float]]:
    """Return the weights of the stems that name the subject of each question of a letter.

    What a letter tells beside its subject is often rarer, and a page on the subject lacks it.
    """
    told = [part for part in split_questions(question) if part.is_told]
    return [
        {word_root(token): rarity(token) for token in content_tokens(" ".join(part.subject))}
        for part in told
    ]


def _join_weights(by_part: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the weights of all questions of a text; a word of any topic counts as such."""
    joined: dict[str, float] = {}
    for weights in by_part:
        joined |= {root: max(weight, joined.get(root, weight)) for root, weight in weights.items()}
    return joined


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


def _map_forms(
    question: str, snippet: str, language: str, rules: Mapping[str, int | str]
) -> dict[str, str]:
    """Return the words of a snippet for stems, also where only one of both joins two words.

    A snippet with "chickenpox" has "chicken" and "pox", and the reverse; by the rules of before it
    has not.
    """
    forms = _map_roots(snippet, language)
    if not runs_under(rules, "scoring", BY_QUESTION_VERSION):
        return forms
    written, asked = tokenize(snippet), tokenize(question)
    for one, other in pairwise(asked):
        if min(len(one), len(other)) >= MIN_JOINED_LETTERS and f"{one}{other}" in written:
            for word in (one, other):
                forms.setdefault(word_root(word, language), f"{one}{other}")
    for one, other in pairwise(written):
        joined = f"{one}{other}"
        if min(len(one), len(other)) >= MIN_JOINED_LETTERS and joined in asked:
            forms.setdefault(word_root(joined, language), f"{one} {other}")
    return forms
