"""Parse the date of a work as catalogues and people write it, with months and seasons by name.

A season is written as EDTF does it: "2014-21" is spring, 22 summer, 23 autumn, 24 winter. The
word "fall" is written 27, EDTF's autumn of the northern hemisphere. A range is read as its start.
"""

from __future__ import annotations

import re

from research_core.text.dates import parse_catalogue_date, parse_date_parts, parse_iso_date

#: The names of the seasons by their numbers.
SEASON_NAMES = {21: "Spring", 22: "Summer", 23: "Autumn", 24: "Winter", 27: "Fall"}
_SEASON_WORDS = {
    word: number
    for number, words in {
        21: "spring frühling frühjahr printemps primavera lente voorjaar весна våren vår forår wiosna"
        " jaro tavasz",
        22: "summer sommer été verano estate verão zomer лето sommar sommaren lato léto nyár",
        23: "autumn herbst automne otoño autunno outono herfst najaar осень höst hösten efterår jesień"
        " podzim ősz",
        24: "winter hiver invierno inverno зима vinter vintern zima tél",
        27: "fall",
    }.items()
    for word in words.split()
}  # fmt: skip
#: Names of months that the first three letters do not tell, by their first letters.
_MONTH_STEMS = {
    stem: number
    for number, stems in enumerate(
        (
            "jänn jaenn siječ stycz leden ledna ocak tammi ianuar gener січ ιαν",
            "veljač lut únor şubat helmi luty лют φεβ",
            "ožuj marca marzec březen březn maalis març бер μάρ μαρ",
            "travanj travnj kwie duben dubna nisan huhti ápr квіт απρ",
            "svib maj květ mayıs touko máj трав μάι μαΐ",
            "lipanj lipnj czerw červen červn haziran kesä jún iunie червень червня ιούν ιουν",
            "srpanj srpnj lipiec lipca července červenec temmuz heinä júl iulie липень липня"
            " ιούλ ιουλ",
            "aout kolovoz sierp srpen srpna ağustos elo серп αύγ αυγ",
            "rujan rujn wrze září eylül syys szept вере σεπ",
            "paźdz říjen října ekim loka жовт οκτ",
            "studen listopad kasım marras noiem лист νοέ νοε",
            "grud prosin aralık joulu des груд δεκ",
        ),
        start=1,
    )
    for stem in stems.split()
}
_LONGEST_STEM = max(map(len, _MONTH_STEMS))
_YEAR = r"[12]\d{3}"
_NAME = r"[^\W\d_]{3,14}"
_DAY = r"\d{1,2}(?:st|nd|rd|th|er|\.|º|ª|°)?"
_TO = r"\s*(?:[-–—/]|to|until|bis|au|al|до)\s*"
_SEASON_CODE = re.compile(rf"({_YEAR})-(2[1-4]|27)(?!\d)")
_EAST_ASIAN = re.compile(
    rf"({_YEAR})\s*[年년]\s*(?:(\d{{1,2}})\s*[月월]\s*(?:(\d{{1,2}})\s*[日일号]?)?)?"
)
_MONTH_NUMBER = re.compile(rf"(?<![\d./-])(\d{{1,2}})[./-]({_YEAR})(?!\d)")
#: Ranges, and the part of each that is kept: the start.
_RANGES = (
    (re.compile(rf"({_YEAR}){_TO}.*"), r"\1"),
    (re.compile(rf"({_DAY}\s+{_NAME}\.?){_TO}{_DAY}\s+{_NAME}\.?"), r"\1"),
    (re.compile(rf"({_NAME}\.?\s+\d{{1,2}}){_TO}{_NAME}\.?\s+\d{{1,2}}(?!\d)"), r"\1"),
    (re.compile(rf"(?<!\d)({_DAY}){_TO}{_DAY}(?=\s+{_NAME})"), r"\1"),
    (re.compile(rf"({_NAME}\.?\s+\d{{1,2}}){_TO}\d{{1,2}}(?!\d)"), r"\1"),
    (re.compile(rf"({_NAME}\.?){_TO}{_NAME}\.?"), r"\1"),
)
_NAMED_DATE = re.compile(
    rf"(?:(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.|º|ª|°)?\s+(?:of\s+|de\s+|d['’])?)?"
    rf"(?<![^\W\d_])(?P<name>{_NAME})\.?(?:\s+(?P<later_day>\d{{1,2}})(?:st|nd|rd|th)?(?!\d))?,?\s*"
    rf"(?:of\s+|de\s+|del\s+|do\s+)?(?P<year>{_YEAR})(?!\d)"
)
_YEAR_FIRST = re.compile(
    rf"(?<!\d)(?P<year>{_YEAR})[\s.,/(-]+(?P<name>{_NAME})\.?(?:\s+(?P<day>\d{{1,2}})(?!\d))?"
)
#: Characters of a text in which a date is searched.
MAX_CHARS = 80


def parse_work_date(text: str) -> str:
    """Return the date as YYYY, YYYY-MM, YYYY-MM-DD, or the year with a season; "" if none.

    "May 2015" gives "2015-05", "Spring 2014" gives "2014-21", "12–14 March 2018" "2018-03-12".
    """
    text = " ".join(text[:MAX_CHARS].split())
    season = _SEASON_CODE.match(text)
    if season:
        return season[0]
    east_asian = _EAST_ASIAN.search(text)
    if east_asian:
        return parse_date_parts(*east_asian.groups())
    numbered = parse_iso_date(text)
    if len(numbered) > len("2015"):
        return numbered
    start = text
    for pattern, kept in _RANGES:
        start = pattern.sub(kept, start)
    named = _parse_named_date(start) or _parse_named_date(text)
    if named:
        return named
    month = _MONTH_NUMBER.search(text)
    if month and not parse_catalogue_date(text)[4:]:
        return parse_date_parts(month[2], month[1])
    return parse_catalogue_date(start)


def is_date_range(text: str) -> bool:
    """Return True if a text is a range of months, seasons or years. Only its start is read."""
    text = " ".join(text[:MAX_CHARS].split())
    is_single = _SEASON_CODE.match(text) or re.match(r"\d{4}-\d{1,2}-\d", text)
    if is_single or not parse_work_date(text) or parse_iso_date(text)[4:]:
        return False
    if len(set(re.findall(rf"(?<!\d){_YEAR}(?!\d)", text))) > 1:
        return True
    return any(pattern.search(text) for pattern, _ in _RANGES)


def format_season(issued: str) -> str:
    """Return the English name of the season of a date, or ""."""
    season = _SEASON_CODE.fullmatch(issued)
    return SEASON_NAMES[int(season[2])] if season else ""


def parse_season(text: str) -> int:
    """Return the number of a season (21-24, 27) by its name, or by its number 1-4; 0 for none."""
    word = text.strip().strip(".").casefold()
    if word in ("1", "2", "3", "4"):
        return 20 + int(word)
    return _SEASON_WORDS.get(word, 0)


def _parse_named_date(text: str) -> str:
    for found in (*_NAMED_DATE.finditer(text), *_YEAR_FIRST.finditer(text)):
        groups = found.groupdict()
        name = groups["name"].casefold()
        day = groups["day"] or groups.get("later_day") or ""
        season = _SEASON_WORDS.get(name)
        if season:
            return f"{groups['year']}-{season}"
        month = str(_find_month(name) or name)
        date = parse_date_parts(groups["year"], month, day)
        if len(date) > len("2015"):
            return date
    return ""


def _find_month(name: str) -> int:
    """Return the number of a month by its name in a further language; 0 for none."""
    for length in range(min(len(name), _LONGEST_STEM), 2, -1):
        number = _MONTH_STEMS.get(name[:length])
        if number:
            return number
    return 0
