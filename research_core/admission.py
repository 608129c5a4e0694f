"""Which sources are wanted next: a pure function of what is known, never of when it became known.

Each query admits its own first k candidates that are not known dead, so a dead page is replaced from the same list. The places
that queries share are filled from what is left, by score, once a wave's searches are all in; and a last time when all is quiet.
The coordinator only starts what is named here, so two runs that learn the same things in another order assess the same sources.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence


def window(candidates: Iterable[str], dead: Collection[str], places: int) -> tuple[str, ...]:
    """The first `places` candidates that are not known dead."""
    alive = (url for url in candidates if url not in dead)
    return tuple(url for url, _ in zip(alive, range(places), strict=False))


def wanted(lists: Mapping[int, Sequence[str]], shares: Mapping[int, int], dead: Collection[str]) -> frozenset[str]:
    """The union of every list's window. lists: candidates by order of their query; shares: places of each list."""
    return frozenset(url for order, candidates in lists.items() for url in window(candidates, dead, shares.get(order, 0)))


def spare(lists: Mapping[int, Sequence[str]], shares: Mapping[int, int], scores: Mapping[str, float], places: int) -> tuple[list[str], int]:
    """One more list, by (score, URL), of the candidates no query has taken, and how many of the places are free for it.

    It looks at the lists as they were answered, not at what has died since, so it is the same whenever it is made.
    """
    taken = wanted(lists, shares, ())
    rest = {url for candidates in lists.values() for url in candidates} - taken
    return sorted(rest, key=lambda url: (-scores[url], url)), max(0, places - len(taken))
