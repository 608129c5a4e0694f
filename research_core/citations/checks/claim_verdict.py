"""Judge whether a cited page supports a claim, and name what differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from research_core.i18n import _
from research_core.text.embeddings import Embedder
from research_core.text.passages import select_passages
from research_core.text.support import check_support

#: "not decided": the check read the source and cannot tell; "could not check": the source could
#: not be read.
Verdict = Literal["supported", "partly", "not found", "not decided", "could not check"]
#: What is wrong with a claim, "" if nothing or unknown.
FaultKind = Literal[
    "", "figure", "date", "quotation", "stronger", "entity", "scope", "not mentioned"
]
#: The verdicts, the best first.
VERDICTS: tuple[Verdict, ...] = (
    "supported",
    "partly",
    "not found",
    "not decided",
    "could not check",
)
#: Passages of a page that are compared with a claim.
MAX_PASSAGES = 3


@dataclass(frozen=True)
class ClaimVerdict:
    """Whether a page supports a claim.

    note: one plain sentence naming what differs; start, end: the passage of the page, 0, 0 if none;
    likelihood: 0.0-1.0 that the page supports the claim.
    """

    verdict: Verdict
    kind: FaultKind = ""
    note: str = ""
    start: int = 0
    end: int = 0
    likelihood: float = 0.0


def judge_claim(
    claim: str,
    page: str,
    *,
    context: str = "",
    embedder: Embedder | None = None,
    entailment: object | None = None,
) -> ClaimVerdict:
    """Judge one claim against the whole text of one cited page.

    context: the heading or row label of the claim.
    """
    passages = select_passages(f"{context} {claim}".strip(), page, limit=MAX_PASSAGES)
    if not passages:
        if not page.strip():
            return ClaimVerdict("could not check", note=_("The source has no text."))
        note = _("The source does not mention it.")
        return ClaimVerdict("not found", "not mentioned", note)
    ranked = []
    for passage in passages:
        state, note = check_support(claim, [passage.text])
        if state in VERDICTS:
            ranked.append((VERDICTS.index(state), passage.start, passage.end, note))
    rank, start, end, note = min(ranked)
    verdict = VERDICTS[rank]
    kind: FaultKind = "not mentioned" if verdict == "not found" else ""
    return ClaimVerdict(verdict, kind, note, start, end)


def combine_verdicts(
    verdicts: Sequence[ClaimVerdict], claim: str, pages: Sequence[str]
) -> ClaimVerdict:
    """Combine the verdicts on a sentence that cites several works, in the order of the pages."""
    if not verdicts:
        return ClaimVerdict("could not check")
    return min(verdicts, key=lambda verdict: VERDICTS.index(verdict.verdict))
