"""Find which figure of a page belongs to a claim, and which one belongs to something else.

A sentence may give several figures: a result and its target, two years, two groups, a list. The
figure of a claim is that of the same thing: the same unit or noun, the same name beside it, the
same year. Words of roles are listed for twelve languages.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from research_core.text.languages import find_stop_words
from research_core.text.similarity import FILLER_WORDS
from research_core.text.support.measures import read_measures
from research_core.text.support.page_places import (
    STOP_WEIGHT,
    PagePlace,
    ReadClaim,
    ReadPage,
    WrittenWord,
    find_nearest_sentences,
    has_form,
    read_words,
)
from research_core.text.support.reversals import Exchange
from research_core.text.words import find_numbers

#: The share of a claim that a sentence must hold before its figures are compared, and that a
#: sentence with one figure must hold before that is called the page's.
NEAR_SHARE, SAME_SHARE = 0.35, 0.6
#: How much an equal unit counts beside the weights of equal words, and how much nearer than any
#: other the figure must be that is named.
UNIT_WEIGHT, MARGIN = 4.0, 2.0
#: The sentences of a page that are compared.
SENTENCES = 5
#: The least weight of a word that tells one group from another.
GROUP_WEIGHT = 2.0
_FIGURE = re.compile(r"(?<![A-Za-z\d])(?<![A-Za-z]-)\d[\d.,'’\u00a0\u202f]{0,20}(?<=\d)")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_PERCENT = re.compile(
    r"\s?(?:%|٪|per ?cent\b|percent\b|Prozent\b|pour cent\b|por cient[oa]\b|por cento\b|per cento\b"
    r"|процент\w*|प्रतिशत|퍼센트|في المئة|بالمئة|パーセント)",
    re.IGNORECASE,
)
_CURRENCY = re.compile(r"[€$£¥₹]\s?$")
#: Words between a name and that of an author or place, and its figure.
_NAME_LINKS = frozenset(
    "by of the and with at von der die das und mit bei de du des la le les et par y por con di da do"
    " dos van en i".split()
)
#: The words and signs between the two ends of a range. A range gives no single figure, so neither
#: end is compared.
_RANGE = re.compile(
    r"\s*(?:or|to|and|oder|bis|und|à|ou|et|a|o|y|e|до|или|至|到|から|または|[-‐‑–—~～])\s*",
    re.IGNORECASE,
)
_UNSPACED = "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\u0e01-\u0e4e]"
#: Where a number meets a letter of a script that is written without spaces, or of Korean.
_BESIDE_UNSPACED = re.compile(rf"(?<={_UNSPACED})(?=\d)|(?<=\d)(?={_UNSPACED})")
_PRONOUN = re.compile(
    r"\b(?:it|its|they|he|she|this|er|sie|es|dieser?|dieses|il|elle|ils|elles|lo|la|ella|esta|este"
    r"|он|она|оно|они|его|её)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Figure:
    """A figure of a sentence: its value and offsets, its unit, and the words on either side up to
    the next figure.
    """

    value: str
    written: str
    start: int
    end: int
    unit: str
    before: tuple[WrittenWord, ...]
    after: tuple[WrittenWord, ...]

    @property
    def is_year(self) -> bool:
        """Return whether it can only be a year."""
        return bool(_YEAR.fullmatch(self.written)) and self.unit != "%"


def separate_unspaced(text: str) -> str:
    """Return the text with a space between numbers and letters of scripts without spaces."""
    return _BESIDE_UNSPACED.sub(" ", text)


@lru_cache(maxsize=2048)
def _read_figures(text: str, language: str) -> tuple[_Figure, ...]:
    """Return the figures of a sentence in order. Years do not end the words beside a figure."""
    matches = [
        (match, values[0])
        for match in _FIGURE.finditer(text)
        if len(values := find_numbers(match[0])) == 1
    ]
    if not matches:
        return ()
    bounds = [match for match, _value in matches if not _YEAR.fullmatch(match[0])]
    ends = [0, *(match.end() for match in bounds)]
    starts = [*(match.start() for match in bounds), len(text)]
    words = read_words(text, language)
    found: list[_Figure] = []
    for match, value in matches:
        start, end = match.span()
        first = ends[bisect_right(ends, start) - 1]
        last = starts[bisect_left(starts, end)]
        before = tuple(word for word in words if first <= word.start < start)
        after = tuple(word for word in words if end <= word.start < last)
        unit = _read_unit(text, match, after, language)
        found.append(_Figure(value, match[0], start, end, unit, before, after))
    return tuple(found)


def _read_unit(text: str, match: re.Match[str], after: Sequence[WrittenWord], language: str) -> str:
    """Return "%", a sign of currency, or the root of the first noun after a figure; "" if none."""
    if _PERCENT.match(text, match.end()):
        return "%"
    currency = _CURRENCY.search(text[: match.start()])
    if currency:
        return currency[0].strip()
    stops = find_stop_words(language) if language else FILLER_WORDS
    reached = match.end()
    for word in after[:4]:
        if re.search(r"[,;:.()]", text[reached : word.start]):
            return ""
        if word.written.casefold() not in stops and not word.is_number:
            return word.roots[0]
        reached = word.start + len(word.written)
    return ""


def _get_sentence(page: ReadPage, number: int) -> str:
    """Return a sentence of a page, its numbers separated as by `separate_unspaced`."""
    return separate_unspaced(page.get_text(number, number))


def _is_same_unit(one: str, two: str) -> bool:
    return bool(one) and bool(two) and has_form(one, (two,))


@lru_cache(maxsize=1024)
def _is_measure(unit: str) -> bool:
    return not unit[:1].isalpha() or bool(read_measures(f"1 {unit}"))


def _conflict(one: str, two: str) -> bool:
    """Return whether two units exclude each other: "%" and a noun, metres and years."""
    if not one or not two or _is_same_unit(one, two):
        return False
    return _is_measure(one) or _is_measure(two)


# ---------------------------------------------------------------- the figure to name


def find_their_figure(figure: str, claim: ReadClaim, page: ReadPage, place: PagePlace) -> str:
    """Return the figure that the place gives instead of one of the claim, "" if none is plain.

    It has the same unit, or the same name directly before it, or is the only one of a sentence that
    holds most of the claim; and no other is as near.
    """
    wanted = find_numbers(figure)[:1]
    ours = [
        one
        for one in _read_figures(separate_unspaced(claim.text), page.language)
        if (one.value,) == wanted
    ]
    if not ours:
        return ""
    our, own = ours[0], set(find_numbers(claim.text))
    names = _find_names(claim, page, place)
    rated: dict[str, float] = {}
    for number in range(place.first, place.last + 1):
        text = _get_sentence(page, number)
        theirs = [
            one
            for one in _list_single(text, page.language)
            if one.value not in own
            and one.is_year == our.is_year
            and not _conflict(our.unit, one.unit)
        ]
        alone = len(theirs) == 1 and _measure_held(claim, page, number) >= SAME_SHARE
        for one in theirs:
            if not _has_names(names, text, one, page, place, number):
                continue
            if not _is_plain(our, one, text, claim, page.roots[number], is_alone=alone):
                continue
            value = _rate_nearness(our, one, text, claim)
            rated[one.written] = max(rated.get(one.written, 0.0), value)
    order = sorted(rated, key=lambda written: -rated[written])
    if not order or (len(order) > 1 and rated[order[0]] < rated[order[1]] + MARGIN):
        return ""
    return order[0]


def _list_single(text: str, language: str) -> list[_Figure]:
    """Return the figures of a sentence without the ends of ranges."""
    figures = _read_figures(text, language)
    ends: set[int] = set()
    for number, one in enumerate(figures[1:], 1):
        if _RANGE.fullmatch(text[figures[number - 1].end : one.start]):
            ends |= {number - 1, number}
    return [one for number, one in enumerate(figures) if number not in ends]


def _find_names(claim: ReadClaim, page: ReadPage, place: PagePlace) -> set[str]:
    """Return the roots that both the claim and the place write with a capital letter."""
    there = {
        word.roots[0]
        for word in read_words(page.get_text(place.first, place.last), page.language)
        if word.is_capitalised
    }
    return {
        word.roots[0]
        for word in claim.words
        if word.is_capitalised
        and word.roots[0] in there
        and claim.weights[word.roots[0]] > STOP_WEIGHT
    }


def _has_names(
    names: set[str], text: str, figure: _Figure, page: ReadPage, place: PagePlace, number: int
) -> bool:
    """Return whether a sentence is about these names: it, or the one that its pronoun refers to."""
    if names <= page.roots[number]:
        return True
    before = text[: figure.start]
    is_next = number > place.first and _PRONOUN.search(before) is not None
    return is_next and names <= page.roots[number - 1] | page.roots[number]


def _is_plain(
    our: _Figure,
    one: _Figure,
    text: str,
    claim: ReadClaim,
    roots: frozenset[str],
    *,
    is_alone: bool,
) -> bool:
    """Return whether a figure is surely of the same thing as that of the claim."""
    if _is_same_unit(our.unit, one.unit) or _follows_name(one, text, claim):
        return True
    if our.unit and one.unit and (has_form(our.unit, roots) or our.unit != one.unit):
        return False
    return is_alone


def _follows_name(figure: _Figure, text: str, claim: ReadClaim) -> bool:
    """Return whether a name of the claim precedes a figure, with only names between them."""
    for word in reversed(figure.before):
        weight = claim.weights.get(word.roots[0], 0.0)
        if word.is_capitalised and weight > STOP_WEIGHT:
            return True
        if not word.is_capitalised and word.written.casefold() not in _NAME_LINKS:
            return False
        if re.search(r"[.;]", text[word.start : figure.start]):
            return False
    return False


def _rate_nearness(our: _Figure, one: _Figure, text: str, claim: ReadClaim) -> float:
    """Return the weight of the words that both figures have beside them.

    Those on the other side count half, up to the end of the clause.
    """

    def weigh(ours: Sequence[WrittenWord], theirs: Sequence[WrittenWord]) -> float:
        roots = {word.roots[0] for word in ours} & {word.roots[0] for word in theirs}
        return sum(claim.weights.get(root, 0.0) for root in sorted(roots))

    first, last = _find_clause(one, text)
    before = [word for word in one.before if word.start >= first]
    after = [word for word in one.after if word.start < last]
    value = weigh(our.before, one.before) + weigh(our.after, one.after)
    value += (weigh(our.before, after) + weigh(our.after, before)) / 2
    return value + UNIT_WEIGHT * _is_same_unit(our.unit, one.unit)


def _find_clause(figure: _Figure, text: str) -> tuple[int, int]:
    """Return the part of a text around a figure between commas, brackets and the like."""
    opened = re.sub(r"\s*\($", "", text[: figure.start])
    breaks = [match.end() for match in _BREAK.finditer(opened)]
    later = _BREAK.search(text, figure.end)
    return (breaks[-1] if breaks else 0), (later.start() if later else len(text))


def _measure_held(claim: ReadClaim, page: ReadPage, number: int) -> float:
    """Return the share of the claim, its numbers left out, that a sentence holds."""
    total = held = 0.0
    for root, weight in claim.weights.items():
        if not root[0].isdigit() and weight > STOP_WEIGHT:
            total += weight
            held += weight * has_form(root, page.roots[number])
    return held / total if total else 1.0


# ---------------------------------------------------------------- figures of another role

#: Words before a figure that another one is compared with.
_COMPARED_WITH = (
    r"(?:up|down) from|compared (?:with|to)|versus|vs|against|gegenüber|im Vergleich zu[rm]?|contre"
    r"|par rapport (?:à|au|aux)|frente al?|respecto al?|comparado (?:con|a)|contro"
    r"|rispetto al?\w*|tegenover|против|по сравнению"
)
#: Words of roles: a target or forecast, a limit, an earlier value, and the value of others. The
#: words before a figure and those after it share one pattern.
_ROLES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:targets?|targeted|goals?|objectives?|aim(?:s|ed)?|quota|forecasts?|projected|projections?"
        r"|expected|expectations?|predict(?:ed|ion)s?|planned|budgeted"
        r"|\w*ziel(?:e|s|en|wert\w*|marke\w*|vorgabe\w*)?|vorgabe\w*|soll\w*|geplant\w*|erwartet\w*"
        r"|prognos\w+|angestrebt\w*|objectifs?|cibles?|prévu\w*|prévisions?|attendu\w*|visée?s?"
        r"|objetivos?|metas?|previst\w+|previsión|esperad\w+|obiettiv[oi]|attes[oi]|doel\w*|verwacht\w*"
        r"|цел(?:ь|и|ью|ев\w+)|план(?:а|е|ом|ов\w+)?|прогноз\w*|ожидал\w+)\b"
        r"|目标|目標|预期|預期|计划|予想|予測|목표|예상|هدف|المستهدف|المتوقع|लक्ष्य|अनुमान",
        r"\b(?:limits?|caps?|ceilings?|thresholds?|permitted|allowed|\w*grenz(?:e|en|wert\w*)"
        r"|schwell\w+|höchstwert\w*|mindestwert\w*|seuils?|plafonds?|limites?|límites?|umbral\w*|topes?"
        r"|sogli[ae]|limiti|limiares?|порог\w*|предел\w*|лимит\w*|норматив\w*)\b"
        r"|上限|下限|限值|限度|閾値|基準|한도|기준|الحد|सीमा",
        rf"\b(?:{_COMPARED_WITH}|previous(?:ly)?|earlier|formerly"
        r"|(?:a|one) year before|last year(?:['’]s)?|statt|zuvor|Vorjahr\w*"
        r"|früher\w*|vorher|auparavant|précédent\w*"
        r"|antes|anterior\w*|precedent[ei]|ante[sr]?"
        r"|vergeleken|eerder|ранее|прошл\w+)\b"
        r"|去年|上年|前年|昨年|此前|相比|전년|작년|지난해|مقارنة|السابق|العام الماضي|तुलना|पिछले",
        r"\b(?:(?:national|nationwide|state|EU|OECD|European|world(?:wide)?|global|regional|industry"
        r"|sector|international|country)(?:['’]s)?(?:-wide)? (?:average|mean|median|figure|rate)"
        r"|(?:below|above|over|under|than) (?:the|an?) (?:\w+ )?(?:average|mean|median)"
        r"|(?:bundes|landes|eu-|oecd-|welt)\w*(?:durchschnitt|schnitt|mittel)\w*"
        r"|(?:im|über dem|unter dem) (?:\w+ )?(?:durchschnitt|schnitt)\w*"
        r"|moyenne (?:nationale|européenne|mondiale)|(?:media|promedio|média) (?:nacional|mundial|europe[ao]|nazionale)"
        r"|средн\w+ по (?:стране|миру|отрасли))\b"
        r"|全国平均|全國平均|世界平均|전국 평균|المتوسط (?:الوطني|العالمي)|राष्ट्रीय औसत",
    )
)
#: Words that say that a target or limit was reached, so that its figure is the result too.
_REACHED = re.compile(
    r"\b(?:met|meets?|meeting|reach\w*|hit(?:s|ting)?|achiev\w+|attain\w*|match\w*|equal\w*"
    r"|erreich\w+|erfüll\w+|atteint\w*|atteign\w+|alcanz\w+|cumpl\w+|logr\w+|raggiun\w+|ating\w+"
    r"|достиг\w*|gehaald|bereikt)\b|达到|達到|達成|实现|달성|بلغ|حقق|प्राप्त|हासिल",
    re.IGNORECASE,
)
_NOT_REACHED = re.compile(
    r"\b(?:not|never|n['’]t|fail\w*|miss\w*|nicht|verfehl\w*|pas|no|non|não|не)\b|未|没|ない",
    re.IGNORECASE,
)
#: Up to four words.
_FEW_WORDS = re.compile(r"(?:\s*\S+){0,4}")
_BREAK = re.compile(r"[,;()—–،，；、]|\.\s")
_ROLE_BREAK = re.compile(rf"{_BREAK.pattern}|(?=\b(?:{_COMPARED_WITH})\b)", re.IGNORECASE)
_YEAR_AFTER = re.compile(
    r"(?:\s?%|\s[^\W\d_]{1,30}){0,2}?\s?(?:\((?:in |im Jahr )?|\b(?:in|im Jahr|im|en|em|nel|в|for|during|anno)\s)"
    r"(?P<year>(?:1[5-9]|20)\d\d)(?!\d)"
)
_CLAUSE = re.compile(
    r"[,;،，；、]\s?|\s(?:and|but|while|whereas|und|aber|während|et|mais|tandis que|y|pero|mientras que"
    r"|e|ma|mentre|mas|enquanto|и|а|en|maar|terwijl)\s"
)  # fmt: skip


def find_other_role(claim: ReadClaim, page: ReadPage) -> Exchange | None:
    """Return a figure of the claim with another role on the page, and the page's figure instead.

    The page has the figure only as a target, a limit, an earlier value, or the value of others, of
    another year or another group, and beside it a figure of the same unit that is none of these.
    """
    figures = _read_figures(separate_unspaced(claim.text), page.language)
    ours = [one for one in figures if not one.is_year]
    own = {one.value for one in ours}
    years = {one.value for one in figures if one.is_year}
    for our in ours:
        found = ""
        for number in find_nearest_sentences(claim, page, SENTENCES):
            text = _get_sentence(page, number)
            here = [one for one in _read_figures(text, page.language) if not one.is_year]
            same = [one for one in here if one.value == our.value]
            if not same or _measure_held(claim, page, number) < NEAR_SHARE:
                continue
            others = [one for one in here if one.value not in own]
            instead = {_find_instead(one, others, text, claim, years, page) for one in same}
            if "" in instead:
                found = ""
                break
            found = found or min(instead)
        if found:
            return Exchange(our.written, found)
    return None


def _find_instead(
    same: _Figure,
    others: Sequence[_Figure],
    text: str,
    claim: ReadClaim,
    years: set[str],
    page: ReadPage,
) -> str:
    """Return the figure of a sentence that the claim should have, "" if its own is right."""
    comparable = [one for one in others if one.unit == same.unit or not one.unit or not same.unit]
    if not comparable:
        return ""
    year = _find_year(same, text)
    if year in years and _YEAR_AFTER.match(text, same.end):
        return ""
    if len(years) == 1 and year and year not in years:
        of_year = [one for one in comparable if _find_year(one, text) in years]
        if len(of_year) == 1:
            return of_year[0].written
    roles = _find_roles(same, text)
    if roles and not any(role.search(claim.text) for role in roles):
        bare = [
            one
            for one in comparable
            if not _find_roles(one, text) and (not years or _find_year(one, text) in (*years, ""))
        ]
        if len(bare) == 1:
            return bare[0].written
    return _find_other_group(same, comparable, text, claim, page)


def _find_roles(figure: _Figure, text: str) -> list[re.Pattern[str]]:
    """Return the patterns of the roles that the words beside a figure give it.

    A word between two figures belongs to the nearer one: "93% against a target of 95%".
    """
    earlier = list(_FIGURE.finditer(text, 0, figure.start))
    later = _FIGURE.search(text, figure.end)
    left = text[earlier[-1].end() if earlier else 0 : figure.start]
    right = text[figure.end : later.start() if later else len(text)]
    before = _ROLE_BREAK.split(left)[-1]
    after = _ROLE_BREAK.split(right)[0]
    near = next(_FEW_WORDS.finditer(after))[0]
    shares_before = before == left and bool(earlier) and not _YEAR.fullmatch(earlier[-1][0])
    shares_after = after == right and later is not None and not _YEAR.fullmatch(later[0])
    found: list[re.Pattern[str]] = []
    for role in _ROLES:
        for word in role.finditer(before):
            if not shares_before or len(before) - word.end() <= word.start():
                found.append(role)
        for word in role.finditer(near):
            if not shares_after or word.start() < len(after) - word.end():
                found.append(role)
    is_reached = _REACHED.search(before) and not _NOT_REACHED.search(text[: figure.start])
    return [role for role in found if not (is_reached and role in _ROLES[:2])]


def _find_year(figure: _Figure, text: str) -> str:
    """Return the year of a figure, "" if the sentence does not say it plainly."""
    after = _YEAR_AFTER.match(text, figure.end)
    if after is not None:
        return after["year"]
    numbers = list(_FIGURE.finditer(text, 0, figure.start))
    return numbers[-1][0] if numbers and _YEAR.fullmatch(numbers[-1][0]) else ""


def _find_other_group(
    same: _Figure, others: Sequence[_Figure], text: str, claim: ReadClaim, page: ReadPage
) -> str:
    """Return the figure of the group that the claim names, where this one is of another group."""
    clauses: list[tuple[int, int]] = []
    start = 0
    for cut in (*_CLAUSE.finditer(text), None):
        clauses.append((start, cut.start() if cut else len(text)))
        start = cut.end() if cut else start
    places = {
        one: [n for n, (a, b) in enumerate(clauses) if a <= one.start < b]
        for one in (same, *others)
    }
    held = [number for numbers in places.values() for number in numbers]
    if len(held) != len(places) or len(set(held)) < len(held):
        return ""  # two figures in one clause
    found: list[str] = []
    for one in others:
        for side in (0, 1):
            ours = _read_side(same, clauses[places[same][0]], side, text, page.language)
            theirs = _read_side(one, clauses[places[one][0]], side, text, page.language)
            if _names_other_group(ours, theirs, claim, one.unit, side):
                found.append(one.written)
                break
    return found[0] if len(found) == 1 else ""


def _read_side(
    figure: _Figure, clause: tuple[int, int], side: int, text: str, language: str
) -> list[str]:
    """Return the roots of a clause before a figure (side 0) or after it, without stop words."""
    start, end = (clause[0], figure.start) if side == 0 else (figure.end, clause[1])
    stops = find_stop_words(language) if language else FILLER_WORDS
    return [
        word.roots[0]
        for word in read_words(text[start:end], language)
        if word.written.casefold() not in stops and word.written[0].isalpha()
    ]


def _names_other_group(
    ours: Sequence[str], theirs: Sequence[str], claim: ReadClaim, unit: str, side: int
) -> bool:
    """Return whether the claim names words beside the other figure that are not beside its own.

    A word beside one figure may apply to both ("60% of men smoked and 40% of women"), so the word
    directly after each figure is compared too.
    """

    def is_named(root: str) -> bool:
        return root not in ours and root != unit and claim.weights.get(root, 0.0) >= GROUP_WEIGHT

    named = any(map(is_named, theirs))
    strange = [root for root in ours if root not in theirs and len(root) > 2]
    if not named or not strange:
        return False
    has_pair = side == 1 and ours[0] not in claim.weights and is_named(theirs[0])
    return has_pair or not any(root in claim.weights for root in strange)
