"""Compute how far a report can be relied on: a level for each measure and for all of them.

This is a pure function of the report. It judges no sentence; it counts what the checks, the gate
and the comparison of sources found. The writer's own statement on confidence does not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from research_core.models import Block, Report, ReportSource, Sentence
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
from research_core.text.words import escape_markdown
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


#: The literal table. The first two decide; see `combine_levels`.
MEASURES = (
    Measure(
        "independent sources", 4, 2, falling=False, means="4 or more are high, 2 or 3 moderate"
    ),
    Measure(
        "citations that hold",
        0.9,
        0.7,
        falling=False,
        means="90 % or more are high, 70 % or more moderate",
    ),
    Measure(
        "facts that rest on one source (◇)",
        0.3,
        0.7,
        falling=True,
        means="30 % or fewer are high, 70 % or fewer moderate",
    ),
    Measure(
        "facts without a source",
        0.0,
        0.1,
        falling=True,
        means="none is high, 10 % or fewer moderate",
    ),
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
    Measure(
        "credibility of the sources kept",
        0.7,
        0.5,
        falling=False,
        means="0.70 or more on average is high, 0.50 or more moderate",
    ),
    Measure(
        "sources whose relevance nobody could score",
        0.0,
        0.5,
        falling=True,
        means="none is high, half or fewer moderate",
    ),
    Measure(
        "citations that could not be checked",
        0.0,
        0.1,
        falling=True,
        means="none is high, 10 % or fewer moderate",
    ),
)
DECIDING_MEASURES = 2
#: This many low lines make the report low.
LOW_MEASURES_FOR_LOW = 3
#: If fewer statements of different sources could be compared, finding none shows nothing.
MIN_COMPARED = 4
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
    """The confidence of a report. level: of all lines together (`combine_levels`)."""

    level: ConfidenceLevel
    lines: tuple[ConfidenceLine, ...]


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
    lines = tuple(_build_lines(report, found, compared))
    confidence = Confidence(combine_levels(lines), lines)
    return Findings(found, compared.contradictions, confidence)


def compute_confidence(report: Report) -> Confidence | None:
    """Return the computed confidence of a report, None if it has none."""
    return examine(report).confidence


def combine_levels(lines: Sequence[ConfidenceLine]) -> ConfidenceLevel:
    """Combine the levels of all lines.

    High: the deciding lines are high and none is low. Low: a deciding line is low, or at least
    LOW_MEASURES_FOR_LOW lines are. Otherwise moderate.
    """
    levels = [line.level for line in lines]
    deciding = set(levels[:DECIDING_MEASURES])
    if "low" in deciding or levels.count("low") >= LOW_MEASURES_FOR_LOW:
        return "low"
    if deciding == {"high"} and "low" not in levels:
        return "high"
    return "moderate"


def _build_lines(
    report: Report, found: Sequence[Backing], compared: SourceComparison
) -> Iterator[ConfidenceLine]:
    figures = _measure_figures(report, found, compared)
    for measure, (figure, words) in zip(MEASURES, figures, strict=True):
        yield ConfidenceLine(measure.name, words, _rate_figure(measure, figure), measure.means)


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
) -> Iterator[tuple[float | None, str]]:
    """Yield (figure, words) for each of MEASURES, in its order."""
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
    yield _count_independent(report, sources)
    yield _format_share(states.count("supported"), len(cited), none=0.0)
    yield _format_share(sum(backing.single for backing in facts), len(facts))
    yield _format_share(open_facts, open_facts + len(facts))
    yield _count_contradicted(compared)
    yield _average_credibility(report)
    yield _format_share(unscored, len(sources))
    yield _format_share(states.count("could not check"), len(cited))


def _average_credibility(report: Report) -> tuple[float | None, str]:
    """Average the credibility of the independent voices; each counts by its lowest source."""
    kept = list_kept_sources(report)
    by_number = {source.number: source.parts.score for source in kept if source.parts}
    lowest = []
    for group in group_voices([source.number for source in kept], report.ties):
        scores = [by_number[number] for number in group.sources if number in by_number]
        if scores:
            lowest.append(min(scores))
    if not lowest:
        return None, "not scored: they are your own documents"
    mean = round(sum(lowest) / len(lowest), 2)
    return mean, f"{mean:.2f} on average"


def _count_independent(report: Report, sources: Sequence[ReportSource]) -> tuple[int | None, str]:
    """Count the independent voices of published sources; None with only own documents."""
    published = [source.number for source in sources if not is_own_document(source.address)]
    if sources and not published:
        return None, "cannot be told: they are your own documents"
    independent = count_voices(published, report.ties)
    words = f"{independent} of {len(published)} kept"
    own = len(sources) - len(published)
    if own:
        are = "is your own document" if own == 1 else "are your own documents"
        words += f"; {own} more {are}, not counted"
    return independent, words


def _count_contradicted(compared: SourceComparison) -> tuple[float | None, str]:
    """Count unexplained contradictions; None if none was found and too little could be compared."""
    differing, among = compared.contradictions, compared.comparable
    if not among:
        return None, "none found, as no statements of different sources could be compared"
    unexplained = sum(one.kind in UNEXPLAINED_KINDS for one in differing)
    words = f"{unexplained or 'none'} found among {among} comparable statements"
    explained = len(differing) - unexplained
    if explained:
        words += f", and {explained} that date or scope may explain"
    if not unexplained and among < MIN_COMPARED:
        return None, words
    return unexplained, words


def _format_share(part: int, whole: int, none: float | None = None) -> tuple[float | None, str]:
    """Return the share and its words. none: the figure if there is nothing to count."""
    if not whole:
        return none, "there are none"
    return part / whole, f"{part} of {whole}"


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
