"""Find the quotations that conflict, or that themselves tell of a conflict, and format them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from research_core.i18n import N_, _, gettext
from research_core.llm.quote_bullets import format_bullets
from research_core.model_messages import Json
from research_core.text.disagreements import Disagreement, compare_quotes
from research_core.text.quotable import Quote
from research_core.text.quote_scores import find_compared_quotes

#: Conflicts shown, at most.
MAX_CONFLICTS = 3


def find_conflicts(pairs: Iterable[Disagreement]) -> list[tuple[Quote, Quote]]:
    """Return the most similar of the pairs that disagree, each sentence at most once.

    Statements about different years are no conflict.
    """
    conflicts: list[tuple[Quote, Quote]] = []
    used: list[Quote] = []
    for pair in pairs:
        if pair.of_other_years or pair.one in used or pair.other in used:
            continue
        conflicts.append((pair.one, pair.other))
        used += (pair.one, pair.other)
    return conflicts[:MAX_CONFLICTS]


#: "This contradicts earlier findings", "Experts disagree": a sentence that itself tells of
#: opposing findings or views.
_TELLS_CONFLICT = re.compile(
    r"(?<!\bnot )(?<!n['’]t )(?<!\bnever )\b(?:contradict(?:s|ed|ing|ory)?"
    r"|(?:conflicting|contradictory|inconsistent) (?:\w+ )?(?:evidence|results?|findings|reports?"
    r"|studies|data|views|opinions|advice|recommendations|claims)"
    r"|mixed (?:\w+ )?(?:evidence|results|findings)"
    r"|(?:experts|studies|researchers|scientists|scholars|historians|economists|doctors|sources"
    r"|authorities|authors|critics|courts|findings|results|opinions|views|recommendations)"
    r" (?:\w+ ){0,2}(?:disagree(?:d|s)?\b|diverged?\b|conflict\b(?= (?:on|about|over|with)\b|[.,;]|$))"
    r"|(?:is|are|was|were|remains?) (?:\w+ ){0,2}(?:disputed|controversial|hotly debated)"
    r"|contrary to (?:what|earlier|previous|prior|popular|common|most|the (?:claim|belief|finding|view)))"
    r"\b|\bno (?:scientific |clear |general )?consensus\b",
    re.IGNORECASE,
)
#: The same, or a sentence that names a dispute or one of its sides.
TELLS_DISPUTE = re.compile(
    rf"{_TELLS_CONFLICT.pattern}|\b(?:disput\w*|controvers\w*|contested|contentious|debate[ds]?"
    r"|disagree\w*|critics|opponents|s[ck]eptics|objections?)\b",
    re.IGNORECASE,
)
#: Faults of a sentence that tells of a conflict all the same: "A study contradicts what … say".
TELLING_FAULTS = frozenset({"repeats the question"})
_TOLD_CONFLICTS = N_("These sentences themselves say that findings or views oppose each other.")
_ONLY_ONE_SOURCE = N_("There is only one source, so nothing could be compared.")


def find_told_conflicts(usable: Sequence[Quote]) -> list[Quote]:
    """Return the best sentences about the point that themselves tell of opposing findings or views."""
    told = [
        quote
        for quote in usable
        if TELLING_FAULTS.issuperset(quote.faults) and _TELLS_CONFLICT.search(quote.text)
    ]
    told.sort(key=lambda quote: (-quote.score, quote.order))
    first: dict[str, Quote] = {}
    for quote in told:
        first.setdefault(quote.text.casefold(), quote)
    return list(first.values())[:MAX_CONFLICTS]


_NO_CONFLICT = N_(
    "No conflicting figures, dates, names or denials were found in similar sentences. Conflicts"
    " worded differently may be missed."
)
_NOTHING_COMPARED = N_(
    "No two sentences of different sources are worded alike enough to be compared automatically."
    " Conflicts may be missed."
)


def format_conflicts(inputs: Json, found: Sequence[Quote], usable: Sequence[Quote]) -> str:
    """Format the conflicts of all sentences, and those that usable ones tell of.

    Nothing was compared where the confidence, which compares by the whole question, counts nothing.
    """
    told = find_told_conflicts(usable)
    pairs = compare_quotes(found).pairs
    compared = _format_pairs(find_conflicts(pairs))
    is_whole = "sections" not in inputs  # a frame has the sources of its sections only
    if not pairs and is_whole and len(inputs["sources"]) == 1:
        compared = gettext(_ONLY_ONE_SOURCE)
    elif not pairs and not _are_comparable(inputs["question"], inputs["sources"]):
        compared = gettext(_NOTHING_COMPARED)
    if not told:
        return compared
    return f"{gettext(_TOLD_CONFLICTS)}\n\n{format_bullets(told)}\n\n{compared}"


def _are_comparable(question: str, sources: Sequence[Json]) -> bool:
    """Return whether any two sentences of different sources are similar enough to be compared."""
    compared = compare_quotes(find_compared_quotes(question, sources))
    return bool(compared.pairs or compared.met)


def _format_pairs(pairs: Sequence[tuple[Quote, Quote]]) -> str:
    if not pairs:
        return gettext(_NO_CONFLICT)
    told = "\n\n".join(format_bullets(pair) for pair in pairs)
    lead = _(
        "These sentences have the same subject but differ in a figure, a date, a name or a denial. A"
        " different scope may explain it."
    )
    return f"{lead}\n\n{told}"
