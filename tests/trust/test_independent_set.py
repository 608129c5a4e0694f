"""As many things as can be that are not near each other: compared with trying every set, and fast
where nothing could be tried.
"""

from __future__ import annotations

import random
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from research_core.trust.independent_set import MAX_EXACT, find_independent_set


def graph(size: int, pairs: set[tuple[int, int]]) -> dict[str, frozenset[str]]:
    near: dict[str, set[str]] = {f"{n:03}": set() for n in range(size)}
    for one, other in pairs:
        near[f"{one:03}"].add(f"{other:03}")
        near[f"{other:03}"].add(f"{one:03}")
    return {thing: frozenset(others) for thing, others in near.items()}


def tangle(size: int, links: float, seed: int) -> dict[str, frozenset[str]]:
    chance = random.Random(seed)
    return graph(
        size, {pair for pair in combinations(range(size), 2) if chance.random() < links / size}
    )


GRAPHS = st.integers(1, 9).flatmap(
    lambda size: (
        st.sets(
            st.sampled_from([*combinations(range(size), 2)] or [(0, 0)]).filter(
                lambda p: p[0] != p[1]
            )
        ).map(lambda pairs: graph(size, pairs))
        if size > 1
        else st.just(graph(1, set()))
    )
)


@given(GRAPHS)
def test_it_is_as_large_as_any_set_without_two_that_are_near(
    near: dict[str, frozenset[str]],
) -> None:
    rank = sorted(near)
    every = (some for size in range(len(rank), 0, -1) for some in combinations(rank, size))
    largest = next(
        some for some in every if all(b not in near[a] for a, b in combinations(some, 2))
    )
    taken = find_independent_set(near, rank)
    assert len(taken) == len(largest)
    assert not any(near[thing] & taken for thing in taken)
    assert find_independent_set(dict(reversed(near.items())), rank) == taken


def test_a_star_gives_its_points_and_a_ring_every_other_one() -> None:
    assert find_independent_set(
        graph(5, {(0, 1), (0, 2), (0, 3), (0, 4)}), ["000", "001", "002", "003", "004"]
    ) == {"001", "002", "003", "004"}
    ring = graph(7, {(n, (n + 1) % 7) for n in range(7)})
    assert len(find_independent_set(ring, sorted(ring))) == 3
    assert find_independent_set(
        graph(4, set(combinations(range(4), 2))), ["002", "001", "000", "003"]
    ) == {"002"}


def test_a_tangle_of_hundreds_is_thinned_and_still_has_no_two_that_are_near_nor_room_for_one_more() -> (
    None
):
    for seed, links in enumerate((3, 5, 9, 30)):
        near = tangle(MAX_EXACT * 5, links, seed)
        taken = find_independent_set(near, sorted(near))
        assert not any(near[thing] & taken for thing in taken)
        assert all(near[thing] & taken for thing in near if thing not in taken)
