"""Which sources are wanted next: a pure function of what is known, never of when it became known.

In plan order, each query takes its own first k candidates that are not known dead and that no query
before it has taken. So a dead page is replaced from the same list, a page that two queries list
costs one place, and never more is wanted than there are places. To learn more, be it a list or a
death, adds to what was wanted and takes nothing back: the coordinator only starts what is named
here, so two runs that learn the same things in another order assess the same sources. The places no
query can use are filled from what is left, by score, once a wave's searches are all in; and a last
time when all is quiet.

How the places of a mode are shared out stands here alone: `gather` takes these steps as answers
come in, `whatif` all at once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from math import inf

from research_core.modes import ResearchMode

#: The orders of the lists: of the question, of planned queries from 1 on, of the refined query, of
#: those for gaps from 20 on; then the two of what no query has taken. Instructions come after all
#: that shares the budget, so that nothing in it depends on when one was given. Each has places of
#: its own.
QUESTION, PLANNED, REFINED, GAPS, SPARE, LAST, INSTRUCTED = 0, 1, 10, 20, 90, 91, 100
INSTRUCTION_SHARE = 2

Lists = Mapping[int, Sequence[str]]


def select_wanted(lists: Lists, shares: Mapping[int, int], dead: Collection[str]) -> frozenset[str]:
    """What all lists take together. lists: candidates by order of their query; shares: places of
    each list.
    """
    taken: set[str] = set()
    for order in sorted(lists):
        free = (url for url in dict.fromkeys(lists[order]) if url not in dead and url not in taken)
        taken = taken.union(islice(free, shares.get(order, 0)))
    return frozenset(taken)


def find_first_pending(asked: Collection[int], lists: Lists, parts: Collection[str]) -> float:
    """The first place in plan order from which results may still come, infinite where none may.

    asked: orders of queries asked or certain to be; parts: of the plan, those that are known
    ("plan", "refined", "gaps").
    """
    unknown = {PLANNED: "plan", REFINED: "refined", GAPS: "gaps"} if LAST not in lists else {}
    return min(
        {*asked} - lists.keys() | {order for order, part in unknown.items() if part not in parts},
        default=inf,
    )


# -- the places of a mode ----------------------------------------------------------------------------------------------------


def select_budget_lists(lists: Lists) -> dict[int, Sequence[str]]:
    """The lists that share the places of the mode: all but those of instructions."""
    return {order: urls for order, urls in lists.items() if order < INSTRUCTED}


def select_first_wave(lists: Lists) -> dict[int, Sequence[str]]:
    """The lists of the first wave, with that of the places they left."""
    return {order: urls for order, urls in lists.items() if order < GAPS or order == SPARE}


def get_first_wave_shares(mode: ResearchMode) -> dict[int, int]:
    """Places of each list of the first wave, whether its query will be asked or not."""
    return {
        QUESTION: mode.question_share,
        REFINED: mode.refined_share,
        **dict(enumerate(mode.planned_shares, PLANNED)),
    }


def compute_gap_shares(mode: ResearchMode, taken: int) -> dict[int, int]:
    """Places of each list of gaps: what the mode holds for them; in the other modes no more than
    are free when so many are taken.
    """
    free = mode.max_sources - taken
    held = (
        mode.gap_shares
        if mode.hold_for_gaps
        else [max(0, min(share, free - n)) for n, share in enumerate(mode.gap_shares)]
    )
    return dict(enumerate(held, GAPS))


def fill_extra_list(
    order: int,
    lists: Lists,
    shares: Mapping[int, int],
    scores: Mapping[str, float],
    dead: Collection[str],
    mode: ResearchMode,
) -> tuple[list[str], int]:
    """The list SPARE or LAST with its places: of the first wave but for what is held for gaps, or
    of the whole budget.

    SPARE looks at the lists as they were answered, not at what has died since, so it is the same
    whenever it is made.
    """
    if order == SPARE:
        return rank_unclaimed(
            select_first_wave(lists), shares, scores, mode.max_sources - mode.held()
        )
    return rank_unclaimed(select_budget_lists(lists), shares, scores, mode.max_sources, dead)


def rank_unclaimed(
    lists: Lists,
    shares: Mapping[int, int],
    scores: Mapping[str, float],
    places: int,
    dead: Collection[str] = (),
) -> tuple[list[str], int]:
    """One more list, by (score, URL), of the living candidates no query has taken, and how many of
    the places are free for it.
    """
    taken = select_wanted(lists, shares, dead)
    rest = {url for candidates in lists.values() for url in candidates} - taken - set(dead)
    return sorted(rest, key=lambda url: (-scores[url], url)), max(0, places - len(taken))


def select_wanted_in_the_end(
    lists: Lists, scores: Mapping[str, float], dead: Collection[str], mode: ResearchMode
) -> frozenset[str]:
    """What a run wants that knows all lists of its queries and all that is dead, each step in its
    turn.
    """
    known: dict[int, Sequence[str]] = {order: urls for order, urls in lists.items() if order < GAPS}
    shares = get_first_wave_shares(mode)
    known[SPARE], shares[SPARE] = fill_extra_list(SPARE, known, shares, scores, dead, mode)
    shares |= compute_gap_shares(mode, len(select_wanted(known, shares, dead)))
    known |= select_budget_lists(lists)
    known[LAST], shares[LAST] = fill_extra_list(LAST, known, shares, scores, dead, mode)
    shares |= dict.fromkeys((order for order in lists if order >= INSTRUCTED), INSTRUCTION_SHARE)
    return select_wanted({**lists, **known}, shares, dead)
