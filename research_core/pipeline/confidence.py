"""Compute how far a report can be relied on: a level for each measure and for all of them.

This is a pure function of the report. It judges no sentence; it counts what the checks, the gate
and the comparison of sources found. The writer's own statement on confidence does not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
    count_comparable,
    find_contradictions,
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
#: So many low lines make the whole low.
LOW_MEASURES_FOR_LOW = 3
#: Fewer statements of different sources that could be compared show nothing, whatever was found
#: among them.
MIN_COMPARED = 4
#: Contradictions that the text of a report tells of.
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


def examine(report: Report) -> Findings:
    """Compute all findings of a report; the confidence is None if there is no report."""
    found, differing = find_backings(report), find_contradictions(report)
    if report.decision == "insufficient_data":
        return Findings(found, differing, None)
    lines = tuple(_build_lines(report, found, differing))
    return Findings(found, differing, Confidence(combine_levels(lines), lines))


def compute_confidence(report: Report) -> Confidence | None:
    """Return the computed confidence of a report, None if it has none."""
    return examine(report).confidence


def combine_levels(lines: Sequence[ConfidenceLine]) -> ConfidenceLevel:
    """Combine the levels of all lines.

    High: the deciding lines are high and none is low. Low: a deciding line is low, or at least
    LOW_MEASURES_FOR_LOW lines are. Otherwise moderate.
    """
    levels = [line.level for line in lines]
    if "low" in levels[:DECIDING_MEASURES] or levels.count("low") >= LOW_MEASURES_FOR_LOW:
        return "low"
    return (
        "high"
        if set(levels[:DECIDING_MEASURES]) == {"high"} and "low" not in levels
        else "moderate"
    )


def _build_lines(
    report: Report, found: Sequence[Backing], differing: Sequence[Contradiction]
) -> Iterator[ConfidenceLine]:
    for measure, (figure, value) in zip(
        MEASURES, _measure_figures(report, found, differing), strict=True
    ):
        yield ConfidenceLine(measure.name, value, _rate_figure(measure, figure), measure.means)


def _rate_figure(measure: Measure, figure: float | None) -> ConfidenceLevel:
    """Return the level of a figure; moderate if it could not be measured."""
    if figure is None:
        return "moderate"
    sign = -1 if measure.falling else 1
    return (
        "high"
        if sign * figure >= sign * measure.high
        else "moderate"
        if sign * figure >= sign * measure.moderate
        else "low"
    )


def _measure_figures(
    report: Report, found: Sequence[Backing], differing: Sequence[Contradiction]
) -> Iterator[tuple[float | None, str]]:
    """Yield (figure, words) for each of MEASURES, in its order."""
    sources = list_distinct_sources(report)
    told = [
        sentence
        for block in report.blocks
        if block.kind != "heading"
        for sentence in block.sentences
    ]
    cited = [sentence for sentence in told if sentence.citations]
    facts = [backing for backing in found if backing.factual]
    open_facts = [sentence for sentence in told if not sentence.citations and sentence.note]
    by_number = {
        source.number: source.parts.score for source in list_kept_sources(report) if source.parts
    }
    spoken = [
        [by_number[n] for n in group.sources if n in by_number]
        for group in group_voices([s.number for s in list_kept_sources(report)], report.ties)
    ]
    scores = [
        min(voice) for voice in spoken if voice
    ]  # one voice counts once, by the least of its sources
    unscored = sum(not (source.relevance and source.relevance.scored) for source in sources)
    yield _count_independent(report, sources)
    yield _format_share(sum(s.state == "supported" for s in cited), len(cited), none=0.0)
    yield _format_share(sum(backing.single for backing in facts), len(facts))
    yield _format_share(len(open_facts), len(open_facts) + len(facts))
    yield _count_contradicted(differing, count_comparable(report))
    mean = round(sum(scores) / len(scores), 2) if scores else None
    yield (
        mean,
        f"{mean:.2f} on average" if mean is not None else "not scored: they are your own documents",
    )
    yield _format_share(unscored, len(sources))
    yield _format_share(sum(s.state == "could not check" for s in cited), len(cited))


def _count_independent(report: Report, sources: Sequence[ReportSource]) -> tuple[int | None, str]:
    """Count the independent voices of published sources; None with only own documents."""
    published = [source.number for source in sources if not is_own_document(source.address)]
    if sources and not published:
        return None, "cannot be told: they are your own documents"
    independent, own = count_voices(published, report.ties), len(sources) - len(published)
    more = (
        f"; {own} more {'is your own document' if own == 1 else 'are your own documents'}, not"
        " counted"
        if own
        else ""
    )
    return independent, f"{independent} of {len(published)} kept{more}"


def _count_contradicted(differing: Sequence[Contradiction], among: int) -> tuple[float | None, str]:
    """Count unexplained contradictions; None if none was found and too little could be compared."""
    bare = sum(one.kind in UNEXPLAINED_KINDS for one in differing)
    if not among:
        return None, "none found, as no statements of different sources could be compared"
    more = (
        f", and {len(differing) - bare} that date or scope may explain"
        if len(differing) > bare
        else ""
    )
    found = bare if bare or among >= MIN_COMPARED else None
    return found, f"{bare or 'none'} found among {among} comparable statements{more}"


def _format_share(part: int, whole: int, none: float | None = None) -> tuple[float | None, str]:
    """Return the share and its words. none: the figure if there is nothing to count."""
    return (part / whole, f"{part} of {whole}") if whole else (none, "there are none")


# -- for the text of a report ------------------------------------------------------------------------------------------------


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
    said = [
        f"{line.name.capitalize()}: {line.value} ({_explain_line(line)})."
        for line in found.confidence.lines
    ]
    said += [format_contradiction(one) for one in found.contradictions[:MAX_SHOWN_CONTRADICTIONS]]
    return (
        Block("paragraph", (Sentence(head),)),
        *(Block("bullet", (Sentence(text),)) for text in said),
    )


def _explain_line(line: ConfidenceLine) -> str:
    """Return the level, and below high also what the levels mean."""
    return line.level if line.level == "high" else f"{line.level}; {line.why}"


def format_contradiction(one: Contradiction) -> str:
    """Format a contradiction as one line of Markdown, with quoted text escaped."""
    values = "; ".join(f"“{escape_markdown(claim.value)}” [{claim.source}]" for claim in one.claims)
    kind = (
        f"{one.kind} ({escape_markdown(one.why)})" if one.why else _BARELY.get(one.kind, one.kind)
    )
    return f"{_KIND_TITLES.get(one.unit, 'Different figures')}, {kind}: {escape_markdown(one.about)}: {values}."


#: How a contradiction is told, by its unit where that is no unit of figures, and by its kind where
#: nothing explains it.
_KIND_TITLES = {
    "date": "Different dates",
    "name": "Different names",
    "statement": "Opposite statements",
}
_BARELY = {"differs": "which nothing seen explains"}
