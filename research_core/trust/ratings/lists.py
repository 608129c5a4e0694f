"""Parse a list of ratings from the bytes of a file: a host and a rating in each row.

Columns and scale are recognised by names and values, or named by the caller. Rows that cannot be
read and guesses that were made are counted and reported; a file that is no list is rejected.
Nothing is stored or fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from research_core.errors import UsageError
from research_core.trust.ratings.grids import EXPECTED_FORM, Grid, read_grid
from research_core.trust.ratings.scales import (
    Scale,
    guess_scale,
    has_decimal_comma,
    parse_number,
    scale_rating,
)
from research_core.urls import find_host

#: Names of the host column, and of the rating column, in the order of search.
HOST_COLUMNS = ("domain", "host", "hostname", "site", "website", "url", "source")
VALUE_COLUMNS = (
    "pc1", "rating", "score", "reliability", "quality", "value", "reporting", "factual reporting",
    "factual", "credibility", "grade",
    "pct", "percent", "percentage", "label", "status",
)  # fmt: skip
PERCENT_COLUMNS = frozenset({"pct", "percent", "percentage"})
MAX_REASONS = 5
#: A host as most lists write it, which needs no parsing.
_SIMPLE_HOST = re.compile(
    r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII
)


@dataclass(frozen=True)
class ParsedList:
    """A parsed list.

    `rows`: ratings 0.0 to 1.0 by host, the mean if a host occurs several times. `columns`: (host,
    rating). `scale`: (low, high), None for words. `left`: how many rows could not be read. `told`:
    the first reasons, with the row's number. `guessed`: the scale was guessed. `twice`: how many
    hosts occur with different ratings. `letters`: the encoding if not UTF-8. `commas`: decimals
    were written with commas.
    """

    rows: Mapping[str, float]
    columns: tuple[str, str]
    scale: Scale | None
    left: int = 0
    told: tuple[str, ...] = ()
    guessed: bool = False
    twice: int = 0
    letters: str = ""
    commas: bool = False


def parse_list(
    body: bytes, *, host_column: str = "", value_column: str = "", scale: Scale | None = None
) -> ParsedList:
    """Parse a list.

    Raises UsageError with what is wrong and what to do.
    """
    made = read_grid(body)
    columns = (
        _find_column(made, host_column, HOST_COLUMNS, "host"),
        _find_column(made, value_column, VALUE_COLUMNS, "rating"),
    )
    values = made.get_column(columns[1])
    words = {
        value for value in values if isinstance(value, str)
    }  # of which there are few, in however many rows
    said = [*words, *(value for value in values if not isinstance(value, str))]
    numbers = [found for found in map(parse_number, said) if found is not None]
    percent = any(word.rstrip().endswith("%") for word in words)
    taken = scale or (
        guess_scale(
            numbers,
            percent=percent
            or (max(numbers) > 1.0 and _normalize_name(columns[1]) in PERCENT_COLUMNS),
        )
        if numbers
        else None
    )
    found, refused = _rate_hosts(zip(made.get_column(columns[0]), values, strict=True), taken)
    if not found:
        raise UsageError(
            f"No row of this list can be read ({refused[0]}).", next_step=EXPECTED_FORM
        )
    return ParsedList(
        rows={name: round(fmean(shares), 6) for name, shares in found.items()},
        columns=columns,
        scale=taken,
        left=len(refused),
        told=tuple(refused[:MAX_REASONS]),
        guessed=bool(numbers) and scale is None,
        twice=sum(len(set(shares)) > 1 for shares in found.values()),
        letters=made.letters,
        commas=any(map(has_decimal_comma, words)),
    )


def explain_guesses(found: ParsedList) -> Iterator[str]:
    """Yield a sentence for each guess that was made about the list."""
    if found.guessed and found.scale:
        low, high = found.scale
        yield (
            f"That its scale is {low:g} to {high:g} was taken from its numbers; if it is another,"
            f" add it again with --scale LOW-HIGH, such as --scale 1-{high if high > 1 else 5:g}."
        )
    if len(found.rows) > 1 and not found.twice and len(set(found.rows.values())) == 1:
        yield "All its ratings are the same, so that it tells no host from another."
    if found.twice:
        one = found.twice == 1
        yield (
            f"{found.twice:,} host{'' if one else 's'} stand{'s' if one else ''} more than once"
            " with different ratings; the mean counts."
        )
    if found.commas:
        yield "Its commas were read as decimal commas: 0,75 is 0.75."
    if found.letters:
        yield f"It was read as {found.letters}."


def _rate_hosts(
    pairs: Iterable[tuple[Any, Any]], scale: Scale | None
) -> tuple[dict[str, list[float]], list[str]]:
    """Return the ratings by host, and why the other rows cannot be read."""
    found: dict[str, list[float]] = {}
    refused: list[str] = []
    known: dict[str, float] = {}
    for row, (name, value) in enumerate(pairs, 1):
        try:
            rated = _parse_host(str(name or ""))
            if not isinstance(value, str):
                worth = scale_rating(value, scale)
            elif (worth := known.get(value, -1.0)) < 0.0:
                worth = known[value] = scale_rating(value, scale)
        except ValueError as error:
            refused.append(f"row {row}: {error}")
        else:
            found.setdefault(rated, []).append(worth)
    return found, refused


def _find_column(made: Grid, given: str, usually: Sequence[str], what: str) -> str:
    """Return the column named, or the first usual one.

    Raises UsageError if there is none.
    """
    by_name = {_normalize_name(name): name for name in reversed(made.columns)}
    for name in [given] if given else usually:
        found = by_name.get(_normalize_name(name))
        if found is not None:
            return found
    missing = f"No column of this list is known to hold the {what}"
    if given:
        missing = f"There is no column {given!r}"
    option = "--domain" if what == "host" else "--value"
    raise UsageError(
        f"{missing}; it has {', '.join(made.columns[:20])}.",
        next_step=f"Name the column with {option}.",
    )


def _normalize_name(name: str) -> str:
    """Return the name of a column with case and separators normalised."""
    return " ".join(name.replace("_", " ").replace("-", " ").casefold().split())


def _parse_host(name: str) -> str:
    """Return the host of an address or a bare name. Raises ValueError."""
    plain = name.strip().lower()
    if _SIMPLE_HOST.fullmatch(plain) and len(plain) <= 253:
        return _site_name(plain)
    if not plain:
        raise ValueError("it names no host")
    address = plain if "://" in plain else f"https://{plain}"
    found = find_host(address)
    if "/" in address.split("://", 1)[1].strip("/"):
        raise ValueError(f"{plain[:60]!r} is a page, not a host")
    if "." not in found:
        raise ValueError(f"{plain[:60]!r} is no host")
    return _site_name(found)


def _site_name(host: str) -> str:
    """Return the host without "www.", if more than a suffix is left."""
    bare = host.removeprefix("www.")
    return bare if "." in bare else host
