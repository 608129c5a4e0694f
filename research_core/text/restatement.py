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
from research_core.text.support import dates, figures, says_the_same
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

    `words` maps roots to weights; `must` holds the required roots; `names` the roots of names in
    order; `degree` its words of degree.
    """

    text: str
    words: dict[str, float]
    must: frozenset[str]
    names: tuple[str, ...]
    degree: frozenset[str]
    roots: frozenset[str]


def restates(sentence: str, texts: Sequence[str]) -> bool:
    """Return whether one sentence of these texts, all of one source, restates the sentence."""
    said = _read_statement(sentence)
    if not said.must:
        return False
    for text in texts:
        for place in _read_sentences(text):
            if _holds_words(said, place) and _has_same_facts(said, place.text):
                return says_the_same(sentence, texts)
    return False


@lru_cache(maxsize=512)
def _read_statement(sentence: str) -> _Statement:
    """Return what a text must hold to restate the sentence."""
    words = {
        word_root(word): rarity(word) for word in content_tokens(sentence) if word not in _UNITS
    }
    names: list[str] = []
    for groups in _NAME.findall(dates.remove_dates(sentence)):
        name = "".join(groups)  # one of the groups matched
        names += map(word_root, tokenize(name))
    required = set(names)
    for word, weight in words.items():
        if weight >= MIN_RARITY and not word[0].isdigit():
            required.add(word)
    said = tokenize(sentence)
    return _Statement(
        text=sentence,
        words=words,
        must=frozenset(required),
        names=tuple(names),
        degree=_DEGREE_WORDS & set(said),
        roots=frozenset(map(word_root, said)),
    )


@dataclass(frozen=True)
class _TextSentence:
    """A sentence of a text.

    `said` holds its roots in order, `roots` the same as a set, `words` its tokens.
    """

    text: str
    said: tuple[str, ...]
    roots: frozenset[str]
    words: frozenset[str]


@lru_cache(maxsize=1024)
def _read_sentences(text: str) -> tuple[_TextSentence, ...]:
    """Return the sentences of a text."""
    found = []
    for start, end in find_sentences(text):
        words = tokenize(text[start:end])
        said = tuple(map(word_root, words))
        found.append(_TextSentence(text[start:end], said, frozenset(said), frozenset(words)))
    return tuple(found)


def _holds_words(said: _Statement, place: _TextSentence) -> bool:
    """Return whether a sentence has the required words and nothing that changes the statement."""
    if not said.must <= place.roots or not said.degree <= place.words:
        return False
    if (place.roots - said.roots) & _HEDGES:
        return False
    whole = sum(said.words.values())
    held = sum(weight for word, weight in said.words.items() if word in place.roots)
    return held >= MIN_HELD * whole and _are_in_order(said.names, place.said)


def _are_in_order(names: Sequence[str], said: Sequence[str]) -> bool:
    """Return whether the names stand in the text in the order of the sentence."""
    at = 0
    for name in names:
        try:
            at = said.index(name, at) + 1
        except ValueError:
            return False
    return True


def _has_same_facts(said: _Statement, place: str) -> bool:
    """Return whether figures, dates, time and kind match and nothing contradicts."""
    if dates.find_missing_dates(said.text, place):
        return False
    if figures.find_missing_figures(dates.remove_dates(said.text), place):
        return False
    if assess_stance(said.text, place).because:
        return False
    stems = frozenset(map(word_root, tokenize(place)))
    if (stems ^ said.roots) & FORECAST_STEMS:
        return False
    return not have_rival_words(said.text, place)
