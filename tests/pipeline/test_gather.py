"""The coordinator against the clock: which answer comes first, and where a stop falls, changes
neither a query nor a source.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest

from research_core.decisions import gate
from research_core.decisions.view import fold_events
from research_core.errors import SearchError, Stopped
from research_core.journal.circuit_breaker import CircuitBreakers
from research_core.journal.deps import Http, Provider
from research_core.journal.events import Draft, Event
from research_core.journal.log import EventLog
from research_core.journal.store import Store
from research_core.journal.tables import open_database
from research_core.model_messages import Json, ModelReply, ModelRequest
from research_core.models import Report, SearchQuery, SearchResult
from research_core.pipeline import report, unfinished
from research_core.pipeline.admission import INSTRUCTION_SHARE
from research_core.pipeline.admission import QUESTION as QUESTION_ORDER
from research_core.pipeline.early_stop import STOP_GRACE_S
from research_core.pipeline.run import research
from research_core.policy import Caps, RunSettings
from research_core.sessions import runner
from research_core.settings import Settings
from tests.everyday import mark_first_everyday, mark_first_rows_everyday
from tests.logs import Hands, HeardLog
from tests.timing import LONG_S, wait_until
from tests.world import QUESTION, WHO, Place, StillClock, World


def settings(mode: str) -> RunSettings:
    return RunSettings(mode=mode, engines=("north", "south"), model="world")


class Repeating(World):
    """A world whose plan and refinement name the same query; one of the two comes late."""

    late = ""

    def run(self, request, on_text=None):  # type: ignore[no-untyped-def]
        if request.kind == self.late:
            wait_until(lambda: "search north seals near turbines" in self.made)
        if request.kind == "refine":
            return ModelReply('{"query": "seals near turbines"}', self.name)
        if request.kind == "plan":
            return ModelReply('{"queries": ["seals near turbines", "turbine noise"]}', self.name)
        return super().run(request, on_text)


@pytest.mark.full
def test_a_query_that_plan_and_refinement_both_name_is_treated_alike_whichever_comes_first(
    place: Place,
) -> None:
    texts = set()
    for late in ("plan", "refine"):
        world, run = Repeating(2), settings("standard")
        world.late = late
        place.session(late, run)
        with place.deps(world, place.log(late), run) as deps:
            texts.add(report.to_markdown(research(QUESTION, deps)))
        assert world.made.count("search north seals near turbines") == 1
    assert len(texts) == 1


STOP = Draft("command", {"do": "stop"})


class Stopping(World):
    """A world in which the analyst stops the run. log: where; clock: what the run measures by how
    long a stop may take; it stands still.
    """

    log: HeardLog

    def __post_init__(self) -> None:
        self.clock, self.said = Hands(), threading.Event()
        self.judging = 0

    def run_here(self, place: Place, run: RunSettings) -> Report:
        self.log = HeardLog(Store(place.db, WHO, "s"), StillClock())
        with place.deps(self, self.log, run) as deps:
            return research(QUESTION, replace(deps, clock=self.clock))

    def say_stop(self) -> None:
        """Returns when the run has heard it."""
        self.log.say(STOP)
        self.said.set()

    def time_is_up(self) -> None:
        """Returns when the run has recorded how far it came."""
        wait_until(self._is_recorded)

    def _is_recorded(self) -> bool:
        self.clock.at += STOP_GRACE_S
        return any(event.data["do"] == "stop" for event in self.log.read(kinds=("decide",)))


class StoppedAmongTheFollowUps(Stopping):
    """A world in which the analyst stops while sources of the follow-up queries are judged, and the
    process ends at the writing.
    """

    def run(self, request, on_text=None):  # type: ignore[no-untyped-def]
        if request.kind == "write":
            raise Stopped("shutdown")
        with self.lock:
            judged = request.kind == "judge_relevance" and any(
                name.startswith("search north gap") for name in self.made
            )
            self.judging += judged
            stopping = judged and self.judging == 2
        if stopping:
            self.say_stop()
            self.time_is_up()
        return super().run(request, on_text)


@pytest.mark.full
def test_a_run_stopped_among_its_follow_ups_and_killed_goes_as_far_again_and_no_further(
    place: Place,
) -> None:
    run, world = settings("deep"), StoppedAmongTheFollowUps(1, 0.05, random.Random(1))
    place.session("s", run)
    with pytest.raises(Stopped):
        world.run_here(place, run)
    (stop,) = (event.data for event in place.log("s").decisions())
    assert "gaps" in stop["parts"]
    idle = World(1)
    with place.deps(idle, place.log("s"), run) as deps:
        built = research(QUESTION, deps)
    assert {source.url for source in built.sources if source.relevance} == set(stop["judged"])
    assert idle.made == ["model write", "model verify_sentence"]
    with place.deps(World(1, 0.01, random.Random(9)), place.log("s", readonly=True), run) as deps:
        assert report.to_markdown(research(QUESTION, deps)) == report.to_markdown(built)


def test_the_sites_of_the_questions_own_results_are_prepared_once_each(place: Place) -> None:
    run, prepared = settings("standard"), list[str]()
    place.session("s", run)
    with place.deps(World(1), place.log("s"), run) as deps:
        research(QUESTION, replace(deps, prepare_page=prepared.append))
    refused = {event.data["url"] for event in place.log("s").read(kinds=("blocked",))}
    results = {
        event.data["url"]
        for event in place.log("s").read(kinds=("found",))
        if event.data["order"] == QUESTION_ORDER
    }
    sites = [urlsplit(url).netloc for url in prepared]
    assert len(sites) == len(set(sites)) > 1
    assert set(prepared) <= results - refused
    assert set(sites) <= {urlsplit(url).netloc for url in results}


class StoppedBeforeAnyPage(Stopping):
    """A world in which the analyst stops when the fifth page is asked for, and every page comes
    once the run has heard it.

    late: whether no judgement comes before the time of a stop is up; dies: whether the process ends
    at the writing.
    """

    late = dies = False
    pages = 0

    def send(self, method, url, **options):  # type: ignore[no-untyped-def]
        with self.lock:
            self.pages += 1
            stopping = self.pages == 5
        if stopping:
            self.say_stop()
        assert self.said.wait(LONG_S)
        return super().send(method, url, **options)

    def run(self, request, on_text=None):  # type: ignore[no-untyped-def]
        if request.kind == "judge_relevance" and self.late:
            wait_until(
                lambda: (
                    len(self.log.read(kinds=("admitted",)))
                    == len(self.log.read(kinds=("fetched",)))
                )
            )
            self.time_is_up()
        if request.kind == "write" and self.dies:
            raise Stopped("shutdown")
        return super().run(request, on_text)


@pytest.mark.full
@pytest.mark.parametrize("dies", [False, True])
def test_pages_that_were_under_way_when_the_run_was_stopped_are_judged_and_written_from(
    place: Place, dies: bool
) -> None:
    run, world, later = (
        settings("standard"),
        StoppedBeforeAnyPage(1, 0.02, random.Random(1)),
        World(1),
    )
    world.dies = dies
    place.session("s", run)
    if not dies:
        built = world.run_here(place, run)
    else:
        with pytest.raises(Stopped):
            world.run_here(place, run)
        with place.deps(later, place.log("s"), run) as deps:
            built = research(QUESTION, deps)
        assert later.made == ["model write", "model verify_sentence"]
    assert built.stopped == "the analyst stopped the run"
    assert built.decision != "insufficient_data"
    assert built.funnel["judged"] == built.funnel["fetched"] > 0
    assert replayed(place, run, 1) == report.to_markdown(built)


@pytest.mark.full
def test_pages_whose_judging_takes_longer_than_a_stop_waits_are_said_to_be_read_and_not_judged(
    place: Place,
) -> None:
    run, world = settings("standard"), StoppedBeforeAnyPage(1, 0.02, random.Random(1))
    world.late = True
    place.session("s", run)
    built = world.run_here(place, run)
    read = built.funnel["fetched"]
    assert (read > 1, built.funnel["judged"]) == (True, 0)
    assert (built.decision, built.reason) == ("insufficient_data", "read but not judged")
    assert built.rationale.endswith(
        f"; {read} pages were read, but none could be judged before the analyst stopped the run"
    )
    assert replayed(place, run, 1) == report.to_markdown(built)


class SlowToRead(World):
    """A world whose pages come after all planning is done."""

    def send(self, method, url, **options):  # type: ignore[no-untyped-def]
        wait_until(lambda: {"model plan", "model refine"} <= {*self.made})
        return super().send(method, url, **options)


@pytest.mark.full
def test_where_a_cap_leaves_no_call_for_judging_what_was_read_is_judged_by_words_and_written_from(
    place: Place,
) -> None:
    run = replace(settings("standard"), caps=Caps(calls=3))
    place.session("s", run)
    with place.deps(SlowToRead(1), place.log("s"), run) as deps:
        built = research(QUESTION, deps)
    read = built.funnel["fetched"]
    assert built.funnel["judged"] == read > 1
    assert (built.stopped, built.spent["limit"]["reached"]) == ("", "the cap on calls was reached")
    judged = [source.relevance for source in built.sources if source.relevance]
    assert all(
        one.scored and one.explanation.startswith(unfinished.JUDGED_BY_WORDS_NOTE) for one in judged
    )
    assert f"{read} pages were judged by words alone." in report.to_markdown(built)
    assert replayed(place, run, 1) == report.to_markdown(built)


class StoppedWhereAnEngineRests(Stopping):
    """A world in which one engine refuses the question, and the analyst stops when the fourth
    source is being judged.
    """

    def results(self, engine: str, query: str) -> list[dict[str, str]]:
        if (engine, query) == ("north", QUESTION):
            raise SearchError("The engine is resting.", kind="rate_limited")
        return super().results(engine, query)

    def run(self, request, on_text=None):  # type: ignore[no-untyped-def]
        with self.lock:
            self.judging += request.kind == "judge_relevance"
            stopping = request.kind == "judge_relevance" and self.judging == 4
        if stopping:
            self.say_stop()
        return super().run(request, on_text)


@pytest.mark.full
def test_another_attempt_at_a_stopped_run_does_not_lose_a_query_because_an_engine_failed(
    place: Place,
) -> None:
    run, world = settings("deep"), StoppedWhereAnEngineRests(1, 0.05, random.Random(1))
    place.session("s", run)
    first = report.to_markdown(world.run_here(place, run))
    assert "Stopped early" in first
    log = place.log("s")
    log.append(Draft("finished", {"outcome": "done"}, "1"))
    resources: Any = SimpleNamespace(services=CircuitBreakers())
    runner._void_failures(resources, log)
    with place.deps(world, log, run) as deps:
        assert report.to_markdown(research(QUESTION, deps)) == first


# ---------------------------------------------------------------- what the analyst asks beside the question

FEEDING = Draft("command", {"do": "instruct", "text": "Say where the seals feed"})
STORMS = Draft("command", {"do": "instruct", "text": "What of storms in winter?"})
NO_OPINION = Draft("command", {"do": "instruct", "text": "Leave out opinion pieces"})


class Told(World):
    """A world in which the analyst says something, or the process ends, when the n-th call of a
    kind is made.
    """

    def __post_init__(self) -> None:
        self.place: Place | None = None
        self.at: dict[tuple[str, int], Draft | Stopped] = {}
        self.count: dict[str, int] = {}

    def answer(self, name: str) -> None:
        with self.lock:
            kind = next(
                known
                for known in ("search", "GET", "model judge", "model gaps", "model")
                if name.startswith(known)
            )
            self.count[kind] = self.count.get(kind, 0) + 1
            said = self.at.pop((kind, self.count[kind]), None)
            if isinstance(said, Stopped):
                raise said
            if said and self.place:
                self.place.log("s").append(
                    said
                )  # still under the lock, so that two words come in their order
        super().answer(name)


def told(
    place: Place,
    run: RunSettings,
    at: dict[tuple[str, int], Draft | Stopped],
    seed: int = 3,
    chance: int = 0,
) -> str:
    """The report of a session to which this is said, however often it is begun."""
    place.session("s", run)
    world = Told(seed, 0.02, random.Random(chance))
    world.place, world.at = place, dict(at)
    for _ in range(1 + sum(isinstance(said, Stopped) for said in at.values())):
        try:
            with place.deps(world, place.log("s"), run) as deps:
                return report.to_markdown(research(QUESTION, deps))
        except Stopped:
            continue
    raise AssertionError("it was begun again more often than it was stopped")


def replayed(place: Place, run: RunSettings, seed: int = 3) -> str:
    idle, log = World(seed, 0.01, random.Random(7)), place.log("s", readonly=True)
    with place.deps(idle, log, run) as deps:
        text = report.to_markdown(research(QUESTION, deps))
    assert (idle.made, log.differences) == ([], [])
    return text


#: The second word of each is said in consequence of the first, so that they come in one order
#: however slow the machine is.
MOMENTS: list[dict[tuple[str, int], Draft | Stopped]] = [
    {("search", 1): FEEDING, ("search", 2): STORMS},
    {("GET", 1): FEEDING, ("GET", 5): STORMS},
    {("model judge", 1): FEEDING, ("model judge", 7): STORMS},
    {("model judge", 5): FEEDING, ("model judge", 6): STORMS},
    {("GET", 3): FEEDING, ("GET", 4): Stopped("shutdown"), ("model judge", 3): STORMS},
    {
        ("search", 3): FEEDING,
        ("model judge", 4): STORMS,
        ("model judge", 5): Stopped("shutdown"),
        ("GET", 9): Stopped("shutdown"),
    },
]


#: Every day two moments, one of them with a killed run; in the full suite all, in each mode.
CHOSEN = [
    ("standard", [1, 4]),
    ("quick", range(6)),
    ("standard", range(6)),
    ("deep", range(6)),
    ("exhaustive", range(6)),
]


@pytest.mark.full
@pytest.mark.parametrize(("mode", "chosen"), mark_first_rows_everyday(CHOSEN))
def test_an_instruction_has_the_same_report_whenever_it_is_given_and_however_often_the_run_is_killed(
    tmp_path: Path, mode: str, chosen: Sequence[int]
) -> None:
    said = [MOMENTS[number] for number in chosen]
    moments = [m for m in said if mode != "quick" or all(n < 4 for _, n in m)] or said[:1]
    texts = {}
    for number, moment in enumerate(moments):
        db = open_database(f"sqlite:///{tmp_path / f'{mode}{number}.db'}")
        place, run = Place(db, tmp_path), settings(mode)
        texts[number] = told(place, run, moment, chance=number)
        assert replayed(place, run) == texts[number]
        db.close()
    assert len(set(texts.values())) == 1
    assert "“Say where the seals feed”; “What of storms in winter?”" in texts[0]


@pytest.mark.full
@pytest.mark.parametrize("seed", mark_first_everyday(range(4)))
def test_an_instruction_of_the_settings_is_one_that_was_given_during_the_run(
    tmp_path: Path, seed: int
) -> None:
    texts = []
    given = replace(settings("deep"), instructions=(FEEDING.data["text"], STORMS.data["text"]))
    for name, run, moment in (("before", given, {}), ("during", settings("deep"), MOMENTS[1])):
        db = open_database(f"sqlite:///{tmp_path / f'{name}.db'}")
        texts.append(told(Place(db, tmp_path), run, moment, seed=seed))
        db.close()
    assert texts[0] == texts[1]


@pytest.mark.full
@pytest.mark.parametrize("seed", mark_first_everyday(range(6), 2))
def test_an_instruction_adds_its_places_and_takes_none(place: Place, seed: int) -> None:
    plain, more = (
        settings("deep"),
        replace(settings("deep"), instructions=("Say where the seals feed",)),
    )
    read = []
    for name, run in (("plain", plain), ("more", more)):
        place.session(name, run)
        with place.deps(World(seed), place.log(name), run) as deps:
            built = research(QUESTION, deps)
        read.append({source.url for source in built.sources if source.relevance})
    assert read[0] <= read[1]
    assert len(read[1] - read[0]) <= INSTRUCTION_SHARE
    assert ("tidal turbines change habits harbour seals feed", "instruction") in [
        (q["text"], q["purpose"]) for q in built.queries
    ]


def test_the_writer_is_told_of_an_instruction_and_nobody_else_is(place: Place) -> None:
    run, world = replace(settings("standard"), instructions=("Say where the seals feed",)), Asked(3)
    place.session("s", run)
    with place.deps(world, place.log("s"), run) as deps:
        research(QUESTION, deps)
    told_of = {
        request.kind for request in world.requests if "where the seals feed" in request.prompt
    }
    assert told_of == {"write"}


class Asked(World):
    """A world whose model keeps what it is asked."""

    def __post_init__(self) -> None:
        self.requests: list[ModelRequest] = []

    def run(self, request, on_text=None):  # type: ignore[no-untyped-def]
        self.requests.append(request)
        return super().run(request, on_text)


def test_an_instruction_that_comes_with_the_stop_is_left(place: Place) -> None:
    run, world = settings("deep"), Told(3, 0.3, random.Random(2))
    world.place, world.at = (
        place,
        {("GET", 2): Draft("command", {"do": "stop"}), ("GET", 3): FEEDING},
    )
    place.session("s", run)
    with place.deps(world, place.log("s"), run) as deps:
        text = report.to_markdown(research(QUESTION, deps))
    assert "Stopped early" in text
    assert replayed(place, run) == text


# ---------------------------------------------------------------- what was decided by hand before the run


@pytest.mark.full
@pytest.mark.parametrize("seed", mark_first_everyday(range(6), 2))
def test_what_was_struck_before_is_never_asked_for_and_what_was_approved_is_read_beside_the_budget(
    place: Place, seed: int
) -> None:
    run = settings("deep")
    place.session("plain", run)
    with place.deps(World(seed), place.log("plain"), run) as deps:
        before = research(QUESTION, deps)
    struck = next(source.url for source in before.sources if source.relevance)
    blocked = next(
        (source.url for source in before.sources if source.status == "blocked"),
        "https://site0.example.com/p99",
    )
    unheard = "https://nobody.example.net/listed/this"
    by_hand = replace(
        run, struck=(struck, "https://never.example.org/met"), approved=(blocked, unheard)
    )
    place.session("s", by_hand)
    world = World(seed, 0.01, random.Random(seed))
    with place.deps(world, place.log("s"), by_hand) as deps:
        built = research(QUESTION, deps)
    sources = {source.url: source for source in built.sources}
    assert f"GET {struck}" not in world.made
    assert {f"GET {blocked}", f"GET {unheard}"} <= set(world.made)
    assert sources[struck].status == "struck"
    assert sources[blocked].status != "blocked"
    assert "https://never.example.org/met" not in sources
    assert (
        len([url for url, source in sources.items() if source.relevance and not source.approved])
        <= 10
    )
    assert not [
        event for event in place.log("s").read(kinds=("blocked",)) if event.data["url"] == blocked
    ]
    assert replayed(place, by_hand, seed) == report.to_markdown(built)


@pytest.mark.full
def test_a_word_during_the_run_overrides_what_was_decided_before(place: Place) -> None:
    run = settings("deep")
    place.session("plain", run)
    with place.deps(World(8), place.log("plain"), run) as deps:
        before = research(QUESTION, deps)
    liked, other = [source.url for source in before.sources if source.status == "kept"][:2]
    by_hand = replace(run, struck=(liked,), approved=(other,))
    approve, strike = (
        Draft("command", {"do": "approve", "url": liked}),
        Draft("command", {"do": "strike", "url": other}),
    )
    text = told(place, by_hand, {("search", 2): approve, ("GET", 2): strike}, seed=8)
    view = fold_events(place.log("s").read())
    assert (view.sources[liked].approved, view.sources[liked].struck, view.sources[liked].read) == (
        True,
        False,
        True,
    )
    assert (view.sources[other].approved, view.sources[other].struck) == (False, True)
    assert replayed(place, by_hand, 8) == text
    assert gate.merge_manual_decisions(view) == replace(by_hand, struck=(other,), approved=(liked,))


#: When a source is restored, and what is said of it afterwards. The first three rows run every day.
RESTORED = [(("search", 1), ""), (("GET", 2), "strike"), (("model judge", 3), "approve")]
RESTORED += [
    (("search", 1), "strike"),
    (("search", 1), "approve"),
    (("GET", 2), ""),
    (("GET", 2), "approve"),
]
RESTORED += [(("model judge", 3), ""), (("model judge", 3), "strike")]
RESTORED += [
    (("model judge", 7), ""),
    (("model judge", 7), "strike"),
    (("model judge", 7), "approve"),
]


@pytest.mark.full
@pytest.mark.parametrize(("moment", "and_then"), mark_first_rows_everyday(RESTORED, 3))
def test_a_source_struck_before_and_restored_in_the_run_is_read_and_replays(
    place: Place, moment: tuple[str, int], and_then: str
) -> None:
    run = settings(
        "deep"
    )  # in this world no other query lists the blocked source above the threshold
    place.session("plain", run)
    with place.deps(World(7), place.log("plain"), run) as deps:
        before = research(QUESTION, deps)
    liked = next(source.url for source in before.sources if source.status == "kept")
    blocked = next(source.url for source in before.sources if source.status == "blocked")
    struck = replace(run, struck=(liked, blocked))
    at = {moment: Draft("command", {"do": "restore", "url": liked})}
    at |= (
        {("GET", 4): Draft("command", {"do": and_then, "url": liked})}
        if and_then and moment != ("GET", 4)
        else {}
    )
    text = told(
        place,
        struck,
        {**at, ("search", 3): Draft("command", {"do": "restore", "url": blocked})},
        seed=7,
    )
    view = fold_events(place.log("s").read())
    assert view.sources[liked].read
    assert not view.sources[blocked].read, "a source below the threshold is restored to that"
    assert replayed(place, struck, 7) == text


@pytest.mark.full
@pytest.mark.parametrize("attempts", [1, 2])
def test_what_is_struck_when_a_stop_was_just_recorded_is_struck(
    place: Place, attempts: int
) -> None:
    """Said after the run has listened for the last time: while it is closed, or by the attempt
    after it.
    """
    run, world = settings("standard"), Told(3, 0.02, random.Random(1))
    world.place, world.at = place, {("model judge", 3): Draft("command", {"do": "stop"})}
    place.session("s", run)
    kept: list[str] = []

    def strike(event: Event) -> None:
        if event.kind == "decide" and event.data["do"] == "stop" and not kept:
            kept.append(
                next(
                    event.data["url"]
                    for event in place.log("s").read(kinds=("judged",))
                    if event.data["score"] > 2
                )
            )
            place.log("s").append(Draft("command", {"do": "strike", "url": kept[0]}))
            if attempts == 2:
                raise Stopped("shutdown")

    for attempt in range(attempts):
        log = EventLog(Store(place.db, WHO, "s"), StillClock(), listener=strike)
        with place.deps(world, log, run) as deps:
            if attempt + 1 < attempts:
                with pytest.raises(Stopped):
                    research(QUESTION, deps)
            else:
                built = research(QUESTION, deps)
    assert built.stopped
    assert {source.url: source.status for source in built.sources}[kept[0]] == "struck"
    assert replayed(place, run) == report.to_markdown(built)


@pytest.mark.full
def test_what_is_to_be_left_out_is_told_to_the_writer_and_no_query_is_made_of_it(
    place: Place,
) -> None:
    run = replace(settings("standard"), instructions=("ignore blogs",))
    text = told(place, run, {("GET", 1): NO_OPINION, ("model judge", 1): FEEDING})
    view = fold_events(place.log("s").read())
    assert view.instructions == (
        "ignore blogs",
        "Leave out opinion pieces",
        "Say where the seals feed",
    )
    asked = [query["text"] for query in view.queries.values() if query["purpose"] == "instruction"]
    assert asked == ["tidal turbines change habits harbour seals feed"]
    assert replayed(place, run) == text


SECRET = "Kellner Bakery keeps its harbour seals near the tidal turbines and changes the habits of every one of the seals by 12 percent."


@dataclass
class Own(World):
    """A world in which every query also lists a document of the analyst's own. told: what the model
    was given to make queries of.
    """

    told: list[str] = field(default_factory=list)

    def run(self, request, on_text=None):  # type: ignore[no-untyped-def]
        if request.kind in ("refine", "gaps"):
            self.told.append(request.prompt)
        return super().run(request, on_text)

    def read(self, url: str) -> Json | None:
        return (
            {"url": url, "title": "Lease", "text": SECRET, "kind": "text", "published": ""}
            if url == "document:lease.md"
            else None
        )

    def documents(
        self, http: Http, _settings: Settings, query: SearchQuery
    ) -> Sequence[SearchResult]:
        lease = SearchResult("Lease", "document:lease.md", SECRET, "library", "")
        rows = http.call("library", {"query": query.text}, lambda: [asdict(lease)])
        return [SearchResult(**row) for row in rows]


@pytest.mark.parametrize(
    ("engines", "lends"), [(("library",), True), (("north", "library"), False)]
)
def test_words_of_own_documents_make_no_query_of_an_engine_of_others(
    place: Place, engines: tuple[str, ...], lends: bool
) -> None:
    world, run = Own(3), RunSettings(mode="deep", engines=engines, model="world")
    place.session("own", run)
    with place.deps(world, place.log("own"), run) as deps:
        own = Provider("library", "library", world.documents)
        known = tuple(own if engine.name == "library" else engine for engine in deps.engines)
        built = research(QUESTION, replace(deps, engines=known, documents=world))
    assert any(
        source.read
        for source in fold_events(place.log("own").read()).sources.values()
        if source.url == "document:lease.md"
    )
    assert built.queries
    assert len(world.told) == 2
    assert [("Kellner" in prompt) for prompt in world.told] == [lends, lends]


class Mute(World):
    """A world whose model gives no source a score."""

    def run(self, request, on_text=None):  # type: ignore[no-untyped-def]
        if request.kind.startswith("judge"):
            self.answer(f"model {request.kind}")
            return ModelReply("I cannot say.", self.name)
        return super().run(request, on_text)


@pytest.mark.parametrize("mode", ["quick", "deep"])
def test_a_stop_after_sources_were_judged_by_words_leaves_these_judgements(
    place: Place, mode: str
) -> None:
    run, said = settings(mode), list[int]()

    def stop(event: Event) -> None:
        if event.kind == "judged" and event.data["scored"] and not said:
            said.append(place.log("s").append(STOP)[0].seq)

    place.session("s", run)
    log = EventLog(Store(place.db, WHO, "s"), StillClock(), listener=stop)
    with place.deps(Mute(3), log, run) as deps:
        built = research(QUESTION, deps)
    assert said
    assert built.stopped == "the analyst stopped the run"
    assert replayed(place, run) == report.to_markdown(built)
