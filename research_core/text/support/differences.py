"""Name what a claim says differently from the place of a page that it is closest to.

The claim is aligned with the place: a figure, date, name or limiting word counts as different where
the rest of the claim is there. Each kind has one function, which returns the difference in words
for a reader or None; `find_difference` tries them in the order in which they are surest. Tables of
words exist for English, German, French and Spanish; figures, dates and quotations are read in any
script.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

from research_core.i18n import _, join_list
from research_core.text.antonyms import find_opposite_word
from research_core.text.sentences import find_sentences
from research_core.text.support.contrasts import (
    find_contrast,
    find_exchanged_ends,
    find_exchanged_name,
    find_exchanged_sides,
    find_one_sided_negation,
)
from research_core.text.support.dates import (
    find_dates,
    find_missing_dates,
    remove_dates,
    separate_date_parts,
)
from research_core.text.support.figure_roles import (
    find_other_role,
    find_their_figure,
    separate_unspaced,
)
from research_core.text.support.figures import (
    find_missing_figures,
    find_missing_fractions,
    find_reversed_figures,
    find_values,
    remove_fractions,
)
from research_core.text.support.measures import Measure, has_bare_amount, read_measures
from research_core.text.support.negation import find_hedge, text_denies
from research_core.text.support.order import find_swapped, find_swapped_roles
from research_core.text.support.page_places import (
    STOP_WEIGHT,
    PagePlace,
    ReadClaim,
    ReadPage,
    WrittenWord,
    find_nearest_sentences,
    has_form,
    read_roots,
    read_words,
)
from research_core.text.support.quotations import contains_literally, find_quotations
from research_core.text.support.reversals import (
    find_negated_verb,
    find_opposed_verb,
    find_other_pair,
    find_other_reach,
    find_other_row,
    find_other_speaker,
    find_other_surname,
)
from research_core.text.support.scope import (
    find_added_scope,
    find_raised_degree,
    find_wider_claim,
)
from research_core.text.words import find_numbers, tokenize

DifferenceKind = Literal[
    "", "figure", "date", "quotation", "stronger", "entity", "scope", "not mentioned"
]

#: The share of the claim's other words that a place must hold before a figure, date or name that it
#: lacks is called different, and before a limiting word that the claim drops is.
ALIGNED_SHARE, SAME_SHARE = 0.6, 0.75
#: The share from which a date or figure that the page lacks is missed.
NEAR_SHARE = 0.35
#: The sentences of the page, besides the place, that may hold a figure.
NEAREST_SENTENCES = 5
#: The words from which a quotation must be there word for word.
SHORTEST_QUOTE = 4
#: The rarity from which an English word that opens a sentence can be a name.
NAME_RARITY = 3.6
#: The most words of a place that may replace a name and its neighbours.
MAX_REPLACED = 6
#: How far a rounded figure may be from the page's, as a share.
ROUNDING = 0.05


@dataclass(frozen=True)
class Difference:
    """A kind and one sentence for a reader."""

    kind: DifferenceKind
    note: str


@dataclass(frozen=True)
class _Pair:
    """A claim beside its place: the place's text, that with its neighbours, and its single sentence
    that holds most of the claim.
    """

    claim: ReadClaim
    page: ReadPage
    place: PagePlace
    text: str
    around: str
    nearest: str
    compares_reversals: bool

    def share_without(self, dropped: set[str]) -> float:
        """Return the share of the claim that the place holds, without these roots."""
        there = frozenset[str]().union(*self.page.roots[self.place.first : self.place.last + 1])
        total = held = 0.0
        for root, weight in self.claim.weights.items():
            if root in dropped or weight <= STOP_WEIGHT:
                continue
            total += weight
            if has_form(root, there):
                held += weight
        return held / total if total else 1.0


def find_difference(
    claim: ReadClaim, page: ReadPage, place: PagePlace, *, compares_reversals: bool
) -> Difference | None:
    """Return the surest difference of the claim from the place, None if there is none.

    compares_reversals: compare also what `reversals` and `figure_roles` find, and exchanged months.
    """
    pair = _Pair(
        claim,
        page,
        place,
        page.get_text(place.first, place.last),
        page.get_text(place.first - 1, place.last + 1),
        _find_nearest(claim, page, place),
        compares_reversals,
    )
    for compare in _COMPARISONS if compares_reversals else _FIRST_COMPARISONS:
        difference = compare(pair)
        if difference is not None:
            return difference
    return None


def _find_nearest(claim: ReadClaim, page: ReadPage, place: PagePlace) -> str:
    """Return the sentence of the place that holds most of the claim, the first of equals."""
    best, most = place.first, -1.0
    for number in range(place.first, place.last + 1):
        weight = sum(claim.weights[root] for root in claim.weights if root in page.roots[number])
        if weight > most + 1e-9:
            best, most = number, weight
    return page.get_text(best, best)


# ---------------------------------------------------------------- quotations

_LOW_QUOTES = re.compile("[„‚]([^„“”‚‘’\n]+)[“”‘’]|「([^「」]+)」|『([^『』]+)』")


def _compare_quotations(pair: _Pair) -> Difference | None:
    """Compare quotations of several words with the whole page."""
    text = _LOW_QUOTES.sub(lambda match: f"“{match[1] or match[2] or match[3]}”", pair.claim.text)
    for quote in find_quotations(text):
        words = read_words(quote, pair.page.language)
        capitals = sum(word.is_capitalised for word in words)
        if len(words) < SHORTEST_QUOTE or 2 * capitals >= len(words):  # the latter is a title
            continue
        if contains_literally(quote, pair.page.text):
            continue
        # A part that was left out or inserted is marked: "… [the lake] …".
        parts = [part.strip(" ,.;") for part in re.split(r"\[[^\]]*\]|\.\.\.|…", quote)]
        if all(contains_literally(part, pair.page.text) for part in parts if part):
            continue
        note = _("This quotation is not on the page word for word: “{quote}”.")
        return Difference("quotation", note.format(quote=quote))
    return None


# ---------------------------------------------------------------- dates

#: The names of months by language, January first; forms of one month are divided by "|".
_MONTH_ROWS = (
    "januar|jänner februar märz april mai juni juli august september oktober november dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre"
    " diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "января|январь|январе февраля|февраль|феврале марта|март|марте апреля|апрель|апреле мая|май|мае"
    " июня|июнь|июне июля|июль|июле августа|август|августе сентября|сентябрь|сентябре"
    " октября|октябрь|октябре ноября|ноябрь|ноябре декабря|декабрь|декабре",
    "january february march april may june july august september october november december",
    "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
    "जनवरी फ़रवरी|फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर|सितम्बर अक्टूबर|अक्तूबर नवंबर|नवम्बर दिसंबर|दिसम्बर",
)
_MONTH_NUMBERS = {
    name: number
    for row in _MONTH_ROWS
    for number, names in enumerate(row.split(), 1)
    for name in names.split("|")
}
_YEAR = re.compile(r"(?<![\w.,$€£-])(1[0-9]|20)\d\d(?![\w%€]|[.,]\d)(?!\s?(?:%|°|€|km|kg|m\b))")
_DAY_BEFORE = re.compile(r"(\d{1,2})(?:\.|er|st|nd|rd|th|º|°|\.º)?\s+(?:de\s+|of\s+|do\s+)?$")
_DAY_AFTER = re.compile(r"\s+(?:the\s+)?(\d{1,2})(?:st|nd|rd|th)?(?![\d%.,]\d|\d)\b")
#: The year beside the name of a month, and a month of a year in Chinese, Japanese and Korean.
_YEAR_NEXT = re.compile(
    r",?\s+(?:of\s+|de\s+|del\s+|den\s+)?(?P<year>(?:1[5-9]|20)\d\d)(?![\w%]|[.,]\d)"
)
_HAN_MONTH = re.compile(r"((?:1[5-9]|20)\d\d)\s?[年년]\s?(\d{1,2})\s?[月월]")


@lru_cache(maxsize=2048)
def _find_month_days(text: str) -> frozenset[tuple[int, int]]:
    """Return (month, day) of dates with a named month; day 0 if only the month is named."""
    found: set[tuple[int, int]] = set()
    for match in re.finditer(r"[^\W\d_][^\W\d_\u0300-\u036f\u0900-\u0963़ि]*[^\s\d.,;:()]*", text):
        month = _MONTH_NUMBERS.get(match[0].casefold())
        if month is None:
            continue
        day = _DAY_BEFORE.search(text[max(0, match.start() - 12) : match.start()])
        day = day or _DAY_AFTER.match(text, match.end())
        if day is not None:
            found.add((month, int(day[1])))
        elif match[0][0].isupper() or not match[0].isascii() or len(match[0]) > 5:
            found.add((month, 0))
    for stated in find_dates(text):
        found.update((one.month, one.day) for one in stated.days)
    return frozenset(found)


def _find_years(text: str) -> list[str]:
    """Return the years of a text in order, also those within numeric dates."""
    return [match[0] for match in _YEAR.finditer(_separate_numbers(text))]


#: Words by which a page gives a date that only its own date of publication tells.
_RELATIVE_DATE = re.compile(
    r"\b(?:today|tonight|yesterday|tomorrow|now|(?:last|this|next|past|coming|previous|same|earlier"
    r" this|later this) (?:night|morning|afternoon|evening|week|weekend|month|year|season|summer"
    r"|autumn|winter|spring|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
    r"|(?:days?|weeks?|months?|years?) (?:ago|later|earlier)"
    r"|heute|gestern|vorgestern|vor \w+ (?:Tagen|Wochen|Monaten|Jahren)|im Vorjahr"
    r"|(?:letzte|vergangene|diese|nächste|kommende)[nmrs]? (?:Nacht|Woche|Wochenende|Monat|Jahr|Saison"
    r"|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag)\w*"
    r"|hier|aujourd['’]hui|demain|il y a \w+ (?:jours|semaines|mois|ans)|l['’]an dernier"
    r"|(?:cette|la) (?:nuit|semaine|année|saison)(?: (?:dernière|passée|prochaine))?"
    r"|ce (?:matin|soir|mois)|(?:mois|été|hiver) dernier"
    r"|ayer|anoche|hoy|hace \w+ (?:días|semanas|meses|años)|est[ea] (?:año|mes|semana|noche|temporada)"
    r"|(?:el|la) (?:año|mes|semana|temporada) pasad[oa]|ontem|hoje|est[ea] ano|ano passado"
    r"|ieri|oggi|quest['’]anno|(?:l['’]anno|il mese|la settimana) scors[oa]|gisteren|vandaag|vorig jaar"
    r"|вчера|сегодня|в (?:прошлом|этом) году|на прошлой неделе)\b"
    r"|昨日|昨年|今年|去年|来年|先月|今月|先週|昨天|今天|明年|上个?月|本月|上周|어제|오늘|작년|올해|지난달"
    r"|पिछले (?:साल|महीने|सप्ताह)|इस (?:साल|महीने|वर्ष)|أمس|اليوم|العام الماضي|هذا العام|الشهر الماضي",
    re.IGNORECASE,
)


def _has_own_relative_date(pair: _Pair) -> bool:
    """Return whether the place dates by its own day ("last year"), which the claim does not."""
    claim = pair.claim.text.casefold()
    return any(match[0].casefold() not in claim for match in _RELATIVE_DATE.finditer(pair.nearest))


def _compare_dates(pair: _Pair) -> Difference | None:
    """Compare years, months and days."""
    if _has_own_relative_date(pair):
        return None
    numbers = {root for root in pair.claim.weights if root[0].isdigit()}
    months = {root for word in pair.claim.words for root in word.roots if _is_month(word.written)}
    if pair.share_without(numbers | months) < NEAR_SHARE:
        return None
    missing = [
        date
        for date in find_missing_dates(pair.claim.text, pair.page.text)
        if not _holds_month_days(_find_month_days(date), pair.page.text)
    ]
    if not missing and not _holds_month_days(_find_month_days(pair.claim.text), pair.page.text):
        missing = [_describe_months(pair.claim)]
    if missing:
        return Difference(
            "date", _("The page does not give this date: {date}.").format(date=missing[0])
        )
    asked = _find_years(pair.claim.text)
    everywhere = _list_separate_numbers(pair.page.text)
    around = _list_separate_numbers(pair.around)
    others = [year for year in _find_years(pair.nearest) if year not in asked]
    for year in asked:
        if year not in everywhere:
            return Difference("date", _name_other(year, others, "date"))
        if year not in around and others and pair.share_without(numbers) >= SAME_SHARE:
            return Difference("date", _name_other(year, others, "date"))
    return None


def _remove_calendar(text: str) -> str:
    """Return the text without years and the days before or after the names of months."""
    kept = list(_YEAR.sub(lambda year: " " * len(year[0]), separate_unspaced(text)))
    text = "".join(kept)
    for word in re.finditer(r"[^\W\d_]{3,}", text):
        if not _is_month(word[0]):
            continue
        before = _DAY_BEFORE.search(text[: word.start()])
        after = _DAY_AFTER.match(text, word.end())
        for day in (before, after):
            if day is not None:
                kept[day.start(1) : day.end(1)] = " " * (day.end(1) - day.start(1))
    return "".join(kept)


def _is_month(written: str) -> bool:
    return written.casefold() in _MONTH_NUMBERS


def _describe_months(claim: ReadClaim) -> str:
    """Return the first month of the claim with its neighbours, as written."""
    for number, word in enumerate(claim.words):
        if _is_month(word.written):
            near = claim.words[max(0, number - 1) : number + 2]
            numbers = [one.written for one in near if one is word or one.is_number]
            return " ".join(numbers)
    return claim.text


def _holds_month_days(asked: frozenset[tuple[int, int]], page: str) -> bool:
    """Return whether a page has each of these days, or their months without a day."""
    if not asked:
        return True
    there = _find_month_days(page)
    months = {month for month, _day in there}
    for month, day in asked:
        if (month, day) in there or (day == 0 and month in months):
            continue
        if (month, 0) in there and not any(one == month and other for one, other in there):
            continue
        return False
    return True


def _name_other(ours: str, others: Sequence[str], kind: str) -> str:
    """Return the note on a date or figure, with that of the page if it gives one other."""
    if len(others) == 1:
        if kind == "date":
            note = _("The page gives another date: {theirs}, not {ours}.")
        else:
            note = _("The page gives another figure: {theirs}, not {ours}.")
        return note.format(theirs=others[0], ours=ours)
    if kind == "date":
        return _("The page does not give this date: {date}.").format(date=ours)
    return _("The page does not give this figure: {figure}.").format(figure=ours)


# ---------------------------------------------------------------- figures

#: Scale words of one size, by row.
_SCALE_ROWS = """
thousand tausend mille mil тысяч тысячи
million millions millionen mio millón millones milhão milhões миллион миллиона миллионов
billion billions bn milliarde milliarden mrd milliard milliards миллиард миллиарда миллиардов
trillion trillions billionen billón billones
"""
_SCALE_OF = {
    word: number
    for number, row in enumerate(_SCALE_ROWS.strip().split("\n"))
    for word in row.split()
}
#: The beginnings of units of which one is a multiple of the other.
_PREFIX_UNIT = re.compile(
    r"(?P<prefix>micro|milli|mikro|centi|zenti|kilo|mega|méga|giga|tera|téra)(?P<unit>\w{3,})$"
)
#: The number of a name: "COVID-19".
_NUMBERED_NAME = re.compile(r"(?<=[^\W\d_])[-‐‑]\d+")
#: A part of a text, match or year, which is no fraction.
_NUMBERED_HALF = re.compile(r"\b(?:first|second|latter|former|other) half\b", re.IGNORECASE)
#: Numbers in words that were written without their hyphen.
_SPACED_NUMBER = re.compile(
    r"\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
    r" (one|two|three|four|five|six|seven|eight|nine)\b",
    re.IGNORECASE,
)
#: The number of a list's item, and that of a century, which a page may give by its years.
_NO_FIGURE = re.compile(
    r"^\s*\d{1,2}[.)]\s"
    r"|\d{1,2}(?:st|nd|rd|th|\.|e|er|ème)?[\s-]+(?:centur|Jahrhundert|siècle|siglo|secolo|век)\w*"
    r"|\b\w+(?:th|nd|rd|st)\s+century"
)
_SMALLEST_FIGURES = frozenset("0 1 2".split())


def _compare_figures(pair: _Pair) -> Difference | None:
    """Compare figures by value, and their scale or unit where the value is the same."""
    numbers = {root for root in pair.claim.weights if root[0].isdigit()}
    share = pair.share_without(numbers)
    if share < NEAR_SHARE:
        return None
    said = _NUMBERED_HALF.sub(" ", pair.claim.text)
    if _has_own_relative_date(pair):
        said = _remove_calendar(said)
    bare = _NUMBERED_NAME.sub(" ", remove_fractions(remove_dates(said)))
    fractions = find_missing_fractions(said, pair.page.text)
    if fractions:
        return Difference("figure", _name_other(fractions[0], (), "figure"))
    bare = _separate_numbers(_NO_FIGURE.sub(" ", bare))
    spread = _separate_numbers(pair.page.text)
    missing = find_missing_figures(bare, spread) if find_values(bare) else []
    known = _list_values(spread)
    near = _list_values(_separate_numbers(pair.around))
    for figure in missing:
        value = "".join(find_numbers(figure)[:1])
        if value and (_is_rounded_figure(value, bare, known) or _is_computed(value, near)):
            continue
        if not value and _is_computed("".join(find_values(figure)), near):
            continue
        if value in known:
            continue  # its unit is compared below
        if _is_converted(value, bare, pair.around):
            continue
        return Difference("figure", _name_other(figure, _list_theirs(pair, figure, bare), "figure"))
    unit = _find_other_unit(pair) if share >= ALIGNED_SHARE else None
    unit = unit or _find_other_measure(pair, bare)
    if unit is not None:
        return Difference("figure", _name_other(unit[0], [unit[1]], "figure"))
    return _compare_near_figures(pair, bare)


def _list_theirs(pair: _Pair, figure: str, bare: str) -> list[str]:
    """Return the figure that the page gives for the same thing, nothing if that is not plain."""
    if pair.compares_reversals:
        theirs = find_their_figure(figure, pair.claim, pair.page, pair.place)
        return [theirs] if theirs else []
    own = find_numbers(bare)
    return [one for one in find_numbers(_separate_numbers(pair.nearest)) if one not in own]


def _compare_near_figures(pair: _Pair, bare: str) -> Difference | None:
    """Compare a figure that is elsewhere on the page with the one in the place."""
    numbers = {root for root in pair.claim.weights if root[0].isdigit()}
    around = _list_values(_separate_numbers(pair.around))
    own = set(find_values(bare)) | set(find_numbers(bare))
    theirs = _list_units(pair.nearest)
    for value, unit in _list_units(bare):
        if value in around or value in _SMALLEST_FIGURES or not unit or _YEAR.fullmatch(value):
            continue
        others = [one for one, other in theirs if other == unit and one not in own]
        if not others or pair.share_without(numbers) < SAME_SHARE:
            continue
        if _is_in_other_place(pair, value) or _is_converted(value, bare, pair.around):
            continue
        if not _is_rounded(value, around) and not _is_computed(value, around):
            if pair.compares_reversals:
                others = _list_theirs(pair, value, bare)
            return Difference("figure", _name_other(value, others, "figure"))
    return None


def _is_in_other_place(pair: _Pair, value: str) -> bool:
    """Return whether another sentence has the figure and much of the claim."""
    for number in find_nearest_sentences(pair.claim, pair.page, NEAREST_SENTENCES):
        text = pair.page.get_text(number, number)
        held = sum(
            weight for root, weight in pair.claim.weights.items() if root in pair.page.roots[number]
        )
        if held >= NEAR_SHARE * pair.claim.total and value in _list_values(_separate_numbers(text)):
            return True
    return False


@lru_cache(maxsize=256)
def _separate_numbers(text: str) -> str:
    """Return the text with spaces between the parts of dates, and as `separate_unspaced` does.

    "Twenty five" gets its hyphen.
    """
    return _SPACED_NUMBER.sub(r"\1-\2", separate_unspaced(separate_date_parts(text)))


@lru_cache(maxsize=256)
def _list_separate_numbers(text: str) -> frozenset[str]:
    return frozenset(find_numbers(_separate_numbers(text)))


@lru_cache(maxsize=256)
def _list_values(text: str) -> frozenset[str]:
    return find_values(text) | frozenset(find_numbers(text))


@lru_cache(maxsize=4096)
def _list_units(text: str) -> tuple[tuple[str, str], ...]:
    """Return (value, the word or sign after it) of the numbers of a text."""
    found: list[tuple[str, str]] = []
    for match in re.finditer(r"(?<![A-Za-z\d])\d[\d.,'’\u00a0\u202f]*(?<=\d)", text):
        values = find_numbers(match[0])
        after = re.match(r"[\s\u00a0-]*(%|°\w|[€$£]|[^\W\d_]+)", text[match.end() :])
        if len(values) == 1:
            found.append((values[0], after[1].casefold() if after else ""))
    return tuple(found)


def _find_other_unit(pair: _Pair) -> tuple[str, str] | None:
    """Return (ours, theirs) where one number has another scale or unit on the page."""
    there: dict[str, set[str]] = {}
    for value, unit in _list_units(pair.around):
        there.setdefault(value, set()).add(unit)
    for value, unit in _list_units(pair.claim.text):
        units = there.get(value, set())
        if not unit or unit in units or len(units) != 1:
            continue
        other = next(iter(units))
        if _have_other_size(unit, other):
            return f"{value} {unit}", f"{value} {other}"
    return None


def _find_other_measure(pair: _Pair, bare: str) -> tuple[str, str] | None:
    """Return (ours, theirs) where one amount is in another unit or currency on the page."""
    ours = read_measures(bare)
    if not ours:
        return None
    around = _separate_numbers(pair.around)
    there = read_measures(around)
    dropped = {root for root in pair.claim.weights if root[0].isdigit()}
    for measure in ours:
        dropped |= read_roots(measure.text, pair.page.language)
    if pair.share_without(dropped) < ALIGNED_SHARE:
        return None
    for measure in ours:
        same = [one for one in there if one.amount == measure.amount]
        if not same or has_bare_amount(around, measure.value):
            continue
        if not all(map(measure.differs, same)) or any(map(measure.equals, there)):
            continue
        if len({one.units for one in same}) == 1 and not _is_measured_elsewhere(pair, measure):
            return measure.text.strip(), same[0].text.strip()
    return None


def _is_measured_elsewhere(pair: _Pair, measure: Measure) -> bool:
    """Return whether another sentence has the amount in its unit and much of the claim."""
    for number in find_nearest_sentences(pair.claim, pair.page, NEAREST_SENTENCES):
        text = _separate_numbers(pair.page.get_text(number, number))
        held = sum(
            weight for root, weight in pair.claim.weights.items() if root in pair.page.roots[number]
        )
        if held < NEAR_SHARE * pair.claim.total:
            continue
        if any(
            one.amount == measure.amount and one.units & measure.units
            for one in read_measures(text)
        ):
            return True
    return False


def _is_converted(value: str, said: str, around: str) -> bool:
    """Return whether the place has the amount in another unit, rightly converted."""
    there = read_measures(_separate_numbers(around))
    ours = [measure for measure in read_measures(said) if measure.value == value]
    return any(measure.equals(other) for measure in ours for other in there)


def _have_other_size(unit: str, other: str) -> bool:
    """Return whether two scale or unit words differ in size: "million", "billion"."""
    one_scale, other_scale = _SCALE_OF.get(unit), _SCALE_OF.get(other)
    if one_scale is not None and other_scale is not None:
        return one_scale != other_scale
    one, two = _PREFIX_UNIT.match(unit), _PREFIX_UNIT.match(other)
    if one is None or two is None:
        return False
    return one["unit"][:3] == two["unit"][:3] and one["prefix"][:3] != two["prefix"][:3]


def _to_float(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _is_rounded(value: str, known: frozenset[str]) -> bool:
    """Return whether the value is one of these, rounded to fewer digits."""
    ours = _to_float(value)
    if not ours:
        return False
    digits = len(value.replace(".", "").rstrip("0"))
    for other in known:
        theirs = _to_float(other)
        if theirs is None or len(other.replace(".", "").rstrip("0")) <= digits:
            continue
        if abs(theirs - ours) <= ROUNDING * abs(theirs) and f"{theirs:.{digits}g}" in (
            f"{ours:.{digits}g}",
            f"{ours:.{digits + 1}g}",
        ):
            return True
    return False


def _is_rounded_figure(value: str, text: str, known: frozenset[str]) -> bool:
    """Return whether a figure of the text, with its scale word, is one of these when rounded."""
    digits = value.replace(".", "").rstrip("0")
    scaled = [one for one in find_values(text) if digits and one.startswith(digits)]
    return any(_is_rounded(one, known) for one in (value, *scaled))


def _is_computed(value: str, near: frozenset[str]) -> bool:
    """Return whether the value is the difference of two years, or the sum of two counts, nearby."""
    ours = _to_float(value)
    years = sorted(float(one) for one in near if _YEAR.fullmatch(one))
    return ours is not None and any(
        later - earlier == ours for n, earlier in enumerate(years) for later in years[n + 1 :]
    )


# ---------------------------------------------------------------- names

_WITHOUT_CAPITALS = frozenset("ar fa he hi ja ko th zh".split())
_NO_NAMES = frozenset(
    "i the a an in on at by for from of to and but or if when while as it its he she they we this"
    " that these those there his her their our after before since until during between both some"
    " many most more all no not with according about over under also however i'm".split()
)


#: A part of a year: "Q2", "H1", "FY2023".
_PERIOD = re.compile(r"(?:[QH][1-4]|FY\d{2,4})")


def _compare_names(pair: _Pair) -> Difference | None:
    """Compare names: one that the page lacks, where the place has another instead of it."""
    language = pair.page.language
    if language in _WITHOUT_CAPITALS:
        return None
    there = read_words(pair.around, language)
    # Units are compared with their amounts: "392 °F" may be "200 °C".
    units: set[str] = set()
    for measure in read_measures(pair.claim.text):
        units.update(word.written for word in read_words(measure.text, language))
    for word in _list_missing_names(pair):
        if word.written in units:
            continue
        dropped = set(word.roots)
        if pair.share_without(dropped) < ALIGNED_SHARE:
            continue
        theirs = _find_numbered(word, there) or _find_counterpart(pair, word, there)
        if theirs:
            return _name_other_name(word.written, theirs)
    if language == "de":
        return None
    exchanged = find_exchanged_name(pair.claim, pair.page)
    if exchanged is not None and exchanged.ours not in units and not _is_month(exchanged.ours):
        return _name_other_name(exchanged.ours, exchanged.theirs)
    return None


def _name_other_name(ours: str, theirs: str) -> Difference:
    note = _("The page names {theirs}, not {ours}.")
    return Difference("entity", note.format(theirs=theirs, ours=ours))


def _list_missing_names(pair: _Pair) -> list[WrittenWord]:
    """Return the names of the claim that the page lacks in any form."""
    words = pair.claim.words
    starts = {start for start, _end in find_sentences(pair.claim.text)}
    folded = pair.page.text.casefold()
    found: list[WrittenWord] = []
    if 2 * sum(word.is_capitalised for word in words) > len(words):
        return found  # a title
    for number, word in enumerate(words):
        written = word.written
        if not word.is_capitalised or word.is_number or _is_month(written):
            continue
        if written.casefold() in _NO_NAMES or all(map(pair.page.holds, word.roots)):
            continue
        if _PERIOD.fullmatch(written):
            continue
        if pair.page.language == "de" and not _may_be_german_name(words, number):
            continue
        opens = word.start in starts or _opens_quotation(pair.claim.text, word.start)
        if opens and not _joins_name(pair.claim.text, words, number):
            continue
        if opens and not pair.page.language and pair.claim.weights[word.roots[0]] < NAME_RARITY:
            continue
        bare = re.sub(r"['’]s$", "", written).casefold()
        if bare in folded or _is_abbreviation(bare, pair.page.text):
            continue
        found.append(word)
    return found


#: Words before a German name, as every noun has a capital: an article or adjective makes it none.
_BEFORE_GERMAN_NAME = frozenset(
    "in aus von nach bei für mit an auf laut durch über unter gegen ohne um bis zu und sowie zwischen"
    " oder als".split()
)


def _may_be_german_name(words: Sequence[WrittenWord], number: int) -> bool:
    """Return whether the position of a capitalised German word allows a name."""
    if number == 0:
        return True
    before = words[number - 1]
    return before.is_capitalised or before.written in _BEFORE_GERMAN_NAME


def _joins_name(text: str, words: Sequence[WrittenWord], number: int) -> bool:
    """Return whether another capitalised word follows this one, with a space between them."""
    if number + 1 >= len(words) or not words[number + 1].is_capitalised:
        return False
    word, following = words[number], words[number + 1]
    return text[word.start + len(word.written) : following.start] == " "


def _opens_quotation(text: str, start: int) -> bool:
    return bool(re.search(r"[\"“„«‘'(:*•>\n-]\s*$", text[max(0, start - 3) : start]))


def _is_abbreviation(bare: str, page: str) -> bool:
    """Return whether the word is the initials of a name of the page."""
    if not 2 <= len(bare) <= 6:
        return False
    pattern = r"[\s-]+(?:(?:of|for|the|and|de|der|des|du|la|und)\s+)*".join(
        rf"{re.escape(letter.upper())}\w+" for letter in bare
    )
    return re.search(pattern, page) is not None


def _find_numbered(word: WrittenWord, there: Sequence[WrittenWord]) -> str:
    """Return a name of the place that differs from the word in its digits only, or ""."""
    letters = re.sub(r"\d+", "#", word.written)
    if "#" not in letters:
        return ""
    for other in there:
        if re.sub(r"\d+", "#", other.written) == letters:
            return other.written
    return ""


def _find_counterpart(pair: _Pair, word: WrittenWord, there: Sequence[WrittenWord]) -> str:
    """Return the name that the place has instead of this word of the claim, or ""."""
    ours = [" ".join(one.roots) for one in pair.claim.words]
    theirs = [" ".join(one.roots) for one in there]
    number = pair.claim.words.index(word)
    known = frozenset(root for one in pair.claim.words for root in one.roots)
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    for kind, first, last, other_first, other_last in matcher.get_opcodes():
        if kind != "replace" or not first <= number < last:
            continue
        most = last - first + 2
        if last == len(ours):  # what follows the claim's last words is another matter
            other_last = min(other_last, other_first + most)
        elif first == 0:
            other_first = max(other_first, other_last - most)
        if other_last - other_first > MAX_REPLACED:
            continue
        names = [
            one.written
            for at, one in enumerate(there)
            if other_first <= at < other_last
            and one.is_capitalised
            and (pair.page.language != "de" or _may_be_german_name(there, at))
            and not known.intersection(one.roots)
            and one.written.casefold() not in _NO_NAMES
        ]
        if names:
            return " ".join(names[:3])
    return ""


# ---------------------------------------------------------------- certainty

#: Words of uncertainty, and of causes, in the languages with tables.
_HEDGES = re.compile(
    r"\b(?:may|might|could|possibl[ey]|perhaps|probabl[ey]|likely|suggests?|suggested|appears?|seems?"
    r"|believes?|believed|thinks?|suspects?|allegedly|reportedly|estimates?|hopes?|planned|expected"
    r"|möglich(?:erweise)?|vielleicht|vermutlich|wahrscheinlich|könnten?|dürften?|vermut\w+|schein\w+"
    r"|angeblich|glaub\w+|hofft|soll(?:en)?|peut-être|probablement|pourrai(?:t|ent)|pourrait"
    r"|sembl\w+|suggèr\w+|estim\w+|croi(?:t|ent)|si l['’]|posible(?:mente)?|quizás?"
    r"|probable(?:mente)?|podrían?|parec\w+|sugier\w+|cre(?:e|en)|si\s+el)\b",
    re.IGNORECASE,
)
#: Words with which a claim says who says so.
_REPORTS = re.compile(
    r"\b(?:reports?|according to|claim(?:s|ed)|alleg\w+|accus\w+|argu(?:es|ed)|laut|zufolge|selon"
    r"|d['’]après|según|informes?)\b",
    re.IGNORECASE,
)
#: Words with which a claim is sure.
_CERTAINTY = re.compile(
    r"\b(?:prov(?:e|es|ed|en|ing)|proof|certain(?:ly)?|definite(?:ly)?|undoubtedly|surely|always"
    r"|without (?:a )?doubt|no doubt|clearly shows?|demonstrat(?:es?|ed)|guarante\w+|will"
    r"|beweis\w*|bewies\w*|sicher(?:lich)?|mit sicherheit|zweifellos|eindeutig|garantier\w+|immer"
    r"|wird|werden|prouv\w+|certainement|sans (?:aucun )?doute|assurément|démontr\w+|toujours"
    r"|demuestra\w*|demostr\w+|prueba|sin (?:ninguna )?duda|ciertamente|seguramente|siempre)\b",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"\b(?:associat\w+|linked|correlat\w+|connected with|related to|zusammenhang|zusammenhäng\w+"
    r"|korrel\w+|associé\w*|lié\w*|corrél\w+|asocia\w*|relacion\w+|correlac\w+)\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:caus(?:e|es|ed|ing)|leads? to|led to|results? in|resulted in|because of|due to"
    r"|responsible for|verursach\w+|führ(?:t|te|ten|en) zu|bewirk\w+|provoqu\w+|entraîn\w+"
    r"|caus(?:a|an|ó|aron|ent)|provoca\w*|condujo)\b",
    re.IGNORECASE,
)
_ONE_OF = re.compile(
    r"\b(?:one of|among|amongst|eine[rs]? (?:der|des)|zu den|l['’]une? des|une? des|parmi les"
    r"|un[ao] de l[ao]s|entre l[ao]s)\b",
    re.IGNORECASE,
)


def _compare_certainty(pair: _Pair) -> Difference | None:
    """Compare how sure both are, and whether the claim makes a cause of a link."""
    claim, nearest = pair.claim.text, pair.nearest
    if pair.share_without(_roots_of(_CERTAINTY, pair)) < ALIGNED_SHARE:
        return None
    clause = _find_main_clause(pair, nearest)
    hedge = _HEDGES.search(clause)
    own_hedge = _HEDGES.search(claim) or _REPORTS.search(claim)
    certainty = _CERTAINTY.search(claim)
    if hedge and not own_hedge and certainty and not _CERTAINTY.search(nearest):
        return _less_sure(hedge[0])
    own_words = rf"\b{re.escape(certainty[0])}\b" if certainty else ""
    is_future = certainty is not None and certainty[0].lower() in ("will", "wird", "werden")
    if hedge and certainty and not is_future and not re.search(own_words, nearest, re.IGNORECASE):
        return _less_sure(hedge[0])
    one_of = _ONE_OF.search(pair.around)
    if one_of and pair.share_without(set()) >= ALIGNED_SHARE:
        degree = find_raised_degree(claim, pair.around)
        if degree:
            return Difference("stronger", degree)
    link = _LINK.search(nearest)
    if pair.share_without(_roots_of(_CAUSE, pair)) < SAME_SHARE:
        return None
    if link and _CAUSE.search(claim) and not _CAUSE.search(nearest) and not _LINK.search(claim):
        return _less_sure(link[0])
    if pair.share_without(set()) < SAME_SHARE:
        return None
    one_of = _ONE_OF.search(nearest)
    if one_of and not _ONE_OF.search(claim) and pair.page.language in ("de", "fr", "es"):
        return Difference("stronger", _describe_limit(one_of[0]))
    word = find_hedge(claim, clause)
    if word and not _REPORTS.search(claim):
        return _less_sure(word)
    if hedge and not own_hedge and pair.page.language in ("de", "fr", "es"):
        return _less_sure(hedge[0])
    return None


def _less_sure(words: str) -> Difference:
    note = _("The page is less sure: it says “{words}”.")
    return Difference("stronger", note.format(words=words))


def _roots_of(pattern: re.Pattern[str], pair: _Pair) -> set[str]:
    """Return the roots of the words of the claim that a pattern matches."""
    found: set[str] = set()
    for match in pattern.finditer(pair.claim.text):
        found |= read_roots(match[0], pair.page.language)
    return found


def _find_main_clause(pair: _Pair, sentence: str) -> str:
    """Return the clause of a sentence that holds most of the claim, with one before a "that"."""
    clauses = re.split(r"[,;:()—–]\s", sentence)
    best, most = 0, -1.0
    for number, clause in enumerate(clauses):
        roots = read_roots(clause, pair.page.language)
        weight = sum(pair.claim.weights[root] for root in pair.claim.weights if root in roots)
        if weight > most + 1e-9:
            best, most = number, weight
    chosen = clauses[best]
    if best and re.match(r"\s*(?:that|dass|ob|que|qu['’])\b", chosen, re.IGNORECASE):
        chosen = f"{clauses[best - 1]} {chosen}"
    return chosen


# ---------------------------------------------------------------- scope

_ALL = re.compile(
    r"\b(?:all|every|everyone|everybody|never|none|entirely|completely|alle[rnms]?|jede[rnms]?"
    r"|sämtliche\w?|keine[rnms]?|niemand|nie(?:mals)?|tou(?:t|te|s|tes)|chaque|aucune?|jamais"
    r"|tod[ao]s?|cada|ningun[ao]?|ningún|nunca|jamás)\b",
    re.IGNORECASE,
)
_SOME = re.compile(
    r"\b(?:some|a few|few|several|certain|many|most|half|a (?:small |large )?(?:number|share) of"
    r"|nearly all|almost all|partly|sometimes|often|usually"
    r"|(?:one|two|three|four|five|six|seven|eight|nine|ten|\d+) of (?:the |its |their )?\w+"
    r"|einige\w?|manche\w?|mehrere\w?|viele\w?|die meisten|meist(?:ens)?|teilweise|oft|fast alle"
    r"|die Hälfte|certaine?s|quelques|plusieurs|beaucoup|la plupart|parfois|souvent|en partie"
    r"|presque tou\w+|la moitié|algun[ao]s|vari[ao]s|much[ao]s|la mayoría|a veces|casi tod[ao]s"
    r"|en parte|la mitad)\b",
    re.IGNORECASE,
)
#: Words for people in general, and for groups of them or of animals.
_ANYBODY = re.compile(
    r"\b(?:people|humans?|persons?|everyone|everybody|anyone|adults|menschen|personen|leute"
    r"|erwachsene\w?|gens|personnes|adultes|humains|personas|gente|adultos)\b",
    re.IGNORECASE,
)
_GROUPS = re.compile(
    r"\b(?:women|men|girls|boys|children|infants|newborns|adolescents|teenagers|students|pupils"
    r"|athletes|smokers|mice|rats|monkeys|patients|pensioners|seniors"
    r"|frauen|männer\w?|kinder\w?|säugling\w*|jugendliche\w?|studierende\w?|student\w*innen|schüler\w*"
    r"|raucher\w?|mäusen?|ratten|patienten|senior\w*"
    r"|femmes|hommes|enfants|nourrissons|adolescents|étudiant\w*|élèves|fumeurs|souris|patients"
    r"|mujeres|hombres|niños|niñas|adolescentes|estudiantes|alumnos|fumadores|ratones|ratas"
    r"|pacientes)\b",
    re.IGNORECASE,
)
_AMONG = re.compile(
    r"\b(?:in|among|for|by|bei|unter|von|chez|parmi|pour|entre|en|de)\s+(?:\w+\s+)?$", re.IGNORECASE
)


def _describe_limit(words: str) -> str:
    return _("The page limits this: it says “{words}”.").format(words=words)


def _compare_quantifiers(pair: _Pair) -> Difference | None:
    """Compare "all" of the claim with "some" of the place."""
    claim, nearest = pair.claim.text, pair.nearest
    every = _ALL.search(claim)
    if not every or _ALL.search(nearest) or pair.share_without(_roots_of(_ALL, pair)) < SAME_SHARE:
        return None
    some = _SOME.search(nearest)
    if some and not _SOME.search(claim):
        return Difference("scope", _describe_limit(some[0]))
    return None


def _compare_groups(pair: _Pair) -> Difference | None:
    """Compare the group of which both speak."""
    claim = pair.claim.text
    if pair.share_without(_roots_of(_ANYBODY, pair)) < ALIGNED_SHARE:
        return None
    anybody = _ANYBODY.search(claim)
    if not _GROUPS.search(claim):
        group = _GROUPS.search(pair.around)
        if anybody and group and anybody[0].lower() not in pair.around.lower():
            return Difference("scope", _describe_limit(group[0]))
        if pair.share_without(set()) >= SAME_SHARE:
            for group in _GROUPS.finditer(pair.nearest):
                before = _AMONG.search(pair.nearest[: group.start()])
                if before:
                    return Difference("scope", _describe_limit(f"{before[0]}{group[0]}"))
    if pair.share_without(set()) < SAME_SHARE or pair.page.language:
        return None
    limit = find_wider_claim(claim, pair.nearest)
    if limit:
        return Difference("scope", _describe_limit(limit))
    added = find_added_scope(claim, pair.page.text)
    if added:
        return Difference("scope", _("The page does not say “{words}”.").format(words=added))
    return None


# ---------------------------------------------------------------- the opposite


def _compare_contrasts(pair: _Pair) -> Difference | None:
    """Compare words with their opposites, and "not", among the same neighbours."""
    if pair.share_without(set()) < NEAR_SHARE:
        return None
    contrast = find_contrast(pair.claim, pair.page)
    if contrast is not None:
        if contrast.kind == "date":
            return Difference("date", _name_other(contrast.ours, [contrast.theirs], "date"))
        if contrast.kind == "figure":
            return Difference("figure", _name_other(contrast.ours, [contrast.theirs], "figure"))
        note = _("The page says “{theirs}”, not “{ours}”.")
        return Difference("", note.format(theirs=contrast.theirs, ours=contrast.ours))
    word = find_one_sided_negation(pair.claim, pair.page)
    if word:
        note = _("Of “{word}”, either the sentence or the page says “not”, but not both.")
        return Difference("", note.format(word=word))
    if pair.share_without(set()) < SAME_SHARE:
        return None
    ends = find_exchanged_ends(pair.claim, pair.page)
    if ends is not None:
        note = _("The page has these in another order: {words}.")
        return Difference("figure", note.format(words=join_list(ends)))
    sides = find_exchanged_sides(pair.claim, pair.page)
    if sides:
        return Difference("", _("The page swaps the two sides of “{words}”.").format(words=sides))
    return None


def _compare_meaning(pair: _Pair) -> Difference | None:
    """Compare negation, opposite words, directions and roles; these have no kind of their own."""
    claim, nearest = pair.claim.text, pair.nearest
    if pair.page.language or pair.share_without(set()) < SAME_SHARE:
        return None
    denies = text_denies(claim, tokenize(claim))
    compared = pair.around if denies else _find_main_clause(pair, nearest)
    if denies != text_denies(compared, tokenize(compared)):
        return Difference("", _("Either the sentence or the page says “not”, but not both."))
    reversed_figures = find_reversed_figures(claim, pair.text)
    if reversed_figures:
        note = _("The page says the opposite: {words}.")
        return Difference("", note.format(words=reversed_figures[0]))
    opposites = find_opposite_word(claim, nearest)
    if opposites:
        return Difference("", _("Opposite words: {words}.").format(words=opposites))
    swapped = find_swapped(claim, nearest)
    if swapped:
        note = _("The page has these in another order: {words}.")
        return Difference("", note.format(words=swapped))
    verb = find_swapped_roles(claim, nearest)
    if verb:
        return Difference("", _("The page swaps the two sides of “{words}”.").format(words=verb))
    return None


# ---------------------------------------------------------------- what is said of something else


def _compare_months(pair: _Pair) -> Difference | None:
    """Compare a month and its year where the page has both, but not together."""
    ours = _find_month_years(pair.claim.text)
    theirs = _find_month_years(pair.nearest)
    if len(ours) != 1 or len(theirs) != 1 or pair.share_without(set()) < NEAR_SHARE:
        return None
    ((month, written),) = ours.items()
    ((other, other_written),) = theirs.items()
    has_part = month[0] == other[0] or month[1] == other[1]
    if month == other or not has_part or month in _find_month_years(pair.page.text):
        return None
    return Difference("date", _name_other(written, [other_written], "date"))


@lru_cache(maxsize=256)
def _find_month_years(text: str) -> dict[tuple[str, int], str]:
    """Map (year, month) to the words of each month that has its year beside it."""
    found: dict[tuple[str, int], str] = {}
    for word in re.finditer(r"[^\W\d_][^\s\d.,;:()]*", text):
        month = _MONTH_NUMBERS.get(word[0].casefold())
        year = _YEAR_NEXT.match(text, word.end()) if month is not None else None
        if month is not None and year is not None:
            found[year["year"], month] = text[word.start() : year.end()]
    for match in _HAN_MONTH.finditer(text):
        found[match[1], int(match[2])] = match[0]
    return found


def _compare_reversals(pair: _Pair) -> Difference | None:
    """Compare opposite verbs, and a "not" that is part of a verb."""
    if pair.share_without(set()) < NEAR_SHARE:
        return None
    opposed = find_opposed_verb(pair.claim, pair.page)
    if opposed is not None:
        note = _("The page says “{theirs}”, not “{ours}”.")
        return Difference("", note.format(theirs=opposed.theirs, ours=opposed.ours))
    word = find_negated_verb(pair.claim, pair.page)
    if word:
        note = _("Of “{word}”, either the sentence or the page says “not”, but not both.")
        return Difference("", note.format(word=word))
    return None


def _compare_rows(pair: _Pair) -> Difference | None:
    """Compare the row, column, year or role that a figure belongs to."""
    for find in (find_other_row, find_other_pair, find_other_role):
        other = find(pair.claim, pair.page)
        if other is not None:
            return Difference("figure", _name_other(other.ours, [other.theirs], "figure"))
    return None


def _compare_sayings(pair: _Pair) -> Difference | None:
    """Compare whose words they are, parts of names, and how far they reach."""
    if pair.page.language not in ("de", *_WITHOUT_CAPITALS):
        surname = find_other_surname(pair.claim, pair.page)
        if surname is not None and not _is_month(surname.theirs):
            return _name_other_name(surname.ours, surname.theirs)
    speaker = find_other_speaker(pair.claim, pair.page)
    if speaker is not None:
        return _name_other_name(speaker.ours, speaker.theirs)
    reach = find_other_reach(pair.claim, pair.page)
    if reach is not None:
        note = _("The page says “{theirs}”, not “{ours}”.")
        return Difference("scope", note.format(theirs=reach.theirs, ours=reach.ours))
    return None


#: In the order in which they are surest; the first of those that differ is shown.
_FIRST_COMPARISONS = (
    _compare_quotations,
    _compare_dates,
    _compare_figures,
    _compare_quantifiers,
    _compare_certainty,
    _compare_contrasts,
    _compare_names,
    _compare_meaning,
    _compare_groups,
)
_COMPARISONS = (
    _compare_quotations,
    _compare_months,
    _compare_dates,
    _compare_rows,
    _compare_figures,
    _compare_quantifiers,
    _compare_certainty,
    _compare_contrasts,
    _compare_reversals,
    _compare_names,
    _compare_sayings,
    _compare_meaning,
    _compare_groups,
)
