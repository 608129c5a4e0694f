"""Parse exact figures in a sentence, with their units, so that two can be compared.

Reads percentages, money, ranges, thousands and scale words, the common units of length, mass, time,
temperature and energy, and things counted. What could be misread is left out: names with numbers,
bare years, ratios, "from 5 to 9", ages of the people described, and numbers whose point may
separate thousands. It does not know what a figure measures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from research_core.text.words import stem

#: Maps spellings to (base unit, factor), so that amounts of one kind are compared in one unit.
_UNITS: dict[str, tuple[str, float]] = {
    spelling: (base, factor)
    for base, names, factor in (
        ("m", "mm millimetre millimeter", 1e-3),
        ("m", "cm centimetre centimeter", 1e-2),
        ("m", "m metre meter", 1.0),
        ("m", "km kilometre kilometer", 1e3),
        ("m", "ft foot feet", 0.3048),
        ("m", "mile mi", 1609.344),
        ("m", "inch", 0.0254),
        ("g", "mg milligram", 1e-3),
        ("g", "g gram", 1.0),
        ("g", "kg kilogram kilo", 1e3),
        ("g", "tonne", 1e6),
        ("s", "second sec", 1.0),
        ("s", "minute min", 60.0),
        ("s", "hour hr", 3600.0),
        ("s", "day", 86400.0),
        ("s", "week", 604800.0),
        ("month", "month", 1.0),
        ("month", "year yr", 12.0),
        ("month", "decade", 120.0),
        ("°C", "°c", 1.0),
        ("°F", "°f", 1.0),
        ("dB", "db decibel", 1.0),
        ("Wh", "kwh", 1e3),
        ("Wh", "mwh", 1e6),
        ("Wh", "gwh", 1e9),
        ("Wh", "twh", 1e12),
        ("W", "kw", 1e3),
        ("W", "mw", 1e6),
        ("W", "gw", 1e9),
        ("l", "ml millilitre milliliter", 1e-3),
        ("l", "l litre liter", 1.0),
    )
    for name in names.split()
    for spelling in (name, f"{name}s")
}
_SCALES = {
    "thousand": 1e3,
    "k": 1e3,
    "million": 1e6,
    "mn": 1e6,
    "m": 1e6,
    "billion": 1e9,
    "bn": 1e9,
    "trillion": 1e12,
    "tn": 1e12,
}
_MONEY = {
    "us$": "$",
    "usd": "$",
    "eur": "€",
    "gbp": "£",
    "dollar": "$",
    "dollars": "$",
    "euro": "€",
    "euros": "€",
    "yen": "¥",
}
#: Words after a number that are not its unit.
_NO_UNIT = frozenset(
    """
        january february march april may june july august september october november december jan
        feb mar apr jun jul aug sep sept oct nov dec am pm and or was were when while where whereas
        because though although until before after of in on at to for from with by as is are the a
        an has had have than that which who more less per into out over under times fold x points
    """.split()
)
#: Capitalised words at the start of a sentence after which a number is an amount, not part of a
#: name.
_NOT_A_NAME = frozenset(
    """
        over around nearly only more almost roughly approximately up just fewer less at least about
        some in of by to between from another we they it the
    """.split()
)
_NUMBER = r"\d{1,3}(?:[,\u00a0\u202f\u2009]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"


def _number_pattern(n: int) -> str:
    """Return the pattern of a number, with group names that end in `n`."""
    scale = (
        rf"(?:[\s-]?(?P<scale{n}>thousand|million|billion|trillion|mn|bn|tn)\b"
        rf"|(?<=\d)(?P<short{n}>[kKmM])\b)?"
    )
    sign = rf"(?P<sign{n}>US\$|USD\s?|EUR\s?|GBP\s?|[A-Z]{{0,2}}[$€£¥])?"
    return rf"{sign}\s?(?P<number{n}>{_NUMBER})(?![\w.,/:]*\d){scale}(?:\s?(?P<percent{n}>%))?"


_FIGURE = re.compile(
    r"(?:(?P<before>[^\W\d_][\w'’]*\.?)\s+)?(?P<minus>(?<!\w)[-−](?=\d))?"
    rf"(?<![\w.,§/:#])(?<!\w[-–−]){_number_pattern(1)}"
    rf"(?:\s?(?P<dash>[-–—]|to\b|and\b|or\b)\s?(?=[$€£¥US]{{0,3}}\d){_number_pattern(2)})?"
    r"(?:[\s-]?(?P<unit>°\s?[CF]|per\scent|(?:square|cubic)\s[^\W\d_]+"
    r"|(?!(?:per|an?|each|every)\b)[^\W\d_]+))?"
    r"(?:\s(?P<rate>per|an?|each|every)\s(?P<rated>[^\W\d_]+)|/(?P<slash>[^\W\d_]+))?"
)
_RATIO = re.compile(r"\s?(?:of|in|out of)\s(?:every\s)?\d|\s?[:/]\s?\d")
_REMOVE_SPACES = str.maketrans("", "", " \u00a0\n\t")
_RATIO_BEFORE = re.compile(r"\d\s(?:of|in|out of)\s(?:every\s)?$")
_AT_LEAST = re.compile(
    r"(?:at least|more than|over|above|no (?:fewer|less) than|upwards? of|minimum of|from)\s*$",
    re.IGNORECASE,
)
_AT_MOST = re.compile(
    r"(?:at most|less than|fewer than|under|below|no more than|up to|maximum of"
    r"|as (?:much|many) as)\s*$",
    re.IGNORECASE,
)
_NEARLY = re.compile(r"(?:almost|nearly|close to|just (?:under|below|short of))\s*$", re.IGNORECASE)
#: Words beside the age of the people described, which is no figure to compare.
_AGED = re.compile(
    r"\bage[ds]?\s(?:(?:of|over|under|above|below|at least|between|from)\s)?$", re.IGNORECASE
)
_OLD = re.compile(
    r"-olds?\b|\sof age\b|\s(?:of age\s)?(?:and|or)\s(?:older|over|above|up|younger|under)\b",
    re.IGNORECASE,
)
_LABELS = frozenset(
    "section number no table figure chapter page version article type phase".split()
)
_ABOUT = re.compile(
    r"(?:about|around|roughly|approximately|some|circa|an estimated|estimated|or so|~|≈)\s*$",
    re.IGNORECASE,
)
_CHANGE_BY = re.compile(
    r"\bby\s+(?:(?:about|around|roughly|nearly|almost|some|up to|at least|more than|over)\s+)?$",
    re.IGNORECASE,
)
#: How far a figure called approximate, and one that ends in zeros, may be off, as a share.
ROUGH_SHARE, ROUNDED_SHARE = 0.1, 0.05
#: "Over 10" and "over 30" differ if one end is this many times the other.
OPEN_END_RATIO = 2.0


@dataclass(frozen=True)
class Figure:
    """A figure with its range: `low` and `high` in `unit`, rounding included; `text` as written.

    `unit` is "%", a currency, a base unit, or the stem of what is counted, with its rate if it has
    one: "$/hour". `change` is set if the figure says by how much something changed.
    """

    low: float
    high: float
    unit: str
    text: str
    change: bool = False

    def differs(self, other: Figure) -> bool:
        """Return whether both figures cannot be true of the same thing.

        They must have the same unit, and no value in common or open ends that lie far apart.
        """
        apart = (
            self.low >= other.high
            or other.low >= self.high
            or _are_far_apart(self.low, self.high, other.low, other.high)
        )
        return self.unit == other.unit and self.change == other.change and apart


def _are_far_apart(low: float, high: float, other_low: float, other_high: float) -> bool:
    """Return whether both ranges are open at the same end and their ends far apart."""
    if high == other_high == inf:
        nearer, farther = sorted((low, other_low))
    elif low == other_low == -inf:
        nearer, farther = sorted((high, other_high))
    else:
        return False
    return 0 < OPEN_END_RATIO * nearer <= farther


def parse_figures(sentence: str) -> tuple[Figure, ...]:
    """Return the figures of a sentence in order, without those whose unit is unknown."""
    return tuple(_read_figures(sentence))


def _read_figures(sentence: str) -> Iterator[Figure]:
    """Yield the figures that are not names, ratios, ages or ambiguous ranges."""
    for found in _FIGURE.finditer(sentence):
        unit, factor = _find_unit(found)
        before = sentence[max(0, _figure_start(found) - 30) : _figure_start(found)]
        if (
            not unit
            or _is_name(found)
            or _RATIO.match(sentence, found.end("number1"))
            or _RATIO_BEFORE.search(before)
            or _is_age(found, before)
        ):
            continue
        lows = _find_bounds(found, 1, factor)
        if found["number2"]:
            if re.search(r"\bfrom\s$", before, re.IGNORECASE) or (
                found["dash"] == "and" and not before.lower().endswith("between ")
            ):
                continue
            highs = _find_bounds(found, 2, factor)
            low, high = min(lows[0], highs[0]), max(lows[1], highs[1])
        else:
            low, high = _widen_bounds(*lows, before)
        yield Figure(
            low,
            high,
            unit,
            sentence[_figure_start(found) : _figure_end(found)].strip(" -"),
            bool(_CHANGE_BY.search(before)),
        )


def _figure_start(found: re.Match[str]) -> int:
    """Return where the figure begins, including its sign."""
    return min(found.start(name) for name in ("minus", "sign1", "number1") if found[name])


def _figure_end(found: re.Match[str]) -> int:
    """Return where the figure ends; after a currency or percent sign a word is no unit."""
    signed = any(found[name] for name in ("sign1", "sign2", "percent1", "percent2"))
    if signed and found["unit"] and not found["rate"] and not found["slash"]:
        return found.start("unit")
    return found.end()


def _find_bounds(found: re.Match[str], n: int, factor: float) -> tuple[float, float]:
    """Return the least and greatest value that the digits of a number allow.

    The first number of a range has the scale of the second.
    """
    digits = re.sub(r"[,\s]", "", found[f"number{n}"])
    scale = found[f"scale{n}"] or found[f"short{n}"]
    if not scale and n == 1 and found["number2"]:
        scale = found["scale2"] or found["short2"]
    times = _SCALES[scale.lower()] if scale else 1.0
    value = float(digits)
    step = 1.0
    rounding = 0.0
    if "." in digits:
        step = 10.0 ** -len(digits.partition(".")[2])
    elif digits.endswith("0"):
        rounding = ROUNDED_SHARE * value
    room = max(step / 2, rounding)
    low = (value - room) * times * factor
    high = (value + room) * times * factor
    if found["minus"] and n == 1:
        return -high, -low
    return low, high


def _widen_bounds(low: float, high: float, before: str) -> tuple[float, float]:
    """Widen the bounds by "at least", "up to", "nearly" or "about" before the figure."""
    if _AT_LEAST.search(before):
        return low, inf
    if _NEARLY.search(before):
        return high - ROUGH_SHARE * abs(high), high
    if _AT_MOST.search(before):
        return -inf, high
    if _ABOUT.search(before):
        room = ROUGH_SHARE * max(abs(low), abs(high))
        return low - room, high + room
    return low, high


def _find_unit(found: re.Match[str]) -> tuple[str, float]:
    """Return (unit, factor to its base unit), or ("", 1.0) if there is no unit."""
    word = (found["unit"] or "").translate(_REMOVE_SPACES).lower()
    sign = (found["sign1"] or found["sign2"] or "").strip()
    unit = ""
    factor = 1.0
    if sign:
        unit = _MONEY.get(sign.lower(), sign)
    elif found["percent1"] or found["percent2"] or word in ("percent", "pct"):
        unit = "%"
    elif word in _MONEY:
        unit = _MONEY[word]
    elif word in _UNITS and not (word == "m" and found["sign1"]):
        unit, factor = _UNITS[word]
    elif word and word not in _NO_UNIT and not _is_year(found):
        unit = stem(word)
    rate = _find_rate(found)
    if unit and rate:
        unit = f"{unit}/{stem(rate.lower())}"
    return unit, factor


def _find_rate(found: re.Match[str]) -> str:
    """Return what a figure is counted by ("per hour"), or ""."""
    if found["slash"]:
        return found["slash"]
    rated = found["rated"] or ""
    if found["rate"] == "per" or rated.lower() in _UNITS:
        return rated
    return ""


def _is_year(found: re.Match[str]) -> bool:
    """Return whether the number looks like a year."""
    return re.fullmatch(r"(?:1[5-9]|20)\d\d", found["number1"]) is not None


def _is_age(found: re.Match[str], before: str) -> bool:
    """Return whether the figure is the age of the people described."""
    return _find_unit(found)[0] in ("month", "s") and bool(
        _AGED.search(before) or _OLD.match(found.string, found.end())
    )


def _is_name(found: re.Match[str]) -> bool:
    """Return whether the number belongs to a name: "Table 2", "section 9", "No. 4".

    Also if its point may separate thousands.
    """
    before = found["before"] or ""
    if before.lower().rstrip(".") in _LABELS:
        return True
    is_capitalised = before[:1].isupper() and before.lower() not in _NOT_A_NAME
    begins_sentence = found.start("before") == 0
    is_amount = begins_sentence and (found["sign1"] or found["percent1"])
    if is_capitalised and not is_amount:
        return True
    has_scale = found["scale1"] or found["short1"]
    return not has_scale and re.fullmatch(r"\d{1,3}\.\d{3}", found["number1"]) is not None
