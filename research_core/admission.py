"""Which sources are wanted next: a pure function of what is known, never of when it became known.

In plan order, each query takes its own first k candidates that are not known dead and that no query before it has taken. So a dead
page is replaced from the same list, a page that two queries list costs one place, and never more is wanted than there are places. To
learn more, be it a list or a death, adds to what was wanted and takes nothing back: the coordinator only starts what is named here, so
two runs that learn the same things in another order assess the same sources. The places no query can use are filled from what is left,
by score, once a wave's searches are all in; and a last time when all is quiet.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import islice


def wanted(lists: Mapping[int, Sequence[str]], shares: Mapping[int, int], dead: Collection[str]) -> frozenset[str]:
    """What all lists take together. lists: candidates by order of their query; shares: places of each list."""
    taken: set[str] = set()
    for order in sorted(lists):
        free = (url for url in dict.fromkeys(lists[order]) if url not in dead and url not in taken)
        taken = taken.union(islice(free, shares.get(order, 0)))
    return frozenset(taken)


def spare(lists: Mapping[int, Sequence[str]], shares: Mapping[int, int], scores: Mapping[str, float], places: int) -> tuple[list[str], int]:
    """One more list, by (score, URL), of the candidates no query has taken, and how many of the places are free for it.

    It looks at the lists as they were answered, not at what has died since, so it is the same whenever it is made.
    """
    taken = wanted(lists, shares, ())
    rest = {url for candidates in lists.values() for url in candidates} - taken
    return sorted(rest, key=lambda url: (-scores[url], url)), max(0, places - len(taken))
