"""Look up whether legal cases stand where their citations say, at CourtListener.

That service needs a token. A case missing from its collection may still exist; a citation under
which another case stands is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from research_core.citations.checks.matching import find_missing_words, list_content_words
from research_core.citations.formats.item import Item
from research_core.errors import SearchError
from research_core.journal.deps import Deps
from research_core.search.providers import case_citations
from research_core.search.providers.case_citations import MAX_TEXT, NAME, CitationLookup
from research_core.search.records import Case

State = Literal["found", "several", "another", "unknown", "unchecked"]

_PARTY_SEPARATOR = re.compile(r"\s+(?:v|vs|versus)\.?\s+", re.IGNORECASE)
#: Words in the names of many parties, which identify none.
COMMON_PARTY_WORDS = frozenset(
    "united states people state commonwealth city county matter estate parte re inc corp company"
    " limited".split()
)


@dataclass(frozen=True)
class Ruling:
    """The result for one cited case.

    several: more than one case stands at the citation; another: a case of other parties stands
    there; cases: the cases found.
    """

    state: State
    cases: tuple[Case, ...] = ()
    reason: str = ""


def is_case(item: Item) -> bool:
    """Return True if the item is a legal case."""
    return item.type == "legal_case"


def look_up_cases(deps: Deps, items: Sequence[Item]) -> list[Ruling]:
    """Look up each case, in the order of the items. Service errors are never raised."""
    texts = [
        f"{item.title}, {item.more.get('references', '')}".replace("\n", " ") for item in items
    ]
    found: list[Ruling] = []
    for batch in _split_batches(texts):
        found += _look_up_batch(deps, batch, items[len(found) :])
    return found


def _split_batches(texts: Sequence[str]) -> list[list[str]]:
    """Split the texts, in order, into batches short enough for one request."""
    made: list[list[str]] = []
    for text in texts:
        if not made or sum(len(each) + 1 for each in made[-1]) + len(text) > MAX_TEXT:
            made.append([])
        made[-1].append(text[:MAX_TEXT])
    return made


def _look_up_batch(deps: Deps, texts: Sequence[str], items: Sequence[Item]) -> list[Ruling]:
    """Look up the references of one batch with one request."""
    http = deps.http.for_service("courtlistener")
    try:
        looked = case_citations.look_up(http, deps.settings, "\n".join(texts))
    except SearchError as error:
        reason = f"Could not be asked: {error.sentence()}"
        return [Ruling("unchecked", reason=reason) for _ in texts]
    rulings: list[Ruling] = []
    start = 0
    for item, text in zip(items, texts, strict=False):
        end = start + len(text)
        inside = [each for each in looked if start <= each.start < end + 1]
        rulings.append(_decide_ruling(item, inside))
        start = end + 1
    return rulings


def _decide_ruling(item: Item, looked: Sequence[CitationLookup]) -> Ruling:
    """Decide the result for one reference. One citation found is enough: others may be unknown."""
    cases = tuple(case for each in looked for case in each.cases)
    if cases:
        same = tuple(case for case in cases if _has_cited_parties(item, case))
        if not same:
            reason = f"Another case stands at that citation: {cases[0].case_name}."
            return Ruling("another", cases, reason)
        state: State = "found" if len(same) == 1 else "several"
        return Ruling(state, same, f"{NAME} has it: {same[0].case_name}.")
    if any(each.state == "unknown" for each in looked):
        return Ruling("unknown", (), f"{NAME} has no case at that citation.")
    reasons = {
        "no_reporter": f"{NAME} knows no reporter of that name.",
        "not_asked": f"{NAME} looks up no more citations at once.",
    }
    for each in looked:
        if each.state in reasons:
            return Ruling("unchecked", (), reasons[each.state])
    return Ruling("unchecked", (), f"{NAME} sees no citation in it.")


def _has_cited_parties(item: Item, case: Case) -> bool:
    """Return True if the distinctive words of one cited party are in the case's name.

    If no party has distinctive words, all words of the title must be there.
    """
    parties: list[list[str]] = []
    for party in _PARTY_SEPARATOR.split(item.title):
        words = [word for word in list_content_words(party) if word not in COMMON_PARTY_WORDS]
        if words:
            parties.append(words)
    if not parties:
        parties = [list_content_words(item.title)]
    return any(not find_missing_words(party, case.case_name) for party in parties)
