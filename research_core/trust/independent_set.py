"""Find a largest set of things of which no two are near each other, always the same one.

This is a largest independent set of a small graph. Graphs of similarity split into a few cliques
and stars, which are decided without search. A tangle of more than `MAX_EXACT` things is thinned
until it can be searched, so that no input takes long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial

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

    def degree(thing: str, left: frozenset[str]) -> tuple[int, int]:
        return len(near[thing] & left), place[thing]

    def first_in_clique(left: frozenset[str]) -> str | None:
        for thing in sorted(left, key=place.__getitem__):
            if _is_in_clique(thing, left, near):
                return thing
        return None

    @cache
    def solve(left: frozenset[str]) -> frozenset[str]:
        taken: list[str] = []
        while left:
            first = first_in_clique(left)
            if first is not None:
                taken.append(first)
                left -= near[first] | {first}
                continue
            hub = max(left, key=partial(degree, left=left))
            if len(left) > MAX_EXACT:
                left -= {hub}
                continue
            without_hub = solve(left - {hub})
            with_hub = solve(left - near[hub] - {hub}) | {hub}
            return max(without_hub, with_hub, key=len).union(taken)
        return frozenset(taken)

    found: set[str] = set()
    for part in _connected_parts(near, rank):
        found |= solve(part)
    for thing in rank:  # add what was dropped from a tangle, where nothing near it was taken
        if near[thing].isdisjoint(found):
            found.add(thing)
    return frozenset(found)


def _is_in_clique(thing: str, left: frozenset[str], near: Neighbours) -> bool:
    """Return whether all things near this one are near each other, so that it can be taken."""
    around = near[thing] & left
    return all(around <= near[other] | {other} for other in around)


def _connected_parts(near: Neighbours, rank: Sequence[str]) -> list[frozenset[str]]:
    """Return the connected components, in the order of the rank."""
    parts: list[frozenset[str]] = []
    seen: set[str] = set()
    for thing in rank:
        if thing in seen:
            continue
        part: set[str] = set()
        waiting = [thing]
        while waiting:
            each = waiting.pop()
            if each not in part:
                part.add(each)
                waiting += near[each]
        parts.append(frozenset(part))
        seen |= part
    return parts
