"""Sources that lead to somebody else's page: judged by where they land, and their places given to
the next where that is blocked.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from research_core.decisions import gate
from research_core.decisions.view import RunView, fold_events
from research_core.errors import CallForbidden
from research_core.journal.events import Draft
from research_core.journal.rule_versions import RULE_VERSIONS
from research_core.model_messages import ModelReply, ModelRequest
from research_core.models import HttpReply, Report, ScoreParts, SearchResult
from research_core.pipeline import report
from research_core.pipeline.gather import Gather
from research_core.pipeline.redirects import Redirects
from research_core.pipeline.run import research
from research_core.policy import RunSettings
from research_core.sessions import whatif
from tests.everyday import mark_first_everyday, mark_first_rows_everyday
from tests.timing import wait_until
from tests.world import QUESTION, Place, World

ELSEWHERE = "https://www.facebook.com"
BLOCKED_REDIRECT = re.compile(
    rf"redirects to {re.escape(ELSEWHERE)}/\S+: 0\.\d\d, needs more than 0\.50: "
)


class Moving(World):
    """A world in which a third of the pages have moved to somebody's pages in a network, which few
    snippets get past the threshold.
    """

    share = 0.33

    def send(self, method: str, url: str, **options: Any) -> HttpReply:
        reply = super().send(method, url, **options)
        if self.chance("moved", url) >= self.share:
            return reply
        return HttpReply(
            f"{ELSEWHERE}{url.removeprefix('https:/')}", reply.status, reply.headers, reply.body
        )

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        if request.kind == "judge_relevance":
            with self.lock:
                self.made.append("judged")
        return super().run(request, on_text)


def settings(mode: str = "deep", **changes: Any) -> RunSettings:
    return RunSettings(mode=mode, engines=("north", "south"), model="world", **changes)


def run(
    place: Place,
    name: str,
    world: World,
    how: RunSettings,
    *,
    readonly: bool = False,
    gather: Any = None,
) -> Report:
    log = place.log(name, readonly=readonly)
    with place.deps(world, log, how) as deps:
        built = research(QUESTION, deps, gather=gather)
    assert log.differences == []
    return built


def live(place: Place, name: str, world: World, how: RunSettings, **more: Any) -> Report:
    place.session(name, how)
    return run(place, name, world, how, **more)


def astray(built: Report) -> list[str]:
    return [
        source.url
        for source in built.sources
        if source.redirected_to and source.status == "blocked"
    ]


# ---------------------------------------------------------------- when it is known


WORDS = ("habits", "harbour", "seals", "tidal", "turbines")
GOOD = ScoreParts(0.7, "organisation", 0.7, 0.8, 0.0, matched=WORDS)
POOR = ScoreParts(0.4, "general web", 0.4, 0.4, 0.0, missing=WORDS)
URL = "https://a.example.org/p"
SAID = SearchResult("A page", URL, "tidal turbines change habits harbour seals 2025", "north")
MUTE = SearchResult("A page", URL, "nothing to the point", "north")


def landings(
    *listed: tuple[SearchResult, int, ScoreParts],
    to: str = f"{ELSEWHERE}/p",
    rules: Mapping[str, int] = RULE_VERSIONS,
) -> Redirects:
    made = Redirects(RunView(settings=settings(), rules=rules))
    for result, order, parts in listed:
        made.add_listing(result, order, 0, parts)
    assert made.add(URL, to, {})
    return made


def test_a_page_of_the_same_owner_is_open_to_no_question() -> None:
    assert not landings().add(URL, "https://www.example.org/p", {})


@pytest.mark.parametrize(("result", "passes"), [(SAID, True), (MUTE, False)])
def test_the_snippet_of_the_first_list_decides(result: SearchResult, passes: bool) -> None:
    other = MUTE if passes else SAID
    made = landings((other, 5, GOOD), (other, 2, GOOD), (result, 1, POOR))
    assert list(made.iterate_decided(2)) == []
    assert list(made.iterate_decided(3)) == [(URL, passes)]
    assert list(made.iterate_decided(3)) == []


@pytest.mark.parametrize(("result", "passes"), [(SAID, True), (MUTE, False)])
def test_in_older_sessions_the_snippet_of_the_first_list_that_clears_decides(
    result: SearchResult, passes: bool
) -> None:
    other = MUTE if passes else SAID
    made = landings((other, 5, GOOD), (result, 2, GOOD), (other, 1, POOR), rules={"scoring": 6})
    assert list(made.iterate_decided(3)) == [(URL, passes)]


@pytest.mark.parametrize("coming", [0, 1, 2])
def test_nothing_is_said_while_a_list_may_come_before(coming: int) -> None:
    made = landings((SAID, 2, GOOD))
    assert list(made.iterate_decided(coming)) == []
    made.add_listing(MUTE, 1, 0, GOOD)
    assert list(made.iterate_decided(2)) == [(URL, False)]


def test_a_source_that_no_list_lets_pass_stays_open() -> None:
    made = landings((SAID, 2, POOR))
    assert list(made.iterate_decided(float("inf"))) == []


# ---------------------------------------------------------------- whole runs


@pytest.mark.full
@pytest.mark.parametrize("seeds", mark_first_everyday([range(2, 4), range(3), range(1, 5)]))
@pytest.mark.parametrize("strategy", ["planned", "agentic"])
def test_what_led_to_where_it_is_blocked_costs_no_judging(
    place: Place, strategy: str, seeds: range
) -> None:
    blocked: list[str] = []
    for seed in seeds:
        world = Moving(seed)
        built = live(place, f"s{seed}", world, settings(strategy=strategy))
        gone = [source for source in built.sources if source.url in astray(built)]
        assert all(source.relevance is None and source.page for source in gone)
        for source in gone:
            assert BLOCKED_REDIRECT.match(source.reason), source.reason
        judged = [name for name in world.made if name == "judged"]
        assert (
            len(judged) <= built.funnel["judged"] == built.funnel["fetched"] - len(gone)
        )  # two that lead to one text share a call
        blocked += astray(built)
    assert blocked


@pytest.mark.full
@pytest.mark.parametrize("seeds", mark_first_everyday([range(2), range(4)]))
@pytest.mark.parametrize("mode", ["quick", "standard", "deep"])
def test_its_place_is_refilled_by_the_next(place: Place, mode: str, seeds: range) -> None:
    """While candidates last, as many are judged as the mode has places, as where a page is dead."""
    lost = 0
    for seed in seeds:
        built = live(place, f"{mode}{seed}", Moving(seed), settings(mode))
        lost += len(astray(built))
        left = sum(source.status == "not_read" for source in built.sources)
        places = {"quick": 3, "standard": 7, "deep": 10}[mode]
        wanted = built.funnel["judged"]
        assert wanted <= places
        assert wanted == places or not left or mode == "standard"
    assert lost


@pytest.mark.full
@pytest.mark.parametrize("mode", ["quick", "standard", "deep"])
@pytest.mark.parametrize(
    ("seed", "runs"), mark_first_rows_everyday([(0, 3), *((seed, 5) for seed in range(5))])
)
def test_live_runs_under_random_waits_give_one_report_and_replay(
    place: Place, mode: str, seed: int, runs: int
) -> None:
    texts = set()
    for n in range(runs):
        name = f"run{n}"
        built = live(place, name, Moving(seed, 0.012, random.Random(n)), settings(mode))
        texts.add(str(report.to_json(built)).replace(name, "…"))
        idle = Moving(seed, 0.01, random.Random(-n))
        assert report.to_json(
            run(place, name, idle, settings(mode), readonly=True)
        ) == report.to_json(built)
        assert idle.made == []
    assert len(texts) == 1


@pytest.mark.full
@pytest.mark.parametrize(
    ("seed", "runs"), mark_first_rows_everyday([(0, 2), *((seed, 4) for seed in range(4))])
)
def test_instructions_lend_it_no_other_fate_whenever_they_come(
    place: Place, seed: int, runs: int
) -> None:
    how = settings("standard", instructions=("only what was measured", "prefer harbours"))
    texts = set()
    for n in range(runs):
        built = live(place, f"run{n}", Moving(seed, 0.012, random.Random(n)), how)
        texts.add(str(report.to_json(built)).replace(f"run{n}", "…"))
        again = run(place, f"run{n}", Moving(seed, 0.01, random.Random(-n)), how, readonly=True)
        assert vars(again) == vars(built)
    assert len(texts) == 1


class AtOnce(Gather):
    """The control: what led elsewhere is decided by the lists that happen to be in."""

    def _admit(self) -> None:
        known = dict(self.redirects.iterate_decided(float("inf")))
        self.admission.dead.update(url for url, passes in known.items() if not passes)
        for url, passes in known.items():
            if passes:
                self._judge(url)
        super()._admit()


class Late(Moving):
    """A world in which most pages have moved. read: where it is set, the first list in plan order
    comes once that is true.
    """

    share = 0.8

    def __post_init__(self) -> None:
        self.read: Callable[[], bool] | None = None

    def answer(self, name: str) -> None:
        super().answer(name)
        if self.read and name.startswith("search") and QUESTION in name:
            wait_until(self.read)


def reports(place: Place, seeds: Sequence[int], gather: Any = None) -> list[set[str]]:
    """For each of these worlds the different reports of a run whose first list comes at once and of
    one where it comes late:

    when three pages of the others are read.
    """
    found = []
    for seed in seeds:
        late, log = Late(seed), place.log(f"{seed}.late", readonly=True)
        late.read = partial(lambda log: len(log.read(kinds=("fetched",))) >= 3, log)
        made = [
            live(place, f"{seed}.{when}", world, settings(), gather=gather)
            for when, world in (("now", Late(seed)), ("late", late))
        ]
        found.append({str(report.to_json(replace(built, session=""))) for built in made})
    return found


#: Every day in two worlds, of which the first is the one in which the control fails.
each_world = pytest.mark.parametrize("seeds", mark_first_everyday([(1, 2), (0, 3)]))


@pytest.mark.full
@each_world
def test_lists_that_come_late_change_no_report(place: Place, seeds: Sequence[int]) -> None:
    assert [len(texts) for texts in reports(place, seeds)] == [1] * len(seeds)


@pytest.mark.full
def test_a_control_that_decides_by_the_lists_at_hand_fails_the_same_test(place: Place) -> None:
    assert any(
        len(texts) > 1 for texts in reports(place, (1,), lambda *given: AtOnce(*given).run())
    )


@pytest.mark.full
def test_a_model_that_asks_for_pages_may_read_others_in_the_places_of_those(place: Place) -> None:
    places = 3
    for seed in range(4):
        built = live(place, f"s{seed}", Moving(seed), settings("quick", strategy="agentic"))
        read = [source.url for source in built.sources if source.page]
        assert len(read) - len(astray(built)) <= places
        if len(read) > places:
            return
    raise AssertionError("no place was given again")


# ---------------------------------------------------------------- approved by hand


class Steered(Moving):
    """A world in which the analyst acts when the n-th judgement is asked for."""

    def __post_init__(self) -> None:
        self.act: dict[int, Sequence[Draft]] = {}
        self.place: Place | None = None

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        with self.lock:
            count = sum(name == "judged" for name in self.made)
            drafts = self.act.pop(count, ()) if request.kind == "judge_relevance" else ()
        if drafts and self.place:
            self.place.log("s").append(*drafts)
        return super().run(request, on_text)


APPROVALS = [
    ("planned", 2),
    ("agentic", 0),
    ("planned", 0),
    ("planned", 5),
    ("agentic", 2),
    ("agentic", 5),
]


@pytest.mark.full
@pytest.mark.parametrize(("strategy", "at"), mark_first_rows_everyday(APPROVALS, 2))
def test_one_that_is_approved_is_judged_and_takes_no_place(
    place: Place, strategy: str, at: int
) -> None:
    how = settings(strategy=strategy)
    seed = next(
        seed for seed in range(40) if astray(live(place, f"plain{seed}", Moving(seed), how))
    )
    before = run(place, f"plain{seed}", Moving(seed), how, readonly=True)
    url = astray(before)[0]
    world = Steered(seed, 0.3, random.Random(at))
    world.place, world.act = place, {at: [Draft("command", {"do": "approve", "url": url})]}
    built = live(place, "s", world, how)
    (source,) = (source for source in built.sources if source.url == url)
    assert source.approved
    assert source.relevance
    assert source.status in ("kept", "dropped")
    assert built.funnel["judged"] == before.funnel["judged"] + 1
    again = run(place, "s", Moving(seed, 0.01, random.Random(9)), how, readonly=True)
    assert report.to_json(again) == report.to_json(built)


def test_what_if_says_that_it_was_read_and_never_judged(place: Place) -> None:
    how = settings()
    seed = next(
        seed for seed in range(40) if astray(live(place, f"plain{seed}", Moving(seed), how))
    )
    view = fold_events(place.log(f"plain{seed}").read())
    url = next(
        source.url
        for source in view.sources.values()
        if gate.redirects_to_blocked_site(source, view)
    )
    lower = whatif.decide_under(
        view, replace(how, credibility=replace(how.credibility, minimum=0.05))
    )
    (now,) = (source for source in lower.sources if source.url == url)
    assert now.status == "readable"
    assert now.reason.startswith(
        f"Eligible now. A rewrite may judge it. It redirects to {ELSEWHERE}/"
    )
    (flip,) = (flip for flip in lower.flips if flip.url == url)
    assert flip.why.endswith(", not judged yet")
    (verdict,) = (verdict for verdict in lower.gate.verdicts if verdict.url == url)
    assert verdict.reason.startswith(f"read, not judged: redirects to {ELSEWHERE}/")
    assert verdict.reason.endswith(", at or below the minimum credibility")
    foretold = whatif.forecast_reading(
        view, whatif.decide_under(view, whatif.get_current_settings(view))
    )
    assert foretold
    assert (foretold.new, url in foretold.again) == (
        (),
        False,
    )  # nothing flips, so that nothing else is read


# ---------------------------------------------------------------- sessions of before


class Before(Gather):
    """As runs were until then: every page that was read is judged, wherever it led, and keeps its
    place.
    """

    def _admit(self) -> None:
        self.steering.ever_approved |= self.sources.summaries.keys()
        list(self.redirects.iterate_decided(float("inf")))
        super()._admit()


@pytest.mark.full
def test_a_session_of_before_opens_as_it_was_and_its_replay_names_the_call_that_is_missing(
    place: Place,
) -> None:
    how = settings()
    seed = next(
        seed for seed in range(40) if astray(live(place, f"plain{seed}", Moving(seed), how))
    )
    old = live(place, "old", Moving(seed), how, gather=lambda *given: Before(*given).run())
    assert [source for source in old.sources if source.url in astray(old) and source.relevance]
    view = fold_events(place.log("old").read())
    assert vars(report.build(view)) == vars(old)
    with (
        place.deps(Moving(seed), place.log("old", readonly=True), how) as deps,
        pytest.raises(CallForbidden, match="never made this call"),
    ):
        research(QUESTION, deps)
