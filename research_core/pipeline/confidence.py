"""Compute how far a report can be relied on: a level for each measure and for all of them.

This is a pure function of the report. It judges no sentence; it counts what the checks, the gate
and the comparison of sources found. The writer's own statement on confidence does not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from research_core.journal.rule_versions import runs_under
from research_core.models import Block, Report, ReportSource, Sentence, SentenceRelevance
from research_core.pipeline.backing import (
    Backing,
    find_backings,
    list_distinct_sources,
    list_kept_sources,
)
from research_core.pipeline.contradictions import (
    UNEXPLAINED_KINDS,
    Contradiction,
    SourceComparison,
    compare_sources,
)
from research_core.text.words import escape_markdown, format_count
from research_core.trust.independence import count_voices, group_voices
from research_core.urls import is_own_document

ConfidenceLevel = Literal["high", "moderate", "low"]


class Measure(NamedTuple):
    """A measure with its limits.

    A figure of at least `high` is high, of at least `moderate` moderate, else low. falling: the
    limits are upper limits instead.
    """

    name: str
    high: float
    moderate: float
    falling: bool
    means: str


_CITED_ON_QUESTION = Measure(
    "independent sources cited on the question",
    3,
    2,
    falling=False,
    means="3 or more are high, 2 moderate",
)
_CITATIONS_HOLD = Measure(
    "citations that hold",
    0.9,
    0.7,
    falling=False,
    means="90 % or more are high, 70 % or more moderate",
)
_ON_QUESTION = Measure(
    "cited sentences about the question",
    0.8,
    0.5,
    falling=False,
    means="80% or more are high, 50% or more moderate",
)
#: Figures: 1 if it answers, 0.5 if it is only about the question, 0 if it is not.
_FIRST_SENTENCE = Measure(
    "first cited sentence",
    1,
    0.5,
    falling=False,
    means="one that answers the question is high, one that is only about it moderate",
)
_ONE_SOURCE = Measure(
    "facts that rest on one source (◇)",
    0.3,
    0.7,
    falling=True,
    means="30 % or fewer are high, 70 % or fewer moderate",
)
_NO_SOURCE = Measure(
    "facts without a source", 0.0, 0.1, falling=True, means="none is high, 10 % or fewer moderate"
)
_CONTRADICTED = Measure(
    "contradictions that nothing explains",
    0,
    0,
    falling=True,
    means=(
        "none among 4 or more comparable statements is high; none among fewer moderate; 1 or more"
        " low"
    ),
)
_CREDIBILITY = Measure(
    "credibility of the sources kept",
    0.7,
    0.5,
    falling=False,
    means="0.70 or more on average is high, 0.50 or more moderate",
)
_UNSCORED = Measure(
    "sources whose relevance nobody could score",
    0.0,
    0.5,
    falling=True,
    means="none is high, half or fewer moderate",
)
_UNCHECKED = Measure(
    "citations that could not be checked",
    0.0,
    0.1,
    falling=True,
    means="none is high, 10 % or fewer moderate",
)
#: The literal table. The first DECIDING_MEASURES decide; see `combine_levels`.
MEASURES = (
    _FIRST_SENTENCE,
    _ON_QUESTION,
    _CITED_ON_QUESTION,
    _CITATIONS_HOLD,
    _ONE_SOURCE,
    _NO_SOURCE,
    _CONTRADICTED,
    _CREDIBILITY,
    _UNSCORED,
    _UNCHECKED,
)
DECIDING_MEASURES = 4
#: The version of the rules of scoring from which the confidence follows the answer; the reports of
#: older sessions stay as they were stored, by the table below.
ANSWER_VERSION = 3
EARLIER_MEASURES = (
    Measure(
        "independent sources", 4, 2, falling=False, means="4 or more are high, 2 or 3 moderate"
    ),
    _CITATIONS_HOLD,
    _ONE_SOURCE,
    _NO_SOURCE,
    Measure(
        "contradictions that nothing explains",
        0,
        2,
        falling=True,
        means=(
            "none among 4 or more comparable statements is high; none among fewer, and 1 or 2,"
            " moderate"
        ),
    ),
    _CREDIBILITY,
    _UNSCORED,
    _UNCHECKED,
)
EARLIER_DECIDING_MEASURES = 2
#: This many low lines make the report low.
LOW_MEASURES_FOR_LOW = 3
#: If fewer statements of different sources could be compared, finding none shows nothing.
MIN_COMPARED = 4
#: Reasons named for a level.
MAX_REASONS = 4
#: Contradictions listed in the text of a report.
MAX_SHOWN_CONTRADICTIONS = 5


@dataclass(frozen=True)
class ConfidenceLine:
    """One measure of a report. value: the count in words; why: what its levels mean."""

    name: str
    value: str
    level: ConfidenceLevel
    why: str


@dataclass(frozen=True)
class Confidence:
    """The confidence of a report.

    level: of all lines together (`combine_levels`). deciding: how many of the lines, from the
    first, decide. reason: one sentence on what makes the level what it is, None in older
    sessions.
    """

    level: ConfidenceLevel
    lines: tuple[ConfidenceLine, ...]
    deciding: int
    reason: str | None = None


@dataclass(frozen=True)
class Findings:
    """What comparing a report's sources and sentences shows, computed once."""

    backings: tuple[Backing, ...]
    contradictions: tuple[Contradiction, ...]
    confidence: Confidence | None

    @property
    def single(self) -> frozenset[int]:
        """The places of the sentences whose fact rests on one source."""
        return frozenset(backing.place for backing in self.backings if backing.single)


@lru_cache(maxsize=8)
def examine(report: Report) -> Findings:
    """Compute all findings of a report; the confidence is None if there is no report.

    Those of the last reports are kept, as each form of a report needs them.
    """
    found = find_backings(report)
    compared = compare_sources(report)
    if report.decision == "insufficient_data":
        return Findings(found, compared.contradictions, None)
    return Findings(found, compared.contradictions, _rate_report(report, found, compared))


def _rate_report(
    report: Report, found: Sequence[Backing], compared: SourceComparison
) -> Confidence:
    """Return the confidence by the table that was in force when the session began."""
    if not runs_under(report.rules, "scoring", ANSWER_VERSION):
        figures = list(_measure_earlier_figures(report, found, compared))
        lines = _build_lines(EARLIER_MEASURES, figures)
        level = combine_levels(lines, EARLIER_DECIDING_MEASURES)
        return Confidence(level, lines, EARLIER_DECIDING_MEASURES)
    figures = list(_measure_figures(report, found, compared))
    lines = _build_lines(MEASURES, figures)
    level = combine_levels(lines, DECIDING_MEASURES)
    return Confidence(level, lines, DECIDING_MEASURES, _explain_level(level, lines, figures))


def compute_confidence(report: Report) -> Confidence | None:
    """Return the computed confidence of a report, None if it has none."""
    return examine(report).confidence


def combine_levels(lines: Sequence[ConfidenceLine], deciding: int) -> ConfidenceLevel:
    """Combine the levels of all lines, the first of which decide.

    High: the deciding lines are high and none is low. Low: a deciding line is low, or at least
    LOW_MEASURES_FOR_LOW lines are. Otherwise moderate.
    """
    levels = [line.level for line in lines]
    decisive = set(levels[:deciding])
    if "low" in decisive or levels.count("low") >= LOW_MEASURES_FOR_LOW:
        return "low"
    if decisive == {"high"} and "low" not in levels:
        return "high"
    return "moderate"


@dataclass(frozen=True)
class Figure:
    """One measured value. value: None if it could not be measured; words: the count in words.

    reason: the same as a clause of a sentence ("one source says it").
    """

    value: float | None
    words: str
    reason: str = ""


#: The figure where there is nothing to count.
NOTHING = Figure(None, "there are none")


def _build_lines(
    measures: Sequence[Measure], figures: Sequence[Figure]
) -> tuple[ConfidenceLine, ...]:
    lines = []
    for measure, figure in zip(measures, figures, strict=True):
        level = _rate_figure(measure, figure.value)
        lines.append(ConfidenceLine(measure.name, figure.words, level, measure.means))
    return tuple(lines)


def _explain_level(
    level: ConfidenceLevel, lines: Sequence[ConfidenceLine], figures: Sequence[Figure]
) -> str:
    """Say in one sentence what makes the level what it is.

    Of a high level, what the deciding lines say; else the deciding lines that are not high and the
    others that are low. One source for all is not named again as the one source of its facts.
    """
    clauses = []
    for place, (line, figure) in enumerate(zip(lines, figures, strict=True)):
        if place < DECIDING_MEASURES:
            counts = (line.level == "high") == (level == "high")
        else:
            counts = line.level == "low"
        repeats = line.name == _ONE_SOURCE.name and _describe_voices(1) in clauses
        if counts and figure.reason and not repeats:
            clauses.append(figure.reason)
    del clauses[MAX_REASONS:]
    if not clauses:
        return ""
    sentence = clauses[0]
    if len(clauses) > 1:
        sentence = f"{', '.join(clauses[:-1])}, and {clauses[-1]}"
    return f"{sentence[0].upper()}{sentence[1:]}."


def _rate_figure(measure: Measure, figure: float | None) -> ConfidenceLevel:
    """Return the level of a figure; moderate if it could not be measured."""
    if figure is None:
        return "moderate"
    sign = -1 if measure.falling else 1
    if sign * figure >= sign * measure.high:
        return "high"
    if sign * figure >= sign * measure.moderate:
        return "moderate"
    return "low"


def _measure_figures(
    report: Report, found: Sequence[Backing], compared: SourceComparison
) -> Iterator[Figure]:
    """Yield the figures of MEASURES, in its order."""
    rated = [backing for backing in found if backing.sentence.relevance]
    citing = _count_citing(report, rated or found)
    yield _measure_first(rated)
    yield _measure_on_question(rated)
    yield citing
    yield from _measure_shared_figures(report, found, compared)


def _measure_first(rated: Sequence[Backing]) -> Figure:
    if not rated:
        return Figure(None, "was not compared with the question")
    return _FIRST_FIGURES[rated[0].sentence.relevance]


#: The figure of the first cited sentence, by its relevance.
_FIRST_FIGURES: dict[SentenceRelevance, Figure] = {
    "answers": Figure(1, "answers the question", "the first sentence answers the question"),
    "on topic": Figure(
        0.5, "does not answer the question", "the first sentence does not answer the question"
    ),
    "off topic": Figure(
        0, "is not about the question", "the first sentence is not about the question"
    ),
}


def _measure_on_question(rated: Sequence[Backing]) -> Figure:
    if not rated:
        return Figure(None, "were not compared with the question")
    about = sum(backing.sentence.relevance != "off topic" for backing in rated)
    figure = _format_share(
        about, len(rated), reason="the question is the subject of {}", noun="cited sentence"
    )
    return figure if about < len(rated) else replace(figure, reason="")


def _count_citing(report: Report, found: Sequence[Backing]) -> Figure:
    """Count the independent voices of the published sources that say what is on the question.

    Those are the sources that its sentences cite, and those that clearly state the same.
    """
    own = {source.number for source in list_kept_sources(report) if is_own_document(source.address)}
    numbers: set[int] = set()
    for backing in found:
        if backing.sentence.relevance != "off topic":
            numbers.update(backing.sources)
            numbers.update(backing.also)
    published = sorted(numbers - own)
    if numbers and not published:
        return Figure(
            None,
            "cannot be told: they are your own documents",
            "the sources are your own documents",
        )
    independent = count_voices(published, report.ties)
    words = str(independent)
    if len(published) > independent:
        words += f", as some of the {len(published)} are copies or of one publisher"
    if numbers & own:
        words += "; your own documents are not counted"
    return Figure(independent, words, _describe_voices(independent))


def _describe_voices(independent: int) -> str:
    if not independent:
        return "no source says it"
    if independent == 1:
        return "one source says it"
    return f"{independent} independent sources say it"


def _measure_earlier_figures(
    report: Report, found: Sequence[Backing], compared: SourceComparison
) -> Iterator[Figure]:
    """Yield the figures of EARLIER_MEASURES, in its order."""
    yield _count_independent(report, list_distinct_sources(report))
    yield from _measure_shared_figures(report, found, compared)


def _measure_shared_figures(
    report: Report, found: Sequence[Backing], compared: SourceComparison
) -> Iterator[Figure]:
    """Yield the figures that both tables end with, without their reasons."""
    sources = list_distinct_sources(report)
    sentences: list[Sentence] = []
    for block in report.blocks:
        if block.kind != "heading":
            sentences.extend(block.sentences)
    cited = [sentence for sentence in sentences if sentence.citations]
    states = [sentence.state for sentence in cited]
    facts = [backing for backing in found if backing.factual]
    open_facts = sum(bool(sentence.note) for sentence in sentences if not sentence.citations)
    unscored = sum(not (source.relevance and source.relevance.scored) for source in sources)
    yield _format_share(
        states.count("supported"),
        len(cited),
        reason="the sources support {}",
        noun="cited sentence",
        none=Figure(0.0, "there are none", "no sentence cites a source"),
    )
    yield _format_share(
        sum(backing.single for backing in facts),
        len(facts),
        reason="a single source supports {}",
        noun="fact",
    )
    yield _format_share(
        open_facts,
        open_facts + len(facts),
        reason="no source is cited for {}",
        noun="fact",
    )
    yield _count_contradicted(compared)
    yield _average_credibility(report)
    yield _format_share(
        unscored,
        len(sources),
        reason="nobody could score the relevance of {}",
        noun="source",
    )
    yield _format_share(
        states.count("could not check"),
        len(cited),
        reason="the check failed for {}",
        noun="citation",
    )


def _average_credibility(report: Report) -> Figure:
    """Average the credibility of the independent voices; each counts by its lowest source."""
    kept = list_kept_sources(report)
    by_number = {source.number: source.parts.score for source in kept if source.parts}
    lowest = []
    for group in group_voices([source.number for source in kept], report.ties):
        scores = [by_number[number] for number in group.sources if number in by_number]
        if scores:
            lowest.append(min(scores))
    if not lowest:
        return Figure(None, "not scored: they are your own documents")
    mean = round(sum(lowest) / len(lowest), 2)
    words = f"{mean:.2f} on average"
    return Figure(mean, words, f"the credibility of the sources is {words}")


def _count_independent(report: Report, sources: Sequence[ReportSource]) -> Figure:
    """Count the independent voices of published sources; None with only own documents."""
    published = [source.number for source in sources if not is_own_document(source.address)]
    if sources and not published:
        return Figure(None, "cannot be told: they are your own documents")
    independent = count_voices(published, report.ties)
    words = f"{independent} of {len(published)} kept"
    own = len(sources) - len(published)
    if own:
        are = "is your own document" if own == 1 else "are your own documents"
        words += f"; {own} more {are}, not counted"
    return Figure(independent, words)


def _count_contradicted(compared: SourceComparison) -> Figure:
    """Count unexplained contradictions; None if none was found and too little could be compared."""
    differing, among = compared.contradictions, compared.comparable
    if not among:
        return Figure(None, "none found, as no statements of different sources could be compared")
    unexplained = sum(one.kind in UNEXPLAINED_KINDS for one in differing)
    words = f"{unexplained or 'none'} found among {among} comparable statements"
    explained = len(differing) - unexplained
    if explained:
        words += f", and {explained} that date or scope may explain"
    if not unexplained and among < MIN_COMPARED:
        return Figure(None, words)
    return Figure(unexplained, words, "the sources contradict each other")


def _format_share(
    part: int, whole: int, *, reason: str, noun: str, none: Figure = NOTHING
) -> Figure:
    """Return the share with its words.

    reason: holds "{}" for "1 of 3 facts", whose noun is given. none: the figure if there is nothing
    to count.
    """
    if not whole:
        return none
    counted = f"{part} of {format_count(whole, noun)}" if part else f"no {noun}"
    return Figure(part / whole, f"{part} of {whole}", reason.format(counted))


# -- for the text of a report --------------------------------------------------


def build_confidence_blocks(found: Findings) -> tuple[Block, ...]:
    """Build the computed part of the confidence section, without citations.

    It has the level, a bullet for each line and the first contradictions.
    """
    if found.confidence is None:
        return ()
    head = (
        f"Computed from the sources and the checks of this report: **{found.confidence.level}**"
        " confidence."
    )
    if found.confidence.reason:
        head += f" {found.confidence.reason}"
    blocks = [Block("paragraph", (Sentence(head),))]
    for line in found.confidence.lines:
        text = f"{line.name.capitalize()}: {line.value} ({_explain_line(line)})."
        blocks.append(Block("bullet", (Sentence(text),)))
    for contradiction in found.contradictions[:MAX_SHOWN_CONTRADICTIONS]:
        blocks.append(Block("bullet", (Sentence(format_contradiction(contradiction)),)))
    return tuple(blocks)


def _explain_line(line: ConfidenceLine) -> str:
    """Return the level, and below high also what the levels mean."""
    return line.level if line.level == "high" else f"{line.level}; {line.why}"


def format_contradiction(one: Contradiction) -> str:
    """Format a contradiction as one line of Markdown, with quoted text escaped."""
    claims = [f"“{escape_markdown(claim.value)}” [{claim.source}]" for claim in one.claims]
    title = _KIND_TITLES.get(one.unit, "Different figures")
    kind = _UNEXPLAINED_WORDS.get(one.kind, one.kind)
    if one.why:
        kind = f"{one.kind} ({escape_markdown(one.why)})"
    return f"{title}, {kind}: {escape_markdown(one.about)}: {'; '.join(claims)}."


#: The title of a contradiction by its unit, if that is no unit of figures.
_KIND_TITLES = {
    "date": "Different dates",
    "name": "Different names",
    "statement": "Opposite statements",
}
#: The words for a kind of contradiction that nothing explains.
_UNEXPLAINED_WORDS = {"differs": "which nothing seen explains"}
