"""Find what two nearly identical sentences state differently: a date, a name or a negation.

Precision comes first. A date counts only after a verb for what happens once ("opened in 2015") or
is scheduled ("held on 3 May"); a name only after "founded by" and the like; a denial only where the
rest of both sentences is almost the same. Differences in other words are missed. The caller chooses
which sentences to compare and what may explain a difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from research_core.text.antonyms import CLOSE_PAIRS, CONTRARY_PAIRS, map_opposites
from research_core.text.question import QUESTION_WORDS
from research_core.text.similarity import is_question, word_root
from research_core.text.stance import find_denial
from research_core.text.support.dates import Day, find_dates
from research_core.text.support.denials import find_denying_verb, has_denying_verb
from research_core.text.words import stem, tokenize

DetailKind = Literal["date", "name", "statement"]
#: The least share of content words in common, values aside, and the least number.
MIN_SHARED, MIN_SHARED_WORDS = 0.75, 3
#: The least number of words in common if one sentence denies the other.
MIN_SHARED_WORDS_DENIED = 4
#: The least share if each sentence has words that the other lacks.
MIN_SHARED_BOTH_LONGER = 0.85
#: Sentences whose values are cached, because each is compared with many.
CACHE_SIZE = 16_384

_ONE_TIME_VERBS = (
    "opened|founded|established|created|launched|released|published|completed|finished|built"
    "|constructed|invented|discovered|introduced|inaugurated|incorporated|abolished|demolished"
    "|destroyed|ratified|enacted|adopted|signed|died|born|began|started|ended|closed|premiered"
    "|erected|consecrated|dissolved|outlawed|banned|legalized|legalised|formed|set up"
)
_SCHEDULED_VERBS = (
    "held|takes place|take place|took place|begins?|starts?|ends?|opens?|closes?|falls?|due"
    "|scheduled|celebrated|observed|expires?|arrives?|arrived|departs?|departed|lands?|landed"
)
_YEAR = r"(?:1[5-9]|20)\d\d"
_ANY_YEAR = re.compile(rf"\b{_YEAR}\b")
_IN_YEAR = re.compile(
    rf"\b(?:{_ONE_TIME_VERBS})\b(?: [\w'’-]+){{0,6}}? in (?P<date>{_YEAR})\b(?!\s?[-–—/]|s\b)"
)
_YEAR_FIRST = re.compile(rf"^In (?P<date>{_YEAR}),?(?: [\w'’-]+){{1,8}}? (?:{_ONE_TIME_VERBS})\b")
_ON_DAY = re.compile(
    rf"\b(?P<verb>{_ONE_TIME_VERBS}|{_SCHEDULED_VERBS})\b(?: [\w'’-]+){{0,6}}?"
    r" (?:on|for|in)(?: the)?(?: \w+day,?)? ?$"
)
_SCHEDULED = re.compile(rf"(?:{_SCHEDULED_VERBS})$")
_AUTHORED_BY = re.compile(
    r"\b(?:founded|established|created|invented|discovered|written|composed|built|designed|directed"
    r"|painted|developed|authored|sculpted|assassinated|coined|patented)(?: in \d{4})? by (?:the )?"
    r"(?P<name>[A-Z][\w'’.-]*\w(?: (?:(?:of|the|de|van|von|and|&) )?[A-Z][\w'’.-]*\w)*)"
)
#: Maps a root to the roots of its opposites.
_OPPOSITES = map_opposites(CONTRARY_PAIRS, CLOSE_PAIRS)
#: Words that only help a verb ("does not cause" equals "causes" in them), and words that come with
#: a denial.
_HELPING_WORDS = frozenset(
    "evidence proof show shown shows found find any no not never cannot without none neither nor"
    " lack fail fails".split()
)
#: Nouns between a verb that denies and what it denies: "rejected the claim that".
_STATEMENT_STEMS = frozenset(
    map(
        stem,
        "claim claims idea ideas theory notion hypothesis suggestion view belief argument assertion"
        " rumour rumor allegation statement assumption possibility report reports".split(),
    )
)
#: Words before a denying verb that cancel the denial ("nobody disputes", "it is wrong to deny",
#: "critics who dispute").
_TAKES_BACK = re.compile(
    r"\b(?:nobody|no one|no-one|nothing|none|no|few|hardly|scarcely|barely|neither|never|not|cannot"
    r"|without|wrong|mistaken|mistake|absurd|foolish|false|impossible|pointless|hard|difficult"
    r"|refus\w+|fail\w*|unable|stop\w*|cease\w*|overturn\w*|revers\w+|overrul\w+|revok\w+"
    r"|annul\w*|quash\w*|withdr[ae]w\w*|retract\w*|contrary|if|whether)\b"
    r"|n['’]t\b|\b(?:who|which|that|whoever|those|anyone|people)(?: (?:\w+ly|still|once|now|had|have|has"
    r"|would|may|might|will))?\s*$",
    re.IGNORECASE,
)
#: Cues that qualify rather than deny.
_WEAK_CUES = frozenset("little limited insufficient inconclusive independent".split())


@dataclass(frozen=True)
class StatedValue:
    """A value that a sentence states.

    `text` is the value as written, `rest` the sentence without it, `days` the days a date can mean.
    """

    text: str
    rest: str
    days: tuple[Day, ...] = ()


def find_difference(
    one: str, other: str, *, by_verb: bool = True
) -> tuple[DetailKind, str, str] | None:
    """Return (kind, value of one, value of other) where two sentences differ, or None.

    by_verb: read verbs that deny ("rejected the claim that"), too.
    """
    difference = (
        _compare_values("date", find_event_date(one), find_event_date(other))
        or _compare_values("name", find_author(one), find_author(other))
        or _find_contradiction(one, other, by_verb=by_verb)
    )
    if difference is None and by_verb:
        return _compare_denying_verbs(one, other)
    return difference


def _compare_values(
    what: DetailKind, one: StatedValue | None, other: StatedValue | None
) -> tuple[DetailKind, str, str] | None:
    """Return the difference of two values if the rest of the sentences is alike."""
    if one is None or other is None:
        return None
    if not _are_alike(_substance_stems(one.rest), _substance_stems(other.rest)):
        return None
    if what == "date":
        differ = all(_days_differ(a, b) for a in one.days for b in other.days)
    else:
        differ = set(tokenize(one.text)).isdisjoint(tokenize(other.text))
    return (what, one.text, other.text) if differ else None


def _days_differ(a: Day, b: Day) -> bool:
    """Return whether two days differ in a part that both state."""
    pairs = ((a.year, b.year), (a.month, b.month), (a.day, b.day))
    return any(mine and yours and mine != yours for mine, yours in pairs)


@lru_cache(maxsize=CACHE_SIZE)
def find_event_date(sentence: str) -> StatedValue | None:
    """Return the date of the event in a sentence, or None if there is none or several."""
    stated = find_dates(sentence)
    years = set(_ANY_YEAR.findall(sentence))
    if len(stated) > 1 or len(years) > 1:
        return None
    if not stated:
        found = _IN_YEAR.search(sentence) or _YEAR_FIRST.search(sentence)
        if found is None:
            return None
        start, end = found.span("date")
        return _make_value(sentence, start, end, (Day(int(found["date"]), 0, 0),))
    date = stated[0]
    before = _ON_DAY.search(sentence[: date.start])
    if before is None:
        return None
    first = date.days[0]
    if _SCHEDULED.match(before["verb"]) and (first.year or not first.day):
        return None
    return _make_value(sentence, date.start, date.end, date.days)


@lru_cache(maxsize=CACHE_SIZE)
def find_author(sentence: str) -> StatedValue | None:
    """Return who founded, wrote or found something, or None if nobody or several are named."""
    found = list(_AUTHORED_BY.finditer(sentence))
    return _make_value(sentence, *found[0].span("name")) if len(found) == 1 else None


def _make_value(sentence: str, start: int, end: int, days: tuple[Day, ...] = ()) -> StatedValue:
    """Return the value at these offsets, with the rest of the sentence."""
    return StatedValue(sentence[start:end].strip(), f"{sentence[:start]} {sentence[end:]}", days)


# ---------------------------------------------------------------- one says, another denies


def _find_contradiction(
    one: str, other: str, *, by_verb: bool
) -> tuple[DetailKind, str, str] | None:
    """Return where one sentence denies the other or says the opposite."""
    return _compare_denials(one, other, by_verb=by_verb) or _compare_opposites(one, other)


_cached_denial = lru_cache(maxsize=CACHE_SIZE)(find_denial)


def _compare_denials(one: str, other: str, *, by_verb: bool) -> tuple[DetailKind, str, str] | None:
    """Return where one sentence denies what the other says in the same words.

    by_verb: leave out a denying verb that is taken back ("without disputing that").
    """
    one_cue, other_cue = _cached_denial(one), _cached_denial(other)
    if bool(one_cue) == bool(other_cue):
        return None
    cue, denying, affirming = (one_cue, one, other) if one_cue else (other_cue, other, one)
    if _number_tokens(one) != _number_tokens(other):
        return None
    if by_verb and has_denying_verb(cue) and _is_taken_back(cue, denying):
        return None
    denied = _find_denied_stem(cue, denying)
    cue_stems = frozenset(map(stem, tokenize(cue)))
    affirmed = _substance_stems(affirming)
    rest = _substance_stems(denying) - cue_stems
    if denied is None or denied not in affirmed:
        return None
    if not _are_alike(rest, affirmed - cue_stems, MIN_SHARED_WORDS_DENIED):
        return None
    word = next(word for word in tokenize(affirming) if stem(word) == denied)
    denial = f"{cue} … {word}"
    return ("statement", denial, word) if one_cue else ("statement", word, denial)


def _compare_denying_verbs(one: str, other: str) -> tuple[DetailKind, str, str] | None:
    """Return where one sentence rejects by a verb what the other says in the same words."""
    if _number_tokens(one) != _number_tokens(other):
        return None
    for stating, denying in ((one, other), (other, one)):
        verb = "" if _cached_denial(stating) else find_denying_verb(stating, denying)
        stated = _substance_stems(stating)
        before, _, after = denying.partition(verb) if verb else ("", "", "")
        if verb and _is_taken_back(verb, denying):
            continue
        for part in (after, before):
            denied = _substance_stems(part) - _STATEMENT_STEMS
            if not _are_alike(denied, stated, MIN_SHARED_WORDS_DENIED):
                continue
            word = next(word for word in tokenize(stating) if stem(word) in denied)
            denial = f"{verb} … {word}"
            if stating is one:
                return "statement", word, denial
            return "statement", denial, word
    return None


def _is_taken_back(verb: str, sentence: str) -> bool:
    """Return whether a sentence asks, or takes back the denial of this verb in it.

    It does by a word before it, or by a second verb that denies.
    """
    before, _, after = sentence.lower().partition(verb.lower())
    if is_question(sentence) or _TAKES_BACK.search(before):
        return True
    return has_denying_verb(before) or has_denying_verb(after)


def _find_denied_stem(cue: str, sentence: str) -> str | None:
    """Return the stem of the first content word after the cue, or None.

    None also for an answer ("No, the reef is …"), an order ("not to …") and a weak cue ("little
    evidence").
    """
    found = re.search(rf"(?<!\w){re.escape(cue)}(?!\w)", sentence, re.IGNORECASE)
    if found is None or cue.split()[0].lower() in _WEAK_CUES:
        return None
    if not found.start() and " " not in cue:
        return None  # "No, the reef is …" answers an unknown question
    words = tokenize(sentence[found.end() :])
    if words[:1] == ["to"]:
        return None
    for word in words:
        if word not in QUESTION_WORDS:
            return stem(word)
    return None


def _compare_opposites(one: str, other: str) -> tuple[DetailKind, str, str] | None:
    """Return the pair of opposite words that alone sets two sentences apart, or None.

    Both sentences must deny, or neither.
    """
    one_words, other_words = set(tokenize(one)), set(tokenize(other))
    for a, b in _find_opposite_pairs(one_words - other_words, other_words - one_words):
        one_rest = _substance_stems(one) - {stem(a)}
        other_rest = _substance_stems(other) - {stem(b)}
        if not _are_alike(one_rest, other_rest, MIN_SHARED_WORDS_DENIED):
            continue
        if bool(_cached_denial(one)) == bool(_cached_denial(other)):
            return "statement", a, b
    return None


def _find_opposite_pairs(mine: set[str], yours: set[str]) -> Iterator[tuple[str, str]]:
    """Yield each word of one set with each of its opposites in the other set."""
    for a in sorted(mine):
        opposites = _OPPOSITES.get(word_root(a))
        if opposites is None:
            continue
        for b in sorted(yours):
            if word_root(b) in opposites:
                yield a, b


def _number_tokens(text: str) -> frozenset[str]:
    """Return the tokens that begin with a digit."""
    return frozenset(word for word in tokenize(text) if word[0].isdigit())


def _are_alike(a: frozenset[str], b: frozenset[str], fewest: int = MIN_SHARED_WORDS) -> bool:
    """Return whether two sets of stems share enough words."""
    both, either = len(a & b), len(a | b)
    least = MIN_SHARED_BOTH_LONGER if a - b and b - a else MIN_SHARED
    return both >= fewest and both >= least * either


@lru_cache(maxsize=CACHE_SIZE)
def _substance_stems(text: str) -> frozenset[str]:
    """Return the stems of the content words, without figures and helping words."""
    return frozenset(
        stem(word)
        for word in tokenize(text)
        if word not in QUESTION_WORDS and word not in _HELPING_WORDS and not word[0].isdigit()
    )
