"""The agentic strategy in a made-up world: one report under any timing, exact replays, commands and
caps that act the same again.
"""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from research_core.errors import REFUSAL_KINDS, CapReached, ModelError, ModelRefused, Stopped
from research_core.i18n import use_language
from research_core.journal.doorway import Control
from research_core.journal.events import Draft
from research_core.journal.log import EventLog
from research_core.journal.store import Store, request_stop, take_session
from research_core.model_messages import NO_OTHER_MODEL, ModelReply, ModelRequest
from research_core.models import Report
from research_core.pipeline import report
from research_core.pipeline.admission import INSTRUCTION_SHARE
from research_core.pipeline.early_stop import STOP_GRACE_S
from research_core.pipeline.run import research
from research_core.policy import Caps, RunSettings
from research_core.sessions.event_text import describe_news
from research_core.web.failure_texts import translate_failure
from tests.everyday import mark_first_everyday, mark_first_rows_everyday
from tests.logs import Hands, HeardLog
from tests.timing import wait_until
from tests.world import QUESTION, WHO, Place, StillClock, World, tool_call

MODES = ("quick", "standard", "deep")


def settings(mode: str = "deep", **changes: Any) -> RunSettings:
    return RunSettings(
        mode=mode, strategy="agentic", engines=("north", "south"), model="world", **changes
    )


def live(place: Place, name: str, world: World, run: RunSettings) -> Report:
    place.session(name, run)
    return attempt(place, name, world, run)


def attempt(
    place: Place,
    name: str,
    world: World,
    run: RunSettings,
    control: Control | None = None,
    log: EventLog | None = None,
) -> Report:
    with place.deps(world, log or place.log(name), run, control=control) as deps:
        return research(
            QUESTION, replace(deps, clock=world.clock) if isinstance(world, Steered) else deps
        )


def text(built: Report) -> str:
    """Return the report, without the name of its session."""
    return report.to_markdown(built).replace(f"assay rewrite {built.session}`", "assay rewrite ID`")


def again(place: Place, name: str, run: RunSettings, seed: int = 0) -> str:
    """The replay of a session with every call forbidden, under waits of its own."""
    log, idle = place.log(name, readonly=True), World(seed, 0.01, random.Random(99))
    with place.deps(idle, log, run) as deps:
        said = text(research(QUESTION, deps))
    assert (log.differences, idle.made) == ([], [])
    return said


# ---------------------------------------------------------------- one report


@pytest.mark.full
@pytest.mark.parametrize("runs", mark_first_everyday([3, 6]))
def test_live_runs_under_random_waits_give_one_report_and_every_replay_the_same_bytes(
    place: Place, runs: int
) -> None:
    run = settings()
    texts = {
        text(live(place, f"run{n}", World(2, 0.012, random.Random(n)), run)) for n in range(runs)
    }
    assert len(texts) == 1
    assert again(place, "run2", run) in texts


@pytest.mark.full
@pytest.mark.parametrize("seed", mark_first_everyday(range(10, 15), 3))
def test_a_replay_with_calls_forbidden_gives_the_same_bytes(place: Place, seed: int) -> None:
    run = settings(MODES[seed % 3])
    built = live(place, "live", World(seed, 0.005, random.Random(seed)), run)
    assert again(place, "live", run) == text(built)


@pytest.mark.full
def test_the_report_says_how_the_sources_were_chosen(place: Place) -> None:
    built = live(place, "one", World(2), settings())
    assert built.plan["type"] == built.plan["strategy"] == "agentic"
    assert "The model chose what to search and read, in " in text(built)
    assert "agentic strategy" in text(built)
    assert built.queries
    assert all(query["purpose"] == "tool" for query in built.queries)


@pytest.mark.parametrize("seed", mark_first_everyday((2, 3)))
@pytest.mark.parametrize("mode", MODES)
def test_no_more_sources_are_read_than_the_mode_allows(place: Place, mode: str, seed: int) -> None:
    built = live(place, f"{mode}{seed}", World(seed), settings(mode))
    assert built.funnel["fetched"] <= {"quick": 3, "standard": 7, "deep": 10}[mode]


@pytest.mark.full
def test_every_page_read_is_judged_and_every_failure_is_in_the_funnel(place: Place) -> None:
    for seed in (2, 3):
        world = World(seed)
        built = live(place, f"s{seed}", world, settings())
        assert built.funnel["judged"] == built.funnel["fetched"]
        assert (
            len({made for made in world.made if made.startswith("GET")})
            == built.funnel["fetched"] + built.funnel["failed"]
        )


@pytest.mark.full
def test_an_attempt_that_follows_a_crash_makes_no_recorded_call_again(place: Place) -> None:
    run, world = settings(), Crashing(2)
    expected = text(live(place, "whole", World(2), run))
    place.session("one", run)
    with pytest.raises(KeyboardInterrupt):
        attempt(place, "one", world, run)
    before = list(world.made)
    assert before
    later = World(2)
    assert text(attempt(place, "one", later, run)) == expected
    assert not {made for made in before if made.startswith(("GET", "search"))} & set(later.made)
    assert again(place, "one", run) == expected


class Crashing(World):
    """A world whose model breaks the process off when it is asked for the fourth time which tools
    to use.
    """

    asked = 0

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        self.asked += request.kind == "choose_tools"
        if self.asked == 4:
            raise KeyboardInterrupt
        return super().run(request, on_text)


# ---------------------------------------------------------------- what the model leaves undone


class Told(World):
    """A world whose model calls these tools, round by round, and then says that it is enough."""

    rounds: Sequence[Sequence[Any]] = ()

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        if request.kind != "choose_tools":
            return super().run(request, on_text)
        done = len(request.history) // 2
        if done >= len(self.rounds):
            return ModelReply("Enough.", self.name)
        (first, *_) = self.rounds[done]
        if isinstance(first, Exception):
            raise first
        return ModelReply("", self.name, calls=tuple(self.rounds[done]), content={"role": "model"})


def told(seed: int, *rounds: Sequence[Any]) -> Told:
    world = Told(seed)
    world.rounds = rounds
    return world


SEARCH = [tool_call("1", "search_web", query="seals")]
ODD = tool_call("3", "web.run\u202e", q="Robben")


class Chain(World):
    """Models of a chain that say or call this, one after the other, when they are to choose."""

    models: Sequence[tuple[str, str | Sequence[Any]]] = ()
    said: Sequence[str] = ()

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        if request.kind != "choose_tools":
            return super().run(request, on_text)
        if request.skip_models >= len(self.models):
            raise ModelError(NO_OTHER_MODEL, kind="config")
        name, says = self.models[request.skip_models]
        self.said = (*self.said, name)
        if isinstance(says, str) or request.history:
            return ModelReply(says if isinstance(says, str) else "Enough.", name)
        return ModelReply("", name, calls=tuple(says), content={"role": "model"})


def chain(*models: tuple[str, str | Sequence[Any]]) -> Chain:
    world = Chain(5)
    world.models = models
    return world


REFUSED = "I'm sorry, but I can't help with that."
CHOSE = "The model chose what to search"


@pytest.mark.parametrize(
    ("says", "why"),
    [
        ("Enough.", "m1 called no tool."),
        ("", "m1 called no tool."),
        ('search_web(query="seals")', "m1 called no tool."),
        (REFUSED, f"m1 refused to answer ({REFUSED.rstrip('.')})."),
        (
            "Es tut mir leid, dabei kann ich nicht helfen.",
            "m1 refused to answer (Es tut mir leid, dabei kann ich nicht helfen).",
        ),
        (
            "Lo siento, no puedo ayudar con eso.",
            "m1 refused to answer (Lo siento, no puedo ayudar con eso).",
        ),
        (
            "抱歉，我无法帮助你。",
            "m1 refused to answer (抱歉，我无法帮助你).",
        ),
    ],
)
def test_a_run_whose_model_chooses_nothing_is_planned_and_says_why(
    place: Place, says: str, why: str
) -> None:
    world, run = chain(("m1", says)), settings("quick")
    built = live(place, "one", world, run)
    assert built.plan["note"].startswith(
        f"The model could not choose tools, so the run was planned: {why}"
    )
    assert list(built.spent["failures"]["choose_tools"]) == [why]
    assert "choose_tools" not in built.spent["models"]
    purposes = {query["purpose"] for query in built.queries}
    assert "question" in purposes
    assert "tool" not in purposes
    for event in place.log("one").read(kinds=("planned",)):
        for line in describe_news(event.kind, event.data, ""):
            assert CHOSE not in line
            assert "The model searches" not in line
    assert CHOSE not in text(built)
    assert again(place, "one", run) == text(built)


def test_the_next_model_of_the_chain_chooses_where_one_calls_no_tool(place: Place) -> None:
    world, run = chain(("m1", REFUSED), ("m2", "No."), ("m3", SEARCH)), settings("quick")
    built = live(place, "one", world, run)
    assert world.said == ("m1", "m2", "m3", "m3")
    assert built.plan["note"] == "The model chose what to search and read, in 2 rounds."
    assert set(built.spent["failures"]["choose_tools"]) == {
        f"m1 refused to answer ({REFUSED.rstrip('.')}).",
        "m2 called no tool.",
    }
    assert built.spent["models"]["choose_tools"] == {"m3": 2}
    assert again(place, "one", run) == text(built)


@pytest.mark.parametrize("models", [1, 2])
def test_a_chain_without_a_model_that_calls_tools_is_asked_once_each(
    place: Place, models: int
) -> None:
    world = chain(*[(f"m{n}", "No.") for n in range(models)])
    built = live(place, "one", world, settings("quick"))
    assert len(world.said) == models
    assert f"m{models - 1} called no tool." in built.plan["note"]


def test_a_model_that_calls_only_tools_that_do_not_exist_chose_nothing(place: Place) -> None:
    run = settings("quick")
    built = live(place, "one", told(5, [ODD], [ODD]), run)
    assert built.plan["note"] == (
        "The model chose nothing to search or read."
        " 2 tool calls of the model failed: Unknown tool: web.run."
    )
    assert [query["purpose"] for query in built.queries] == ["question"]
    assert again(place, "one", run) == text(built)


def test_a_run_whose_cap_leaves_no_choice_says_that_nothing_was_chosen(place: Place) -> None:
    run = settings("quick", caps=Caps(calls=1))
    built = live(place, "one", told(5, SEARCH), run)
    assert built.plan["note"].startswith(
        "The model chose nothing to search or read. It could not go on: The cap of"
    )
    assert CHOSE not in text(built)
    assert again(place, "one", run) == text(built)


def test_a_model_that_searches_and_never_reads_has_the_best_read_for_it(place: Place) -> None:
    built = live(place, "one", told(5, SEARCH), settings("quick"))
    scores = {source.url: source.parts.score for source in built.sources if source.parts}
    read = [
        source
        for source in built.sources
        if source.status in ("kept", "dropped", "failed", "duplicate")
    ]
    assert len(read) == 3
    left = [scores[source.url] for source in built.sources if source.status == "not_read"]
    assert all(scores[source.url] >= max(left, default=0.0) for source in read)


@pytest.mark.parametrize(
    ("pages", "reason"), [(1, "the model chose other pages"), (9, "page limit reached")]
)
def test_a_source_that_the_model_did_not_choose_is_not_said_to_have_met_the_limit(
    place: Place, pages: int, reason: str
) -> None:
    run = settings("quick")
    first = live(place, "first", told(5, SEARCH), run)
    wanted = ("kept", "dropped", "not_read")
    asked = [source.url for source in first.sources if source.status in wanted][:pages]
    fetches = [tool_call(str(n), "fetch_page", url=url) for n, url in enumerate(asked)]
    built = live(place, "one", told(5, SEARCH, fetches), run)
    left = {source.reason for source in built.sources if source.status == "not_read"}
    assert left == {f"not read: {reason}"}
    assert again(place, "one", run) == text(built)


def test_a_model_that_breaks_off_leaves_what_it_had_read(place: Place) -> None:
    run = settings("standard")
    place.session("one", run)
    built = attempt(place, "one", told(5, SEARCH, [ModelError("It refused.", kind="blocked")]), run)
    assert built.funnel["fetched"] > 0
    assert "in 1 round. It could not go on: It refused." in text(built)
    assert again(place, "one", run) == text(built)


MISSING = "query: Field required"


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ([ODD], ["1 tool call of the model failed: Unknown tool: web.run."]),
        ([ODD, ODD], ["2 tool calls of the model failed: Unknown tool: web.run."]),
        (
            [tool_call("3", "buscar_web", consulta="focas"), tool_call("4", "search_web")],
            [
                "1 tool call of the model failed: Unknown tool: buscar_web.",
                f"1 tool call of the model failed: search_web cannot run: {MISSING}.",
            ],
        ),
        (
            [tool_call("3", "search_web", query="アザラシ", límite=3)],
            ["search_web cannot run: límite: Extra inputs are not permitted."],
        ),
        (
            [tool_call(str(n), name) for n, name in enumerate(["a", "b", "c", "d", "d", "e"])],
            [
                "failed: Unknown tool: c. 3 more tool calls of the model failed for other reasons.",
            ],
        ),
        ([tool_call("3", "x" * 900)], [f"failed: Unknown tool: {'x' * 100}"]),
    ],
)
def test_calls_of_tools_that_cannot_be_run_are_told_with_their_number(
    place: Place, calls: list[Any], said: list[str]
) -> None:
    run = settings("quick")
    built = live(place, "one", told(5, SEARCH, calls), run)
    news = [
        line
        for event in place.log("one").read(kinds=("planned",))
        for line in describe_news(event.kind, event.data, "")
    ]
    for words in said:
        assert words in built.plan["note"]
        assert any(words in line for line in news)
    assert len(built.plan["note"]) < 600
    assert "Plan: The model chose what to search and read, in 3 rounds. " in text(built)
    assert again(place, "one", run) == text(built)


@pytest.mark.parametrize("language", ["de", "fr", "ar", "ja", "zh"])
def test_what_is_told_of_tool_calls_are_texts(language: str) -> None:
    for message in (
        "Unknown tool: web.run.",
        "search_web cannot run: query: Field required.",
        "fetch_page cannot run: url: Input should be a valid string; límite: Extra.",
    ):
        note = (
            "The model chose what to search and read, in 3 rounds."
            f" 2 tool calls of the model failed: {message}"
            " 1 more tool call of the model failed for other reasons."
        )
        with use_language(language):
            assert translate_failure(message) in translate_failure(note)


@pytest.mark.parametrize(("rounds", "ended"), [(9, False), (10, True), (11, True)])
def test_a_run_that_ends_at_its_limit_of_rounds_says_so(
    place: Place, rounds: int, ended: bool
) -> None:
    searches = [[tool_call(str(n), "search_web", query=f"seals of bay {n}")] for n in range(rounds)]
    run = settings("quick")
    built = live(place, "one", told(5, *searches), run)
    limit = "in 10 rounds. It could not go on: A run has at most 10 rounds."
    assert (limit in built.plan["note"]) == ended
    assert again(place, "one", run) == text(built)


def test_a_call_that_a_tool_takes_is_not_told_as_failed(place: Place) -> None:
    built = live(place, "one", told(5, SEARCH), settings("quick"))
    assert "tool call" not in built.plan["note"]


class Unable(World):
    """A model that cannot choose tools."""

    def __init__(self, error: ModelError) -> None:
        super().__init__(2)
        self.error = error

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        if request.kind == "choose_tools":
            raise self.error
        return super().run(request, on_text)


@pytest.mark.parametrize("kind", ["config", "bad_reply", "content_empty", "timeout"])
def test_where_the_model_cannot_choose_tools_the_run_is_planned(place: Place, kind: str) -> None:
    run = settings()
    built = live(place, "one", Unable(ModelError("It knows no tools.", kind=kind)), run)
    assert built.funnel["kept"] > 0
    note = "The model could not choose tools, so the run was planned: It knows no tools."
    assert built.plan["note"].startswith(note)
    assert again(place, "one", run) == text(built)


@pytest.mark.parametrize("calls", [4, 9])
def test_a_run_that_went_over_to_the_plan_and_met_a_cap_replays(place: Place, calls: int) -> None:
    run = settings(caps=Caps(calls=calls))
    unable = Unable(ModelError("It knows no tools.", kind="config"))
    built = live(place, "one", unable, run)
    assert built.stopped == ""
    assert built.spent["limit"]["reached"] == "the cap on calls was reached"
    assert again(place, "one", run) == text(built)


@pytest.mark.parametrize("kind", sorted(REFUSAL_KINDS))
def test_a_refused_key_ends_the_run_at_once(place: Place, kind: str) -> None:
    run = settings()
    place.session("one", run)
    with pytest.raises(ModelRefused, match="The key is refused"):
        attempt(place, "one", Unable(ModelError("The key is refused.", kind=kind)), run)


# ---------------------------------------------------------------- caps


@pytest.mark.parametrize("calls", mark_first_everyday([4, 2, 7]))
def test_a_cap_on_calls_leaves_the_writer_its_call_and_replays(place: Place, calls: int) -> None:
    run, world = settings(caps=Caps(calls=calls)), World(2, 0.01, random.Random(calls))
    built = live(place, "one", world, run)
    assert len([made for made in world.made if made.startswith("model")]) <= calls
    assert built.stopped == ""
    assert built.spent["limit"]["reached"] == "the cap on calls was reached"
    assert built.funnel["judged"] == built.funnel["fetched"]  # by words, where no call was left
    assert again(place, "one", run) == text(built)


class Late(World):
    """A world whose time is up when the n-th page is asked for."""

    pages, most = 0, 0

    def send(self, method: str, url: str, **options: Any) -> Any:
        with self.lock:
            self.pages += 1
        if self.pages > self.most:
            raise CapReached("seconds", "The cap of 60 seconds was reached.")
        return super().send(method, url, **options)


@pytest.mark.parametrize("most", mark_first_everyday([4, 0, 1, 5]))
def test_a_cap_that_strikes_among_the_calls_of_a_round_leaves_that_round_undone_and_replays(
    place: Place, most: int
) -> None:
    run, world = settings(), Late(2, 0.01, random.Random(most))
    world.most = most
    built = live(place, "one", world, run)
    assert built.stopped == "the cap on seconds was reached"
    assert built.funnel["fetched"] <= most
    assert again(place, "one", run) == text(built)


def test_a_stopped_session_is_resumed_to_the_same_report(place: Place) -> None:
    run = settings(caps=Caps(calls=6))
    built = live(place, "one", World(2, 0.01, random.Random(1)), run)
    later = World(2)
    resumed = attempt(place, "one", later, run)
    assert resumed.stopped == built.stopped
    assert [source.status for source in resumed.sources] == [
        source.status for source in built.sources
    ]
    assert [made for made in later.made if made.startswith(("GET", "search"))] == []


# ---------------------------------------------------------------- the analyst


class Steered(World):
    """A world in which the analyst acts when something is asked for the n-th time. at: {(beginning
    of its name, n): commands}.

    clock: what the run measures by how long a stop may take; it stands still.
    """

    def __post_init__(self) -> None:
        self.at: dict[tuple[str, int], Sequence[Draft]] = {}
        self.log: HeardLog | None = None
        self.clock = Hands()
        self.count: dict[str, int] = {}

    def answer(self, name: str) -> None:
        with self.lock:
            self.count |= {
                start: self.count.get(start, 0) + 1
                for start, _ in self.at
                if name.startswith(start)
            }
            due = [
                drafts
                for (start, n), drafts in self.at.items()
                if name.startswith(start) and self.count[start] == n
            ]
        if due and self.log:
            # What the model is to do next is asked for by the coordinator itself, which listens
            # when it knows.
            (self.log.append if name.startswith("model choose_tools") else self.log.say)(*due[0])
        super().answer(name)

    def time_is_up(self) -> None:
        """Returns when the stopped run has recorded how far it came."""
        wait_until(self._is_recorded)

    def _is_recorded(self) -> bool:
        self.clock.at += STOP_GRACE_S
        return self.log is not None and any(
            event.data["do"] == "stop" for event in self.log.read(kinds=("decide",))
        )


def run_with(world: Steered, place: Place, run: RunSettings) -> Report:
    """What the world says to the analyst's session "one", it says to the log that the run reads."""
    world.log = HeardLog(Store(place.db, WHO, "one"), StillClock())
    return attempt(place, "one", world, run, log=world.log)


def steered(
    place: Place, at: dict[tuple[str, int], Sequence[Draft]], run: RunSettings, seed: int = 2
) -> tuple[Report, Steered]:
    world = Steered(seed, 0.01, random.Random(seed))
    place.session("one", run)
    world.at = at
    return run_with(world, place, run), world


STOP = Draft("command", {"do": "stop"})


#: When the analyst speaks. Every day a stop comes at the first of them, an instruction at the
#: second.
MOMENTS = [
    ("model choose_tools", 3),
    ("GET", 2),
    ("model choose_tools", 1),
    ("search", 3),
    ("model judge", 2),
]


@pytest.mark.parametrize("when", mark_first_everyday(MOMENTS))
def test_stop_and_write_now_writes_from_what_was_judged_and_replays(
    place: Place, when: tuple[str, int]
) -> None:
    run = settings()
    built, _ = steered(place, {when: [STOP]}, run)
    assert built.stopped == "the analyst stopped the run"
    assert again(place, "one", run) == text(built)


@pytest.mark.full
def test_a_stop_while_the_unscored_are_heard_once_more_leaves_them_unscored_and_replays(
    place: Place,
) -> None:
    class Mumbling(Steered):
        def run(
            self, request: ModelRequest, on_text: Callable[[str], None] | None = None
        ) -> ModelReply:
            if request.kind == "judge_relevance":
                self.answer("model judge_relevance")
                return ModelReply("I cannot say.", self.name)
            return super().run(request, on_text)

    run, world = settings(), Mumbling(2)
    place.session("one", run)
    world.at = {("model judge_again", 1): [STOP]}
    built = run_with(world, place, run)
    assert built.stopped == "the analyst stopped the run"
    assert world.count["model judge_again"] == 1
    assert not any(source.relevance.scored for source in built.sources if source.relevance)
    assert again(place, "one", run) == text(built)


@pytest.mark.full
def test_a_stop_while_the_last_judgements_are_made_counts_the_rest_as_not_read(
    place: Place,
) -> None:
    run = settings()

    class Slow(Steered):
        def run(
            self, request: ModelRequest, on_text: Callable[[str], None] | None = None
        ) -> ModelReply:
            if request.kind == "judge_relevance" and self.chance("slow", request.prompt) < 0.5:
                wait_until(lambda: self.count.get("model choose_tools", 0) >= 5)
                self.time_is_up()
            return super().run(request, on_text)

    world = Slow(2)
    place.session("one", run)
    world.at = {("model choose_tools", 5): [STOP]}
    built = run_with(world, place, run)
    assert 0 < built.funnel["judged"] < built.funnel["fetched"]
    assert "not read: stopped" in {source.reason for source in built.sources}
    assert again(place, "one", run) == text(built)


@pytest.mark.full
def test_strike_and_approve_act_in_the_round_they_fell_into_and_replay(place: Place) -> None:
    run = settings()
    before = live(place, "plain", World(2), run)
    struck = next(source.url for source in before.sources if source.status == "kept")
    blocked = next(source.url for source in before.sources if source.status == "blocked")
    commands = [
        Draft("command", {"do": "strike", "url": struck}),
        Draft("command", {"do": "approve", "url": blocked}),
    ]
    built, _ = steered(place, {("model choose_tools", 4): commands}, run)
    sources = {source.url: source for source in built.sources}
    assert sources[struck].status == "struck"
    assert sources[blocked].approved
    assert sources[blocked].status in ("kept", "dropped", "failed")
    decided = [event.data for event in place.log("one").decisions() if "command" in event.data]
    assert [(data["do"], data["round"]) for data in decided] == [("strike", 4), ("approve", 4)]
    assert again(place, "one", run) == text(built)
    resumed = attempt(place, "one", World(2), run)
    assert [source.status for source in resumed.sources] == [
        source.status for source in built.sources
    ]


FEEDING, STORMS = (
    Draft("command", {"do": "instruct", "text": text})
    for text in ("Say where the seals feed", "What of storms in winter?")
)


@pytest.mark.full
@pytest.mark.parametrize("when", mark_first_everyday([*MOMENTS[1:], MOMENTS[0]]))
def test_an_instruction_is_searched_and_read_for_whenever_it_comes_and_replays(
    place: Place, when: tuple[str, int]
) -> None:
    run = settings()
    plain = live(place, "plain", World(2), run)
    built, _ = steered(place, {when: [FEEDING, STORMS]}, run)
    texts = [query["text"] for query in built.queries]
    more = [text for text in texts if text not in {query["text"] for query in plain.queries}]
    assert more == [
        "tidal turbines change habits harbour seals feed",
        "tidal turbines change habits harbour seals storms winter",
    ]
    assert built.instructions == ("Say where the seals feed", "What of storms in winter?")
    assert 0 < built.funnel["judged"] - plain.funnel["judged"] <= 2 * INSTRUCTION_SHARE
    assert again(place, "one", run) == text(built)
    assert text(attempt(place, "one", World(2), run)) == text(built)


@pytest.mark.full
def test_what_is_to_be_left_out_is_not_searched_for(place: Place) -> None:
    plain = live(place, "plain", World(2), settings())
    run = settings(instructions=("ignore blogs",))
    built, _ = steered(
        place,
        {("GET", 2): [Draft("command", {"do": "instruct", "text": "Leave out opinion pieces"})]},
        run,
    )
    assert built.instructions == ("ignore blogs", "Leave out opinion pieces")
    assert [query["text"] for query in built.queries] == [query["text"] for query in plain.queries]
    assert again(place, "one", run) == text(built)


@pytest.mark.full
def test_instructions_of_the_settings_are_followed_like_those_that_were_given(place: Place) -> None:
    given, _ = steered(place, {("model choose_tools", 2): [FEEDING, STORMS]}, settings())
    told = tuple(str(draft.data["text"]) for draft in (FEEDING, STORMS))
    before = live(place, "told before", World(2), settings(instructions=told))
    assert text(before).replace("told before", "one") == text(given)


@pytest.mark.full
def test_what_was_struck_before_the_run_is_never_read_and_what_was_approved_is(
    place: Place,
) -> None:
    plain = live(place, "plain", World(2), settings())
    struck = [source.url for source in plain.sources if source.relevance][:2]
    blocked = next(source.url for source in plain.sources if source.status == "blocked")
    run = settings(struck=tuple(struck), approved=(blocked, "https://nobody.example.net/listed"))
    world = World(2, 0.01, random.Random(3))
    built = live(place, "one", world, run)
    assert not {f"GET {url}" for url in struck} & set(world.made)
    assert {f"GET {blocked}", "GET https://nobody.example.net/listed"} <= set(world.made)
    assert again(place, "one", run) == text(built)


class SteeredToo(Steered, Told):
    """A world whose model calls tools as it is told, and in which the analyst acts."""


FED = "Say where the seals feed"
LATE: list[tuple[tuple[str, int], tuple[str, ...]]] = [
    (("GET", 1), ()),
    (("model judge", 1), ()),
    (("model judge", 1), (FED,)),
    (("search north tidal turbines change habits harbour seals feed", 1), (FED,)),
    (("GET", 5), (FED,)),
]


@pytest.mark.full
@pytest.mark.parametrize(("when", "instructions"), mark_first_rows_everyday(LATE[1:] + LATE[:1], 2))
def test_a_source_approved_while_the_last_are_read_or_judged_is_read_still_and_replays(
    place: Place, when: tuple[str, int], instructions: tuple[str, ...]
) -> None:
    """The model reads nothing, so all reading is done in the rounds that follow its own."""
    plain = live(place, "plain", told(5, SEARCH), settings("quick"))
    struck = next(source.url for source in plain.sources if source.relevance)
    run, unheard = (
        settings("quick", instructions=instructions, struck=(struck,)),
        "https://nobody.example.net/listed",
    )
    world = SteeredToo(5, 0.01, random.Random(1))
    place.session("one", run)
    said = [Draft("command", {"do": "approve", "url": url}) for url in (struck, unheard)]
    world.rounds, world.at = (SEARCH,), {when: said}
    built = run_with(world, place, run)
    assert world.count[when[0]] >= when[1]
    assert {f"GET {struck}", f"GET {unheard}"} <= set(world.made)
    assert again(place, "one", run, 5) == text(built)
    assert text(attempt(place, "one", World(5), run)) == text(built)


@pytest.mark.full
def test_a_source_struck_while_a_stopped_run_waits_for_its_last_judgements_is_struck(
    place: Place,
) -> None:
    run, first = settings("quick", instructions=(FED,)), told(5, SEARCH)
    plain = live(place, "plain", first, settings("quick"))
    kept = next(source.url for source in plain.sources if source.status == "kept")

    class Slow(SteeredToo):
        def run(
            self, request: ModelRequest, on_text: Callable[[str], None] | None = None
        ) -> ModelReply:
            reply = super().run(request, on_text)
            if self.count.get("model judge") == last and request.kind == "judge_relevance":
                place.log("one").append(Draft("command", {"do": "strike", "url": kept}))
                self.time_is_up()
            return reply

    last = len([made for made in first.made if made.startswith("model judge")]) + 1
    world = Slow(5)
    place.session("one", run)
    world.rounds, world.at = (SEARCH,), {("model judge", last): [STOP]}
    built = run_with(world, place, run)
    assert built.stopped
    assert {source.url: source.status for source in built.sources}[kept] == "struck"
    assert again(place, "one", run, 5) == text(built)


@pytest.mark.full
def test_a_cancel_ends_the_run_at_once_and_it_can_be_resumed(place: Place) -> None:
    run = settings()
    expected = text(live(place, "whole", World(2), run))
    place.session("one", run)

    class Cancelled(World):
        def send(self, method: str, url: str, **options: Any) -> Any:
            request_stop(place.db, WHO, "one", "cancel")
            threading.Event().wait(0.3)
            return super().send(method, url, **options)

    with pytest.raises(Stopped, match="cancel"):
        attempt(place, "one", Cancelled(2), run)
    place.log("one").append(Draft("finished", {"outcome": "cancelled"}, "1"))
    take_session(place.db, WHO, "one", "later", 0.0)
    assert text(attempt(place, "one", World(2), run)) == expected


# ---------------------------------------------------------------- the parts of the question


class Parts(World):
    """A world with more pages, whose plan names three parts; prompts: of the choices of tools."""

    names = ("What do the seals eat?", "Who counts the pups?", "When do the turbines stop?")

    def __post_init__(self) -> None:
        self.known_pages = 80
        self.prompts: list[str] = []

    def run(self, request: ModelRequest, on_text: Any = None) -> ModelReply:
        if request.kind == "choose_tools":
            with self.lock:
                self.prompts.append(request.prompt)
        if request.kind != "plan":
            return super().run(request, on_text)
        self.answer("model plan")
        parts = [{"question": name, "queries": [name]} for name in self.names]
        return ModelReply(json.dumps({"type": "effect", "parts": parts}), self.name)


def exhaustive(**changes: Any) -> RunSettings:
    return settings("exhaustive", asked_on="2026-11-26", **changes)


def test_an_exhaustive_run_writes_a_section_for_each_part_of_the_question(place: Place) -> None:
    run, world = exhaustive(min_full=4), Parts(2)
    built = live(place, "one", world, run)
    assert built.plan["sub_questions"] == list(Parts.names)
    headings = [line for line in text(built).splitlines() if line.startswith("### ")]
    assert headings[:3] == [f"### {name}" for name in Parts.names]
    assert world.made.count("model write_section") == 3
    assert all(name in prompt for prompt in world.prompts for name in Parts.names)
    assert again(place, "one", run, 2) == text(built)


def test_a_mode_without_sections_plans_no_parts(place: Place) -> None:
    world = Parts(2)
    built = live(place, "one", world, settings("deep", asked_on="2026-11-26"))
    assert "model plan" not in world.made
    assert built.plan["sub_questions"] == []


@pytest.mark.parametrize("command", [{"do": "stop"}, {"do": "instruct", "text": "Count them."}])
def test_what_is_decided_while_the_parts_are_planned_is_replayed(
    place: Place, command: dict[str, str]
) -> None:
    run = exhaustive()
    built, _ = steered(place, {("model plan", 1): [Draft("command", command)]}, run)
    assert bool(built.stopped) == (command["do"] == "stop")
    assert again(place, "one", run, 2) == text(built)


def test_a_cap_reached_by_the_plan_leaves_what_is_free(place: Place) -> None:
    run = exhaustive(caps=Caps(calls=1))
    built = live(place, "one", Parts(2), run)
    assert built.stopped == ""
    assert built.spent["limit"]["reached"] == "the cap on calls was reached"
    assert built.funnel["judged"] == built.funnel["fetched"] > 0
    assert again(place, "one", run, 2) == text(built)
