"""Reads a list of ratings from the bytes of a file: CSV, TSV or JSON, a host and a rating in each row, on any scale.

Columns and scale are found by their names and values, or named by whoever imports. A row that cannot be read is counted and told; a file
that is no list is refused. It keeps nothing and fetches nothing.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from research_core.errors import UsageError
from research_core.urls import host

#: Names of the column that holds the host, and of the one that holds the rating, in the order they are looked for.
HOST_COLUMNS = ("domain", "host", "site", "website", "url", "source")
VALUE_COLUMNS = ("pc1", "rating", "score", "reliability", "quality", "value", "reporting", "factual", "credibility", "label", "status")
#: What words mean as ratings, on the scale of 0 to 1.
WORDS: Mapping[str, float] = {
    "very high": 1.0, "high": 0.85, "mostly factual": 0.65, "mixed": 0.35, "low": 0.15, "very low": 0.0,
    "high credibility": 0.9, "medium credibility": 0.5, "low credibility": 0.1,
    "generally reliable": 0.85, "reliable": 0.85, "no consensus": 0.5, "mixed reliability": 0.5, "generally unreliable": 0.15,
    "unreliable": 0.15, "deprecated": 0.05, "blacklisted": 0.0, "medium": 0.5, "good": 0.85, "bad": 0.1, "trusted": 0.9, "untrusted": 0.1,
}  # fmt: skip
#: Tops of the scales that numbers are taken to be on, where nobody says: the least that holds them all.
TOPS = (1.0, 5.0, 10.0, 100.0)
LONGEST, MOST_TOLD = 50_000_000, 5
FORM = "Give a CSV, TSV or JSON file with a host and a rating in each row."


@dataclass(frozen=True)
class Read:
    """rows: 0.0-1.0 by host, the mean where a host stands several times; columns: (host, rating); scale: (low, high), None of words.

    left: how many rows could not be read; told: the first reasons, with the row's number.
    """

    rows: Mapping[str, float]
    columns: tuple[str, str]
    scale: tuple[float, float] | None
    left: int = 0
    told: tuple[str, ...] = ()


def read(body: bytes, *, host_column: str = "", value_column: str = "", scale: tuple[float, float] | None = None) -> Read:
    """Raises UsageError with what is wrong and what to do."""
    if len(body) > LONGEST:
        raise UsageError(f"The list has {len(body):,} bytes; {LONGEST:,} are read.", next_step="Leave out columns that are not needed.")
    records = _records(body)
    if not records:
        raise UsageError("There is no row in this list.", next_step=FORM)
    named, valued = _column(records, host_column, HOST_COLUMNS, "host"), _column(records, value_column, VALUE_COLUMNS, "rating")
    pairs = [(number, str(row.get(named) or ""), row.get(valued)) for number, row in enumerate(records, 1)]
    numbers = [found for _, _, value in pairs if (found := _number(value)) is not None]
    scale = scale or (_scale(numbers) if numbers else None)
    return _rows(pairs, (named, valued), scale)


def _rows(pairs: Iterable[tuple[int, str, Any]], columns: tuple[str, str], scale: tuple[float, float] | None) -> Read:
    found: dict[str, list[float]] = {}
    refused: list[str] = []
    for number, name, value in pairs:
        try:
            name, share = _host(name), _share(value, scale)
        except ValueError as error:
            refused.append(f"row {number}: {error}")
        else:
            found.setdefault(name, []).append(share)
    if not found:
        raise UsageError(f"No row of this list can be read ({refused[0]}).", next_step=FORM)
    rows = {name: round(mean(values), 6) for name, values in found.items()}
    return Read(rows, columns, scale, len(refused), tuple(refused[:MOST_TOLD]))


def _records(body: bytes) -> Sequence[Mapping[str, Any]]:
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"The list is no text in UTF-8 ({error.reason} at byte {error.start}).", next_step=FORM) from error
    if text.lstrip()[:1] in ("[", "{"):
        return _of_json(text)
    if "\0" in text:
        raise UsageError("The list is no text.", next_step=FORM)
    try:
        lines = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if "\t" in text.partition("\n")[0] else ",")
        return [{str(name).strip(): value for name, value in row.items()} for row in lines]
    except csv.Error as error:
        raise UsageError(f"The list is no table ({error}).", next_step=FORM) from error


def _of_json(text: str) -> Sequence[Mapping[str, Any]]:
    """A list of objects, an object that has one in it, or an object of ratings by host."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The list is no JSON ({error}).", next_step=FORM) from error
    if isinstance(told, dict):
        lists = [value for value in told.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
        told = max(lists, key=len) if lists else [{"domain": name, "rating": value} for name, value in told.items()]
    return [row for row in told if isinstance(row, dict)]


def _column(records: Sequence[Mapping[str, Any]], given: str, usual: Sequence[str], what: str) -> str:
    columns = list(dict.fromkeys(str(name) for row in records[:100] for name in row if name is not None))
    wanted = [given] if given else usual
    by_name = {name.strip().casefold(): name for name in reversed(columns)}
    for name in wanted:
        if name.casefold() in by_name:
            return by_name[name.casefold()]
    missing = f"There is no column {given!r}" if given else f"No column of this list is known to hold the {what}"
    option = "--domain" if what == "host" else "--value"
    raise UsageError(f"{missing}; it has {', '.join(columns[:20])}.", next_step=f"Name the column with {option}.")


def _host(name: str) -> str:
    """The host of an address or a bare name. Raises ValueError."""
    plain = name.strip().lower()
    if not plain:
        raise ValueError("it names no host")
    address = plain if "://" in plain else f"https://{plain}"
    found = host(address)
    if "/" in address.split("://", 1)[1].strip("/"):
        raise ValueError(f"{plain[:60]!r} is a page, not a host")
    if "." not in found:
        raise ValueError(f"{plain[:60]!r} is no host")
    return found.removeprefix("www.")


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(str(value).strip().rstrip("%"))
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _scale(numbers: Sequence[float]) -> tuple[float, float]:
    """From 0, or from -1 where some are below, to the least usual top that holds them all."""
    low, high = min(numbers), max(numbers)
    top = next((top for top in TOPS if high <= top), high)
    return (0.0 if low >= 0 else -top if -top <= low else low), top


def _share(value: Any, scale: tuple[float, float] | None) -> float:
    """The rating on the scale of 0 to 1. Raises ValueError."""
    number = _number(value)
    if number is None or scale is None:
        word = " ".join(str(value or "").replace("-", " ").replace("_", " ").casefold().split())
        if word not in WORDS:
            raise ValueError(f"{str(value)[:60]!r} is no rating")
        return WORDS[word]
    low, high = scale
    if not low <= number <= high:
        raise ValueError(f"{number:g} is outside the scale of {low:g} to {high:g}")
    return (number - low) / (high - low)
