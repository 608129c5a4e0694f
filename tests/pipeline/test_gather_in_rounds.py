"""The exhaustive mode while it gathers: parts of the question, rounds of gaps, and evidence against.

Which answer comes first, where the process ends and where a stop falls changes no query and no
source.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from research_core.decisions.view import RunView, fold_events
from research_core.errors import Stopped
from research_core.journal.events import Draft
from research_core.model_messages import ModelReply
from research_core.modes import ResearchMode
from research_core.pipeline import report
from research_core.pipeline.admission import COUNTER, get_gap_order, get_planned_order
from research_core.pipeline.run import research
from research_core.policy import RunSettings
from research_core.sessions.estimates import count_max_calls
from research_core.sessions.whatif import decide_under, forecast_reading, get_current_settings
from tests.everyday import mark_first_everyday, mark_first_rows_everyday
from tests.thesaurus import Thesaurus
from tests.timing import wait_until
from tests.world import QUESTION, Place, World

CLAIM = "Do tidal turbines change the habits of harbour seals?"
PARTS = ["Do seals stay away?", "What do the pups eat in winter?", "Who counts the seals?"]


def settings(mode: str = "exhaustive", **changes: Any) -> RunSettings:
    return RunSettings(
        mode=mode, engines=("north", "south"), model="world", asked_on="2026-11-26", **changes
    )


class Wide(World):
    """A world with more pages than any run reads, whose plan names queries for each part.

    replies: what is said of gaps instead of what the world says, by round; asked: the inputs of
    all requests by kind, as they came.
    """

    replies: Mapping[int, str] = {}

    def __post_init__(self) -> None:
        self.known_pages = 160
        self.asked: dict[str, list[Mapping[str, Any]]] = {}

    def run(self, request, on_text=None):  # type: ignore[no-untyped-def]
        with self.lock:
            self.asked.setdefault(request.kind, []).append(request.inputs)
            round = len(self.asked[request.kind])
        if request.kind == "plan" and request.inputs.get("by_part"):
            self.answer("model plan")
            parts = [
                {"question": text, "queries": [f"seals {n} one", f"seals {n} two"]}
                for n, text in enumerate(PARTS)
            ]
            return ModelReply(json.dumps({"type": "effect", "parts": parts}), self.name)
        if request.kind == "gaps" and round in self.replies:
            self.answer("model gaps")
            return ModelReply(self.replies[round], self.name)
        return super().run(request, on_text)


def gather(
    place: Place, world: World, run: RunSettings, name: str = "session", question: str = QUESTION
) -> str:
    place.session(name, run, question)
    return go_on(place, world, run, name, question)


def go_on(
    place: Place, world: World, run: RunSettings, name: str = "session", question: str = QUESTION
) -> str:
    with place.deps(world, place.log(name), run) as deps:
        return report.to_markdown(research(question, deps)).replace(name, "…")


def replay(place: Place, run: RunSettings, name: str = "session", question: str = QUESTION) -> str:
    idle, log = Wide(1, 0.01, random.Random(9)), place.log(name, readonly=True)
    with place.deps(idle, log, run) as deps:
        text = report.to_markdown(research(question, deps)).replace(name, "…")
    assert (idle.made, log.differences) == ([], [])
    return text


def fold(place: Place, name: str = "session") -> RunView:
    return fold_events(place.log(name).read())


def list_parts(place: Place, name: str = "session") -> list[str]:
    return [event.data["part"] for event in place.log(name).read(kinds=("planned",))]


def test_a_replay_of_an_exhaustive_run_embeds_nothing(place: Place) -> None:
    run = settings(passage_model="thesaurus")
    place.session("session", run)
    texts = []
    for is_replay in (False, True):
        log, embedder = place.log("session", readonly=is_replay), Thesaurus()
        world = Wide(1)
        with place.deps(world, log, run) as deps:
            told = research(QUESTION, replace(deps, embedder=embedder))
        texts.append(report.to_markdown(told))
        assert bool(embedder.asked) is not is_replay
        assert bool(world.made) is not is_replay
    assert texts[0] == texts[1]


def test_an_exhaustive_run_reads_its_forty_sources_in_rounds(place: Place) -> None:
    world, run = Wide(1), settings()
    text = gather(place, world, run)
    view = fold(place)
    assert sum(source.judgement is not None for source in view.sources.values()) == 40
    rounds = [part for part in list_parts(place) if part.startswith("gaps")]
    assert rounds == ["gaps", "gaps:2", "gaps:3", "gaps:4"]
    by_purpose: dict[str, list[int]] = {}
    for order, query in sorted(view.queries.items()):
        by_purpose.setdefault(query["purpose"], []).append(order)
    assert by_purpose["planned"] == [get_planned_order(place) for place in range(6)]
    assert by_purpose["gap"] == [
        get_gap_order(round, place) for round in range(1, 5) for place in range(2)
    ]
    assert view.plan is not None
    assert view.plan["sub_questions"] == PARTS
    queries = [query["text"] for query in view.plan["queries"]]
    assert queries[:4] == ["seals 0 one", "seals 1 one", "seals 2 one", "seals 0 two"]
    calls = sum(name.startswith("model") for name in world.made)
    assert calls <= count_max_calls(ResearchMode.exhaustive())
    assert replay(place, run) == text


@pytest.mark.parametrize("sources", mark_first_everyday([10, 17, 60]))
def test_no_more_sources_are_read_than_were_asked_for(place: Place, sources: int) -> None:
    run = settings(sources=sources)
    gather(place, Wide(2), run)
    judged = [source for source in fold(place).sources.values() if source.judgement]
    assert len(judged) == sources


@pytest.mark.parametrize(
    ("mode", "question", "seed"),
    mark_first_rows_everyday(
        [
            *(("deep", CLAIM, seed) for seed in range(6)),
            *(("exhaustive", QUESTION, seed) for seed in range(4)),
            *(("exhaustive", CLAIM, seed) for seed in range(2)),
        ]
    ),
)
def test_the_order_of_answers_changes_nothing(
    place: Place, mode: str, question: str, seed: int
) -> None:
    texts = set()
    for timing in range(3):
        world = Wide(seed, 0.012, random.Random(timing))
        texts.add(gather(place, world, settings(mode), f"run{timing}", question))
    assert len(texts) == 1


NOTHING = '{"gaps": [], "queries": []}'
NO_QUERY = '{"gaps": ["The winter is missing."], "queries": []}'
KNOWN = json.dumps({"gaps": ["The winter is missing."], "queries": [QUESTION, "seals 0 one"]})


@pytest.mark.parametrize(
    ("reply", "round"),
    mark_first_rows_everyday(
        [(NOTHING, 2)]
        + [(reply, 1) for reply in (NOTHING, NO_QUERY, KNOWN, "I do not know.", "[]")]
        + [(NO_QUERY, 2), (KNOWN, 3)]
    ),
)
def test_rounds_end_where_one_finds_no_gap_or_no_new_query(
    place: Place, reply: str, round: int
) -> None:
    world, run = Wide(1), settings()
    world.replies = {round: reply}
    text = gather(place, world, run)
    assert len(world.asked["gaps"]) == round
    judged = [source for source in fold(place).sources.values() if source.judgement]
    assert len(judged) == 40  # the places of the rounds that were left out are filled
    assert replay(place, run) == text


class Unmoved(Wide):
    """A world in which no page that a follow-up found is relevant."""

    def run(self, request, on_text=None):  # type: ignore[no-untyped-def]
        if request.kind == "judge_relevance" and "gaps" in self.asked:
            self.answer("model judge_relevance")
            return ModelReply("SCORE: 1\nEXPLANATION: it is about something else.", self.name)
        return super().run(request, on_text)


def test_rounds_end_where_one_adds_no_relevant_source(place: Place) -> None:
    world = Unmoved(1)
    gather(place, world, settings())
    assert len(world.asked["gaps"]) == 1


def test_gaps_are_looked_for_in_all_parts_among_what_was_kept(place: Place) -> None:
    world = Wide(1)
    gather(place, world, settings())
    first, *later = world.asked["gaps"]
    assert [inputs["parts"] for inputs in world.asked["gaps"]] == [PARTS] * 4
    for inputs in later:
        asked = set(inputs["queries"])
        assert {"seals 0 one", "seals 2 two"} <= asked
        assert asked > set(first["queries"])
        assert 0 < len(inputs["passages"]) <= 2 * 40


class LatePlan(Wide):
    """A world whose plan comes after all else that does not need it."""

    late = False

    def run(self, request, on_text=None):  # type: ignore[no-untyped-def]
        if request.kind == "plan" and self.late:
            wait_until(lambda: "search south refined" in " ".join(self.made))
        return super().run(request, on_text)


def test_pages_are_read_for_the_parts_of_the_question_whenever_the_plan_comes(
    place: Place,
) -> None:
    texts = set()
    for name, late in (("early", False), ("late", True)):
        world = LatePlan(4)
        world.late = late
        texts.add(gather(place, world, settings(), name))
        kinds = [event.kind for event in place.log(name).read(kinds=("planned", "admitted"))]
        parts = list_parts(place, name)
        assert kinds.index("admitted") > parts.index("plan")
    assert len(texts) == 1


# ---------------------------------------------------------------- kills and stops in a round


class Ending(Wide):
    """A world in which something happens at the n-th judgement after a round began.

    round: from 1; judgement: from 1; does: end the process, or stop the run.
    """

    round, judgement, does = 2, 2, ""
    place: Place | None = None

    def answer(self, name: str) -> None:
        super().answer(name)
        if len(self.asked.get("gaps", [])) < self.round or name != "model judge_relevance":
            return
        with self.lock:
            self.judgement -= 1
            is_now = self.judgement == 0
        if is_now and self.does == "kill":
            raise Stopped("shutdown")
        if is_now and self.place is not None:
            self.place.log("session").append(Draft("command", {"do": "stop"}))


@pytest.mark.parametrize(
    ("round", "judgement"), mark_first_rows_everyday([(2, 1), (1, 1), (3, 2), (4, 1)])
)
def test_a_run_killed_in_a_round_goes_on_where_it_was(
    place: Place, round: int, judgement: int
) -> None:
    run = settings()
    whole = gather(place, Wide(1), run, "whole")
    killed = Ending(1, 0.004, random.Random(round))
    killed.round, killed.judgement, killed.does = round, judgement, "kill"
    with pytest.raises(Stopped):
        gather(place, killed, run)
    later = Wide(1)
    assert go_on(place, later, run) == whole
    assert not {*killed.made} & {name for name in later.made if name.startswith("search")}
    assert replay(place, run) == whole


@pytest.mark.parametrize(
    ("round", "judgement"), mark_first_rows_everyday([(2, 1), (1, 1), (3, 2), (4, 1)])
)
def test_a_run_stopped_in_a_round_is_replayed_as_far_and_no_further(
    place: Place, round: int, judgement: int
) -> None:
    run = settings()
    world = Ending(1, 0.05, random.Random(round))
    world.round, world.judgement, world.place = round, judgement, place
    text = gather(place, world, run)
    assert "Stopped early" in text
    (stop,) = (
        event.data for event in place.log("session").decisions() if event.data["do"] == "stop"
    )
    assert [part for part in stop["parts"] if part.startswith("gaps")]
    assert replay(place, run) == text
    again = Wide(1)
    assert go_on(place, again, run) == text
    assert not [name for name in again.made if not name.startswith("model w")]


# ---------------------------------------------------------------- evidence against


def find_counter(view: RunView) -> list[tuple[int, str]]:
    return [
        (order, query["text"])
        for order, query in view.queries.items()
        if query["purpose"] == "counter"
    ]


@pytest.mark.parametrize(("mode", "most"), [("deep", 10), ("exhaustive", 40)])
def test_a_contested_claim_is_searched_for_evidence_against(
    place: Place, mode: str, most: int
) -> None:
    run = settings(mode)
    world = Wide(3)
    text = gather(place, world, run, question=CLAIM)
    view = fold(place)
    assert find_counter(view) == [(COUNTER, "tidal turbines habits harbour seals evidence against")]
    judged = [source for source in view.sources.values() if source.judgement]
    assert len(judged) == most
    listed = [
        source for source in judged if any(listing.order == COUNTER for listing in source.listings)
    ]
    assert listed
    assert "(evidence against)" in text
    assert "One query looked for evidence against. Of the " in text
    assert replay(place, run, question=CLAIM) == text
    forecast = forecast_reading(view, decide_under(view, get_current_settings(view)))
    assert forecast is not None
    assert (forecast.new, forecast.left) == ((), ())


@pytest.mark.parametrize(
    ("mode", "question", "run"),
    [
        ("deep", QUESTION, settings("deep")),
        ("exhaustive", QUESTION, settings()),
        ("quick", CLAIM, settings("quick")),
        ("standard", CLAIM, settings("standard")),
        ("deep", CLAIM, replace(settings("deep"), asked_on="")),
    ],
)
def test_other_questions_modes_and_older_sessions_search_no_evidence_against(
    place: Place, mode: str, question: str, run: RunSettings
) -> None:
    gather(place, Wide(3), run, question=question)
    assert find_counter(fold(place)) == []


def test_a_search_for_evidence_against_asks_the_model_nothing_more(place: Place) -> None:
    kinds = []
    for name, question in (("plain", QUESTION), ("claim", CLAIM)):
        world = Wide(3)
        gather(place, world, settings("deep"), name, question)
        kinds.append({kind: len(inputs) for kind, inputs in world.asked.items()})
    for calls in kinds:
        assert sum(calls.values()) <= 24
        assert (calls["plan"], calls["gaps"]) == (1, 1)
