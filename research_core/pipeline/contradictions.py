"""Find where kept sources contradict each other, and what may explain it.

The sentences of the kept passages are compared, whoever wrote the report's text. Figures are found
in sentences with similar words; dates, names and denials only in nearly equal ones. Sources that
are not independent are compared too, because a paper may contradict itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from math import isfinite
from typing import Any, Literal

from research_core.models import Report, ReportSource
from research_core.pipeline.backing import list_kept_sources
from research_core.text.disagreements import (
    FORECAST_STEMS,
    SCOPE_STEMS,
    ComparedQuotes,
    Disagreement,
    compare_quotes,
    find_name_stems,
    find_years,
)
from research_core.text.figures import Figure, parse_figures
from research_core.text.question import QUESTION_WORDS
from research_core.text.quotable import Quote, find_quotes
from research_core.text.words import stem, tokenize

ContradictionKind = Literal[
    "differs", "one says, another denies", "may be of another date", "may be of another scope"
]
#: The kinds that nothing explains.
UNEXPLAINED_KINDS: tuple[ContradictionKind, ...] = ("differs", "one says, another denies")
#: Contradictions told at most, claims of one, and words that say what it is about.
MAX_CONTRADICTIONS, MAX_CLAIMS, MAX_SUBJECT_WORDS = 12, 8, 8


@dataclass(frozen=True)
class Claim:
    """What one source says.

    value: as written; for a denial the words that deny; low, high: in the unit of the
    contradiction, with rounding, None if open or not a figure; source: its number; passage: its id;
    sentence: with white space folded; published: "" if unknown; credibility: 0.0-1.0 or None.
    """

    value: str
    low: float | None
    high: float | None
    source: int
    passage: str
    sentence: str
    published: str = ""
    credibility: float | None = None


@dataclass(frozen=True)
class Contradiction:
    """Claims of at least two sources that differ.

    about: the words the claims share, as in the first; unit: as in `figures.Figure`, or date | name
    | statement; why: what may explain it, or ""; claims: the most credible first.
    """

    about: str
    unit: str
    kind: ContradictionKind
    why: str
    claims: tuple[Claim, ...]


def find_contradictions(report: Report) -> tuple[Contradiction, ...]:
    """Return at most MAX_CONTRADICTIONS, the unexplained first, then by similarity of sentences.

    A sentence belongs to at most one of them.
    """
    sources = list_kept_sources(report)
    found = [
        _build_contradiction(group, sources)
        for group in _group_pairs(_find_comparable(report).pairs)
    ]
    return tuple(sorted(found, key=lambda one: KINDS.index(one.kind)))[:MAX_CONTRADICTIONS]


def count_comparable(report: Report) -> int:
    """Count the sentences that could be compared with one of another source, without copies."""
    copies = {place for place, source in enumerate(list_kept_sources(report)) if source.copy_of}
    met = (
        pair
        for pair in _find_comparable(report).met
        if not {quote.source for quote in pair} & copies
    )
    return len({quote.order for pair in met for quote in pair})


def _find_comparable(report: Report) -> ComparedQuotes:
    told = tuple(
        (source.title, tuple((passage.id, passage.text) for passage in source.passages))
        for source in list_kept_sources(report)
    )
    return _compare_sentences(report.question, told)


@lru_cache(maxsize=4)
def _compare_sentences(
    question: str, told: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
) -> ComparedQuotes:
    """Compare the sentences; cached, as one report is rendered as Markdown, JSON and on screen."""
    sources = [
        {"title": title, "passages": [{"id": id, "text": text} for id, text in passages]}
        for title, passages in told
    ]
    return compare_quotes(find_quotes(question, sources))


KINDS: tuple[ContradictionKind, ...] = (
    *UNEXPLAINED_KINDS,
    "may be of another date",
    "may be of another scope",
)


def contradictions_to_json(found: Sequence[Contradiction]) -> list[dict[str, Any]]:
    """Return the contradictions as plain values."""
    return [{**asdict(one), "claims": [asdict(claim) for claim in one.claims]} for one in found]


def _group_pairs(pairs: Sequence[Disagreement]) -> Iterator[list[Disagreement]]:
    """Group the pairs that share their first sentence; each sentence is in one group."""
    used: dict[int, list[Disagreement]] = {}
    groups: list[list[Disagreement]] = []
    for pair in pairs:
        ends = [pair.one.order, pair.other.order]
        held = [used[order] for order in ends if order in used]
        if not held:
            groups.append([pair])
            used |= dict.fromkeys(ends, groups[-1])
        elif (
            len(held) == 1
            and pair.a.unit == held[0][0].a.unit
            and len(held[0]) < MAX_CLAIMS - 1
            and _adds_source(pair, held[0])
        ):
            held[0].append(pair)
            used |= dict.fromkeys(ends, held[0])
    yield from groups


def _adds_source(pair: Disagreement, group: Sequence[Disagreement]) -> bool:
    """True if the pair adds a source to the group."""
    sources = {quote.source for each in group for quote in (each.one, each.other)}
    known = {quote.order for each in group for quote in (each.one, each.other)}
    new = next(quote for quote in (pair.one, pair.other) if quote.order not in known)
    return new.source not in sources and len(pair.about & group[0].about) >= len(group[0].about) / 2


def _build_contradiction(
    group: Sequence[Disagreement], sources: Sequence[ReportSource]
) -> Contradiction:
    said = {
        quote.order: (quote, figure)
        for pair in group
        for quote, figure in ((pair.one, pair.a), (pair.other, pair.b))
    }
    claims = [_build_claim(quote, figure, sources[quote.source]) for quote, figure in said.values()]
    kind, why = _classify_pair(group[0], sources)
    claims.sort(key=lambda claim: (-(claim.credibility or 0.0), claim.source, claim.passage))
    return Contradiction(_find_shared_words(group[0]), group[0].a.unit, kind, why, tuple(claims))


def _build_claim(quote: Quote, figure: Figure, source: ReportSource) -> Claim:
    low, high = (value if isfinite(value) else None for value in (figure.low, figure.high))
    score = source.parts.score if source.parts else None
    return Claim(
        figure.text, low, high, source.number, quote.passage, quote.text, source.published, score
    )


def _find_shared_words(pair: Disagreement) -> str:
    """Return the words of the first sentence that the other also has, in its order."""
    words = [
        word
        for word in tokenize(pair.one.text)
        if stem(word) in pair.about and word not in QUESTION_WORDS
    ]
    return " ".join(list(dict.fromkeys(words))[:MAX_SUBJECT_WORDS])


def _classify_pair(
    pair: Disagreement, sources: Sequence[ReportSource]
) -> tuple[ContradictionKind, str]:
    """Return the kind of a pair and what may explain it.

    Dates in the sentences or of the pages come first, then limits of scope that only one sentence
    has.
    """
    one, other = pair.one.text.replace(pair.a.text, " "), pair.other.text.replace(pair.b.text, " ")
    mine, yours = find_years(one), find_years(other)
    if bool(mine) != bool(yours):
        return "may be of another date", f"only one names a year, {', '.join(sorted(mine | yours))}"
    if mine - yours and yours - mine:
        return (
            "may be of another date",
            f"they name {', '.join(sorted(mine - yours))} and {', '.join(sorted(yours - mine))}",
        )
    days = [sources[quote.source].published[:4] for quote in (pair.one, pair.other)]
    if (
        not mine and all(days) and days[0] != days[1] and pair.a.unit not in ("date", "name")
    ):  # these do not change with the years
        return "may be of another date", f"the pages are of {days[0]} and {days[1]}"
    a, b = (frozenset(map(stem, tokenize(text))) for text in (one, other))
    if (a ^ b) & FORECAST_STEMS:
        return "may be of another date", "only one of them foretells"
    if apart := sorted((find_name_stems(one) - b) | (find_name_stems(other) - a)):
        return "may be of another scope", f"only one names {_restore_words(apart, one, other)}"
    if apart := sorted((a ^ b) & SCOPE_STEMS):
        return "may be of another scope", f"only one says {_restore_words(apart, one, other)}"
    if counted := _find_counted_nouns(pair):
        return "may be of another scope", f"only one counts {counted}"
    return ("one says, another denies" if pair.a.unit == "statement" else "differs"), ""


def _find_counted_nouns(pair: Disagreement) -> str:
    """Return what only one sentence counts beside the differing figures, "" if nothing."""
    one, other = (
        {each.unit: each.text for each in parse_figures(text) if len(each.unit) > 2}
        for text in (pair.one.text, pair.other.text)
    )
    return next(
        (
            text
            for unit, text in (one | other).items()
            if unit != pair.a.unit and (unit in one) != (unit in other)
        ),
        "",
    )


def _restore_words(stems: Sequence[str], *texts: str) -> str:
    """Return the words of these stems as they are written in the texts."""
    words = {stem(word): word for text in texts for word in tokenize(text)}
    return ", ".join(words.get(each, each) for each in stems[:3])
