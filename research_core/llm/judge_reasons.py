"""Explain a score in one sentence. Each part of it is checked against the texts.

A word is called missing only if the title and the passages hold no form of it, a phrase is named
only if its words are together, and an answer is called missing only if `lacks_form` is certain.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from research_core.i18n import (
    EARLIER_ENGLISH,
    N_,
    _,
    current_language,
    gettext,
    join_list,
    join_sentences,
    ngettext,
)
from research_core.text.answer_forms import lacks_form
from research_core.text.question import QUESTION_WORDS
from research_core.text.similarity import (
    CUE_ROW_OF,
    Question,
    holds_all_in_one_place,
    is_in_pair,
    word_root,
)
from research_core.text.topic_naming import Phrase, are_together
from research_core.text.words import tokenize

MAX_NAMED_PHRASES = 6
MISSING_FORM_TEXTS = {
    "money": N_("No price."),
    "quantity": N_("No figure."),
    "time": N_("No date."),
    "person": N_("No person named."),
    "place": N_("No place named."),
    "comparison": N_("No comparison."),
}
#: A text with all words of the question that scores less may have them far apart.
NEAR_WORDS_SCORE = 3


@dataclass(frozen=True)
class Reading:
    """What was found in a source.

    slips: (as written, as read) words of the question. lacks_answer: the form of answer asked for
    was not found. other_number: (the name asked about, the one with another number in the texts),
    or two empty strings. scattered: a phrase whose words stand apart. unnamed: a compound that is
    not named. unnamed_side: the one of two compared things that is not named. nearness: the highest
    cosine of a sentence, None by words alone. by_words: why by words alone, or "".
    """

    question: Question
    title: str
    passages: tuple[str, ...]
    slips: tuple[tuple[str, str], ...] = ()
    lacks_answer: bool = False
    other_number: tuple[str, str] = ("", "")
    scattered: Phrase | None = None
    unnamed: str = ""
    unnamed_side: str = ""
    nearness: float | None = None
    by_words: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """Return title and passages."""
        return (self.title, *self.passages)


def explain_score(reading: Reading, score: int) -> str:
    """Return sentences that say what the source has, what it lacks, and how it was compared."""
    parts = [*_describe_words(reading, score), *_describe_topic(reading)]
    form = reading.question.form.name
    asked = " ".join(written for _, written in reading.question.order)
    if reading.lacks_answer and lacks_form(form, reading.texts, asked):
        parts.append(gettext(MISSING_FORM_TEXTS[form]))
    for written, read in reading.slips:
        parts.append(_("“{written}” was read as “{read}”.").format(written=written, read=read))
    if reading.nearness is not None:
        parts.append(_describe_nearness(reading.nearness))
    if reading.by_words:
        parts.append(reading.by_words)
    if current_language() != EARLIER_ENGLISH:
        return join_sentences(parts)
    # The parts of older explanations are clauses of one sentence.
    sentence = "; ".join(parts)
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _describe_nearness(nearness: float) -> str:
    """Return how near the nearest sentence is to the question in meaning. nearness: at most 1."""
    if current_language() == EARLIER_ENGLISH:
        return _("Nearest sentence: {nearness:.2f} in meaning.").format(nearness=nearness)
    nearest = _("Its closest sentence is {percent}% similar to the question in meaning.")
    return nearest.format(percent=round(100 * max(0.0, nearness)))


def add_unnamed_side(explanation: str, side: str) -> str:
    """Return an explanation that ends with the compared thing that is not named."""
    part = _("Does not name the other side, “{name}”.").format(name=side)
    if current_language() == EARLIER_ENGLISH:
        return f"{explanation[:-1]}; {part}."
    return join_sentences([explanation, part])


def add_named_thing(explanation: str, words: Sequence[str], title: str) -> str:
    """Return an explanation that says first which thing of the question the title names.

    words: of the thing; they are spelled as in the title.
    """
    spelled = {token: word for word in _TITLE_WORD.findall(title) for token in tokenize(word)}
    named = _join_phrases(_join_words([spelled.get(word, word) for word in words], [title]))
    part = _("The title names “{words}”, which the question mentions.").format(words=named)
    if current_language() == EARLIER_ENGLISH:
        return f"{part}; {explanation[:1].lower()}{explanation[1:]}"
    return join_sentences([part, explanation])


_TITLE_WORD = re.compile(r"\w[\w'’]*")


def _describe_words(reading: Reading, score: int) -> list[str]:
    """Return which words of the question the texts have, and which they lack."""
    question = reading.question
    if not question.words:
        return [_("The question has no words to search for.")]
    tokens = dict.fromkeys(token for text in reading.texts for token in tokenize(text))
    roots = {word_root(token, question.language): token for token in tokens}
    had: list[str] = []
    lacked: list[str] = []
    for is_had, run in groupby(_list_words(question, roots), key=lambda pair: pair[1]):
        words = [word for word, _ in run]
        if is_had is None:
            continue
        if is_had:
            had += _join_words(words, reading.texts)
        else:
            lacked.append(" ".join(words))
    parts = []
    if had:
        parts.append(_("Mentions {words}.").format(words=_join_phrases(had)))
    for written, other in _list_cue_words(question, roots):
        related = _("Related term for “{asked}”: {found}.")
        parts.append(related.format(asked=written, found=other))
    if lacked:
        count = sum(len(phrase.split()) for phrase in lacked)
        missing = ngettext("Missing: {words}.", "Missing: {words}.", count)
        parts.append(missing.format(words=_join_phrases(lacked)))
    elif score < NEAR_WORDS_SCORE and not holds_all_in_one_place(question, reading.passages):
        parts.append(_("Not all in one place."))
    return parts


def _list_words(question: Question, roots: Collection[str]) -> list[tuple[str, bool | None]]:
    """Return the words of a question as written, and whether the texts have them.

    None for a word that only asks or counts, one that a synonym replaces, and one that is there in
    part.
    """
    words: list[tuple[str, bool | None]] = []
    rows = {CUE_ROW_OF[root] for root in roots if root in CUE_ROW_OF}
    for root, written in question.order:
        if root not in question.words or _only_counts(written):
            words.append((written, None))
            continue
        parts = [word_root(token, question.language) for token in tokenize(written)]
        held = [part in roots or is_in_pair(part, list(roots)) for part in parts]
        if all(held):
            words.append((written, True))
        elif any(held) or CUE_ROW_OF.get(root) in rows:
            words.append((written, None))
        else:
            words.append((written, False))
    return words


#: Words that say how many things are meant ("the two"); a page need not have them.
_COUNTING_WORDS = frozenset("one two three both".split())


def _only_counts(word: str) -> bool:
    return word.lower() in _COUNTING_WORDS and current_language() != EARLIER_ENGLISH


def _list_cue_words(question: Question, roots: dict[str, str]) -> list[tuple[str, str]]:
    """Return (as the question writes it, as the texts do) of words that mean the same."""
    pairs: dict[str, str] = {}
    # Older explanations also gave words that only ask: "where" for "whereas".
    left_out = frozenset[str]() if current_language() == EARLIER_ENGLISH else QUESTION_WORDS
    for root, written in question.order:
        row = CUE_ROW_OF.get(root)
        if row is None or root not in question.words or root in roots:
            continue
        for other, token in roots.items():
            if CUE_ROW_OF.get(other) == row and token not in left_out:
                pairs.setdefault(written, token)
                break
    return list(pairs.items())


def _join_words(words: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Return neighbouring words joined where the texts have them together, in order."""
    phrases: list[list[str]] = []
    for word in words:
        tokens = [
            token for part in (*(phrases[-1] if phrases else ()), word) for token in tokenize(part)
        ]
        if phrases and are_together(tokens, texts):
            phrases[-1].append(word)
        else:
            phrases.append([word])
    return [" ".join(phrase) for phrase in phrases]


def _describe_topic(reading: Reading) -> list[str]:
    """Return what the texts name instead of, or do not name of, what the question is about."""
    parts = []
    asked, other = reading.other_number
    if asked:
        parts.append(_("Names {other}, not {asked}.").format(other=other, asked=asked))
    elif reading.scattered:
        apart = _("The words of “{phrase}” are not together.")
        parts.append(apart.format(phrase=reading.scattered.written))
    elif reading.unnamed:
        parts.append(_("Does not name “{name}”.").format(name=reading.unnamed))
    if reading.unnamed_side:
        unnamed = _("Does not name the other side, “{name}”.")
        parts.append(unnamed.format(name=reading.unnamed_side))
    return parts


def _join_phrases(phrases: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(phrases))
    joined = join_list(distinct[:MAX_NAMED_PHRASES])
    return f"{joined} …" if len(distinct) > MAX_NAMED_PHRASES else joined
