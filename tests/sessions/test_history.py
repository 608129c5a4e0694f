"""What past sessions tell of the next one: estimates that say what they rest on, and the health of
engines and models.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from research_core.journal import store
from research_core.journal.events import Draft
from research_core.models import Principal
from research_core.policy import Caps, RunSettings
from research_core.sessions import runner
from research_core.sessions.estimates import EstimateError, EstimateRange
from research_core.sessions.history import (
    NEVER_ASKED,
    _find_model_outcome,
    estimate_run,
    read_engine_health,
    read_model_health,
)
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources, open_log

BEN = Principal("local", "ben")
WEB = RunSettings(engines=("ddgs:brave", "searxng"), model="gemini:gemini-x")


@pytest.fixture
def office(tmp_path: Path, database_with_sample: Path) -> Iterator[Resources]:
    shutil.copy(database_with_sample, tmp_path / "assay.db")
    made = Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path)}))
    yield made
    made.db.close()


def past(
    office: Resources,
    run: RunSettings,
    *drafts: Draft,
    who: Principal = LOCAL_USER,
    ends: str = "done",
    attempts: int = 1,
) -> str:
    """A session that said this, then ended so."""
    session = runner.new_session(office, "What is asked?", run, who=who)
    for _ in range(attempts):
        epoch = store.take_session(office.db, who, session, "machine:1:x", office.clock.now())
    log = open_log(office, who, session, epoch=epoch)
    log.append(*drafts)
    if ends == "failed":
        log.append(
            Draft(
                "failed",
                {"error": "The model is resting.", "next_step": "", "type": "ModelError"},
                "1",
            )
        )
    elif ends:
        log.append(Draft("finished", {"outcome": ends}, "1"))
    return session


def tally(calls: int, seconds: float, tokens: int = 0, cost: float | None = 0.0) -> Draft:
    data = {
        "do": "tally",
        "model_calls": calls,
        "other_calls": 3,
        "tokens": tokens,
        "cost": cost,
        "seconds": seconds,
    }
    return Draft("decide", data, "tally")


def said(engine: str, state: str, reason: str = "", order: int = 0) -> Draft:
    kind = "searched" if state in ("answered", "empty") else "search_failed"
    data = {
        "order": order,
        "place": 0,
        "query": "q",
        "engine": engine,
        "state": state,
        "reason": reason,
        "results": 0,
    }
    return Draft(kind, data, f"{order}:{engine}")


# ---------------------------------------------------------------- estimates


def test_without_a_run_like_it_there_is_only_the_budget_of_the_mode(office: Resources) -> None:
    assert [(mode, estimate_run(office, RunSettings(mode=mode)).most_calls) for mode in ("quick", "standard", "deep")] == [
        ("quick", 8), ("standard", 14), ("deep", 24),
    ]  # fmt: skip
    first = estimate_run(office, RunSettings())
    assert (first.runs, first.most_sources, first.calls, first.seconds, first.cost) == (
        0,
        7,
        None,
        None,
        EstimateRange(0, 0, 0),
    )
    assert estimate_run(office, WEB).cost is None
    assert estimate_run(office, RunSettings(strategy="agentic", model="gemini:x")).most_calls == 24


def test_an_estimate_is_the_least_the_middle_and_the_most_of_the_runs_like_it(
    office: Resources,
) -> None:
    for calls, seconds in ((9, 1.0), (11, 4.0), (10, 2.0)):
        past(office, RunSettings(), tally(calls, seconds))
    found = estimate_run(office, RunSettings())
    assert (found.runs, found.calls, found.seconds, found.cost) == (
        3,
        EstimateRange(9, 10, 11),
        EstimateRange(1.0, 2.0, 4.0),
        EstimateRange(0, 0, 0),
    )


UNLIKE: list[dict[str, Any]] = [
    {"model": "gemini:gemini-x"}, {"strategy": "agentic"}, {"engines": ("ddgs:brave",)},
    {"engines": ("ddgs:brave", "library")},
]  # fmt: skip


@pytest.mark.parametrize("other", UNLIKE, ids=str)
def test_a_run_of_another_kind_tells_nothing(office: Resources, other: dict[str, Any]) -> None:
    past(office, replace(RunSettings(), **other), tally(9, 1.0))
    assert estimate_run(office, RunSettings()).runs == 0
    assert estimate_run(office, replace(RunSettings(), **other)).runs == 1


def test_runs_of_another_mode_tell_something_only_where_there_is_none_of_this(
    office: Resources,
) -> None:
    past(office, RunSettings(mode="quick"), tally(8, 1.0))
    scaled = estimate_run(office, RunSettings())
    assert (scaled.runs, scaled.scaled, scaled.calls) == (1, True, EstimateRange(14, 14, 14))
    past(office, RunSettings(), tally(9, 3.0))
    found = estimate_run(office, RunSettings())
    assert (found.runs, found.scaled, found.calls, found.errors) == (
        1,
        False,
        EstimateRange(9, 9, 9),
        {},
    )


def test_an_estimate_says_how_far_such_estimates_were_off(office: Resources) -> None:
    for seconds in (1.0, 2.0, 4.0):
        past(office, RunSettings(), tally(9, seconds))
    # from the others: 3.0 for 1.0, 2.5 for 2.0, 1.5 for 4.0
    assert estimate_run(office, RunSettings()).errors["seconds"] == EstimateError(0.625, 1, 3)


def test_other_engines_of_the_web_are_still_a_run_like_it(office: Resources) -> None:
    past(office, WEB, tally(9, 1.0, 100, 0.1))
    assert estimate_run(office, replace(WEB, engines=("ddgs:mojeek",))).runs == 1


def test_what_was_forked_resumed_unfinished_or_somebody_else_s_tells_nothing(
    office: Resources,
) -> None:
    past(office, RunSettings(), tally(9, 1.0), attempts=2)
    past(office, RunSettings(), tally(9, 1.0), ends="cancelled")
    past(office, RunSettings(), tally(9, 1.0), who=BEN)
    parent = past(office, RunSettings(), ends="")
    fork = runner.rewrite(office, parent, RunSettings())
    epoch = store.take_session(office.db, LOCAL_USER, fork, "machine:1:x", 0.0)
    open_log(office, LOCAL_USER, fork, epoch=epoch).append(
        tally(2, 0.1), Draft("finished", {"outcome": "done"}, "1")
    )
    assert estimate_run(office, RunSettings()).runs == 0
    assert estimate_run(office, RunSettings(), who=BEN).runs == 1


@pytest.mark.parametrize("unknown", [None, 0.0], ids=["now", "older"])
def test_a_cost_that_is_not_known_is_not_nothing(office: Resources, unknown: float | None) -> None:
    past(office, WEB, tally(9, 1.0, 1000, 0.02))
    assert estimate_run(office, WEB).cost == EstimateRange(0.02, 0.02, 0.02)
    past(office, WEB, tally(9, 1.0, 1000, unknown))
    assert estimate_run(office, WEB).cost is None


def test_caps_that_the_usual_run_would_meet_are_named(office: Resources) -> None:
    past(office, WEB, tally(9, 30.0, 1000, 0.02))
    found = estimate_run(office, WEB)
    assert found.beyond(Caps()) == ()
    assert found.beyond(Caps(calls=9, tokens=1000, cost=0.02, seconds=30)) == ()
    assert found.beyond(Caps(calls=8, tokens=999, cost=0.01, seconds=29)) == (
        "calls",
        "tokens",
        "cost",
        "seconds",
    )


# ---------------------------------------------------------------- health


def test_engines_are_told_by_their_last_outcome_and_how_often_they_did_what(
    office: Resources,
) -> None:
    past(office, WEB, said("ddgs:brave", "answered"), said("searxng", "timed_out", "Too slow."))
    past(
        office,
        WEB,
        said("ddgs:brave", "empty"),
        said("ddgs:brave", "refused", "Asks for a person.", 1),
    )
    found = read_engine_health(office)
    assert set(found) == {"ddgs:brave", "searxng"}
    brave = found["ddgs:brave"]
    assert (dict(brave.counts), brave.tries) == ({"answered": 1, "empty": 1, "refused": 1}, 3)
    assert (brave.state, brave.reason) == ("refused", "Asks for a person.")
    assert (found["searxng"].state, found["searxng"].counts["timed_out"]) == ("timed_out", 1)


def test_an_engine_nobody_asked_is_in_a_state_of_its_own(office: Resources) -> None:
    past(office, RunSettings(), said("library", "answered"))
    assert read_engine_health(office) == {}
    assert (NEVER_ASKED.state, NEVER_ASKED.tries) == ("", 0)


def test_health_is_each_user_s_own(office: Resources) -> None:
    past(office, WEB, said("searxng", "answered"), who=BEN)
    assert read_engine_health(office) == read_model_health(office) == {}
    assert set(read_engine_health(office, who=BEN)) == {"searxng"}


def test_a_model_is_told_by_the_sessions_it_ended(office: Resources) -> None:
    past(office, WEB)
    past(office, WEB, ends="failed")
    past(office, RunSettings(), ends="cancelled")
    (found,) = read_model_health(office).values()
    assert (dict(found.counts), found.state, found.reason) == (
        {"answered": 1, "failed": 1},
        "failed",
        "The model is resting.",
    )


def gated(unscored: int, total: int) -> Draft:
    return Draft(
        "gated",
        {
            "decision": "full_report",
            "rationale": "Nobody could score.",
            "unscored": unscored,
            "total": total,
        },
        "gated",
    )


@pytest.mark.parametrize(
    ("unscored", "total", "state"),
    [(3, 3, "failed"), (2, 3, "answered"), (0, 3, "answered"), (0, 0, "answered")],
)
def test_a_session_that_is_done_says_whether_its_model_scored_anything(
    office: Resources, unscored: int, total: int, state: str
) -> None:
    past(office, WEB, gated(unscored, total))
    (found,) = read_model_health(office).values()
    assert (dict(found.counts), found.reason) == (
        {state: 1},
        "Nobody could score." if state == "failed" else "",
    )


@pytest.mark.parametrize("ends", ["failed", "done"])
def test_a_session_that_went_between_the_list_and_its_log_tells_nothing_false(
    office: Resources, ends: str
) -> None:
    session = past(office, WEB, gated(3, 3), ends=ends)
    row = store.find_session(office.db, LOCAL_USER, session)
    runner.delete(office, session)
    assert _find_model_outcome(office, LOCAL_USER, row) is None
