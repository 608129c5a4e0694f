"""Define the research modes: source budget, shares per query, rounds, thresholds of the gate.

Quick, standard and deep are the specification's. Exhaustive is Assay's own, and the analyst sets
how many sources it reads.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from research_core.errors import UsageError

#: Sources that the exhaustive mode reads: usually, at least and at most.
USUAL_SOURCES, MIN_SOURCES, MAX_SOURCES = 40, 10, 100
#: Rounds of gaps in the exhaustive mode, and queries of each round, at most.
MAX_GAP_ROUNDS, MAX_GAP_QUERIES = 4, 3
#: Parts of a question and planned queries in the exhaustive mode, at most. Each part, the summary
#: and the conclusion are written in a call of their own.
MAX_EXHAUSTIVE_PARTS, MAX_EXHAUSTIVE_QUERIES = 6, 12
#: Tokens of passages that a writer is shown, at most, in any mode.
MAX_EVIDENCE_TOKENS = 60_000


@dataclass(frozen=True)
class ResearchMode:
    """A budget of assessed sources and the thresholds of the gate.

    max_sources: sources read and judged. The shares say how many of each query's first results are
    assessed: the question itself, each planned query, the refined query, each follow-up query of a
    round, and the search for evidence against. hold_for_gaps: places kept free for the follow-ups.
    relevance_cutoff: 1-5, a source scoring at least this is kept. gap_rounds: how often gaps are
    looked for. contested_share: the places that a search for evidence against would get;
    counter_share: those it has in this run. They are taken from the last follow-up queries.
    plans_by_part: the plan has queries for each part of the question, and pages are read for all
    parts. writing_calls: model calls that a cap keeps back for the writer.
    writes_sections: a full report has a section for each sub-question, written on its own.
    """

    name: str
    max_sources: int
    min_sources_full_report: int
    min_sources_short_report: int
    relevance_cutoff: int = 3
    question_share: int = 1
    planned_shares: tuple[int, ...] = (1,)
    refined_share: int = 1
    gap_shares: tuple[int, ...] = (1, 1)
    hold_for_gaps: bool = False
    gap_rounds: int = 1
    contested_share: int = 0
    counter_share: int = 0
    plans_by_part: bool = False
    writing_calls: int = 1
    writes_sections: bool = False

    def __post_init__(self) -> None:
        checks = (
            (1 <= self.relevance_cutoff <= 5, "relevance_cutoff must be between 1 and 5"),
            (self.min_sources_short_report >= 1, "min_sources_short_report must be at least 1"),
            (
                self.min_sources_short_report <= self.min_sources_full_report,
                "min_sources_short_report must be ≤ min_sources_full_report",
            ),
            (
                self.min_sources_full_report <= self.max_sources,
                "min_sources_full_report must be ≤ max_sources",
            ),
            (
                self.count_first_places() + self.count_gap_places() <= self.max_sources,
                "the shares of the queries exceed max_sources",
            ),
        )
        for holds, message in checks:
            if not holds:
                raise UsageError(
                    f"{self.name} mode: {message}.", next_step="Change the threshold and try again."
                )

    def count_gap_places(self) -> int:
        """Return the places kept for follow-up queries, 0 unless the mode always looks for gaps."""
        return sum(map(sum, self.list_gap_shares())) if self.hold_for_gaps else 0

    def count_first_places(self) -> int:
        """Return the places shared by the question, the planned queries and the refined query.

        Those of the search for evidence against are included.
        """
        planned = sum(self.planned_shares)
        return self.question_share + planned + self.refined_share + self.counter_share

    def list_gap_shares(self) -> tuple[tuple[int, ...], ...]:
        """Return the places of each follow-up query, by round; rounds without any are left out."""
        taken = self.counter_share
        rounds = []
        for _ in range(self.gap_rounds):
            shares = []
            for share in reversed(self.gap_shares):
                left = max(0, share - taken)
                taken -= share - left
                if left:
                    shares.append(left)
            rounds.append(tuple(reversed(shares)))
        return tuple(shares for shares in reversed(rounds) if shares)

    def with_counter_search(self) -> ResearchMode:
        """Return the mode for a contested claim: a search for evidence against has its places."""
        return replace(self, counter_share=self.contested_share)

    @classmethod
    def quick(cls) -> ResearchMode:
        return cls("quick", 3, min_sources_full_report=3, min_sources_short_report=1)

    @classmethod
    def standard(cls) -> ResearchMode:
        return cls(
            "standard",
            7,
            min_sources_full_report=4,
            min_sources_short_report=2,
            question_share=2,
            planned_shares=(2, 1),
            refined_share=2,
        )

    @classmethod
    def deep(cls) -> ResearchMode:
        return cls(
            "deep",
            10,
            min_sources_full_report=5,
            min_sources_short_report=2,
            question_share=3,
            planned_shares=(2, 2),
            hold_for_gaps=True,
            contested_share=1,
        )

    @classmethod
    def exhaustive(cls, sources: int | None = None) -> ResearchMode:
        """Return the mode for this number of sources, None for the usual one.

        The shares always add up to it. Raises UsageError for a number outside MIN_SOURCES to
        MAX_SOURCES.
        """
        places = USUAL_SOURCES if sources is None else sources
        if not MIN_SOURCES <= places <= MAX_SOURCES:
            raise UsageError(
                f"The exhaustive mode reads {MIN_SOURCES} to {MAX_SOURCES} sources, not {sources}.",
                next_step="Choose a number in between, or another mode for fewer.",
            )
        question, refined = max(1, places // 10), max(1, places // 20)
        of_round = max(1, places * 3 // 40)
        planned = places - question - refined - MAX_GAP_ROUNDS * of_round
        return cls(
            "exhaustive",
            places,
            min_sources_full_report=max(5, min(10, places // 5)),
            min_sources_short_report=3,
            question_share=question,
            planned_shares=_share_out(planned, MAX_EXHAUSTIVE_QUERIES),
            refined_share=refined,
            gap_shares=_share_out(of_round, MAX_GAP_QUERIES),
            hold_for_gaps=True,
            gap_rounds=MAX_GAP_ROUNDS,
            contested_share=1 if places < USUAL_SOURCES else 2,
            plans_by_part=True,
            writing_calls=MAX_EXHAUSTIVE_PARTS + 2,
            writes_sections=True,
        )

    @classmethod
    def from_name(
        cls,
        name: str,
        *,
        sources: int | None = None,
        relevance_cutoff: int | None = None,
        min_full: int | None = None,
        min_short: int | None = None,
    ) -> ResearchMode:
        """Return the mode of that name with the analyst's thresholds.

        sources: how many the exhaustive mode reads, None for the usual number. Raises UsageError
        for an unknown name, a bad threshold, or a number of sources in another mode.
        """
        if name not in MODES:
            raise UsageError(
                f"Unknown mode {name!r}.", next_step=f"Choose one of: {', '.join(MODES)}."
            )
        if name == EXHAUSTIVE:
            mode = cls.exhaustive(sources)
        elif sources is not None:
            raise UsageError(
                f"The {name} mode has a fixed number of sources.",
                next_step=f"Choose the {EXHAUSTIVE} mode, or leave the number out.",
            )
        else:
            mode = getattr(cls, name)()
        thresholds = {
            "relevance_cutoff": relevance_cutoff,
            "min_sources_full_report": min_full,
            "min_sources_short_report": min_short,
        }
        given: dict[str, Any] = {
            key: value for key, value in thresholds.items() if value is not None
        }
        return replace(mode, **given)


def _share_out(places: int, most_queries: int) -> tuple[int, ...]:
    """Divide places among at most `most_queries` queries; the first ones get the remainder."""
    queries = min(places, most_queries)
    each, more = divmod(places, queries)
    return (each + 1,) * more + (each,) * (queries - more)


EXHAUSTIVE = "exhaustive"
MODES = ("quick", "standard", "deep", EXHAUSTIVE)
#: Modes that always look for gaps, and whose reports are saved as files.
THOROUGH_MODES = ("deep", EXHAUSTIVE)
