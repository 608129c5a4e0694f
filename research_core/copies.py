"""Which pages are copies of one text: a wire story on two sites, a press release, a mirror, a page and its print view.

A page leaves a small `Print` of itself in the log: the smallest hashes of its five-word runs, and hashes of its longer quotations. Two
prints say how much of the shorter text stands in the longer one, so that no page has to be opened to compare. It does not say who copied
whom, and pages that say the same in other words are not seen to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations

from research_core.models import Json, Page
from research_core.text import tokens

#: Words of a run, and how many of the smallest hashes are kept. A share of 0.5 is then known to about 0.03.
RUN, KEPT = 5, 256
#: Of longer texts the beginning is compared; the rest of a text that long says little about where it came from.
MOST_WORDS = 50_000
#: The least share of the shorter text that stands in the other; less where a page names the other as its original, or quotes alike.
COPY, LINKED, QUOTING = 0.5, 0.25, 0.3
#: Texts with fewer runs are too short to be anybody's copy by likeness ("Access denied"); they must be the same, run by run.
SHORT = 40
#: A quotation of so many words is somebody's very words, and so many of them in two pages are one origin.
QUOTED_WORDS, SHARED_QUOTES, MOST_QUOTES = 8, 3, 40

_QUOTED = re.compile(r"[“„«\"]([^“”„«»\"\n]{30,600})[”“»\"]")


@dataclass(frozen=True)
class Print:
    """size: distinct runs of the text; runs: the smallest of their hashes, sorted; quotes: hashes of its quotations, sorted."""

    size: int
    runs: tuple[int, ...]
    quotes: tuple[int, ...] = ()

    def as_json(self) -> Json:
        return {"size": self.size, "runs": _hex(self.runs), "quotes": _hex(self.quotes)}

    @classmethod
    def from_json(cls, data: Mapping[str, str]) -> Print:
        return cls(int(data["size"]), _numbers(data["runs"]), _numbers(data["quotes"]))


def printed(text: str) -> Print:
    """The print of a text; equal texts, whatever their case, punctuation and line breaks, have equal ones."""
    words = tokens(text)[:MOST_WORDS]
    runs = {_hash(words[n : n + RUN]) for n in range(max(1, len(words) - RUN + 1))} if words else set()
    said = (tokens(found) for found in _QUOTED.findall(text))
    quotes = {_hash(quote) for quote in said if len(quote) >= QUOTED_WORDS}
    return Print(len(runs), tuple(sorted(runs)[:KEPT]), tuple(sorted(quotes)[:MOST_QUOTES]))


def facts(page: Page) -> Json:
    """What a log keeps of a page beside its text, its print included."""
    return {**page.facts, "print": printed(page.text).as_json()}


def held(one: Print, other: Print) -> float:
    """The share of the shorter text's runs that stand in the other, 0.0-1.0; an estimate for texts of more than `KEPT` runs."""
    if not one.size or not other.size:
        return 0.0
    joined = sorted({*one.runs, *other.runs})[:KEPT]
    both = set(one.runs) & set(other.runs)
    alike = sum(run in both for run in joined) / len(joined)
    return min(1.0, alike * (one.size + other.size) / (1 + alike) / min(one.size, other.size))


def is_copy(one: Print, other: Print, *, linked: bool = False) -> bool:
    """Whether two texts are one, or one stands for the most part in the other. linked: one of the pages names the other as its original."""
    if min(one.size, other.size) < SHORT:
        return one.size > 0 and one.runs == other.runs
    shared = len(set(one.quotes) & set(other.quotes))
    return held(one, other) >= (LINKED if linked else QUOTING if shared >= SHARED_QUOTES else COPY)


def groups(prints: Mapping[str, Print], originals: Mapping[str, str] | None = None) -> tuple[tuple[str, ...], ...]:
    """The addresses that share one text, in the order given, each group by its first; an address without a copy is in none.

    originals: the address that a page names as its own (its canonical link), by address. A page is believed about that only as far as
    the texts bear it out.
    """
    named = originals or {}
    first = {url: url for url in prints}

    def root(url: str) -> str:
        while first[url] != url:
            url = first[url]
        return url

    place = {url: n for n, url in enumerate(prints)}
    for one, other in _meeting(prints):
        if root(one) != root(other) and is_copy(prints[one], prints[other], linked=_linked(one, other, named)):
            early, late = sorted((root(one), root(other)), key=place.__getitem__)
            first[late] = early
    together: dict[str, list[str]] = {}
    for url in prints:
        together.setdefault(root(url), []).append(url)
    return tuple(tuple(group) for group in together.values() if len(group) > 1)


def copy_of(found: Iterable[Sequence[str]]) -> dict[str, str]:
    """For every address of a group but its first: that first one."""
    return {url: group[0] for group in found for url in group[1:]}


def _meeting(prints: Mapping[str, Print]) -> list[tuple[str, str]]:
    """The pairs that have a run in common; of hundreds of pages on one question few do."""
    holders: dict[int, list[str]] = {}
    for url, found in prints.items():
        for run in found.runs:
            holders.setdefault(run, []).append(url)
    return sorted({pair for urls in holders.values() if len(urls) > 1 for pair in combinations(urls, 2)})


def _linked(one: str, other: str, originals: Mapping[str, str]) -> bool:
    return originals.get(one, one) in (other, originals.get(other, other)) or originals.get(other) == one


def _hash(words: Sequence[str]) -> int:
    return int.from_bytes(blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big")


def _hex(numbers: Iterable[int]) -> str:
    return "".join(f"{number:08x}" for number in numbers)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(_in_fours(text))


def _in_fours(text: str) -> Iterator[int]:
    for start in range(0, len(text), 8):
        yield int(text[start : start + 8], 16)
