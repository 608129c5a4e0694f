"""The main path in a made-up world: one report under any timing, exact replays, and what a run
leaves in its log.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence

import pytest

from research_core.errors import CallForbidden, ModelError, UsageError
from research_core.journal.events import Draft
from research_core.model_messages import ModelReply, ModelRequest
from research_core.pipeline import gather as gathering
from research_core.pipeline import report
from research_core.pipeline.gather import Gather
from research_core.pipeline.run import GATHER_BY_STRATEGY, find_gathering, research
from research_core.policy import Caps, RunSettings
from tests.everyday import mark_first_everyday, mark_first_rows_everyday
from tests.world import QUESTION, Place, World

ENGINES = ("north", "south")
MODES = ("quick", "standard", "deep", "exhaustive")


def settings(mode: str = "standard", **changes: object) -> RunSettings:
    return RunSettings(mode=mode, engines=ENGINES, model="world", **changes)  # type: ignore[arg-type]


def live(place: Place, name: str, world: World, run: RunSettings) -> str:
    place.session(name, run)
    with place.deps(world, place.log(name), run) as deps:
        return report.to_markdown(research(QUESTION, deps)).replace(name, "…")


def again(place: Place, name: str, world: World, run: RunSettings) -> str:
    """The replay of a session with every call forbidden, under waits of its own."""
    log = place.log(name, readonly=True)
    with place.deps(world, log, run) as deps:
        text = report.to_markdown(research(QUESTION, deps)).replace(name, "…")
    assert log.differences == []
    return text


@pytest.mark.full
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("seed", "runs"), mark_first_rows_everyday([(0, 3), *((seed, 6) for seed in range(4))])
)
def test_live_runs_under_random_waits_give_one_report(
    place: Place, mode: str, seed: int, runs: int
) -> None:
    texts = {
        live(place, f"run{n}", World(seed, 0.012, random.Random(n)), settings(mode))
        for n in range(runs)
    }
    assert len(texts) == 1


@pytest.mark.full
@pytest.mark.parametrize("seed", mark_first_everyday(range(50), 6))
def test_a_replay_with_calls_forbidden_gives_the_same_bytes(place: Place, seed: int) -> None:
    run = settings(MODES[seed % len(MODES)])
    text = live(place, "live", World(seed, 0.01, random.Random(seed)), run)
    idle = World(seed, 0.01, random.Random(-seed))
    assert again(place, "live", idle, run) == text
    assert idle.made == []


class ByArrival(Gather):
    """The control: whoever answers first is admitted first, until the places are taken."""

    def _admit(self) -> None:
        admission = self.admission
        found = [url for urls in admission.lists.values() for url in urls]
        free = self.mode.max_sources - len(admission.admitted - admission.dead)
        new = [url for url in dict.fromkeys(found) if url not in admission.admitted]
        self._begin_reading(new[: max(0, free)])


def by_arrival(question: str, mode: object, deps: object) -> None:
    ByArrival(question, mode, deps).run()  # type: ignore[arg-type]


class Held(World):
    """A world that answers some queries only once the first page was asked for: those whose text
    begins with `held`.
    """

    # has places for all that is held and for what it waits for, whichever comes first
    gate = "library"

    def __init__(self, seed: int, held: str) -> None:
        self.held, self.asked = held, threading.Event()
        super().__init__(seed)

    def answer(self, name: str) -> None:
        if name.startswith("GET"):
            self.asked.set()
        if name.startswith(tuple(f"search {engine} {self.held}" for engine in ENGINES)):
            assert self.asked.wait(60)
        super().answer(name)


@pytest.mark.full
def test_a_control_that_admits_by_arrival_gives_another_report(place: Place) -> None:
    texts: set[str] = set()
    run = settings("deep", strategy="planned")
    for name, held in (
        ("run0", QUESTION),
        ("run1", "seals turbines"),
    ):  # the first search, or the planned ones
        place.session(name, run)
        with place.deps(Held(1, held), place.log(name), run) as deps:
            texts.add(
                report.to_markdown(research(QUESTION, deps, gather=by_arrival)).replace(name, "…")
            )
    assert len(texts) > 1


@pytest.mark.full
@pytest.mark.parametrize("seeds", mark_first_everyday([range(2), range(2, 8)]))
@pytest.mark.parametrize("mode", MODES)
def test_no_more_sources_are_assessed_than_the_mode_allows(
    place: Place, mode: str, seeds: range
) -> None:
    for seed in seeds:
        run, name = settings(mode), f"{mode}{seed}"
        place.session(name, run)
        with place.deps(World(seed), place.log(name), run) as deps:
            built = research(QUESTION, deps)
        assert (
            built.funnel["judged"]
            <= {
                "quick": 3,
                "standard": 7,
                "deep": 10,
                "exhaustive": 40,
            }[mode]
        )


@pytest.mark.full
def test_a_dead_page_is_replaced_while_candidates_last(place: Place) -> None:
    run = settings("deep")
    place.session("s", run)
    with place.deps(World(5), place.log("s"), run) as deps:
        built = research(QUESTION, deps)
    assert built.funnel["failed"] > 0
    assert (
        built.funnel["judged"] + built.funnel["failed"]
        == built.funnel["fetched"] + built.funnel["failed"]
    )
    assert built.funnel["judged"] == 10


@pytest.mark.parametrize("question", ["", "  ", "ab", "x" * 5000])
def test_a_question_too_short_or_too_long_is_refused_before_any_call(
    place: Place, question: str
) -> None:
    world, run = World(), settings()
    place.session("s", run)
    with (
        place.deps(world, place.log("s"), run) as deps,
        pytest.raises(UsageError, match=r"empty|characters"),
    ):
        research(question, deps)
    assert world.made == []


@pytest.mark.full
def test_the_model_never_sees_what_was_dropped(place: Place) -> None:
    run, world = settings("deep"), Listening(3)
    place.session("s", run)
    with place.deps(world, place.log("s"), run) as deps:
        built = research(QUESTION, deps)
    dropped = [
        p.id for source in built.sources if source.status == "dropped" for p in source.passages
    ]
    kept = [p.id for source in built.sources if source.status == "kept" for p in source.passages]
    assert dropped
    assert kept
    assert not any(id in prompt for prompt in world.prompts["write"] for id in dropped)
    assert all(any(id in prompt for prompt in world.prompts["write"]) for id in kept)


class Listening(World):
    """A world whose model keeps the prompts it was given."""

    def __post_init__(self) -> None:
        self.prompts: dict[str, list[str]] = {}

    def run(self, request, on_text=None):  # type: ignore[no-untyped-def]
        self.prompts.setdefault(request.kind, []).append(request.prompt)
        return super().run(request, on_text)


def test_invented_citations_are_removed_and_counted(place: Place) -> None:
    run = settings("deep")
    place.session("s", run)
    with place.deps(World(5), place.log("s"), run) as deps:
        built = research(QUESTION, deps)
    assert built.decision != "insufficient_data"
    assert built.removed_citations == built.funnel["kept"]
    assert "pdeadbeef" not in report.to_markdown(built)


@pytest.mark.full
def test_a_cap_on_calls_still_leaves_the_writer_its_call(place: Place) -> None:
    run = settings("deep", caps=Caps(calls=8))
    place.session("s", run)
    world = World(4)
    with place.deps(world, place.log("s"), run) as deps:
        built = research(QUESTION, deps)
    assert len([name for name in world.made if name.startswith("model")]) <= 8
    assert built.stopped == ""
    assert built.spent["limit"]["reached"] == "the cap on calls was reached"
    assert again(place, "s", World(4), run)


def commands(place: Place, name: str, *drafts: Draft) -> None:
    place.log(name).append(*drafts)


class Steering(World):
    """A world in which the analyst acts when the n-th page is asked for."""

    def __post_init__(self) -> None:
        self.act: dict[int, Sequence[Draft]] = {}
        self.pages = 0
        self.place: Place | None = None

    def send(self, method, url, **options):  # type: ignore[no-untyped-def]
        with self.lock:
            self.pages += 1
            drafts = self.act.pop(self.pages, ())
        if drafts and self.place:
            commands(self.place, "s", *drafts)
        return super().send(method, url, **options)


@pytest.mark.full
@pytest.mark.parametrize("at", mark_first_everyday([3, 1, 6]))
def test_stop_and_write_now_writes_from_what_was_judged_and_replays(place: Place, at: int) -> None:
    run, world = settings("deep"), Steering(7, 0.3, random.Random(at))
    world.place, world.act = place, {at: [Draft("command", {"do": "stop"})]}
    place.session("s", run)
    with place.deps(world, place.log("s"), run) as deps:
        text = report.to_markdown(research(QUESTION, deps)).replace("s", "…")
    assert "analy" in text
    replayed = place.log("s", readonly=True)
    with place.deps(World(7, 0.01, random.Random(99)), replayed, run) as deps:
        assert report.to_markdown(research(QUESTION, deps)).replace("s", "…") == text


@pytest.mark.full
def test_strike_and_approve_act_through_their_decisions_and_replay(place: Place) -> None:
    run = settings("deep")
    plain = World(2)
    place.session("plain", run)
    with place.deps(plain, place.log("plain"), run) as deps:
        before = research(QUESTION, deps)
    struck = next(source.url for source in before.sources if source.status == "kept")
    blocked = next(source.url for source in before.sources if source.status == "blocked")
    world = Steering(2, 0.25, random.Random(1))
    world.place = place
    world.act = {
        1: [
            Draft("command", {"do": "strike", "url": struck}),
            Draft("command", {"do": "approve", "url": blocked}),
        ]
    }
    place.session("s", run)
    with place.deps(world, place.log("s"), run) as deps:
        built = research(QUESTION, deps)
    status = {source.url: source for source in built.sources}
    assert status[struck].status == "struck"
    assert status[blocked].approved
    assert status[blocked].status != "blocked"
    replayed = place.log("s", readonly=True)
    with place.deps(World(2), replayed, run) as deps:
        assert report.to_markdown(research(QUESTION, deps)) == report.to_markdown(built)


def test_a_replay_of_an_unfinished_run_says_which_call_is_missing(place: Place) -> None:
    run = settings()
    place.session("s", run)
    with (
        place.deps(World(), place.log("s", readonly=True), run) as deps,
        pytest.raises(CallForbidden, match="never made"),
    ):
        research(QUESTION, deps)


@pytest.mark.full
def test_a_fork_with_other_thresholds_makes_only_the_calls_that_changed(place: Place) -> None:
    run = settings("standard")
    place.session("s", run)
    world = World(11)
    with place.deps(world, place.log("s"), run) as deps:
        research(QUESTION, deps)
    other, later = settings("standard", relevance_cutoff=5), World(11)
    with place.deps(later, place.log("s").fork("t", other.to_json()), other) as deps:
        built = research(QUESTION, deps)
    assert len(later.made) < len(world.made) / 2
    kept = [
        source.relevance for source in built.sources if source.status == "kept" and source.relevance
    ]
    assert all(judged.score == 5 or not judged.scored for judged in kept)


def test_every_strategy_has_its_way_of_gathering() -> None:
    assert set(GATHER_BY_STRATEGY) == {"planned", "agentic", "audit"}
    assert find_gathering("planned") is gathering.gather


class Wordless(World):
    """A world whose pages say nothing of the question, and whose judge is down."""

    def sentence(self, url: str, n: int) -> str:
        return f"The bakery at corner {n} sells bread, and the baker rises early to see that the oven is warm by the time people come."

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        if request.kind == "judge_relevance":
            raise ModelError("The judge is down.", kind="blocked")
        return super().run(request, on_text)


def test_where_nothing_could_be_cited_there_is_no_report_and_no_failure(place: Place) -> None:
    run = settings()
    place.session("s", run)
    with place.deps(Wordless(3), place.log("s"), run) as deps:
        built = research("Does gravitational lensing distort quasar spectra?", deps)
    assert not any(source.passages for source in built.sources if source.status == "kept")
    assert built.decision == "insufficient_data"
