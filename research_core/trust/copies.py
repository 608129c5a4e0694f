"""Find pages that are copies of one text: wire stories, press releases, mirrors, print views.

The log keeps a small `Fingerprint` of each page: the smallest hashes of its five-word runs, and
hashes of its longer quotations. Two fingerprints tell how much of either text stands in the other,
so that pages need not be opened to be compared.

Two pages are copies if most of the shorter stands in the longer and is a good part of it, or if
nearly all of the shorter does: a page without text of its own (an excerpt with a link) is no second
source. The number of texts is the size of the largest set of pages of which no two are copies. So a
further page never lowers the number. A roundup of four stories neither merges them nor replaces
them: the stories count, and the roundup does not.

What stands on every page of a site makes no copies: sentences on cookies and rights, and what two
short pages of one site share beside texts of their own. The same holds for pages on two sites whose
titles name different things, such as the leaflets of two drugs.

Limits: it does not tell who copied whom, paraphrases are missed, and the text that a roundup has of
its own is not counted if it holds another page whole.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from itertools import combinations
from typing import TypeVar

from research_core.model_messages import Json
from research_core.models import Page
from research_core.text.words import tokenize
from research_core.trust.attribution import find_attribution
from research_core.trust.independent_set import Neighbours, find_independent_set
from research_core.trust.page_signals import measure_page_signals
from research_core.urls import find_site

#: Words of a run, and how many of the smallest hashes are kept. This estimates a share of 0.5 of
#: texts of similar length to about 0.03.
RUN_WORDS, MAX_HASHES = 5, 256
#: Only the beginning of longer texts is compared; the rest says little about their origin.
MOST_WORDS = 50_000
#: The least share of the shorter text that stands in the other; less if a page names the other as
#: its original, or if both quote alike. Of 139,000 pairs of real pages none shares more than 0.24
#: (benchmarks/copies.py).
MIN_COPY_SHARE, MIN_LINKED_SHARE, MIN_QUOTING_SHARE = 0.4, 0.25, 0.3
#: The least share of the longer text, so that a statement quoted by a short and a long article
#: makes no copy; and the share from which the shorter has no text of its own, however long the
#: other is.
MIN_LONGER_SHARE, WHOLE_SHARE = 0.15, 0.8
#: With fewer comparable hashes the shorter text is a 16th of the other or less, and nothing is
#: concluded.
MIN_MEASURED_HASHES = 16
#: Texts with fewer runs ("Access denied") are copies only if all their runs are the same.
SHORT_RUNS = 40
#: Two pages of one site with no more common runs share only their template, unless nearly all of
#: the shorter is shared: on MedlinePlus the resources for two diseases share 50 of 90 runs, the
#: leaflets of two drugs 90 of 100.
TEMPLATE_RUNS, TEMPLATE_COPY_SHARE = 120, 0.95
#: Quotations of this many words are distinctive, and this many in common show one origin.
MIN_QUOTE_WORDS, MIN_SHARED_QUOTES, MAX_QUOTES = 8, 3, 40

#: Sentences of a site about itself and its reader, which many sites have in the same words.
_BOILERPLATE = re.compile(
    r"\b(?:we|our|use|uses|using|accept|these|this|of|all|necessary) cookies\b|\bcookie"
    r" (?:policy|settings|preferences|notice|consent)\b"
    r"|\b(?:our|weekly|daily|free|the) newsletters?\b|\ball rights reserved\b|\bprivacy"
    r" (?:policy|notice)\b"
    r"|\bterms (?:of (?:use|service)|and conditions)\b",
    re.IGNORECASE,
)
#: One of these is in all such sentences; to look for them is quicker than the expression.
_BOILERPLATE_SIGNS = ("cookie", "newsletter", "rights reserved", "privacy", "terms")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
#: The most characters of such a sentence.
MAX_BOILERPLATE_LENGTH = 600
_Value = TypeVar("_Value")
_QUOTATION = re.compile(r"[“„«\"]([^“”„«»\"\n]{30,600})[”“»\"]")


@dataclass(frozen=True)
class Fingerprint:
    """A fingerprint of a text.

    `size`: the number of distinct runs. `runs`: the smallest of their hashes, sorted. `quotes`: the
    hashes of its quotations, sorted.
    """

    size: int
    runs: tuple[int, ...]
    quotes: tuple[int, ...] = ()

    @cached_property
    def run_set(self) -> frozenset[int]:
        """Return the runs as a set."""
        return frozenset(self.runs)

    def as_json(self) -> Json:
        """Return the fingerprint as the log keeps it."""
        return {
            "size": self.size,
            "runs": _encode_hashes(self.runs),
            "quotes": _encode_hashes(self.quotes),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, str]) -> Fingerprint:
        """Return the fingerprint that a log keeps."""
        return cls(int(data["size"]), _decode_hashes(data["runs"]), _decode_hashes(data["quotes"]))


def fingerprint_text(text: str) -> Fingerprint:
    """Return the fingerprint of a text; case, punctuation and line breaks do not matter.

    Sentences on cookies, newsletters and rights are left out if there are others.
    """
    return _fingerprint_words(text, tokenize(text))


def _fingerprint_words(text: str, words: Sequence[str]) -> Fingerprint:
    """Return the fingerprint of a text. words: all of it."""
    kept = _remove_boilerplate(text)
    if kept != text:
        words = tokenize(kept) or words
    words = words[:MOST_WORDS]
    runs = set(map(_hash_text, _join_runs(words))) if words else set()
    quotes: set[bytes] = set()
    for quotation in _QUOTATION.findall(text):
        quoted = tokenize(quotation)
        if len(quoted) >= MIN_QUOTE_WORDS:
            quotes.add(_hash_text(" ".join(quoted)))
    return Fingerprint(
        len(runs), _keep_smallest(runs, MAX_HASHES), _keep_smallest(quotes, MAX_QUOTES)
    )


def _join_runs(words: Sequence[str]) -> set[str]:
    """Return the runs of `RUN_WORDS` words, or all words as one if they are fewer."""
    shifted = [words[start:] for start in range(RUN_WORDS)]
    runs = set(map(" ".join, zip(*shifted, strict=False)))
    return runs or {" ".join(words)}


def _remove_boilerplate(text: str) -> str:
    """Return the text without short sentences on cookies, newsletters and rights."""
    folded = text.casefold()
    if not any(sign in folded for sign in _BOILERPLATE_SIGNS):
        return text
    return "\n".join(
        one
        for one in _SENTENCE.split(text)
        if len(one) > MAX_BOILERPLATE_LENGTH or not _BOILERPLATE.search(one)
    )


def collect_facts(page: Page) -> Json:
    """Return what the log keeps of a page beside its text."""
    words = tokenize(page.text)
    facts = {
        **page.facts,
        "print": _fingerprint_words(page.text, words).as_json(),
        "signs": measure_page_signals(page, words),
    }
    attribution = find_attribution(page, words)
    if attribution:
        facts["traces"] = attribution
    return facts


def measure_containment(one: Fingerprint, other: Fingerprint) -> float:
    """Return the share of the shorter text's runs that stand in the other, 0.0 to 1.0.

    It is an estimate for texts of more than `MAX_HASHES` runs.
    """
    both, fewer, _ = _compare_runs(one, other)
    return both / fewer if fewer else 0.0


def is_copy(
    one: Fingerprint, other: Fingerprint, *, linked: bool = False, one_template: bool = False
) -> bool:
    """Return whether two texts are mostly the same, or one is contained in the other.

    `linked`: one page names the other as its original, or both name a third. `one_template`: both
    may share a template, because they belong to one site or their titles name different things.
    """
    if min(one.size, other.size) < SHORT_RUNS:
        return one.size > 0 and one.runs == other.runs
    both, fewer, more = _compare_runs(one, other)
    if fewer < MIN_MEASURED_HASHES:
        return False
    if one_template and not linked and both <= TEMPLATE_RUNS:
        return both >= TEMPLATE_COPY_SHARE * fewer
    if both >= WHOLE_SHARE * fewer:
        return True
    if linked:
        return both >= MIN_LINKED_SHARE * fewer
    shared_quotes = len(set(one.quotes) & set(other.quotes))
    least = MIN_QUOTING_SHARE if shared_quotes >= MIN_SHARED_QUOTES else MIN_COPY_SHARE
    return both >= least * fewer and both >= MIN_LONGER_SHARE * more


def group_copies(
    prints: Mapping[str, Fingerprint],
    originals: Mapping[str, str] | None = None,
    titles: Mapping[str, str] | None = None,
) -> tuple[tuple[str, ...], ...]:
    """Group the addresses that share one text; the first of each group represents it.

    An address without a copy, or with a text of its own, is in no group. As many pages as possible
    stay apart; every other page joins the one it is most similar to. Membership does not depend on
    the given order. The order decides which page is first: the earliest of which all others are
    copies.

    `originals` maps an address to the one that its page names as its own (its canonical link); ""
    is none. It is believed only as far as the texts confirm it. `titles` maps addresses to the
    titles of their pages: short texts whose titles name different things may share a template.
    """
    named = {url: original for url, original in (originals or {}).items() if original}
    known_titles = titles or {}
    near = _find_copies(*map(_sort_items, (prints, named, known_titles)))
    rank = sorted(near, key=lambda url: (prints[url].size, prints[url].runs, url))
    texts = find_independent_set(near, rank)
    members = {url: [url] for url in rank if url in texts}
    for url in rank:
        if url in texts:
            continue
        likest = max(
            sorted(near[url] & texts),
            key=lambda other: _measure_likeness(prints[url], prints[other]),
        )
        members[likest].append(url)
    place = {url: n for n, url in enumerate(prints)}
    groups: list[tuple[str, ...]] = []
    for group in members.values():
        if len(group) > 1:
            groups.append(_order_group(sorted(group, key=place.__getitem__), near))
    return tuple(sorted(groups, key=lambda group: place[group[0]]))


def map_copies(found: Iterable[Sequence[str]]) -> dict[str, str]:
    """Map every address of a group except the first to the first."""
    firsts: dict[str, str] = {}
    for first, *others in found:
        firsts.update(dict.fromkeys(others, first))
    return firsts


def _compare_runs(one: Fingerprint, other: Fingerprint) -> tuple[int, int, int]:
    """Return the number of hashes in both fingerprints, in the smaller and in the larger.

    Only hashes below the end of either fingerprint are counted, where both are complete.
    """
    end = 2**32  # above every hash
    for each in (one, other):
        if each.size > len(each.runs):  # larger hashes of this text were dropped
            end = min(end, each.runs[-1])
    mine, yours = bisect_right(one.runs, end), bisect_right(other.runs, end)
    common = one.run_set & other.run_set
    both = sum(map(end.__ge__, common))
    return both, min(mine, yours), max(mine, yours)


def _measure_likeness(one: Fingerprint, other: Fingerprint) -> float:
    """Return the share of the larger fingerprint that both have."""
    both, _, more = _compare_runs(one, other)
    return both / more if more else 0.0


def _sort_items(named: Mapping[str, _Value]) -> tuple[tuple[str, _Value], ...]:
    """Return the items by their names, so that the order in which they came does not matter."""
    return tuple((name, named[name]) for name in sorted(named))


@lru_cache(maxsize=8)
def _find_copies(
    printed: tuple[tuple[str, Fingerprint], ...],
    named: tuple[tuple[str, str], ...],
    titled: tuple[tuple[str, str], ...],
) -> Mapping[str, frozenset[str]]:
    """Map every page that has copies to its copies.

    Cached, because the gate, the report and the result of one session ask the same. Arguments: the
    items of those of `group_copies`.
    """
    # The topic needs the list of English words, which a start that compares no pages does not.
    from research_core.text.question_topic import name_different_things

    prints, originals, titles = dict(printed), dict(named), dict(titled)
    found: dict[str, set[str]] = {}
    sites = {url: find_site(url) for url in prints}
    for one, other in _find_candidate_pairs(prints):
        if not _may_be_copies(prints[one], prints[other]):
            continue
        linked = _are_linked(one, other, originals)
        one_template = sites[one] == sites[other] != "" or name_different_things(
            titles.get(one, ""), titles.get(other, "")
        )
        if is_copy(prints[one], prints[other], linked=linked, one_template=one_template):
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return {url: frozenset(copies) for url, copies in found.items()}


def _may_be_copies(one: Fingerprint, other: Fingerprint) -> bool:
    """Return False if two texts share too little to be copies, whatever else is known of them."""
    if min(one.size, other.size) < SHORT_RUNS:
        return one.runs == other.runs
    both, fewer, _ = _compare_runs(one, other)
    return both >= MIN_LINKED_SHARE * fewer


def _order_group(group: Sequence[str], near: Neighbours) -> tuple[str, ...]:
    """Return the group led by the first page of which all the others are copies."""
    for first in group:
        others = [url for url in group if url != first]
        if near[first].issuperset(others):
            return (first, *others)
    raise ValueError("no page of the group is near all the others")


def _find_candidate_pairs(prints: Mapping[str, Fingerprint]) -> list[tuple[str, str]]:
    """Return the pairs that share a run; among hundreds of pages these are few."""
    holders: dict[int, list[str]] = {}
    for url, found in prints.items():
        for run in found.runs:
            holders.setdefault(run, []).append(url)
    pairs: set[tuple[str, str]] = set()
    for urls in holders.values():
        pairs.update(combinations(urls, 2))
    return sorted(pairs)


def _are_linked(one: str, other: str, originals: Mapping[str, str]) -> bool:
    """Return whether one page names the other as its original, or both name a third."""
    return (
        originals.get(one, one) in (other, originals.get(other, other))
        or originals.get(other) == one
    )


def _hash_text(text: str) -> bytes:
    """Return a hash of 32 bits."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).digest()


def _keep_smallest(hashes: set[bytes], most: int) -> tuple[int, ...]:
    """Return the smallest hashes as numbers, sorted."""
    return tuple(int.from_bytes(each, "big") for each in sorted(hashes)[:most])


def _encode_hashes(numbers: Iterable[int]) -> str:
    """Return the hashes as a string of 8 hexadecimal digits each."""
    return "".join(f"{number:08x}" for number in numbers)


def _decode_hashes(text: str) -> tuple[int, ...]:
    """Return the hashes of such a string."""
    return struct.unpack(f">{len(text) // 8}I", bytes.fromhex(text))
