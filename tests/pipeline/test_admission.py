"""Admission: what a run wants depends on what is known, never on when it became known; and it never
wants more than it may read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.modes import ResearchMode
from research_core.pipeline import admission
from research_core.pipeline.admission import rank_unclaimed, select_wanted

Lists = Mapping[int, Sequence[str]]
SPARE, LAST = 90, 91
ROOT = Path(__file__).parents[2]

# ---------------------------------------------------------------- the rule on one screen


@pytest.mark.parametrize(
    ("lists", "shares", "dead", "expected"),
    [
        ({0: "abc", 1: "def"}, {0: 2, 1: 1}, "", "abd"),
        ({0: "abc", 1: "def"}, {0: 2, 1: 1}, "b", "acd"),  # replaced from its own list
        ({0: "ab", 1: "def"}, {0: 2, 1: 1}, "ab", "d"),  # and from no other
        (
            {0: "ab", 1: "ac"},
            {0: 1, 1: 1},
            "",
            "ac",
        ),  # a page that two queries list costs one place
        ({0: "ab", 1: "ac"}, {0: 1, 1: 1}, "a", "bc"),
        ({1: "ac"}, {0: 1, 1: 1}, "", "a"),  # the question's own list is not in yet …
        ({1: "ac", 0: "ab"}, {0: 1, 1: 1}, "", "ac"),  # … and takes nothing back when it comes
        ({0: "", 1: "a"}, {0: 1, 1: 1}, "", "a"),
        ({0: "abc"}, {}, "", ""),
        ({0: "aab"}, {0: 2}, "", "ab"),
        ({}, {0: 1}, "", ""),
    ],
)
def test_each_query_takes_its_own_first_candidates(
    lists: Lists, shares: Mapping[int, int], dead: str, expected: str
) -> None:
    assert select_wanted(lists, shares, set(dead)) == frozenset(expected)


def test_the_places_left_go_to_the_best_scores_then_by_address() -> None:
    scores = {"a": 0.6, "b": 0.7, "c": 0.9, "d": 0.7, "e": 0.6}
    assert rank_unclaimed({0: "abe", 1: "cd"}, {0: 1, 1: 1}, scores, 4) == (["b", "d", "e"], 2)
    assert rank_unclaimed({0: "abe", 1: "cd"}, {0: 1, 1: 1}, scores, 1) == (["b", "d", "e"], 0)


# ---------------------------------------------------------------- properties

URLS = st.sampled_from("abcdefghijkl")
LISTS = st.dictionaries(
    st.sampled_from([0, 1, 2, 10, 20, 21]), st.lists(URLS, unique=True, max_size=8), max_size=6
)
SHARES = st.dictionaries(st.sampled_from([0, 1, 2, 10, 20, 21]), st.integers(0, 3))


@given(LISTS, SHARES, st.sets(URLS), st.data())
def test_to_learn_more_takes_nothing_back(
    lists: Lists, shares: Mapping[int, int], dead: set[str], data: st.DataObject
) -> None:
    """The reason why the order in which lists and deaths are learned cannot matter."""
    earlier = {order: urls for order, urls in lists.items() if data.draw(st.booleans())}
    known = {url for url in sorted(dead) if data.draw(st.booleans())}
    assert select_wanted(earlier, shares, known) - dead <= select_wanted(lists, shares, dead)


@given(LISTS, SHARES, st.sets(URLS))
def test_never_more_than_the_places_and_never_a_dead_page(
    lists: Lists, shares: Mapping[int, int], dead: set[str]
) -> None:
    taken = select_wanted(lists, shares, dead)
    assert len(taken) <= sum(shares.get(order, 0) for order in lists)
    assert not taken & dead


@given(LISTS, SHARES, st.sets(URLS))
def test_a_place_stays_free_only_when_its_list_is_used_up(
    lists: Lists, shares: Mapping[int, int], dead: set[str]
) -> None:
    taken, last = select_wanted(lists, shares, dead), max(lists, default=0)
    before = select_wanted(
        {order: urls for order, urls in lists.items() if order != last}, shares, dead
    )
    left = [url for url in lists.get(last, ()) if url not in dead and url not in before]
    assert taken - before == set(left[: shares.get(last, 0)])


# ---------------------------------------------------------------- whole runs


@dataclass(frozen=True)
class World:
    """What a run would find: the list each query is answered with, the pages that cannot be read,
    the budget and how it is shared.
    """

    lists: Lists
    late: Lists  # follow-up queries, asked when the first wave is read
    dead: frozenset[str]
    scores: Mapping[str, float]
    shares: Mapping[int, int]
    places: int


def world(seed: int) -> World:
    chance = Random(seed)
    pages = [f"https://{n}.example.org/" for n in range(chance.randint(8, 60))]
    late = chance.choice([(), (20, 21)])
    shares = {
        order: chance.randint(1, 3) for order in [0, *range(1, 1 + chance.randint(0, 3)), 10, *late]
    }

    def answer() -> Sequence[str]:
        """Distinct pages; those at the front are listed by most queries, as popular pages are."""
        drawn = (
            pages[int(len(pages) * chance.random() ** 3)]
            for _ in range(chance.choice([0, 4, 16, 30]))
        )
        return list(dict.fromkeys(drawn))

    return World(
        lists={order: answer() for order in shares if order not in late},
        late={order: answer() for order in late},
        dead=frozenset(page for page in pages if chance.random() < 0.35),
        scores={page: round(chance.uniform(0.5, 1.0), 1) for page in pages},
        shares=shares,
        places=sum(shares.values()) + chance.randint(0, 1),
    )


@dataclass
class Run:
    """A coordinator in small: it learns one thing at a time, in the order of `timing`, and starts
    what is wanted.
    """

    world: World
    timing: Random
    admit: Callable[[Run], Collection[str]]

    def __post_init__(self) -> None:
        self.lists: dict[int, Sequence[str]] = {}
        self.shares = dict(self.world.shares)
        self.due: dict[int, Sequence[str]] = {}
        self.flying: set[str] = set()
        self.started: set[str] = set()
        self.dead: set[str] = set()

    def __call__(self) -> frozenset[str]:
        """The pages that were read."""
        held = sum(self.shares[order] for order in self.world.late)
        self.settle(self.world.lists)
        self.fill(SPARE, self.world.places - held)
        self.settle(self.world.late)
        self.fill(LAST, self.world.places)
        self.settle({})
        return frozenset(self.started - self.dead)

    def settle(self, asked: Lists) -> None:
        self.due = dict(asked)
        while self.due or self.flying:
            learned = self.timing.choice([*self.due, *sorted(self.flying)])
            if isinstance(learned, int):
                self.lists[learned] = self.due.pop(learned)
            else:
                self.flying.remove(learned)
                self.dead |= {learned} & self.world.dead
            self.start()

    def fill(self, order: int, places: int) -> None:
        """The first fill looks at the lists alone, the last one, when all is quiet, at what is left
        of the budget too.
        """
        if order == SPARE:
            self.lists[SPARE], self.shares[SPARE] = rank_unclaimed(
                self.lists, self.shares, self.world.scores, places
            )
        else:
            living = select_wanted(self.lists, self.shares, self.dead)
            rest = {url for urls in self.lists.values() for url in urls} - living - self.dead
            self.lists[LAST] = sorted(rest, key=lambda url: (-self.world.scores[url], url))
            self.shares[LAST] = max(0, places - len(living))
        self.start()

    def start(self) -> None:
        new = set(self.admit(self)) - self.started
        self.started |= new
        self.flying |= new


def by_rule(run: Run) -> Collection[str]:
    return select_wanted(run.lists, run.shares, run.dead)


def by_arrival(run: Run) -> Collection[str]:
    """The control: first come, first served, a dead page replaced by whatever came next."""
    candidates = (url for urls in run.lists.values() for url in urls if url not in run.started)
    free = run.world.places - len(run.started - run.dead)
    return [url for url, _ in zip(dict.fromkeys(candidates), range(free), strict=False)]


def outcomes(
    seed: int, admit: Callable[[Run], Collection[str]], timings: Iterable[int]
) -> set[frozenset[str]]:
    return {Run(world(seed), Random(timing), admit)() for timing in timings}


WORLDS, TIMINGS = 200, 30


@pytest.mark.full
def test_every_timing_reads_the_same_pages() -> None:
    assert [
        seed for seed in range(WORLDS) if len(outcomes(seed, by_rule, range(TIMINGS))) != 1
    ] == []


def test_no_timing_reads_more_pages_than_there_are_places_or_fewer_than_it_could() -> None:
    for seed in range(WORLDS):
        (read,) = outcomes(seed, by_rule, range(1))
        listed = {
            url
            for lists in (world(seed).lists, world(seed).late)
            for urls in lists.values()
            for url in urls
        }
        assert len(read) == min(world(seed).places, len(listed - world(seed).dead)), seed


def mode_of(world: World) -> ResearchMode:
    """The mode that shares its places so, which always looks for gaps where this world has any."""
    planned = tuple(world.shares[order] for order in sorted(world.shares) if 0 < order < 10)
    late = tuple(world.shares[order] for order in sorted(world.late))
    return ResearchMode(
        "made up", world.places, 1, 1, question_share=world.shares[0], planned_shares=planned, refined_share=world.shares[10],
        gap_shares=late, hold_for_gaps=bool(late),
    )  # fmt: skip


def test_all_steps_at_once_want_what_a_run_wants_that_takes_them_one_by_one() -> None:
    """The steps of `Run` are written out above, so that a change of the rule shows here."""
    for seed in range(WORLDS):
        made = world(seed)
        (read,) = outcomes(seed, by_rule, range(1))
        assert (
            admission.select_wanted_in_the_end(
                {**made.lists, **made.late}, made.scores, made.dead, mode_of(made)
            )
            == read
        ), seed


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        (3, {20: 2, 21: 2}),
        (7, {20: 2, 21: 2}),
        (8, {20: 2, 21: 1}),
        (9, {20: 1, 21: 0}),
        (10, {20: 0, 21: 0}),
    ],
)
def test_gaps_get_no_more_than_the_places_still_free(
    taken: int, expected: Mapping[int, int]
) -> None:
    mode = ResearchMode("made up", 10, 1, 1, gap_shares=(2, 2))
    assert admission.compute_gap_shares(mode, taken) == expected
    assert admission.compute_gap_shares(replace(mode, hold_for_gaps=True), taken) == {20: 2, 21: 2}


@pytest.mark.parametrize(
    ("asked", "lists", "parts", "expected"),
    [
        ({0}, {}, ("question",), 0),
        ({0}, {0: ""}, ("question",), 1),
        ({0, 1, 2}, {0: "", 1: ""}, ("plan",), 2),
        ({0, 1}, {0: "", 1: ""}, ("plan",), 10),
        ({0, 1, 10}, {0: "", 1: "", 10: ""}, ("plan", "refined"), 20),
        ({0, 1, 100}, {0: "", 1: "", admission.LAST: ""}, ("plan", "refined"), 100),
        ({0, 1, 100}, {0: "", 1: "", 100: "", admission.LAST: ""}, ("plan", "refined"), inf),
    ],
)
def test_the_first_place_from_which_results_may_still_come(
    asked: Any, lists: Any, parts: Any, expected: float
) -> None:
    assert admission.find_first_pending(asked, lists, parts) == expected


def test_instructions_have_places_of_their_own() -> None:
    mode = ResearchMode("made up", 3, 1, 1)
    scores = dict.fromkeys("abcd", 0.5)
    assert admission.select_wanted_in_the_end(
        {0: "abcd", 100: "axyz", 101: "xw"}, scores, "", mode
    ) == frozenset("abcxyw")


@pytest.mark.parametrize("module", ["pipeline/gather.py", "sessions/whatif.py"])
def test_nobody_else_shares_out_the_places(module: str) -> None:
    """A rule that stands twice has to be changed twice."""
    text = (ROOT / "research_core" / module).read_text(encoding="utf-8")
    assert not [
        rule
        for rule in (
            "question_share",
            "refined_share",
            ".count_gap_places()",
            "admission.rank_unclaimed",
            "lambda url: (-",
        )
        if rule in text
    ]


def test_a_coordinator_that_admits_by_arrival_would_fail_this_test() -> None:
    assert sum(len(outcomes(seed, by_arrival, range(5))) != 1 for seed in range(40)) > 10
