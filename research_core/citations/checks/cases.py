"""Look up whether legal cases stand where their citations say, at CourtListener.

Its look-up of citations needs a token. Without one, and for a case that is named without a
citation, its search of opinions is asked, by citation and by case name. A case missing from its
collection may still exist; a citation under which another case stands is wrong.
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
from research_core.search.providers import case_citations, courtlistener
from research_core.search.providers.case_citations import MAX_TEXT, NAME, CitationLookup
from research_core.search.records import Case

State = Literal["found", "several", "another", "unknown", "unchecked"]

_PARTY_SEPARATOR = re.compile(r"\s+(?:v|vs|versus)\.?\s+", re.IGNORECASE)
#: Words in the names of many parties, which identify none.
COMMON_PARTY_WORDS = frozenset(
    "united states people state commonwealth city county matter estate parte re inc corp company"
    " limited".split()
)
#: A case named without a citation: capitalized parties, or one of the usual beginnings.
_CAPITAL = r"(?![a-zß-öø-ÿ])[^\W\d_]"
_NAME_ALONE = re.compile(
    rf"(?:In re|Ex parte|(?:In the )?Matter of)\s{_CAPITAL}.*"
    rf"|{_CAPITAL}.*\s(?:vs?\.?|versus)\s(?:the\s)?{_CAPITAL}.*"
)
#: Types given to a reference with no other sign of its type; "In re Gault" reads as a chapter.
_UNCERTAIN_TYPES = frozenset({"document", "chapter"})
#: Results of one search that are read; cases of an uncertain ruling; citations of one reference
#: that are searched for, one request each.
MAX_SEARCHED, MAX_SIMILAR, MAX_CITATIONS = 20, 3, 4
#: What a search can and cannot show.
SEARCH_LIMITS = (
    f"That search covers the names and printed citations of the opinions of US courts in {NAME}: a"
    " case that it lacks may exist all the same."
)
TOKEN_STEP = "Set COURTLISTENER_API_TOKEN to have the citation itself looked up, or read the case"
NAME_STEP = "Give the citation, such as 410 U.S. 113, or read the case"
READ_STEP = "found by legal_search."


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
    """Return True if the item is a legal case, or of no other kind and named like one."""
    if item.type == "legal_case":
        return True
    if item.type not in _UNCERTAIN_TYPES or item.authors or item.container:
        return False
    if courtlistener.extract_citation(item.title):
        return True
    name = courtlistener.extract_case_name(item.title)
    return bool(name) and _NAME_ALONE.fullmatch(name) is not None


def look_up_cases(deps: Deps, items: Sequence[Item]) -> list[Ruling]:
    """Look up each case, in the order of the items. Service errors are never raised."""
    http = deps.http.for_service("courtlistener")
    if not case_citations.has_token(http, deps.settings):
        return [_search_case(deps, item, TOKEN_STEP) for item in items]
    texts = [_describe_item(item) for item in items]
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
        if inside:
            rulings.append(_decide_ruling(item, inside))
        else:
            rulings.append(_search_case(deps, item, NAME_STEP))
        start = end + 1
    return rulings


def _decide_ruling(item: Item, looked: Sequence[CitationLookup]) -> Ruling:
    """Decide the result for one reference from the look-ups of its citations, at least one.

    One citation found is enough: others may be unknown.
    """
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
    return Ruling("unchecked", (), reasons[looked[0].state])


# ---------------------------------------------------------------- by a search


def _search_case(deps: Deps, item: Item, step: str) -> Ruling:
    """Search for a case by its citations and its name; never raises for the service.

    step: the beginning of what to do next if the search decides nothing.
    """
    http = deps.http.for_service("courtlistener")
    cited = courtlistener.list_citations(_describe_item(item))
    name = _find_name(item)
    printed: list[Case] = []
    named: list[Case] = []
    try:
        for citation in cited[:MAX_CITATIONS]:
            found = courtlistener.search_citation(http, deps.settings, citation, MAX_SEARCHED)
            printed += [case for case in found if _is_printed_at(case, (citation,))]
        if name and not any(_has_cited_parties(item, case) for case in printed):
            found = courtlistener.search_name(http, deps.settings, name, MAX_SEARCHED)
            named = [case for case in found if _has_every_party(name, case)]
    except SearchError as error:
        return Ruling("unchecked", reason=f"Could not be asked: {error.sentence()}")
    return _decide_search(item, cited, printed, named, step)


def _decide_search(
    item: Item, cited: Sequence[str], printed: Sequence[Case], named: Sequence[Case], step: str
) -> Ruling:
    """Decide the result of a search.

    printed: cases at the citations; named: cases of that name, which may be printed elsewhere.
    """
    same = [case for case in printed if _has_cited_parties(item, case)]
    same = same or [case for case in named if _is_printed_at(case, cited)]
    if not same and not _has_reference(item):
        same = [case for case in named if _is_of_year(case, item.issued[:4])]
    if same:
        state: State = "found" if len(same) == 1 else "several"
        reason = f"A search of {NAME} has it: {_describe_case(same[0])}."
        return Ruling(state, tuple(same), reason)
    next_step = f"{SEARCH_LIMITS} {step} {READ_STEP}"
    if printed:
        reason = f"Another case stands at that citation: {_describe_case(printed[0])}."
        return Ruling("another", tuple(printed), reason)
    if named:
        reason = (
            f"A search of {NAME} has a case of that name, {_describe_case(named[0])}, and does not"
            f" show that it is the one cited. {next_step}"
        )
        return Ruling("unchecked", tuple(named[:MAX_SIMILAR]), reason)
    return Ruling("unchecked", (), f"A search of {NAME} has no such case. {next_step}")


def _describe_item(item: Item) -> str:
    return f"{item.title}, {item.more.get('references', '')}".replace("\n", " ")


def _has_reference(item: Item) -> bool:
    """Return whether the item says where the case is printed, in whatever form."""
    return bool(item.more.get("references") or courtlistener.list_citations(item.title))


def _find_name(item: Item) -> str:
    """Return the case name without citations and year; "" for a citation alone."""
    title = item.title
    for citation in courtlistener.list_citations(title)[:1]:
        title = title[: title.index(citation)] if citation in title else title
    return courtlistener.extract_case_name(title.strip(" ,")) or title.strip(" ,")


def _is_printed_at(case: Case, citations: Sequence[str]) -> bool:
    for citation in citations:
        for printed in (case.citation, *case.parallel_citations):
            if courtlistener.is_same_citation(citation, printed):
                return True
    return False


def _is_of_year(case: Case, year: str) -> bool:
    return not year or not case.date_filed or case.date_filed[:4] == year


def _describe_case(case: Case) -> str:
    """Describe a case by its name, first citation and day."""
    day = f" ({case.date_filed})" if case.date_filed else ""
    return ", ".join(part for part in (case.case_name, case.citation) if part) + day


# ---------------------------------------------------------------- its parties


def _has_cited_parties(item: Item, case: Case) -> bool:
    """Return True if the distinctive words of one cited party are in the case's name.

    If no party has distinctive words, all words of the title must be there.
    """
    name = _find_name(item)
    if not name:  # a citation alone
        return True
    return any(not find_missing_words(party, case.case_name) for party in _split_parties(name))


def _has_every_party(name: str, case: Case) -> bool:
    """Return True if the distinctive words of all parties are in the case's name."""
    return all(not find_missing_words(party, case.case_name) for party in _split_parties(name))


def _split_parties(name: str) -> list[list[str]]:
    """Return the distinctive words of each party; all words if no party has such words."""
    parties: list[list[str]] = []
    for party in _PARTY_SEPARATOR.split(name):
        words = [word for word in list_content_words(party) if word not in COMMON_PARTY_WORDS]
        if words:
            parties.append(words)
    return parties or [list_content_words(name)]
