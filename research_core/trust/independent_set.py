"""Find a largest set of things of which no two are near each other, always the same one.

This is a largest independent set of a small graph. Graphs of similarity split into a few cliques
and stars, which are decided without search. A tangle of more than `MAX_EXACT` things is thinned
until it can be searched, so that no input takes long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

#: Up to this many things without a clique every choice is tried; of more, the most connected is
#: dropped.
MAX_EXACT = 40

Neighbours = Mapping[str, frozenset[str]]


def find_independent_set(near: Neighbours, rank: Sequence[str]) -> frozenset[str]:
    """Return a largest set of things that are not near each other.

    `near` maps each thing to those near it, both ways. `rank` holds all of them in an order that
    depends on nothing but themselves; it decides between sets of equal size. For a tangle of more
    than `MAX_EXACT` things the set may be smaller than possible, but nothing could be added to it.
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
    """Return whether all things near this one are near each other, so that it can be taken."""
    around = near[thing] & left
    return all(around <= near[other] | {other} for other in around)


def _connected_parts(near: Neighbours, rank: Sequence[str]) -> list[frozenset[str]]:
    """Return the connected components, in the order of the rank."""
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
