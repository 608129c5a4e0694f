"""Check whether a text clearly restates a sentence.

The bar is far higher than for a passage that a sentence cites, because nobody claimed that the text
says the same. Every rare word, name, figure and date must stand in one sentence of the text, the
names in their order, with nothing that contradicts, hedges or compares differently. Paraphrases are
missed: in doubt the answer is no.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from research_core.text.disagreements import FORECAST_STEMS, have_rival_words
from research_core.text.sentences import find_sentences
from research_core.text.similarity import content_tokens, rarity, word_root
from research_core.text.stance import assess_stance
from research_core.text.support import says_the_same
from research_core.text.support.dates import find_missing_dates, remove_dates
from research_core.text.support.figures import find_missing_figures
from research_core.text.words import tokenize

#: The rarity from which a word is required, and the weighted share required of all words.
MIN_RARITY, MIN_HELD = 3.0, 0.85
#: Quoted names, and names that begin with a capital but not a sentence.
_NAME = re.compile(r"[\"“«]([^\"”»]{2,80})[\"”»]|(?<=[\w,;:)] )([A-Z][\w'’-]+)|\b([A-Z]{2,})\b")
#: Words without which a statement is another one; and roots that make it another one.
_DEGREE_WORDS = frozenset(
    "most least more less fewer only than half twice double nearly almost all none never always"
    " every".split()
)
_HEDGES = frozenset(
    map(
        word_root,
        "nearly almost half none never may might could possibly perhaps likely allegedly supposedly"
        " claimed rumour deny".split(),
    )
)
#: Spellings of "%", which is compared with its figure.
_UNITS = frozenset("percent per cent pct".split())


@dataclass(frozen=True)
class _Statement:
    """What a text must hold to restate a sentence.

    `roots` are all its roots, `required` those that a text must hold, `names` those of names in
    order; `weights` maps the roots of content words to weights; `degree` holds its words of degree.
    """

    text: str
    roots: frozenset[str]
    required: frozenset[str]
    names: tuple[str, ...]
    weights: dict[str, float]
    degree: frozenset[str]


def restates(sentence: str, texts: Sequence[str]) -> bool:
    """Return whether one sentence of these texts, all of one source, restates the sentence."""
    statement = _read_statement(sentence)
    if not statement.required:
        return False
    for text in texts:
        for place in _read_sentences(text):
            if _holds_words(statement, place) and _has_same_facts(statement, place.text):
                return says_the_same(sentence, texts)
    return False


@lru_cache(maxsize=512)
def _read_statement(sentence: str) -> _Statement:
    """Return what a text must hold to restate the sentence."""
    weights: dict[str, float] = {}
    for word in content_tokens(sentence):
        if word not in _UNITS:
            weights[word_root(word)] = rarity(word)
    names: list[str] = []
    for groups in _NAME.findall(remove_dates(sentence)):
        name = "".join(groups)  # one of the groups matched
        names += map(word_root, tokenize(name))
    required = set(names)
    for root, weight in weights.items():
        if weight >= MIN_RARITY and not root[0].isdigit():
            required.add(root)
    tokens = tokenize(sentence)
    return _Statement(
        text=sentence,
        roots=frozenset(map(word_root, tokens)),
        required=frozenset(required),
        names=tuple(names),
        weights=weights,
        degree=_DEGREE_WORDS & set(tokens),
    )


@dataclass(frozen=True)
class _TextSentence:
    """A sentence of a text.

    `order` holds its roots in order, `roots` the same as a set, `tokens` its words.
    """

    text: str
    order: tuple[str, ...]
    roots: frozenset[str]
    tokens: frozenset[str]


@lru_cache(maxsize=1024)
def _read_sentences(text: str) -> tuple[_TextSentence, ...]:
    """Return the sentences of a text."""
    found: list[_TextSentence] = []
    for start, end in find_sentences(text):
        tokens = tokenize(text[start:end])
        order = tuple(map(word_root, tokens))
        found.append(_TextSentence(text[start:end], order, frozenset(order), frozenset(tokens)))
    return tuple(found)


def _holds_words(statement: _Statement, place: _TextSentence) -> bool:
    """Return whether a sentence has the required words and nothing that changes the statement."""
    if not statement.required <= place.roots or not statement.degree <= place.tokens:
        return False
    if (place.roots - statement.roots) & _HEDGES:
        return False
    whole = sum(statement.weights.values())
    held = sum(weight for root, weight in statement.weights.items() if root in place.roots)
    return held >= MIN_HELD * whole and _are_in_order(statement.names, place.order)


def _are_in_order(names: Sequence[str], order: Sequence[str]) -> bool:
    """Return whether the names stand in the text in the order of the sentence."""
    roots = iter(order)
    return all(name in roots for name in names)  # each search goes on behind the last name


def _has_same_facts(statement: _Statement, place: str) -> bool:
    """Return whether figures, dates, time and kind match and nothing contradicts."""
    if find_missing_dates(statement.text, place):
        return False
    if find_missing_figures(remove_dates(statement.text), place):
        return False
    if assess_stance(statement.text, place).because:
        return False
    roots = frozenset(map(word_root, tokenize(place)))
    if (roots ^ statement.roots) & FORECAST_STEMS:
        return False
    return not have_rival_words(statement.text, place)
