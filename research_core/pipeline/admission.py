"""Choose which sources to read next, by pure functions of what is known.

In plan order, each query takes its first k candidates that are not known to be dead and that no
earlier query has taken. A dead page is therefore replaced from the same list, a page that two
queries list uses one place, and the places are never exceeded.

A new list or a dead page only adds to the selection and never removes anything from it. Two runs
that learn the same things in a different order therefore read the same sources. Places that no
query can use are filled from the remaining candidates, by score, once all searches of the first
wave are in, and once more when nothing is under way. In a rewrite under a lower minimum credibility,
candidates that pass only now get such places alone.

Only this module decides how the places of a mode are shared: `gather` applies these steps as
answers arrive, through `Admission`; `whatif` applies them all at once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import inf

from research_core.models import SearchQuery
from research_core.modes import ResearchMode
from research_core.policy import RunSettings

#: The orders of the lists: of the question, of planned queries from 1 on (without that of the
#: refined query), of the search for evidence against, of those for gaps from 20 on, ten for each
#: round; then the two of what no query has taken. Instructions come after all that shares the
#: budget, so that nothing in it depends on when one was given. Each has places of its own.
#: NEWLY_PASSING and NEWLY_PASSING_GAPS, without places, hold the candidates of the first wave and of
#: later searches that pass only since the minimum credibility was lowered.
QUESTION = 0
PLANNED = 1
REFINED = 10
NEWLY_PASSING = 18
COUNTER = 19
GAPS = 20
ORDERS_OF_ROUND = 10
NEWLY_PASSING_GAPS = 89
SPARE = 90
LAST = 91
INSTRUCTED = 100
INSTRUCTION_SHARE = 2

Lists = Mapping[int, Sequence[str]]


def select_wanted(lists: Lists, shares: Mapping[int, int], dead: Collection[str]) -> frozenset[str]:
    """Return the URLs that all lists take together.

    lists: candidates by the order of their query; shares: places of each list; dead: unreadable
    URLs.
    """
    taken: set[str] = set()
    for order in sorted(lists):
        free = [url for url in dict.fromkeys(lists[order]) if url not in dead and url not in taken]
        taken.update(free[: shares.get(order, 0)])
    return frozenset(taken)


def get_planned_order(place: int) -> int:
    """Return the order of a planned query. place: in the plan, from 0."""
    order = PLANNED + place
    return order if order < REFINED else order + 1


def choose_list(order: int, score: float | None, settings: RunSettings) -> int:
    """Return the list of a candidate found by the query of this order.

    score: its credibility, None for an own document.
    """
    if score is None or order >= INSTRUCTED or not settings.passes_only_now(score):
        return order
    return NEWLY_PASSING if order < GAPS else NEWLY_PASSING_GAPS


def name_gap_part(round: int) -> str:
    """Return the name of the plan's part for a round of gaps. round: from 1."""
    return "gaps" if round == 1 else f"gaps:{round}"


def find_first_pending(
    searched: Collection[int], lists: Lists, parts: Collection[str], gap_rounds: int = 1
) -> float:
    """Return the first query order that may still bring results, infinity if none may.

    searched: orders of the queries that are asked or certain to be; parts: the parts of the plan
    that are known ("plan", "refined", "gaps", "gaps:2"); gap_rounds: how many may come.
    """
    pending = {*searched} - lists.keys()
    if LAST not in lists:
        coming = {"plan": PLANNED, "refined": REFINED}
        for round in range(1, gap_rounds + 1):
            coming[name_gap_part(round)] = get_gap_order(round, 0)
        pending.update(order for part, order in coming.items() if part not in parts)
    return min(pending, default=inf)


def get_gap_order(round: int, place: int) -> int:
    """Return the order of a follow-up query. round: from 1; place: in its round, from 0."""
    return GAPS + (round - 1) * ORDERS_OF_ROUND + place


# -- the places of a mode ------------------------------------------------------


def select_budget_lists(lists: Lists) -> dict[int, Sequence[str]]:
    """Return the lists that share the places of the mode: all except those of instructions."""
    return {order: urls for order, urls in lists.items() if order < INSTRUCTED}


def select_first_wave(lists: Lists) -> dict[int, Sequence[str]]:
    """Return the lists of the first wave, including the one for its unused places."""
    return {order: urls for order, urls in lists.items() if order < GAPS or order == SPARE}


def get_first_wave_shares(mode: ResearchMode) -> dict[int, int]:
    """Return the places of each list of the first wave, whether or not its query is asked."""
    return {
        QUESTION: mode.question_share,
        REFINED: mode.refined_share,
        COUNTER: mode.counter_share,
        **{get_planned_order(place): share for place, share in enumerate(mode.planned_shares)},
    }


def compute_gap_shares(mode: ResearchMode, taken: int) -> dict[int, int]:
    """Return the places of each gap query.

    A mode that holds places for gaps gives all of them. Other modes give at most what is still free
    after `taken` places.
    """
    if mode.hold_for_gaps:
        places = {}
        for round, of_round in enumerate(mode.list_gap_shares(), 1):
            for place, share in enumerate(of_round):
                places[get_gap_order(round, place)] = share
        return places
    free = mode.max_sources - taken
    shares = [max(0, min(share, free - place)) for place, share in enumerate(mode.gap_shares)]
    return dict(enumerate(shares, GAPS))


def fill_extra_list(
    order: int,
    lists: Lists,
    shares: Mapping[int, int],
    scores: Mapping[str, float],
    dead: Collection[str],
    mode: ResearchMode,
) -> tuple[list[str], int]:
    """Build the list SPARE (first wave without the places held for gaps) or LAST (whole budget).

    Returns the candidates and the number of places. SPARE ignores `dead`, so it is the same
    whenever it is built.
    """
    if order == SPARE:
        return rank_unclaimed(
            select_first_wave(lists), shares, scores, mode.max_sources - mode.count_gap_places()
        )
    return rank_unclaimed(select_budget_lists(lists), shares, scores, mode.max_sources, dead)


def rank_unclaimed(
    lists: Lists,
    shares: Mapping[int, int],
    scores: Mapping[str, float],
    places: int,
    dead: Collection[str] = (),
) -> tuple[list[str], int]:
    """Rank the living candidates no query took by score, then URL, and count the free places."""
    taken = select_wanted(lists, shares, dead)
    listed = {url for candidates in lists.values() for url in candidates}
    unclaimed = sorted(listed - taken - set(dead), key=lambda url: (-scores[url], url))
    return unclaimed, max(0, places - len(taken))


def select_wanted_in_the_end(
    lists: Lists, scores: Mapping[str, float], dead: Collection[str], mode: ResearchMode
) -> frozenset[str]:
    """Return the URLs a run wants once it knows all lists and all dead pages."""
    known: dict[int, Sequence[str]] = {order: urls for order, urls in lists.items() if order < GAPS}
    shares = get_first_wave_shares(mode)
    known[SPARE], shares[SPARE] = fill_extra_list(SPARE, known, shares, scores, dead, mode)
    shares |= compute_gap_shares(mode, len(select_wanted(known, shares, dead)))
    known |= select_budget_lists(lists)
    known[LAST], shares[LAST] = fill_extra_list(LAST, known, shares, scores, dead, mode)
    shares |= dict.fromkeys((order for order in lists if order >= INSTRUCTED), INSTRUCTION_SHARE)
    return select_wanted({**lists, **known}, shares, dead)


class Admission:
    """What the searches of a run listed so far, and which sources the budget wants of that.

    queries: texts by order, without those of instructions; searched: orders of all searches begun;
    parts: the parts of the plan that are known; lists: candidates by order; shares: places by
    order; scores: the best of each candidate; dead: sources that gave back their place, because
    they could not be read or were redirected to a blocked site; admitted: sources begun.
    """

    def __init__(self, question: str, mode: ResearchMode) -> None:
        self.mode = mode
        # The question as it was typed: a follow-up is searched with its context.
        self.queries = {QUESTION: question}
        self.searched = {QUESTION}
        self.parts: list[str] = []
        self.lists: dict[int, list[str]] = {}
        self.shares = get_first_wave_shares(mode)
        self.scores: dict[str, float] = {}
        self.dead: set[str] = set()
        self.admitted: set[str] = set()

    def add_query(self, query: SearchQuery) -> None:
        """Record that a search has begun. No other query depends on that of an instruction."""
        self.searched.add(query.order)
        if query.order < INSTRUCTED:
            self.queries.setdefault(query.order, query.text)

    def add_candidate(
        self, order: int, url: str, score: float | None, settings: RunSettings
    ) -> None:
        """Record the score of a candidate, and list it if it is not one of its own query's list.

        An instruction's candidates rank in no other list. score: None for an own document.
        """
        if order < INSTRUCTED:
            self.scores[url] = max(self.scores.get(url, 0.0), score or 0.0)
        chosen = choose_list(order, score, settings)
        if chosen != order:
            self.lists.setdefault(chosen, []).append(url)

    def add_gap_places(self) -> None:
        """Give the follow-up queries their places, once it is known how many are still free."""
        self.shares |= compute_gap_shares(self.mode, len(self.select_living()))

    def fill(self, order: int) -> None:
        """Add the list SPARE or LAST of what no query has taken, for the places still free."""
        self.lists[order], self.shares[order] = fill_extra_list(
            order, self.lists, self.shares, self.scores, self.dead, self.mode
        )

    def is_ready_for_spare(self) -> bool:
        """True once every list of the first wave is in and its unused places are not shared out."""
        is_planned = "plan" in self.parts and "refined" in self.parts
        return is_planned and self.queries.keys() <= self.lists.keys() and SPARE not in self.lists

    def find_first_pending(self) -> float:
        """Return the first query order that may still bring results, infinity if none may."""
        rounds = len(self.mode.list_gap_shares())
        return find_first_pending(self.searched, self.lists, self.parts, rounds)

    def select_wanted(self) -> frozenset[str]:
        """Return the URLs that all lists take together."""
        return select_wanted(self.lists, self.shares, self.dead)

    def select_living(self) -> frozenset[str]:
        """Return the living sources that use places of the mode.

        Sources approved or restored by hand use none.
        """
        return select_wanted(select_budget_lists(self.lists), self.shares, self.dead)

    def select_first_wave(self) -> frozenset[str]:
        """Return the living sources of the first wave."""
        return select_wanted(select_first_wave(self.lists), self.shares, self.dead)

    def select_before(self, round: int) -> frozenset[str]:
        """Return the living sources wanted before a round's follow-ups. round: from 1."""
        first = get_gap_order(round, 0)
        lists = {order: urls for order, urls in self.lists.items() if order < first}
        return select_wanted({**lists, SPARE: self.lists.get(SPARE, [])}, self.shares, self.dead)
