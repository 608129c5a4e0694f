"""Define the three research modes: source budget, shares per query, thresholds of the gate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from research_core.errors import UsageError


@dataclass(frozen=True)
class ResearchMode:
    """A budget of assessed sources and the thresholds of the gate.

    max_sources: sources read and judged. The shares say how many of each query's first results are
    assessed: the question itself, each planned query, the refined query, each follow-up query.
    hold_for_gaps: places kept free for the follow-ups. relevance_cutoff: 1-5, a source scoring at
    least this is kept. writes_sections: a full report has a section for each sub-question, written
    on its own.
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
        return sum(self.gap_shares) if self.hold_for_gaps else 0

    def count_first_places(self) -> int:
        """Return the places shared by the question, the planned queries and the refined query."""
        return self.question_share + sum(self.planned_shares) + self.refined_share

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
        )

    @classmethod
    def from_name(
        cls,
        name: str,
        *,
        relevance_cutoff: int | None = None,
        min_full: int | None = None,
        min_short: int | None = None,
    ) -> ResearchMode:
        """Return the mode of that name with the analyst's thresholds.

        Raises UsageError for an unknown name or a bad threshold.
        """
        if name not in MODES:
            raise UsageError(
                f"Unknown mode {name!r}.", next_step=f"Choose one of: {', '.join(MODES)}."
            )
        mode: ResearchMode = getattr(cls, name)()
        thresholds = {
            "relevance_cutoff": relevance_cutoff,
            "min_sources_full_report": min_full,
            "min_sources_short_report": min_short,
        }
        given: dict[str, Any] = {
            key: value for key, value in thresholds.items() if value is not None
        }
        return replace(mode, **given)


MODES = ("quick", "standard", "deep")
