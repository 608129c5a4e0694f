"""Find where kept sources contradict each other, and what may explain it.

The sentences of the kept passages are compared, whoever wrote the report's text. Figures are found
in sentences with similar words; dates, names and denials only in nearly equal ones. Sources that
are not independent are compared too, because a paper may contradict itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

from research_core.i18n import _, join_list
from research_core.journal.rule_versions import WORDING_VERSION, runs_under
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
from research_core.text.support.kinds_of import find_unnamed_kind
from research_core.text.support.scope import find_added_scope, find_wider_claim
from research_core.text.words import stem, tokenize

if TYPE_CHECKING:
    from research_core.text.quotable import Quote

ContradictionKind = Literal[
    "differs", "one says, another denies", "may be of another date", "may be of another scope"
]
#: The kinds that nothing explains.
UNEXPLAINED_KINDS: tuple[ContradictionKind, ...] = ("differs", "one says, another denies")
#: The version of the rules of scoring from which `quotable.FORMS` apply.
FORMS_VERSION = 4
#: The version from which figures are read as the language of a sentence writes them.
LANGUAGE_VERSION = 6
#: At most this many contradictions, claims of each, and words that name its subject.
MAX_CONTRADICTIONS = 12
MAX_CLAIMS = 8
MAX_SUBJECT_WORDS = 8
#: What failed is no forecast.
_COULD_NOT = re.compile(r"\bcould(?: not|n['’]t)\b", re.IGNORECASE)
_NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty"
    "|sixty|seventy|eighty|ninety|hundred|several|many|few|half|couple of"
)
#: A time to which a sentence limits itself, other than a year. Behind an article, "spring" may be
#: a thing.
_TIME = re.compile(
    r"\b(?:in|during|at|on|after|before|since|until|within|over|throughout|for)\s+"
    r"(?:(?:(?:the|a|an|its|his|her|their|about|more|than|less|first|last|next|past|early|late"
    rf"|\d+|{_NUMBER_WORDS})\s+){{0,3}}"
    r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|century|centuries|mornings?"
    r"|evenings?|nights?|weekends?|winters?|summers?|autumns?|springtime|wartime|war|pandemic"
    r"|childhood|pregnancy|season)|(?:(?:early|late)\s+)?spring)\b(?! of\b)",
    re.IGNORECASE,
)
#: Any word for a time, by which a sentence is not without one.
_NAMES_TIME = re.compile(
    r"\b(?:seconds?|minutes?|hours?|hourly|days?|daily|overnight|weeks?|weekly|fortnights?|months?"
    r"|monthly|years?|yearly|annual(?:ly)?|decades?|century|centuries|since|until|yesterday|today"
    r"|tomorrow|mornings?|evenings?|nights?|weekends?|midnight|noon|winters?|summers?|autumns?"
    r"|springtime|wartime|season|january|february|march|april|june|july|august|september|october"
    r"|november|december)\b|\b(?:1[5-9]|20)\d\d(?:s\b|\b)|\b\d+(?:h|hrs?|mins?)\b",
    re.IGNORECASE,
)


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


@dataclass(frozen=True)
class SourceComparison:
    """What comparing the sentences of a report's kept sources shows.

    contradictions: at most MAX_CONTRADICTIONS, the unexplained first, then by similarity of
    sentences; a sentence belongs to at most one of them. comparable: how many sentences could be
    compared with one of another source, without copies.
    """

    contradictions: tuple[Contradiction, ...]
    comparable: int


def compare_sources(report: Report) -> SourceComparison:
    """Compare the sentences of the kept sources with each other."""
    by_wording = runs_under(report.rules, "scoring", WORDING_VERSION)
    by_first_forms = not runs_under(report.rules, "scoring", FORMS_VERSION)
    sources = list_kept_sources(report)
    return compare_kept_sources(
        report.question,
        sources,
        by_wording=by_wording,
        by_first_forms=by_first_forms,
        by_language=runs_under(report.rules, "scoring", LANGUAGE_VERSION),
    )


def compare_kept_sources(
    question: str,
    sources: Sequence[ReportSource],
    *,
    by_wording: bool = True,
    by_first_forms: bool = False,
    by_language: bool = True,
) -> SourceComparison:
    """Compare the sentences of sources with each other.

    sources: the kept ones, by number; by_wording: read denials and scopes in their wording, as
    WORDING_VERSION does; by_first_forms: compare the sentences quotable before FORMS_VERSION;
    by_language: read figures as LANGUAGE_VERSION does.
    """
    found_quotes = _list_sentences(question, sources, by_first_forms=by_first_forms)
    compared = compare_quotes(found_quotes, by_verb=by_wording, by_language=by_language)
    found = []
    for group in _group_pairs(compared.pairs):
        found.append(_build_contradiction(group, sources, by_wording=by_wording))
    found.sort(key=lambda one: KINDS.index(one.kind))
    return SourceComparison(tuple(found[:MAX_CONTRADICTIONS]), _count_comparable(compared, sources))


def _list_sentences(
    question: str, sources: Sequence[ReportSource], *, by_first_forms: bool
) -> list[Quote]:
    from research_core.text.quotable import FIRST_FORMS, FORMS
    from research_core.text.quote_scores import find_compared_quotes

    rows = []
    for source in sources:
        passages = [{"id": passage.id, "text": passage.text} for passage in source.passages]
        rows.append({"title": source.title, "passages": passages})
    forms = FIRST_FORMS if by_first_forms else FORMS
    return find_compared_quotes(question, rows, forms)


def _count_comparable(compared: ComparedQuotes, sources: Sequence[ReportSource]) -> int:
    copies = {place for place, source in enumerate(sources) if source.copy_of}
    sentences: set[int] = set()
    for pair in compared.met:
        if not copies & {quote.source for quote in pair}:
            sentences.update(quote.order for quote in pair)
    return len(sentences)


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
    group_of: dict[int, list[Disagreement]] = {}
    groups: list[list[Disagreement]] = []
    for pair in pairs:
        ends = [pair.one.order, pair.other.order]
        known = [group_of[order] for order in ends if order in group_of]
        if not known:
            groups.append([pair])
            group_of |= dict.fromkeys(ends, groups[-1])
        elif len(known) == 1 and _fits_group(pair, known[0]):
            known[0].append(pair)
            group_of |= dict.fromkeys(ends, known[0])
    yield from groups


def _fits_group(pair: Disagreement, group: Sequence[Disagreement]) -> bool:
    return (
        pair.a.unit == group[0].a.unit and len(group) < MAX_CLAIMS - 1 and _adds_source(pair, group)
    )


def _adds_source(pair: Disagreement, group: Sequence[Disagreement]) -> bool:
    """Return True if the pair adds a source to the group."""
    sources = {quote.source for each in group for quote in (each.one, each.other)}
    known = {quote.order for each in group for quote in (each.one, each.other)}
    new = next(quote for quote in (pair.one, pair.other) if quote.order not in known)
    return new.source not in sources and len(pair.about & group[0].about) >= len(group[0].about) / 2


def _build_contradiction(
    group: Sequence[Disagreement], sources: Sequence[ReportSource], *, by_wording: bool
) -> Contradiction:
    claims: dict[int, Claim] = {}
    for pair in group:
        for quote, figure in ((pair.one, pair.a), (pair.other, pair.b)):
            claims[quote.order] = _build_claim(quote, figure, sources[quote.source])
    ordered = sorted(
        claims.values(),
        key=lambda claim: (-(claim.credibility or 0.0), claim.source, claim.passage),
    )
    kind, why = _classify_pair(group[0], sources, by_wording=by_wording)
    about = _find_shared_words(group[0])
    return Contradiction(about, group[0].a.unit, kind, why, tuple(ordered))


def _build_claim(quote: Quote, figure: Figure, source: ReportSource) -> Claim:
    return Claim(
        figure.text,
        figure.low if isfinite(figure.low) else None,
        figure.high if isfinite(figure.high) else None,
        source.number,
        quote.passage,
        quote.text,
        source.published,
        source.parts.score if source.parts else None,
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
    pair: Disagreement, sources: Sequence[ReportSource], *, by_wording: bool
) -> tuple[ContradictionKind, str]:
    """Return the kind of a pair and what may explain it.

    Dates in the sentences or of the pages come first, then limits of scope that only one sentence
    has; by_wording: also a group, a time or a kind.
    """
    one = pair.one.text.replace(pair.a.text, " ")
    other = pair.other.text.replace(pair.b.text, " ")
    if by_wording:
        one, other = (_COULD_NOT.sub(" not ", text) for text in (one, other))
    stems_of_one = frozenset(map(stem, tokenize(one)))
    stems_of_other = frozenset(map(stem, tokenize(other)))
    date = _explain_by_date(pair, one, other, sources)
    if not date and (stems_of_one ^ stems_of_other) & FORECAST_STEMS:
        date = _("only one is a forecast")
    if date:
        return "may be of another date", date
    named = (find_name_stems(one) - stems_of_other) | (find_name_stems(other) - stems_of_one)
    if named:
        return (
            "may be of another scope",
            _("only one names {words}").format(words=_restore_words(sorted(named), one, other)),
        )
    limits = (stems_of_one ^ stems_of_other) & SCOPE_STEMS
    if limits:
        return (
            "may be of another scope",
            _("only one says {words}").format(words=_restore_words(sorted(limits), one, other)),
        )
    added = _find_added_limit(one, other) if by_wording else ""
    if added:
        return "may be of another scope", _("only one says {words}").format(words=added)
    counted = _find_counted_nouns(pair)
    if counted:
        return "may be of another scope", _("only one counts {words}").format(words=counted)
    if pair.a.unit == "statement":
        return "one says, another denies", ""
    return "differs", ""


def _find_added_limit(one: str, other: str) -> str:
    """Return the kind, place, group, reservation or time that only one of them has, or ""."""
    for find in (_find_kind, find_added_scope, _find_reservation, _find_added_time):
        limit = find(one, other) or find(other, one)
        if limit:
            return limit
    return ""


def _find_kind(one: str, other: str) -> str:
    return find_unnamed_kind(one, [other])


def _find_reservation(one: str, other: str) -> str:
    """Return what limits the first sentence to some where the other speaks of all, or ""."""
    return find_wider_claim(other, one)


def _find_added_time(one: str, other: str) -> str:
    """Return the time to which only the first sentence limits itself, or "".

    None if the other one names a time too, as it may be the same in other words.
    """
    time = _TIME.search(one)
    if time is None or _TIME.search(other) or _NAMES_TIME.search(other):
        return ""
    return " ".join(time[0].split())


def _explain_by_date(
    pair: Disagreement, one: str, other: str, sources: Sequence[ReportSource]
) -> str:
    """Return how the years in the sentences or of their pages differ, "" if they do not."""
    years_of_one = find_years(one)
    years_of_other = find_years(other)
    if bool(years_of_one) != bool(years_of_other):
        years = join_list(sorted(years_of_one | years_of_other))
        return _("only one names a year, {years}").format(years=years)
    only_one = ", ".join(sorted(years_of_one - years_of_other))
    only_other = ", ".join(sorted(years_of_other - years_of_one))
    if only_one and only_other:
        return _("they name {one} and {other}").format(one=only_one, other=only_other)
    # Dates and names do not change with the year of a page.
    if years_of_one or pair.a.unit in ("date", "name"):
        return ""
    year = sources[pair.one.source].published[:4]
    other_year = sources[pair.other.source].published[:4]
    if year and other_year and year != other_year:
        dated = _("the pages date from {year} and {other_year}")
        return dated.format(year=year, other_year=other_year)
    return ""


def _find_counted_nouns(pair: Disagreement) -> str:
    """Return what only one sentence counts beside the differing figures, "" if nothing."""
    counts_of_one = _find_counts(pair.one.text)
    counts_of_other = _find_counts(pair.other.text)
    for unit, text in (counts_of_one | counts_of_other).items():
        in_both = unit in counts_of_one and unit in counts_of_other
        if unit != pair.a.unit and not in_both:
            return text
    return ""


def _find_counts(text: str) -> dict[str, str]:
    """Return the figures of a text by unit, without units of one or two letters."""
    return {figure.unit: figure.text for figure in parse_figures(text) if len(figure.unit) > 2}


def _restore_words(stems: Sequence[str], *texts: str) -> str:
    """Return the words of these stems as they are written in the texts."""
    words = {stem(word): word for text in texts for word in tokenize(text)}
    return ", ".join(words.get(each, each) for each in stems[:3])
