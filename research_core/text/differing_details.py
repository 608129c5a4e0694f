"""What two sentences that are nearly the same state otherwise, figures aside: when something
happened, who did it, and whether it is so.

Precision comes first. A date is a value only behind a verb of what happens once, "opened in 2015",
or of what has its day, "held on 3 May"; a name only behind "founded by" and the like; and a
statement is denied only where the rest of the two sentences is all but the same. What is said in
other words is not seen. Which sentences are compared, and what may explain a difference, is said
elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from research_core.text.antonyms import CLOSE_PAIRS, CONTRARY_PAIRS, map_opposites
from research_core.text.question import QUESTION_WORDS
from research_core.text.similarity import word_root
from research_core.text.stance import find_denial
from research_core.text.support import dates
from research_core.text.support.dates import Day
from research_core.text.words import stem, tokenize

DetailKind = Literal["date", "name", "statement"]
#: The least share of words of substance in common, of all that either sentence has, values aside;
#: and the fewest.
MIN_SHARED, MIN_SHARED_WORDS = 0.75, 3
#: The fewest where one is said to deny the other.
MIN_SHARED_WORDS_DENIED = 4
#: The same where each of the two has words of its own: neither is the other and something more.
MIN_SHARED_BOTH_LONGER = 0.85
#: Sentences of which it is kept what they state, as each is held against many.
CACHE_SIZE = 16_384

_ONE_TIME_VERBS = (
    "opened|founded|established|created|launched|released|published|completed|finished|built|constructed|invented|discovered|introduced"
    "|inaugurated|incorporated|abolished|demolished|destroyed|ratified|enacted|adopted|signed|died|born|began|started|ended|closed"
    "|premiered|erected|consecrated|dissolved|outlawed|banned|legalized|legalised|formed|set up"
)
_SCHEDULED_VERBS = (
    "held|takes place|take place|took"
    " place|begins?|starts?|ends?|opens?|closes?|falls?|due|scheduled|celebrated|observed|expires?"
    "|arrives?|arrived|departs?|departed|lands?|landed"
)
_YEAR = r"(?:1[5-9]|20)\d\d"
_ANY_YEAR = re.compile(rf"\b{_YEAR}\b")
_IN_YEAR = re.compile(
    rf"\b(?:{_ONE_TIME_VERBS})\b(?: [\w'’-]+){{0,6}}? in (?P<date>{_YEAR})\b(?!\s?[-–—/]|s\b)"
)
_YEAR_FIRST = re.compile(rf"^In (?P<date>{_YEAR}),?(?: [\w'’-]+){{1,8}}? (?:{_ONE_TIME_VERBS})\b")
_ON_DAY = re.compile(
    rf"\b(?P<verb>{_ONE_TIME_VERBS}|{_SCHEDULED_VERBS})\b(?: [\w'’-]+){{0,6}}? (?:on|for|in)(?: the)?(?:"
    r" \w+day,?)? ?$"
)
_SCHEDULED = re.compile(rf"(?:{_SCHEDULED_VERBS})$")
_AUTHORED_BY = re.compile(
    r"\b(?:founded|established|created|invented|discovered|written|composed|built|designed|directed|painted|developed|authored|sculpted"
    r"|assassinated|coined|patented)(?: in \d{4})? by (?:the )?"
    r"(?P<name>[A-Z][\w'’.-]*\w(?: (?:(?:of|the|de|van|von|and|&) )?[A-Z][\w'’.-]*\w)*)"
)
#: The roots of the opposites of a root.
_OPPOSITES = map_opposites(CONTRARY_PAIRS, CLOSE_PAIRS)
#: What only helps a verb: "does not cause" and "causes" differ in none of these; and words that a
#: denial brings with it.
_HELPING_WORDS = frozenset(
    "evidence proof show shown shows found find any no not never cannot without none neither nor"
    " lack fail fails".split()
)
#: Cues behind which a sentence does not deny but qualifies.
_WEAK_CUES = frozenset("little limited insufficient inconclusive independent".split())


@dataclass(frozen=True)
class StatedValue:
    """What one sentence states. text: as it stands there; rest: the sentence without it; days: of a
    date; firm: its year counts.
    """

    text: str
    rest: str
    days: tuple[Day, ...] = ()


def find_difference(one: str, other: str) -> tuple[DetailKind, str, str] | None:
    """(what, the one's value, the other's) of two sentences that state otherwise of the same; None
    where they are not seen to.
    """
    return (
        _compare_values("date", find_event_date(one), find_event_date(other))
        or _compare_values("name", find_author(one), find_author(other))
        or _find_contradiction(one, other)
    )


def _compare_values(
    what: DetailKind, one: StatedValue | None, other: StatedValue | None
) -> tuple[DetailKind, str, str] | None:
    if (
        one is None
        or other is None
        or not _are_alike(_substance_stems(one.rest), _substance_stems(other.rest))
    ):
        return None
    if what == "date":
        differ = all(_days_differ(a, b) for a in one.days for b in other.days)
    else:
        differ = not set(tokenize(one.text)) & set(tokenize(other.text))
    return (what, one.text, other.text) if differ else None


def _days_differ(a: Day, b: Day) -> bool:
    """Whether they are different days as far as both are told; a year alone is not held against a
    day without one.
    """
    pairs = ((a.year, b.year), (a.month, b.month), (a.day, b.day))
    return any(mine and yours and mine != yours for mine, yours in pairs)


@lru_cache(maxsize=CACHE_SIZE)
def find_event_date(sentence: str) -> StatedValue | None:
    """When what the sentence tells happened; None where it names no date, or several, or of none it
    is said so.
    """
    said = dates.find_dates(sentence)
    years = set(_ANY_YEAR.findall(sentence))
    if len(said) > 1 or len(years) > 1:
        return None
    if not said:
        found = _IN_YEAR.search(sentence) or _YEAR_FIRST.search(sentence)
        return (
            _make_value(sentence, *found.span("date"), (Day(int(found["date"]), 0, 0),))
            if found
            else None
        )
    (date,) = said
    before = _ON_DAY.search(sentence[: date.start])
    recurs = before is not None and _SCHEDULED.match(before["verb"])
    if before is None or (recurs and (date.days[0].year or not date.days[0].day)):
        return None
    return _make_value(sentence, date.start, date.end, date.days)


@lru_cache(maxsize=CACHE_SIZE)
def find_author(sentence: str) -> StatedValue | None:
    """Who is said to have founded, written or found it; None where nobody is, or several are for
    several things.
    """
    found = list(_AUTHORED_BY.finditer(sentence))
    return _make_value(sentence, *found[0].span("name")) if len(found) == 1 else None


def _make_value(sentence: str, start: int, end: int, days: tuple[Day, ...] = ()) -> StatedValue:
    return StatedValue(sentence[start:end].strip(), f"{sentence[:start]} {sentence[end:]}", days)


# ---------------------------------------------------------------- one says, another denies


def _find_contradiction(one: str, other: str) -> tuple[DetailKind, str, str] | None:
    return _compare_denials(one, other) or _compare_opposites(one, other)


_cached_denial = lru_cache(maxsize=CACHE_SIZE)(find_denial)


def _compare_denials(one: str, other: str) -> tuple[DetailKind, str, str] | None:
    """Where one sentence denies what the other says in the same words."""
    cues = _cached_denial(one), _cached_denial(other)
    if bool(cues[0]) == bool(cues[1]):
        return None
    a, b = (_substance_stems(text) for text in (one, other))
    cue, denying, saying = (cues[0], one, other) if cues[0] else (cues[1], other, one)
    ours, theirs = (a, b) if cues[0] else (b, a)
    said = frozenset(map(stem, tokenize(cue)))
    behind = _find_denied_stem(cue, denying)
    if (
        behind is None
        or _number_tokens(one) != _number_tokens(other)
        or not _are_alike(ours - said, theirs - said, MIN_SHARED_WORDS_DENIED)
        or behind not in theirs
    ):
        return None
    word = next(word for word in tokenize(saying) if stem(word) == behind)
    return (
        ("statement", f"{cue} … {word}", word)
        if cues[0]
        else ("statement", word, f"{cue} … {word}")
    )


def _find_denied_stem(cue: str, sentence: str) -> str | None:
    """The stem of what is denied, the first word of substance behind the cue; None where nothing
    is, but an answer, an order or less.
    """
    found = re.search(rf"(?<!\w){re.escape(cue)}(?!\w)", sentence, re.IGNORECASE)
    if (
        found is None
        or (not found.start() and " " not in cue)
        or cue.split()[0].lower() in _WEAK_CUES
    ):
        return None  # "No, the reef is …" answers a question that nobody sees
    words = tokenize(sentence[found.end() :])
    return (
        None
        if words[:1] == ["to"]
        else next((stem(word) for word in words if word not in QUESTION_WORDS), None)
    )


def _compare_opposites(one: str, other: str) -> tuple[DetailKind, str, str] | None:
    """Where all that sets the two apart is a word of one end and a word of the other, both of them
    deny or none does.
    """
    mine, yours = (set(tokenize(text)) for text in (one, other))
    for a, b in _find_opposite_pairs(mine - yours, yours - mine):
        said, told = _substance_stems(one) - {stem(a)}, _substance_stems(other) - {stem(b)}
        if _are_alike(said, told, MIN_SHARED_WORDS_DENIED) and bool(_cached_denial(one)) == bool(
            _cached_denial(other)
        ):
            return "statement", a, b
    return None


def _find_opposite_pairs(mine: set[str], yours: set[str]) -> Iterator[tuple[str, str]]:
    against = {a: _OPPOSITES[word_root(a)] for a in sorted(mine) if word_root(a) in _OPPOSITES}
    yield from ((a, b) for a in against for b in sorted(yours) if word_root(b) in against[a])


def _number_tokens(text: str) -> frozenset[str]:
    return frozenset(word for word in tokenize(text) if word[0].isdigit())


def _are_alike(a: frozenset[str], b: frozenset[str], fewest: int = MIN_SHARED_WORDS) -> bool:
    both, either = len(a & b), len(a | b)
    return (
        both >= fewest
        and both >= (MIN_SHARED_BOTH_LONGER if a - b and b - a else MIN_SHARED) * either
    )


@lru_cache(maxsize=CACHE_SIZE)
def _substance_stems(text: str) -> frozenset[str]:
    return frozenset(
        stem(word)
        for word in tokenize(text)
        if word not in QUESTION_WORDS and word not in _HELPING_WORDS and not word[0].isdigit()
    )
