"""Parse the cells of a list as ratings, and guess the scale of numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from research_core.errors import UsageError

Scale = tuple[float, float]
#: Ratings in words, on the scale of 0 to 1.
WORD_RATINGS: Mapping[str, float] = {
    "very high": 1.0, "high": 0.85, "mostly factual": 0.65, "mixed": 0.35, "low": 0.15,
    "very low": 0.0,
    "high credibility": 0.9, "medium credibility": 0.5, "low credibility": 0.1,
    "generally reliable": 0.85, "reliable": 0.85, "no consensus": 0.5, "mixed reliability": 0.5,
    "generally unreliable": 0.15,
    "unreliable": 0.15, "deprecated": 0.05, "blacklisted": 0.0, "medium": 0.5, "good": 0.85,
    "bad": 0.1, "trusted": 0.9, "untrusted": 0.1,
}  # fmt: skip
#: The tops of the usual scales; the least that holds all numbers is taken.
SCALE_TOPS = (1.0, 5.0, 10.0, 100.0)
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_SCALE = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*(?:-|–|:|\.\.|to|\s)\s*([+-]?\d+(?:\.\d+)?)\s*")


def parse_number(value: Any) -> float | None:
    """Return a finite number, or None for anything else.

    Decimals may follow a point or a comma, and "%" may follow the number.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        plain = str(value).strip().rstrip("%").strip()
        if has_decimal_comma(value):
            plain = plain.replace(",", ".")
        try:
            found = float(plain)
        except ValueError:
            return None
    return found if math.isfinite(found) else None


def has_decimal_comma(value: Any) -> bool:
    """Return whether a value is a number with a decimal comma."""
    return (
        isinstance(value, str)
        and "," in value
        and _DECIMAL_COMMA.fullmatch(value.strip().rstrip("%").strip()) is not None
    )


def guess_scale(numbers: Sequence[float], *, percent: bool = False) -> Scale:
    """Return the narrowest usual scale: 0 to 1, 5, 10 or 100, or -1 to 1.

    `percent`: the numbers are declared as percentages. Raises UsageError if none fits.
    """
    low, high = min(numbers), max(numbers)
    if -1.0 <= low < 0.0 and high <= 1.0:
        return -1.0, 1.0
    if low < 0.0 or high > SCALE_TOPS[-1]:
        raise UsageError(
            f"The ratings go from {low:g} to {high:g}, and no usual scale (0 to 1, 5, 10 or 100)"
            " holds them.",
            next_step=(
                "Say which it is, the worst first: --scale LOW-HIGH, such as --scale 1-7 or"
                " --scale=-5-5."
            ),
        )
    return 0.0, SCALE_TOPS[-1] if percent else next(top for top in SCALE_TOPS if high <= top)


def parse_scale(text: str) -> Scale:
    """Parse a scale such as "1-5" or "-3 to 3". Raises ValueError."""
    found = _SCALE.fullmatch(text)
    if found is not None:
        low, high = float(found[1]), float(found[2])
        if low < high:
            return low, high
    raise ValueError(f"{text!r} is no scale: give the worst rating and the best, such as 1-5")


def scale_rating(value: Any, scale: Scale | None) -> float:
    """Return a rating on the scale of 0 to 1.

    `scale` is that of the numbers, or None if there are none. Raises ValueError.
    """
    found = parse_number(value)
    if found is None or scale is None:
        word = " ".join(str(value or "").replace("-", " ").replace("_", " ").casefold().split())
        if word not in WORD_RATINGS:
            raise ValueError(f"{str(value)[:60]!r} is no rating")
        return WORD_RATINGS[word]
    low, high = scale
    if not low <= found <= high:
        raise ValueError(f"{found:g} is outside the scale of {low:g} to {high:g}")
    return (found - low) / (high - low)
