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

from research_core.text.antonyms import CLOSE, CONTRARY, ends
from research_core.text.question import FRAME
from research_core.text.similarity import root
from research_core.text.stance import denial
from research_core.text.support import dates
from research_core.text.support.dates import Day
from research_core.text.words import stem, tokens

What = Literal["date", "name", "statement"]
#: The least share of words of substance in common, of all that either sentence has, values aside;
#: and the fewest.
SAME, FEWEST = 0.75, 3
#: The fewest where one is said to deny the other.
FEWEST_DENIED = 4
#: The same where each of the two has words of its own: neither is the other and something more.
BOTH_MORE = 0.85
#: Sentences of which it is kept what they state, as each is held against many.
KEPT = 16_384

_ONCE = (
    "opened|founded|established|created|launched|released|published|completed|finished|built|constructed|invented|discovered|introduced"
    "|inaugurated|incorporated|abolished|demolished|destroyed|ratified|enacted|adopted|signed|died|born|began|started|ended|closed"
    "|premiered|erected|consecrated|dissolved|outlawed|banned|legalized|legalised|formed|set up"
)
_ITS_DAY = (
    "held|takes place|take place|took"
    " place|begins?|starts?|ends?|opens?|closes?|falls?|due|scheduled|celebrated|observed|expires?"
    "|arrives?|arrived|departs?|departed|lands?|landed"
)
_YEAR = r"(?:1[5-9]|20)\d\d"
_ANY_YEAR = re.compile(rf"\b{_YEAR}\b")
_IN_YEAR = re.compile(
    rf"\b(?:{_ONCE})\b(?: [\w'’-]+){{0,6}}? in (?P<date>{_YEAR})\b(?!\s?[-–—/]|s\b)"
)
_YEAR_FIRST = re.compile(rf"^In (?P<date>{_YEAR}),?(?: [\w'’-]+){{1,8}}? (?:{_ONCE})\b")
_ON_DAY = re.compile(
    rf"\b(?P<verb>{_ONCE}|{_ITS_DAY})\b(?: [\w'’-]+){{0,6}}? (?:on|for|in)(?: the)?(?:"
    r" \w+day,?)? ?$"
)
_RECURS = re.compile(rf"(?:{_ITS_DAY})$")
_BY = re.compile(
    r"\b(?:founded|established|created|invented|discovered|written|composed|built|designed|directed|painted|developed|authored|sculpted"
    r"|assassinated|coined|patented)(?: in \d{4})? by (?:the )?"
    r"(?P<name>[A-Z][\w'’.-]*\w(?: (?:(?:of|the|de|van|von|and|&) )?[A-Z][\w'’.-]*\w)*)"
)
#: The roots of the opposites of a root.
_OPPOSITES = ends(CONTRARY, CLOSE)
#: What only helps a verb: "does not cause" and "causes" differ in none of these; and words that a
#: denial brings with it.
_HELPING = frozenset(
    "evidence proof show shown shows found find any no not never cannot without none neither nor"
    " lack fail fails".split()
)
#: Cues behind which a sentence does not deny but qualifies.
_WEAK = frozenset("little limited insufficient inconclusive independent".split())


@dataclass(frozen=True)
class Value:
    """What one sentence states. text: as it stands there; rest: the sentence without it; days: of a
    date; firm: its year counts.
    """

    text: str
    rest: str
    days: tuple[Day, ...] = ()


def apart(one: str, other: str) -> tuple[What, str, str] | None:
    """(what, the one's value, the other's) of two sentences that state otherwise of the same; None
    where they are not seen to.
    """
    return (
        _differing("date", dated(one), dated(other))
        or _differing("name", authored(one), authored(other))
        or _turned(one, other)
    )


def _differing(what: What, one: Value | None, other: Value | None) -> tuple[What, str, str] | None:
    if one is None or other is None or not _alike(_substance(one.rest), _substance(other.rest)):
        return None
    if what == "date":
        differ = all(_other_day(a, b) for a in one.days for b in other.days)
    else:
        differ = not set(tokens(one.text)) & set(tokens(other.text))
    return (what, one.text, other.text) if differ else None


def _other_day(a: Day, b: Day) -> bool:
    """Whether they are different days as far as both are told; a year alone is not held against a
    day without one.
    """
    pairs = ((a.year, b.year), (a.month, b.month), (a.day, b.day))
    return any(mine and yours and mine != yours for mine, yours in pairs)


@lru_cache(maxsize=KEPT)
def dated(sentence: str) -> Value | None:
    """When what the sentence tells happened; None where it names no date, or several, or of none it
    is said so.
    """
    said = dates.dates(sentence)
    years = set(_ANY_YEAR.findall(sentence))
    if len(said) > 1 or len(years) > 1:
        return None
    if not said:
        found = _IN_YEAR.search(sentence) or _YEAR_FIRST.search(sentence)
        return (
            _value(sentence, *found.span("date"), (Day(int(found["date"]), 0, 0),))
            if found
            else None
        )
    (date,) = said
    before = _ON_DAY.search(sentence[: date.start])
    recurs = before is not None and _RECURS.match(before["verb"])
    if before is None or (recurs and (date.days[0].year or not date.days[0].day)):
        return None
    return _value(sentence, date.start, date.end, date.days)


@lru_cache(maxsize=KEPT)
def authored(sentence: str) -> Value | None:
    """Who is said to have founded, written or found it; None where nobody is, or several are for
    several things.
    """
    found = list(_BY.finditer(sentence))
    return _value(sentence, *found[0].span("name")) if len(found) == 1 else None


def _value(sentence: str, start: int, end: int, days: tuple[Day, ...] = ()) -> Value:
    return Value(sentence[start:end].strip(), f"{sentence[:start]} {sentence[end:]}", days)


# ---------------------------------------------------------------- one says, another denies


def _turned(one: str, other: str) -> tuple[What, str, str] | None:
    return _denied(one, other) or _opposite(one, other)


_denial = lru_cache(maxsize=KEPT)(denial)


def _denied(one: str, other: str) -> tuple[What, str, str] | None:
    """Where one sentence denies what the other says in the same words."""
    cues = _denial(one), _denial(other)
    if bool(cues[0]) == bool(cues[1]):
        return None
    a, b = (_substance(text) for text in (one, other))
    cue, denying, saying = (cues[0], one, other) if cues[0] else (cues[1], other, one)
    ours, theirs = (a, b) if cues[0] else (b, a)
    said = frozenset(map(stem, tokens(cue)))
    behind = _behind(cue, denying)
    if (
        behind is None
        or _numbers(one) != _numbers(other)
        or not _alike(ours - said, theirs - said, FEWEST_DENIED)
        or behind not in theirs
    ):
        return None
    word = next(word for word in tokens(saying) if stem(word) == behind)
    return (
        ("statement", f"{cue} … {word}", word)
        if cues[0]
        else ("statement", word, f"{cue} … {word}")
    )


def _behind(cue: str, sentence: str) -> str | None:
    """The stem of what is denied, the first word of substance behind the cue; None where nothing
    is, but an answer, an order or less.
    """
    found = re.search(rf"(?<!\w){re.escape(cue)}(?!\w)", sentence, re.IGNORECASE)
    if found is None or (not found.start() and " " not in cue) or cue.split()[0].lower() in _WEAK:
        return None  # "No, the reef is …" answers a question that nobody sees
    words = tokens(sentence[found.end() :])
    return (
        None
        if words[:1] == ["to"]
        else next((stem(word) for word in words if word not in FRAME), None)
    )


def _opposite(one: str, other: str) -> tuple[What, str, str] | None:
    """Where all that sets the two apart is a word of one end and a word of the other, both of them
    deny or none does.
    """
    mine, yours = (set(tokens(text)) for text in (one, other))
    for a, b in _ends(mine - yours, yours - mine):
        said, told = _substance(one) - {stem(a)}, _substance(other) - {stem(b)}
        if _alike(said, told, FEWEST_DENIED) and bool(_denial(one)) == bool(_denial(other)):
            return "statement", a, b
    return None


def _ends(mine: set[str], yours: set[str]) -> Iterator[tuple[str, str]]:
    against = {a: _OPPOSITES[root(a)] for a in sorted(mine) if root(a) in _OPPOSITES}
    yield from ((a, b) for a in against for b in sorted(yours) if root(b) in against[a])


def _numbers(text: str) -> frozenset[str]:
    return frozenset(word for word in tokens(text) if word[0].isdigit())


def _alike(a: frozenset[str], b: frozenset[str], fewest: int = FEWEST) -> bool:
    both, either = len(a & b), len(a | b)
    return both >= fewest and both >= (BOTH_MORE if a - b and b - a else SAME) * either


@lru_cache(maxsize=KEPT)
def _substance(text: str) -> frozenset[str]:
    return frozenset(
        stem(word)
        for word in tokens(text)
        if word not in FRAME and word not in _HELPING and not word[0].isdigit()
    )
