"""Find sentences of different sources that contradict each other.

Compares figures, dates, names and denials. Precision comes first: two sentences are no pair if they
name different places or people, if one gives the median and the other the mean, if one gives a
change and the other a level, if one speaks of "the other" ones, or if rounding, a range or an "at
least" makes both true. If the years differ, only nearly identical sentences are a pair, and the
years explain it. Dates, names and denials need nearly identical sentences (`differing_details`).
Conflicts worded differently are missed.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING

from research_core.text import differing_details
from research_core.text.figures import Figure, parse_figures
from research_core.text.foreign_figures import parse_figures_in_language
from research_core.text.languages import guess_language
from research_core.text.question import QUESTION_WORDS
from research_core.text.similarity import FILLER_WORDS, rarity
from research_core.text.words import stem, tokenize

#: The least share of words that two sentences have in common, figures aside, and the least number.
MIN_SHARED, MIN_SHARED_WORDS = 0.5, 3
#: Alternatively the share and number of the shorter sentence's words, if the longer says more.
MIN_CONTAINED, MIN_CONTAINED_WORDS = 0.9, 5
#: The least share in common if the sentences name different years.
MIN_SHARED_OTHER_YEARS = 0.75
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d(?:s\b|\b)")
#: The first word of a sentence, which may be a name or a thing.
_FIRST_WORD = re.compile(r"\W*([A-Z][\w'’-]+)")
_LEVEL = re.compile(
    r"\b(?:to|at|of|reached?|stands?|stood)\s+(?:(?:about|around|nearly|almost|over|under)\s+)?$",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:rose|rise[sn]?|fell|fall(?:s|en)?|gr[eo]wn?|grows|drops?|dropped|declined?|increased?"
    r"|decreased?|climbed|shrank)\b",
    re.IGNORECASE,
)
_INTERVAL = re.compile(r"\bCIs?\b|\bconfidence intervals?\b")
_NAME = re.compile(r"(?<=[a-z,;:)\d%] )(?:[A-Z][\w'’.-]*\w)(?: [A-Z][\w'’.-]*\w)*|\b[A-Z]{2,}\b")
_REPORTED_BY = re.compile(
    r",? ?\b(?:according to|as reported by|reported by|said|says|told)\b[^,.;]*[,.;]?",
    re.IGNORECASE,
)
#: The rarity from which a first word may be a name or the thing that a sentence is about.
MIN_NAME_RARITY = 3.0
#: "The other 181 couples" are not those of the other sentence.
_OTHER_ONES = re.compile(
    r"\b(?:(?:the|all|any|no) (?:other|remaining)|the rest of|another)\b", re.IGNORECASE
)

if TYPE_CHECKING:
    from research_core.text.quotable import Quote
_RIVAL_WORDS = """
male men man boys female women woman girls
adult adults child children infant infants
minimum maximum average
mean median
least most
highest lowest
urban rural
first second third
before after
increase decrease rise fall rose fell grew shrank
north south east west northern southern eastern western
inside outside
summer winter spring autumn
day night
import imports export exports
gross net
upper lower
hot cold
input output
birth births death deaths
land sea
domestic international
inner outer
young old
january february march april may june july august september october november december
daily weekly monthly annual yearly hourly
red white black green blue
small large medium
mild moderate severe
acute chronic
short long
oral intravenous topical
low high
early late
public private
fewer more less
half third quarter
"""
#: Two sentences that hold different words of one row are about different things.
_RIVAL_ROWS = tuple(frozenset(map(stem, row.split())) for row in _RIVAL_WORDS.strip().splitlines())
_SCOPE_WORDS = """
total overall global worldwide national nationwide regional local average mean median typical
typically maximum minimum peak record top best worst capita adjusted net gross including excluding
only alone estimated adult adults children women men some certain combined other others another
remaining rest cumulative nominal real base basic urban rural annual annually monthly daily hourly
weekly up
"""
#: Words that say what a figure covers. If only one sentence has them, the figures may differ in
#: scope.
SCOPE_STEMS = frozenset(map(stem, _SCOPE_WORDS.split()))
FORECAST_STEMS = frozenset(
    map(
        stem,
        "will would could may might expected forecast forecasts projected projection target planned"
        " predicted".split(),
    )
)


@dataclass(frozen=True)
class Disagreement:
    """Two sentences that say different things.

    `share` is the share of their words that both have, 0 to 1; `about` holds the stems of these
    words; `a` and `b` are what each says. For a date, a name or a denial the unit is "date", "name"
    or "statement" and the range is infinite.
    """

    one: Quote
    other: Quote
    a: Figure
    b: Figure
    share: float
    about: frozenset[str]

    @property
    def of_other_years(self) -> bool:
        """Return whether the sentences name different years and the values are no dates."""
        return self.a.unit != "date" and _years_differ(self.one.text, self.other.text)


@dataclass(frozen=True)
class ComparedQuotes:
    """The result of comparing quotes.

    `pairs` holds those that say different things; `met` all pairs that could have: they share words
    and both give a figure in one unit, a date, a name or a denial.
    """

    pairs: tuple[Disagreement, ...]
    met: tuple[tuple[Quote, Quote], ...]


def find_disagreements(found: Sequence[Quote]) -> list[Disagreement]:
    """Return every disagreement between different sources, the most similar pair first.

    Only quotes that bear on the question are compared. Ties are in reading order.
    """
    return list(compare_quotes(found).pairs)


def compare_quotes(
    found: Sequence[Quote], *, by_verb: bool = True, by_language: bool = True
) -> ComparedQuotes:
    """Return the disagreements together with the pairs that were compared.

    by_verb: read verbs that deny, too (`differing_details`); by_language: read figures as the
    language of the sentence writes them.
    """
    read: FigureReader = _cached_figures
    if by_language:
        read = partial(_figures_in_language, around=_guess_common_language(found))
    quotes = [quote for quote in found if quote.own]
    subjects = [_subject_stems(quote) for quote in quotes]
    compare = cache(_compare_sentences)  # many pages may have the same two sentences
    pairs: list[Disagreement] = []
    met: list[tuple[Quote, Quote]] = []
    for n, m in sorted(find_candidate_pairs(subjects)):
        one, other = quotes[n], quotes[m]
        if one.source == other.source or not _are_alike(subjects[n], subjects[m]):
            continue
        both = subjects[n] & subjects[m]
        share = len(both) / len(subjects[n] | subjects[m])
        difference, comparable = compare(one.text, other.text, share, by_verb, read)
        if difference:
            pairs.append(Disagreement(one, other, *difference, share, both))
        if comparable:
            met.append((one, other))
    pairs.sort(key=lambda pair: (-pair.share, pair.one.order, pair.other.order))
    return ComparedQuotes(tuple(pairs), tuple(met))


def _guess_common_language(found: Sequence[Quote]) -> str:
    """Return the language that most quotes are in, by those that tell it; "" if none does."""
    counts = Counter(filter(None, (guess_language(quote.text) for quote in found)))
    return min(counts, key=lambda name: (-counts[name], name), default="")


def find_candidate_pairs(subjects: Sequence[frozenset[str]]) -> Iterator[tuple[int, int]]:
    """Yield the index pairs of word sets that can be alike, each pair once.

    Words are ordered from the rarest. Two sets that share half of all their words share one of the
    first words of each: as many as need not be common, plus one. If one set is contained in the
    other, one of its very first words is anywhere in the other.
    """
    counts = Counter(word for subject in subjects for word in subject)
    ordered = [sorted(subject, key=lambda word: (counts[word], word)) for subject in subjects]
    halves = [_rarest_words(words, MIN_SHARED, MIN_SHARED_WORDS) for words in ordered]
    by_half = _index_words(halves)
    by_any = _index_words(ordered)
    sizes = [(len(subject), n) for n, subject in enumerate(subjects)]
    for n, words in enumerate(ordered):
        candidates: set[int] = set()
        for word in halves[n]:
            candidates.update(by_half[word])
        for word in _rarest_words(words, MIN_CONTAINED, MIN_CONTAINED_WORDS):
            candidates.update(by_any[word])
        for m in candidates:
            if sizes[n] < sizes[m]:
                yield min(n, m), max(n, m)


def _rarest_words(words: Sequence[str], share: float, fewest: int) -> Sequence[str]:
    """Return the leading words of which at least one must be shared."""
    must_share = max(math.ceil(share * len(words)), fewest)
    return words[: max(0, len(words) - must_share + 1)]


def _index_words(subjects: Sequence[Sequence[str]]) -> dict[str, list[int]]:
    """Map each word to the indexes of the sets that hold it."""
    found: dict[str, list[int]] = {}
    for n, subject in enumerate(subjects):
        for word in subject:
            found.setdefault(word, []).append(n)
    return found


def _are_alike(a: frozenset[str], b: frozenset[str]) -> bool:
    """Return whether two sets share enough words, or one is nearly contained in the other."""
    both, either = len(a & b), len(a | b)
    if both < MIN_SHARED_WORDS:
        return False
    contained = both >= MIN_CONTAINED_WORDS and both >= MIN_CONTAINED * min(len(a), len(b))
    return contained or both >= MIN_SHARED * either


def _could_differ(one: str, other: str, read: FigureReader) -> bool:
    """Return whether both sentences give a figure in one unit, a date or an author."""
    one_units = {figure.unit for figure in read(one)}
    if any(figure.unit in one_units for figure in read(other)):
        return True
    if differing_details.find_event_date(one) and differing_details.find_event_date(other):
        return True
    return bool(differing_details.find_author(one) and differing_details.find_author(other))


@lru_cache(maxsize=differing_details.CACHE_SIZE)
def find_years(text: str) -> frozenset[str]:
    """Return the years that a sentence names."""
    return frozenset(_YEAR.findall(text))


@lru_cache(maxsize=differing_details.CACHE_SIZE)
def find_name_stems(text: str) -> frozenset[str]:
    """Return the stems of the names in a sentence, without those it is attributed to."""
    bare = _REPORTED_BY.sub(" ", text)
    stems: set[str] = set()
    opening = _FIRST_WORD.search(bare[:40])
    if opening:
        stems.update(stem(word) for word in tokenize(opening[1]) if _may_be_name(word))
    for name in _NAME.findall(bare):
        stems.update(map(stem, tokenize(name)))
    return frozenset(stems)


def _may_be_name(word: str) -> bool:
    """Return whether the first word of a sentence may be a name or the thing it is about."""
    return (
        word not in FILLER_WORDS
        and not word.endswith(("ly", "ing"))
        and rarity(word) >= MIN_NAME_RARITY
    )


#: Returns the figures of a sentence.
FigureReader = Callable[[str], tuple[Figure, ...]]
_cached_figures = lru_cache(maxsize=differing_details.CACHE_SIZE)(parse_figures)
_figures_in_language = lru_cache(maxsize=differing_details.CACHE_SIZE)(parse_figures_in_language)


def _compare_sentences(
    one: str, other: str, share: float, by_verb: bool, read: FigureReader
) -> tuple[tuple[Figure, Figure] | None, bool]:
    """Return what two sentences say differently, and whether they could differ at all.

    `share` is the share of their words that both have, 0 to 1.
    """
    difference = _compare_figures(one, other, share, read)
    difference = difference or _compare_details(one, other, by_verb)
    return difference, difference is not None or _could_differ(one, other, read)


def _compare_figures(
    one: str, other: str, share: float, read: FigureReader
) -> tuple[Figure, Figure] | None:
    """Return the figures that differ if nothing shows that the sentences have other subjects."""
    found = _find_differing_figures(read(one), read(other))
    if found is None or (_years_differ(one, other) and share < MIN_SHARED_OTHER_YEARS):
        return None
    if have_rival_words(one, other) or _names_differ(one, other):
        return None
    if bool(_OTHER_ONES.search(one)) != bool(_OTHER_ONES.search(other)):
        return None
    return None if _kinds_differ(one, other, *found) else found


def _compare_details(one: str, other: str, by_verb: bool) -> tuple[Figure, Figure] | None:
    """Return the dates, names or denials that differ, as figures with an infinite range."""
    found = differing_details.find_difference(one, other, by_verb=by_verb)
    if found is None:
        return None
    what, one_value, other_value = found
    if what != "date" and _years_differ(one, other):
        return None
    one_bare = one.replace(one_value, " ")
    other_bare = other.replace(other_value, " ")
    if have_rival_words(one_bare, other_bare) or _names_differ(one_bare, other_bare):
        return None
    return (
        Figure(-math.inf, math.inf, what, one_value),
        Figure(-math.inf, math.inf, what, other_value),
    )


def _find_differing_figures(
    a: Sequence[Figure], b: Sequence[Figure]
) -> tuple[Figure, Figure] | None:
    """Return the single figure of each side that differs, or None.

    None also if a unit has several figures on a side, or if several units differ.
    """
    differing = []
    for unit in dict.fromkeys(figure.unit for figure in a):
        mine, yours = _drop_matching(_with_unit(a, unit), _with_unit(b, unit))
        if not yours or {figure.text for figure in mine} == {figure.text for figure in yours}:
            continue
        if len(mine) > 1 or len(yours) > 1:
            return None
        if mine[0].differs(yours[0]):
            differing.append((mine[0], yours[0]))
    return differing[0] if len(differing) == 1 else None


def _with_unit(found: Sequence[Figure], unit: str) -> list[Figure]:
    """Return the figures in this unit."""
    return [figure for figure in found if figure.unit == unit]


def _drop_matching(a: list[Figure], b: list[Figure]) -> tuple[list[Figure], list[Figure]]:
    """Drop the figures of each side that agree with the one at the same position.

    A value given twice, as in "61 m (200 ft)", counts as one figure if it does so on both sides.
    """
    distinct_a, distinct_b = _drop_repeated(a), _drop_repeated(b)
    if len(distinct_a) == len(distinct_b):
        a, b = distinct_a, distinct_b
    if len(a) != len(b) or len(a) == 1:
        return a, b
    left_a: list[Figure] = []
    left_b: list[Figure] = []
    for mine, yours in zip(a, b, strict=True):
        if mine.differs(yours):
            left_a.append(mine)
            left_b.append(yours)
    return left_a, left_b


def _drop_repeated(found: Sequence[Figure]) -> list[Figure]:
    """Drop figures that may repeat an earlier one in another unit."""
    kept: list[Figure] = []
    for each in found:
        if not any(each.low < one.high and one.low < each.high for one in kept):
            kept.append(each)
    return kept


def _subject_stems(quote: Quote) -> frozenset[str]:
    """Return the stems of the content words, without figures, units, dates and names."""
    value_stems: set[str] = set()
    for find_value in (differing_details.find_event_date, differing_details.find_author):
        value = find_value(quote.text)
        if value:
            value_stems.update(map(stem, tokenize(value.text)))
    return frozenset(
        word
        for word in quote.words
        if not word[0].isdigit() and word not in _SCALE_STEMS and word not in value_stems
    )


_SCALE_STEMS = (
    frozenset(map(stem, "thousand million billion trillion percent per cent".split()))
    | QUESTION_WORDS
)


def _years_differ(one: str, other: str) -> bool:
    """Return whether both sentences name years, and none in common."""
    a, b = find_years(one), find_years(other)
    return bool(a and b and not a & b)


def _kinds_differ(one: str, other: str, a: Figure, b: Figure) -> bool:
    """Return whether one gives a change and the other a level, or either an interval.

    "Fell 20 percent" is a change, "fell to 60 percent" a level.
    """
    if _INTERVAL.search(one) or _INTERVAL.search(other):
        return True
    if _is_level(one, a) == _is_level(other, b):
        return False
    return bool(_CHANGE.search(one) and _CHANGE.search(other))


def _is_level(text: str, figure: Figure) -> bool:
    """Return whether the words before a figure make it a level: "fell to 60 percent"."""
    return _LEVEL.search(text[: text.find(figure.text)]) is not None


def _names_differ(one: str, other: str) -> bool:
    """Return whether each sentence names something that the other does not mention."""
    a, b = find_name_stems(one), find_name_stems(other)
    return bool(a - _cached_stems(other)) and bool(b - _cached_stems(one))


@lru_cache(maxsize=differing_details.CACHE_SIZE)
def _cached_stems(text: str) -> frozenset[str]:
    """Return the stems of all tokens of a text."""
    return frozenset(map(stem, tokenize(text)))


def have_rival_words(one: str, other: str) -> bool:
    """Return whether the texts hold different words of one row of rivals ("men", "women")."""
    a, b = _cached_stems(one), _cached_stems(other)
    return any((a - b) & row and (b - a) & row for row in _RIVAL_ROWS)
