"""The most things of which no two are near each other: a largest independent set of a small graph,
and always the same one.

It knows no page and no text; `copies` says which pages are near. Graphs of likeness fall into a few
cliques and stars, which are decided without trying anything; a tangle of more than `MAX_EXACT` things
is thinned until it can be, so that no input takes long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

#: Of so many things that are left, with no clique to begin from, every choice is tried. Of more the
#: most tangled one is given up.
MAX_EXACT = 40

Neighbours = Mapping[str, frozenset[str]]


def find_independent_set(near: Neighbours, rank: Sequence[str]) -> frozenset[str]:
    """As many as can be that are not near each other; of several such sets always one and the same,
    as the rank has it.

    near: for each thing those near it, both ways; rank: all of them, in an order that hangs on
    nothing but themselves. Of a tangle of more than `MAX_EXACT` it may be fewer than can be; no further
    one could ever be added.
    """
    place = {thing: n for n, thing in enumerate(rank)}

    @cache
    def most(left: frozenset[str]) -> frozenset[str]:
        taken: list[str] = []
        while left:
            first = next(
                (
                    thing
                    for thing in sorted(left, key=place.__getitem__)
                    if _is_in_clique(thing, left, near)
                ),
                None,
            )
            hub = max(left, key=lambda thing: (len(near[thing] & left), place[thing]))
            if first is not None:
                taken.append(first)
                left -= near[first] | {first}
            elif len(left) > MAX_EXACT:
                left -= {hub}
            else:
                without, with_it = most(left - {hub}), most(left - near[hub] - {hub}) | {hub}
                return max(without, with_it, key=len).union(taken)
        return frozenset(taken)

    found = set[str]().union(*map(most, _connected_parts(near, rank)))
    for thing in rank:  # what was given up in a tangle, where there is room after all
        found |= set() if near[thing] & found else {thing}
    return frozenset(found)


def _is_in_clique(thing: str, left: frozenset[str], near: Neighbours) -> bool:
    """Whether those near it are all near each other: then no choice is better than this one."""
    around = near[thing] & left
    return all(around <= near[other] | {other} for other in around)


def _connected_parts(near: Neighbours, rank: Sequence[str]) -> list[frozenset[str]]:
    """What hangs together by any chain, in the order of the rank; each part is decided by itself."""
    found: list[frozenset[str]] = []
    seen: set[str] = set()
    for thing in rank:
        if thing not in seen:
            part, edge = {thing}, {thing}
            while edge := {other for each in edge for other in near[each]} - part:
                part |= edge
            found.append(frozenset(part))
            seen |= part
    return found
