"""Find where a passage rejects what a sentence states, without a "not".

Three forms are read: "A rather than B", verbs that deny ("ruled out sabotage"), and a question that
is answered "No". Each counts only if the sentence itself neither denies nor compares. Nothing is
parsed: a part of a passage ends at the next comma or conjunction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from research_core.text.sentences import find_sentences
from research_core.text.similarity import content_tokens, rarity, word_root
from research_core.text.support.negation import has_negation
from research_core.text.words import tokenize

#: Words before what is rejected, in English, German, French, Spanish and Italian.
_INSTEAD_OF = re.compile(
    r"\b(?:rather than|instead of|as opposed to|in place of|in lieu of|in preference to"
    r"|anstelle von|anstatt|statt|plutôt que|au lieu d[eu’']|en lugar de|en vez de|invece di"
    r"|piuttosto che)\b\s*",
    re.IGNORECASE,
)
#: Where what is rejected ends. A preposition that begins it belongs to it.
_REJECTED_END = re.compile(
    r"[,;:.!?()—–]|(?<=\S)\s+(?:because|but|while|which|who|since|so|when|where|if|as|and|for|in"
    r"|at|on|from|with|during|among|to|after|before)\b",
    re.IGNORECASE,
)
#: Words with which a sentence states the preference itself.
_COMPARES = re.compile(
    r"\b(?:than|over|preferr?\w*|replac\w+|versus|vs|without|avoid\w*|unlike|instead|longer"
    r"|alternativ\w+|substitut\w+|statt|anstatt)\b",
    re.IGNORECASE,
)
_DENYING_VERB = re.compile(
    # Not as the first word of a sentence, where it is a button ("Dismiss") more often than a verb.
    r"(?<![.!?] )(?<!^)"
    r"\b(?:reject(?:s|ed|ing)?|disput(?:es?|ed|ing)|den(?:y|ies|ied|ying)|refut(?:es?|ed|ing)"
    r"|rul(?:es?|ed|ing) out|dismiss(?:es|ed|ing)?|rebut(?:s|ted|ting)?|debunk(?:s|ed|ing)?"
    r"|disprov(?:es?|ed|en|ing)|contradict(?:s|ed|ing)?|repudiat(?:es?|ed|ing)"
    r"|discredit(?:s|ed|ing)?|cast(?:s|ing)? doubt on|call(?:s|ed|ing)? into question"
    r"|disagree[sd]? (?:that|with)|argue[sd]? against|bestreitet|bestritt(?:en)?|dementiert(?:e|en)?"
    r"|widerlegt(?:e|en)?|dément(?:i|ent)?|réfut(?:e|ent|é|ée)|nie que|niega[n]?|negó"
    r"|desmient\w+|desmintió|rechaz\w+|smentisc\w+|smentit\w+)\b",
    re.IGNORECASE,
)
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being)\s+(?:(?:\w+ly|since|now|also|long|later)\s+){0,2}$",
    re.IGNORECASE,
)
#: The subject of a passive that stands for a statement: "the claim that … was rejected".
_STATEMENT_NOUN = re.compile(
    r"\b(?:claims?|ideas?|theor(?:y|ies)|notions?|hypothes[ie]s|links?|connections?|allegations?"
    r"|reports?|suggestions?|views?|beliefs?|arguments?|assertions?|rumou?rs?|accusations?"
    r"|associations?|that|statements?|assumptions?|possibilit(?:y|ies))\b",
    re.IGNORECASE,
)
#: A comma that begins the object in German and other languages: "bestreitet, dass".
_THAT = re.compile(r",\s*(?:dass|daß|que|che|at|dat|że|что)\b", re.IGNORECASE)
#: Where the object of a verb ends.
_CLAUSE_END = re.compile(
    r"[,;:.!?()—–]|\b(?:but|while|because|although|though|after|when|which|who|where|instead|saying"
    r"|adding)\b|\band\s+(?:\w+ed|upheld|said|found|told|gave|made|took|sent|kept|set|put|chose"
    r"|held|will|has|have|had|is|are|was|were|then|also)\b",
    re.IGNORECASE,
)
#: The beginning of an answer "No" in English, German, French, Spanish, Italian, Portuguese, Dutch,
#: Swedish, Danish and Russian.
_ANSWERS_NO = re.compile(
    r"[\s\"'“*_>–—-]*(?:(?:answer|a)\s*:\s*)?(?:no|nope|nein|non|não|nee|nej|нет|false|untrue|myth"
    r"|not (?:really|quite|exactly|at all|true))\s*(?=[,;:.!–—-]|$)",
    re.IGNORECASE,
)
#: The least weighted share of a sentence's words that the question must hold.
ASKED_SHARE = 0.75


def find_rejected(sentence: str, place: str) -> str:
    """Return how the place puts what the sentence states in second place, or ""."""
    marker = _INSTEAD_OF.search(place)
    if marker is None:
        return ""
    kept, rejected = _split_rejected(place, marker)
    rejected -= kept
    own_marker = _INSTEAD_OF.search(sentence)
    if own_marker is not None:
        stated, set_aside = _split_rejected(sentence, own_marker)
        is_reversed = bool((stated - set_aside) & rejected) and not set_aside & rejected
    else:
        is_reversed = bool(_roots(sentence) & rejected) and not _takes_position(sentence)
    if not is_reversed:
        return ""
    end = _REJECTED_END.search(place, marker.end() + 1)
    words = place[marker.start() : end.start() if end else len(place)]
    return f"“{' '.join(words.split())}”"


def _split_rejected(text: str, marker: re.Match[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the roots of what a text keeps and of what it rejects."""
    end = _REJECTED_END.search(text, marker.end() + 1)
    stop = end.start() if end else len(text)
    kept = f"{text[: marker.start()]} {text[stop:]}"
    return _roots(kept), _roots(text[marker.end() : stop])


def _takes_position(sentence: str) -> bool:
    """Return whether a sentence denies or compares by itself."""
    return bool(
        has_negation(tokenize(sentence))
        or _COMPARES.search(sentence)
        or _DENYING_VERB.search(sentence)
    )


def find_denying_verb(sentence: str, place: str) -> str:
    """Return the verb by which the place denies what the sentence states, or ""."""
    verb = _DENYING_VERB.search(place)
    if verb is None or has_negation(tokenize(place)):
        return ""
    if _DENYING_VERB.search(sentence) or has_negation(tokenize(sentence)):
        return ""
    before = place[: verb.start()]
    held = [root for root in map(word_root, content_tokens(sentence)) if root in _roots(place)]
    if not held:
        return ""
    if _PASSIVE.search(before):
        is_statement = _STATEMENT_NOUN.search(before) and set(held) <= _roots(before)
        return verb[0] if is_statement else ""
    start = verb.end()
    that = _THAT.match(place, start)
    if that:
        start = that.end()
    end = _CLAUSE_END.search(place, start)
    denied = _roots(place[start : end.start() if end else len(place)])
    outside = [root for root in held if root not in denied]
    # "He denied that he left" denies "He left": only the subject, which comes first, is outside.
    if 2 * len(outside) >= len(held) or held[: len(outside)] != outside:
        return ""
    return verb[0]


def has_denying_verb(text: str) -> bool:
    """Return whether a text, as the rest of a sentence, has a verb that denies."""
    return _DENYING_VERB.search(f"… {text}") is not None


def find_answered_no(sentence: str, passages: Sequence[str], share: float) -> str:
    """Return the answer "No" to a question that asks what the sentence states, or "".

    `share`: the weighted share of the sentence's words that the best statement holds; a statement
    that holds more than the question precedes it.
    """
    if has_negation(tokenize(sentence)):
        return ""
    weights = {word_root(word): rarity(word) for word in content_tokens(sentence)}
    total = sum(weights.values())
    for passage in passages:
        for question, answer in _find_denied_questions(passage):
            asked = _roots(question)
            held = sum(weight for root, weight in weights.items() if root in asked)
            if held >= ASKED_SHARE * total and held >= share * total:
                return answer
    return ""


@lru_cache(maxsize=256)
def _find_denied_questions(passage: str) -> tuple[tuple[str, str], ...]:
    """Return each question of a passage that is answered "No", with the answer."""
    return tuple(_iterate_denied_questions(passage)) if "?" in passage else ()


def _iterate_denied_questions(passage: str) -> Iterator[tuple[str, str]]:
    """Yield each question that "No" follows directly, with that word."""
    for start, end in find_sentences(passage):
        question = passage[start:end].rstrip()
        mark = question.rfind("?")
        if mark < 0:
            continue
        answer = _ANSWERS_NO.match(passage, start + mark + 1)
        if answer:
            yield question[:mark], answer[0].strip(" \n\t\"'“*_>–—-")


@lru_cache(maxsize=4096)
def _roots(text: str) -> frozenset[str]:
    """Return the roots of the words that name something."""
    return frozenset(map(word_root, content_tokens(text)))
