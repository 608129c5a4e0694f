"""Tell whether texts name the thing a question is about, or only hold its words apart.

"Open-water swimming" is named by "swimming in open water", and not by a page on another kind of
swimming that speaks of water elsewhere. Goes by the forms of English questions; a
phrase is only taken where the form shows that its words belong together.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from research_core.text.answer_forms import FIGURE
from research_core.text.question_topic import (
    FACET_WORDS,
    Topic,
    adds_name,
    are_spellings_of_one,
    find_numbered_names,
    find_topic,
    names_topic,
)
from research_core.text.quote_labels import clean_title
from research_core.text.sentences import find_sentences
from research_core.text.similarity import content_tokens, is_known_word, is_question, word_root
from research_core.text.words import tokenize

#: Words after which a question names its thing: "the price of lamp oil".
_BEFORE_THING = frozenset("about against at between by concerning for from in of on with".split())
#: Parts of a compound that counts something, which texts word in many ways.
_NUMBER_WORDS = frozenset(
    map(
        word_root,
        "one two three four five six seven eight nine ten half double single multi".split(),
    )
)
_ARTICLES = frozenset("a an the its their his her my our your this that these those".split())
_IS = frozenset("is are was were".split())
_ASKING = frozenset("what who which".split())
#: The most words of a phrase that can be bound.
MAX_WHOLE_PHRASE = 3
#: Other words that may stand in a phrase, and between a head and what follows it ("mining of the").
MAX_OTHER_WORDS, MAX_HEAD_GAP = 1, 3
#: The letters of both parts of a compound ("seabed"); those of a root whose forms may have a longer
#: one, and how much longer ("mine", "miner").
MIN_COMPOUND_PART, MIN_FORM_ROOT, MAX_FORM_ENDING = 3, 4, 2
_WORD = re.compile(r"[\w'’]+(?:[-‐‑][\w'’]+)*")
_COUNTED = re.compile(
    r"\bhow many ((?:[\w'-]+ ){1,3}?)(?:do|does|did|are|is|was|were|has|have|had|can|could|will|would"
    r"|should|in|of|on|per|for|there|to|you|i|we)\b",
    re.IGNORECASE,
)
FIGURE_WORD = rf"\d[\d.,]*|(?:{FIGURE})"
#: Plurals that no stemmer knows, with their singulars.
_PLURALS = {
    "men": "man", "women": "woman", "children": "child", "feet": "foot", "teeth": "tooth",
    "mice": "mouse", "geese": "goose", "people": "person", "lives": "life", "wolves": "wolf",
    "knives": "knife", "leaves": "leaf", "criteria": "criterion", "bacteria": "bacterium",
}  # fmt: skip
_YEAR = re.compile(r"(?:1\d|20)\d\d")
_EDGES = "\"“”‘’'()[]"


@dataclass(frozen=True)
class Phrase:
    """Words of a question that name one thing together.

    words: lower-case tokens in order; written: as in the question; is_bound: a hyphen or a number
    binds them.
    """

    words: tuple[str, ...]
    written: str
    is_bound: bool


@dataclass(frozen=True)
class Run:
    """Neighbouring words of a question that name something: what stands before and behind them."""

    written: tuple[str, ...]
    before: tuple[str, ...]
    is_followed_by_facet: bool


@lru_cache(maxsize=256)
def find_phrases(question: str) -> tuple[Phrase, ...]:
    """Return the phrases of a question in its order."""
    phrases: list[Phrase] = []
    texts = [question[start:end] for start, end in find_sentences(question)]
    for text in [text for text in texts if is_question(text)] or texts:
        for run in find_runs(text):
            phrases += _list_phrases(run)
    return tuple(dict.fromkeys(phrases))


def _list_phrases(run: Run) -> Iterator[Phrase]:
    """Yield the phrases of a run: itself if its form shows one, else its hyphenated words."""
    written = [word for word in run.written if not _YEAR.fullmatch(word)]
    while written and written[0][0].isdigit():
        del written[0]
    words = tuple(token for word in written for token in tokenize(word))
    is_bound = any(len(tokenize(word)) > 1 or word.isdigit() for word in written)
    if len(words) > 1 and (_is_named_thing(run) or run.is_followed_by_facet):
        yield Phrase(words, " ".join(written), is_bound and len(words) <= MAX_WHOLE_PHRASE)
        return
    for word in written:
        parts = tuple(dict.fromkeys(tokenize(word)))
        if len(parts) > 1:
            yield Phrase(parts, word, is_bound=True)


def _is_named_thing(run: Run) -> bool:
    """Return whether the words before a run say that it names a thing ("of", "what is a")."""
    before = [word for word in run.before if word not in _ARTICLES]
    if not before:
        return False
    return before[-1] in _BEFORE_THING or (
        len(before) == 2 and before[0] in _ASKING and before[1] in _IS
    )


def find_runs(text: str) -> Iterator[Run]:
    """Yield the runs of words that are neither function words nor words for what is asked."""
    before: list[str] = []
    written: list[str] = []
    end = 0
    for match in [*_WORD.finditer(text), None]:
        word = match[0] if match else ""
        is_apart = match is None or bool(text[end : match.start()].strip(_EDGES + " "))
        is_facet = bool(word) and word_root(word.lower()) in FACET_WORDS
        is_content = bool(content_tokens(word)) and not is_facet
        if written and (is_apart or not is_content):
            yield Run(tuple(written), tuple(before), is_facet and not is_apart)
            before += [item.lower() for item in written]
            written = []
        if match is None:
            return
        if is_content:
            written.append(word.removesuffix("'s").removesuffix("’s"))
        else:
            before.append(word.lower())
        end = match.end()


def find_scattered_phrase(question: str, texts: Sequence[str]) -> Phrase | None:
    """Return a phrase of the question whose words all stand in the texts, but never together.

    None if there is none. Words stand together if a hyphen or number binds them and they stand next
    to each other, if two of three or more do, or if the only two are in one sentence.
    """
    sentences = [words for text in texts for words in _list_sentences(text)]
    everywhere = [word for words in sentences for word in words]
    for phrase in find_phrases(question):
        if not all(any(_is_held(word, other) for other in everywhere) for word in phrase.words):
            continue
        if not any(_names(phrase, words) for words in sentences):
            return phrase
    return None


def _is_number(root: str) -> bool:
    return root[0].isdigit() or root in _NUMBER_WORDS


def find_unnamed_compound(question: str, texts: Sequence[str]) -> str:
    """Return a hyphenated phrase of the question of which the texts hold words, but not the phrase.

    "" if there is none.
    """
    sentences = [words for text in texts for words in _list_sentences(text)]
    everywhere = [word for words in sentences for word in words]
    for phrase in find_phrases(question):
        if not phrase.is_bound or any(map(_is_number, phrase.words)):  # "a five-star inn"
            continue
        is_held = any(_is_held(word, other) for word in phrase.words for other in everywhere)
        if is_held and not any(_names(phrase, words) for words in sentences):
            return phrase.written
    return ""


def count_naming_sentences(phrase: Phrase, texts: Sequence[str]) -> int:
    """Return how many sentences of the texts name the thing of a phrase."""
    return sum(_names(phrase, words) for text in texts for words in _list_sentences(text))


def names_kind(phrase: Phrase, text: str) -> bool:
    """Return whether a text has the last word of a phrase, its kind: "race" of "boat race"."""
    return any(_is_held(phrase.words[-1], token) for token in tokenize(text))


def find_other_number(question: str, texts: Sequence[str]) -> tuple[str, str]:
    """Return (the numbered name of the question, the one that the texts have instead).

    Both are "" unless the texts number the same name, and never as the question does.
    """
    asked = find_topic(question).numbers
    if not asked:
        return "", ""
    given = find_numbered_names("\n".join(texts))
    for root, numbers in asked.items():
        if root in given and numbers.isdisjoint(given[root]):
            name = _find_written_name(question, root)
            other = ", ".join(sorted(given[root], key=lambda number: (len(number), number))[:3])
            own = " and ".join(sorted(numbers))
            gap = "" if f"{name}{own}" in question else " "
            return f"{name}{gap}{own}", f"{name}{gap}{other}"
    return "", ""


def counts_thing(question: str, texts: Sequence[str]) -> bool:
    """Return whether a figure stands before the thing that a question counts.

    "How many charge cycles does …" is answered by "820 charge cycles".
    """
    asked = _COUNTED.search(question)
    words = tokenize(asked[1]) if asked else []
    if not words:
        return False
    for text in texts:
        for sentence in _list_sentences(text):
            for place in range(1, len(sentence)):
                is_figure = re.fullmatch(FIGURE_WORD, sentence[place - 1]) is not None
                if is_figure and _follows(words, sentence, place):
                    return True
    return False


def _find_written_name(question: str, root: str) -> str:
    """Return the word of the question that has this root, also with a number joined to it."""
    for match in re.finditer(r"[^\W\d_]+", question):
        if word_root(match[0].casefold()) == root:
            return match[0]
    return root


def are_together(words: Sequence[str], texts: Sequence[str]) -> bool:
    """Return whether a text has these words in a row, in any form, with one other between."""
    return is_phrase_named(Phrase(tuple(words), "", is_bound=True), texts)


def is_phrase_named(phrase: Phrase, texts: Sequence[str]) -> bool:
    """Return whether a sentence of the texts names a phrase."""
    return any(_names(phrase, tokens) for text in texts for tokens in _list_sentences(text))


@lru_cache(maxsize=64)
def _list_sentences(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the tokens of each sentence."""
    return tuple(tuple(tokenize(text[start:end])) for start, end in find_sentences(text))


def _names(phrase: Phrase, sentence: Sequence[str]) -> bool:
    if phrase.is_bound:
        return _stands_in(phrase.words, sentence)
    if len(phrase.words) > 2:
        return any(_stands_in(pair, sentence) for pair in pairwise(phrase.words))
    return all(any(_is_held(word, token) for token in sentence) for word in phrase.words)


def _stands_in(words: Sequence[str], sentence: Sequence[str]) -> bool:
    """Return whether words stand together in a sentence, in order or with the last one first."""
    joined = "".join(words)
    for start, token in enumerate(sentence):
        if token == joined or _follows(words, sentence, start):
            return True
        if _is_held(words[-1], token):
            stop = start + 2 + MAX_HEAD_GAP
            for place in range(start + 1, min(stop, len(sentence))):
                if _follows(words[:-1], sentence, place):
                    return True
    return False


def _follows(words: Sequence[str], sentence: Sequence[str], start: int) -> bool:
    """Return whether the words stand in order from a place on, few others between them."""
    if sentence[start] != words[0] + "".join(words[1:2]) and not _is_held(
        words[0], sentence[start]
    ):
        return False
    if len(words) > 1 and sentence[start] == words[0] + words[1]:
        words = words[1:]
    place, others = start + 1, 0
    for word in words[1:]:
        while place < len(sentence) and not _is_held(word, sentence[place]):
            place += 1
            others += 1
        place += 1
        if others > MAX_OTHER_WORDS or place > len(sentence):
            return False
    return True


@lru_cache(maxsize=20_000)
def _is_held(word: str, other: str) -> bool:
    """Return whether another token is a form of the word, or a compound that begins with it.

    "Miner" is a form of "mining", "2.0" of "2", a long name one letter off of the name, and "seabed"
    a compound of "sea".
    """
    if word[0].isdigit():
        return other == word or other.removesuffix(".0") == word.removesuffix(".0")
    if _PLURALS.get(word, word) == _PLURALS.get(other, other):
        return True
    root, other_root = word_root(word), word_root(other)
    if root == other_root:
        return True
    ending = other_root.removeprefix(root)
    if len(root) >= MIN_FORM_ROOT and len(ending) <= MAX_FORM_ENDING and ending != other_root:
        return True
    if are_spellings_of_one(root, other_root) and not is_known_word(word, exactly=True):
        return True
    tail = other.removeprefix(word)
    return (
        len(word) >= MIN_COMPOUND_PART
        and MIN_COMPOUND_PART <= len(tail) < len(other)
        and is_known_word(tail, exactly=True)
        and is_known_word(word, exactly=True)
    )


def find_label(
    topic: Topic, text: str, heading: str, title: str, synonyms: Collection[str] = ()
) -> str:
    """Return the heading, else the title, if it names what a sentence does not; else ""."""
    if names_topic(topic, text, synonyms):
        return ""
    for above in (heading, title):
        name = clean_title(above)
        if name and adds_name(topic, text, name):
            return name
    return ""
