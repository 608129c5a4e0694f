"""Find the words of an English question without which no sentence answers it, and quote them.

"Does second-hand smoke cause rust?" has "rust", which every page on it repeats, and "smoke": a
sentence on rust that leaves out smoke answers another question. Words that name the thing, the side
that is asked about ("cause"), a person or an action are no key words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from research_core.text.asked_facets import ALL_FACETS
from research_core.text.question_focus import Focus
from research_core.text.question_subject import LETTER_WORDS
from research_core.text.question_topic import (
    FACET_WORDS,
    NAMELESS_WORDS,
    Topic,
    find_topic,
    find_unquoted_things,
    names_any,
)
from research_core.text.question_types import classify_question
from research_core.text.quotable import Quote
from research_core.text.similarity import content_tokens, is_known_word, rarity, word_root
from research_core.text.words import tokenize

#: The least rarity of a key word, the letters of one at least, and the words of a question that is
#: read whole at most.
MIN_KEY_RARITY, MIN_KEY_LENGTH, MAX_WHOLE_WORDS = 3.3, 4, 16
#: Sentences added for key words that no other one has, at most, and the faults that they may have:
#: an order to the reader ("Ask before you …") still names the thing.
MAX_KEY_QUOTES = 2
KEY_FAULTS = frozenset({"of another side", "tells the reader what to do", "repeats the question"})
#: Kinds of question that relate one thing to another.
_RELATING_KINDS = ("yes or no", "cause", "effect")
_WHY = re.compile(r"\bwhy\b", re.IGNORECASE)
#: Endings of actions and properties.
_NO_THING = re.compile(
    r"(?:ing|ed|ly|ate|ute|ify|ize|ise|al|ous|ive|able|ible|ful|less|ic|ish|ant|ent|ary|er|est"
    r"|tion|sion|ment|ness)$"
)
_IS_ACTION = re.compile(r"(?:ing|ed)$")
#: Words before one that is an action: "to walk", "can walk", "they walk".
_BEFORE_ACTION = frozenset(
    "to can could may might will would shall should must do does did not i you we they he she it"
    " don't doesn't didn't can't cannot won't never also ever just always who that".split()
)
#: Words of any question: persons, its circumstances, and what is said of its answer.
_GENERAL = frozenset(
    map(
        word_root,
        """
        amount anything article brand chance client color course customer damage degree effort
        experience future google guest health house item level manner maximum minimum limit member
        mode morning neighbor note nurse operation opinion owner patient piece position product
        quantity regard sake science sense shape situation something student tenant term trouble
        user visitor worker yesterday activity
        """.split(),
    )
)


def find_key_words(question: str, focus: Focus, titles: Sequence[str]) -> tuple[str, ...]:
    """Return the key words of a question as it spells them.

    titles: of the pages, the most relevant one first. The words of the first title, and those that
    most titles have, name the thing.
    """
    counts: Counter[str] = Counter()
    for title in titles:
        counts.update(set(map(word_root, tokenize(title))))
    titled = {root for root, count in counts.items() if 2 * count > len(titles)}
    titled.update(map(word_root, tokenize(titles[0] if titles else "")))
    found = dict.fromkeys(find_unquoted_things(find_topic(question), titles[:1]))
    actions = {word_root(word) for word in tokenize(question) if _IS_ACTION.search(word)}
    for text in _list_relating_texts(question, focus):
        words = [word.strip(".,;:!?\"'“”‘’()[]") for word in text.split()]
        content = frozenset(content_tokens(text))
        # The first word of a question opens it: "Does smoke" has no action, "can smoke" has.
        for before, word in zip(["", "", *words[1:]], words, strict=False):
            lowered = word.lower()
            if word_root(lowered) in actions:
                continue
            if lowered in content and _may_be_key(before.lower(), lowered, titled):
                found.setdefault(lowered)
    return tuple(found)


def _list_relating_texts(question: str, focus: Focus) -> tuple[str, ...]:
    """Return the parts of a question that relate one thing to another."""
    if focus.is_overview:
        return ()
    texts = focus.points or (question,)
    if not focus.points and len(question.split()) > MAX_WHOLE_WORDS:
        return ()
    return tuple(
        text
        for text in texts
        if classify_question(text).name in _RELATING_KINDS or _WHY.search(text)
    )


def _may_be_key(before: str, word: str, titled: Collection[str]) -> bool:
    """Return whether a word, behind another, names a thing that is not that of the titles."""
    root = word_root(word)
    if len(word) < MIN_KEY_LENGTH or not word.isalpha() or before in _BEFORE_ACTION:
        return False
    if root in FACET_WORDS | _GENERAL or word in NAMELESS_WORDS | LETTER_WORDS:
        return False
    if _NO_THING.search(word) or any(facet.named.search(word) for facet in ALL_FACETS):
        return False
    if rarity(word) < MIN_KEY_RARITY or not is_known_word(word, exactly=True):
        return False
    return not names_any(word, frozenset(titled))


# ---------------------------------------------------------------- quotations


def find_unquoted(
    key_words: Sequence[str], quotes: Sequence[Quote], titles: Sequence[str]
) -> tuple[str, ...]:
    """Return the key words that no sentence, nor its heading or the title of its page, has.

    titles: of the pages, by the number of the source.
    """
    return tuple(
        word for word in key_words if not any(_has_word(word, quote, titles) for quote in quotes)
    )


def add_key_quotes(
    key_words: Sequence[str],
    topic: Topic,
    chosen: Sequence[Quote],
    usable: Sequence[Quote],
    titles: Sequence[str],
) -> list[Quote]:
    """Return the chosen quotes behind the best usable one for each key word that they lack.

    It must be on the thing too: name a word of the topic that the most relevant title has.
    """
    thing = _find_titled_roots(topic, titles)
    chosen_texts = {quote.text.casefold() for quote in chosen}
    added: list[Quote] = []
    for word in find_unquoted(key_words, chosen, titles):
        if any(_has_word(word, quote, titles) for quote in added):
            continue
        holding = [
            quote
            for quote in usable
            if KEY_FAULTS.issuperset(quote.faults)
            and quote.text.casefold() not in chosen_texts  # of a page with the same text
            and _has_word(word, quote, titles)
            and any(_has_word(root, quote, titles) for root in thing)
        ]
        if holding:
            added.append(min(holding, key=lambda quote: (-quote.score, quote.order)))
    best = max((quote.score for quote in chosen), default=0.0)
    first = [
        replace(quote, score=best, is_on_side=True, faults=()) for quote in added[:MAX_KEY_QUOTES]
    ]
    orders = {quote.order for quote in first}
    return [*first, *(quote for quote in chosen if quote.order not in orders)]


def _has_word(word: str, quote: Quote, titles: Sequence[str]) -> bool:
    text = f"{titles[quote.source]} {quote.heading} {quote.text}"
    return names_any(word, frozenset(map(word_root, tokenize(text))))


def _find_titled_roots(topic: Topic, titles: Sequence[str]) -> frozenset[str]:
    """Return the words of a topic that the most relevant title has; all if it has none."""
    roots = frozenset(map(word_root, tokenize(titles[0])))
    titled = frozenset(root for root in topic.weights if names_any(root, roots))
    return titled or frozenset(topic.weights)
